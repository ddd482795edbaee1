"""Tables I to VI and Examples 1 to 5 of the m-Distinct paper."""

from __future__ import annotations

from fractions import Fraction

import pytest

import ppdp_lab as pl
from ppdp_lab.attacks import Background, consistent_assignments, intersection, risks_over_time, update_risks
from ppdp_lab.datasets.examples import ExampleRelease, mdistinct
from ppdp_lab.release import Counterfeits

PEOPLE = ["Ken", "Julia", "Tom", "Harry", "Lily", "Ben"]
HALF, ONE = Fraction(1, 2), Fraction(1)


def model() -> pl.UpdateModel:
    return pl.UpdateModel.blocks(sorted(sorted(block) for block in mdistinct.candidate_update_sets()))


def release_of(example: ExampleRelease) -> pl.Release:
    fakes = example.counterfeits
    invented = Counterfeits(example.counterfeit_class, fakes.sensitive_codes, fakes.qi_codes)
    return pl.Release(example.table, example.class_of, counterfeits=invented, grouped=True)


def hospital(series: tuple[ExampleRelease, ...]) -> tuple[list[pl.Published], Background, list[pl.Microdata]]:
    """The published side by GID, the adversary of Example 1, and the truth."""
    releases = [release_of(example) for example in series]
    background = Background.worst_case(releases).with_model(model())
    return [release.published() for release in releases], background, [example.table for example in series]


def risks(series: tuple[ExampleRelease, ...]) -> dict[str, tuple[float, ...]]:
    shown, background, truth = hospital(series)
    frame = update_risks(shown, background, truth=truth).to_frame()
    return {who: tuple(rows.sort_values("release")["risk"]) for who, rows in frame.groupby("person", observed=True)}


def test_tables_3_and_4_disclose() -> None:
    """Section I-A: Ken, Lily and Ben are certain in both releases, Julia and Tom in the first."""
    expected = dict.fromkeys(("Ken", "Lily", "Ben"), (ONE, ONE)) | dict.fromkeys(("Julia", "Tom"), (ONE, HALF))
    expected["Harry"] = (HALF, HALF)
    found = risks(mdistinct.diverse_series())
    assert found == {who: pytest.approx([float(r) for r in expected[who]]) for who in PEOPLE}


def test_ben_had_flu_then_pneumonia() -> None:
    shown, background, _ = hospital(mdistinct.diverse_series())
    graph = pl.SensitiveUpdateGraph.of(shown, background, "Ben")
    assert graph.feasible().levels == (("Flu",), ("Pneumonia",))
    assert intersection(shown, background).values("Ben") == ["Pneumonia"]
    assert intersection(shown, background).to_frame()["fewest"].to_dict() == {
        "Ken": 1, "Julia": 1, "Tom": 1, "Harry": 2, "Lily": 1, "Ben": 1,
    }  # fmt: skip


def test_joint_reasoning_exposes_harry_too() -> None:
    shown, background, _ = hospital(mdistinct.diverse_series())
    found = consistent_assignments(shown, background)
    assert found.values("Harry") == ["Gastritis, then Dyspepsia"]
    assert found.values("Ben") == ["Flu, then Pneumonia"]
    # Against Tables III and V it finds nothing certain.
    shown, background, _ = hospital(mdistinct.distinct_series())
    assert not consistent_assignments(shown, background).succeeds


def test_tables_3_and_5_disclose_nothing() -> None:
    """Section I-B: all six have risks of 1/2, and nothing is pruned."""
    assert risks(mdistinct.distinct_series()) == {who: pytest.approx([0.5, 0.5]) for who in PEOPLE}
    shown, background, truth = hospital(mdistinct.distinct_series())
    found = update_risks(shown, background, truth=truth)
    assert (found.candidates == found.nodes).all() and not found.succeeds
    assert found.republication_risk == pytest.approx(0.5)


def test_table_6_is_published_beside_table_5() -> None:
    statistics = release_of(mdistinct.table_5()).counterfeit_statistics()
    assert sorted(statistics.iloc[:, 1].tolist()) == mdistinct.table_6()["counterfeits"].tolist() == [1, 1]


def test_example_1_background_is_explicit_and_implicit() -> None:
    shown, background, _truth = hospital(mdistinct.diverse_series())
    assert len(background) == 2 and background.n_persons == 6 and background.times == (0, 1)
    assert background.model == model() and background.changes is not None
    assert "disease" not in background.to_frame(0).columns
    # Without the implicit part an adversary who takes values to stay the same contradicts himself.
    assert intersection(shown, background.with_model(None)).contradicted.any()


def test_example_2_julia_over_time() -> None:
    """50 % after the first release; after the second 100 % for the old disease and 50 % for the new one."""
    shown, background, truth = hospital(mdistinct.diverse_series())
    julia = [
        found.to_frame().query("person == 'Julia'")["risk"].tolist()
        for found in risks_over_time(shown, background, truth=truth)
    ]
    assert julia == [pytest.approx([0.5]), pytest.approx([1.0, 0.5])]


def test_example_3_julia_as_a_graph() -> None:
    shown, background, _ = hospital(mdistinct.diverse_series())
    graph, printed = pl.SensitiveUpdateGraph.of(shown, background, "Julia"), mdistinct.figure_1()
    assert [set(level) for level in graph.levels] == [set(level) for level in printed.levels]
    edges = {(one[1], other[1]) for one, other in graph.to_networkx().edges}
    assert edges == set(printed.edges[0])
    assert all(w.tolist() == [0.5, 0.5] for w in graph.weights)
    assert sorted(graph.edge_weights()[0][graph.edge_weights()[0] > 0].tolist()) == [0.5, 0.5]
    assert graph.risks(printed.truth) == pytest.approx([float(r) for r in printed.risks])


def test_example_4_weighs_five_paths() -> None:
    printed = mdistinct.example_4()
    graph = pl.SensitiveUpdateGraph.from_edges(printed.levels, printed.edges)
    assert graph.paths() == {path: pytest.approx(float(w)) for path, w in printed.path_weights.items()}
    assert graph.risks(printed.truth) == pytest.approx([float(r) for r in printed.risks])
    assert graph.feasible().levels == printed.levels


def test_example_5_julia_may_move_to_table_5() -> None:
    _shown, _, _ = hospital(mdistinct.distinct_series())
    sets = [frozenset(model().may_become(value)) for value in ("Dyspepsia", "Pneumonia")]
    assert sets == [frozenset({"Dyspepsia", "Gastritis"}), frozenset({"Pneumonia", "Flu", "Lung Cancer"})]
    after = {"Dyspepsia", "Lung Cancer"}
    assert all(any(value in cus for cus in sets) for value in after) and all(cus & after for cus in sets)
