"""Compiled group creation of Anatomy."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def draw_groups(counts, l, group_values):  # noqa: E741 (the paper's symbol)
    """Repeatedly take one record from each of the l values that have most left; return the number of groups.

    ``counts`` is what is left of each value and is used up in place; row g of ``group_values`` gets the values of
    group g. Ties go to the smaller value.
    """
    n_values = counts.shape[0]
    taken = np.zeros(n_values, dtype=np.bool_)
    n_groups = 0
    while True:
        nonempty = 0
        for v in range(n_values):
            if counts[v] > 0:
                nonempty += 1
        if nonempty < l:
            return n_groups
        for j in range(l):
            best = -1
            for v in range(n_values):
                if not taken[v] and counts[v] > 0 and (best < 0 or counts[v] > counts[best]):
                    best = v
            taken[best] = True
            group_values[n_groups, j] = best
        for j in range(l):
            v = group_values[n_groups, j]
            counts[v] -= 1
            taken[v] = False
        n_groups += 1
