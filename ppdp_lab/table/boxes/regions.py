"""Boxes: the generalized region of each class, one column per quasi-identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import ParameterError, PPDPError, check_integer
from ppdp_lab.registry import OneLine, cut, few_names
from ppdp_lab.table.boxes.columns import BoxColumn, Intervals, Nodes, Sets, no_sets
from ppdp_lab.table.domain import ORDERED, TREE, Domain
from ppdp_lab.table.keys import extremes, mark_bits
from ppdp_lab.table.keys.bounds import check_codes, check_columns, check_entries


@dataclass(frozen=True)
class Boxes(OneLine):
    """One generalized region per class: a sequence of columns, in the order of the quasi-identifiers."""

    columns: tuple[BoxColumn, ...]
    n: int

    def __post_init__(self) -> None:
        n = check_integer("the number of boxes", self.n, at_least=0)
        columns = tuple(check_entries("columns", self.columns))
        if not columns:
            raise ParameterError("boxes need a column for each quasi-identifier, and there is at least one of these")
        for column in columns:
            if not isinstance(column, BoxColumn):
                raise ParameterError(f"columns must be Intervals, Nodes or Sets of ppdp_lab.table, not {column!r}")
            if len(column) != n:
                raise ParameterError(
                    f"column {column.domain.name!r} has {len(column)} entries for {n} boxes; give one for each"
                )
        self.__dict__.update(columns=columns, n=n)

    @staticmethod
    def around(qi_codes: np.ndarray, domains: Sequence[Domain], class_of: np.ndarray, n_classes: int) -> Boxes:
        """The smallest boxes that cover the members of each class; every class must have one."""
        n_classes = check_integer("n_classes", n_classes, at_least=0, at_most=2**31 - 1)
        class_of = check_codes("class_of", class_of, n_classes, low=-1)
        checked = check_columns("qi_codes", qi_codes, [len(domain) for domain in domains], n=len(class_of))
        columns: list[BoxColumn] = []
        for codes, domain in zip(checked, domains):
            if domain.kind in (ORDERED, TREE):
                low = np.full(n_classes, len(domain), dtype=np.int32)
                high = np.full(n_classes, -1, dtype=np.int32)
                extremes(class_of, codes, low, high)
                if (high < 0).any():
                    raise PPDPError(f"class {int(np.argmax(high < 0))} has no member, so it has no box")
                if domain.hierarchy is not None:
                    columns.append(Nodes(domain, domain.hierarchy.lca(low, high)))
                else:
                    columns.append(Intervals(domain, low, high))
            else:
                bits = no_sets(domain, n_classes)
                mark_bits(class_of, codes, bits)
                columns.append(Sets(domain, bits))
        return Boxes(tuple(columns), n_classes)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return cut(f"<Boxes: {self.n} regions of {few_names(column.domain.name for column in self.columns)}>")

    def __iter__(self) -> Iterator[BoxColumn]:
        return iter(self.columns)

    def __getitem__(self, i: int) -> BoxColumn:
        return self.columns[i]

    def over(self, domains: Sequence[Domain]) -> Boxes:
        """The same boxes over other domains, which have at least their values."""
        domains = check_entries("domains", domains)
        if len(domains) != len(self.columns):
            raise ParameterError(f"{len(domains)} domains for {len(self.columns)} columns of boxes; give one for each")
        return Boxes(tuple(column.over(domain) for column, domain in zip(self.columns, domains)), self.n)

    def take(self, rows: np.ndarray) -> Boxes:
        """The boxes at some positions."""
        rows = check_codes("rows", rows, self.n)
        return Boxes(tuple(column.take(rows) for column in self.columns), len(rows))

    def covers(self, boxes: np.ndarray, qi_codes: np.ndarray) -> np.ndarray:
        """Whether box ``boxes[i]`` covers the i-th column of ``qi_codes``."""
        boxes = check_codes("boxes", boxes, self.n)
        sizes = [len(column.domain) for column in self.columns]
        inside = np.ones(len(boxes), dtype=bool)
        for column, codes in zip(self.columns, check_columns("qi_codes", qi_codes, sizes, n=len(boxes))):
            inside &= column.take(boxes).covers(codes)
        return inside

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys over all columns, most significant first."""
        return [key for column in self.columns for key in column.sort_keys()]

    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """Number equal boxes alike, in sorted order: (group of each box, one box of each group)."""
        keys = self.sort_keys()
        order = np.lexsort(keys[::-1]) if self.n else np.zeros(0, dtype=np.int64)
        new = np.zeros(self.n, dtype=bool)
        new[:1] = True
        for key in keys:
            new[1:] |= key[order][1:] != key[order][:-1]
        group_of = np.empty(self.n, dtype=np.int32)
        group_of[order] = np.cumsum(new) - 1
        return group_of, order[new]
