"""Compiled split step of m-invariance: buckets cut into groups that hold every value of the signature once.

A part of a bucket with s values and height h owns s * h consecutive positions; for each quasi-identifier a row of
``orders`` lists the part's records there, value after value, those of one value in the order of that quasi-identifier.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def counting_sort(order, keys, n_keys):
    """Positions of ``order`` sorted by key, in stable order."""
    # begins[k + 1] counts key k; after the running sum begins[k] is where key k begins, and then where its next one
    # goes.
    begins = np.zeros(n_keys + 1, dtype=np.int64)
    for i in order:
        begins[keys[i] + 1] += 1
    for k in range(n_keys):
        begins[k + 1] += begins[k]
    out = np.empty_like(order)
    for i in order:
        out[begins[keys[i]]] = i
        begins[keys[i]] += 1
    return out


@njit(nogil=True, cache=True)
def scan(order, start, n_values, height, codes, where, forward, out):
    """Sum of the normalized extents of the first (or last) p records of every value, into ``out[p]``, p = 1, 2, ..."""
    n_columns = codes.shape[1]
    low = np.empty(n_columns, dtype=np.int32)
    high = np.empty(n_columns, dtype=np.int32)
    # One record sets both ends of the box, so that a code below `low` cannot also be above `high`.
    row = order[start if forward else start + height - 1]
    for b in range(n_columns):
        low[b] = codes[row, b]
        high[b] = codes[row, b]
    for p in range(1, height):
        # The p-th record (from the front, or from the back) of every value joins: s records per step, so that all
        # height - 1 cuts together take one pass. Trying them all took no longer than the middle cut alone, and gives
        # better groups.
        at = start + (p - 1 if forward else height - p)
        for v in range(n_values):
            row = order[at + v * height]
            for b in range(n_columns):
                code = codes[row, b]
                if code < low[b]:
                    low[b] = code
                elif code > high[b]:
                    high[b] = code
        extent = 0.0
        for b in range(n_columns):
            extent += where[b, high[b]] - where[b, low[b]]
        out[p] = extent


@njit(nogil=True, cache=True)
def best_cut(orders, start, n_values, height, codes, where, left, right):
    """The cut with the least extent, summed over records: (quasi-identifier, records of each value in the first part).

    Of equal cuts the most balanced one counts, then the first quasi-identifier. ``left`` and ``right`` are scratch.
    """
    best_column, best_first = 0, height // 2
    least = np.inf
    for column in range(orders.shape[0]):
        order = orders[column]
        # Records of a value are sorted by this column: its first and last record bound the codes.
        first, last = codes[order[start], column], codes[order[start + height - 1], column]
        for v in range(1, n_values):
            first = min(first, codes[order[start + v * height], column])
            last = max(last, codes[order[start + (v + 1) * height - 1], column])
        # Nothing to cut: all records of the part share the code. A part that no column can cut falls back to halves.
        if first == last:
            continue
        scan(order, start, n_values, height, codes, where, True, left)
        scan(order, start, n_values, height, codes, where, False, right)
        for p in range(1, height):
            # Extent times records of both sides; the number of values, a factor of both, is left out.
            cost = p * left[p] + (height - p) * right[height - p]
            if cost < least or (cost == least and abs(2 * p - height) < abs(2 * best_first - height)):
                least = cost
                best_column, best_first = column, p
    return best_column, best_first


@njit(nogil=True, cache=True)
def part_in_two(orders, start, n_values, height, column, first, goes_left, scratch):
    """Rearrange a part so that the two parts of a cut lie one after the other, each value after value."""
    for v in range(n_values):
        for j in range(height):
            # The first records of every value in the order of the chosen column ...
            goes_left[orders[column, start + v * height + j]] = j < first
    # ... go left in all orders alike. Moving them stably keeps each order sorted within each value, so nothing is
    # sorted again, however deep the recursion.
    for b in range(orders.shape[0]):
        order = orders[b]
        at_left, at_right = 0, n_values * first
        for i in range(start, start + n_values * height):
            row = order[i]
            if goes_left[row]:
                scratch[at_left] = row
                at_left += 1
            else:
                scratch[at_right] = row
                at_right += 1
        order[start : start + n_values * height] = scratch[: n_values * height]


@njit(nogil=True, cache=True)
def split_buckets(orders, begins, n_values, codes, where, class_of):
    """Cut every bucket into groups of height 1, depth first, and number them in ``class_of``; return their number.

    Bucket k owns positions ``begins[k] : begins[k + 1]`` of ``orders``, which is rearranged. ``codes`` has a row per
    record; ``where[b, c]`` is the place of code c of quasi-identifier b on a line of length 1.
    """
    most = 0
    for k in range(n_values.shape[0]):
        most = max(most, begins[k + 1] - begins[k])
    scratch = np.empty(most, dtype=orders.dtype)
    goes_left = np.empty(codes.shape[0], dtype=np.bool_)
    left = np.empty(most + 1, dtype=np.float64)
    right = np.empty(most + 1, dtype=np.float64)
    # Parts that wait, as (start, height). Each pop pushes two at most and every part holds a record, so there are never
    # more than the bucket has records.
    stack = np.empty((most + 1, 2), dtype=np.int64)
    n_classes = 0
    for k in range(n_values.shape[0]):
        s = n_values[k]
        stack[0, 0], stack[0, 1] = begins[k], (begins[k + 1] - begins[k]) // s
        depth = 1
        while depth:
            depth -= 1
            start, height = stack[depth, 0], stack[depth, 1]
            if height == 1:
                for i in range(start, start + s):
                    class_of[orders[0, i]] = n_classes
                n_classes += 1
                continue
            column, first = best_cut(orders, start, s, height, codes, where, left, right)
            part_in_two(orders, start, s, height, column, first, goes_left, scratch)
            # The left part on top: groups are numbered from left to right.
            stack[depth, 0], stack[depth, 1] = start + s * first, height - first
            stack[depth + 1, 0], stack[depth + 1, 1] = start, first
            depth += 2
    return n_classes
