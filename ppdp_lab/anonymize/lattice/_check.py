"""Compiled search for the snapshot that a node is rolled up from."""

from __future__ import annotations

import numpy as np
from numba import njit

from ppdp_lab.anonymize.lattice._board import COUNTED, EACH, ROUND, gather, has_counted, next_piece, ring, store
from ppdp_lab.table.grouping import GOLDEN


@njit(nogil=True, cache=True)
def nearest_below(levels, sizes, count, node):
    """The row of ``levels`` with the smallest size, among the first ``count`` rows that nowhere exceed ``node``.

    Row 0 is all zeros, so there always is one; of equal sizes the last wins.
    """
    best = 0
    for i in range(1, count):
        # The test of sizes first: most snapshots fail it, and it costs one comparison.
        if sizes[i] <= sizes[best]:
            below = True
            for j in range(levels.shape[1]):
                if levels[i, j] > node[j]:
                    below = False
                    break
            if below:
                best = i
    return best


# --------------------------------------------------------------------
# Compiled node checks: group packed rows by their generalized values and add up how many records each class holds.
#
# Rows are words of several fields; ``tables[j]`` generalizes field j, which lies at ``shifts[j]`` under ``masks[j]``. These
# tuples have a fixed length in compiled code, so the loops over them are unrolled. ``weights`` says how many records each
# row stands for; None means one. Indices are unsigned, which spares a test for negative ones.
#
# A summary is (classes, size of the smallest, records in classes smaller than k). Classes are collected into a snapshot
# (a row that stands for each class, and its size) if there are at most ``keep`` of them and more than ``limit`` records lie
# in classes smaller than k: a node that satisfies k-anonymity is never rolled up, as all above it is known.
#
# ``check_...`` is a whole check in one thread. Of several threads each one does ``share_...``, then what they have counted is
# merged and finished.


# Another odd multiplier whose upper bits have nothing to do with those of GOLDEN; see `merge_hashed`.
REMIX = np.uint64(0xD6E8FEB86659FD93)
FOLD = np.uint64(32)
ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def home(key, shift, mix):
    """The slot where a key belongs: the upper bits of a multiplicative hash."""
    return ((key ^ (key >> FOLD)) * mix) >> shift


@njit(nogil=True, cache=True)
def count_direct(begin, end, rows, weights, tables, shifts, masks, radices, counts):
    """Direct addressing: ``counts[key] += weight``, the key being a mixed-radix number of the fields."""
    for i in range(np.uint64(begin), np.uint64(end)):
        row = rows[i]
        key = np.uint64(0)
        for j in range(len(tables)):
            # Digits of a mixed-radix number: field j has as many digits as there are numbers at the node's level, so
            # keys are dense and `counts` is as small as it can be.
            key = key * radices[j] + tables[j][(row >> shifts[j]) & masks[j]]
        if weights is None:
            counts[key] += np.uint32(1)
        else:
            counts[key] += weights[i]


@njit(nogil=True, cache=True)
def add_hashed(key, weight, slots, counts, shift, mix):
    """Open addressing: add a weight to a key's count; whether the key is new. A count of zero is an empty slot."""
    mask = np.uint64(slots.shape[0] - 1)
    slot = home(key, shift, mix)
    # Tables are at most half full, so runs of displaced keys are short.
    while counts[slot] != 0 and slots[slot] != key:
        slot = (slot + ONE) & mask
    new = counts[slot] == 0
    slots[slot] = key
    counts[slot] += weight
    return new


@njit(nogil=True, cache=True)
def count_hashed(begin, end, rows, weights, tables, shifts, masks, slots, counts, shift, classes, most):
    """Open addressing: the key is the row with each field replaced by its stand-in; return the number of classes so far.

    ``slots`` and ``counts`` have 2 ** (64 - shift) entries, more than ``most`` + 1. Counting stops as soon as there are
    more than ``most`` classes.
    """
    for i in range(np.uint64(begin), np.uint64(end)):
        row = rows[i]
        key = np.uint64(0)
        for j in range(len(tables)):
            # A stand-in is itself a number of the field, so the key is a packed row: the keys of a finished table can
            # be kept as a snapshot and be generalized again without being translated back.
            key |= np.uint64(tables[j][(row >> shifts[j]) & masks[j]]) << shifts[j]
        if weights is None:
            classes += add_hashed(key, np.uint32(1), slots, counts, shift, GOLDEN)
        else:
            classes += add_hashed(key, weights[i], slots, counts, shift, GOLDEN)
        # More classes than records in classes of k allow: the node fails, whatever follows (see `Wanted`).
        if classes > most:
            break
    return classes


@njit(nogil=True, cache=True)
def summarize(counts, k):
    """The summary of counts; a count of zero is no class."""
    classes = 0
    least = np.uint32(0xFFFFFFFF)
    unsafe = np.int64(0)
    for i in range(counts.shape[0]):
        count = counts[i]
        classes += count != 0
        least = min(least, np.uint32(count - np.uint32(1)))  # an empty entry wraps round to the largest number
        unsafe += np.int64(count) if count < k else 0
    return classes, np.int64(least) + 1, unsafe


@njit(nogil=True, cache=True)
def begin_snapshot(counts, k, limit, keep):
    """The summary of counts, and room for a snapshot: rows and weights, none if it is not to be kept."""
    classes, least, unsafe = summarize(counts, k)
    # Counted before room is made, so that snapshots take just the room they need.
    kept = classes if classes <= keep and unsafe > limit else 0
    return classes, least, unsafe, np.empty(kept, dtype=np.uint64), np.empty(kept, dtype=np.uint32)


