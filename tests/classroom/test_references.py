"""References beside the package's own attacks, principles and algorithms on random tables."""

from __future__ import annotations

from random import Random

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.classroom import diversity, invariance, plane, pruning, republication, separation, skewness, updating
from ppdp_lab.datasets import examples

SEEDS = range(8)


def published(frame, groups, sensitive):
    schema = pl.Schema([c for c in frame.columns if c != sensitive], sensitive=sensitive)
    return pl.Release(pl.Microdata(frame, schema), groups, grouped=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_certain_is_homogeneity_and_background_knowledge(seed):
    frame, qi, value, facts = diversity.draw(Random(seed), facts=True)
    release = published(frame, frame.groupby(qi).ngroup().to_numpy(), value)
    known = pl.attacks.Background.worst_case([release])
    found = pl.attacks.homogeneity(release.published(), known)
    assert diversity.certain(frame, qi, value, {}) == set(frame.index[found.breached])
    for person in frame.index:
        told = facts.get(person, set()) & set(frame[value])
        found = pl.attacks.background_knowledge(release.published(), known, excluded=sorted(told))
        assert (person in diversity.certain(frame, qi, value, facts)) == found.breached[frame.index.get_loc(person)]


@pytest.mark.parametrize("seed", SEEDS)
def test_gain_and_distance_are_those_of_the_package(seed):
    counts, totals, order = skewness.draw(Random(seed), least=3)
    rest = {value: totals[value] - counts.get(value, 0) for value in totals}
    values = [value for some in (counts, rest) for value, n in some.items() for _ in range(n)]
    column = pd.Categorical(values, categories=order, ordered=True)
    groups = np.repeat([0, 1], [sum(counts.values()), sum(rest.values())])
    frame = pd.DataFrame({"person": range(len(values)), "level": column})
    release = published(frame, groups, "level")
    found = pl.attacks.skewness(release.published(), pl.attacks.Background.worst_case([release])).to_frame()
    assert skewness.gain(counts, totals) == pytest.approx(found["ratio"].iloc[0])
    distances = pl.TCloseness(0.5, distance="ordered").distances(release.counts())
    assert skewness.distance(counts, totals, order) == pytest.approx(distances[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_one_after_the_other_are_mondrian(seed):
    chance = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": chance.integers(2, 11, 30) * 10, "income": chance.integers(1, 18, 30) * 10_000})
    frame.loc[0], frame.loc[1] = (20, 10_000), (100, 170_000)  # the whole table is as wide as SPAN

    def parts(points):
        found = plane.cut(points, 3)
        return [set(points.index)] if found is None else [p for part in found for p in parts(points.loc[sorted(part)])]

    table = pl.Microdata(frame, pl.Schema(["age", "income"]))
    classes = pl.Mondrian(pl.KAnonymity(3), cut="median").anonymize(table).class_of
    assert {frozenset(part) for part in parts(frame)} == {
        frozenset(frame.index[classes == number]) for number in range(classes.max() + 1)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_candidates_are_those_of_the_intersection(seed):
    series, person = republication.draw(Random(seed), absent=True, repeated=True)
    releases = []
    for frame in series:
        rows = frame.assign(age=1)[["age", "disease"]]
        releases.append(
            published(
                rows,
                frame["group"].to_numpy() - 1 if set(frame["group"]) == {1, 2} else np.zeros(len(frame), int),
                "disease",
            )
        )
    known = pl.attacks.Background.worst_case(releases)
    shown = [release.published() for release in releases]
    found = republication.candidates(series, person)
    assert sorted(found) == sorted(pl.attacks.intersection(shown, known).values(person))
    sure = pl.attacks.value_association(shown, known)
    assert max(found.values()) / found.total() == pytest.approx(sure.confidence[sure.ids.get_loc(person)])


def test_balance_does_what_the_papers_figure_shows():
    steps, diseases = (
        examples.equivalence.figure_1(),
        {"Greg": "flu", "Harry": "cancer", "Ian": "measles", "Jane": "cancer"},
    )
    stay = {"Alice": "cancer", "Chris": "cancer"}
    taken, invented = invariance.balance(invariance.Bucket(stay, diseases), ["cancer", "flu"])
    assert {*stay, *taken, *(["c1"] if invented == ["flu"] else [])} == set(steps["balancing"]["cancer", "flu"])


@pytest.mark.parametrize("seed", SEEDS)
def test_balanced_buckets_are_even(seed):
    bucket, signature = invariance.draw(Random(seed), newcomers=(0, 4))
    taken, invented = invariance.balance(bucket, signature)
    values = [*bucket.stay.values(), *(bucket.newcomers[name] for name in taken), *invented]
    assert {values.count(value) for value in signature} == {len(values) // len(signature)}


@pytest.mark.parametrize("seed", SEEDS)
def test_separable_people_are_those_on_small_cuts(seed):
    graph, m = separation.draw(Random(seed), left=True)
    people = [(came, gone, name) for came, gone, names in graph.edges(data="people") for name in names]
    came, gone, names = (list(column) for column in zip(*people))
    found = BucketGraphs(np.zeros(len(names), int), np.array(came), np.array(gone), names, [("a", "b")], 4, True, 2)
    assert separation.separable(graph, m) == {name for name, cut in zip(names, found.cut_of_tuples()) if cut < m}


def test_the_papers_graph_betrays_frank_and_harry():
    graph = separation.bucket_graph(examples.equivalence.figure_3()[-1].edges.items())
    assert {"Frank", "Harry"} <= separation.separable(graph, 3) and separation.separable(graph, 2) == set()
    assert nx.is_weakly_connected(graph)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_tags_are_true_of_tables(seed):
    """Whatever is tagged comes out so on every small table on which the checked node does."""
    chance = Random(seed)
    lattice, node, holds = pruning.draw(chance, holds=None, suppression=True)
    for other in pruning.tag(lattice, node, holds):
        assert other == node or pruning.witness(lattice, node, holds, other) is None


def test_entropy_diversity_with_rows_left_out_is_not_monotone():
    lattice = pruning.Lattice((1, 1), pruning.L_DIVERSITY, 2)
    assert pruning.witness(lattice, (0, 0), True, (1, 0)) is not None
    assert (
        not pl.Flash(pl.EntropyLDiversity(2), suppression=0.1).monotone
        and pl.Flash(pl.KAnonymity(2), suppression=0.1).monotone
    )


def test_risk_is_the_papers_on_julias_graph():
    julia = examples.mdistinct.figure_1()
    layers = [dict.fromkeys(level, 1) for level in julia.levels]
    found = updating.risk(layers, {"Pneumonia": {"Lung Cancer", "Pneumonia"}})
    assert [level[value] for level, value in zip(found, julia.truth)] == [float(risk) for risk in julia.risks]
