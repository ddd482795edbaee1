"""Compiled loops over segments: records that lie class by class."""

from __future__ import annotations

import numpy as np
from numba import njit

from ppdp_lab.table._grouping import FIRST, GOLDEN, SECOND


@njit(nogil=True, cache=True)
def histogram_segments(offsets, values, domain_size):
    """Non-zero cells (class, value, count) of each segment, sorted by class and value."""
    n_segments = offsets.shape[0] - 1
    # Scratch for one segment: `touched` lists the values that occur in it, so that only their counts need to be
    # cleared.
    counts = np.zeros(domain_size, dtype=np.int64)
    touched = np.empty(domain_size, dtype=np.int32)
    # No more cells than records, and no more than every value in every segment.
    most = min(values.shape[0], n_segments * domain_size)
    cell_class = np.empty(most, dtype=np.int32)
    cell_value = np.empty(most, dtype=np.int32)
    cell_count = np.empty(most, dtype=np.int64)
    cell = 0
    for segment in range(n_segments):
        n_touched = 0
        for i in range(offsets[segment], offsets[segment + 1]):
            value = values[i]
            if counts[value] == 0:
                touched[n_touched] = value
                n_touched += 1
            counts[value] += 1
        if domain_size <= 8 * n_touched:  # then looking at every value is quicker than sorting those that occur
            n_touched = 0
            for value in range(domain_size):
                if counts[value] > 0:
                    touched[n_touched] = value
                    n_touched += 1
        else:
            touched[:n_touched].sort()
        for j in range(n_touched):
            value = touched[j]
            cell_class[cell] = segment
            cell_value[cell] = value
            cell_count[cell] = counts[value]
            # Cleared on the way, for the next segment.
            counts[value] = 0
            cell += 1
    return cell_class[:cell], cell_value[:cell], cell_count[:cell]


@njit(nogil=True, cache=True)
def extremes(class_of, codes, low, high):
    """Smallest and largest code of each class, into ``low`` and ``high``; class -1 is passed over."""
    for i in range(class_of.shape[0]):
        c = class_of[i]
        if c >= 0:
            code = codes[i]
            if code < low[c]:
                low[c] = code
            if code > high[c]:
                high[c] = code


@njit(nogil=True, cache=True)
def mark_bits(class_of, codes, bits):
    """Set the bit of each record's code in its class's row of ``bits``; class -1 is passed over."""
    for i in range(class_of.shape[0]):
        c = class_of[i]
        if c >= 0:
            code = codes[i]
            # Value v of a class is bit v % 64 of its word v // 64.
            bits[c, code >> 6] |= np.uint64(1) << np.uint64(code & 63)


@njit(nogil=True, cache=True)
def sum_hashes(class_of, codes, salt, out):
    """Add a hash of each record's code to its class's entry: a content key that no order of records changes."""
    for i in range(class_of.shape[0]):
        c = class_of[i]
        if c >= 0:
            # The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), which turns neighbouring codes into
            # unrelated words. A sum of words does not depend on their order, and unlike an exclusive or it counts how
            # often a code occurs.
            z = np.uint64(codes[i]) + np.uint64(salt) * GOLDEN
            z = (z ^ (z >> np.uint64(30))) * FIRST
            z = (z ^ (z >> np.uint64(27))) * SECOND
            out[c] += z ^ (z >> np.uint64(31))
