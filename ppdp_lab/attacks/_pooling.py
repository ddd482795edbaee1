"""Compiled sums of multisets: the values of all groups that may hold a person, taken together.

Each row of these groups is as likely as any other to be the person's: the random worlds of F. Bacchus et al., "From
statistical knowledge bases to degrees of belief", Artificial Intelligence 1996, for who does not know the group.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def pool_histograms(offsets, groups, scale, cell_offsets, cell_values, cell_counts, n_values):
    """Weighted sum of the histograms of each unit's groups: (cells per unit, values, amounts), sorted by value."""
    n = offsets.shape[0] - 1
    # A bound on all cells together: a unit has no more values than its groups have cells, nor than there are values.
    n_cells = 0
    for u in range(n):
        most = 0
        for i in range(offsets[u], offsets[u + 1]):
            most += cell_offsets[groups[i] + 1] - cell_offsets[groups[i]]
        n_cells += min(most, n_values)
    lengths = np.zeros(n, dtype=np.int64)
    values = np.empty(n_cells, dtype=np.int32)
    amounts = np.empty(n_cells, dtype=np.float64)
    total = np.zeros(n_values, dtype=np.float64)
    seen = np.zeros(n_values, dtype=np.bool_)
    # The values that occur in the unit's groups, so that only their entries are cleared afterwards.
    touched = np.empty(n_values, dtype=np.int32)
    at = 0
    for u in range(n):
        n_touched = 0
        for i in range(offsets[u], offsets[u + 1]):
            g = groups[i]
            for cell in range(cell_offsets[g], cell_offsets[g + 1]):
                value = cell_values[cell]
                if not seen[value]:
                    seen[value] = True
                    touched[n_touched] = value
                    n_touched += 1
                total[value] += scale[i] * cell_counts[cell]
        touched[:n_touched].sort()
        for k in range(n_touched):
            value = touched[k]
            values[at] = value
            amounts[at] = total[value]
            total[value] = 0.0
            seen[value] = False
            at += 1
        lengths[u] = n_touched
    return lengths, values[:at], amounts[:at]
