"""Compiled search for regions that meet: an index over one column, then a test of all columns."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def fill_buckets(first, last, offsets, members):
    """List in ``members`` the regions of each bin of the index column; region g lies in bins first[g] .. last[g]."""
    # free[b]: where the next region of bin b is listed.
    free = offsets[:-1].copy()
    for g in range(first.shape[0]):
        for b in range(first[g], last[g] + 1):
            members[free[b]] = g
            free[b] += 1


@njit(nogil=True, cache=True)
def share_bits(bits, g, t_bits, t, word_at):
    """Whether region g and target t have a member in common in every column that is a set."""
    for j in range(word_at.shape[0] - 1):
        # A column without words is no set, and is compared by its ends.
        common = word_at[j] == word_at[j + 1]
        for w in range(word_at[j], word_at[j + 1]):
            if bits[g, w] & t_bits[t, w]:
                common = True
                break
        if not common:
            return False
    return True


@njit(nogil=True, cache=True)
def fill_meeting(
    offsets, members, first, t_first, t_last, low, high, bits, t_low, t_high, t_bits, word_at, start, counts, out
):
    """The regions that meet targets ``start``, ``start + 1`` ..., one target after the other, ascending within a target.

    Stops before the target whose regions might not fit in ``out``, and returns it.
    """
    at = 0
    for t in range(start, t_first.shape[0]):
        # Before any comparison: the bins bound how many can meet. At least one target is always done, so a caller that
        # makes room for the largest gets on.
        if t > start and at + offsets[t_last[t] + 1] - offsets[t_first[t]] > out.shape[0]:
            return t
        begin = at
        for b in range(t_first[t], t_last[t] + 1):
            for i in range(offsets[b], offsets[b + 1]):
                g = members[i]
                # A region that shares several bins with the target is looked at in the first of them only.
                meets = max(first[g], t_first[t]) == b
                # Written out, not called: a call per test would cost ten times the test.
                for j in range(low.shape[1]):
                    if not meets:
                        break
                    meets = low[g, j] <= t_high[t, j] and t_low[t, j] <= high[g, j]
                if meets and (bits.shape[1] == 0 or share_bits(bits, g, t_bits, t, word_at)):
                    out[at] = g
                    at += 1
        # Regions of one bin are listed in ascending order; only several bins mix them.
        if t_first[t] != t_last[t]:
            out[begin:at].sort()
        counts[t] = at - begin
    return t_first.shape[0]


@njit(nogil=True, cache=True)
def fill_listed(starts, bins, offsets, members, low, high, bits, t_low, t_high, t_bits, word_at, start, counts, out):
    """As :func:`fill_meeting`, where target t is compared with the regions of the bins that are listed for it only.

    Each region lies in one bin; those of target t are ``bins[starts[t] : starts[t + 1]]``. Regions come bin by bin.
    """
    at = 0
    for t in range(start, starts.shape[0] - 1):
        most = 0
        for k in range(starts[t], starts[t + 1]):
            most += offsets[bins[k] + 1] - offsets[bins[k]]
        if t > start and at + most > out.shape[0]:
            return t
        begin = at
        for k in range(starts[t], starts[t + 1]):
            for i in range(offsets[bins[k]], offsets[bins[k] + 1]):
                g = members[i]
                meets = True
                for j in range(low.shape[1]):
                    if not meets:
                        break
                    meets = low[g, j] <= t_high[t, j] and t_low[t, j] <= high[g, j]
                if meets and (bits.shape[1] == 0 or share_bits(bits, g, t_bits, t, word_at)):
                    out[at] = g
                    at += 1
        counts[t] = at - begin
    return starts.shape[0] - 1


@njit(nogil=True, cache=True)
def unite_meeting(
    offsets, members, first, t_first, t_last, low, high, bits, t_low, t_high, t_bits, word_at, masks, full, out
):
    """Into ``out``, the union of the masks of all regions that meet each target; stops once a union is ``full``."""
    words = masks.shape[1]
    for t in range(t_first.shape[0]):
        done = False
        for b in range(t_first[t], t_last[t] + 1):
            for i in range(offsets[b], offsets[b + 1]):
                g = members[i]
                meets = False
                for w in range(words):
                    # Cheaper than comparing regions, and soon true of few: most values are in the union after some
                    # regions.
                    if masks[g, w] & ~out[t, w]:
                        meets = True  # it would bring something new
                        break
                for j in range(low.shape[1]):
                    if not meets:
                        break
                    meets = low[g, j] <= t_high[t, j] and t_low[t, j] <= high[g, j]
                if meets and (bits.shape[1] == 0 or share_bits(bits, g, t_bits, t, word_at)):
                    done = True
                    for w in range(words):
                        out[t, w] |= masks[g, w]
                        if out[t, w] != full[w]:
                            done = False
                    if done:
                        break
            if done:
                break


@njit(nogil=True, cache=True)
def pool_histograms(offsets, groups, scale, cell_offsets, cell_values, cell_counts, n_values):
    """Weighted sum of the histograms of each unit's groups: (cells per unit, values, amounts), sorted by value."""
    n = offsets.shape[0] - 1
    n_cells = 0
    for u in range(n):
        most = 0
        for i in range(offsets[u], offsets[u + 1]):
            most += cell_offsets[groups[i] + 1] - cell_offsets[groups[i]]
        n_cells += min(most, n_values)
    lengths = np.zeros(n, dtype=np.int64)
    values = np.empty(n_cells, dtype=np.int32)
    amounts = np.empty(n_cells, dtype=np.float64)
    total = np.zeros(n_values, dtype=np.float64)
    seen = np.zeros(n_values, dtype=np.bool_)
    # The values that occur in the unit's groups, so that only their entries are cleared afterwards.
    touched = np.empty(n_values, dtype=np.int32)
    at = 0
    for u in range(n):
        n_touched = 0
        for i in range(offsets[u], offsets[u + 1]):
            g = groups[i]
            for cell in range(cell_offsets[g], cell_offsets[g + 1]):
                value = cell_values[cell]
                if not seen[value]:
                    seen[value] = True
                    touched[n_touched] = value
                    n_touched += 1
                total[value] += scale[i] * cell_counts[cell]
        touched[:n_touched].sort()
        for k in range(n_touched):
            value = touched[k]
            values[at] = value
            amounts[at] = total[value]
            total[value] = 0.0
            seen[value] = False
            at += 1
        lengths[u] = n_touched
    return lengths, values[:at], amounts[:at]


