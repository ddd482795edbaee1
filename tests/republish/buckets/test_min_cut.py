"""Cuts and flows of small graphs, against networkx and against a search through all bipartitions."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ppdp_lab.attacks._min_cut import components, edge_cuts, matrix_of, max_flow, pair_cuts, smallest_cuts, stoer_wagner
from ppdp_lab.republish.buckets._min_cut import bounded_flow, flows_to_present


@st.composite
def graphs(draw, max_nodes=7):
    """Symmetric matrices of small weights, about half of them 0."""
    n = draw(st.integers(2, max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    upper = np.triu(rng.integers(0, 6, (n, n)) * (rng.random((n, n)) < draw(st.sampled_from([0.3, 0.6, 1.0]))), 1)
    return (upper + upper.T).astype(np.int64)


def as_networkx(weights):
    graph = nx.Graph()
    graph.add_nodes_from(range(len(weights)))
    for a, b in zip(*np.nonzero(np.triu(weights))):
        graph.add_edge(int(a), int(b), weight=int(weights[a, b]), capacity=int(weights[a, b]))
    return graph


def plain_cut(weights):
    """The smallest weight over all bipartitions."""
    n = len(weights)
    sides = (side for k in range(1, n) for side in combinations(range(n), k))
    return min(sum(weights[a, b] for a in side for b in range(n) if b not in side) for side in sides)


def edges_of(weights):
    tail, head = np.nonzero(np.triu(weights))
    return tail.astype(np.int64), head.astype(np.int64), weights[tail, head]


@given(graphs())
def test_stoer_wagner_equals_a_search_through_all_bipartitions(weights):
    cut, side = stoer_wagner(weights)
    assert cut == plain_cut(weights)
    assert 0 < side.sum() < len(weights) and weights[side][:, ~side].sum() == cut


@given(graphs(max_nodes=12))
def test_stoer_wagner_equals_networkx(weights):
    graph = as_networkx(weights)
    assume(nx.is_connected(graph))
    assert stoer_wagner(weights)[0] == nx.stoer_wagner(graph)[0]


@given(graphs(max_nodes=9))
def test_cuts_between_all_pairs_equal_networkx(weights):
    graph = as_networkx(weights)
    cuts = pair_cuts(weights)
    for a, b in combinations(range(len(weights)), 2):
        assert cuts[a, b] == cuts[b, a] == nx.minimum_cut_value(graph, a, b)


@given(graphs(max_nodes=9), st.integers(0, 20))
def test_flows_equal_networkx_and_mark_a_cut(weights, limit):
    n = len(weights)
    expected = nx.maximum_flow_value(as_networkx(weights), n - 1, 0)
    reached = np.empty(n, dtype=bool)
    assert max_flow(weights, n - 1, 0, np.empty_like(weights), reached) == expected
    assert reached[n - 1] and not reached[0] and weights[reached][:, ~reached].sum() == expected
    bounded = bounded_flow(weights.copy(), n - 1, 0, limit)
    assert bounded == expected if expected <= limit else limit < bounded <= expected


@given(graphs())
def test_components_equal_networkx(weights):
    label, count = components(weights)
    found = {frozenset(np.flatnonzero(label == c).tolist()) for c in range(count)}
    assert found == set(map(frozenset, nx.connected_components(as_networkx(weights))))


@given(st.lists(graphs(), min_size=1, max_size=3), st.integers(0, 12))
def test_many_graphs_at_once(many, limit):
    lists = [edges_of(weights) for weights in many]
    begins = np.r_[0, np.cumsum([len(tail) for tail, _, _ in lists])]
    tail, head, weight = (np.concatenate(column) for column in zip(*lists))
    n_nodes = max(map(len, many))
    smallest = smallest_cuts(begins, tail, head, weight, n_nodes)
    between = edge_cuts(begins, tail, head, weight, n_nodes)
    # Flows run from node 0 here: the graphs have different last nodes.
    newest = min(map(len, many)) - 1
    flows = flows_to_present(begins, head, tail, weight, n_nodes, newest, limit)
    for g, weights in enumerate(many):
        graph = as_networkx(weights)
        parts = [graph.subgraph(part) for part in nx.connected_components(graph) if len(part) > 1]
        assert smallest[g] == min((nx.stoer_wagner(part)[0] for part in parts), default=-1)
        for i in range(begins[g], begins[g + 1]):
            assert between[i] == nx.minimum_cut_value(graph, int(tail[i]), int(head[i]))
        expected = nx.maximum_flow_value(graph, newest, 0)
        assert flows[g] == expected if expected <= limit else flows[g] > limit


def test_edges_listed_in_parts_add_up():
    tail, head, weight = np.array([3, 3, 5]), np.array([0, 0, 3]), np.array([2, 1, 4])
    weights, nodes = matrix_of(0, 3, tail, head, weight, 6)
    assert nodes.tolist() == [0, 3, 5] and weights.tolist() == [[0, 3, 0], [3, 0, 4], [0, 4, 0]]
    begins = np.array([0, 3])
    assert flows_to_present(begins, tail, head, weight, 6, 5, 10).tolist() == [3]
    assert flows_to_present(begins, tail, head, weight, 6, 3, 2).tolist() == [3]


@pytest.mark.parametrize("limit", [0, 4, 8])
def test_a_direct_edge_is_enough(limit):
    begins, tail, head, weight = np.array([0, 1]), np.array([1]), np.array([0]), np.array([9])
    assert flows_to_present(begins, tail, head, weight, 2, 1, limit)[0] == 9
