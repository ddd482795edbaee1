"""Compiled flow for e-equivalence: how tightly a bucket's new snapshot is bound to the present.

A bucket graph (Algorithm 1 of [1]_) has a node for every snapshot of the bucket and node 0 for the present. A record is an
edge from the snapshot it came with to the one it was gone in, or to node 0.

**Why cuts.** Theorem 2 of [1]_, whose proof is not printed: an attack with e persons on each side needs a cut of weight
2 e at most. In delta encoding an attack gives each node i a weight w_i, with w_0 = 0, and a record that came at a and left at b
counts w_a - w_b times, a whole number (Definition 10), zero for whoever is not part of the attack; the absolute values add
up to 2 e. Some edge has w_a different from w_b. Take the nodes of its component whose weight is w_a on one side and the
others on the other: neither side is empty, and every edge between them has different weights at its ends, so it adds at
least 1 to the sum. Hence the cut weighs 2 e at most. If every cut within a component weighs more than 2 (e - 1), there
is no attack with fewer than e persons.

**Why one flow per bucket.** A release adds one node. The edges of records that are gone now move their end from node 0
to the new node, and the records that come are edges between these two. A cut with both of them on one side weighs what
it weighed before: an edge that moved crosses it as before, and one between the two does not cross it. So it is large
enough, as it was then, or it parts no component. Every cut that separates them weighs at least as much as the greatest
flow between them, and one weighs just that (Ford and Fulkerson). So only that flow can newly be too small; and s more
records in the bucket are s more direct edges, which cross each of these cuts: they raise the flow by s exactly.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

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
    # Shortest augmenting paths (Edmonds and Karp). Weights are whole, so each path carries 1 or more.
    while flow <= limit:
        # came_from[node]: the node before it on the path, -1 while it was not reached.
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
        # No path is left: what was reached is one side of a smallest cut, and the flow is its weight.
        if came_from[sink] < 0:
            return flow
        most = weights[came_from[sink], sink]
        node = sink
        while node != source:
            most = min(most, weights[came_from[node], node])
            node = came_from[node]
        node = sink
        while node != source:
            # The matrix is the residual graph: what flows one way may be sent back the other way.
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
        # Direct edges cross every cut between the two, so the flow is at least that; for a large bucket this settles it.
        if direct > limit:
            out[g] = direct
            continue
        weights[:] = 0
        for i in range(begins[g], begins[g + 1]):
            weights[tail[i], head[i]] += weight[i]
            weights[head[i], tail[i]] += weight[i]
        out[g] = bounded_flow(weights, newest, 0, limit)
    return out
