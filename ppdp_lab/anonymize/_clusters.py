"""Extents of boxes in whole units, so that sums of information loss are exact and equal losses compare as equal."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ppdp_lab.table import Domain, Microdata
from ppdp_lab.table.domain import ORDERED
from ppdp_lab.table.grouping import extremes

LIMIT = 2**30  # extents stay below it, so that two of them can be added in 32 bits


class Space(NamedTuple):
    """How far apart the values of each quasi-identifier lie, in units of 1 / ``scale``.

    The values of column j have the entries ``offset[j] .. offset[j + 1]`` of ``place``. For a number this is its
    position on the line; for the leaf of a tree, the height of the lowest node above it and the next leaf. As leaves
    are numbered depth first, the highest such step between two leaves is the height of their lowest common ancestor.
    """

    offset: np.ndarray
    is_tree: np.ndarray
    place: np.ndarray
    scale: int

    @staticmethod
    def of(table: Microdata) -> Space:
        """The space of a table's quasi-identifiers; a domain's whole span, or a tree's height, is 1.

        Text without a hierarchy is a tree of height 1. The unit is the common denominator of all extents, or, where 32
        bits do not hold that (positions that are no whole numbers, very long ranges), the smallest that they do hold.
        """
        domains = table.qi_domains
        # The extents of all columns together, each at most `scale`, must stay below the limit.
        finest = (LIMIT - 1) // len(domains)
        scale = 1
        for domain in domains:
            steps = _steps(domain)
            # In units of one over the least common multiple every extent of every column is a whole number: losses that
            # are equal on paper are equal here, and ties do not depend on rounding.
            scale = finest + 1 if steps is None else math.lcm(scale, steps)
            if scale > finest:
                scale = finest
                break
        offset = np.zeros(len(domains) + 1, dtype=np.int64)
        np.cumsum([len(domain) for domain in domains], out=offset[1:])
        place = np.concatenate([_place(domain, scale) for domain in domains])
        return Space(offset, np.array([domain.kind != ORDERED for domain in domains]), place, scale)


def _steps(domain: Domain) -> int | None:
    """Number of equal steps that every distance within a domain is a multiple of; None if there is none."""
    if domain.kind != ORDERED:
        return _tree_height(domain)
    distance = domain.coordinates - domain.coordinates[0]
    span = distance[-1]  # up to the missing value, if there is one
    if span == 0:
        return 1
    # Above 2^53 whole numbers are not exact in floating point.
    if (distance % 1 != 0).any() or span >= 2**53:
        return None
    return int(span) // int(np.gcd.reduce(distance.astype(np.int64)))


def _place(domain: Domain, scale: int) -> np.ndarray:
    if domain.kind != ORDERED:
        # The last leaf has no next one; its entry is never read between two leaves.
        place = np.append(_tree_steps(domain), 0) * (scale / _tree_height(domain))
    else:
        distance = domain.coordinates - domain.coordinates[0]
        place = distance / (distance[-1] or 1.0) * scale
    return np.rint(place).astype(np.int32)


def _tree_height(domain: Domain) -> int:
    return 1 if domain.hierarchy is None else max(int(domain.hierarchy.node_height[-1]), 1)


def _tree_steps(domain: Domain) -> np.ndarray:
    """Height of the lowest common ancestor of each leaf and the next."""
    tree = domain.hierarchy
    if tree is None:
        return np.ones(len(domain) - 1, dtype=np.int32)
    leaf = np.arange(len(domain) - 1)
    return tree.node_height[tree.lca(leaf, leaf + 1)]


@njit(nogil=True, cache=True)
def extent(space, j, low, high):
    """Extent of column j of a box from code ``low`` to code ``high``."""
    first, last = space.offset[j] + low, space.offset[j] + high
    if not space.is_tree[j]:
        return space.place[last] - space.place[first]
    most = np.int32(0)
    # Steps between neighbours from the first leaf to the last; the highest one is the height of their lowest common
    # ancestor, as leaves are numbered depth first.
    for i in range(first, last):
        most = max(most, space.place[i])
    return most


@njit(nogil=True, cache=True)
def widen(space, low, high, table):
    """Extent of each column if the box from ``low`` to ``high`` takes in a value, for all values of all columns."""
    place = space.place
    for j in range(low.shape[0]):
        begin, end = space.offset[j], space.offset[j + 1]
        first, last = begin + low[j], begin + high[j]
        if space.is_tree[j]:
            inside = extent(space, j, low[j], high[j])
            for i in range(first, last + 1):
                table[i] = inside
            # Further out, each value adds one more step to those that the value before it had to climb.
            for i in range(last + 1, end):
                table[i] = max(table[i - 1], place[i - 1])
            for i in range(first - 1, begin - 1, -1):
                table[i] = max(table[i + 1], place[i])
        else:
            for i in range(begin, end):
                table[i] = max(place[i], place[last]) - min(place[i], place[first])


# --------------------------------------------------------------------
# Clusters of records as arrays: their boxes, extents and sizes, and the cluster that takes in a record best.


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
