"""Clustering and its maintenance once more: on lists of plain values, with fractions, without codes or kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from plain import height, lowest_common
from strategies import ORDERED, SET, TREE, Case, Column, columns

import ppdp_lab as pl

EXACT_KINDS = ("whole", "date", "categories", "tree", "truth", "text")  # whose extents have a small common denominator
Row = tuple[Any, ...]


@st.composite
def tables(
    draw: st.DrawFn, kinds: tuple[str, ...] = EXACT_KINDS, min_rows: int = 1, max_rows: int = 24, max_quasi: int = 3
) -> Case:
    """A table with one sensitive column; rows often repeat."""
    n = draw(st.integers(min_rows, max_rows))
    quasi = [draw(columns(f"q{i}", n, kinds)) for i in range(draw(st.integers(1, max_quasi)))]
    sensitive = draw(columns("s0", n, ("text",)))
    every = [*quasi, sensitive]
    frame = {c.name: c.series for c in every}
    schema = pl.Schema([c.name for c in quasi], ["s0"])
    return Case(pd.DataFrame(frame), schema, {c.name: c for c in every})


@dataclass
class Space:
    """Extents by Definition 4 of the I3M paper, for the columns of a case."""

    columns: list[Column]
    known: dict[tuple[int, frozenset[Any]], Fraction] = field(default_factory=dict)

    def column_extent(self, j: int, values: frozenset[Any]) -> Fraction:
        if (j, values) not in self.known:
            self.known[j, values] = column_extent(self.columns[j], values)
        return self.known[j, values]

    def extent(self, rows: list[Row]) -> Fraction:
        """Loss per record of a cluster."""
        return sum((self.column_extent(j, frozenset(cells)) for j, cells in enumerate(zip(*rows))), Fraction(0))

    def loss(self, rows: list[Row]) -> Fraction:
        """IL of a cluster."""
        return len(rows) * self.extent(rows)

    def increase(self, rows: list[Row], row: Row) -> Fraction:
        return self.loss([*rows, row]) - self.loss(rows)

    def covers(self, rows: list[Row], row: Row) -> bool:
        """Definition 6: a wider generalization of numbers or a higher one of categories is a larger extent."""
        return self.extent([*rows, row]) == self.extent(rows)


def column_extent(column: Column, values: frozenset[Any]) -> Fraction:
    if column.kind == SET:
        return Fraction(len(values) > 1)
    if column.kind == TREE:
        tree = column.paths
        assert tree is not None
        node = lowest_common([tree[column.rank(value)] for value in values])
        return Fraction(height(tree, *node), max(height(tree, len(tree[0]) - 1, tree[0][-1]), 1))
    assert column.kind == ORDERED
    where = column.positions if column.positions is not None else [float(i) for i in range(len(column.values))]
    places = [Fraction(where[column.rank(value)]) for value in values]
    span = Fraction(where[-1]) - Fraction(where[0])
    return (max(places) - min(places)) / span if span else Fraction(0)


def plain_rows(case: Case, codes: np.ndarray) -> list[Row]:
    """Columns of quasi-identifier codes as tuples of the case's own values."""
    lines = []
    for column, domain, line in zip(case.quasi, case.table().qi_domains, codes):
        by_label = {str(value): value for value in column.values}
        ordered = column.kind == ORDERED
        lines.append([column.values[c] if ordered else by_label[str(domain.labels[c])] for c in line])
    return list(zip(*lines))


def least(costs: list[Fraction]) -> int:
    """Position of the first of the least costs."""
    return costs.index(min(costs))


def k_member(space: Space, rows: list[Row], left: list[int], k: int, start: int) -> list[list[int]]:
    """Greedy k-member clustering of distinct rows with multiplicities; clusters of row numbers, and no leftovers."""
    left = list(left)
    last = start
    clusters = []
    while sum(left) >= k:
        alive = [i for i, n in enumerate(left) if n]
        last = alive[least([-space.extent([rows[last], rows[i]]) for i in alive])]
        cluster = [last]
        left[last] -= 1
        while len(cluster) < k:
            if not left[last]:
                alive = [i for i, n in enumerate(left) if n]
                members = [rows[i] for i in cluster]
                last = alive[least([space.extent([*members, rows[i]]) for i in alive])]
            cluster.append(last)
            left[last] -= 1
        clusters.append(cluster)
    return clusters


@dataclass
class Clustering:
    """The clusters of I3M: lists of record names in the order in which the records came in; an empty list is a gap."""

    space: Space
    k: int
    rows: dict[Any, Row]
    turn: dict[Any, int]
    clusters: list[list[Any]]

    def values(self, c: int) -> list[Row]:
        return [self.rows[r] for r in self.clusters[c]]

    def insert(self, record: Any) -> None:
        """One step of I3M+."""
        alive = [c for c, members in enumerate(self.clusters) if members]
        best = alive[least([self.space.increase(self.values(c), self.rows[record]) for c in alive])]
        self.clusters[best].append(record)
        while len(self.clusters[best]) >= 2 * self.k:
            self.split(best)

    def split(self, c: int) -> None:
        """Split2kCluster."""
        staying, new = sorted(self.clusters[c], key=self.turn.__getitem__), []
        while len(new) < self.k:
            losses = [
                self.space.loss([self.rows[x] for x in staying if x != r])
                + self.space.loss([self.rows[x] for x in [*new, r]])
                for r in staying
            ]
            new.append(staying.pop(least(losses)))
        self.clusters[c] = staying
        self.clusters.append(new)

    def delete(self, records: list[Any]) -> None:
        """I3M-."""
        self.clusters = [[r for r in members if r not in records] for members in self.clusters]
        for c in range(len(self.clusters)):
            if len(self.clusters[c]) < self.k:
                members, self.clusters[c] = self.clusters[c], []
                for record in sorted(members, key=self.turn.__getitem__):
                    self.insert(record)

    def optimize(self) -> None:
        """IL_Optimization, Figure 3."""
        every = range(len(self.clusters))
        covered = [c for c in every if self.clusters[c] and all(self.coverers(c, r) for r in self.clusters[c])]
        for c in sorted(covered, key=lambda c: -self.space.loss(self.values(c))):
            options = {r: self.coverers(c, r) for r in self.clusters[c]}
            if not all(options.values()):
                continue
            best = {r: o[least([self.space.extent(self.values(x)) for x in o])] for r, o in options.items()}
            if sum(self.space.extent(self.values(x)) for x in best.values()) < self.space.loss(self.values(c)):
                self.clusters[c] = []
                for record, target in best.items():
                    self.clusters[target].append(record)

    def coverers(self, c: int, record: Any) -> list[int]:
        """The other clusters that cover a record of cluster c, cheapest first."""
        others = [x for x, members in enumerate(self.clusters) if members and x != c]
        found = [x for x in others if self.space.covers(self.values(x), self.rows[record])]
        return sorted(found, key=lambda x: self.space.extent(self.values(x)))

    def close_gaps(self) -> None:
        self.clusters = [members for members in self.clusters if members]

    def loss(self) -> Fraction:
        return sum((self.space.loss(self.values(c)) for c, m in enumerate(self.clusters) if m), Fraction(0))
