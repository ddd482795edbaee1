"""Signatures of m-invariance: how they are kept in mind, how buckets are split, how a finished release is checked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ppdp_lab.errors import BrokenRuleError
from ppdp_lab.release import Release
from ppdp_lab.republish.buckets._split import counting_sort, split_buckets
from ppdp_lab.republish.memory import Stored, fresh_pseudonyms
from ppdp_lab.table import Domain

BEGINS, VALUES = "signature_begins", "signature_values"


class Signatures:
    """The signatures in use, numbered in the order in which they came up: sorted sets of value codes."""

    def __init__(self, begins: np.ndarray, values: np.ndarray, n_values: int) -> None:
        self.n_values = n_values
        self._sets = [tuple(values[a:b].tolist()) for a, b in pairwise(begins)]
        self._number = {signature: i for i, signature in enumerate(self._sets)}
        self._holds = np.zeros((0, n_values), dtype=bool)

    @classmethod
    def remembered(cls, memory: dict[str, np.ndarray], n_values: int) -> Signatures:
        """Those of the releases before; none before the first."""
        return cls(memory[BEGINS], memory[VALUES], n_values)

    def remember(self, memory: dict[str, np.ndarray]) -> None:
        """Write them to a publisher's memory."""
        memory[BEGINS] = np.cumsum([0, *map(len, self._sets)]).astype(np.int64)
        memory[VALUES] = np.array([value for signature in self._sets for value in signature], dtype=np.int32)

    def number(self, values: np.ndarray) -> int:
        """Number of a signature, given as sorted codes; a new one if it never came up."""
        signature = tuple(values.tolist())
        if signature not in self._number:
            self._number[signature] = len(self._sets)
            self._sets.append(signature)
        return self._number[signature]

    def __len__(self) -> int:
        return len(self._sets)

    def __getitem__(self, number: int) -> tuple[int, ...]:
        return self._sets[number]

    @property
    def holds(self) -> np.ndarray:
        """Boolean matrix: which signature holds which value."""
        known = len(self._holds)
        if known < len(self):
            more = np.zeros((len(self) - known, self.n_values), dtype=bool)
            for row, signature in zip(more, self._sets[known:]):
                row[list(signature)] = True
            self._holds = np.concatenate([self._holds, more])
        return self._holds


