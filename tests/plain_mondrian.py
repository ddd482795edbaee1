"""Mondrian once more: depth first, on lists of rows and plain values, without codes or kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pandas as pd
from plain import below, lowest_common, satisfies
from strategies import ORDERED, TREE, Case, Column

from ppdp_lab.principles import Principle

Rows = list[int]


def partition(case: Case, rule: Principle, *, strict: bool, cut: str, choose: str, order: Rows) -> list[Rows]:
    """The classes, as lists of row positions; ``order`` says which of equal records comes first in a relaxed cut."""
    rows = list(order)
    widest = [width(column, rows) for column in case.quasi]
    classes: list[Rows] = []

    def score(number: int, part: Rows) -> float:
        column = case.quasi[number]
        if choose == "widest":
            return max(width(column, part) / widest[number], 1e-300)
        if choose == "distinct":
            return len(set(column.series.iloc[part]))
        parts = next(cuts(column, part, strict, "median"))
        return min(map(len, parts)) if all(parts) else 0.5

    def walk(part: Rows) -> None:
        varied = [i for i, column in enumerate(case.quasi) if len(set(column.series.iloc[part])) > 1]
        for number in sorted(varied, key=lambda i: -score(i, part)):  # stable: ties go to the first attribute
            for parts in cuts(case.quasi[number], part, strict, cut):
                if all(parts) and all(satisfies(rule, case.frame.iloc[p], case) for p in parts):
                    for p in parts:
                        walk(p)
                    return
        classes.append(part)

    walk(rows)
    return classes


def code(column: Column, row: int) -> int:
    value = column.series.iloc[row]
    if column.kind == TREE:
        hierarchy = column.hierarchy()
        assert hierarchy is not None
        return int(hierarchy.encode([value])[0])
    return column.rank(value)


def width(column: Column, part: Rows) -> float:
    values = set(column.series.iloc[part])
    if column.kind == TREE:
        assert column.paths is not None
        node = lowest_common([column.paths[column.rank(value)] for value in values])
        return len(below(column.paths, *node)) - 1
    ranks = [column.rank(value) for value in values]
    if column.kind == ORDERED:
        where = column.positions or [float(i) for i in range(len(column.values))]
        return where[max(ranks)] - where[min(ranks)]
    return len(values) - 1


def cuts(column: Column, part: Rows, strict: bool, cut: str) -> Iterator[list[Rows]]:
    """The ways to cut a partition along a column, in the order in which they are tried."""
    cell = {row: column.series.iloc[row] for row in part}
    if column.kind == TREE:
        assert column.paths is not None
        path = {row: column.paths[column.rank(cell[row])] for row in part}
        level, _ = lowest_common([column.paths[column.rank(value)] for value in set(cell.values())])
        children = dict.fromkeys(path[row][level - 1] for row in part)
        yield [[row for row in part if path[row][level - 1] == child] for child in children]
        return
    rank = {row: column.rank(cell[row]) for row in part}
    median = sorted(rank.values())[(len(part) + 1) // 2 - 1]
    if strict:
        yield [[r for r in part if rank[r] <= median], [r for r in part if rank[r] > median]]
        if cut == "median-or-below":
            yield [[r for r in part if rank[r] < median], [r for r in part if rank[r] >= median]]
    else:
        room = len(part) // 2 - sum(rank[r] < median for r in part)
        fills = set([r for r in part if rank[r] == median][:room])
        left = [r for r in part if rank[r] < median or r in fills]
        yield [left, [r for r in part if r not in set(left)]]


def contents(frame: pd.DataFrame, classes: list[Rows]) -> Counter[tuple[tuple[str, ...], ...]]:
    """Classes by what their records hold: equal records are interchangeable."""
    return Counter(tuple(sorted(tuple(map(str, frame.iloc[row])) for row in rows)) for rows in classes)
