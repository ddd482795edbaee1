"""Compiled intersection of multisets along histories.

Who is in a group of every release, with a value that stays the same, has a value that all these groups hold; a record that
may be theirs in all of them is counted at most as often as in the group that holds its value the least often. These are the
candidates of the intersection attack without pseudonyms, section 4 of M. Barbosa, A. Pinto, B. Gomes, "Generically extending
anonymization algorithms to deal with successive queries", CIKM 2012.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def common_counts(history, offsets, values, counts, n_values):
    """Multiset intersection of the histograms along each history: (cells per history, values, least counts).

    Row c of ``history`` lists unit numbers, -1 where there is none; unit u owns cells ``offsets[u] : offsets[u + 1]``.
    """
    n = history.shape[0]
    n_cells = 0
    for c in range(n):
        # An intersection has no more values than the shortest of its histograms.
        least = n_values
        for r in range(history.shape[1]):
            u = history[c, r]
            if u >= 0:
                least = min(least, offsets[u + 1] - offsets[u])
        n_cells += least
    lengths = np.zeros(n, dtype=np.int64)
    out_values = np.empty(n_cells, dtype=np.int32)
    out_counts = np.empty(n_cells, dtype=np.int64)
    least_count = np.zeros(n_values, dtype=np.int64)
    # met[value]: how many releases of the history in a row, from its first on, had the value. Who misses one is never
    # counted on, so at the end only values that all of them hold have met == releases.
    met = np.zeros(n_values, dtype=np.int32)
    at = 0
    for c in range(n):
        releases, opening = 0, -1
        for r in range(history.shape[1]):
            u = history[c, r]
            if u < 0:
                continue
            for cell in range(offsets[u], offsets[u + 1]):
                value = values[cell]
                if releases == 0:
                    met[value] = 1
                    least_count[value] = counts[cell]
                elif met[value] == releases:
                    met[value] += 1
                    least_count[value] = min(least_count[value], counts[cell])
            if releases == 0:
                opening = u
            releases += 1
        if opening < 0:
            continue
        for cell in range(offsets[opening], offsets[opening + 1]):
            value = values[cell]
            if met[value] == releases:
                out_values[at] = value
                out_counts[at] = least_count[value]
                lengths[c] += 1
                at += 1
            # Only values of the first release can have been met.
            met[value] = 0
    return lengths, out_values[:at], out_counts[:at]
