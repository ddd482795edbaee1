"""Random releases, described beside the package in plain lists so that plain code can judge what metrics make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from plain import lowest_common, smallest_box
from strategies import Case, Column, cases

import ppdp_lab as pl
from ppdp_lab.metrics.loss import everything
from ppdp_lab.metrics.queries import Queries
from ppdp_lab.release import Counterfeits
from ppdp_lab.table import Boxes


@dataclass
class Row:
    """A record or a counterfeit: values, class (-1: suppressed), and whether nobody asked for it."""

    qi: list[Any]
    sensitive: list[Any]
    cls: int
    dirty: bool = False


@dataclass
class Cover:
    """The box of a class along one attribute: the values in it, and the node where there is a tree."""

    column: Column
    values: list[Any]
    node: tuple[int, str] | None = None

    @staticmethod
    def around(column: Column, cells: list[Any]) -> Cover:
        node = None
        if column.paths is not None:
            node = lowest_common([column.paths[rank] for rank in sorted({column.rank(v) for v in cells})])
        return Cover(column, smallest_box(column, pd.Series(cells, dtype=object)), node)

    @staticmethod
    def whole(column: Column) -> Cover:
        node = None if column.paths is None else (len(column.paths[0]) - 1, column.paths[0][-1])
        return Cover(column, list(column.values), node)

    @property
    def length(self) -> float:
        """From the lowest to the highest value, by position if there is one."""
        ranks = [self.column.rank(v) for v in self.values]
        where = ranks if self.column.positions is None else [self.column.positions[rank] for rank in ranks]
        return float(max(where) - min(where))


@dataclass
class World:
    """A release and all that plain code needs to know of it."""

    case: Case
    release: pl.Release
    rows: list[Row]
    fakes: list[Row]
    boxes: list[list[Cover]]

    @property
    def anatomized(self) -> bool:
        return self.release.style == "anatomized"

    def members(self, cls: int) -> list[Row]:
        return [row for row in self.rows if row.cls == cls]

    def invented(self, cls: int) -> list[Row]:
        return [row for row in self.fakes if row.cls == cls]

    def spans(self, rows: list[Row]) -> list[Cover]:
        """What some records span, per attribute."""
        return [Cover.around(column, [row.qi[i] for row in rows]) for i, column in enumerate(self.case.quasi)]


def build(
    case: Case,
    classes: list[int],
    *,
    fakes: list[tuple[int, list[Any], list[Any]]] = [],  # noqa: B006
    style: str = "generalized",
    grouped: bool = False,
    widened: list[int] = [],  # noqa: B006
    dirty: list[int] = [],  # noqa: B006
) -> World:
    """A world from class numbers, counterfeits (class, quasi-identifiers, sensitive), and columns generalized to all."""
    table = case.table()
    dense = {c: i for i, c in enumerate(sorted({c for c in [*classes, *(f[0] for f in fakes)] if c >= 0}))}
    quasi, sensitive = case.quasi, case.sensitive
    frame = case.frame
    rows = [
        Row(
            [frame[c.name].tolist()[i] for c in quasi],
            [frame[c.name].tolist()[i] for c in sensitive],
            dense.get(c, -1),
            i in dirty,
        )
        for i, c in enumerate(classes)
    ]
    invented = [Row(qi, values, dense[c]) for c, qi, values in fakes]

    def coded(columns: list[Column], part: str) -> np.ndarray:
        codes = [[table.domains[c.name].code_of(getattr(f, part)[i]) for f in invented] for i, c in enumerate(columns)]
        return np.array(codes, dtype=np.int32).reshape(len(columns), len(invented))

    counterfeits = Counterfeits(
        np.array([f.cls for f in invented], dtype=np.int32), coded(sensitive, "sensitive"), coded(quasi, "qi")
    )
    class_of = np.array([row.cls for row in rows])
    boxes = None
    if widened and dense:
        tight = pl.Release(table, class_of, counterfeits=counterfeits).boxes
        columns = list(tight.columns)
        for i in widened:
            columns[i] = everything(table.qi_domains[i]).take(np.zeros(len(dense), dtype=int))
        boxes = Boxes(tuple(columns), len(dense))
    release = pl.Release(
        table,
        class_of,
        boxes,
        style=style,
        grouped=grouped,
        counterfeits=counterfeits,
        dirty=[table.ids[i] for i in dirty],
    )
    covers = []
    for cls in range(len(dense)):
        inside = [row for row in rows + invented if row.cls == cls]
        covers.append(
            [
                Cover.whole(column) if i in widened else Cover.around(column, [row.qi[i] for row in inside])
                for i, column in enumerate(quasi)
            ]
        )
    return World(case, release, rows, invented, covers)


@st.composite
def worlds(
    draw: st.DrawFn,
    *,
    suppressed: bool = True,
    counterfeits: bool = True,
    anatomized: bool = True,
    widened: bool = True,
    dirty: bool = True,
    joined: bool = False,
    max_rows: int = 12,
) -> World:
    """A release of a random table: some records suppressed, some invented, some boxes wider than they need be.

    ``joined``: there are counterfeits, and each of them is among real records.
    """
    case = draw(cases(max_rows=max_rows))
    n = len(case.frame)
    classes = draw(st.lists(st.integers(-1 if suppressed else 0, 4), min_size=n, max_size=n))
    fakes = []
    if joined:
        classes[0] = max(classes[0], 0)
    if counterfeits:
        where = st.sampled_from(sorted({c for c in classes if c >= 0})) if joined else st.integers(0, 5)
        for _ in range(draw(st.integers(int(joined), 4))):
            row = [
                [draw(st.sampled_from(c.values)) for c in columns] for columns in (case.quasi, case.sensitive)
            ]  # values that the domain has, if perhaps no record
            fakes.append((draw(where), *row))
    style = draw(st.sampled_from(["generalized", "anatomized"])) if anatomized else "generalized"
    wide = draw(st.lists(st.integers(0, len(case.quasi) - 1), unique=True)) if widened and draw(st.booleans()) else []
    extra = draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n - 1)) if dirty and draw(st.booleans()) else []
    return build(case, classes, fakes=fakes, style=style, grouped=draw(st.booleans()), widened=wide, dirty=extra)


@dataclass
class Asked:
    """Queries of the package, and the values that each selects per attribute."""

    queries: Queries
    plain: list[dict[str, list[Any]]]


@st.composite
def asked(draw: st.DrawFn, case: Case, most: int = 6) -> Asked:
    """Random queries: on some attributes a random set of values."""
    plain = []
    for _ in range(draw(st.integers(1, most))):
        plain.append(
            {
                name: draw(st.lists(st.sampled_from(c.values), min_size=1, unique=True))
                for name, c in case.columns.items()
                if draw(st.booleans())
            }
        )
    return Asked(Queries.of(case.table(), plain), plain)
