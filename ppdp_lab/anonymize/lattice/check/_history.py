"""Compiled search for the snapshot that a node is rolled up from."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True)
def nearest_below(levels, sizes, count, node):
    """The row of ``levels`` with the smallest size, among the first ``count`` rows that nowhere exceed ``node``.

    Row 0 is all zeros, so there always is one; of equal sizes the last wins.
    """
    best = 0
    for i in range(1, count):
        # The test of sizes first: most snapshots fail it, and it costs one comparison.
        if sizes[i] <= sizes[best]:
            below = True
            for j in range(levels.shape[1]):
                if levels[i, j] > node[j]:
                    below = False
                    break
            if below:
                best = i
    return best
