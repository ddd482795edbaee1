"""Grids and points: all combinations of values, how a value is written down, and how a reader sees it."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ppdp_lab.errors import ParameterError, listed
from ppdp_lab.registry import Plain, to_json, written
from ppdp_lab.table import Microdata

Point = dict[str, Any]
Grid = Mapping[str, Any] | Sequence[Mapping[str, Any]]


def values_of(grid: Mapping[str, Any], lists: Iterable[str] = ()) -> dict[str, list[Any]]:
    """A grid with a list of values under every name; refuses one that has no values, or the same value twice.

    A single value stands for a list of one. Names in ``lists`` are not swept over: all that is given is one value.

    >>> values_of({"k": [2, 5], "dataset": "occ", "metrics": ["ncp", "gcp"]}, lists=["metrics"])
    {'k': [2, 5], 'dataset': ['occ'], 'metrics': [['ncp', 'gcp']]}
    """
    if not isinstance(grid, Mapping):
        raise ParameterError(f"a grid is a dict such as {{'k': [2, 5, 10]}}, not {type(grid).__name__}")
    found: dict[str, list[Any]] = {}
    for name, given in grid.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ParameterError(f"a grid names parameters such as 'k', not {name!r}")
        values = [_plainly(value) for value in (given if _several(given) else [given])]
        if not values:
            raise ParameterError(f"{name} has no values; give at least one, or leave it out of the grid")
        if name in lists:
            values = [list(itertools.chain(*(v if isinstance(v, (list, tuple)) else [v] for v in values)))]
        spelled_out = [to_json(spelled(value, name)) for value in values]
        doubled = [value for i, value in enumerate(values) if spelled_out[i] in spelled_out[:i]]
        if doubled:
            raise ParameterError(f"{name} has {listed(map(cell, doubled))} more than once; give each value once")
        found[name] = values
    return found


def _several(given: Any) -> bool:
    if isinstance(given, (str, bytes, Mapping, Plain, Microdata)) or getattr(given, "shape", None) == ():
        return False
    return isinstance(given, Iterable)


def _plainly(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def combinations(values: Mapping[str, Sequence[Any]]) -> Iterator[Point]:
    """All points of a grid, the last parameter changing first.

    >>> [*combinations({"k": [2, 5], "seed": [1, 2]})][:3]
    [{'k': 2, 'seed': 1}, {'k': 2, 'seed': 2}, {'k': 5, 'seed': 1}]
    """
    return (dict(zip(values, chosen)) for chosen in itertools.product(*values.values()))


def grids_of(grid: Grid) -> list[Mapping[str, Any]]:
    """The grids of a sweep: one, or several whose points are put together."""
    several = [grid] if isinstance(grid, Mapping) else list(grid) if isinstance(grid, (list, tuple)) else [grid]
    if not several or any(isinstance(one, Mapping) and not one for one in several):
        raise ParameterError("the grid is empty; give values to sweep over, such as {'k': [2, 5, 10]}")
    return several  # type: ignore[return-value]


def spelled(value: Any, what: str) -> Any:
    """A value in a form that JSON can hold, which decides whether two points are the same; else a refusal about ``what``."""
    if isinstance(value, Microdata):
        return {"table": value.fingerprint(), "provenance": value.provenance}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(name): spelled(item, what) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [spelled(item, what) for item in value]
    if isinstance(value, float) and value != value:
        raise ParameterError(f"{what} has a value that is not a number (NaN); leave it out")
    return written(value, what)


def spelled_point(point: Point) -> dict[str, Any]:
    """All values of a point as JSON can hold them."""
    return {name: spelled(value, name) for name, value in point.items()}


def cell(value: Any) -> Any:
    """A value as it stands in a table: numbers, text and truth values as they are, all else as text.

    >>> import ppdp_lab as pl
    >>> cell(5), cell([2, 5]), cell(pl.KAnonymity(5))
    (5, '[2, 5]', 'KAnonymity(5)')
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Microdata):
        return f"{len(value)} rows, {value.provenance}, {value.fingerprint()[:6]}"
    if isinstance(value, Plain):
        return repr(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return json.dumps(spelled(value, "value"))


def words(point: Point) -> str:
    """A point as a reader writes it.

    >>> words({"k": 5, "dataset": "occ"})
    'k=5, dataset=occ'
    """
    return ", ".join(f"{name}={cell(value)}" for name, value in point.items())
