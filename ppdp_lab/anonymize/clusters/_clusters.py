"""Clusters of records as arrays: their boxes, extents and sizes, and the cluster that takes in a record best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ppdp_lab.anonymize.clusters._extents import Space, extent, widen
from ppdp_lab.table.keys import extremes

# Clusters are looked at in blocks: the running sums of a block (4 kB) stay in the first-level cache while column after
# column is added to them.
BLOCK = 1024
NEVER = np.int64(2**62)


class Clusters(NamedTuple):
    """Boxes (columns by clusters, smallest and largest code) with their extents by column and in sum, and sizes.

    A cluster of size 0 is none: it was dissolved, or it is room for new ones. Information loss is size times extent.
    """

    low: np.ndarray
    high: np.ndarray
    extents: np.ndarray
    extent: np.ndarray
    size: np.ndarray

    @staticmethod
    def empty(q: int, room: int) -> Clusters:
        """Room for clusters."""
        return Clusters(
            np.zeros((q, room), dtype=np.uint32),
            np.zeros((q, room), dtype=np.uint32),
            np.zeros((q, room), dtype=np.int32),
            np.zeros(room, dtype=np.int32),
            np.zeros(room, dtype=np.int32),
        )

    @staticmethod
    def around(space: Space, codes: np.ndarray, cluster_of: np.ndarray, n: int) -> Clusters:
        """The clusters of records, measured from scratch; -1 stands for no cluster."""
        clusters = Clusters.empty(len(codes), n)
        # Larger than any code, so that the first record of a cluster sets its low end; high begins at 0, the smallest
        # code.
        clusters.low[:] = 2**32 - 1
        for column, low, high in zip(codes, clusters.low, clusters.high):
            extremes(cluster_of, column, low, high)
        clusters.size[:] = np.bincount(cluster_of[cluster_of >= 0], minlength=n)
        clusters.low[:, clusters.size == 0] = 0
        measure_all(space, clusters)
        return clusters

    def loss(self) -> int:
        """Information loss of all clusters, in units."""
        return int(np.dot(self.size.astype(np.int64), self.extent.astype(np.int64)))


@njit(nogil=True, cache=True)
def measure(space, clusters, c):
    """Extents of cluster c, from its box."""
    total = np.int32(0)
    for j in range(clusters.low.shape[0]):
        clusters.extents[j, c] = extent(space, j, clusters.low[j, c], clusters.high[j, c])
        total += clusters.extents[j, c]
    clusters.extent[c] = total


@njit(nogil=True, cache=True)
def measure_all(space, clusters):
    """Extents of all clusters, from their boxes."""
    for c in range(clusters.size.shape[0]):
        measure(space, clusters, c)


@njit(nogil=True, cache=True)
def take_in(space, clusters, c, codes):
    """Add a record to cluster c."""
    for j in range(codes.shape[0]):
        # An empty cluster has no box that could be widened.
        if clusters.size[c] == 0:
            clusters.low[j, c] = clusters.high[j, c] = codes[j]
        clusters.low[j, c] = min(clusters.low[j, c], codes[j])
        clusters.high[j, c] = max(clusters.high[j, c], codes[j])
    clusters.size[c] += 1
    measure(space, clusters, c)


@njit(nogil=True, cache=True)
def find_best_cluster(space, clusters, n, codes):
    """The first of ``n`` clusters whose information loss a record raises least; -1 if all are empty.

    A cluster of s records and extent d that grows to extent e loses (s + 1) e - s d more.
    """
    # table[offset[j] + v]: extent of column j of a box that holds the record and value v.
    table = np.empty(space.offset[-1], dtype=np.int32)
    widen(space, codes, codes, table)
    grown = np.empty(BLOCK, dtype=np.int32)
    best, where = NEVER, -1
    for begin in range(0, n, BLOCK):
        end = min(begin + BLOCK, n)
        m = end - begin
        grown[:m] = 0
        for j in range(codes.shape[0]):
            row = table[space.offset[j] : space.offset[j + 1]]
            low, high, own = clusters.low[j, begin:end], clusters.high[j, begin:end], clusters.extents[j, begin:end]
            # a box and a value span the longest of three: the box itself, and the value to either end of it;
            # in a tree both ends tell the same, or less than the box
            if space.is_tree[j]:
                for i in range(m):
                    grown[i] += max(own[i], row[low[i]])
            else:
                for i in range(m):
                    grown[i] += max(own[i], max(row[low[i]], row[high[i]]))
        size, before = clusters.size[begin:end], clusters.extent[begin:end]
        # Two passes, the least cost and then who has it: a bare minimum runs in vector instructions, the place of a
        # minimum does not.
        least = NEVER
        for i in range(m):
            # (s + 1) e - s d, written as e + s (e - d): FindBestCluster of I3M minimizes this increase.
            more = np.int64(grown[i]) + np.int64(size[i]) * np.int64(grown[i] - before[i])
            least = min(least, more if size[i] > 0 else NEVER)
        if least < best:
            best = least
            for i in range(m):
                if size[i] > 0 and np.int64(grown[i]) + np.int64(size[i]) * np.int64(grown[i] - before[i]) == least:
                    where = begin + i
                    break
    return where
