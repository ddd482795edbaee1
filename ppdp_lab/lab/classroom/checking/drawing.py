"""Drawing small tables, and taking them apart again."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pandas as pd

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan")
DISEASES = ("flu", "HIV", "cancer", "measles")


def people(chance: Random, least: int, most: int) -> list[str]:
    """Some people, in alphabetical order.

    >>> people(Random(1), 2, 2)
    ['Ann', 'Ben']
    """
    return list(NAMES[: chance.randint(least, most)])


def without_a_row(frame: pd.DataFrame, *, keep: str | None = None) -> Iterator[pd.DataFrame]:
    """The frame without each of its rows, ``keep``'s excepted, as long as one is left."""
    if len(frame) > 1:
        yield from (frame.drop(index=label) for label in frame.index if label != keep)


def any_of(labels: frozenset[str], order: list[str]) -> str:
    """The first of some labels, in the order of a table; labels that it lacks come last."""
    return min(labels, key=lambda label: (order.index(label) if label in order else len(order), str(label)))
