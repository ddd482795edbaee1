"""Attacks on one release against plain counts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, may_hold, persons_of, worlds
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.closeness import similarity, skewness
from ppdp_lab.attacks.linkage import background_knowledge, homogeneity, record_linkage
from ppdp_lab.datasets.examples import speedy
from ppdp_lab.errors import ParameterError, SchemaError
from ppdp_lab.release import Counterfeits

one_release = worlds(max_releases=1)
whose = st.sampled_from(["groups", "known groups", "quasi-identifiers"])


def background_of(world: World, who: str) -> Background | None:
    if who == "groups":
        return None
    return world.worst if who == "known groups" else world.worst.without_groups()


def likely_groups(published: pl.Published, background: Background | None) -> list[dict[int, Fraction]]:
    """Per unit, the probability of each group, every matching row being equally likely."""
    if background is None:
        return [{g: Fraction(1)} for g in range(published.n_groups)]
    units = []
    for _, codes, group in persons_of(background, 0):
        if group is None and published.exact:
            same = (published.qi_rows == codes[:, None]).all(axis=0)
            rows = Counter(published.qi_group[same].tolist())
        else:
            rows = Counter({g: int(published.sizes[g]) for g in may_hold(published, codes, group)})
        units.append({g: Fraction(n, rows.total()) for g, n in rows.items()})
    return units


def posteriors(published: pl.Published, background: Background | None) -> list[dict[int, Fraction]]:
    """Per unit, the probability of each value."""
    held = [Counter() for _ in range(published.n_groups)]
    for group, value in zip(published.row_group.tolist(), published.row_sensitive[0].tolist()):
        held[group][value] += 1
    units = []
    for groups in likely_groups(published, background):
        unit: Counter = Counter()
        for g, share in groups.items():
            for value, count in held[g].items():
                unit[value] += share * Fraction(count, held[g].total())
        units.append(dict(unit))
    return units


@given(one_release, whose)
def test_prosecutor_risk(world: World, who: str) -> None:
    published, background = world.series[0], background_of(world, who)
    found = record_linkage(published, background, threshold=0.3)
    expected = [
        max(share / int(published.sizes[g]) for g, share in groups.items())
        for groups in likely_groups(published, background)
    ]
    assert np.allclose(found.scores, [float(risk) for risk in expected])
    assert found.breached.tolist() == [risk > Fraction(3, 10) for risk in expected]
    assert found.unit == ("group" if background is None else "person")
    assert len(found.to_frame()) == len(found.scores)


@given(worlds(max_releases=1, counterfeits=False, anatomized=False))
def test_prosecutor_risk_is_what_pandas_groups_say(world: World) -> None:
    published = world.series[0]
    frame = published.to_frame()
    keys = ["group"] if published.numbered else list(world.table.schema.quasi_identifiers)
    sizes = frame.groupby(keys, sort=False)[keys[0]].transform("size")
    found = record_linkage(published)
    assert sorted(np.repeat(found.scores, published.sizes)) == pytest.approx(sorted(1 / sizes))
    assert found.mean == pytest.approx((1 / sizes).mean())
    assert found.largest == pytest.approx((1 / sizes).max())
    assert found.share_of_people_breached == pytest.approx((sizes == 1).mean())


@given(one_release, whose, st.sampled_from([0.5, 0.75, 1.0]))
def test_homogeneity(world: World, who: str, confidence: float) -> None:
    published, background = world.series[0], background_of(world, who)
    found = homogeneity(published, background, confidence=confidence)
    expected = posteriors(published, background)
    assert np.allclose(found.scores, [float(max(unit.values())) for unit in expected])
    assert found.breached.tolist() == [max(unit.values()) >= Fraction(confidence) for unit in expected]
    labels = world.table.sensitive_domains[0].labels
    named = found.to_frame()["value"]
    assert all(unit[labels.tolist().index(v)] == max(unit.values()) for unit, v in zip(expected, named))


@given(one_release, whose, st.integers(0, 3))
def test_ruling_out_the_worst_values_is_the_best_of_all_choices(world: World, who: str, c: int) -> None:
    published, background = world.series[0], background_of(world, who)
    found = background_knowledge(published, background, rule_out=c)
    for score, unit in zip(found.scores, posteriors(published, background)):
        best = Fraction(0)
        for gone in combinations(unit, min(c, len(unit) - 1)):
            rest = {v: p for v, p in unit.items() if v not in gone}
            best = max(best, max(rest.values()) / sum(rest.values()))
        assert score == pytest.approx(float(best))


@given(one_release, whose, st.data())
def test_ruling_out_named_values(world: World, who: str, data: st.DataObject) -> None:
    published, background = world.series[0], background_of(world, who)
    domain = world.table.sensitive_domains[0]
    gone = data.draw(st.sets(st.integers(0, len(domain) - 1)))
    found = background_knowledge(published, background, excluded=domain.values[sorted(gone)])
    for score, breached, unit in zip(found.scores, found.breached, posteriors(published, background)):
        rest = {v: p for v, p in unit.items() if v not in gone}
        assert score == pytest.approx(float(max(rest.values()) / sum(rest.values())) if rest else 0.0)
        assert breached == (len(rest) == 1)


@given(one_release, whose, st.sampled_from([0.0, 0.1, 0.25]), st.sampled_from([None, 1.5, 2]))
def test_skewness(world: World, who: str, gain: float, ratio: float | None) -> None:
    published, background = world.series[0], background_of(world, who)
    found = skewness(published, background, gain=gain, ratio=ratio)
    prior = Counter(published.row_sensitive[0].tolist())
    expected = posteriors(published, background)
    gains = [max(p - Fraction(prior[v], prior.total()) for v, p in unit.items()) for unit in expected]
    times = [max(p / Fraction(prior[v], prior.total()) for v, p in unit.items()) for unit in expected]
    assert np.allclose(found.scores, [float(g) for g in gains])
    assert np.allclose(found.to_frame()["ratio"], [float(t) for t in times])
    breaks = [g > Fraction(gain).limit_denominator() or (ratio is not None and t > ratio) for g, t in zip(gains, times)]
    assert found.breached.tolist() == breaks


@given(worlds(max_releases=1, anatomized=False, counterfeits=False), st.sampled_from([0.1, 0.3, 0.5]))
def test_t_closeness_closes_skewness(world: World, t: float) -> None:
    published = world.series[0]
    safe = pl.TCloseness(t).safe(published.counts())
    assert not skewness(published, gain=t).breached[safe].any()


@given(one_release, whose, st.integers(0, 3), st.sampled_from([0.0, 0.1, 0.5]))
def test_similarity(world: World, who: str, level: int, width: float) -> None:
    published, background = world.series[0], background_of(world, who)
    domain = world.table.sensitive_domains[0]
    if domain.kind == "set":
        with pytest.raises(SchemaError, match="nothing says which values of 's0' are similar"):
            similarity(published, background)
        return
    found = similarity(published, background, level=level, width=width)
    for breached, unit in zip(found.breached, posteriors(published, background)):
        if domain.hierarchy is not None:
            tree = domain.hierarchy
            shared = [h for h in range(tree.height + 1) if len({int(tree.ancestors[h, v]) for v in unit}) == 1]
            node = tree.ancestors[min(shared), next(iter(unit))]
            below = int((tree.ancestors[min(shared)] == node).sum())
            assert breached == (min(shared) <= level and below < tree.n_leaves)
        else:
            where = [domain.coordinates[v] for v in unit]
            span = max(domain.coordinates) - min(domain.coordinates)
            assert breached == ((max(where) - min(where)) <= width * span + 1e-9 * max(span, 1))


def test_counterfeits_are_no_people() -> None:
    frame = pd.DataFrame({"age": [30, 31, 32], "ill": ["flu", "HIV", "flu"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    fake = Counterfeits(np.array([1]), table.sensitive_codes[:, :1], table.qi_codes[:, 2:])
    published = pl.Release(table, np.array([0, 0, 1]), counterfeits=fake).published()
    found = record_linkage(published, threshold=0.4)
    assert found.people.tolist() == [2, 1] and found.scores.tolist() == [0.5, 0.5]
    assert found.people_breached == 3


def test_the_thesis_example_of_homogeneity_and_background_knowledge() -> None:
    published = pl.Published.from_frame(speedy.table_3(), speedy.table_1())
    frame = homogeneity(published).to_frame()
    assert frame["value"][frame["breached"]].tolist() == ["Fever"]
    likely = background_knowledge(published, excluded=["HIV"]).to_frame()
    assert sorted(likely["value"][likely["breached"]]) == ["Fever", "Flu"]


def test_bad_input_is_refused_in_words() -> None:
    frame = pd.DataFrame({"age": [30, 31], "ill": ["flu", "HIV"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    release = pl.Release(table, np.array([0, 0]))
    seen = release.published()
    with pytest.raises(ParameterError, match=r"sees ppdp_lab.Published only, not Release; call its published\(\)"):
        homogeneity(release)
    with pytest.raises(ParameterError, match="threshold must be at most 1"):
        record_linkage(seen, threshold=3)
    with pytest.raises(ParameterError, match="confidence must be greater than 0"):
        homogeneity(seen, confidence=0)
    with pytest.raises(ParameterError, match="rule_out must be a whole number"):
        background_knowledge(seen, rule_out=0.5)
    with pytest.raises(ParameterError, match="excluded names 'plague', which 'ill' does not have; its values are"):
        background_knowledge(seen, excluded=["flu", "plague"])
    with pytest.raises(ParameterError, match="prior must be 2 probabilities that sum to 1"):
        skewness(seen, prior=[0.5, 0.1])
    with pytest.raises(ParameterError, match="a background on 2 releases does not fit a series of 1"):
        homogeneity(seen, Background.of_series([table, table]))
    bare = pl.Release(pl.Microdata(frame[["age"]], pl.Schema("age")), np.array([0, 0])).published()
    with pytest.raises(SchemaError, match="the schema names no sensitive column"):
        homogeneity(bare)
    assert record_linkage(bare).scores.tolist() == [0.5]


@pytest.mark.parametrize(
    "prior", [[np.nan] * 2, [np.inf, 0], [-0.5, 1.5], [None, 1], {"flu": 0.5, "HIV": 0.5}, {0: 0.5, 1: 0.5}, 5, "ab"]
)
def test_a_prior_that_is_none_is_refused_in_words(prior: object) -> None:
    frame = pd.DataFrame({"age": [30, 31], "ill": ["flu", "HIV"]})
    seen = pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="ill")), np.array([0, 0])).published()
    with pytest.raises(ParameterError, match=r"prior must be 2 probabilities that sum to 1, .* order: 'HIV', 'flu'"):
        skewness(seen, prior=prior)  # type: ignore[arg-type]


def test_one_excluded_value_needs_no_list() -> None:
    frame = pd.DataFrame({"age": [30, 31], "pay": [100, 200]})
    seen = pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="pay")), np.array([0, 0])).published()
    assert background_knowledge(seen, excluded=100).to_frame()["value"].tolist() == ["200"]
    with pytest.raises(ParameterError, match="excluded names 5, which 'pay' does not have"):
        background_knowledge(seen, excluded=5)


def test_a_given_prior_is_used() -> None:
    frame = pd.DataFrame({"age": [30, 31], "ill": ["flu", "HIV"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    seen = pl.Release(table, np.array([0, 0])).published()
    found = skewness(seen, prior=[0.01, 0.99], ratio=10)
    assert found.scores.tolist() == pytest.approx([0.49]) and found.breached.tolist() == [True]
    sure = skewness(seen, prior=[0, 1])
    assert sure.to_frame()["ratio"].tolist() == [np.inf]
