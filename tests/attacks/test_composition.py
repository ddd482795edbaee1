"""Intersection and value association: soundness, monotony, and a plain twin."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import and_

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, fits, may_hold, persons_of, trace, worlds
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.composition import intersection, value_association
from ppdp_lab.attacks.exact import consistent_assignments
from ppdp_lab.errors import IdError, ParameterError, PublicationError, SchemaError

untracked = worlds(max_persons=14, min_releases=2, max_releases=4)
followed = worlds(max_persons=14, min_releases=2, max_releases=4, counterfeits=False, anatomized=False)


def plain_candidates(series: list[pl.Published], background: Background, attribute: int = 0) -> list[Counter]:
    """For every person, the multiset intersection of the values of all groups that may hold them."""
    parts: list[list[Counter]] = [[] for _ in range(background.n_persons)]
    for number, published in enumerate(series):
        for person, codes, group in persons_of(background, number):
            groups = may_hold(published, codes, group)
            rows = np.isin(published.row_group, groups)
            parts[person].append(Counter(published.row_sensitive[attribute][rows].tolist()))
    return [reduce(and_, found) for found in parts]


def some(world: World, knows_groups: bool) -> Background:
    return world.worst if knows_groups else world.worst.without_groups()


@given(untracked, st.booleans())
def test_intersection_is_what_a_plain_loop_finds_and_keeps_the_truth(world: World, knows_groups: bool) -> None:
    background = some(world, knows_groups)
    found = intersection(world.series, background)
    expected = plain_candidates(world.series, background)
    assert [set(np.flatnonzero(row).tolist()) for row in found.members()] == [set(bag) for bag in expected]
    assert found.members()[np.arange(len(found.ids)), world.truth(background)].all()
    assert not found.contradicted.any()
    assert found.breached.tolist() == [len(bag) == 1 for bag in expected]
    association = value_association(world.series, background)
    assert np.allclose(association.confidence, [max(bag.values()) / bag.total() for bag in expected])


@given(followed, st.booleans())
def test_tracked_intersection_is_what_a_plain_loop_finds(world: World, knows_groups: bool) -> None:
    background = some(world, knows_groups)
    series = world.tracked
    found = intersection(series, background)
    names = sorted({int(x) for published in series for x in published.pseudonyms})
    for person in range(background.n_persons):
        mine = [name for name in names if fits(series, background, person, name)]
        assert found.records[person] == len(mine)
        assert set(np.flatnonzero(found.members()[person]).tolist()) == {trace(series, name)[-1] for name in mine}
    assert found.members()[np.arange(len(found.ids)), world.truth(background)].all()
    loose = intersection(series, background, track=False)
    assert loose.records is None
    assert not (found.members() & ~loose.members()).any()


@given(untracked, st.booleans())
def test_candidates_shrink_with_every_release(world: World, knows_groups: bool) -> None:
    background = some(world, knows_groups)
    for end in range(1, len(world.releases)):
        earlier, later = (intersection(world.series[:stop], background[:stop]) for stop in (end, end + 1))
        at = later.ids.get_indexer(earlier.ids)
        assert not (later.members()[at] & ~earlier.members()).any()


@given(untracked)
def test_knowing_groups_never_hurts_the_adversary(world: World) -> None:
    sharp = intersection(world.series, world.worst)
    blunt = intersection(world.series, world.worst.without_groups())
    assert not (sharp.members() & ~blunt.members()).any()


def of_many_values(n: int) -> pl.Microdata:
    frame = pd.DataFrame({"age": np.arange(n) % 7, "ill": [f"v{i:03}" for i in range(n)]})
    return pl.Microdata(frame, pl.Schema("age", sensitive="ill"))


def test_more_values_than_one_word_holds() -> None:
    table = of_many_values(200)
    releases = [pl.Release(table, np.arange(200) // 50), pl.Release(table, np.arange(200) % 20)]
    series = [release.published() for release in releases]
    background = Background.worst_case(releases)
    found = intersection(series, background)
    assert found.masks.shape == (200, 4)
    expected = plain_candidates(series, background)
    assert [set(np.flatnonzero(row).tolist()) for row in found.members()] == [set(bag) for bag in expected]
    assert found.values(130) == table.sensitive_domains[0].labels[sorted(expected[130])].tolist()


def two_releases() -> tuple[list[pl.Release], list[pl.Published]]:
    frame = pd.DataFrame(
        {"age": [34, 38, 31, 36], "ill": ["flu", "HIV", "cold", "flu"], "pay": [1, 2, 3, 4]}, index=list("abcd")
    )
    table = pl.Microdata(frame, pl.Schema("age", sensitive=["ill", "pay"]))
    releases = [pl.Release(table.select(rows), np.zeros(2, int)) for rows in ([0, 1], [0, 2])]
    return releases, [release.published() for release in releases]


def test_words_frames_and_attributes() -> None:
    releases, series = two_releases()
    found = intersection(series, Background.worst_case(releases), attribute="ill", least=3)
    assert found.to_frame().to_dict("index") == {
        "a": {"candidates": 1, "values": "flu", "breached": True},
        "b": {"candidates": 2, "values": "HIV, flu", "breached": True},
        "c": {"candidates": 2, "values": "cold, flu", "breached": True},
    }
    assert "3 of 3 persons are left with fewer than 3 candidate values" in str(found)
    with pytest.raises(SchemaError, match="several sensitive columns"):
        intersection(series, Background.worst_case(releases))
    with pytest.raises(IdError, match="does not name 'x'"):
        found.values("x")


def test_a_changed_value_is_a_contradiction_not_a_breach() -> None:
    releases, series = two_releases()
    table = releases[0].table
    changed = table.with_codes(sensitive_codes=table.sensitive_codes[:, ::-1]).select([1])
    series = [
        pl.Release(table.select([1]), np.zeros(1, int)).published(),
        pl.Release(changed, np.zeros(1, int)).published(),
    ]
    found = intersection(series, Background.of_series([changed, changed]), attribute="ill")
    assert found.contradicted.tolist() == [True] and not found.breached.any()
    assert "1 person contradict" in str(found)


def test_exact_association_sees_what_persons_tell_of_each_other() -> None:
    # Ann and Bob share two values between them; a third release shows Bob's neighbour, so Ann's is known jointly only.
    frame = pd.DataFrame({"age": [30] * 4, "ill": ["flu", "HIV", "flu", "HIV"]}, index=["Ann", "Bob", "Cy", "Di"])
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    whole, pair = pl.Release(table, np.zeros(4, int)), pl.Release(table.select([0, 2]), np.zeros(2, int))
    series, background = [whole.published(), pair.published()], Background.worst_case([whole, pair])
    exact = value_association(series, background, exact=True, threshold=0.9)
    assert exact.confidence.tolist() == [1, 1, 1, 1] and exact.p == 1 and exact.breached.all()
    alone = value_association(series, background)
    assert alone.confidence.tolist() == [1, 0.5, 1, 0.5]
    assert "each candidate record being equally likely" in str(alone)
    assert "counting all consistent assignments" in str(exact)
    joint = consistent_assignments(series, background)
    assert joint.values("Bob") == ["HIV"]


def test_bad_input_is_refused_in_words() -> None:
    releases, series = two_releases()
    background = Background.worst_case(releases)
    for wrong, words in (
        ((series[0], background), "put the single one into a list"),
        (([], background), "the series is empty"),
        ((releases, background), "call its published"),
        ((series[:1], background), r"a background on 2 releases does not fit a series of 1.*background\[1:\]"),
        ((3, background), "a series of published tables must be a list, not int"),
        ((series, "everything"), "the background must be a ppdp_lab Background, not str"),
        ((series, None), r"not NoneType; make one with Background.of_series\(tables\)"),
    ):
        with pytest.raises(ParameterError, match=words):
            intersection(*wrong, attribute="ill")
    with pytest.raises(ParameterError, match="least must be at least 1"):
        intersection(series, background, least=0)
    with pytest.raises(PublicationError, match="release 0 carries no pseudonyms"):
        intersection(series, background, attribute="ill", track=True)
    with pytest.raises(ParameterError, match="threshold must be at most 1"):
        value_association(series, background, threshold=2)
    with pytest.raises(ParameterError, match="the background must be a ppdp_lab Background, not NoneType"):
        value_association(series, None)  # type: ignore[arg-type]
    other = pl.Microdata(releases[0].table.frame.astype({"age": "str"}), releases[0].table.schema)
    with pytest.raises(SchemaError, match="release 1 does not fit the tables before it: column 'age' held text"):
        intersection([pl.Release(other, np.zeros(2, int)).published(), series[1]], background)


def test_suppressed_persons_must_not_count_as_present() -> None:
    frame = pd.DataFrame({"age": [30, 31, 60], "ill": ["flu", "HIV", "cold"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    release = pl.Release(table, np.array([0, 0, -1]))
    with pytest.raises(ParameterError, match="the release: the background puts more persons into it"):
        intersection([release.published()], Background.of(table))
    with pytest.raises(ParameterError, match="no published group covers 1 of its combinations"):
        intersection([release.published()], Background.of(table).about([2]))
    assert intersection([release.published()], Background.worst_case([release])).ids.tolist() == [0, 1]


@pytest.mark.parametrize("style", ["generalized", "anatomized"])
def test_a_release_without_any_row_tells_nothing(style: str) -> None:
    frame = pd.DataFrame({"age": [30, 31, 32], "sex": ["f", "m", "f"], "ill": ["flu", "HIV", "flu"]})
    table = pl.Microdata(frame, pl.Schema(["age", "sex"], sensitive="ill"))
    empty, full = (pl.Release(table, np.full(3, c), style=style, pseudonyms=np.arange(3)) for c in (-1, 0))
    series, worst = [empty.published(), full.published()], Background.worst_case([empty, full])
    for background in (worst, worst.without_groups()):
        assert intersection(series, background).sizes.tolist() == [2, 2, 2]
        assert value_association(series, background).p == 2 / 3
        assert value_association(series, background, exact=True).p == pytest.approx(2 / 3)
    nobody = Background.worst_case([empty])
    assert nobody.n_persons == 0 and not intersection(series[:1], nobody).succeeds
    assert len(consistent_assignments(series[:1], nobody).to_frame()) == 0
    tracked = [release.published(track=True) for release in (empty, full)]
    for background in (worst, worst.without_groups()) if style == "generalized" else (worst,):
        assert intersection(tracked, background).records.tolist() == [3, 3, 3]
