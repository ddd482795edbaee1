"""Boxes: the generalized region of each class, one column per quasi-identifier.

An ordered quasi-identifier is generalized to a low and a high code (:class:`Intervals`), one with a hierarchy to a node
(:class:`Nodes`), plain text to the set of its values (:class:`Sets`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import PPDPError
from ppdp_lab.table.domain import ORDERED, TREE, Domain
from ppdp_lab.table.keys import extremes, mark_bits
from ppdp_lab.table.labels import join


@dataclass(frozen=True)
class Intervals:
    """Low and high code per box."""

    domain: Domain
    low: np.ndarray
    high: np.ndarray

    def over(self, domain: Domain) -> Intervals:
        """The same boxes over a domain that has at least their ends."""
        new = self.domain.map_to(domain)
        return Intervals(domain, new[self.low], new[self.high])

    def take(self, rows: np.ndarray) -> Intervals:
        """The boxes at some positions."""
        return Intervals(self.domain, self.low[rows], self.high[rows])

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        return (self.low <= codes) & (codes <= self.high)

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return self.high - self.low + 1

    def extents(self) -> np.ndarray:
        """Length of each box as a share of the domain's: 0 for one value, 1 for all."""
        where = self.domain.coordinates
        span = self.domain.span
        return (where[self.high] - where[self.low]) / span if span > 0 else np.zeros(len(self.low))

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return [self.low, self.high]

    def labels(self) -> np.ndarray:
        """The boxes as text."""
        names = self.domain.labels
        pairs, inverse = _distinct([self.low, self.high])
        text = [join([names[a]] if a == b else [names[a], names[b]], self.domain) for a, b in pairs.T]
        return np.array(text, dtype=object)[inverse]


@dataclass(frozen=True)
class Nodes:
    """A hierarchy's node per box."""

    domain: Domain
    node: np.ndarray

    def over(self, domain: Domain) -> Nodes:
        """The same boxes over a domain with the same hierarchy."""
        self.domain.require_like(domain)
        return Nodes(domain, self.node)

    def take(self, rows: np.ndarray) -> Nodes:
        """The boxes at some positions."""
        return Nodes(self.domain, self.node[rows])

    @property
    def low(self) -> np.ndarray:
        """First leaf code of each box."""
        assert self.domain.hierarchy is not None
        return self.domain.hierarchy.low[self.node]

    @property
    def high(self) -> np.ndarray:
        """Last leaf code of each box."""
        assert self.domain.hierarchy is not None
        return self.domain.hierarchy.high[self.node]

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        return (self.low <= codes) & (codes <= self.high)

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return self.high - self.low + 1

    def extents(self) -> np.ndarray:
        """Leaves of each box beyond the first, as a share: 0 for a leaf, 1 for the root."""
        return (self.leaf_counts() - 1) / max(len(self.domain) - 1, 1)

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return [self.low, self.node]

    def labels(self) -> np.ndarray:
        """The boxes as text."""
        assert self.domain.hierarchy is not None
        return np.array(self.domain.hierarchy.box_labels, dtype=object)[self.node]


@dataclass(frozen=True)
class Sets:
    """A set of codes per box, one bit per code."""

    domain: Domain
    bits: np.ndarray

    def over(self, domain: Domain) -> Sets:
        """The same boxes over a domain that has at least their values."""
        members = np.zeros((len(self.bits), (len(domain) + 63) // 64 * 64), dtype=np.uint8)
        members[:, self.domain.map_to(domain)] = self.members()
        return Sets(domain, np.packbits(members, axis=1, bitorder="little").view(np.uint64))

    def take(self, rows: np.ndarray) -> Sets:
        """The boxes at some positions."""
        return Sets(self.domain, self.bits[rows])

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        word = self.bits[np.arange(len(self.bits)), codes >> 6]
        return (word >> (codes & 63).astype(np.uint64)) & np.uint64(1) != 0

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64)

    def extents(self) -> np.ndarray:
        """Values of each box beyond the first, as a share: 0 for one value, 1 for all."""
        return (self.leaf_counts() - 1) / max(len(self.domain) - 1, 1)

    def members(self) -> np.ndarray:
        """Boolean matrix, boxes by codes."""
        flat = np.unpackbits(self.bits.view(np.uint8), axis=1, bitorder="little")
        return flat[:, : len(self.domain)].astype(bool)

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return list(self.bits.T)

    def labels(self) -> np.ndarray:
        """The boxes as text."""
        names = self.domain.labels
        unique, inverse = _distinct(list(self.bits.T))
        members = Sets(self.domain, np.ascontiguousarray(unique.T)).members()
        text = [join(names[row], self.domain) for row in members]
        return np.array(text, dtype=object)[inverse]


BoxColumn = Intervals | Nodes | Sets


@dataclass(frozen=True)
class Boxes:
    """One generalized region per class: a sequence of columns, in the order of the quasi-identifiers."""

    columns: tuple[BoxColumn, ...]
    n: int

    @staticmethod
    def around(qi_codes: np.ndarray, domains: Sequence[Domain], class_of: np.ndarray, n_classes: int) -> Boxes:
        """The smallest boxes that cover the members of each class; every class must have one."""
        columns: list[BoxColumn] = []
        for codes, domain in zip(qi_codes, domains):
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
                bits = np.zeros((n_classes, (len(domain) + 63) // 64), dtype=np.uint64)
                mark_bits(class_of, codes, bits)
                columns.append(Sets(domain, bits))
        return Boxes(tuple(columns), n_classes)

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[BoxColumn]:
        return iter(self.columns)

    def __getitem__(self, i: int) -> BoxColumn:
        return self.columns[i]

    def over(self, domains: Sequence[Domain]) -> Boxes:
        """The same boxes over other domains, which have at least their values."""
        return Boxes(tuple(column.over(domain) for column, domain in zip(self.columns, domains)), self.n)

    def take(self, rows: np.ndarray) -> Boxes:
        """The boxes at some positions."""
        return Boxes(tuple(column.take(rows) for column in self.columns), len(rows))

    def covers(self, boxes: np.ndarray, qi_codes: np.ndarray) -> np.ndarray:
        """Whether box ``boxes[i]`` covers the i-th column of ``qi_codes``."""
        inside = np.ones(len(boxes), dtype=bool)
        for column, codes in zip(self.columns, qi_codes):
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


def _distinct(keys: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Distinct columns of a stack of keys, and where each column went."""
    stack = np.stack(keys)
    order = np.lexsort(keys[::-1])
    new = np.r_[True, (np.diff(stack[:, order].astype(np.uint64), axis=1) != 0).any(axis=0)][: stack.shape[1]]
    inverse = np.empty(stack.shape[1], dtype=np.int64)
    inverse[order] = np.cumsum(new) - 1
    return stack[:, order[new]], inverse
