"""Series auditors: the principle of every person's candidate records, and what is said of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import reduce
from itertools import product
from operator import and_
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, fits, invariant_worlds, may_hold, persons_of, worlds
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks.audit import audit_series
from ppdp_lab.attacks.background import Background, Presence
from ppdp_lab.attacks.exact import consistent_assignments
from ppdp_lab.errors import ParameterError


def rows_of(published: pl.Published, groups: list[int]) -> Counter:
    mine = np.isin(published.row_group, groups)
    return Counter(zip(*(column[mine].tolist() for column in published.row_sensitive)))


def candidates(series: list[pl.Published], background: Background, track: bool) -> list[Counter]:
    """Candidate records of every person: combinations of their sensitive values, each as often as it may be theirs."""
    if not track:
        parts: list[list[Counter]] = [[] for _ in range(background.n_persons)]
        for number, published in enumerate(series):
            for person, codes, group in persons_of(background, number):
                parts[person].append(rows_of(published, may_hold(published, codes, group)))
        return [reduce(and_, found) for found in parts]
    names = sorted({int(x) for published in series for x in published.pseudonyms})
    bags = []
    for person in range(background.n_persons):
        bag: Counter = Counter()
        for name in names:
            if fits(series, background, person, name):
                last = [p for p in series if name in p.pseudonyms][-1]
                bag[tuple(last.row_sensitive[:, last.pseudonyms == name][:, 0].tolist())] += 1
        bags.append(bag)
    return bags


def looked_at_again(
    series: list[pl.Published], background: Background, passes: Callable[[Counter], bool]
) -> list[float | None]:
    """The second look of an audit without groups, where everybody is named: by walking through all histories.

    The largest share in a history that keeps the guarantee, or None for a person without one, or in whose way stands a
    group that lies on no such history of anybody.
    """
    options: list[dict[int, list[int]]] = [{} for _ in range(background.n_persons)]
    for number, published in enumerate(series):
        for person, codes, group in persons_of(background, number):
            options[person][number] = may_hold(published, codes, group)
    best: list[float | None] = []
    witnessed = set()
    for mine in options:
        shares = []
        for history in product(*mine.values()):
            bag = reduce(and_, (rows_of(series[number], [group]) for number, group in zip(mine, history)))
            if passes(bag):
                shares.append(max(bag.values()) / bag.total())
                witnessed |= set(zip(mine, history))
        best.append(max(shares, default=None))
    needed = [{(number, group) for number in mine for group in mine[number]} for mine in options]
    return [share if groups <= witnessed else None for share, groups in zip(best, needed)]


@given(
    worlds(min_releases=2, max_releases=3, max_sensitive=2, counterfeits=False, anatomized=False),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
)
def test_audits_the_candidates_of_everybody(world: World, knows_groups: bool, track: bool, strength: int) -> None:
    background = world.worst if knows_groups else world.worst.without_groups()
    series = world.tracked
    expected = candidates(series, background, track)
    first = world.table.sensitive_domains[0]
    rule = pl.KAnonymity(strength) & pl.DistinctLDiversity(strength, attribute=first.name)
    guarantees: list[tuple[dict, Callable[[Counter], bool]]] = [
        ({"rule": rule}, lambda bag: min(bag.total(), len({row[0] for row in bag})) >= strength),
        ({"max_confidence": 1 / strength}, lambda bag: bool(bag) and strength * max(bag.values()) <= bag.total()),
        ({}, lambda bag: len(bag) > 1),
    ]
    for asked, passes in guarantees:
        audit = audit_series(series, background, **asked, track=track)
        assert audit.records.tolist() == [bag.total() for bag in expected]
        assert audit.candidates.tolist() == [len(bag) for bag in expected]
        shares = [max(bag.values()) / bag.total() for bag in expected]
        safe = [passes(bag) for bag in expected]
        if not (knows_groups or track):
            again = looked_at_again(series, background, passes)
            assert audit.by_history.tolist() == [not was and new is not None for was, new in zip(safe, again)]
            shares = [share if was or new is None else new for share, was, new in zip(shares, safe, again)]
            safe = [was or new is not None for was, new in zip(safe, again)]
        assert np.allclose(audit.confidence, shares)
        assert audit.safe.tolist() == safe
        assert bool(audit) == audit.holds == (not audit.succeeds)
        assert ("withstands intersection" in str(audit)) == audit.holds


def guarantees_of(strength: int) -> list[dict]:
    rules = [
        pl.KAnonymity(strength),
        pl.DistinctLDiversity(strength),
        pl.EntropyLDiversity(strength),
        pl.TCloseness(0.5),
    ]
    return [{}, {"max_confidence": 1 / strength}, *({"rule": rule} for rule in rules)]


def weaker_passes(world: World, background: Background, strength: int, track: bool) -> int:
    """Assert that what holds when groups are known holds when they are not; how often there was something to assert."""
    series, held = world.tracked if track else world.series, 0
    for asked in guarantees_of(strength):
        if audit_series(series, background, **asked, track=track):
            held += 1
            weaker = audit_series(series, background.without_groups(), **asked, track=track)
            assert weaker, str(weaker)
            if "max_confidence" in asked:
                assert weaker.confidence.max() <= asked["max_confidence"] + 1e-9
    return held


@given(worlds(min_releases=1, anatomized=False), st.integers(1, 3), st.booleans(), st.data())
def test_who_knows_less_learns_no_more(world: World, strength: int, track: bool, data: st.DataObject) -> None:
    """Of arbitrary series, with counterfeits, and also where the background names some persons only."""
    background = world.worst
    track &= not any(release.n_counterfeits for release in world.releases)  # these have no pseudonyms
    weaker_passes(world, background, strength, track)
    some = data.draw(st.sets(st.sampled_from(background.ids.tolist()), min_size=1))
    weaker_passes(world, background.about(sorted(some)), strength, track)


@given(invariant_worlds(), st.data())
def test_an_invariant_series_passes_whether_groups_are_known_or_not(
    case: tuple[World, int], data: st.DataObject
) -> None:
    world, m = case
    background = world.worst
    assert audit_series(world.series, background, max_confidence=1 / m)
    assert weaker_passes(world, background, m, False) >= 4
    some = data.draw(st.sets(st.sampled_from(background.ids.tolist()), min_size=1))
    assert weaker_passes(world, background.about(sorted(some)), m, False) >= 4


def test_a_stream_of_m_invariant_releases_passes_without_groups() -> None:
    """Pooled groups alone would break it for some: a share of 2/9 and more, where every group leaves 1/6."""
    table = pl.datasets.load("occ", rows=2_600)
    publisher = pl.MInvariance(6, seed=1)
    stream = pl.UpdateStream(table, initial=2_000, deletes=200, inserts=200, updates=3, seed=1)
    releases = [publisher.publish(snapshot) for snapshot in stream]
    series = [release.published() for release in releases]
    background = Background.worst_case(releases)
    known = audit_series(series, background, max_confidence=1 / 6)
    assert known and known.bound.all() and not known.by_history.any()
    weaker = audit_series(series, background.without_groups(), max_confidence=1 / 6)
    assert weaker and weaker.by_history.any() and not weaker.bound.any()
    assert "(rows not tracked, groups not known, so that shares are estimates)" in str(weaker)
    assert "by their possible groups one at a time" in str(weaker)
    assert weaker.confidence.max() <= 1 / 6 + 1e-9


def test_a_group_that_breaks_the_guarantee_whoever_is_in_it_speaks_against_the_second_look() -> None:
    values = ["flu"] * 9 + ["HIV", "cold", "cough"]
    table = pl.Microdata(pd.DataFrame({"age": [20, 40] * 6, "ill": values}), pl.Schema("age", sensitive="ill"))
    release = pl.Release(table, np.array([0] * 10 + [1, 1]), grouped=True)
    everybody = Background.worst_case([release])
    # Everybody may be in the group of cold and cough, which would be safe; but ten of them are with the nine flus.
    audit = audit_series([release.published()], everybody.without_groups(), max_confidence=1 / 2)
    assert audit.breached.all() and np.allclose(audit.confidence, 9 / 12)
    # Who names only the two knows nothing against it.
    two = everybody.about([10, 11])
    assert audit_series([release.published()], two, max_confidence=1 / 2)
    audit = audit_series([release.published()], two.without_groups(), max_confidence=1 / 2)
    assert audit and audit.by_history.all() and np.allclose(audit.confidence, 1 / 2)


@given(st.one_of(worlds(max_persons=6), invariant_worlds(per_value=2).map(lambda case: case[0])), st.booleans())
def test_no_posterior_exceeds_a_confidence_that_is_said_to_be_a_bound(world: World, knows_groups: bool) -> None:
    background = world.worst if knows_groups else world.worst.without_groups()
    audit = audit_series(world.series, background)
    assert knows_groups or not audit.bound.any()
    if audit.bound.any():
        posterior = consistent_assignments(world.series, background).posterior().max(axis=1)
        assert (posterior <= audit.confidence + 1e-9)[audit.bound].all()


@given(worlds(max_persons=6, counterfeits=False, anatomized=False))
def test_of_tracked_rows_and_known_groups_every_confidence_is_a_bound(world: World) -> None:
    audit = audit_series(world.tracked, world.worst)
    posterior = consistent_assignments(world.tracked, world.worst).posterior().max(axis=1)
    assert audit.bound.all() and (posterior <= audit.confidence + 1e-9).all()


@given(invariant_worlds(per_value=2))
def test_an_invariant_series_is_bounded_for_everybody(case: tuple[World, int]) -> None:
    assert audit_series(case[0].series, case[0].worst).bound.all()


@given(worlds(max_releases=1), st.integers(1, 3))
def test_of_one_release_it_is_the_principle_itself(world: World, l: int) -> None:  # noqa: E741
    published = world.series[0]
    rule = pl.DistinctLDiversity(l)
    audit = audit_series([published], world.worst, rule)
    safe = rule.safe(published.counts())
    assert audit.safe.tolist() == safe[world.worst.releases[0].groups].tolist()


def invariant(second: list[int]) -> tuple[list[pl.Release], list[pl.Published]]:
    """Two releases of six persons; the groups of the second are given."""
    values = ["flu", "HIV", "flu", "HIV", "cold", "flu"]
    frame = pd.DataFrame({"age": [30, 31, 40, 41, 50, 51], "ill": values})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    releases = [pl.Release(table, np.array(groups), grouped=True) for groups in ([0, 0, 1, 1, 2, 2], second)]
    return releases, [release.published() for release in releases]


def test_an_invariant_series_passes_and_another_fails_in_words() -> None:
    releases, series = invariant([0, 1, 1, 0, 2, 2])
    background = Background.worst_case(releases)
    assert str(audit_series(series, background, max_confidence=1 / 2)) == (
        "audit: over 2 releases (rows not tracked), a confidence of at most 0.5 withstands intersection for all 6 persons, "
        "of whom each keeps at least 2 candidate values."
    )
    releases, series = invariant([0, 1, 2, 2, 1, 0])
    audit = audit_series(series, Background.worst_case(releases), max_confidence=1 / 2)
    assert audit.breached.tolist() == [True, True, False, False, True, True]
    assert audit.to_frame().loc[audit.breached, "confidence"].tolist() == [1.0] * 4
    assert "is broken for 4 of 6 persons; for one of them: one value has a share of 1 in 1 candidate records" in str(
        audit
    )
    both = audit_series(series, Background.worst_case(releases), pl.KAnonymity(2), max_confidence=0.5)
    assert "KAnonymity(2) and a confidence of at most 0.5 is broken" in str(both)
    assert "1 record, fewer than k = 2" in str(both)


def test_changed_values_are_not_judged_without_a_model() -> None:
    releases, _ = invariant([0, 0, 1, 1, 2, 2])
    table = releases[0].table
    changed = table.with_codes(sensitive_codes=(table.sensitive_codes + 1) % 3)
    ungrouped = [pl.Release(t, np.arange(6)) for t in (table, changed)]
    series, known = [release.published() for release in ungrouped], Background.worst_case(ungrouped)
    audit = audit_series(series, known, pl.KAnonymity(1))
    assert not audit and not audit.judged and not audit.succeeds and audit.changed == 6
    assert "cannot be judged: the sensitive values of 6 of 6 persons changed between releases" in str(audit)
    bare = Background(  # made without tables: that no value is left tells it
        known.ids, [Presence(p.persons, p.qi, p.groups) for p in known.releases], known.qi_domains
    )
    assert str(audit_series(series, bare, pl.KAnonymity(1))) == str(audit)
    # Whoever says that values stay the same gets a verdict: this series breaks the rule.
    still = known.with_model(pl.UpdateModel.constant(table.sensitive_domains[0].labels))
    audit = audit_series(series, still, pl.KAnonymity(1))
    assert audit.judged and audit.breached.all() and "no value is left that all releases agree on" in str(audit)


@given(worlds(max_persons=6, min_releases=2), st.data())
def test_a_background_notes_who_changed_and_nothing_else(world: World, data: st.DataObject) -> None:
    """By the holder's tables, in any part of the series; the numbers tell equality within one person only."""
    name, domain = world.table.schema.sensitive[0], world.table.sensitive_domains[0]
    tables = []
    for release in world.releases:
        codes = data.draw(
            st.lists(st.integers(0, len(domain) - 1), min_size=len(release.table), max_size=len(release.table))
        )
        tables.append(release.table.with_codes(sensitive_codes=np.array([codes], dtype=np.int32)))
    background = Background.of_series(tables)
    numbers = data.draw(st.lists(st.integers(0, len(tables) - 1), min_size=1, unique=True).map(sorted))
    for known, some in ((background, range(len(tables))), (background[numbers], numbers)):
        lives: dict = {}
        for number in some:
            for person, code in zip(tables[number].ids, tables[number].sensitive_codes[0].tolist()):
                lives.setdefault(person, set()).add(code)
        assert dict(zip(known.ids, known.changed([name]).tolist())) == {p: len(v) > 1 for p, v in lives.items()}
        assert not known.changed(["another"]).any()
    for p in background.releases:  # the first value of everybody is number 0, whatever it is
        assert p.states[name].max(initial=0) < len(tables)
    assert not background.releases[0].states[name].any()


