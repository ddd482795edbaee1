"""What an experiment works with: tables, and sizes that fit them.

A notebook's parameter that is None means the scale's value, reduced to fit the data; the sizes of a scale are in the
experiment file. Counts of records shrink by one common factor until the smallest of the user's tables has enough rows, and a
value that is too large for a table (a k, an m, a diameter) is lowered, or dropped from its list. A parameter with a value is
never changed: if the table cannot hold it, that is an error. The notes say what was changed.

The runner makes the same plan before it starts the notebook, so a table that is too small is rejected before anything runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ppdp_lab import datasets
from ppdp_lab.datasets import sampled
from ppdp_lab.errors import InfeasibleError, SchemaError, listed
from ppdp_lab.lab import parameters
from ppdp_lab.lab.experiment import FILE, read
from ppdp_lab.table import Microdata


class Plan:
    """The tables of an experiment and its sizes, which the methods fit to the tables.

    Parameters
    ----------
    beside : str
        A file in the experiment's folder: ``__file__`` of its measure.py. The scales are those of the TOML file there.
    scale : str
    names : str or list of str
        Data sets. Those that are TOML files are loaded at once, the others with as many rows as :meth:`load` asks for.
    params : dict
        The notebook's parameters that may be None. A value that is not None is never changed.
    seed : int
        Seed of the samples.

    Attributes
    ----------
    sizes : namespace
        Every parameter that the notebook leaves None, with the value to use.
    tables : dict of name to Microdata
        Under the names that results and figures use; filled by :meth:`load`.
    own : dict of name to Microdata
        The user's own tables, whole.
    at_scale, wanted : dict
        The sizes of the scale, and the sizes before they were fitted: those of the scale where a parameter is None.
    explicit : set of str
        The parameters that are not None.
    """

    def __init__(self, beside: str, scale: str, names: str | Sequence[str], params: Mapping[str, Any], *, seed: int):
        experiment = read(Path(beside).with_name(FILE))
        values = experiment.parameters(scale)
        defaults = parameters.defined(experiment.notebook)
        self.at_scale: dict[str, Any] = {
            name: values.get(name) for name, default in defaults.items() if default is None
        }
        explicit = {name: value for name, value in params.items() if value is not None}
        parameters.check(explicit, self.at_scale, experiment.notebook.name)
        self.explicit, self.seed = set(explicit), seed
        self.sizes = SimpleNamespace(**self.at_scale | explicit)
        self.wanted = dict(vars(self.sizes))  # before anything is fitted
        self.names = [names] if isinstance(names, str) else list(names)
        self.own = {datasets.called(name): datasets.load(name) for name in self.names if datasets.is_own(name)}
        self.tables: dict[str, Microdata] = {}

    @property
    def table(self) -> Microdata:
        """The only table."""
        (table,) = self.tables.values()
        return table

    @property
    def notes(self) -> tuple[str, ...]:
        """What was changed to fit the data."""
        changed = [
            f"{name} {_shown(was)} -> {_shown(now)}"
            for name, was in self.wanted.items()
            if was is not None and was != (now := getattr(self.sizes, name))
        ]
        of = " and ".join(f"{name!r} ({len(table):,} rows)" for name, table in (self.own or self.tables).items())
        return (f"fitted to {of}: {', '.join(changed)}",) if changed else ()

    def __repr__(self) -> str:
        lines = [f"{name}: {table!r}" for name, table in self.tables.items()]
        lines.append(", ".join(f"{name} {_shown(size)}" for name, size in vars(self.sizes).items() if size is not None))
        return "\n".join([*lines, *self.notes])

    def shrink(self, *counts: str, used: Callable[[Any], int], min_size: Mapping[str, int]) -> int:
        """Reduce counts of records by one factor until the smallest own table has as many rows as are ``used``.

        ``used`` takes sizes and returns rows; ``min_size`` gives the smallest counts that make sense. Returns the rows used.
        """
        wanted, adjustable = dict(vars(self.sizes)), [name for name in counts if name not in self.explicit]

        def times(factor: float, *, up: bool = False) -> SimpleNamespace:
            return SimpleNamespace(**wanted | {name: _times(wanted[name], factor, up=up) for name in adjustable})

        for name, size in min_size.items():  # a larger table would not help
            if _smallest(wanted[name]) < size:
                raise InfeasibleError(
                    f"this experiment needs {name} of at least {size:,}, not {_shown(wanted[name])}; set {name}={size}"
                )
        have = min(map(len, self.own.values()), default=used(self.sizes))
        factor = min(1.0, have / used(self.sizes))
        while used(self.sizes) > have and factor > 1e-6:
            self.sizes, factor = times(factor), factor * 0.99
        if used(self.sizes) > have or any(_smallest(getattr(self.sizes, n)) < size for n, size in min_size.items()):
            name, table = min(self.own.items(), key=lambda item: len(item[1]))
            share = max((size / _smallest(wanted[n]) for n, size in min_size.items()), default=1.0)
            needed = max(used(times(min(1.0, 1.02 * share), up=True)), have + 1)
            kept = ", ".join(f"{n} = {_shown(wanted[n])}" for n in counts if n in self.explicit)
            raise InfeasibleError(
                f"{name!r} has {len(table):,} rows, too few for this experiment: it needs at least {needed:,}"
                + (f" with {kept}" if kept else "")
            )
        return used(self.sizes)

    def load(self, rows: int | None = None, *, sensitive: bool = False) -> dict[str, Microdata]:
        """Load the tables, larger ones sampled; ``sensitive`` requires that each has one sensitive column."""
        for name in self.names:
            key = datasets.called(name)
            if key in self.tables:
                raise SchemaError(f"two data sets are called {key!r}; give one of them another title in its TOML file")
            own = self.own.get(key)
            table = datasets.load(name, rows=rows, seed=self.seed) if own is None else sampled(own, rows, self.seed)
            self.tables[key] = table
            if sensitive and len(table.schema.sensitive) != 1:
                count = len(table.schema.sensitive) or "none"
                what = f"one of {listed(table.schema.sensitive)}" if table.schema.sensitive else "it"
                raise SchemaError(
                    f"{key!r} must have one sensitive column for this experiment, and has {count}"
                    + (f"; name {what} under sensitive in its TOML file" if own is not None else "")
                )
        return self.tables

    def at_most(self, name: str, most: int | float, why: str, *, min_size: int | float = 1) -> None:
        """Lower a size, or drop from a list what is larger; an error if its value is explicit or ``min_size`` is too much."""
        size = getattr(self.sizes, name)
        several = list(size) if isinstance(size, list) else [size]
        if size is None or max(several) <= most:  # None: whatever the table has
            return
        if most < min_size:
            raise InfeasibleError(f"{why}; this experiment needs {name} of at least {_shown(min_size)}")
        if name in self.explicit:
            raise InfeasibleError(
                f"{why}, so {name} cannot be {_shown(size)}; use at most {_shown(most)}, or omit {name}"
            )
        fitting = [value for value in several if value <= most] or [most]
        setattr(self.sizes, name, fitting if isinstance(size, list) else most)

    def values_allow(self, *names: str, rows: int) -> None:
        """Each size named is an m: the most frequent sensitive value may have 1/m of the rows, also in samples of so many."""
        for title, table in self.tables.items():
            column, share = table.schema.sensitive[0], most_frequent(table)
            most = math.floor(1 / (share + _three_deviations(share, rows)))
            why = f"the most frequent {column} of {title!r} has {share:.1%} of the rows, which allows one in {most}"
            for name in names:
                self.at_most(name, most, why, min_size=2)


def most_frequent(table: Microdata) -> float:
    """The share of the most frequent sensitive value."""
    return float(np.bincount(table.sensitive_codes[0]).max() / len(table))


def _three_deviations(share: float, rows: int) -> float:
    """How far the share may lie above that of the table in a sample of so many rows, save once in a thousand times."""
    return 3 * math.sqrt(share * (1 - share) / rows)


def room_for(share: float, rows: int, m: int) -> bool:
    """Whether samples of so many rows hold a value of such a share in at most 1/m of them.

    >>> room_for(0.09, 40_000, 10), room_for(0.09, 500, 10)
    (True, False)
    """
    return share + _three_deviations(share, rows) <= 1 / m


def _times(size: Any, factor: float, *, up: bool = False) -> Any:
    """A count, or a list of different counts, made smaller; none of them becomes 0."""
    if isinstance(size, list):
        return list(dict.fromkeys(_times(value, factor, up=up) for value in size))
    return max(1, math.ceil(size * factor) if up else int(size * factor))


def _smallest(size: Any) -> int:
    return min(size) if isinstance(size, list) else size


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
