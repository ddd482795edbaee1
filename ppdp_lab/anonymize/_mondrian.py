"""Compiled steps of Mondrian, over the records of one level of its recursion.

Partitions lie one after the other: partition p owns the positions ``offsets[p] : offsets[p + 1]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Where records with the median itself go: left, right, or shared out (see `halve`).
MEDIAN, BELOW, RELAXED = 0, 1, 2


@njit(nogil=True, cache=True)
def extents(offsets, codes, low, high):
    """Smallest and largest code of each partition."""
    for p in range(offsets.shape[0] - 1):
        a = codes[offsets[p]]
        b = a
        for i in range(offsets[p] + 1, offsets[p + 1]):
            code = codes[i]
            a = min(a, code)
            b = max(b, code)
        low[p] = a
        high[p] = b


@njit(nogil=True, cache=True)
def distinct_values(offsets, codes, domain_size, out):
    """Number of distinct codes in each partition."""
    # seen_in[code]: the last partition that held the code, so that nothing needs to be cleared between partitions.
    seen_in = np.full(domain_size, -1, dtype=np.int64)
    for p in range(offsets.shape[0] - 1):
        count = 0
        for i in range(offsets[p], offsets[p + 1]):
            if seen_in[codes[i]] != p:
                seen_in[codes[i]] = p
                count += 1
        out[p] = count


@njit(nogil=True, cache=True)
def median_code(codes, start, stop, low, high, tally):
    """Smallest code that at least half of the records do not exceed; ``tally`` is zeroed scratch of domain size."""
    # Rounded up: of three records the second is the median.
    half = (stop - start + 1) // 2
    # A tally costs a pass over the codes between low and high; where there are many more of these than records, sorting
    # is quicker.
    if high - low > 4 * (stop - start):
        return np.sort(codes[start:stop])[half - 1]
    for i in range(start, stop):
        tally[codes[i]] += 1
    seen = 0
    median = high
    for code in range(low, high + 1):
        seen += tally[code]
        if seen >= half:
            median = code
            break
    # Leave the scratch as it was found.
    for code in range(low, high + 1):
        tally[code] = 0
    return median


@njit(nogil=True, cache=True)
def halve(offsets, chosen, codes, low, high, how, domain_size, part, n_parts):
    """Cut each chosen partition in two at the median code; ``part`` says who goes left (0) and right (1).

    MEDIAN: left holds the codes up to the median. BELOW: those under it. RELAXED: records that share the median fill
    up the left half in the order in which they lie. ``n_parts`` is 2, or 0 where one side would be empty.
    """
    tally = np.zeros(domain_size, dtype=np.int32)
    for p in chosen:
        start, stop = offsets[p], offsets[p + 1]
        median = median_code(codes, start, stop, low[p], high[p], tally)
        # The left side gets half of the records; those under the median have the first claim.
        room = (stop - start) // 2  # how many records with the median may go left
        if how == RELAXED:
            for i in range(start, stop):
                if codes[i] < median:
                    room -= 1
        left = 0
        for i in range(start, stop):
            goes_left = codes[i] < median
            if codes[i] == median:
                if how == MEDIAN:
                    goes_left = True
                elif how == RELAXED and room > 0:
                    goes_left = True
                    room -= 1
            part[i] = 0 if goes_left else 1
            left += 1 if goes_left else 0
        n_parts[p] = 2 if 0 < left < stop - start else 0


@njit(nogil=True, cache=True)
def specialize(offsets, chosen, codes, ancestors, level, n_nodes, part, n_parts):
    """Cut each chosen partition into the children of its node, whose level in the hierarchy is ``level[p]``."""
    number = np.full(n_nodes, -1, dtype=np.int32)
    for p in chosen:
        # Node one level further down, per leaf code. Children are numbered in the order of nodes, so that the records'
        # order plays no part.
        below = ancestors[level[p] - 1]
        first, last = n_nodes, -1
        for i in range(offsets[p], offsets[p + 1]):
            child = below[codes[i]]
            number[child] = 0
            first = min(first, child)
            last = max(last, child)
        count = 0
        for child in range(first, last + 1):
            if number[child] == 0:
                number[child] = count
                count += 1
        for i in range(offsets[p], offsets[p + 1]):
            part[i] = number[below[codes[i]]]
        for child in range(first, last + 1):
            number[child] = -1
        n_parts[p] = count


@njit(nogil=True, cache=True)
def arrange(offsets, chosen, part, n_parts):
    """Positions of the chosen partitions' records, part after part in stable order, and where each part begins."""
    rows = 0
    parts = 0
    most = 0
    for p in chosen:
        rows += offsets[p + 1] - offsets[p]
        parts += n_parts[p]
        most = max(most, n_parts[p])
    order = np.empty(rows, dtype=np.int64)
    begins = np.empty(parts + 1, dtype=np.int64)
    cursor = np.empty(most + 1, dtype=np.int64)
    filled = 0
    done = 0
    for p in chosen:
        # Counting sort by part: cursor[j + 1] counts part j, its running sum says where part j begins, and then moves
        # on record by record. Stable, so that equal records keep their random order.
        cursor[: n_parts[p] + 1] = 0
        for i in range(offsets[p], offsets[p + 1]):
            cursor[part[i] + 1] += 1
        for j in range(n_parts[p]):
            begins[done + j] = filled + cursor[j]
            cursor[j + 1] += cursor[j]
        for i in range(offsets[p], offsets[p + 1]):
            order[filled + cursor[part[i]]] = i
            cursor[part[i]] += 1
        filled += offsets[p + 1] - offsets[p]
        done += n_parts[p]
    begins[parts] = rows
    return order, begins


@njit(nogil=True, cache=True)
def gather(columns, order):
    """The columns with their records in the given order."""
    out = np.empty((columns.shape[0], order.shape[0]), dtype=columns.dtype)
    for c in range(columns.shape[0]):
        column, target = columns[c], out[c]
        for i in range(order.shape[0]):
            target[i] = column[order[i]]
    return out