def recipe() -> dict:
    """What the recipe for publishing every month leaves, without the anonymizers before it."""
    text = (Path(__file__).parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")
    parts = dict(zip(*[iter(re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:])] * 2))
    found: dict = {"pl": pl}
    for title in ("Files to try this on", "Publish every month, and audit before it leaves"):
        for block in re.findall(r"^```python\n(.*?)^```$", parts[title], re.MULTILINE | re.DOTALL):
            exec(compile(block, f"docs/recipes.md: {title}", "exec"), found)
    return found


def test_the_recipe_finds_nothing_broken_in_m_distinct_and_a_broken_series_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = recipe()
    assert isinstance(done["publisher"], pl.MDistinct) and done["known"].changed(["disease"]).sum() > 50
    assert done["changing"].holds and not done["changing"].succeeds

    # The same without the model: no verdict, and nobody is reported as breached.
    series = [release.published() for release in done["series"]]
    without = audit_series(series, Background.worst_case(done["series"]), pl.DistinctLDiversity(3))
    assert not without and not without.judged and not without.succeeds and not without.to_frame()["breached"].any()
    assert "pass the publisher's, Background.worst_case(releases, model=publisher.model)" in str(without)

    # Positive controls: no memory, and a memory that believes in other updates.
    naive = [pl.Mondrian(pl.DistinctLDiversity(3)).anonymize(month) for month in done["months"]]
    wrong = pl.MDistinct(3, model=pl.UpdateModel.blocks([list(done["model"].values)]))
    for broken in (naive, [wrong.publish(month) for month in done["months"]]):
        known = Background.worst_case(broken, model=done["model"])
        found = audit_series([release.published() for release in broken], known, pl.DistinctLDiversity(3))
        assert found.judged and found.succeeds and "is broken for" in str(found)

    # The model of a publisher that expects values to stay is None: the same line serves all of them.
    for publisher in (pl.MInvariance(2), pl.EEquivalence(2, e=2), pl.I3M(2)):
        assert publisher.model is None


