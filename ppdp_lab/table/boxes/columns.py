"""Columns of boxes: what one quasi-identifier is generalized to, one entry per box.

An ordered quasi-identifier is generalized to a low and a high code (:class:`Intervals`), one with a hierarchy to a node
(:class:`Nodes`), plain text to the set of its values (:class:`Sets`). All three refuse codes that their domain does not
have when they are made: what reads them indexes with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdp_lab.errors import ParameterError, SchemaError
from ppdp_lab.registry import OneLine, cut
from ppdp_lab.table.boxes.labels import OR_MISSING, join
from ppdp_lab.table.boxes.numbers import has_digits, high_text, low_text, single_text
from ppdp_lab.table.domain import Domain
from ppdp_lab.table.keys.bounds import check_codes

MOST_BYTES = 4 * 2**30  # of one column's sets
AT_ONCE = 2**26  # bytes of sets that are spread out to one byte per value, at a time


class Column(OneLine):
    """What the three kinds share."""

    domain: Domain

    def __len__(self) -> int:
        raise NotImplementedError

    def __repr__(self) -> str:
        return cut(f"<{type(self).__name__} of {self.domain.name!r}: {len(self)} boxes>")


@dataclass(frozen=True)
class Intervals(Column):
    """Low and high code per box."""

    domain: Domain
    low: np.ndarray
    high: np.ndarray

    def __post_init__(self) -> None:
        size = len(_check_domain(self.domain))
        low = check_codes(f"low codes of {self.domain.name!r}", self.low, size)
        high = check_codes(f"high codes of {self.domain.name!r}", self.high, size, n=len(low))
        if (low > high).any():
            raise ParameterError(f"an interval of {self.domain.name!r} ends before it begins; give low <= high")
        self.__dict__.update(low=low, high=high)

    @classmethod
    def _made(cls, domain: Domain, low: np.ndarray, high: np.ndarray) -> Intervals:
        """Without the checks, of ends that are known to be codes of the domain."""
        column = object.__new__(cls)
        column.__dict__.update(domain=domain, low=low, high=high)
        return column

    def __len__(self) -> int:
        return len(self.low)

    def over(self, domain: Domain) -> Intervals:
        """The same boxes over a domain that has at least their ends."""
        new = self.domain.map_to(_check_domain(domain))
        low, high = new[self.low], new[self.high]
        if min(low.min(initial=0), high.min(initial=0)) < 0:
            raise _lacking(domain)
        return Intervals(domain, low, high)

    def take(self, rows: np.ndarray) -> Intervals:
        """The boxes at some positions."""
        return Intervals._made(self.domain, self.low[rows], self.high[rows])

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        return (self.low <= codes) & (codes <= self.high)

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return self.high - self.low + 1

    def extents(self) -> np.ndarray:
        """Length of each box as a share of the known values': 0 for one value, 1 for all, missing ones or not."""
        where = self.domain.coordinates
        span = self.domain.span
        return np.minimum((where[self.high] - where[self.low]) / span, 1) if span > 0 else np.zeros(len(self.low))

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return [self.low, self.high]

    def labels(self) -> np.ndarray:
        """The boxes as text; one that takes in the missing value reads [30, 78] or (missing), 78 being the largest value."""
        names = self.domain.labels
        pairs, inverse = _distinct([self.low, self.high])
        gaps = (pairs[0] < pairs[1]) & (pairs[1] == self.domain.known)
        pairs[1] -= gaps  # from here on the ends of known values, unless the missing one stands alone
        alone = pairs[0] == self.domain.known
        if has_digits(self.domain):
            lows = {a: low_text(self.domain, a) for a in np.unique(pairs[0, ~alone]).tolist()}
            highs = {b: high_text(self.domain, b) for b in np.unique(pairs[1, ~alone]).tolist()}
            single = {a: single_text(self.domain, a) for a, b in pairs[:, ~alone].T.tolist() if a == b}
            both = [
                [names[a]] if gone else [single[a]] if a == b else [lows[a], highs[b]]
                for (a, b), gone in zip(pairs.T.tolist(), alone)
            ]
        else:
            both = [[names[a]] if a == b else [names[a], names[b]] for a, b in pairs.T]
        text = [join(ends, self.domain) + (OR_MISSING if gap else "") for ends, gap in zip(both, gaps)]
        return np.array(text, dtype=object)[inverse]


@dataclass(frozen=True)
class Nodes(Column):
    """A hierarchy's node per box."""

    domain: Domain
    node: np.ndarray

    def __post_init__(self) -> None:
        tree = _check_domain(self.domain).hierarchy
        if tree is None:
            raise ParameterError(
                f"{self.domain.name!r} has no hierarchy, so its boxes are no nodes; use Intervals or Sets"
            )
        node = check_codes(f"nodes of {self.domain.name!r}", self.node, len(tree.labels))
        self.__dict__.update(node=node)

    @classmethod
    def _made(cls, domain: Domain, node: np.ndarray) -> Nodes:
        """Without the checks, of nodes that are known to be codes of the domain."""
        column = object.__new__(cls)
        column.__dict__.update(domain=domain, node=node)
        return column

    def __len__(self) -> int:
        return len(self.node)

    def over(self, domain: Domain) -> Nodes:
        """The same boxes over a domain with the same hierarchy, in which missing values may have a leaf or not."""
        self.domain.require_like(_check_domain(domain))
        mine, other = self.domain.hierarchy, domain.hierarchy
        assert mine is not None and other is not None
        if self.domain.missing == domain.missing:
            return Nodes(domain, self.node)
        leaf = self.domain.map_to(domain)[mine.low[self.node]]  # only a box of missing values begins with a missing one
        if leaf.min(initial=0) < 0:
            raise _lacking(domain)
        return Nodes(domain, other.ancestors[mine.node_level[self.node], leaf])

    def take(self, rows: np.ndarray) -> Nodes:
        """The boxes at some positions."""
        return Nodes._made(self.domain, self.node[rows])

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
        return np.minimum((self.leaf_counts() - 1) / max(self.domain.known - 1, 1), 1)

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return [self.low, self.node]

    def labels(self) -> np.ndarray:
        """The boxes as text."""
        assert self.domain.hierarchy is not None
        return np.array(self.domain.hierarchy.box_labels, dtype=object)[self.node]


