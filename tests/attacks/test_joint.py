"""Joint reasoning against a walk through all possible worlds."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, all_tracked_worlds, all_worlds, worlds
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.exact.assignments import Assignments, consistent_assignments
from ppdp_lab.attacks.series.composition import intersection
from ppdp_lab.errors import IdError, ParameterError

tiny = worlds(max_persons=4, min_releases=2, max_releases=2)


def small_enough(world: World) -> bool:
    return prod(len(release.published()) ** min(len(release.table), 4) for release in world.releases) < 100_000


def check(found: Assignments, expected: Counter, label) -> None:
    """The same assignments, as many ways, the same probabilities."""
    total = sum(expected.values())
    assert prod(sum(solutions.values()) for _, solutions in found.components) == total
    cells = [np.flatnonzero(found.cell_of == cell).tolist() for cell in range(found.n_cells)]
    by_cell = {tuple(tuple(sorted(world[person] for person in cell)) for cell in cells) for world in expected}
    assert len(found) == len(by_cell)
    posterior = np.zeros((len(found.ids), len(found.outcomes)))
    for world, ways in expected.items():
        for person, value in enumerate(world):
            posterior[person, found.outcomes.index(label(value))] += ways / total
    assert np.allclose(found.posterior(), posterior)
    assert (found.members() == (posterior > 0)).all()
    assert (found.breached == ((posterior > 0).sum(axis=1) == 1)).all()


@given(tiny, st.booleans(), st.data())
@settings(max_examples=60)
def test_agrees_with_all_worlds(world: World, knows_groups: bool, data: st.DataObject) -> None:
    assume(small_enough(world))
    background = world.worst if knows_groups else world.worst.without_groups()
    if data.draw(st.booleans()):
        some = data.draw(st.sets(st.sampled_from(sorted(background.ids)), min_size=1))
        background = background.about(sorted(some))
    series = world.series
    found = consistent_assignments(series, background)
    labels = world.table.sensitive_domains[0].labels
    check(found, all_worlds(series, background), lambda code: labels[code])


@given(worlds(max_persons=5, min_releases=2, max_releases=3, counterfeits=False, anatomized=False), st.booleans())
def test_tracked_agrees_with_all_worlds(world: World, knows_groups: bool) -> None:
    background = world.worst if knows_groups else world.worst.without_groups()
    labels = world.table.sensitive_domains[0].labels
    found = consistent_assignments(world.tracked, background)
    check(found, all_tracked_worlds(world.tracked, background), lambda codes: labels[codes[0]])


@given(worlds(max_persons=7, min_releases=2), st.booleans())
def test_never_loses_the_truth_and_is_never_weaker_than_intersection(world: World, knows_groups: bool) -> None:
    background = world.worst if knows_groups else world.worst.without_groups()
    try:
        found = consistent_assignments(world.series, background, limit=20_000)
    except ParameterError:
        assume(False)
    members = found.members()
    assert members[np.arange(len(members)), world.truth(background)].all()
    assert not (members & ~intersection(world.series, background).members()).any()


def test_held_by_takes_parts_of_cells_and_several_cells() -> None:
    frame = pd.DataFrame({"age": [30, 30, 30, 50], "ill": ["flu", "HIV", "flu", "cold"]}, index=list("abcd"))
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    release = pl.Release(table, np.array([0, 0, 0, 1]))
    found = consistent_assignments([release.published()], Background.worst_case([release]))
    assert found.held_by("a", "d") == [("HIV", "cold"), ("cold", "flu")]
    assert found.held_by("a", "b", "c") == [("HIV", "flu", "flu")]
    assert found.values("a") == ["HIV", "flu"]
    assert found.table().to_dict("records") == [{"a & b & c": "HIV, flu, flu", "d": "cold"}]
    assert str(found) == (
        "joint reasoning: 1 assignment is consistent with the series (persons whom nothing tells apart taken together), "
        "and 1 of 4 persons have the same value in all."
    )
    with pytest.raises(IdError, match="does not name 'x'"):
        found.values("x")


def test_contradiction_is_said_not_hidden() -> None:
    frame = pd.DataFrame({"age": [30, 31, 30, 31], "ill": ["flu", "HIV", "cold", "HIV"]}, index=list("abcd"))
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    releases = [pl.Release(table.select([0, 1]), np.zeros(2, int)), pl.Release(table.select([2, 3]), np.zeros(2, int))]
    first, second = (release.published() for release in releases)
    background = Background.of_series([table.select([0, 1]), table.select([0, 1])])
    found = consistent_assignments([first, second], background)
    assert len(found) == 0 and not found.succeeds and not found.posterior().any()
    assert "no assignment of values to persons is consistent" in str(found)


def test_too_large_is_refused_in_words() -> None:
    n = 60
    frame = pd.DataFrame({"age": range(n), "ill": [f"v{i % 20}" for i in range(n)]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    first = pl.Release(table, np.arange(n) % 3)
    second = pl.Release(table, np.arange(n) // 20)
    series = [release.published() for release in (first, second)]
    with pytest.raises(ParameterError, match="more than limit = 1000 partial assignments"):
        consistent_assignments(series, Background.worst_case([first, second]), limit=1000)
    with pytest.raises(ParameterError, match="more than limit = 5 possibilities to begin with"):
        consistent_assignments(series, Background.worst_case([first, second]), limit=5)
    with pytest.raises(ParameterError, match="limit must be at least 1"):
        consistent_assignments(series, Background.worst_case([first, second]), limit=0)


def test_many_assignments_are_not_printed() -> None:
    frame = pd.DataFrame({"age": range(12), "ill": ["flu", "HIV"] * 6})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    first = pl.Release(table, np.arange(12) // 2)
    found = consistent_assignments([first.published()], Background.of(table))
    assert len(found) == 1 and found.n_cells == 6  # a pair of persons, a pair of values, six times
    second = pl.Release(table, (np.arange(12) + 2) % 12 // 4, grouped=True)
    third = pl.Release(table, np.arange(12) // 4)
    found = consistent_assignments([second.published(), third.published()], Background.worst_case([second, third]))
    assert len(found) == 3  # the first pair holds two flus, one, or none, and each pair after it what is left
    with pytest.raises(ParameterError, match="3 assignments, more than limit = 2"):
        found.table(limit=2)


def test_more_assignments_than_len_can_count_are_still_said() -> None:
    """The twelve persons with three assignments of above, sixty times over: 3^60."""
    at = np.arange(720)
    frame = pd.DataFrame({"age": at, "ill": ["flu", "HIV"] * 360})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    first = pl.Release(table, at // 12 * 3 + (at % 12 + 2) % 12 // 4, grouped=True)
    second = pl.Release(table, at // 4)
    found = consistent_assignments([first.published(), second.published()], Background.worst_case([first, second]))
    assert found.n_assignments == 3**60 and "about 10^28 assignments are consistent" in str(found)
    with pytest.raises(ParameterError, match="more than limit = 1000"):
        found.table()


def test_persons_whom_the_same_boxes_cover_are_one_cell() -> None:
    frame = pd.DataFrame({"age": [30, 31, 32, 50], "ill": ["flu", "HIV", "flu", "cold"]}, index=list("abcd"))
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    release = pl.Release(table, np.array([0, 0, 0, 1]))
    for background in (Background.of(table), Background.worst_case([release])):
        assert consistent_assignments([release.published()], background).table().columns.tolist() == ["a & b & c", "d"]
