"""Every metric against its plain twin, on random releases of every style."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from metrics import plain_metrics as plain
from metrics.worlds import World, asked, worlds
from strategies import gapped

import ppdp_lab as pl
from ppdp_lab import metrics
from ppdp_lab.datasets import examples
from ppdp_lab.metrics.loss import _certainty

SIMPLE = ["ncp", "gcp", "iloss", "precision", "ail", "information_loss", "discernibility", "non_uniform_entropy"]
CHARGE = st.sampled_from(["charged", "ignored"])


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@given(worlds())
@pytest.mark.parametrize("name", SIMPLE)
def test_metrics_without_parameters(name: str, world: World) -> None:
    assert metrics.get(name)(world.release) == close(getattr(plain, name)(world))


@given(st.data(), worlds())
def test_weights(data: st.DataObject, world: World) -> None:
    weights = {name: data.draw(st.sampled_from([0.5, 1, 3])) for name in world.case.schema.quasi_identifiers}
    for name in ("ncp", "gcp", "iloss"):
        assert metrics.get(name)(world.release, weights=weights) == close(getattr(plain, name)(world, weights))


@given(worlds(), st.integers(1, 5))
def test_metrics_of_classes(world: World, k: int) -> None:
    release = world.release
    assert metrics.discernibility(release, suppressed="ignored") == plain.discernibility(world, "ignored")
    for name in world.case.schema.sensitive:
        assert metrics.classification_metric(release, attribute=name) == close(plain.classification_metric(world, name))
    assume((release.class_of >= 0).any())
    assert metrics.c_avg(release, k=k) == close(plain.c_avg(world, k))
    assert metrics.ail(release, per="class") == close(plain.ail(world, "class"))


@given(worlds(), CHARGE, CHARGE, st.sampled_from(["free", "charged"]))
def test_entropies(world: World, suppressed: str, counterfeits: str, dirty: str) -> None:
    asked_for = [row for row in world.rows if not row.dirty and (suppressed == "charged" or row.cls >= 0)]
    assume(asked_for)
    how = {"suppressed": suppressed, "counterfeits": counterfeits, "dirty": dirty}
    assert metrics.fem(world.release, **how) == close(plain.fem(world, **how))
    assert metrics.vem(world.release, **how) == close(plain.vem(world, **how))
    for name in world.case.schema.quasi_identifiers:
        mine = metrics.vem(world.release, **how, quasi_identifiers=name)
        assert mine == close(plain.vem(world, **how, quasi_identifiers=[name]))


@given(worlds(), st.booleans())
def test_kl_divergence(world: World, sensitive: bool) -> None:
    assert metrics.kl_divergence(world.release, sensitive=sensitive) == close(plain.kl_divergence(world, sensitive))


@given(st.data(), worlds())
def test_true_counts_and_estimates(data: st.DataObject, world: World) -> None:
    questions = data.draw(asked(world.case))
    truth = metrics.true_counts(world.release.table, questions.queries)
    assert truth.tolist() == [plain.true_count(world.rows, world.case, query) for query in questions.plain]
    expected = [plain.estimate(world, query) for query in questions.plain]
    assert metrics.estimates(world.release, questions.queries) == close(expected)
    assert metrics.estimates(world.release.published(), questions.queries) == close(expected)


@given(st.data(), worlds(), st.sampled_from(["true", "estimate"]), st.sampled_from(["leave out", "count", 0.5, 2]))
def test_query_error(data: st.DataObject, world: World, denominator: str, zero: str | float) -> None:
    questions = data.draw(asked(world.case))
    errors = metrics.query_errors(world.release, questions.queries, denominator=denominator, zero=zero)
    expected = plain.relative_errors(world, questions.plain, denominator, zero)
    assert errors == pytest.approx([np.nan if e is None else e for e in expected], rel=1e-6, abs=1e-9, nan_ok=True)
    assume(any(e is not None for e in expected))
    for statistic in ("median", "mean"):
        mine = metrics.query_error(
            world.release, questions.queries, denominator=denominator, statistic=statistic, zero=zero
        )
        twin = plain.query_error(world, questions.plain, denominator, statistic, zero)
        assert mine == pytest.approx(twin, rel=1e-6, abs=1e-9)


@given(st.data(), worlds(max_rows=12))
def test_a_table_that_is_published_as_it_is_answers_every_query_exactly(data: st.DataObject, world: World) -> None:
    table = world.release.table
    queries = data.draw(asked(world.case)).queries
    for style in ("generalized", "anatomized"):
        release = pl.Release(table, np.arange(len(table)), style=style)
        assert metrics.estimates(release, queries) == close(metrics.true_counts(table, queries))
        assert metrics.kl_divergence(release) == close(0)
        assert metrics.ncp(release) == 0 and metrics.precision(release) == 1


@pytest.mark.parametrize(
    "anonymizer",
    [pl.Mondrian(pl.KAnonymity(3)), pl.Mondrian(pl.KAnonymity(4) & pl.DistinctLDiversity(2)), pl.Anatomy(2)],
)
def test_anonymizers_lose_less_with_smaller_groups(anonymizer: object) -> None:
    chance = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": chance.integers(20, 70, 300),
            "sex": chance.choice(["F", "M"], 300),
            "ill": chance.choice(list("abcd"), 300),
        }
    )
    table = pl.Microdata(frame, pl.Schema(["age", "sex"], sensitive="ill"))
    release = anonymizer.anonymize(table)  # type: ignore[attr-defined]
    one = pl.Release(table, np.zeros(300, dtype=int), style=release.style)
    for metric in metrics.METRICS.values():
        if not metric.needs:
            better = metric(release) <= metric(one) if metric.better == "lower" else metric(release) >= metric(one)
            assert better, metric.name


def test_the_information_loss_of_the_i3m_paper() -> None:
    example = examples.i3m.table_1()
    table = example.table
    for clusters, loss in (
        (example.clusters, 397 / 30),
        (example.breaks["S1"], 67 / 5),
        (example.breaks["S2"], 389 / 30),
    ):
        number = {record: i for i, members in enumerate(clusters.values()) for record in members}
        release = pl.Release(table, np.array([number[record] for record in table.ids]))
        assert metrics.information_loss(release) == close(loss)


def test_an_uneven_tree_is_measured_by_the_branches_that_are_there() -> None:
    tree = pl.Hierarchy.from_dict(
        {"South": ["Rome", "Bari"], "North": {"West": ["Turin"], "East": ["Udine", "Triest"]}}
    )
    frame = pd.DataFrame({"town": ["Rome", "Bari", "Udine", "Triest", "Turin"]})
    table = pl.Microdata(frame, pl.Schema("town"), {"town": tree})
    release = pl.Release(table, np.array([0, 0, 1, 1, 2]))
    # South is one step above its towns in the tree (height 1 of 3), but stands on level 2 of 3
    assert metrics.information_loss(release) == close(2 * 1 / 3 + 2 * 1 / 3)
    assert metrics.precision(release) == close(1 - (2 * 2 / 3 + 2 * 1 / 3) / 5)


def test_boxes_beyond_the_table_may_cost_more_than_everything() -> None:
    size = pd.Categorical(["s", "m", "m"], categories=["s", "m", "l", "xl"], ordered=True)
    table = pl.Microdata(pd.DataFrame({"size": size}), pl.Schema("size"))
    everything = pl.Release(table.select([0]), np.array([0])).boxes
    column = everything[0]
    wide = type(everything)((type(column)(column.domain, np.zeros(1, int), np.full(1, 3)),), 1)
    release = pl.Release(table, np.zeros(3, dtype=int), wide)
    assert metrics.ail(release) == close(3) and metrics.ail.bounds(release) == (0, 3)
    assert metrics.information_loss(release) == close(9) and metrics.information_loss.bounds(release) == (0, 9)
    low, high = metrics.vem.bounds(release)
    assert metrics.vem(release) == close(-np.log(2)) and low == close(-np.log(2)) and high == close(np.log(2))


# ---------------------------------------------------------------------- sets of exact values, and missing ones
def test_a_list_of_exact_values_is_not_free() -> None:
    frame = pd.DataFrame({"born": [f"19{i:03d}" for i in range(1000)]})
    table = pl.Microdata(frame, pl.Schema("born"))
    fives = pl.Release(table, np.arange(1000) // 5)
    assert metrics.gcp(fives) == close(np.log(5) / np.log(1000))
    assert metrics.non_uniform_entropy(fives) == close(np.log(5) / np.log(1000))
    assert metrics.gcp(pl.Release(table, np.zeros(1000, dtype=int))) == 1
    halves = pl.Release(table, np.arange(1000) // 500)
    assert metrics.gcp(halves) == close(np.log(500) / np.log(1000))  # more than a half
    short = pl.Microdata(frame[:64], pl.Schema("born"))  # up to 64 values, as in the paper
    assert metrics.gcp(pl.Release(short, np.arange(64) // 4)) == close(4 / 64)
    tree = pl.Microdata(frame, pl.Schema("born"), {"born": pl.Hierarchy.mask_suffix(frame["born"], 3)})
    assert metrics.gcp(pl.Release(tree, np.arange(1000) // 10)) == close(10 / 1000)


@given(gapped(max_sensitive=1), st.data())
def test_adding_a_gap_never_lowers_the_loss_of_others(drawn: tuple, data: st.DataObject) -> None:
    case, table = drawn
    marks = data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)))
    class_of = np.unique(marks, return_inverse=True)[1]
    before, after = pl.Release(case.table(), class_of), pl.Release(table, class_of)
    for column, whole in zip(after.boxes, before.boxes):
        gaps = np.bincount(class_of, weights=table.codes(column.domain.name) >= column.domain.known) > 0
        if column.domain.known == whole.domain.known:
            assert (_certainty(column)[~gaps] >= _certainty(whole)[~gaps] - 1e-12).all()
    for metric in metrics.METRICS.values():
        if not metric.needs:
            low, high = metric.bounds(after)
            assert (low is None or metric(after) >= low - 1e-9) and (high is None or metric(after) <= high + 1e-9)
