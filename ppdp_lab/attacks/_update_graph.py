"""Compiled update graphs: what is left of every record's graph, and what its feasible paths weigh.

A record's graph has a level for each release that holds it. The nodes of a level are the values of the record's group there,
with their shares as weights; an edge leads from a value to one that it may have become. A node lies on a feasible path
exactly if it can be reached from the first level and can reach the last one: one pass each way, in place of the repeated
deletions of Definition 11. The weight of all paths through a node is the product of two sums, over their parts before and
after it, which are made level by level. No path is ever listed: a graph of L levels with s nodes has up to s^L of them, and
takes L s^2 steps here (F. Li, S. Zhou, "Challenging more updates", 2008, section III).
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def edge_weights(matrix, before, after, alive_before, alive_after, equal, out):
    """Weights of the edges between two levels into ``out``: chances, or equal shares of what each node may become."""
    for j in range(before.shape[0]):
        degree = 0
        for k in range(after.shape[0]):
            chance = matrix[before[j], after[k]]
            feasible = alive_before[j] and alive_after[k] and chance > 0
            out[j, k] = chance if feasible else 0.0
            degree += feasible
        if equal and degree:
            for k in range(after.shape[0]):
                if out[j, k] > 0:
                    out[j, k] = 1.0 / degree


@njit(nogil=True, cache=True)
def update_risks_of(
    begins, unit, step, truth, offsets, values, counts, matrices, equal, nodes, left, largest, likeliest, risk, masks
):
    """Fill, per version of every record, what is known of it once all its versions are published.

    Record r has versions ``begins[r] : begins[r + 1]``, oldest first. Version i stands in ``unit[i]``, which holds
    ``counts[c]`` times ``values[c]`` for c in ``offsets[u] : offsets[u + 1]``; ``matrices[step[i]]`` says what the values of
    the version before may have become by then; ``truth[i]`` is its true value, or -1. Filled are the numbers of nodes and of
    nodes left, the largest probability of a node and its value, that of the true value, and the values left as bits.
    """
    most = 1
    for u in range(offsets.shape[0] - 1):
        most = max(most, offsets[u + 1] - offsets[u])
    longest = 1
    for r in range(begins.shape[0] - 1):
        longest = max(longest, begins[r + 1] - begins[r])
    alive = np.zeros((longest, most), dtype=np.bool_)
    ahead = np.zeros((longest, most))  # sums over the parts of paths up to a node, the node included
    behind = np.zeros((longest, most))  # and over their parts after it
    edge = np.zeros((longest, most, most))
    for r in range(begins.shape[0] - 1):
        first, n = begins[r], begins[r + 1] - begins[r]
        # Reached from the first level ...
        for i in range(n):
            a, b = offsets[unit[first + i]], offsets[unit[first + i] + 1]
            for k in range(b - a):
                alive[i, k] = i == 0
                if i:
                    matrix = matrices[step[first + i]]
                    start = offsets[unit[first + i - 1]]
                    for j in range(offsets[unit[first + i - 1] + 1] - start):
                        if alive[i - 1, j] and matrix[values[start + j], values[a + k]] > 0:
                            alive[i, k] = True
                            break
        # ... and reaching the last one, as far as both is the case behind it.
        for i in range(n - 2, -1, -1):
            a, b = offsets[unit[first + i]], offsets[unit[first + i] + 1]
            matrix = matrices[step[first + i + 1]]
            start = offsets[unit[first + i + 1]]
            for j in range(b - a):
                if alive[i, j]:
                    alive[i, j] = False
                    for k in range(offsets[unit[first + i + 1] + 1] - start):
                        if alive[i + 1, k] and matrix[values[a + j], values[start + k]] > 0:
                            alive[i, j] = True
                            break
        # Sums are kept at a total of 1 per level: long series would leave the range of a float.
        for i in range(n):
            a, b = offsets[unit[first + i]], offsets[unit[first + i] + 1]
            total = 0.0
            if i:
                c, d = offsets[unit[first + i - 1]], offsets[unit[first + i - 1] + 1]
                edge_weights(
                    matrices[step[first + i]], values[c:d], values[a:b], alive[i - 1], alive[i], equal, edge[i]
                )
            for k in range(b - a):
                into = 1.0
                if i:
                    into = 0.0
                    for j in range(d - c):
                        into += ahead[i - 1, j] * edge[i, j, k]
                ahead[i, k] = counts[a + k] * into if alive[i, k] else 0.0
                total += ahead[i, k]
            if total > 0:
                for k in range(b - a):
                    ahead[i, k] /= total
        for i in range(n - 1, -1, -1):
            a, b = offsets[unit[first + i]], offsets[unit[first + i] + 1]
            total = 0.0
            for j in range(b - a):
                out = 1.0
                if i + 1 < n:
                    c, d = offsets[unit[first + i + 1]], offsets[unit[first + i + 1] + 1]
                    out = 0.0
                    for k in range(d - c):
                        out += edge[i + 1, j, k] * counts[c + k] * behind[i + 1, k]
                behind[i, j] = out if alive[i, j] else 0.0
                total += behind[i, j]
            if total > 0:
                for j in range(b - a):
                    behind[i, j] /= total
            at = first + i
            nodes[at] = b - a
            total = 0.0
            for j in range(b - a):
                total += ahead[i, j] * behind[i, j]
                if alive[i, j]:
                    left[at] += 1
                    v = values[a + j]
                    if masks.shape[0]:
                        masks[at, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
            for j in range(b - a):
                if alive[i, j]:
                    p = ahead[i, j] * behind[i, j] / total
                    if p > largest[at]:
                        largest[at] = p
                        likeliest[at] = values[a + j]
                    if values[a + j] == truth[at]:
                        risk[at] = p
