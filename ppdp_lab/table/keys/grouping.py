"""The one grouping kernel: rows with equal codes get the same class number.

A row's codes are packed into one 64-bit key, column by column. Where the next column would not fit, the key is first
replaced by its dense class number, which always fits: so any number of columns can be grouped. Small key spaces are
counted by direct addressing, others by open addressing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import check_integer
from ppdp_lab.registry import OneLine
from ppdp_lab.table.keys._grouping import append_digit, densify_direct, densify_hash
from ppdp_lab.table.keys.bounds import check_columns, check_entries

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
