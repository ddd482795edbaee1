"""Compiled greedy k-member clustering of distinct rows with multiplicities."""

from __future__ import annotations

import numpy as np
from numba import njit

from ppdp_lab.anonymize._clusters import LIMIT, widen

TAKEN = np.int32(LIMIT)  # added to the cost of rows of which no record is left
# Sums of 1,024 rows (4 kB) stay in the first-level cache while column after column is added to them.
BLOCK = 1024


@njit(nogil=True, cache=True)
def sum_extents(table, keys, n, out):
    """Extent of the widened box for each of the first ``n`` rows: the sum of its columns' entries of ``table``."""
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        for i in range(begin, end):
            out[i] = table[keys[0, i]]
        for j in range(1, keys.shape[0]):
            for i in range(begin, end):
                out[i] += table[keys[j, i]]


@njit(nogil=True, cache=True)
def cheapest(costs, taken, n):
    """First row with the least cost among those of which a record is left."""
    # Costs stay below 2^30, so adding TAKEN = 2^30 keeps a row out of the minimum without a branch and without an
    # overflow; and two passes, the minimum and then its first place, run in vector instructions where one that notes
    # the place does not.
    least = np.int32(2**31 - 1)
    for i in range(n):
        least = min(least, costs[i] + taken[i])
    for i in range(n):
        if costs[i] + taken[i] == least:
            return i
    return -1


@njit(nogil=True, cache=True)
def dearest(costs, taken, n):
    """First row with the greatest cost among those of which a record is left."""
    # As in `cheapest`: rows that are used up are moved below every cost there is.
    most = np.int32(-(2**31))
    for i in range(n):
        most = max(most, costs[i] - taken[i])
    for i in range(n):
        if costs[i] - taken[i] == most:
            return i
    return -1


@njit(nogil=True, cache=True)
def drop_taken(keys, left, taken, row, n):
    """Close up the rows of which no record is left, in place and in order; return how many stay."""
    kept = 0
    for i in range(n):
        if left[i] > 0:
            for j in range(keys.shape[0]):
                keys[j, kept] = keys[j, i]
            left[kept], row[kept], taken[kept] = left[i], row[i], 0
            kept += 1
    return kept


@njit(nogil=True, cache=True)
def set_box(space, keys, i, low, high):
    """Make the box hold row i alone."""
    for j in range(low.shape[0]):
        low[j] = high[j] = np.int64(keys[j, i]) - space.offset[j]


@njit(nogil=True, cache=True)
def extend_box(space, keys, i, low, high):
    """Make the box take in row i; say whether that changed it."""
    changed = False
    for j in range(low.shape[0]):
        code = np.int64(keys[j, i]) - space.offset[j]
        if code < low[j]:
            low[j] = code
            changed = True
        if code > high[j]:
            high[j] = code
            changed = True
    return changed


@njit(nogil=True, cache=True)
def k_member(space, keys, left, k, start, members):
    """Greedy k-member clustering: fill ``members`` with the row of each clustered record, k after k.

    ``keys`` (columns by rows) holds unsigned codes plus their column's offset, ``left`` the records per row; both are
    used up. The first seed is the row furthest from row ``start``. Ties go to a record of the row taken last, then to
    the row that stands first.
    """
    q, n = keys.shape
    table = np.empty(space.offset[q], dtype=np.int32)
    costs = np.empty(n, dtype=np.int32)
    taken = np.zeros(n, dtype=np.int32)
    row = np.arange(n).astype(np.int32)
    low, high = np.empty(q, dtype=np.int64), np.empty(q, dtype=np.int64)
    # i: the row taken last; changed: whether the box differs from the one that `costs` was worked out for; exhausted:
    # rows without a record since they were last closed up.
    i, changed, exhausted = start, True, 0
    for at in range(members.shape[0]):
        if at % k == 0:
            # A new cluster: its seed is the record furthest from the one taken last (find_furthest_record of Byun et
            # al., DASFAA 2007). The box is set before rows are closed up, after which i names another row.
            set_box(space, keys, i, low, high)
            # Closing up takes one pass over the rows; with an eighth of them gone, the passes of the next cluster pay
            # for it.
            if exhausted * 8 > n:
                n = drop_taken(keys, left, taken, row, n)
                exhausted = 0
            widen(space, low, high, table)
            sum_extents(table, keys, n, costs)
            i = dearest(costs, taken, n)
            set_box(space, keys, i, low, high)
            changed = True
        # As long as the row taken last has records left they are the cheapest: they do not widen the box at all, and
        # nothing could cost less. Otherwise find_best_record, over all rows.
        elif left[i] == 0:
            # A row within the box leaves it, and with it all costs, as they were.
            if changed:
                widen(space, low, high, table)
                sum_extents(table, keys, n, costs)
            i = cheapest(costs, taken, n)
            changed = extend_box(space, keys, i, low, high)
        members[at] = row[i]
        left[i] -= 1
        if left[i] == 0:
            taken[i] = TAKEN
            exhausted += 1