def test_t_closeness_compares_with_the_last_release() -> None:
    whole, _ = invariant([0, 0, 1, 1, 2, 2])
    part = pl.Release(whole[0].table.select([4, 5]), np.zeros(2, int))
    releases = [part, whole[0]]
    audit = audit_series([r.published() for r in releases], Background.worst_case(releases), pl.TCloseness(0.3))
    # cold and flu make up half of the candidates each; in the last release cold is one record of six.
    assert dict(zip(audit.ids, audit.safe)) == {0: True, 1: True, 2: True, 3: True, 4: False, 5: False}


def test_bad_input_is_refused_in_words() -> None:
    releases, series = invariant([0, 0, 1, 1, 2, 2])
    background = Background.worst_case(releases)
    with pytest.raises(ParameterError, match=r"the rule must be a principle such as .* see max_confidence"):
        audit_series(series, background, 0.5)
    with pytest.raises(ParameterError, match="the background must be a ppdp_lab Background, not NoneType"):
        audit_series(series, None)
    with pytest.raises(ParameterError, match="max_confidence must be greater than 0"):
        audit_series(series, background, max_confidence=0)
    with pytest.raises(ParameterError, match="the background names group 9, but its groups are 0 to 2"):
        audit_series(series, Background.of_series([r.table for r in releases]).with_groups([[9] * 6, [0] * 6]))


def test_missing_values_make_nobody_less_certain() -> None:
    frame = pd.DataFrame({"age": [30, 30, 30, 50, 50], "ill": ["HIV", "HIV", None, "flu", "HIV"]})
    for missing, safe in (("value", [False] * 3 + [True] * 2), ("category", [True] * 5)):
        table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"), missing=missing)
        release = pl.Release(table, np.array([0, 0, 0, 1, 1]))
        series, background = [release.published()], Background.worst_case([release])
        for asked in ({}, {"rule": pl.DistinctLDiversity(2)}, {"max_confidence": 0.7}):
            assert audit_series(series, background, **asked).safe.tolist() == safe, (missing, asked)
        assert audit_series(series, background, pl.KAnonymity(2))  # a rule about sizes counts everybody
