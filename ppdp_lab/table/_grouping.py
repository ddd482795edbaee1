"""The odd numbers that hashes multiply by; kernels read them from here, so that each stands once in the package."""

from __future__ import annotations

import numpy as np
from numba import njit

# 2^64 divided by the golden ratio, made odd: a multiplication by it spreads numbers that follow each other evenly (Fibonacci
# hashing, D. Knuth, The Art of Computer Programming, volume 3, section 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# The two that finish SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


# --------------------------------------------------------------------
# Compiled counting: packed keys to dense class numbers.


EMPTY = np.int32(-1)
# A multiplication carries upwards only; folding the upper half of a key in first lets its high bits reach every slot,
# too.
SHIFT = np.uint64(32)


@njit(nogil=True, cache=True)
def append_digit(keys, column, size):
    """keys <- keys * size + column, in place: one more digit of a mixed-radix number."""
    radix = np.uint64(size)
    for i in range(keys.shape[0]):
        keys[i] = keys[i] * radix + np.uint64(column[i])


@njit(nogil=True, cache=True)
def densify_direct(keys, space, class_of, first):
    """Number the distinct keys in ascending order by a table as large as the key space; return how many there are."""
    # number[key]: EMPTY as long as no row has the key, then 0 for seen, then the key's class number.
    number = np.full(space, EMPTY, dtype=np.int32)
    n = keys.shape[0]
    for i in range(n):
        number[keys[i]] = 0
    count = 0
    for key in range(space):
        if number[key] == 0:
            number[key] = count
            count += 1
    # Only the entries that will be read: `first` is as long as there are rows.
    for i in range(count):
        first[i] = EMPTY
    for i in range(n):
        c = number[keys[i]]
        class_of[i] = c
        if first[c] == EMPTY:
            first[c] = i
    return count


@njit(nogil=True, cache=True)
def densify_hash(keys, bits, class_of, first):
    """Number the distinct keys in order of appearance by open addressing; return how many there are."""
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(64 - bits)
    one = np.uint64(1)
    slot_class = np.full(1 << bits, EMPTY, dtype=np.int32)
    slot_key = np.empty(1 << bits, dtype=np.uint64)
    count = 0
    for i in range(keys.shape[0]):
        key = keys[i]
        # The upper bits of the product depend on all bits of the key, the lower ones on few.
        slot = ((key ^ (key >> SHIFT)) * GOLDEN) >> shift
        while True:
            c = slot_class[slot]
            if c == EMPTY:
                slot_class[slot] = count
                slot_key[slot] = key
                class_of[i] = count
                first[count] = i
                count += 1
                break
            if slot_key[slot] == key:
                class_of[i] = c
                break
            # Linear probing: the next slot lies in the same cache line more often than not. The table is never full, so
            # an empty slot ends the search.
            slot = (slot + one) & mask
    return count
