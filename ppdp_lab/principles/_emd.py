"""Compiled earth mover's distances between each class and the whole table."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def emd_equal(offsets, values, counts, sizes, whole):
    """Equal ground distance: half the total variation. Values that a class lacks keep their whole share."""
    out = np.zeros(sizes.shape[0])
    for c in range(sizes.shape[0]):
        rest = 1.0
        distance = 0.0
        for cell in range(offsets[c], offsets[c + 1]):
            q = whole[values[cell]]
            distance += abs(counts[cell] / sizes[c] - q)
            rest -= q
        out[c] = 0.5 * (distance + max(rest, 0.0))
    return out


@njit(nogil=True, cache=True)
def emd_ordered(offsets, values, counts, sizes, whole):
    """Ordered ground distance |i - j| / (m - 1): the mass that must cross each gap between neighbours."""
    m = whole.shape[0]
    out = np.zeros(sizes.shape[0])
    if m < 2:
        return out
    for c in range(sizes.shape[0]):
        cell = offsets[c]
        carried = 0.0
        distance = 0.0
        for value in range(m):
            carried -= whole[value]
            if cell < offsets[c + 1] and values[cell] == value:
                carried += counts[cell] / sizes[c]
                cell += 1
            distance += abs(carried)
        out[c] = distance / (m - 1)
    return out


@njit(nogil=True, cache=True)
def emd_tree(offsets, values, counts, sizes, whole, ancestors, node_height):
    """Hierarchical ground distance height(lowest common ancestor) / height.

    Mass that cannot be matched below a node moves within it: min(surplus, lack) of its children, at the node's height.
    """
    height = ancestors.shape[0] - 1
    out = np.zeros(sizes.shape[0])
    if node_height[-1] == 0:  # one value only
        return out
    m = whole.shape[0]
    extra = np.zeros(m)
    for c in range(sizes.shape[0]):
        for value in range(m):
            extra[value] = -whole[value]
        for cell in range(offsets[c], offsets[c + 1]):
            extra[values[cell]] += counts[cell] / sizes[c]
        distance = 0.0
        for level in range(1, height + 1):
            value = 0
            while value < m:
                parent = ancestors[level, value]
                up = 0.0
                down = 0.0
                while value < m and ancestors[level, value] == parent:
                    child = ancestors[level - 1, value]
                    total = 0.0
                    while value < m and ancestors[level - 1, value] == child:
                        total += extra[value]
                        value += 1
                    if total > 0.0:
                        up += total
                    else:
                        down -= total
                distance += min(up, down) * node_height[parent] / node_height[-1]
        out[c] = distance
    return out