@njit(nogil=True, cache=True)
def finish_direct(counts, firsts, shifts, radices, k, limit, keep):
    """Summary and snapshot of a direct count, the snapshot in ascending order of keys."""
    classes, least, unsafe, rows, weights = begin_snapshot(counts, k, limit, keep)
    if rows.shape[0]:
        c = 0
        for key in range(counts.shape[0]):
            if counts[key] != 0:
                # The digits in reverse order; each becomes the first combination that has this number, which stands for
                # the class in a packed row.
                rest = np.uint32(key)
                row = np.uint64(0)
                for back in range(len(firsts)):
                    j = len(firsts) - 1 - back
                    radix = np.uint32(radices[j])
                    row |= np.uint64(firsts[j][rest % radix]) << shifts[j]
                    rest //= radix
                rows[c] = row
                weights[c] = counts[key]
                c += 1
    return classes, least, unsafe, rows, weights


@njit(nogil=True, cache=True)
def finish_hashed(slots, counts, k, limit, keep):
    """Summary and snapshot of a hashed count, the snapshot in no particular order."""
    classes, least, unsafe, rows, weights = begin_snapshot(counts, k, limit, keep)
    if rows.shape[0]:
        c = 0
        for slot in range(counts.shape[0]):
            if counts[slot] != 0:
                rows[c] = slots[slot]
                weights[c] = counts[slot]
                c += 1
    return classes, least, unsafe, rows, weights


# ---------------------------------------------------------------------- one thread
@njit(nogil=True, cache=True)
def check_direct(rows, weights, tables, firsts, shifts, masks, radices, counts, k, limit, keep):
    """Count by direct addressing and finish, in one call: on small tables the calls are what costs."""
    counts[:] = 0
    count_direct(0, rows.shape[0], rows, weights, tables, shifts, masks, radices, counts)
    return finish_direct(counts, firsts, shifts, radices, k, limit, keep)


@njit(nogil=True, cache=True)
def check_hashed(rows, weights, tables, shifts, masks, slots, counts, shift, k, limit, keep, most):
    """Count by open addressing and finish; the summary of more than ``most`` classes is (classes, 0, limit + 1)."""
    counts[:] = 0
    classes = count_hashed(0, rows.shape[0], rows, weights, tables, shifts, masks, slots, counts, shift, 0, most)
    if classes > most:
        return classes, 0, limit + 1, np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32)
    return finish_hashed(slots, counts, k, limit, keep)


# ---------------------------------------------------------------------- several threads
@njit(nogil=True, cache=True)
def share_direct(board, me, rows, weights, tables, firsts, shifts, masks, radices, counts, space, k, limit, keep):
    """One thread's part of a check by direct addressing; thread 0 adds up what the others have counted, and finishes.

    Who has not begun by then need not begin any more: nothing is left to count.
    """
    if me == 0:
        ring(board)
    mine = counts[me][:space]
    mine[:] = 0
    begin, end = next_piece(board, me, rows.shape[0])
    while begin < end:
        count_direct(begin, end, rows, weights, tables, shifts, masks, radices, mine)
        begin, end = next_piece(board, me, rows.shape[0])
    # The others return an empty summary, of the same type: only that of thread 0 is read.
    if me > 0:
        store(board, COUNTED + EACH * me, board[ROUND])
        return finish_direct(mine[:0], firsts, shifts, radices, k, limit, keep)
    for other in range(1, counts.shape[0]):
        if has_counted(board, other):
            # A thread whose part was claimed by the leader has not touched its counts in this round; they are not
            # added.
            mine += counts[other][:space]
    check = finish_direct(mine, firsts, shifts, radices, k, limit, keep)
    gather(board)
    return check


@njit(nogil=True, cache=True)
def share_hashed(board, me, rows, weights, tables, shifts, masks, slots, counts, shift, most):
    """One thread's part of counting by open addressing; return its number of classes."""
    if me == 0:
        ring(board)
    counts[:] = 0
    classes = 0
    begin, end = next_piece(board, me, rows.shape[0])
    while begin < end and classes <= most:
        classes = count_hashed(begin, end, rows, weights, tables, shifts, masks, slots, counts, shift, classes, most)
        begin, end = next_piece(board, me, rows.shape[0])
    return classes


@njit(nogil=True, cache=True)
def merge_hashed(board, me, all_slots, all_counts, slots, counts, shift, most):
    """One thread's part of merging hash tables: add up the keys at home in one part of them; return the classes.

    Part p of T is slots [p / T, (p + 1) / T) of every table, and the run of displaced keys behind it. The keys of a part
    are neighbours by one hash, so the table that they are merged into uses another. Merging stops as soon as there are
    more than ``most`` classes.
    """
    if me == 0:
        ring(board)
    counts[:] = 0
    parts, size = all_slots.shape
    begin = me * size // parts
    end = (me + 1) * size // parts
    classes = 0
    for t in range(parts):
        # From the beginning of the part round the whole table, if need be: a key may be displaced beyond the end of its
        # part, and the last part's into the first. An empty slot beyond the end ends the run.
        for place in range(begin, begin + size):
            at = place & (size - 1)
            if all_counts[t, at] != 0:
                where = np.int64(home(all_slots[t, at], shift, GOLDEN))
                # A key found here may belong to the part before, displaced into this one.
                if begin <= where < end:
                    classes += add_hashed(all_slots[t, at], all_counts[t, at], slots, counts, shift, REMIX)
                    if classes > most:
                        return classes
            elif place >= end:
                break
    return classes