def bucket_matrix(bucket: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Records per bucket and value; bucket -1 is passed over."""
    cells = bucket.astype(np.int64) * shape[1] + values
    return np.bincount(cells[bucket >= 0], minlength=shape[0] * shape[1]).reshape(shape)


def canonical(rows: np.ndarray, columns: list[np.ndarray], sizes: list[int]) -> np.ndarray:
    """Rows sorted by their codes, first column first."""
    order = rows
    for column, size in zip(columns[::-1], sizes[::-1]):
        order = counting_sort(order, column, size)
    return order


def split(
    bucket: np.ndarray,
    values: np.ndarray,
    n_values: int,
    qi: np.ndarray,
    domains: tuple[Domain, ...],
    tie_order: np.ndarray,
) -> np.ndarray:
    """Class of each record after every bucket was cut into groups of one record per value; bucket -1 stays -1.

    ``tie_order`` holds all positions in the order that chance has drawn: it decides between records that are equal here.
    """
    rows = tie_order[bucket[tie_order] >= 0]
    class_of = np.full(len(bucket), -1, dtype=np.int32)
    n_buckets = int(bucket.max(initial=-1)) + 1
    cells = bucket.astype(np.int64) * n_values + values
    base = canonical(rows, list(qi), [len(domain) for domain in domains])
    orders = np.empty((len(domains), len(rows)), dtype=np.int64)
    where = np.zeros((len(domains), max(map(len, domains))))
    for b, domain in enumerate(domains):
        orders[b] = counting_sort(counting_sort(base, qi[b], len(domain)), cells, n_buckets * n_values)
        where[b, : len(domain)] = places(domain)
    matrix = bucket_matrix(bucket, values, (n_buckets, n_values))
    sizes = matrix.sum(axis=1)
    filled = sizes > 0
    begins = np.r_[0, np.cumsum(sizes[filled])]
    split_buckets(orders, begins, np.count_nonzero(matrix, axis=1)[filled], np.ascontiguousarray(qi.T), where, class_of)
    return class_of


def places(domain: Domain) -> np.ndarray:
    """Place of each code on a line of length 1: by number where values have one, else by code."""
    line = domain.coordinates if domain.kind == "ordered" else np.arange(len(domain), dtype=float)
    length = line[-1] - line[0] if len(line) else 0.0
    return (line - line[0]) / length if length > 0 else np.zeros(len(domain))


def check_unique(release: Release, m: int, *, fine: bool) -> np.ndarray:
    """The value set of each class, as one number, counted anew from the release; BrokenRuleError if it is not m-unique.

    Fine classes must hold at least m values, each once. Merged ones must hold at least m values, all equally often.
    """
    histogram = release.counts().histogram()
    few = histogram.distinct < m
    most = histogram.max(histogram.counts)
    uneven = (most > 1 if fine else np.zeros_like(few)) | (most * histogram.distinct != histogram.sizes)
    bad = np.flatnonzero(few | uneven)
    if len(bad):
        rule = f"at least {m} values, each {'once' if fine else 'equally often'}"
        raise BrokenRuleError(
            f"the release is withheld: {len(bad)} class(es) do not hold {rule}, such as class {bad[0]} with "
            f"{histogram.words(bad[0])}"
        )
    return set_hashes(histogram.domain, histogram.values, histogram.offsets)


def check_unmoved(release: Release, sets: np.ndarray, persons: np.ndarray, seen: np.ndarray) -> None:
    """BrokenRuleError if anybody stands among other values than before; else note, in ``seen``, where they stand now.

    ``sets`` are the numbers that :func:`check_unique` gives to classes, ``seen`` the last one of each person, 0 if none.
    """
    shown = release.class_of >= 0
    now = sets[release.class_of[shown]]
    before = seen[persons[shown]]
    moved = (before != 0) & (before != now)
    if moved.any():
        raise BrokenRuleError(
            f"the release is withheld: {int(moved.sum())} record(s) stand among other values than before"
        )
    seen[persons[shown]] = now


def set_hashes(domain: Domain, values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """A number for each set of values: the sum of hashes of their texts, so that codes may change. 0 stands for no set."""
    if len(offsets) < 2:
        return np.zeros(0, dtype=np.uint64)
    return np.add.reduceat(domain.hashes[values], offsets[:-1])


# --------------------------------------------------------------------
# The counterfeits of a series: kept, dropped and invented from release to release.


BUCKET, VALUE, ENTERED, NUMBER, QI, NAME, MADE = (
    "fake_bucket",
    "fake_value",
    "fake_entered",
    "fake_number",
    "fake_qi",
    "fake_pseudonym",
    "fakes_made",
)
_EACH = (BUCKET, VALUE, ENTERED, NUMBER, QI, NAME)

LAYOUT = {
    BUCKET: Stored(np.int32, "counterfeit", low=0, high="signature"),
    VALUE: Stored(np.int32, "counterfeit", codes="sensitive"),
    ENTERED: Stored(np.int32, "counterfeit", low=1, high="release"),  # the release that it came with, counted from 1
    NUMBER: Stored(np.int64, "counterfeit", low=0, high=2**62),
    QI: Stored(np.int32, "counterfeit", rows="qi", codes="qi"),
    NAME: Stored(np.int64, "counterfeit", low=0),  # its pseudonym: a reader who follows rows must not see it stand out
    MADE: Stored(np.int64, length=1, low=0, high=2**62),  # how many were ever made
}
"""What a publisher remembers of the counterfeits that are published now."""


def keep(memory: dict[str, np.ndarray], which: np.ndarray) -> None:
    """Keep the counterfeits of a mask and drop the others."""
    for name in _EACH:
        memory[name] = memory[name][..., which]


def keep_needed(memory: dict[str, np.ndarray], needed: np.ndarray) -> np.ndarray:
    """Keep at most ``needed`` counterfeits per bucket and value; what is then still to be made."""
    cells = memory[BUCKET].astype(np.int64) * needed.shape[1] + memory[VALUE]
    order = np.argsort(cells, kind="stable")
    rank = np.empty(len(cells), dtype=np.int64)
    rank[order] = np.arange(len(cells)) - np.searchsorted(cells[order], cells[order])
    kept = rank < needed.ravel()[cells]
    keep(memory, kept)
    return needed - np.bincount(cells[kept], minlength=needed.size).reshape(needed.shape)


def invent(
    memory: dict[str, np.ndarray],
    wanted: np.ndarray,
    release: int,
    bucket: np.ndarray,
    qi: np.ndarray,
    rng: np.random.Generator,
    taken: np.ndarray,
) -> None:
    """Add ``wanted`` counterfeits per bucket and value, as of a release counted from 1.

    ``bucket`` and ``qi`` are those of the records to be published, ``taken`` the pseudonyms that are in use. Each
    quasi-identifier of a counterfeit is that of a random member of its bucket, drawn for each anew. So every code occurs in
    the bucket, but together they are one member's own only by chance, or where the bucket leaves no choice. The order of the
    records plays no part.
    """
    cells = np.repeat(np.arange(wanted.size), wanted.ravel())
    where, value = np.divmod(cells, wanted.shape[1])
    drawn = of_members(where, bucket, qi, rng)
    more = {
        BUCKET: where,
        VALUE: value,
        ENTERED: np.full(len(cells), release),
        NUMBER: memory[MADE][0] + np.arange(len(cells)),
        QI: drawn,
        NAME: fresh_pseudonyms(len(cells), np.concatenate([taken, memory[NAME]])),
    }
    for name, codes in more.items():
        memory[name] = np.concatenate([memory[name], codes.astype(memory[name].dtype)], axis=-1)
    memory[MADE] = memory[MADE] + len(cells)


def of_members(where: np.ndarray, bucket: np.ndarray, qi: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Quasi-identifiers for a counterfeit in each bucket of ``where``, each drawn anew from a random member of the bucket."""
    if not len(where):
        return np.zeros((len(qi), 0), dtype=np.int32)
    growing = np.zeros(
        int(max(bucket.max(), where.max())) + 2, dtype=bool
    )  # the last entry is for records in no bucket
    growing[where] = True
    columns = [bucket, *qi]
    members = canonical(np.flatnonzero(growing[bucket]), columns, [int(c.max()) + 1 for c in columns])
    low = np.searchsorted(bucket[members], where, side="left")
    high = np.searchsorted(bucket[members], where, side="right")
    return np.take_along_axis(qi, members[rng.integers(low, high, size=(len(qi), len(where)))], axis=1)
