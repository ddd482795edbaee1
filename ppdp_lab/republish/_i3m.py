"""Compiled I3M+ and I3M-: records come into and leave clusters, which are split and dispersed.

Records are columns of ``codes``; the members of a cluster form a linked list, ``head`` by cluster and ``after`` by
record, -1 at its end. ``turn`` numbers records in the order in which they came in and decides all ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ppdp_lab.anonymize.kmember import extent, find_best_cluster, measure, take_in, widen


class Records(NamedTuple):
    """The records' quasi-identifier codes (columns by records), when they came in, their cluster, and the lists."""

    codes: np.ndarray
    turn: np.ndarray
    cluster_of: np.ndarray
    head: np.ndarray
    after: np.ndarray


@njit(nogil=True, cache=True)
def link(records):
    """Make the lists of members from ``cluster_of``."""
    records.head[:] = -1
    for r in range(records.cluster_of.shape[0]):
        c = records.cluster_of[r]
        if c >= 0:
            records.after[r] = records.head[c]
            records.head[c] = r


@njit(nogil=True, cache=True)
def members_of(records, c, size):
    """The members of cluster c, in turn."""
    members = np.empty(size, dtype=np.int32)
    n = 0
    r = records.head[c]
    while r >= 0:
        # Insertion sort: members are few, seldom more than 2 k.
        i = n
        while i > 0 and records.turn[members[i - 1]] > records.turn[r]:
            members[i] = members[i - 1]
            i -= 1
        members[i] = r
        n += 1
        r = records.after[r]
    return members


@njit(nogil=True, cache=True)
def enroll(records, r, c):
    """Put a record on cluster c's list."""
    records.cluster_of[r] = c
    records.after[r] = records.head[c]
    records.head[c] = r


@njit(nogil=True, cache=True)
def refit(space, records, clusters, c):
    """Measure the box of cluster c from its members."""
    r = records.head[c]
    clusters.low[:, c] = records.codes[:, r]
    clusters.high[:, c] = records.codes[:, r]
    while r >= 0:
        for j in range(clusters.low.shape[0]):
            clusters.low[j, c] = min(clusters.low[j, c], records.codes[j, r])
            clusters.high[j, c] = max(clusters.high[j, c], records.codes[j, r])
        r = records.after[r]
    measure(space, clusters, c)


@njit(nogil=True, cache=True)
def extents_without(space, codes, members, ends, without):
    """Per column, the smallest and largest code of two or more members, and the extents that the loss of one leaves.

    ``ends[j]`` gets the two codes; ``without[j]`` the extents without a member that has neither, the smallest only, the
    largest only, and both.
    """
    for j in range(codes.shape[0]):
        # Second ends count repeated codes: if two members share the smallest one, it stays when one of them goes.
        low = second_low = np.int64(2**32)
        high = second_high = np.int64(-1)
        for r in members:
            code = np.int64(codes[j, r])
            if code < low:
                low, second_low = code, low
            elif code < second_low:
                second_low = code
            if code > high:
                high, second_high = code, high
            elif code > second_high:
                second_high = code
        ends[j, 0], ends[j, 1] = low, high
        # In this order the index is (has the smallest) + 2 * (has the largest).
        without[j, 0] = extent(space, j, low, high)
        without[j, 1] = extent(space, j, second_low, high)
        without[j, 2] = extent(space, j, low, second_high)
        without[j, 3] = 0  # all members have one code


@njit(nogil=True, cache=True)
def split_2k_cluster(space, records, clusters, c, new, k):
    """Move k members of cluster c, one by one, to the empty cluster ``new``: Split2kCluster.

    Each time the member goes that leaves the least information loss in the two together.
    """
    q = records.codes.shape[0]
    members = members_of(records, c, clusters.size[c])
    table = np.zeros(space.offset[q], dtype=np.int32)
    ends = np.empty((q, 2), dtype=np.int64)
    without = np.empty((q, 4), dtype=np.int64)
    staying = members.shape[0]
    for moved in range(k):
        # IL(cl - {r}) for all r at once: who leaves only matters by the ends that leave with them. So a step takes one
        # pass over the members where the loop of Figure 1 would measure the cluster anew for each of them.
        extents_without(space, records.codes, members[:staying], ends, without)
        # The first one to move finds an empty cluster, whose extent with one record is 0 (`table` was made so).
        if moved > 0:
            widen(space, clusters.low[:, new], clusters.high[:, new], table)
        best, where = np.int64(2**62), -1
        for i in range(staying):
            old_extent = new_extent = np.int64(0)
            for j in range(q):
                code = np.int64(records.codes[j, members[i]])
                old_extent += without[j, (code == ends[j, 0]) + 2 * (code == ends[j, 1])]
                new_extent += table[space.offset[j] + code]
            # IL(cl - {r}) + IL(cl_new + {r}) of Split2kCluster, Figure 1; of equal ones the first in turn.
            loss = (staying - 1) * old_extent + (moved + 1) * new_extent
            if loss < best:
                best, where = loss, i
        r = members[where]
        take_in(space, clusters, new, records.codes[:, r])
        enroll(records, r, new)
        staying -= 1
        for i in range(where, staying):
            members[i] = members[i + 1]
    clusters.size[c] = staying
    records.head[c] = -1
    for i in range(staying):
        enroll(records, members[i], c)
    refit(space, records, clusters, c)


@njit(nogil=True, cache=True)
def place(space, records, clusters, n, r, k):
    """Put a record into the best of ``n`` clusters, and split that as long as it holds 2k; return the number of clusters."""
    c = find_best_cluster(space, clusters, n, records.codes[:, r])
    take_in(space, clusters, c, records.codes[:, r])
    enroll(records, r, c)
    # Figure 1 splits once, but IL_Optimization may have let the cluster grow far beyond 2 k. Each split takes k away.
    while clusters.size[c] >= 2 * k:
        split_2k_cluster(space, records, clusters, c, n, k)
        n += 1
    return n


@njit(nogil=True, cache=True)
def insert(space, records, clusters, n, inserted, k):
    """I3M+: place the inserted records, in this order; return the number of clusters."""
    for r in inserted:
        n = place(space, records, clusters, n, r, k)
    return n


@njit(nogil=True, cache=True)
def delete(space, records, clusters, n, deleted, k):
    """I3M-: take the deleted records out and disperse what is left of clusters below k.

    Returns the number of clusters, dissolved ones included, and how many were dispersed. At least k records must stay.
    """
    touched = np.zeros(n, dtype=np.bool_)
    for r in deleted:
        c = records.cluster_of[r]
        records.cluster_of[r] = -1
        clusters.size[c] -= 1
        touched[c] = True
    # Lists are made anew once, where taking out a record from the middle of one would mean to walk through it.
    link(records)
    n_before, dispersed = n, 0
    for c in range(n_before):
        if touched[c] and clusters.size[c] > 0:
            refit(space, records, clusters, c)
    # DisperseLessKCluster, Figure 2. Clusters that splits make meanwhile hold k or more and are not looked at; one that
    # has grown by then to k or more stays.
    for c in range(n_before):
        size = clusters.size[c]
        if size < k:
            members = members_of(records, c, size)
            clusters.size[c] = 0
            records.head[c] = -1
            dispersed += size > 0
            for r in members:
                n = place(space, records, clusters, n, r, k)
    return n, dispersed
