"""Compiled earth mover's distances between each class and the whole table.

The three ground distances are those of N. Li, T. Li, S. Venkatasubramanian, "t-Closeness: privacy beyond k-anonymity and
l-diversity", ICDE 2007. Class c owns the cells ``offsets[c] : offsets[c + 1]``, sorted by value; ``whole`` holds each value's
share of the table.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def emd_equal(offsets, values, counts, sizes, whole):
    """Equal ground distance: half the total variation. Values that a class lacks keep their whole share."""
    out = np.zeros(sizes.shape[0])
    for c in range(sizes.shape[0]):
        # What the values that the class lacks have of the table: each would add |0 - q| = q, so they need not be
        # visited.
        rest = 1.0
        distance = 0.0
        for cell in range(offsets[c], offsets[c + 1]):
            q = whole[values[cell]]
            distance += abs(counts[cell] / sizes[c] - q)
            rest -= q
        # Sums of shares may miss 1 by rounding; what is left of it must not become negative.
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
            # carried = P(values up to here) - Q(values up to here): what must cross the gap to the next value, in
            # either direction.
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
        # extra[value] > 0 is mass of the class that must move away, < 0 mass that it lacks; below a node it cancels as
        # far as it can at no more than the node's height, and only the remainder goes on to the next level.
        for level in range(1, height + 1):
            value = 0
            # Leaves are numbered depth first: the leaves of a node, and of each child within it, lie side by side.
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
                # The smaller one is matched within this node, at its height as a share of the tree's; the larger one's
                # surplus moves further up, where it counts as this node's `total`.
                distance += min(up, down) * node_height[parent] / node_height[-1]
        out[c] = distance
    return out
