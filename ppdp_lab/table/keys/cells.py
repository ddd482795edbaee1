"""Cells: the values of several multisets, sparsely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import ParameterError, check_integer, check_list
from ppdp_lab.registry import OneLine
from ppdp_lab.table.keys._segments import histogram_segments, mark_bits
from ppdp_lab.table.keys.bounds import check_codes, check_offsets

_LARGEST = 2**31 - 1  # codes and numbers of groups are int32


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
    n_groups = check_integer("n_groups", n_groups, at_least=0, at_most=_LARGEST)
    n_values = check_integer("n_values", n_values, at_least=0, at_most=_LARGEST)
    groups = check_codes("groups", groups, n_groups, low=low)
    return groups, check_codes("values", values, n_values, n=len(groups)), n_groups, n_values
