"""What can be swept: something with a name, a version and parameters that is called at every point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Number
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, listed, unknown
from ppdp_lab.lab.run.tables import ALONE, named
from ppdp_lab.lab.sweeping.grid import Point
from ppdp_lab.registry import Parameter


class Swept(ABC):
    """Base of all that can be swept.

    Attributes
    ----------
    name : str
        How it is called in lines, folders and tables.
    call : callable
        Takes the parameters of a point by name, in whatever process; returns what :func:`tables_of` understands.
    version : str
        Changes whenever it may give other numbers though the package is the same.
    lists : tuple of str
        Parameters that take a list, and are not swept over.
    counting : tuple of str
        Columns of its results that count something off, such as releases, and are no measures.
    exclusive : bool
        Whether it measures time, so that points run one after the other.
    """

    name: str
    call: Callable[..., Any]
    version: str = ""
    lists: ClassVar[tuple[str, ...]] = ()
    counting: tuple[str, ...] = ()
    exclusive: bool = False

    @abstractmethod
    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """Refuse a grid with unknown, missing or wrong parameters."""

    def refine(self, point: Point) -> tuple[Point, list[str]]:
        """The point without what it has no use for, and why, in words; refuses a point that cannot be."""
        return point, []

    def data(self, point: Point) -> list[str]:
        """Names of the data sets that a point uses, as far as its parameters tell."""
        return []


def check_values(parameters: Iterable[Parameter], values: Mapping[str, Sequence[Any]]) -> None:
    """Refuse values of the wrong type or out of range."""
    for parameter in parameters:
        for value in values.get(parameter.name, ()):
            parameter.check(value)


def check_names(who: str, known: Iterable[str], values: Iterable[str]) -> None:
    """Refuse parameters that are not known; near misses are named."""
    known = list(known)
    for name in values:
        if name not in known:
            raise ParameterError(str(unknown(f"parameter of {who}:", name, known)))


def check_complete(who: str, parameters: Iterable[Parameter], values: Iterable[str]) -> None:
    """Refuse a grid that lacks what has no default."""
    given = set(values)
    missing = [p.name for p in parameters if p.required and p.name not in given]
    if missing:
        raise ParameterError(f"{who} needs {listed(missing)}; give it one or more values in the grid")


def tables_of(returned: Any, name: str) -> dict[str, pd.DataFrame]:
    """The tidy tables of what a point returned: a number, a dict, a list of dicts, a frame, or a dict of frames.

    >>> tables_of(0.5, "loss")["results"].to_dict("records")
    [{'loss': 0.5}]
    >>> tables_of([{"release": 1, "fem": 2.0}, {"release": 2, "fem": 1.5}], "publish")["results"]["fem"].tolist()
    [2.0, 1.5]
    """
    if isinstance(returned, (Number, np.generic)):
        column = name if name.isidentifier() else "value"
        return {ALONE: pd.DataFrame({column: [returned]})}
    if isinstance(returned, Mapping) and returned and all(isinstance(v, pd.DataFrame) for v in returned.values()):
        return named(returned)
    if isinstance(returned, Mapping) and returned:
        return named(pd.DataFrame([dict(returned)]))
    if isinstance(returned, (list, tuple)) and returned and all(isinstance(row, Mapping) for row in returned):
        return named(pd.DataFrame(list(returned)))
    if isinstance(returned, pd.DataFrame):
        return named(returned)
    what = "nothing" if returned is None else type(returned).__name__
    empty = "an empty " if isinstance(returned, (Mapping, list, tuple)) and not returned else ""
    raise ParameterError(f"{name} returned {empty}{what}; return a number, a dict, a list of dicts or a DataFrame")
