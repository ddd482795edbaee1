"""Compiled composition of two releases: classes with equal values that differ in few members.

Classes have the same bucket number if their values stand in the same proportions; those of one bucket and one size hold
the same values equally often. A person's value is the same in both releases. Let A be such a class of the first release
and B one of the second. Whoever is in both adds the same values to both, so these can be taken away on both sides: the
persons of A who are not in B hold, as a multiset, the values of the persons of B who are not in A. With weights 1 for A and
-1 for B this is an attack by Definition 10 of Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated,
anonymized data", ICDE 2011, with as many persons on a side as the classes are apart.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def members_of(class_of, n_classes):
    """Members of each class, class after class, and where each class begins; class -1 is passed over."""
    # Counting sort: begins[c + 1] counts class c, its running sum says where class c begins.
    begins = np.zeros(n_classes + 1, dtype=np.int64)
    for c in class_of:
        if c >= 0:
            begins[c + 1] += 1
    for c in range(n_classes):
        begins[c + 1] += begins[c]
    members = np.empty(begins[n_classes], dtype=np.int32)
    cursor = begins[:-1].copy()
    for i in range(class_of.shape[0]):
        c = class_of[i]
        if c >= 0:
            members[cursor[c]] = i
            cursor[c] += 1
    return begins, members


@njit(nogil=True, cache=True)
def give_away(then, now, begins_then, members_then, begins_now, members_now, bucket_then, bucket_now, e, found):
    """Mark, in ``found``, who is in one only of two classes of equal values and size that differ in fewer than e.

    ``then`` and ``now`` give the class of each tuple in either release, -1 where it is absent; ``bucket_then`` and
    ``bucket_now`` the bucket number of each class.
    """
    # shared[b]: members of the class in question that are in class b now; one entry more for those who are absent.
    shared = np.zeros(begins_now.shape[0], dtype=np.int64)
    for a in range(begins_then.shape[0] - 1):
        size = begins_then[a + 1] - begins_then[a]
        for i in range(begins_then[a], begins_then[a + 1]):
            shared[now[members_then[i]]] += 1  # absent: entry -1, which is never read
        for i in range(begins_then[a], begins_then[a + 1]):
            b = now[members_then[i]]
            if b < 0 or shared[b] == 0:
                continue
            # As many on the other side, if the sizes are equal.
            apart = size - shared[b]
            shared[b] = 0  # each pair once
            if not 0 < apart < e or bucket_then[a] != bucket_now[b] or begins_now[b + 1] - begins_now[b] != size:
                continue
            for j in range(begins_then[a], begins_then[a + 1]):
                if now[members_then[j]] != b:
                    found[members_then[j]] = True
            for j in range(begins_now[b], begins_now[b + 1]):
                if then[members_now[j]] != a:
                    found[members_now[j]] = True
        # The other entries were cleared pair by pair.
        shared[-1] = 0


@njit(nogil=True, cache=True)
def equal_pairs(then, now, begins_then, members_then, begins_now, members_now, bucket_then, bucket_now, one, other):
    """Pairs of tuples that two classes of equal values and size differ in, into ``one`` and ``other``; their number.

    Arguments as of :func:`give_away`. Where only one person is left over on each side, the two multisets of the module's
    docstring have one element each: these two persons have the same value.

    A partner B of class A holds all members of A but one. So of any two members of A at least one is in B, and the classes
    of the first two are the only candidates: two look-ups per class instead of a count of all it overlaps with, and two
    pairs at most, which is the room that ``one`` and ``other`` need. A class of one member shares nobody with a partner;
    what it tells its values tell by themselves, and it is passed over.
    """
    count = 0
    for a in range(begins_then.shape[0] - 1):
        start, stop = begins_then[a], begins_then[a + 1]
        for i in range(start, min(start + 2, stop)):
            b = now[members_then[i]]
            # Absent, or the same candidate again.
            if b < 0 or (i > start and b == now[members_then[start]]):
                continue
            if bucket_then[a] != bucket_now[b] or begins_now[b + 1] - begins_now[b] != stop - start:
                continue
            # The sizes are equal, so one person apart here is one apart there. 0 would be the same class twice, which
            # tells nothing.
            apart, left = 0, members_then[start]
            for j in range(start, stop):
                if now[members_then[j]] != b:
                    apart += 1
                    left = members_then[j]
            if apart != 1:
                continue
            for j in range(begins_now[b], begins_now[b + 1]):
                if then[members_now[j]] != a:
                    one[count] = left
                    other[count] = members_now[j]
                    count += 1
    return count