@dataclass(frozen=True)
class Sets(Column):
    """A set of codes per box, one bit per code."""

    domain: Domain
    bits: np.ndarray

    def __post_init__(self) -> None:
        size, bits = len(_check_domain(self.domain)), self.bits
        words = (size + 63) // 64
        if not isinstance(bits, np.ndarray) or bits.dtype != np.uint64 or bits.ndim != 2 or bits.shape[1] != words:
            raise ParameterError(
                f"the sets of {self.domain.name!r} must be an array of 64-bit words (uint64), {words} per box: one bit per "
                f"code of its {size}"
            )
        # The highest bit of a row's last word shows in the largest of these words.
        if size % 64 and int(bits[:, -1].max(initial=0)) >> size % 64:
            raise ParameterError(f"a set of {self.domain.name!r} has a bit beyond its {size} codes; clear it")
        self.__dict__.update(bits=np.ascontiguousarray(bits))

    @classmethod
    def _made(cls, domain: Domain, bits: np.ndarray) -> Sets:
        """Without the checks, of sets that are known to be codes of the domain."""
        column = object.__new__(cls)
        column.__dict__.update(domain=domain, bits=bits)
        return column

    def __len__(self) -> int:
        return len(self.bits)

    def over(self, domain: Domain) -> Sets:
        """The same boxes over a domain that has at least their values."""
        new, bits = self.domain.map_to(_check_domain(domain)), no_sets(domain, len(self))
        for rows, shown in self.unpacked():
            if shown[:, new < 0].any():
                raise _lacking(domain)
            members = np.zeros((len(shown), bits.shape[1] * 64), dtype=np.uint8)
            members[:, new[new >= 0]] = shown[:, new >= 0]
            bits[rows] = np.packbits(members, axis=1, bitorder="little").view(np.uint64)
        return Sets(domain, bits)

    def take(self, rows: np.ndarray) -> Sets:
        """The boxes at some positions."""
        return Sets._made(self.domain, self.bits[rows])

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        word = self.bits[np.arange(len(self.bits)), codes >> 6]
        return (word >> (codes & 63).astype(np.uint64)) & np.uint64(1) != 0

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64)

    def extents(self) -> np.ndarray:
        """Values of each box beyond the first, as a share: 0 for one value, 1 for all."""
        return np.minimum((self.leaf_counts() - 1) / max(self.domain.known - 1, 1), 1)

    def members(self) -> np.ndarray:
        """Boolean matrix, boxes by codes."""
        check_room(self.domain, len(self), bits=8)
        flat = np.unpackbits(self.bits.view(np.uint8), axis=1, bitorder="little", count=len(self.domain))
        return flat.view(bool)

    def unpacked(self) -> Iterator[tuple[slice, np.ndarray]]:
        """The matrix of :meth:`members` in pieces that need little room: which boxes, and their rows."""
        step = max(AT_ONCE // max(len(self.domain), 1), 1)
        for start in range(0, len(self), step):
            rows = slice(start, start + step)
            yield rows, Sets._made(self.domain, self.bits[rows]).members()

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return list(self.bits.T)

    def labels(self) -> np.ndarray:
        """The boxes as text."""
        names = self.domain.labels
        unique, inverse = _distinct(list(self.bits.T))
        distinct = Sets(self.domain, np.ascontiguousarray(unique.T))
        text = [join(names[row], self.domain) for _, members in distinct.unpacked() for row in members]
        return np.array(text, dtype=object)[inverse]


BoxColumn = Intervals | Nodes | Sets


def check_room(domain: Domain, n: int, *, bits: int = 1) -> None:
    """Refuse n sets of a column's values before they are made, if they would take too much memory."""
    size = n * len(domain) * bits / 8
    if size > MOST_BYTES:
        raise SchemaError(
            f"column {domain.name!r} has {len(domain):,} different values and no hierarchy: sets of them for {n:,} rows or "
            f"classes would take {size / 2**30:,.1f} GiB (rows x values), and {MOST_BYTES / 2**30:g} GiB are allowed; give the "
            f"column a hierarchy, such as Hierarchy.mask_suffix(...), or drop it"
        )


def no_sets(domain: Domain, n: int) -> np.ndarray:
    """Room for n sets of a column's values, one bit per value, all empty."""
    check_room(domain, n)
    return np.zeros((n, (len(domain) + 63) // 64), dtype=np.uint64)


def _distinct(keys: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Distinct columns of a stack of keys, and where each column went."""
    stack = np.stack(keys)
    order = np.lexsort(keys[::-1])
    new = np.r_[True, (np.diff(stack[:, order].astype(np.uint64), axis=1) != 0).any(axis=0)][: stack.shape[1]]
    inverse = np.empty(stack.shape[1], dtype=np.int64)
    inverse[order] = np.cumsum(new) - 1
    return stack[:, order[new]], inverse


def _check_domain(domain: Any) -> Domain:
    if not isinstance(domain, Domain):
        raise ParameterError(
            f"domain must be a ppdp_lab.table.Domain, such as table.domains[...], not {type(domain).__name__}"
        )
    return domain


def _lacking(domain: Domain) -> SchemaError:
    return SchemaError(f"a box of {domain.name!r} shows a value that the other domain lacks; let it grow first")
