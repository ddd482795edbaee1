"""Compiled split step of m-Distinct: buckets cut into groups of one record per place, no two with the same value.

A part of a bucket has ``height`` records for each of its places and no value more often than that. Its records lie together,
slot after slot, value after value, in a row of ``orders`` for every quasi-identifier, those of one value in the order of that
quasi-identifier; counterfeits, which have no value yet, come last in their slot. Such a part can always be cut without going
back on anything: take a group from the front of the order, then another, and so on. A group must take a record of each value
that is left as often as there are groups left (it would be too frequent for the rest otherwise), and takes the first records
of other values beside them. No slot has more such values than places, since its records left are places times groups left.
The first p groups are one side of a cut, and the rest the other, for every p.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def peel(order, start, end, height, slot_of, cell_of, wild, places, rank, segments, taken):
    """The records of a part, group after group in the order of one quasi-identifier, into ``taken``.

    ``segments`` is scratch, with a column for the records of each value, and for the counterfeits, of a slot: where those left
    begin, how many are left, which group took the last one, the slot, and whether they are counterfeits.
    """
    begin, left, last, slot, free = segments
    n = 0
    i = start
    while i < end:
        j = i
        while j < end and cell_of[order[j]] == cell_of[order[i]]:
            j += 1
        begin[n], left[n], last[n], slot[n], free[n] = i, j - i, -1, slot_of[order[i]], wild[order[i]]
        n += 1
        i = j
    at = 0
    for group in range(height):
        first = 0
        while first < n:
            after = first + 1
            while after < n and slot[after] == slot[first]:
                after += 1
            wanted = places[slot[first]]
            for g in range(first, after):
                # Left as often as there are groups left: this group must have it.
                if left[g] == height - group and not free[g]:
                    taken[at] = order[begin[g]]
                    at += 1
                    wanted -= 1
                    begin[g] += 1
                    left[g] -= 1
                    last[g] = group
            while wanted > 0:
                best, nearest = -1, 0
                for g in range(first, after):
                    if left[g] and (last[g] < group or free[g]):
                        here = rank[order[begin[g]]]
                        if best < 0 or here < nearest:
                            best, nearest = g, here
                taken[at] = order[begin[best]]
                at += 1
                wanted -= 1
                begin[best] += 1
                left[best] -= 1
                last[best] = group
            first = after


@njit(nogil=True, cache=True)
def measure(taken, size, height, codes, where, span, forward, out):
    """Sum of the extents of the first (or last) p groups, each relative to the part's own, into ``out[p]``."""
    n_columns = codes.shape[1]
    low = np.empty(n_columns, dtype=codes.dtype)
    high = np.empty(n_columns, dtype=codes.dtype)
    # One record sets both ends of the box, so that a code below `low` cannot also be above `high`.
    for c in range(n_columns):
        low[c] = high[c] = codes[taken[0 if forward else (height - 1) * size], c]
    for p in range(1, height):
        start = (p - 1 if forward else height - p) * size
        for i in range(start, start + size):
            row = taken[i]
            for c in range(n_columns):
                code = codes[row, c]
                if code < low[c]:
                    low[c] = code
                elif code > high[c]:
                    high[c] = code
        extent = 0.0
        for c in range(n_columns):
            if span[c] > 0:
                extent += (where[c, high[c]] - where[c, low[c]]) / span[c]
        out[p] = extent


@njit(nogil=True, cache=True)
def part_in_two(orders, start, end, chosen, n_left, goes_left, scratch):
    """Rearrange a part so that the two sides of a cut lie one after the other, in all orders alike."""
    for i in range(end - start):
        goes_left[chosen[i]] = i < n_left
    # Moving them stably keeps each order as it must be within each side, so nothing is sorted again.
    for b in range(orders.shape[0]):
        order = orders[b]
        at_left, at_right = 0, n_left
        for i in range(start, end):
            row = order[i]
            if goes_left[row]:
                scratch[at_left] = row
                at_left += 1
            else:
                scratch[at_right] = row
                at_right += 1
        order[start:end] = scratch[: end - start]


@njit(nogil=True, cache=True)
def split_by_peeling(orders, begins, heights, slot_of, cell_of, wild, places, ranks, codes, where, class_of, n_classes):
    """Cut every bucket into groups, by the cut with the least score (equation 4) each time; number them from ``n_classes`` on.

    Bucket k owns positions ``begins[k] : begins[k + 1]`` of ``orders``, which is rearranged, and has ``heights[k]`` groups.
    Returns the number of groups so far.
    """
    most = 1
    for k in range(heights.shape[0]):
        most = max(most, begins[k + 1] - begins[k])
    segments = np.empty((5, most), dtype=np.int64)
    taken = np.empty(most, dtype=np.int64)
    chosen = np.empty(most, dtype=np.int64)
    scratch = np.empty(most, dtype=orders.dtype)
    goes_left = np.zeros(codes.shape[0], dtype=np.bool_)
    ahead = np.empty(most + 1)
    behind = np.empty(most + 1)
    span = np.empty(codes.shape[1])
    # Parts that wait, as (start, height): each has a record or more, so there are never more than the bucket has records.
    stack = np.empty((most + 1, 2), dtype=np.int64)
    for k in range(heights.shape[0]):
        if begins[k + 1] == begins[k]:
            continue
        size = (begins[k + 1] - begins[k]) // heights[k]
        stack[0, 0], stack[0, 1] = begins[k], heights[k]
        depth = 1
        while depth:
            depth -= 1
            start, height = stack[depth, 0], stack[depth, 1]
            end = start + size * height
            if height == 1:
                for i in range(start, end):
                    class_of[orders[0, i]] = n_classes
                n_classes += 1
                continue
            for c in range(codes.shape[1]):
                low = high = codes[orders[0, start], c]
                for i in range(start, end):
                    low, high = min(low, codes[orders[0, i], c]), max(high, codes[orders[0, i], c])
                span[c] = where[c, high] - where[c, low]
            least, n_left = np.inf, 0
            for b in range(orders.shape[0]):
                # A column in which all are alike cuts nothing, unless none can be cut: then its order is chance.
                if span[b] == 0 and not (b == orders.shape[0] - 1 and n_left == 0):
                    continue
                peel(orders[b], start, end, height, slot_of, cell_of, wild, places, ranks[b], segments, taken)
                measure(taken, size, height, codes, where, span, True, ahead)
                measure(taken, size, height, codes, where, span, False, behind)
                found = 0
                for p in range(1, height):
                    # Records times extent, on both sides; their common factor, the size of a group, is left out.
                    score = p * ahead[p] + (height - p) * behind[height - p]
                    closer = found and abs(2 * p - height) < abs(2 * found - height)
                    if score < least or (score == least and closer):
                        least, found = score, p
                if found:
                    n_left = found * size
                    chosen[: end - start] = taken[: end - start]
            part_in_two(orders, start, end, chosen, n_left, goes_left, scratch)
            # The left part on top: groups are numbered from left to right.
            stack[depth, 0], stack[depth, 1] = start + n_left, height - n_left // size
            stack[depth + 1, 0], stack[depth + 1, 1] = start, n_left // size
            depth += 2
    return n_classes