@njit(nogil=True, cache=True)
def common_counts(history, offsets, values, counts, n_values):
    """Multiset intersection of the histograms along each history: (cells per history, values, least counts).

    Row c of ``history`` lists unit numbers, -1 where there is none; unit u owns cells ``offsets[u] : offsets[u + 1]``.
    """
    n = history.shape[0]
    n_cells = 0
    for c in range(n):
        # An intersection has no more values than the shortest of its histograms.
        least = n_values
        for r in range(history.shape[1]):
            u = history[c, r]
            if u >= 0:
                least = min(least, offsets[u + 1] - offsets[u])
        n_cells += least
    lengths = np.zeros(n, dtype=np.int64)
    out_values = np.empty(n_cells, dtype=np.int32)
    out_counts = np.empty(n_cells, dtype=np.int64)
    least_count = np.zeros(n_values, dtype=np.int64)
    # met[value]: how many releases of the history in a row, from its first on, had the value. Who misses one is never
    # counted on, so at the end only values that all of them hold have met == releases.
    met = np.zeros(n_values, dtype=np.int32)
    at = 0
    for c in range(n):
        releases, opening = 0, -1
        for r in range(history.shape[1]):
            u = history[c, r]
            if u < 0:
                continue
            for cell in range(offsets[u], offsets[u + 1]):
                value = values[cell]
                if releases == 0:
                    met[value] = 1
                    least_count[value] = counts[cell]
                elif met[value] == releases:
                    met[value] += 1
                    least_count[value] = min(least_count[value], counts[cell])
            if releases == 0:
                opening = u
            releases += 1
        if opening < 0:
            continue
        for cell in range(offsets[opening], offsets[opening + 1]):
            value = values[cell]
            if met[value] == releases:
                out_values[at] = value
                out_counts[at] = least_count[value]
                lengths[c] += 1
                at += 1
            # Only values of the first release can have been met.
            met[value] = 0
    return lengths, out_values[:at], out_counts[:at]
