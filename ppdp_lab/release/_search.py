"""Compiled search for regions that meet: an index over one column, then a test of all columns."""

from __future__ import annotations

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
