"""Reading answers: the same answer may come as a set, a list, a Series, an Index or an array."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Real
from random import Random
from typing import Any

import numpy as np
import pandas as pd


class Unreadable(Exception):
    """An answer of another kind than was asked for; says what it is instead."""


def kind_of(value: object) -> str:
    """What something is, for a reader who thinks of numbers and lists and not of classes.

    >>> kind_of(None), kind_of(3.5), kind_of("Ann"), kind_of([1]), kind_of(len)
    ('nothing', 'a number', 'a text', 'a list', 'a function')
    """
    if value is None:
        return "nothing"
    plain = {bool: "True or False", str: "a text", list: "a list", tuple: "a tuple", set: "a set", dict: "a dict"}
    if isinstance(value, (np.bool_, bool)):
        return plain[bool]
    if isinstance(value, Real):
        return "a number"
    if callable(value):
        return "a function"
    return plain.get(type(value), f"a {type(value).__name__}")


def labels(value: Any) -> frozenset[Any]:
    """A set of labels, from any collection of them, a frame (its index), or a column of True and False.

    >>> sorted(labels(["Ann", "Ben", "Ann"])), sorted(labels(pd.Series([True, False], ["Ann", "Ben"])))
    (['Ann', 'Ben'], ['Ann'])
    """
    if isinstance(value, pd.DataFrame):
        value = value.index
    if isinstance(value, pd.Series) and value.dtype == bool:
        value = value.index[value.to_numpy()]
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise Unreadable(kind_of(value))
    return frozenset(_plain(item) for item in value)


def number(value: Any) -> float:
    """One number, of numpy or of Python, or an array that holds just one."""
    if isinstance(value, (np.ndarray, pd.Series)) and value.size == 1:
        value = np.asarray(value).item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise Unreadable(kind_of(value))
    return float(value)


def tally(value: Any) -> dict[Any, int]:
    """How often each value occurs: a Counter, a dict, a Series of counts, or the values themselves in any collection.

    >>> tally({"flu": 2, "cold": 0}) == tally(["flu", "flu"]) == tally(pd.Series({"flu": 2}))
    True
    """
    if isinstance(value, (Mapping, pd.Series)) and _counts(value):
        return {_plain(key): int(count) for key, count in value.items() if count}
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise Unreadable(kind_of(value))
    return dict(Counter(_plain(item) for item in value))


def chances(value: Any) -> dict[Any, float]:
    """A number for each value, from a dict or a Series; what is 0 may be left out.

    >>> chances({"flu": 1.0, "cold": 0.0})
    {'flu': 1.0}
    """
    if not isinstance(value, (Mapping, pd.Series)):
        raise Unreadable(kind_of(value))
    return {_plain(key): number(share) for key, share in value.items() if number(share) != 0}


def sequence(value: Any, read: Callable[[Any], Any]) -> list[Any]:
    """A list of such things."""
    if isinstance(value, (str, Mapping, set, frozenset)) or not isinstance(value, Iterable):
        raise Unreadable(kind_of(value))
    return [read(item) for item in value]


def same(one: Any, other: Any) -> bool:
    """Whether two answers, both read, agree; numbers need to agree in six digits only.

    >>> same({"flu": 0.1 + 0.2}, {"flu": 0.3}), same([1.0], [1.0, 1.0])
    (True, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return bool(one == other)


def _counts(value: Mapping[Any, Any] | pd.Series) -> bool:
    """Whether there is a number behind each key; a Series of texts is a list of values."""
    return all(isinstance(count, Real) and not isinstance(count, bool) for _, count in value.items())


def _plain(value: Any) -> Any:
    """numpy's own scalars and rows of arrays as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, np.ndarray)):
        return tuple(_plain(item) for item in value)
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


# --------------------------------------------------------------------
# Drawing small tables, and taking them apart again.


NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan")
DISEASES = ("flu", "HIV", "cancer", "measles")


def people(rng: Random, least: int, most: int) -> list[str]:
    """Some people, in alphabetical order.

    >>> people(Random(1), 2, 2)
    ['Ann', 'Ben']
    """
    return list(NAMES[: rng.randint(least, most)])


def without_a_row(frame: pd.DataFrame, *, keep: str | None = None) -> Iterator[pd.DataFrame]:
    """The frame without each of its rows, ``keep``'s excepted, as long as one is left."""
    if len(frame) > 1:
        yield from (frame.drop(index=label) for label in frame.index if label != keep)


def any_of(labels: frozenset[str], order: list[str]) -> str:
    """The first of some labels, in the order of a table; labels that it lacks come last."""
    return min(labels, key=lambda label: (order.index(label) if label in order else len(order), str(label)))
