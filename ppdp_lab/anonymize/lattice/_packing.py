"""Compiled packing of rows into 64-bit words, and the look-up tables that generalize them."""

from __future__ import annotations

import numpy as np
from numba import njit

LOOK = 1 << 14  # rows between two looks at whether every code has been seen


@njit(nogil=True, cache=True)
def mark_present(codes, present):
    """``present[code] = 1`` for every code; most tables have every code among their first rows, and it can stop there."""
    for begin in range(0, codes.shape[0], LOOK):
        for i in range(begin, min(begin + LOOK, codes.shape[0])):
            present[np.uint32(codes[np.uint64(i)])] = 1
        # A look costs as many steps as there are codes, at most some thousands: little beside the rows in between.
        if present.all():
            break


@njit(nogil=True, cache=True)
def tally(codes, records):
    """``records[code] += 1`` for every code."""
    for i in range(codes.shape[0]):
        records[np.uint32(codes[i])] += np.uint32(1)


@njit(nogil=True, cache=True)
def number_nodes(ancestors, leaves, numbers):
    """Number the ancestors of some leaves on each level, from 0 on, in the order of the leaves.

    Leaves are numbered depth first, so the leaves of a node lie side by side.
    """
    for level in range(ancestors.shape[0]):
        number = 0
        for i in range(leaves.shape[0]):
            # Only leaves that occur are numbered, so a node of which none occurs gets no number.
            if i > 0 and ancestors[level, leaves[i]] != ancestors[level, leaves[i - 1]]:
                number += 1
            numbers[level, i] = number


@njit(nogil=True, cache=True)
def look_up(out, numbers, rank):
    """out <- rank[numbers]. Fresh memory should be written before it is read, or every page of it is fetched twice."""
    for i in range(out.shape[0]):
        out[i] = rank[np.uint32(numbers[i])]


@njit(nogil=True, cache=True)
def append_column(keys, codes, rank, size):
    """keys <- keys * size + rank[codes], in place."""
    for i in range(keys.shape[0]):
        keys[i] = keys[i] * np.uint32(size) + rank[np.uint32(codes[i])]


@njit(nogil=True, cache=True)
def append_field(words, keys, rank, bits):
    """words <- words shifted left by ``bits``, with rank[keys] in the place that became free."""
    shift = np.uint64(bits)
    for i in range(words.shape[0]):
        words[i] = (words[i] << shift) | np.uint64(rank[np.uint32(keys[i])])


@njit(nogil=True, cache=True)
def records_in_small_classes(number, count, records, k):
    """Records whose class, given by the number of their combination, holds fewer than k of them."""
    sizes = np.zeros(count, dtype=np.int64)
    for c in range(number.shape[0]):
        sizes[number[c]] += records[c]
    unsafe = 0
    for size in sizes:
        if size < k:
            unsafe += size
    return unsafe


@njit(nogil=True, cache=True)
def number_combinations(ids, rows, sizes, scratch, keys, number, first, records, k):
    """Number the distinct combinations of some rows of ``ids``, in ascending order; return how many there are.

    Also return how many records have a combination that fewer than k records have; column c stands for ``records[c]``.

    Row ``rows[j]`` of ``ids`` holds numbers below ``sizes[j]``. ``number[c]`` becomes the number of column c's
    combination and ``first[m]`` the first column with combination m. ``scratch`` is as large as the product of the sizes,
    ``keys`` as a row.
    """
    space = 1
    for size in sizes:
        space *= size
    # scratch[key]: -1 if no column has the key, then the first column that has it, then the number of the combination.
    for key in range(space):
        scratch[key] = -1
    n = ids.shape[1]
    for c in range(n):
        key = ids[rows[0], c]
        for j in range(1, rows.shape[0]):
            key = key * sizes[j] + ids[rows[j], c]
        keys[c] = key
        if scratch[key] < 0:
            scratch[key] = c
    count = 0
    for key in range(space):
        if scratch[key] >= 0:
            first[count] = scratch[key]
            scratch[key] = count
            count += 1
    for c in range(n):
        number[c] = scratch[keys[c]]
    return count, records_in_small_classes(number, count, records, k)
