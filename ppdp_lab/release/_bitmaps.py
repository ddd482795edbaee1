"""Compiled counting with bitmaps: which records of a block lie in which regions.

Records are taken in blocks of 4,096. For each attribute and each cut b, a bitmap of 64 words marks the records of the
block with a code below b. As these bitmaps are nested, the records whose codes lie in a union of runs [a, b) + [c, d) +
... are the exclusive or of those at a, b, c, d. A region is thus stored as its cuts, per attribute; no cuts mean
no condition. All bitmaps of a block fit a processor's cache, so many regions are answered quickly one after the other.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# A bitmap takes 512 bytes, so the few hundred of a table (one per value of each attribute) stay in a processor's cache.
WORDS = 64
BLOCK = 64 * WORDS


@njit(nogil=True, cache=True)
def popcount(x):
    """Number of bits that are set."""
    # Counts of pairs of bits, then of fours, then of bytes, all in parallel; the multiplication adds up the eight bytes
    # in the topmost one.
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(nogil=True, cache=True)
def cuts_of_bits(bits, domain_size, cuts, offsets, at):
    """Append the cuts of each row of bits to ``cuts``, from position ``at`` on; a full row has none, an empty one [0]."""
    for row in range(bits.shape[0]):
        offsets[row] = at
        inside = False
        for code in range(domain_size):
            on = (bits[row, code >> 6] >> np.uint64(code & 63)) & np.uint64(1) != 0
            if on != inside:
                cuts[at] = code
                at += 1
                inside = on
        if inside:
            # One run from 0 to the end is the whole domain, that is no condition at all.
            if at == offsets[row] + 1 and cuts[at - 1] == 0:
                at -= 1
            else:
                cuts[at] = domain_size
                at += 1
        elif at == offsets[row]:
            cuts[at] = 0  # nothing lies below 0
            at += 1
    offsets[bits.shape[0]] = at
    return at


@njit(nogil=True, cache=True)
def mark_below(codes, begin, end, base, sizes, below):
    """Bitmaps of a block of records: row ``base[i] + b`` marks those whose attribute i has a code below b."""
    below[:] = np.uint64(0)
    for i in range(codes.shape[0]):
        for row in range(begin, end):
            place = row - begin
            # First only where a record stops being below: at its code + 1 ...
            below[base[i] + codes[i, row] + 1, place >> 6] |= np.uint64(1) << np.uint64(place & 63)
        # ... then each bitmap takes in the one before it, as below b - 1 implies below b.
        for b in range(1, sizes[i] + 1):
            for w in range(WORDS):
                below[base[i] + b, w] |= below[base[i] + b - 1, w]


@njit(nogil=True, cache=True)
def select(below, base, cuts, offsets, region, everybody, mask, chosen):
    """Bitmap of a block's records in one region, into ``chosen``; whether there are any."""
    chosen[:] = everybody
    found = True
    for i in range(offsets.shape[0]):
        begin, end = offsets[i, region], offsets[i, region + 1]
        if begin == end:
            continue
        # The exclusive or of nested bitmaps at a < b < c < d: below b but not below a, and below d but not below c.
        row = base[i] + cuts[begin]
        for w in range(WORDS):
            mask[w] = below[row, w]
        for c in range(begin + 1, end):
            row = base[i] + cuts[c]
            for w in range(WORDS):
                mask[w] ^= below[row, w]
        some = np.uint64(0)
        for w in range(WORDS):
            chosen[w] &= mask[w]
            some |= chosen[w]
        # Most regions miss most blocks on one of their first attributes.
        found = some != np.uint64(0)
        if not found:
            break
    return found


@njit(nogil=True, cache=True)
def count_inside(codes, base, sizes, cuts, offsets, out):
    """Number of records in each region."""
    below = np.empty((base[-1], WORDS), dtype=np.uint64)
    mask, chosen = np.empty(WORDS, dtype=np.uint64), np.empty(WORDS, dtype=np.uint64)
    n = codes.shape[1]
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        mark_below(codes, begin, end, base, sizes, below)
        # All records of the block are below the size of the first domain; the last block may hold fewer than 4,096.
        everybody = below[sizes[0]].copy()
        for region in range(out.shape[0]):
            if select(below, base, cuts, offsets, region, everybody, mask, chosen):
                total = 0
                for w in range(WORDS):
                    total += popcount(chosen[w])
                out[region] += total


