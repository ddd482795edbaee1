"""Compiled group creation of Anatomy."""

from __future__ import annotations

import heapq

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
    # A heap whose top is the value with most left, of several the smallest: one number holds both.
    heap = [-counts[v] * n_values + v for v in range(n_values) if counts[v] > 0]
    heapq.heapify(heap)
    n_groups = 0
    while len(heap) >= l:
        for j in range(l):
            group_values[n_groups, j] = heapq.heappop(heap) % n_values
        # Only now: the l values are chosen by what was left before this group.
        for j in range(l):
            v = group_values[n_groups, j]
            counts[v] -= 1
            if counts[v] > 0:
                heapq.heappush(heap, -counts[v] * n_values + v)
        n_groups += 1
    return n_groups
