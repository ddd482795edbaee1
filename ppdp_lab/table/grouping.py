"""The grouping kernel: classes of records with equal codes, cells of values, and hashes of both."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import ParameterError, check_integer, check_list
from ppdp_lab.table import _segments
from ppdp_lab.table._grouping import FIRST, GOLDEN, SECOND, append_digit, densify_direct, densify_hash
from ppdp_lab.table._segments import extremes as extremes
from ppdp_lab.table._segments import histogram_segments, mark_bits
from ppdp_lab.table.checks import check_codes, check_columns, check_entries, check_offsets
from ppdp_lab.text import OneLine


def mixed(numbers: np.ndarray) -> np.ndarray:
    """A hash of each number; sums of them tell sets apart (two different ones collide with probability 2**-64).

    The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).

    >>> len(np.unique(mixed(np.arange(1000))))
    1000
    """
    z = (numbers.astype(np.uint64) + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


def text_hashes(texts: Iterable[str]) -> np.ndarray:
    """A hash of each text, the same on every machine and in every process.

    >>> text_hashes(["flu", "HIV"])[0] == text_hashes(["flu"])[0]
    np.True_
    """
    digests = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def sum_hashes(class_of: np.ndarray, codes: np.ndarray, salt: int, out: np.ndarray) -> None:
    """Add a hash of each record's code to its class's entry of ``out``; class -1 is passed over.

    What comes out is a key of each class's contents that no order of records changes; ``salt`` tells several sums apart.

    >>> out = np.zeros(2, dtype=np.uint64)
    >>> sum_hashes(np.array([0, 0, 1, 1]), np.array([3, 4, 4, 3]), 1, out)
    >>> out[0] == out[1]
    np.True_
    """
    if not isinstance(out, np.ndarray) or out.dtype != np.uint64 or out.ndim != 1 or not out.flags.writeable:
        raise ParameterError("out must be an array of 64-bit words (uint64), one per class, that may be written to")
    class_of = check_codes("class_of", class_of, len(out), low=-1)
    codes = check_codes("codes", codes, 2**62, n=len(class_of))
    _segments.sum_hashes(class_of, codes, check_integer("salt", salt, at_least=0), out)


# --------------------------------------------------------------------
# The one grouping kernel: rows with equal codes get the same class number.
#
# A row's codes are packed into one 64-bit key, column by column. Where the next column would not fit, the key is first
# replaced by its dense class number, which always fits: so any number of columns can be grouped. Small key spaces are
# counted by direct addressing, others by open addressing.


_KEY_SPACE = 2**63
_DIRECT_FACTOR = 4  # direct addressing while the key space is under this many times the rows
_DIRECT_ALWAYS = 2**16
_LARGEST = 2**32  # times the number of classes, which is an int32, still within the key space


@dataclass(frozen=True)
class Grouping(OneLine):
    """Classes of equal rows, numbered in ascending order of their codes (so the order of rows plays no part).

    ``first`` is the position of one row of each class.
    """

    class_of: np.ndarray
    n_classes: int
    first: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Rows per class."""
        return np.bincount(self.class_of, minlength=self.n_classes)


def group(columns: Sequence[np.ndarray] | np.ndarray, sizes: Sequence[int]) -> Grouping:
    """Group rows by their codes.

    Parameters
    ----------
    columns : sequence of integer arrays
        One array of codes per column, all of one length; codes of column i lie in ``range(sizes[i])``.
    sizes : sequence of int
        Domain size of each column.

    Examples
    --------
    >>> g = group([np.array([1, 0, 1, 0]), np.array([2, 0, 2, 1])], [2, 3])
    >>> g.class_of.tolist(), g.n_classes, g.sizes.tolist()
    ([2, 0, 2, 1], 3, [1, 1, 2])
    """
    sizes = check_entries("sizes", sizes)
    sizes = [max(check_integer("each of sizes", size, at_least=0, at_most=_LARGEST), 1) for size in sizes]
    return group_codes(check_columns("columns", columns, sizes), sizes)


