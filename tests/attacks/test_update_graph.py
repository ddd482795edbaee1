"""The update graph: compiled sums against plain enumeration of paths, and Lemmas 1 to 4 of the paper as properties."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks import Background, risks_over_time, update_risks
from ppdp_lab.errors import ParameterError

NAMES = list("abcdef")


@st.composite
def worlds(draw, *, any_update: bool = False, least: int = 1):
    """A few releases of a few persons, some of whom are away at times, and a random model."""
    n_values = draw(st.integers(max(2, least), 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    reach = np.ones((n_values, n_values), dtype=bool) if any_update else rng.random((n_values, n_values)) < 0.5
    reach[np.arange(n_values), rng.integers(0, n_values, n_values)] = True
    chances = reach * rng.random((n_values, n_values)) if not any_update else reach.astype(float)
    matrix = chances / chances.sum(axis=1, keepdims=True)
    model = pl.UpdateModel.from_matrix(matrix, NAMES[:n_values])
    releases = []
    n = draw(st.integers(2, 7))
    for _ in range(draw(st.integers(1, 4))):
        here = np.flatnonzero(rng.random(n) < 0.8)
        here = here if len(here) else np.arange(n)
        frame = pd.DataFrame({"age": 20 + here, "ill": rng.choice(NAMES[:n_values], len(here))}, index=here)
        table = pl.Microdata(frame, pl.Schema("age", sensitive="ill", domains={"ill": NAMES[:n_values]}))
        classes = np.unique(rng.integers(0, 3, len(here)), return_inverse=True)[1]
        releases.append(pl.Release(table, classes, grouped=True))
    background = Background.worst_case(releases).with_model(model)
    return releases, background, model, bool(rng.random() < 0.5)


def enumerated(releases, background, model, person, edges, truth):
    """Candidates, largest probability and risk of each version, by listing every path in plain Python."""
    versions = []
    for number, (release, presence) in enumerate(zip(releases, background.releases)):
        at = np.flatnonzero(presence.persons == person)
        if len(at):
            rows = release.published()
            values = [
                v
                for v, g in zip(rows.row_sensitive[0].tolist(), rows.row_group.tolist())
                if g == presence.groups[at[0]]
            ]
            versions.append((number, {v: values.count(v) / len(values) for v in values}))
    steps = [np.linalg.matrix_power(model.matrix, b[0] - a[0]) for a, b in pairwise(versions)]
    paths = [
        path
        for path in product(*(sorted(level) for _, level in versions))
        if all(step[a, b] > 0 for step, a, b in zip(steps, path, path[1:]))
    ]
    used = {(i, a, b) for path in paths for i, (a, b) in enumerate(pairwise(path))}
    weights = []
    for path in paths:
        weight = np.prod([level[v] for (_, level), v in zip(versions, path)])
        for i, (a, b) in enumerate(pairwise(path)):
            degree = len({c for j, x, c in used if j == i and x == a})
            weight *= 1 / degree if edges == "equal" else steps[i][a, b]
        weights.append(weight)
    out = []
    for i, (number, _) in enumerate(versions):
        share = {}
        for path, weight in zip(paths, weights):
            share[path[i]] = share.get(path[i], 0.0) + weight / sum(weights)
        out.append((number, len(share), max(share.values(), default=0.0), share.get(truth[number], 0.0), share))
    return out


@given(worlds())
def test_sums_equal_the_enumeration_of_paths(world) -> None:
    releases, background, model, by_model = world
    edges = "model" if by_model else "equal"
    series, tables = [release.published() for release in releases], [release.table for release in releases]
    frame = update_risks(series, background, truth=tables, edges=edges).to_frame()
    for person, name in enumerate(background.ids):
        truth = {n: int(t.sensitive_codes[0][t.ids.get_loc(name)]) for n, t in enumerate(tables) if name in t.ids}
        expected = enumerated(releases, background, model, person, edges, truth)
        mine = frame[frame["person"] == name]
        assert mine["release"].tolist() == [e[0] for e in expected]
        assert mine["candidates"].tolist() == [e[1] for e in expected]
        assert mine["largest"].tolist() == pytest.approx([e[2] for e in expected])
        assert mine["risk"].tolist() == pytest.approx([e[3] for e in expected])
        graph = pl.SensitiveUpdateGraph.of(series, background, name, edges=edges)
        labels = releases[0].table.sensitive_domains[0].labels
        for found, (*_, share) in zip(graph.posterior(), expected):
            assert found == pytest.approx({labels[v]: p for v, p in share.items()})
        total = sum(graph.paths().values())
        for i, found in enumerate(graph.posterior()):
            for value, p in found.items():
                assert p == pytest.approx(sum(w for path, w in graph.paths().items() if path[i] == value) / total)


@given(worlds(any_update=True))
def test_lemma_1_random_updates_change_no_risk(world) -> None:
    releases, background, _, _ = world
    series, tables = [release.published() for release in releases], [release.table for release in releases]
    known: dict[tuple, float] = {}
    for found in risks_over_time(series, background, truth=tables):
        for person, release, risk in found.to_frame()[["person", "release", "risk"]].itertuples(index=False):
            assert known.setdefault((person, release), risk) == pytest.approx(risk)


@given(worlds())
def test_lemma_2_certain_exactly_where_one_node_is_left(world) -> None:
    releases, background, _, _ = world
    found = update_risks([release.published() for release in releases], background)
    certain = np.isclose(found.largest, 1.0, atol=1e-9)
    assert (certain == (found.candidates == 1)).all()
    assert (found.breached == found.vulnerable).all() and (found.contradicted == (found.largest == 0)).all()


@given(worlds())
def test_without_a_model_it_is_intersection(world) -> None:
    """Section III-C: where values stay, the graph is made of parallel paths, and intersection finds the same."""
    releases, background, _, _ = world
    series = [release.published() for release in releases]
    still = background.with_model(None)
    found = update_risks(series, still).to_frame().groupby("person")["candidates"].agg(["min", "max"])
    sizes = pd.Series(pl.attacks.intersection(series, still).sizes, still.ids)
    assert (found["min"] == found["max"]).all() and (found["min"] == sizes[found.index]).all()


def test_publishers_of_the_package_under_the_graph() -> None:
    """Section III-C: m-invariance keeps 1/m where values stay, BPG l candidates, naive l-diversity nothing."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 240), "ill": np.resize(NAMES, 240)})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    stream = list(pl.UpdateStream(table, initial=120, deletes=30, inserts=30, updates=3, seed=1))

    def risk(releases: list[pl.Release]) -> float:
        shown = [release.published() for release in releases]
        return update_risks(
            shown, Background.worst_case(releases), truth=[r.table for r in releases]
        ).republication_risk

    publisher = pl.MInvariance(3, seed=1)
    assert risk([publisher.publish(snapshot) for snapshot in stream]) <= 1 / 3 + 1e-9
    naive = pl.Mondrian(pl.DistinctLDiversity(3))
    assert risk([naive.anonymize(snapshot.table) for snapshot in stream]) == 1

    # BPG leaves everybody l candidates, also where values change: what happens to one member of a cell of equal histories
    # could have happened to each, and the cell is l-diverse in every release. They need not be equally likely.
    for model in (None, pl.UpdateModel.in_blocks(NAMES, 2)):
        changes = {} if model is None else {"model": model, "changes": 40}
        publisher = pl.BPG(pl.DistinctLDiversity(3), seed=1)
        moving = pl.UpdateStream(table, initial=120, deletes=30, inserts=30, updates=3, seed=1, **changes)
        releases = [publisher.publish(snapshot) for snapshot in moving]
        known = Background.worst_case(releases).with_model(model)
        found = update_risks([r.published() for r in releases], known, truth=[r.table for r in releases])
        assert found.to_frame()["candidates"].min() >= 3
        assert 1 / 3 < found.republication_risk < 1


