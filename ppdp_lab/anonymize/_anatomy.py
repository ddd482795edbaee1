"""Compiled group creation of Anatomy."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def draw_groups(counts, l, group_values):  # noqa: E741 (the paper's symbol)
    """Repeatedly take one record from each of the l values that have most left; return the number of groups.

    ``counts`` is what is left of each value and is used up in place; row g of ``group_values`` gets the values of
    group g. Ties go to the smaller value.

    This is the group creation step of X. Xiao, Y. Tao, "Anatomy", VLDB 2006. If no value has more than one l-th of the
    records, each value that is left at the end has one record left (their Property 1). For as long as at most l values tie
    for most, a round takes l records and lowers the most by one, so that left >= l * most still holds; were that so to the
    end, fewer than l values would hold l times the most that any of them has, so there is nothing left. Once more than l
    values tie, the largest and the (l + 1)-th largest count never differ by more than one again; when fewer than l values are
    left, the (l + 1)-th is zero, and the largest at most one.
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
        # l times the largest that is not taken yet: with at most some hundreds of values a scan will do.
        for j in range(l):
            best = -1
            for v in range(n_values):
                if not taken[v] and counts[v] > 0 and (best < 0 or counts[v] > counts[best]):
                    best = v
            taken[best] = True
            group_values[n_groups, j] = best
        # Only now: the l values are chosen by what was left before this group.
        for j in range(l):
            v = group_values[n_groups, j]
            counts[v] -= 1
            taken[v] = False
        n_groups += 1
