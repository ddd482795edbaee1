"""Random tables and rules, described beside the package so that plain code can judge what the package makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import pandas as pd
from hypothesis import strategies as st

import ppdp_lab as pl

ORDERED, SET, TREE = "ordered", "set", "tree"
WORDS = ["flu", "cold", "a", "b", "a, b", "b, c", "{a, b}", '"a"', "x .. y", "[x .. y]", "x", "y", "0", "émile"]


@dataclass
class Column:
    """One column: its values in the order of their domain, and the tree above them where there is one."""

    name: str
    kind: str
    series: pd.Series
    values: list[Any]
    positions: list[float] | None = None
    paths: list[list[str]] | None = None  # per value: its label on each level, the value's own text first

    def rank(self, value: Any) -> int:
        return self.values.index(value)

    def hierarchy(self) -> pl.Hierarchy | None:
        return None if self.paths is None else pl.Hierarchy(self.paths)


@dataclass
class Case:
    """A random table: the frame, its roles, and what is known of each column."""

    frame: pd.DataFrame
    schema: pl.Schema
    columns: dict[str, Column]

    @property
    def quasi(self) -> list[Column]:
        return [self.columns[name] for name in self.schema.quasi_identifiers]

    @property
    def sensitive(self) -> list[Column]:
        return [self.columns[name] for name in self.schema.sensitive]

    @property
    def hierarchies(self) -> dict[str, pl.Hierarchy]:
        return {c.name: h for c in self.columns.values() if (h := c.hierarchy()) is not None}

    def table(self, rows: list[int] | None = None, ids: Any = None) -> pl.Microdata:
        """The table, with rows and ids in another order if told so."""
        frame = self.frame if rows is None else self.frame.iloc[rows]
        return pl.Microdata(frame, self.schema, self.hierarchies, ids=ids)


@st.composite
def trees(draw: st.DrawFn, max_leaves: int = 7, max_height: int = 4) -> list[list[str]]:
    """Rows leaf, level 1, ..., root of a random tree: even or uneven, with chains, with inner labels that repeat a leaf's."""
    n = draw(st.integers(1, max_leaves))
    rows = [[leaf] for leaf in draw(st.permutations([f"v{i}" for i in range(n)]))]
    blocks = [[i] for i in range(n)]
    for level in range(1, draw(st.integers(1, max_height))):
        merge = draw(st.lists(st.booleans(), min_size=len(blocks) - 1, max_size=len(blocks) - 1))
        merged = [blocks[0]]
        for block, joins in zip(blocks[1:], merge):
            if joins:
                merged[-1] = merged[-1] + block
            else:
                merged.append(block)
        blocks = merged
        for number, block in enumerate(blocks):
            label = rows[block[0]][0] if draw(st.booleans()) else f"level {level}, {number}"
            for leaf in block:
                rows[leaf].append(label)
    for row in rows:
        row.append("*")
    return draw(st.permutations(rows))


def codes(n: int, size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, size - 1), min_size=n, max_size=n)


@st.composite
def columns(draw: st.DrawFn, name: str, n: int, kinds: tuple[str, ...]) -> Column:
    """A column of n cells."""
    kind = draw(st.sampled_from(kinds))
    if kind in ("whole", "real", "date"):
        pool: list[Any] = sorted(set(draw(st.lists(st.integers(-20, 60), min_size=1, max_size=8))))
        if kind == "real":
            pool = [v / 8 for v in pool]
        elif kind == "date":
            pool = [pd.Timestamp("2020-02-20") + pd.Timedelta(hours=12 * v) for v in pool]
        cells = [pool[c] for c in draw(codes(n, len(pool)))]
        values = sorted(set(cells))
        where = [float(v.value) if kind == "date" else float(v) for v in values]
        return Column(name, ORDERED, pd.Series(cells, name=name), values, positions=where)
    if kind == "categories":
        values = draw(st.permutations(WORDS))[: draw(st.integers(1, 6))]
        dtype = pd.CategoricalDtype(values, ordered=True)
        cells = [values[c] for c in draw(codes(n, len(values)))]
        return Column(name, ORDERED, pd.Series(cells, name=name, dtype=dtype), list(values))
    if kind == "tree":
        rows = draw(trees())
        order = [path[0] for path in rows]
        cells = [order[c] for c in draw(codes(n, len(order)))]
        return Column(name, TREE, pd.Series(cells, name=name), order, paths=rows)
    if kind == "truth":
        cells = [bool(c) for c in draw(codes(n, 2))]
        return Column(name, SET, pd.Series(cells, name=name), sorted(set(cells)))
    pool = draw(st.permutations(WORDS))[: draw(st.integers(1, 7))]
    cells = [pool[c] for c in draw(codes(n, len(pool)))]
    return Column(name, SET, pd.Series(cells, name=name), sorted(set(cells)))


