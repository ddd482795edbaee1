"""Compiled walk through the lattice."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def greedy_path(state, strides, top, costs, start):
    """Nodes from ``start`` upwards, one per row: always the cheapest direct successor that is not tagged.

    ``state`` is flat, ``costs[i, level]`` is what a level of attribute i costs. Ties go to the first attribute.
    """
    q = top.shape[0]
    # The longest path goes up one level at a time to the top.
    path = np.empty((top.sum() - start.sum() + 1, q), dtype=np.int64)
    path[0] = start
    # Where the node stands in the flat array; one level up in attribute i is strides[i] further.
    position = 0
    for i in range(q):
        position += strides[i] * start[i]
    length = 1
    while True:
        node = path[length - 1]
        best = -1
        cheapest = 0
        for i in range(q):
            level = node[i]
            if level < top[i] and state[position + strides[i]] == 0:
                # All successors have the same height, so the second and third criterion decide; they are sums over
                # attributes, hence it is enough to compare what the one step adds.
                more = costs[i, level + 1] - costs[i, level]
                if best < 0 or more < cheapest:
                    best = i
                    cheapest = more
        if best < 0:
            return path[:length]
        path[length] = node
        path[length, best] += 1
        position += strides[best]
        length += 1
