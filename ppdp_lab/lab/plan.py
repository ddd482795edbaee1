"""A notebook's sizes: one parameter, ``scale``, chooses them all, each may be said by itself, and own tables have the last word.

The rule for a table that is not the paper's: what somebody said is kept, or refused if the table cannot hold it; what is
left to the scale is fitted. Counts of records shrink by one factor until the table has enough rows, and what is too large
for the table (a k, an m, a diameter) is lowered or left out of its list. The plan says what was changed. A table that does
not hold even the least is refused, with what it would need, before anything runs: the lab asks for the same plan as the
notebook does, before it starts the notebook.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab import datasets
from ppdp_lab.datasets import sampled
from ppdp_lab.errors import InfeasibleError, SchemaError, listed, unknown
from ppdp_lab.lab import parameters
from ppdp_lab.table import Domain, Microdata, Schema


def chosen(scale: str, known: Mapping[str, Mapping[str, Any]], **given: Any) -> SimpleNamespace:
    """The sizes of a scale, where a parameter of the notebook does not say otherwise; None is "as the scale says".

    Parameters
    ----------
    scale : str
        One of the scales that are known.
    known : dict of scale to dict of size
        All scales have the same sizes.
    **given
        The notebook's own parameters.

    Examples
    --------
    >>> known = {"quick": {"rows": 100, "ks": [3]}, "paper": {"rows": 10000, "ks": [3, 5, 10]}}
    >>> sizes = chosen("paper", known, rows=500, ks=None)
    >>> sizes.rows, sizes.ks
    (500, [3, 5, 10])
    """
    if scale not in known:
        raise unknown("scale", str(scale), known)
    said = {name: value for name, value in given.items() if value is not None}
    parameters.check(said, known[scale], "this notebook")
    return SimpleNamespace(**{**known[scale], **said})


@dataclass(frozen=True)
class Plan:
    """What an experiment will work with: tables by the name that results and figures call them, sizes, and what was fitted."""

    tables: dict[str, Microdata]
    sizes: Any
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> Microdata:
        """The only table."""
        (table,) = self.tables.values()
        return table

    @property
    def chosen(self) -> dict[str, Any]:
        """The sizes by name, for :func:`ppdp_lab.lab.finish`: captions are filled with them."""
        return dict(vars(self.sizes))

    def __repr__(self) -> str:
        lines = [f"{name}: {table!r}" for name, table in self.tables.items()]
        lines.append(", ".join(f"{name} {_shown(value)}" for name, value in self.chosen.items() if value is not None))
        return "\n".join([*lines, *self.notes])


class Fitting:
    """Fits the sizes of a scale to tables, and refuses a table that is too small for any of it.

    Parameters
    ----------
    names : str or list of str
        Data sets. Own tables are loaded at once; the others come with as many rows as are asked for.
    sizes : namespace or dataclass
        Those of the scale, with what was said in their place.
    said : dict
        The notebook's parameters; those that are not None are not changed.
    """

    def __init__(self, names: str | Sequence[str], sizes: Any, said: Mapping[str, Any], *, seed: int) -> None:
        self.names = [names] if isinstance(names, str) else list(names)
        self.sizes: dict[str, Any] = dict(vars(sizes))
        self.said = {name for name, value in said.items() if value is not None}
        self.seed = seed
        self.before = dict(self.sizes)
        self.own = {datasets.called(name): datasets.load(name) for name in self.names if datasets.is_own(name)}
        self.tables: dict[str, Microdata] = {}

    # ------------------------------------------------------------------ rows
    def shrink(self, counts: Sequence[str], used: Callable[[dict[str, Any]], int], *, least: Mapping[str, int]) -> int:
        """Counts of records made smaller by one factor until the smallest own table has as many as are ``used``.

        ``least`` are the smallest sizes that make sense. Returns how many records are used.
        """
        open_ = [name for name in counts if name not in self.said]
        have = min(map(len, self.own.values()), default=used(self.sizes))
        start, factor = dict(self.sizes), min(1.0, have / used(self.sizes))
        for name, size in least.items():  # no table helps where the size itself is too small for what was asked
            if _smallest(start[name]) < size:
                raise InfeasibleError(
                    f"this experiment needs {name} of {size:,} at least, not {_shown(start[name])}; say {name}={size}"
                )
        while used(self.sizes) > have and factor > 1e-6:
            self.sizes |= {name: _times(start[name], factor) for name in open_}
            factor *= 0.99
        short = {name: size for name, size in least.items() if _smallest(self.sizes[name]) < size}
        if used(self.sizes) > have or short:
            name, table = min(self.own.items(), key=lambda item: len(item[1]), default=("", ()))
            share = max((size / _smallest(start[name]) for name, size in least.items()), default=1.0)
            needed = max(used(start | {n: _times(start[n], min(1.0, 1.02 * share), up=True) for n in open_}), have + 1)
            raise InfeasibleError(
                f"{name!r} has {len(table):,} rows, too few for this experiment: it needs at least {needed:,}"
                + (f" with {self._those_said(counts)}" if self.said & set(counts) else "")
            )
        return used(self.sizes)

    def load(self, rows: int | None = None, *, sensitive: bool = False) -> dict[str, Microdata]:
        """The tables, a sample of so many rows; refused if there is no sensitive column although one is needed."""
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

    # ------------------------------------------------------------------ what is too large for the table
    def at_most(self, name: str, most: int | float, why: str, *, least: int | float = 1) -> None:
        """Lower a size, or leave out of a list what is larger; refuse it if it was said, or if not even the least is left."""
        size = self.sizes[name]
        if size is None:  # whatever the table has
            return
        several = list(size) if isinstance(size, (list, tuple)) else [size]
        if max(several) <= most:
            return
        if most < least:
            raise InfeasibleError(f"{why}; this experiment needs {name} of {_shown(least)} at least")
        if name in self.said:
            raise InfeasibleError(
                f"{why}, so {name} cannot be {_shown(size)}; say {_shown(most)} at most, or leave it open"
            )
        kept = [value for value in several if value <= most] or [most]
        self.sizes[name] = type(size)(kept) if isinstance(size, (list, tuple)) else most

    def values_allow(self, *names: str, rows: int) -> None:
        """Every size named is an m: the commonest sensitive value may have 1/m of the rows, also in samples of so many."""
        for who, table in self.tables.items():
            column, share = table.schema.sensitive[0], commonest(table)
            most = math.floor(1 / (share + _three_deviations(share, rows)))
            why = f"{share:.1%} of {who!r} have the commonest {column}, which allows one in {most}"
            for name in names:
                self.at_most(name, most, why, least=2)

    # ------------------------------------------------------------------ the plan
    def plan(self, make: Callable[..., Any] = SimpleNamespace) -> Plan:
        """The plan, with what was changed in words."""
        changed = [
            f"{name} {_shown(was)} -> {_shown(self.sizes[name])}"
            for name, was in self.before.items()
            if self.sizes[name] != was
        ]
        of = " and ".join(f"{name!r} ({len(table):,} rows)" for name, table in (self.own or self.tables).items())
        notes = (f"fitted to {of}: {', '.join(changed)}",) if changed else ()
        return Plan(self.tables, make(**self.sizes), notes)

    def _those_said(self, counts: Iterable[str]) -> str:
        return ", ".join(f"{name} = {_shown(self.sizes[name])}" for name in counts if name in self.said)


def drawable(name: str, table: Microdata, wanted: Sequence[str] | None = None) -> list[str]:
    """Two quasi-identifiers that are the axes of a picture: those wanted, else numbers first, then trees, then text.

    >>> drawable("adult-i3m", datasets.load("adult-i3m", rows=50))
    ['age', 'education-num']
    """
    by_kind = sorted(table.qi_domains, key=lambda domain: (not _numbers(domain), domain.kind == "set"))
    found = [domain.name for domain in by_kind] if wanted is None else table.project(wanted).schema.quasi_identifiers
    if len(found) < 2:
        raise SchemaError(f"a picture needs two quasi-identifiers, and {name!r} has {listed(found)} only")
    return list(found[:2])


def picture_of(table: Microdata, columns: Sequence[str]) -> Microdata:
    """A table with two quasi-identifiers to be drawn: numbers as numbers, even if a hierarchy of intervals was given for them.

    Text without a hierarchy is put in order, since sets of values have no place on an axis.
    """
    part = table.project(columns)
    trees = {name: tree for name, tree in part.hierarchies.items() if not _numbers(part.domains[name])}
    texts = [domain.name for domain in part.qi_domains if domain.kind == "set"]
    if len(trees) == len(part.hierarchies) and not texts:
        return part
    frame = part.frame.astype(
        {
            name: pd.CategoricalDtype(sorted(part.domains[name].labels[: part.domains[name].known]), ordered=True)
            for name in texts
        }
    )
    schema = Schema(columns, part.schema.sensitive)
    return Microdata(frame, schema, trees, ids=part.ids, provenance=part.provenance, missing=part.missing)


def axis_of(domain: Domain) -> str:
    """What the axis of a picture says: numbers are where they are, anything else is put in order."""
    if domain.hierarchy is not None:
        return f"{domain.name} (place in its hierarchy)"
    return domain.name if domain.positions is not None else f"{domain.name} (place in the order of its values)"


def with_dates(places: pd.DataFrame, domains: Sequence[Domain]) -> pd.DataFrame:
    """Places in a picture, ``x0, x1, y0, y1``: those of dates as dates, which results and axes then show as such."""
    times = {axis: pd.DatetimeIndex(d.values).unit for axis, d in zip("xy", domains) if d.type == "dates"}
    ends = {name: times[name[0]] for name in ("x0", "x1", "y0", "y1") if name in places and name[0] in times}
    return places.assign(
        **{name: places[name].to_numpy().astype("int64").astype(f"M8[{unit}]") for name, unit in ends.items()}
    )


def _numbers(domain: Domain) -> bool:
    return domain.kind == "ordered" or pd.api.types.is_numeric_dtype(domain.dtype)


def commonest(table: Microdata) -> float:
    """The share of the commonest sensitive value."""
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
    if isinstance(size, (list, tuple)):
        return type(size)(dict.fromkeys(_times(value, factor, up=up) for value in size))
    return max(1, math.ceil(size * factor) if up else int(size * factor))


def _smallest(size: Any) -> int:
    return min(size) if isinstance(size, (list, tuple)) else size


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