QUASI_KINDS = ("whole", "real", "date", "categories", "tree", "truth", "text")
SENSITIVE_KINDS = ("whole", "categories", "tree", "text")


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 30, max_quasi: int = 3, max_sensitive: int = 2) -> Case:
    """A table of up to ``max_rows`` records, with one or more sensitive columns and sometimes a name column."""
    n = draw(st.integers(1, max_rows))
    quasi = [draw(columns(f"q{i}", n, QUASI_KINDS)) for i in range(draw(st.integers(1, max_quasi)))]
    sensitive = [draw(columns(f"s{i}", n, SENSITIVE_KINDS)) for i in range(draw(st.integers(1, max_sensitive)))]
    every = quasi + sensitive
    frame = pd.DataFrame({c.name: c.series for c in every})
    identifiers = []
    if draw(st.booleans()):
        identifiers = ["name"]
        frame["name"] = [f"person {i}" for i in range(n)]
    schema = pl.Schema([c.name for c in quasi], [c.name for c in sensitive], identifiers)
    return Case(frame, schema, {c.name: c for c in every})


@st.composite
def simple_rules(draw: st.DrawFn, case: Case) -> pl.principles.Principle:
    """One principle that fits the table's sensitive columns."""
    column = draw(st.sampled_from(case.sensitive))
    about = {"attribute": column.name}
    families = ["k", "distinct", "entropy", "recursive", "alpha", "t"]
    if len(case.sensitive) > 1:
        families.append("multi")
    family = draw(st.sampled_from(families))
    if family == "k":
        return pl.KAnonymity(draw(st.integers(1, 6)))
    if family == "distinct":
        return pl.DistinctLDiversity(draw(st.integers(1, 3)), **about)
    if family == "entropy":
        return pl.EntropyLDiversity(draw(st.sampled_from([1, 1.3, 1.8, 2, 2.5, 3])), **about)
    if family == "recursive":
        c = draw(st.sampled_from([0.4, 1, 1.1, 2, 3]))
        return pl.RecursiveCLDiversity(c, draw(st.integers(1, 3)), **about)
    if family == "alpha":
        values = draw(st.none() | st.lists(st.sampled_from(column.values), min_size=1, max_size=2, unique=True))
        alpha = draw(st.sampled_from([0.3, 0.5, 0.6, 0.7, 1]))
        return pl.AlphaKAnonymity(alpha, draw(st.integers(1, 4)), values=values, **about)
    if family == "multi":
        return pl.MultiAttributeLDiversity(draw(st.integers(1, 2)))
    distances = {ORDERED: ["equal", "ordered"], TREE: ["equal", "hierarchical"], SET: ["equal"]}[column.kind]
    t = draw(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0]))
    return pl.TCloseness(t, distance=draw(st.sampled_from(distances)), **about)


@st.composite
def rules(draw: st.DrawFn, case: Case, most: int = 3) -> pl.principles.Principle:
    """One principle or a composition."""
    return reduce(and_, draw(st.lists(simple_rules(case), min_size=1, max_size=most)))


@st.composite
def gapped(draw: st.DrawFn, max_rows: int = 16, **sizes: int) -> tuple[Case, pl.Microdata]:
    """A random table without gaps, and the same one with some cells missing; at least one of each column is left."""
    case = draw(cases(max_rows=max_rows, **sizes))
    frame = case.frame.copy()
    for name in case.columns:
        gone = draw(st.lists(st.integers(0, len(frame) - 1), max_size=len(frame) - 1, unique=True))
        frame[name] = frame[name].mask(frame.index.isin(gone))
    missing = draw(st.sampled_from(["value", "category"]))
    return case, pl.Microdata(frame, case.schema, case.hierarchies, missing=missing)
