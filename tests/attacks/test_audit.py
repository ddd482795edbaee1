"""Series auditors: the principle of every person's candidate records, and what is said of it."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import and_

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, fits, may_hold, persons_of, worlds
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.series.audit import audit_series
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
    audit = audit_series(series, background, rule, track=track)
    assert audit.records.tolist() == [bag.total() for bag in expected]
    assert audit.candidates.tolist() == [len(bag) for bag in expected]
    assert np.allclose(audit.confidence, [max(bag.values()) / bag.total() for bag in expected])
    sizes = [(bag.total(), len({row[0] for row in bag})) for bag in expected]
    assert audit.safe.tolist() == [n >= strength and distinct >= strength for n, distinct in sizes]
    assert bool(audit) == audit.holds == (not audit.succeeds)
    assert ("withstands intersection" in str(audit)) == audit.holds
    limited = audit_series(series, background, max_confidence=1 / strength, track=track)
    assert limited.safe.tolist() == [strength * max(bag.values()) <= bag.total() for bag in expected]
    bare = audit_series(series, background, track=track)
    assert bare.safe.tolist() == [len(bag) > 1 for bag in expected]


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
    assert "1 records, fewer than k = 2" in str(both)


def test_changed_values_fail_the_audit() -> None:
    releases, _ = invariant([0, 0, 1, 1, 2, 2])
    table = releases[0].table
    changed = table.with_codes(sensitive_codes=(table.sensitive_codes + 1) % 3)
    ungrouped = [pl.Release(t, np.arange(6)) for t in (table, changed)]
    audit = audit_series(
        [release.published() for release in ungrouped], Background.worst_case(ungrouped), pl.KAnonymity(1)
    )
    assert not audit and "no value is left that all releases agree on" in str(audit)


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