@njit(nogil=True, cache=True)
def weigh_wanted(group, cells, values, counts, wanted, weight, out):
    """For each query, what a group's wanted values weigh together.

    Group g holds ``counts[c]`` times ``values[c]`` for c in ``cells[g] : cells[g + 1]``; ``wanted[value, query]`` is 1 for
    the values that count and 0 for others.
    """
    out[:] = 0.0
    for c in range(cells[group], cells[group + 1]):
        row = wanted[values[c]]
        each = counts[c] * weight
        for query in range(out.shape[0]):
            out[query] += each * row[query]


@njit(nogil=True, cache=True)
def share_inside(codes, base, sizes, cuts, offsets, row_group, cells, values, counts, weights, wanted, out):
    """Sum, over the records in each query's region, of what the wanted values of the record's group weigh.

    Records lie group by group.
    """
    n, n_queries = codes.shape[1], out.shape[0]
    below = np.empty((base[-1], WORDS), dtype=np.uint64)
    mask, chosen = np.empty(WORDS, dtype=np.uint64), np.empty(WORDS, dtype=np.uint64)
    share, local = np.empty((BLOCK, n_queries)), np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        mark_below(codes, begin, end, base, sizes, below)
        everybody = below[sizes[0]].copy()
        # share[j] is worked out once for each group that has records in this block, local[p] says which j that is for
        # place p.
        n_local = 0
        for row in range(begin, end):
            g = row_group[row]
            if row == begin or g != row_group[row - 1]:
                weigh_wanted(g, cells, values, counts, wanted, weights[g], share[n_local])
                n_local += 1
            local[row - begin] = n_local - 1
        for query in range(n_queries):
            if select(below, base, cuts, offsets, query, everybody, mask, chosen):
                total = 0.0
                for w in range(WORDS):
                    word = chosen[w]
                    while word:
                        # The lowest bit that is set; as many bits lie below it as its position says.
                        low = word & (~word + np.uint64(1))
                        word ^= low
                        total += share[local[64 * w + popcount(low - np.uint64(1))], query]
                out[query] += total


@njit(nogil=True, cache=True)
def density_inside(codes, base, sizes, cuts, offsets, point_value, cells, values, counts, weights, n_values, out):
    """Add to each record, for every region that it lies in, how much the region's group holds of the record's value.

    Region g is the box of group g, which holds ``counts[c]`` times ``values[c]``, each weighing ``weights[g]``.
    """
    below = np.empty((base[-1], WORDS), dtype=np.uint64)
    mask, chosen = np.empty(WORDS, dtype=np.uint64), np.empty(WORDS, dtype=np.uint64)
    density = np.zeros(n_values)
    n = codes.shape[1]
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        mark_below(codes, begin, end, base, sizes, below)
        everybody = below[sizes[0]].copy()
        for g in range(weights.shape[0]):
            if not select(below, base, cuts, offsets, g, everybody, mask, chosen):
                continue
            for c in range(cells[g], cells[g + 1]):
                # An array over all values, filled for one group and cleared after it: a look-up per record instead of a
                # search.
                density[values[c]] = counts[c] * weights[g]
            for w in range(WORDS):
                word = chosen[w]
                while word:
                    low = word & (~word + np.uint64(1))
                    word ^= low
                    point = begin + 64 * w + popcount(low - np.uint64(1))
                    out[point] += density[point_value[point]]
            for c in range(cells[g], cells[g + 1]):
                density[values[c]] = 0.0


@njit(nogil=True, cache=True)
def spread_boxes(shares, box, cells, values, counts, weights, wanted, out):
    """Sum over groups of the share of the box that each query selects times what the wanted values weigh.

    ``shares[box[i, g], query]`` is the share of box g along attribute i that the query selects.
    """
    n_attributes, n_groups = box.shape
    share, held = np.empty(out.shape[0]), np.empty(out.shape[0])
    for g in range(n_groups):
        share[:] = shares[box[0, g]]
        for i in range(1, n_attributes):
            row = shares[box[i, g]]
            for query in range(out.shape[0]):
                share[query] *= row[query]
        # A query that misses every box along some attribute gets nothing from this group; where all do, the values need
        # not be weighed.
        if share.any():
            weigh_wanted(g, cells, values, counts, wanted, weights[g], held)
            for query in range(out.shape[0]):
                out[query] += share[query] * held[query]
