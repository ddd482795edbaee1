"""Compiled IL_Optimization: clusters whose members all lie within other clusters are broken up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ppdp_lab.anonymize.kmember import Clusters, Space
from ppdp_lab.republish._i3m import enroll

# Entries of all lists together, 256 MB: wide clusters in a column of many values would fill more.
_MOST_LISTED = 2**26


class Cover(NamedTuple):
    """What each cluster's generalization covers, made ready to find who covers a record.

    ``limits`` (clusters by columns) holds the first and last code covered, and ``cluster`` the number, in ascending order
    of extent, which is the loss per record. The clusters that cover value v of column ``column`` stand at the positions
    ``listed[begin[v]] .. listed[begin[v + 1]]``, in the same order.
    """

    limits: np.ndarray
    cluster: np.ndarray
    column: int
    begin: np.ndarray
    listed: np.ndarray

    @staticmethod
    def of(space: Space, clusters: Clusters, codes: np.ndarray) -> Cover:
        """The cover of the clusters that are not empty, listed by the column that makes lists shortest for records."""
        alive = np.flatnonzero(clusters.size)
        by_extent = alive[np.argsort(clusters.extent[alive], kind="stable")]
        limits = reach(space, clusters, by_extent)
        best, column, counts = np.inf, 0, np.zeros(0, dtype=np.int64)
        for j, size in enumerate(np.diff(space.offset)):
            low, high = limits[:, j, 0].astype(np.int64), limits[:, j, 1].astype(np.int64)
            # Clusters that begin and that end before each value; their running difference is how many cover it.
            starts, ends = np.bincount(low, minlength=size + 1), np.bincount(high + 1, minlength=size + 1)
            covering = np.cumsum(starts - ends)[:size]
            # How many clusters all records together would be compared with.
            looked_at = float(np.dot(covering, np.bincount(codes[j], minlength=size)))
            if looked_at < best and covering.sum() < _MOST_LISTED:
                best, column, counts = looked_at, j, covering
        if best == np.inf:  # no list fits: one that holds every cluster
            return Cover(limits, by_extent, -1, np.array([0, len(alive)]), np.arange(len(alive), dtype=np.int32))
        begin = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=begin[1:])
        listed = np.empty(begin[-1], dtype=np.int32)
        fill_lists(limits, column, begin, listed)
        return Cover(limits, by_extent, column, begin, listed)


@njit(nogil=True, cache=True)
def reach(space, clusters, order):
    """The codes that each cluster's generalization covers: (clusters in ``order``, columns, first and last code).

    A number's are those of the interval; a tree's are all leaves below the lowest common ancestor, that is as far as the
    steps between leaves are no higher than it.
    """
    q = space.is_tree.shape[0]
    out = np.empty((order.shape[0], q, 2), dtype=np.uint32)
    for i in range(order.shape[0]):
        c = order[i]
        for j in range(q):
            low, high = np.int64(clusters.low[j, c]), np.int64(clusters.high[j, c])
            if space.is_tree[j]:
                # place[v] is the height of the step from leaf v to the next one.
                place = space.place[space.offset[j] : space.offset[j + 1]]
                while low > 0 and place[low - 1] <= clusters.extents[j, c]:
                    low -= 1
                while high < place.shape[0] - 1 and place[high] <= clusters.extents[j, c]:
                    high += 1
            out[i, j, 0], out[i, j, 1] = low, high
    return out


@njit(nogil=True, cache=True)
def fill_lists(limits, column, begin, listed):
    """Enter each position in the list of every value that it covers."""
    at = begin.copy()
    for i in range(limits.shape[0]):
        for v in range(limits[i, column, 0], limits[i, column, 1] + 1):
            listed[at[v]] = i
            at[v] += 1


@njit(nogil=True, cache=True)
def cheapest_cover(cover, clusters, codes, own, below):
    """The cluster of least extent, under ``below``, that covers a record of cluster ``own``; -1 if there is none."""
    value = np.int64(codes[cover.column]) if cover.column >= 0 else 0
    for at in range(cover.begin[value], cover.begin[value + 1]):
        i = cover.listed[at]
        c = cover.cluster[i]
        # The list is in ascending order of extent: whatever follows is at least as dear.
        if clusters.extent[c] >= below:
            return -1
        # Definition 6: a record is not covered by its own cluster, nor by one that was broken up meanwhile.
        if c == own or clusters.size[c] == 0:
            continue
        covered = True
        for j in range(codes.shape[0]):
            if codes[j] < cover.limits[i, j, 0] or codes[j] > cover.limits[i, j, 1]:
                covered = False
                break
        if covered:
            return c
    return -1


@njit(nogil=True, cache=True)
def optimal_break(cover, clusters, records, c, loss, target):
    """ComputeOptimalBreak: the cheapest covering cluster of each member of c, into ``target``; return their loss together.

    Gives up and returns -1 as soon as a member is not covered, or the break cannot stay below ``loss``.
    """
    total = np.int64(0)
    r = records.head[c]
    while r >= 0:
        # Where a record is covered gen(cl) does not change, so it adds just the extent of the cluster that it goes to:
        # each record may choose for itself, and the sum is the optimal break (Definition 10). It is interesting
        # (Definition 9) if the sum is below the loss of the cluster that is broken, hence the bound.
        target[r] = cheapest_cover(cover, clusters, records.codes[:, r], c, loss - total)
        if target[r] < 0:
            return np.int64(-1)
        total += clusters.extent[target[r]]
        r = records.after[r]
    return total


@njit(nogil=True, cache=True)
def admit(records, clusters, r, c):
    """Move a record to a cluster that covers it: in a tree the codes may go further apart below the same node."""
    for j in range(records.codes.shape[0]):
        clusters.low[j, c] = min(clusters.low[j, c], records.codes[j, r])
        clusters.high[j, c] = max(clusters.high[j, c], records.codes[j, r])
    clusters.size[c] += 1
    enroll(records, r, c)


@njit(nogil=True, cache=True)
def optimize(cover, records, clusters, by_loss):
    """IL_Optimization: break each cluster whose optimal break is interesting; return how many were broken.

    ``by_loss`` holds the clusters in the order in which they are tried. Generalizations do not change, because a record
    only goes where it is covered: so a cluster that is not totally covered at first never will be, and need not be told
    apart beforehand.
    """
    target = np.empty(records.cluster_of.shape[0], dtype=np.int32)
    broken = 0
    # Figure 3 of the paper: in descending order of loss.
    for c in by_loss:
        loss = np.int64(clusters.size[c]) * clusters.extent[c]
        if optimal_break(cover, clusters, records, c, loss, target) < 0:
            continue
        r = records.head[c]
        while r >= 0:
            # Before the record is put on another list.
            following = records.after[r]
            admit(records, clusters, r, target[r])
            r = following
        records.head[c] = -1
        clusters.size[c] = 0
        broken += 1
    return broken


@njit(nogil=True, cache=True)
def is_covered(cover, clusters, records):
    """Whether each record is covered by a cluster other than its own."""
    covered = np.zeros(records.cluster_of.shape[0], dtype=np.bool_)
    for r in range(covered.shape[0]):
        own = records.cluster_of[r]
        if own >= 0:
            covered[r] = cheapest_cover(cover, clusters, records.codes[:, r], own, np.int64(2**62)) >= 0
    return covered
