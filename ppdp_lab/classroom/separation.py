"""Exercise: min-cut on a bucket graph. Whom an equation of few people can separate from the rest.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise
from random import Random
from typing import Any

import networkx as nx
import numpy as np

from ppdp_lab.classroom.answers import NAMES, any_of, labels
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise

NOW = 0
"""The node that stands for the present: who is still there has not left yet."""


def bucket_graph(edges: Iterable[tuple[tuple[int, int], Iterable[str]]]) -> nx.DiGraph:
    """A bucket's history: an edge from the release with which people came to the one in which they were gone.

    >>> graph = bucket_graph([((1, 2), ["Bob", "Dan"]), ((2, 0), ["Greg"])])
    >>> graph.edges[1, 2]
    {'weight': 2, 'people': ('Bob', 'Dan')}
    """
    graph = nx.DiGraph()
    for (came, gone), people in edges:
        graph.add_edge(came, gone, weight=len(tuple(people)), people=tuple(people))
    return graph


def separable(graph: nx.DiGraph, m: int) -> set[str]:
    """Everybody who crosses a cut of fewer than m people: came on one side, gone on the other.

    >>> sorted(separable(bucket_graph([((1, 2), ["Frank"]), ((2, 0), ["Ian", "Jane"])]), 2))
    ['Frank']
    """
    plain = _undirected(graph)
    found: set[str] = set()
    for came, gone, people in graph.edges(data="people"):
        if nx.minimum_cut_value(plain, came, gone, capacity="weight") < m:
            found |= set(people)
    return found


def _undirected(graph: nx.DiGraph) -> nx.Graph:
    return nx.Graph(graph.to_undirected())


# ---------------------------------------------------------------------- wrong ways
def _crossing(graph: nx.DiGraph, cuts: Any, m: int) -> set[str]:
    edges = graph.edges(data="people")
    return {person for came, gone, people in edges if cuts(came, gone) < m for person in people}


def directed(graph: nx.DiGraph, m: int) -> set[str]:
    """Cuts of the graph as it is, arrows and all."""
    return _crossing(graph, lambda came, gone: nx.minimum_cut_value(graph, came, gone, capacity="weight"), m)


def cut_from_the_present(graph: nx.DiGraph, m: int) -> set[str]:
    """Between the release somebody came with and now, though they left long ago."""
    plain = _undirected(graph)
    plain.add_node(NOW)
    return _crossing(graph, lambda came, gone: nx.minimum_cut_value(plain, came, NOW, capacity="weight"), m)


def own_edge_only(graph: nx.DiGraph, m: int) -> set[str]:
    """How many came and went together, and not who could take the long way round."""
    return _crossing(graph, lambda came, gone: graph.edges[came, gone]["weight"], m)


def edges_counted(graph: nx.DiGraph, m: int) -> set[str]:
    """Edges instead of people."""
    plain = _undirected(graph)
    return _crossing(graph, lambda came, gone: nx.edge_connectivity(plain, came, gone), m)


def at_most_m(graph: nx.DiGraph, m: int) -> set[str]:
    """Cuts of exactly m people as well."""
    return separable(graph, m + 1)


def one_smallest_cut(graph: nx.DiGraph, m: int) -> set[str]:
    """The people of the smallest cut of all, and nobody else."""
    plain = _undirected(graph)
    whole = plain.subgraph(max(nx.connected_components(plain), key=lambda nodes: (len(nodes), min(nodes))))
    weight, (side, _) = nx.stoer_wagner(whole)
    if weight >= m:
        return set()
    return {p for came, gone, people in graph.edges(data="people") if (came in side) != (gone in side) for p in people}


# ---------------------------------------------------------------------- right ways
def by_trying_all_cuts(graph: nx.DiGraph, m: int) -> list[str]:
    """Every set of releases against the rest."""
    nodes, found = list(graph.nodes), set()
    for size in range(1, len(nodes)):
        for side in combinations(nodes, size):
            over = [edge for edge in graph.edges if (edge[0] in side) != (edge[1] in side)]
            if 0 < sum(graph.edges[edge]["weight"] for edge in over) < m:
                found |= {person for edge in over for person in graph.edges[edge]["people"]}
    return sorted(found)


def by_gomory_hu(graph: nx.DiGraph, m: int) -> Any:
    """The tree that holds all smallest cuts, and its lightest edge on each way."""
    found: list[str] = []
    plain = graph.to_undirected()
    for nodes in nx.connected_components(plain):
        tree = nx.gomory_hu_tree(plain.subgraph(nodes).copy(), capacity="weight")
        for came, gone, people in graph.subgraph(nodes).edges(data="people"):
            way = nx.shortest_path(tree, came, gone)
            if min(tree.edges[step]["weight"] for step in pairwise(way)) < m:
                found.extend(people)
    return np.array(found, dtype=object)


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, left: bool) -> Case:
    """Up to four releases and ten people; without ``left`` everybody is still there."""
    releases, names, edges = rng.randint(2, 4), list(NAMES), []
    pairs = [(came, gone) for came in range(1, releases + 1) for gone in (*range(came + 1, releases + 1), NOW)]
    for pair in pairs if left else [(came, NOW) for came in range(1, releases + 1)]:
        size = rng.choice([0, 1, 1, 2, 3]) if left else rng.randint(1, 4)
        here, names = names[:size], names[size:]
        edges += [(pair, here)] if here else []
    if not edges:
        edges = [((1, NOW), names[:1])]
    return bucket_graph(edges), rng.randint(2, 4)


def smaller(graph: nx.DiGraph, m: int) -> Iterator[Case]:
    """Without an edge, without a person, with a smaller m."""
    edges = [((came, gone), people) for came, gone, people in graph.edges(data="people")]
    for i, (pair, people) in enumerate(edges):
        if len(edges) > 1:
            yield bucket_graph([*edges[:i], *edges[i + 1 :]]), m
        if len(people) > 1:
            yield bucket_graph([*edges[:i], (pair, people[:-1]), *edges[i + 1 :]]), m
    if m > 2:
        yield graph, m - 1


def show(graph: nx.DiGraph, m: int) -> str:
    """Who came and left when."""
    lines = [
        f"came with release {came}, {'still there' if gone == NOW else f'gone in release {gone}'}: {', '.join(people)}"
        for came, gone, people in sorted(graph.edges(data="people"), key=lambda edge: (edge[0], edge[1] or 99))
    ]
    return "\n".join([*lines, f"m = {m}"])


def concern(case: Case, given: frozenset[str], right: frozenset[str]) -> Concern:
    """Somebody whom an equation betrays, or somebody whom none does."""
    graph, m = case
    order = [person for _, _, people in graph.edges(data="people") for person in people]
    person = any_of(right - given or given - right, order)
    if person not in order:
        return Concern(str(person), "This is nobody in the graph; answer with the names on the edges.")
    if person in right:
        return Concern(
            person,
            f"By adding and subtracting groups of the releases an adversary gets an equation with fewer than {m} people, "
            f"{person} among them: who learns the others' values knows {person}'s.",
        )
    return Concern(
        person,
        f"Every equation that {person} is in names {m} people or more; your answer says that an adversary has a shorter one.",
    )


EXERCISE = Exercise(
    name="separation",
    title="Min-cut on a bucket graph",
    minutes=35,
    explorer="bucket_graph",
    tasks=(
        Task(
            name="separable",
            returns="the names of everybody on a cut of fewer than m people, as a set or list",
            answer=separable,
            read=labels,
            steps={"stay": lambda rng: draw(rng, left=False), "left": lambda rng: draw(rng, left=True)},
            smaller=smaller,
            show=show,
            concern=concern,
            mistakes=(
                Mistake(
                    directed,
                    "cutting along the arrows: an equation can be read from both sides, so turn the graph into an undirected "
                    "one first.",
                ),
                Mistake(
                    cut_from_the_present,
                    "cutting between the release somebody came with and the present: who is gone has the other end of the edge "
                    "in the release in which they were missing.",
                ),
                Mistake(
                    own_edge_only,
                    "counting the people on one edge: as long as its ends are joined another way, cutting that edge alone "
                    "separates nothing.",
                ),
                Mistake(
                    edges_counted,
                    "counting edges: an edge weighs as many people as stand on it, give networkx the capacity 'weight'.",
                ),
                Mistake(
                    at_most_m,
                    "taking cuts of m people as well: fewer than m are asked for.",
                ),
                Mistake(
                    one_smallest_cut,
                    "looking at one smallest cut of the whole graph: others may lie on another cut that is small enough.",
                ),
            ),
            right_too=(by_trying_all_cuts, by_gomory_hu),
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
