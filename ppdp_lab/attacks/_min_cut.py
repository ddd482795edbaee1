"""Compiled cuts of small undirected graphs, given as a matrix of weights.

Many graphs come as lists of edges, one graph after the other: graph g owns the edges ``begins[g] : begins[g + 1]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def stoer_wagner(weights):
    """Smallest cut of a graph of two or more nodes, and one side of it: (weight, mask). 0 if it is not connected.

    Nodes are added to a growing set, always the one most tightly bound to it; the last one alone is a smallest cut
    between the last two, which are then merged (M. Stoer, F. Wagner, "A simple min-cut algorithm", JACM 1997).
    """
    n = weights.shape[0]
    graph = weights.copy()
    # merged[a] marks the nodes of the original graph that node a stands for by now.
    merged = np.eye(n).astype(np.bool_)
    alive = np.arange(n)
    least = np.int64(-1)
    side = np.zeros(n, dtype=np.bool_)
    # phase + 1 nodes are left, in alive[: phase + 1].
    for phase in range(n - 1, 0, -1):
        # bound[node]: weight of all edges from the node into the growing set.
        bound = graph[alive[0]].copy()
        added = np.zeros(n, dtype=np.bool_)
        added[alive[0]] = True
        before, last = alive[0], alive[0]
        for _ in range(phase):
            before = last
            tightest = np.int64(-1)
            for node in alive[: phase + 1]:
                if not added[node] and bound[node] > tightest:
                    tightest = bound[node]
                    last = node
            added[last] = True
            for node in alive[: phase + 1]:
                bound[node] += graph[last, node]
        # `tightest` is what binds the last node to all others: the cut of the phase.
        if least < 0 or tightest < least:
            least = tightest
            side = merged[last].copy()
        for node in alive[: phase + 1]:
            graph[before, node] += graph[last, node]
            graph[node, before] = graph[before, node]
        # The edge between the two is within one node now, and no cut separates it any more.
        graph[before, before] = 0
        for node in range(n):
            merged[before, node] |= merged[last, node]
        kept = 0
        for i in range(phase + 1):
            if alive[i] != last:
                alive[kept] = alive[i]
                kept += 1
    return least, side


@njit(nogil=True, cache=True)
def max_flow(weights, source, sink, residual, reached):
    """Largest flow between two nodes; ``reached`` then marks the source's side of a smallest cut between them."""
    n = weights.shape[0]
    residual[:] = weights
    came_from = np.empty(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    flow = np.int64(0)
    while True:
        reached[:] = False
        reached[source] = True
        queue[0] = source
        head, tail = 0, 1
        while head < tail and not reached[sink]:
            node = queue[head]
            head += 1
            for other in range(n):
                if not reached[other] and residual[node, other] > 0:
                    reached[other] = True
                    came_from[other] = node
                    queue[tail] = other
                    tail += 1
        if not reached[sink]:
            return flow
        most = residual[came_from[sink], sink]
        node = sink
        while node != source:
            most = min(most, residual[came_from[node], node])
            node = came_from[node]
        node = sink
        while node != source:
            residual[came_from[node], node] -= most
            residual[node, came_from[node]] += most
            node = came_from[node]
        flow += most


@njit(nogil=True, cache=True)
def pair_cuts(weights):
    """Smallest cut between every two nodes, by one flow per node (D. Gusfield, SIAM J. Computing 1990)."""
    n = weights.shape[0]
    parent = np.zeros(n, dtype=np.int64)
    cuts = np.zeros((n, n), dtype=np.int64)
    residual = np.empty_like(weights)
    reached = np.empty(n, dtype=np.bool_)
    for node in range(1, n):
        # An equivalent flow tree: the parent of a node comes before it, so row parent[node] of `cuts` is filled up to
        # here.
        flow = max_flow(weights, node, parent[node], residual, reached)
        for other in range(node + 1, n):
            # A later node on this node's side of the cut, under the same parent so far, is cut off from that parent
            # together with this node: it hangs below this node from now on.
            if reached[other] and parent[other] == parent[node]:
                parent[other] = node
        for other in range(node):
            # The smallest flow along the path in the tree.
            cut = flow if other == parent[node] else min(flow, cuts[parent[node], other])
            cuts[node, other] = cut
            cuts[other, node] = cut
    return cuts


@njit(nogil=True, cache=True)
def components(weights):
    """Number of each node's connected component, and how many there are."""
    n = weights.shape[0]
    label = np.full(n, -1, dtype=np.int64)
    stack = np.empty(n, dtype=np.int64)
    count = 0
    for start in range(n):
        if label[start] >= 0:
            continue
        label[start] = count
        stack[0] = start
        depth = 1
        while depth:
            depth -= 1
            node = stack[depth]
            for other in range(n):
                if label[other] < 0 and weights[node, other] > 0:
                    label[other] = count
                    stack[depth] = other
                    depth += 1
        count += 1
    return label, count


@njit(nogil=True, cache=True)
def matrix_of(begin, end, tail, head, weight, n_nodes):
    """One graph's edges as a matrix over the nodes that have any, and which nodes these are."""
    number = np.full(n_nodes, -1, dtype=np.int64)
    for i in range(begin, end):
        number[tail[i]] = 0
        number[head[i]] = 0
    nodes = np.flatnonzero(number == 0)
    for i in range(len(nodes)):
        number[nodes[i]] = i
    weights = np.zeros((len(nodes), len(nodes)), dtype=np.int64)
    for i in range(begin, end):
        a, b = number[tail[i]], number[head[i]]
        weights[a, b] += weight[i]
        weights[b, a] += weight[i]
    return weights, nodes


@njit(nogil=True, cache=True)
def smallest_cuts(begins, tail, head, weight, n_nodes):
    """Smallest cut within any connected component, per graph; -1 for a graph without edges."""
    n_graphs = begins.shape[0] - 1
    out = np.full(n_graphs, -1, dtype=np.int64)
    for g in range(n_graphs):
        weights, _ = matrix_of(begins[g], begins[g + 1], tail, head, weight, n_nodes)
        label, count = components(weights)
        for c in range(count):
            # Every node has an edge here, so a component has two nodes or more; the paper leaves the cut of a single
            # node undefined (Example 10).
            members = np.flatnonzero(label == c)
            cut, _ = stoer_wagner(weights[members][:, members])
            if out[g] < 0 or cut < out[g]:
                out[g] = cut
    return out


@njit(nogil=True, cache=True)
def edge_cuts(begins, tail, head, weight, n_nodes):
    """Smallest cut between the two ends of every edge."""
    out = np.empty(tail.shape[0], dtype=np.int64)
    number = np.empty(n_nodes, dtype=np.int64)
    for g in range(begins.shape[0] - 1):
        weights, nodes = matrix_of(begins[g], begins[g + 1], tail, head, weight, n_nodes)
        for i in range(len(nodes)):
            number[nodes[i]] = i
        cuts = pair_cuts(weights)
        for i in range(begins[g], begins[g + 1]):
            out[i] = cuts[number[tail[i]], number[head[i]]]
    return out
