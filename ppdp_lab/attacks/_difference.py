"""Compiled candidate sets of the difference attack, for many pairs of groups at once.

The two formulas are those of section 4 of M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms
to deal with successive queries", CIKM 2012, without and with a tracking id. Group e1 of the first release is paired with
the groups ``seconds[offsets[e1] : offsets[e1 + 1]]`` of the second, which overlap it.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def multiset_difference(
    offsets, seconds, first_offsets, first_values, first_counts, offsets2, values2, counts2, n_values
):
    """Values of ``(L - E1) & E2`` for every group E1 of the first release and every E2 of its list L in the second.

    Returns cells per pair, their values and counts, and whether each E1 really lies within its L.
    """
    # A bound on all cells together: what E2 holds is the most that can be left of it.
    n_cells = 0
    for i in range(seconds.shape[0]):
        n_cells += offsets2[seconds[i] + 1] - offsets2[seconds[i]]
    lengths = np.zeros(seconds.shape[0], dtype=np.int64)
    values = np.empty(n_cells, dtype=np.int32)
    counts = np.empty(n_cells, dtype=np.int64)
    within = np.ones(offsets.shape[0] - 1, dtype=np.bool_)
    rest = np.zeros(n_values, dtype=np.int64)
    at = 0
    for e1 in range(offsets.shape[0] - 1):
        # rest = L - E1 as a multiset: with insertions only, everybody of E1 is still somewhere in L, so these are
        # newcomers.
        rest[:] = 0
        for i in range(offsets[e1], offsets[e1 + 1]):
            for cell in range(offsets2[seconds[i]], offsets2[seconds[i] + 1]):
                rest[values2[cell]] += counts2[cell]
        for cell in range(first_offsets[e1], first_offsets[e1 + 1]):
            rest[first_values[cell]] -= first_counts[cell]
            # A value that L has less often than E1: somebody is gone, and the formula does not apply.
            if rest[first_values[cell]] < 0:
                within[e1] = False
        for i in range(offsets[e1], offsets[e1 + 1]):
            for cell in range(offsets2[seconds[i]], offsets2[seconds[i] + 1]):
                # Multiset intersection with E2; a negative rest counts as none.
                count = min(rest[values2[cell]], counts2[cell])
                if count > 0:
                    values[at] = values2[cell]
                    counts[at] = count
                    lengths[i] += 1
                    at += 1
    return lengths, values[:at], counts[:at], within


@njit(nogil=True, cache=True)
def tracked_difference(offsets, seconds, row_offsets, row_values, row_came_from, n_values):
    """Values of ``E2 - E1`` for every pair, rows being the same if they have the same pseudonym.

    ``row_came_from`` is the first release's group of the pseudonym of each row of the second, -1 for a new one.
    """
    n_cells = 0
    for i in range(seconds.shape[0]):
        n_cells += min(row_offsets[seconds[i] + 1] - row_offsets[seconds[i]], n_values)
    lengths = np.zeros(seconds.shape[0], dtype=np.int64)
    values = np.empty(n_cells, dtype=np.int32)
    counts = np.empty(n_cells, dtype=np.int64)
    held = np.zeros(n_values, dtype=np.int64)
    at = 0
    for e1 in range(offsets.shape[0] - 1):
        for i in range(offsets[e1], offsets[e1 + 1]):
            begin, end = row_offsets[seconds[i]], row_offsets[seconds[i] + 1]
            for row in range(begin, end):
                if row_came_from[row] != e1:
                    held[row_values[row]] += 1
            for row in range(begin, end):  # rows of a group are sorted by value, so cells come out sorted
                value = row_values[row]
                if held[value] > 0:
                    values[at] = value
                    counts[at] = held[value]
                    held[value] = 0
                    lengths[i] += 1
                    at += 1
    return lengths, values[:at], counts[:at]
