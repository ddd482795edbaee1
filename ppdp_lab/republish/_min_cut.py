"""Compiled flow for e-equivalence: how tightly a bucket's new snapshot is bound to the present."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def bounded_flow(weights, source, sink, limit):
    """Flow between two nodes of an undirected graph, exact up to ``limit``, else any number above it.

    ``weights`` is used up. Paths are found breadth first; flow above the limit is of no interest, so at most
    ``limit + 1`` paths are sent.
    """
    n = weights.shape[0]
    came_from = np.empty(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    flow = np.int64(0)
    while flow <= limit:
        came_from[:] = -1
        came_from[source] = source
        queue[0] = source
        head, tail = 0, 1
        while head < tail and came_from[sink] < 0:
            node = queue[head]
            head += 1
            for other in range(n):
                if came_from[other] < 0 and weights[node, other] > 0:
                    came_from[other] = node
                    queue[tail] = other
                    tail += 1
        if came_from[sink] < 0:
            return flow
        most = weights[came_from[sink], sink]
        node = sink
        while node != source:
            most = min(most, weights[came_from[node], node])
            node = came_from[node]
        node = sink
        while node != source:
            weights[came_from[node], node] -= most
            weights[node, came_from[node]] += most
            node = came_from[node]
        flow += most
    return flow


@njit(nogil=True, cache=True)
def flows_to_present(begins, tail, head, weight, n_nodes, newest, limit):
    """Per bucket graph, the flow between node ``newest`` and node 0, exact up to ``limit``.

    Graph g owns the edges ``begins[g] : begins[g + 1]``; an edge may be listed in parts.
    """
    n_graphs = begins.shape[0] - 1
    out = np.zeros(n_graphs, dtype=np.int64)
    weights = np.zeros((n_nodes, n_nodes), dtype=np.int64)
    for g in range(n_graphs):
        direct = np.int64(0)
        for i in range(begins[g], begins[g + 1]):
            if tail[i] == newest and head[i] == 0:
                direct += weight[i]
        if direct > limit:
            out[g] = direct
            continue
        weights[:] = 0
        for i in range(begins[g], begins[g + 1]):
            weights[tail[i], head[i]] += weight[i]
            weights[head[i], tail[i]] += weight[i]
        out[g] = bounded_flow(weights, newest, 0, limit)
    return out