@pytest.mark.slow
def test_a_long_series_stays_within_floats() -> None:
    n = 400
    frame = pd.DataFrame({"age": [30, 31, 32], "ill": list("abc")})
    release = pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="ill")), np.zeros(3, dtype=int))
    known = Background.worst_case([release] * n).with_model(pl.UpdateModel.in_blocks([*"abc"], 3))
    found = update_risks([release.published()] * n, known, edges="model")
    assert found.largest.tolist() == pytest.approx([1 / 3] * 3 * n)
    assert len(pl.SensitiveUpdateGraph.of([release.published()] * n, known, 0).posterior()) == n


def test_drawings_show_what_is_left() -> None:
    graph = pl.SensitiveUpdateGraph.from_edges([["x", "y"], ["y", "z"]], [[("x", "y")]])
    ax = graph.draw(truth=["x", "y"])
    assert [text.get_text() for text in ax.texts] == ["x", "y", "y", "z"]
    drawn = graph.to_networkx()
    assert drawn.nodes[(0, "y")]["left"] is False and list(drawn.edges(data="left")) == [((0, "x"), (1, "y"), True)]
    assert graph.to_frame()["left"].tolist() == [True, False, True, False]


def test_what_the_graph_refuses() -> None:
    frame = pd.DataFrame({"age": [30, 31], "ill": list("ab")})
    release = pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="ill")), np.zeros(2, dtype=int))
    series, known = [release.published()] * 2, Background.worst_case([release] * 2)
    with pytest.raises(ParameterError, match="edges must be one of"):
        update_risks(series, known, edges="heavy")
    with pytest.raises(ParameterError, match="truth must hold a Microdata for each of 2"):
        update_risks(series, known, truth=[release.table])
    with pytest.raises(ParameterError, match="not in the order of their times"):
        update_risks(series, known[[1, 0]])
    graph = pl.SensitiveUpdateGraph.of(series, known, 0)
    assert repr(pl.SensitiveUpdateGraph.of(series, known, np.int64(0))).startswith("<Update graph of 0, ")
    with pytest.raises(ParameterError, match="a true value for each of 2 versions"):
        graph.risks(["a"])
    with pytest.raises(ParameterError, match="none of the candidates"):
        graph.risks(["a", "z"])
    with pytest.raises(ParameterError, match="does not lead from a node"):
        pl.SensitiveUpdateGraph.from_edges([["a"], ["b"]], [[("b", "a")]])
    with pytest.raises(ParameterError, match="levels that are not empty"):
        pl.SensitiveUpdateGraph.from_edges([["a"]], [[]])
    full = pl.SensitiveUpdateGraph.from_edges([[1, 2]] * 6, [list(product([1, 2], [1, 2]))] * 5)
    with pytest.raises(ParameterError, match="more than limit = 10 paths"):
        full.paths(limit=10)