def group_codes(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> Grouping:
    """As :func:`group`, of codes whose bounds the caller has checked and of sizes from 1 on."""
    n = len(columns[0]) if len(columns) else 0
    keys = np.zeros(n, dtype=np.uint64)
    space = 1
    for column, size in zip(columns, sizes):
        if space * size > _KEY_SPACE:
            dense = densify(keys, space)
            keys = dense.class_of.astype(np.uint64)
            space = dense.n_classes
        append_digit(keys, column, size)
        space *= size
    return densify(keys, space)


def densify(keys: np.ndarray, space: int) -> Grouping:
    """Number the distinct 64-bit keys below ``space`` in ascending order."""
    n = len(keys)
    class_of = np.empty(n, dtype=np.int32)
    first = np.empty(max(n, 1), dtype=np.int32)
    if space <= max(_DIRECT_ALWAYS, _DIRECT_FACTOR * n):
        count = densify_direct(keys, max(space, 1), class_of, first[: max(min(n, space), 1)])
        return Grouping(class_of, count, first[:count].copy())
    bits = max(int(2 * n - 1).bit_length(), 4)
    count = densify_hash(keys, bits, class_of, first)
    first = first[:count]
    order = np.argsort(keys[first])
    rank = np.empty(count, dtype=np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    return Grouping(rank[class_of], count, first[order])


# --------------------------------------------------------------------
# Cells: the values of several multisets, sparsely.


_MOST = 2**31 - 1  # codes and numbers of groups are int32


@dataclass(frozen=True, eq=False)
class Cells(OneLine):
    """Values of each of several multisets: number u holds ``counts[i]`` times ``values[i]`` for
    i in ``offsets[u] : offsets[u + 1]``, ascending in value.

    >>> cells = Cells.count(np.array([0, 1, 0]), np.array([2, 0, 2]), 2, 3)
    >>> cells.values.tolist(), cells.counts.tolist(), cells.offsets.tolist()
    ([2, 0], [2, 1], [0, 1, 2])
    """

    offsets: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    n_values: int

    def __post_init__(self) -> None:
        values = check_codes("values", self.values, check_integer("n_values", self.n_values, at_least=0))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "offsets", check_offsets("offsets", self.offsets, len(values)))
        counts = check_list("counts", self.counts)
        if len(counts) != len(values):
            raise ParameterError(f"{len(counts)} counts for {len(values)} values; give one for each")
        object.__setattr__(self, "counts", counts)

    @staticmethod
    def count(groups: np.ndarray, codes: np.ndarray, n_groups: int, n_values: int) -> Cells:
        """The values of each group, from its rows."""
        groups, codes, n_groups, n_values = _checked(groups, codes, n_groups, n_values)
        order = np.argsort(groups, kind="stable")
        offsets = np.r_[0, np.cumsum(np.bincount(groups, minlength=n_groups))]
        owner, values, counts = histogram_segments(offsets, codes[order], max(n_values, 1))
        return Cells(np.r_[0, np.cumsum(np.bincount(owner, minlength=n_groups))], values, counts, n_values)

    @property
    def owner(self) -> np.ndarray:
        """The multiset of each cell."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def sizes(self) -> np.ndarray:
        """Sum of the counts of each multiset."""
        return np.bincount(self.owner, weights=self.counts, minlength=len(self.offsets) - 1)

    def masks(self) -> np.ndarray:
        """The values of each multiset as a bitset."""
        return value_masks(self.owner, self.values, len(self.offsets) - 1, self.n_values)


def value_masks(groups: np.ndarray, values: np.ndarray, n_groups: int, n_values: int) -> np.ndarray:
    """The values of each group as a bitset: one row of 64-bit words per group."""
    groups, values, n_groups, n_values = _checked(groups, values, n_groups, n_values, low=-1)
    masks = np.zeros((n_groups, max((n_values + 63) // 64, 1)), dtype=np.uint64)
    mark_bits(groups, values, masks)
    return masks


def _checked(
    groups: np.ndarray, values: np.ndarray, n_groups: int, n_values: int, *, low: int = 0
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Rows that a kernel may see: equally many groups and values, within range; group -1 only where it is passed over."""
    n_groups = check_integer("n_groups", n_groups, at_least=0, at_most=_MOST)
    n_values = check_integer("n_values", n_values, at_least=0, at_most=_MOST)
    groups = check_codes("groups", groups, n_groups, low=low)
    return groups, check_codes("values", values, n_values, n=len(groups)), n_groups, n_values
