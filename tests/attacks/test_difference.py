"""The difference attack against the paper's formulas, said plainly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, may_hold, persons_of, worlds
from hypothesis import given
from hypothesis import strategies as st
from plain_forms import candidates

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.differences import Differences, difference
from ppdp_lab.errors import ParameterError, PublicationError

pairs = worlds(min_releases=2, max_releases=4, counterfeits=False, anatomized=False)


def overlap(one: pl.Published, g1: int, two: pl.Published, g2: int) -> bool:
    for a, b in zip(one.boxes, two.boxes):
        codes = np.arange(len(a.domain))
        if not (a.take(np.full(len(codes), g1)).covers(codes) & b.take(np.full(len(codes), g2)).covers(codes)).any():
            return False
    return True


def rows(published: pl.Published, group: int) -> list[tuple[int, int]]:
    """(pseudonym, value) of a group's rows."""
    mine = published.row_group == group
    return list(zip(published.pseudonyms[mine].tolist(), published.row_sensitive[0][mine].tolist()))


def plain(first: pl.Published, second: pl.Published, track: bool) -> dict[tuple[int, int], Counter]:
    found = {}
    for e1 in range(first.n_groups):
        touched = [e2 for e2 in range(second.n_groups) if overlap(first, e1, second, e2)]
        everything = Counter(value for e2 in touched for _, value in rows(second, e2))
        before = {name for name, _ in rows(first, e1)}
        for e2 in touched:
            if track:
                found[e1, e2] = Counter(value for name, value in rows(second, e2) if name not in before)
            else:
                here = Counter(value for _, value in rows(second, e2))
                found[e1, e2] = (everything - Counter(value for _, value in rows(first, e1))) & here
    return found


def as_counters(found: Differences) -> dict[tuple[int, int], Counter]:
    labels = found.domain.labels.tolist()
    return {
        (int(a), int(b)): Counter(labels.index(value) for value in found.values(a, b))
        for a, b in zip(found.first, found.second)
    }


@given(pairs, st.booleans(), st.integers(1, 3))
def test_candidates_are_those_of_the_formulas(world: World, track: bool, l: int) -> None:  # noqa: E741
    first, second = world.tracked[0], world.tracked[-1]
    found = difference(first, second, track=track, rule=pl.DistinctLDiversity(l))
    expected = plain(first, second, track)
    assert as_counters(found) == expected
    for e1, e2, breached, wrong in zip(found.first, found.second, found.breached, found.contradicted):
        bag = expected[e1, e2]
        assert breached == (0 < len(bag) < l and not wrong)
        gone = Counter(v for _, v in rows(first, e1)) - Counter(
            v for a, b in expected for _, v in rows(second, b) if a == e1
        )
        assert wrong == (bool(gone) and not track)
    assert len(found.to_frame()) == len(found.breached) and str(found).startswith("difference (")


@given(pairs, st.booleans(), st.booleans())
def test_newcomers_are_counted_and_their_value_is_a_candidate(world: World, track: bool, knows_groups: bool) -> None:
    first, second = world.tracked[0], world.tracked[1]
    background = Background.worst_case(world.releases[:2])
    background = background if knows_groups else background.without_groups()
    found = difference(first, second, background, track=track)
    truth = world.truth(background)
    expected: Counter = Counter()
    before = set(background.releases[0].persons.tolist())
    only_insertions = before <= set(background.releases[1].persons.tolist())
    bags = as_counters(found)
    broken = {(int(a), int(b)) for a, b, one in zip(found.first, found.second, found.breached) if one}
    came = exposed = 0
    for person, codes, group in persons_of(background, 1):
        if person in before:
            continue
        would_be, is_in = candidates(first, codes).tolist(), may_hold(second, codes, group)
        expected.update((e1, e2) for e1 in would_be for e2 in is_in)
        came += 1
        exposed += all(any((e1, e2) in broken for e1 in would_be) for e2 in is_in)
        if track or only_insertions:
            for e1 in would_be:
                assert any(truth[person] in bags[e1, e2] for e2 in is_in)
    assert found.newcomers.tolist() == [expected[int(a), int(b)] for a, b in zip(found.first, found.second)]
    assert not (found.breached & (found.newcomers == 0)).any()
    assert (found.came, found.exposed) == (came, exposed)
    assert found.share_of_people_breached == (exposed / came if came else 0)


def test_bad_input_is_refused_in_words() -> None:
    frame = pd.DataFrame({"age": [30, 31], "ill": ["flu", "HIV"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    seen = pl.Release(table, np.array([0, 0])).published()
    split = pl.Release(table, np.array([0, 0]), style="anatomized").published()
    with pytest.raises(
        PublicationError,
        match=r"difference needs a region .* which anatomized tables do not show",
    ):
        difference(seen, split)
    with pytest.raises(ParameterError, match="the rule must be a principle"):
        difference(seen, seen, rule=3)
    with pytest.raises(PublicationError, match="carries no pseudonyms"):
        difference(seen, seen, track=True)
    with pytest.raises(ParameterError, match="a background on 1 releases does not fit a series of 2"):
        difference(seen, seen, Background.of(table))
    with pytest.raises(ParameterError, match="are no pair"):
        difference(seen, seen).values(0, 7)
    apart = pl.Release(table, np.array([0, 1])).published()
    with pytest.raises(
        ParameterError, match=r"more than limit = 1 pairs of groups of the two releases overlap; raise limit"
    ):
        difference(apart, seen, limit=1)
    assert len(difference(apart, seen, limit=2).breached) == 2
    with pytest.raises(ParameterError, match="limit must be at least 1"):
        difference(seen, seen, limit=0)
