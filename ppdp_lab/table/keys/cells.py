"""Cells: the values of several multisets, sparsely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppdp_lab.table.keys._segments import histogram_segments, mark_bits


@dataclass(frozen=True, eq=False)
class Cells:
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

    @staticmethod
    def count(groups: np.ndarray, codes: np.ndarray, n_groups: int, n_values: int) -> Cells:
        """The values of each group, from its rows."""
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
    masks = np.zeros((n_groups, max((n_values + 63) // 64, 1)), dtype=np.uint64)
    mark_bits(groups, values, masks)
    return masks
