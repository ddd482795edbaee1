"""Joint reasoning against a walk through all possible worlds."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from math import prod

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, all_tracked_worlds, all_worlds, matchings, persons_of, worlds
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.composition import intersection
from ppdp_lab.attacks.exact import Assignments, consistent_assignments
from ppdp_lab.attacks.updating import update_risks
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


# ---------------------------------------------------------------------- values that change
@st.composite
def changing(draw: st.DrawFn, max_persons: int = 6, max_releases: int = 3, any_update: bool = False):
    """A series in which every person's value changes as a random model allows, some persons being away at times."""
    n_values, n = draw(st.integers(2, 4)), draw(st.integers(2, max_persons))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    may = np.ones((n_values, n_values), dtype=bool) if any_update else rng.random((n_values, n_values)) < 0.4
    may[np.arange(n_values), rng.integers(0, n_values, n_values)] = True
    names = list("abcd")[:n_values]
    model = pl.UpdateModel(names, [np.flatnonzero(row).tolist() for row in may])
    value = rng.integers(0, n_values, n)
    releases = []
    for number in range(draw(st.integers(2, max_releases))):
        if number:
            value = np.array([rng.choice(np.flatnonzero(may[v])) for v in value])
        here = np.flatnonzero(rng.random(n) < 0.8)
        here = here if len(here) else np.arange(n)
        frame = pd.DataFrame({"age": 20 + here, "ill": np.array(names)[value[here]]}, index=here)
        table = pl.Microdata(frame, pl.Schema("age", sensitive="ill", domains={"ill": names}))
        classes = np.unique(rng.integers(0, 2, len(here)), return_inverse=True)[1]
        releases.append(pl.Release(table, classes, grouped=True))
    return releases, Background.worst_case(releases).with_model(model)


def all_changing_worlds(series: list[pl.Published], background: Background) -> Counter:
    """Every history of values, one per person and release, that rows and model allow, with the number of ways to get it."""
    parts = [matchings(published, persons_of(background, i)) for i, published in enumerate(series)]
    found: Counter = Counter()
    for chosen in product(*parts):
        lives: list[dict[int, int]] = [{} for _ in range(background.n_persons)]
        for number, given_values in enumerate(chosen):
            for person, value in given_values:
                lives[person][number] = value
        if all(background.model.reach(b - a)[life[a], life[b]] for life in lives for a, b in pairwise(sorted(life))):
            ways = prod(part[given_values] for part, given_values in zip(parts, chosen))
            found[tuple(tuple(sorted(life.items())) for life in lives)] += ways
    return found


@given(changing(max_persons=4))
@settings(max_examples=60)
def test_histories_agree_with_all_worlds_release_by_release(case) -> None:
    releases, background = case
    series = [release.published() for release in releases]
    assume(prod(len(release) ** min(len(release), 4) for release in series) < 100_000)
    found, expected = consistent_assignments(series, background), all_changing_worlds(series, background)
    total = sum(expected.values())
    assert total and prod(sum(solutions.values()) for _, solutions in found.components) == total
    cells = [np.flatnonzero(found.cell_of == cell).tolist() for cell in range(found.n_cells)]
    assert len(found) == len({tuple(tuple(sorted(w[p] for p in cell)) for cell in cells) for w in expected})
    assert len(set(found.outcomes)) == len(found.outcomes)
    fewest = np.full(background.n_persons, len(found.labels))
    for number in range(len(series)):
        posterior = np.zeros((background.n_persons, len(found.labels)))
        for world, ways in expected.items():
            for person, life in enumerate(world):
                if number in dict(life):
                    posterior[person, dict(life)[number]] += ways / total
        assert np.allclose(found.posterior(number), posterior)
        assert (found.members(number) == (posterior > 0)).all()
        here = background.present()[:, number]
        fewest[here] = np.minimum(fewest[here], (posterior > 0).sum(axis=1)[here])
    assert (found.candidates == fewest).all() and (found.breached == (fewest == 1)).all()


def left_by_graphs(series: list[pl.Published], background: Background) -> list[dict[int, set[str]]]:
    """What the update graph of each person leaves, per release that holds them."""
    present = background.present()
    return [
        dict(
            zip(
                np.flatnonzero(present[i]).tolist(),
                map(set, pl.SensitiveUpdateGraph.of(series, background, person).feasible().levels),
            )
        )
        for i, person in enumerate(background.ids)
    ]


@given(changing(), st.booleans(), st.data())
def test_joint_reasoning_against_update_graphs(case, knows_groups: bool, data: st.DataObject) -> None:
    """Theorem. Let G(p, r) be what the update graph of person p leaves in release r, and J(p, r) what p has there in some
    assignment that is consistent with everybody.

    (1) J(p, r) lies within G(p, r): an assignment gives p a feasible path.
    (2) If no two named persons may ever stand in the same group, J(p, r) = G(p, r): a feasible path takes one row of one
        group in each release, and nobody else wants it. In particular so if p is the only person who is named.

    By (1), every version that the graphs find certain is certain jointly.
    """
    releases, background = case
    series = [release.published() for release in releases]
    background = background if knows_groups else background.without_groups()
    found, left = consistent_assignments(series, background), left_by_graphs(series, background)
    for i, person in enumerate(background.ids):
        for number, values in left[i].items():
            assert set(found.values(person, number)) <= values  # (1)
    versions = update_risks(series, background)
    for i, number in zip(versions.persons[versions.breached], versions.releases[versions.breached]):
        assert found.breached[i] and found.members(number)[i].sum() == 1

    some = data.draw(st.lists(st.sampled_from(background.ids.tolist()), min_size=1, unique=True))
    if knows_groups:
        apart: list[int] = []
        taken: set[tuple[int, int]] = set()
        for person in some:
            mine = {
                (number, int(presence.groups[j]))
                for number, presence in enumerate(background.releases)
                for j in np.flatnonzero(background.ids[presence.persons] == person)
            }
            if taken.isdisjoint(mine):
                apart.append(person)
                taken |= mine
    else:
        apart = some[:1]
    few = background.about(apart)
    joint, graphs = consistent_assignments(series, few), left_by_graphs(series, few)
    for i, person in enumerate(few.ids):
        assert {r: set(joint.values(person, r)) for r in graphs[i]} == graphs[i]  # (2)


@given(changing(any_update=True), st.data())
def test_a_person_alone_is_as_likely_as_the_update_graph_says(case, data: st.DataObject) -> None:
    """Theorem. Of a person alone and where every update is possible, both say the share of the value in the group.

    In general they differ: joint reasoning counts choices of rows, the graph also weighs the edges that leave a node.
    """
    releases, background = case
    series = [release.published() for release in releases]
    alone = background.about([data.draw(st.sampled_from(background.ids.tolist()))])
    risks, found = update_risks(series, alone), consistent_assignments(series, alone)
    for number, largest, candidates in zip(risks.releases, risks.largest, risks.candidates):
        assert found.posterior(number)[0].max() == pytest.approx(largest)
        assert found.members(number)[0].sum() == candidates
    assert found.to_frame()["confidence"].to_numpy() == pytest.approx([risks.largest.max()])


def test_a_value_that_is_certain_in_one_release_is_a_disclosure() -> None:
    """Ann had flu or a cold, and certainly has HIV now."""

    def release(*illness: str) -> pl.Release:
        frame = pd.DataFrame({"age": [30, 30], "ill": illness}, index=["Ann", "Bob"])
        return pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="ill")), np.zeros(2, int))

    releases = [release("flu", "cold"), release("HIV", "HIV")]
    model = pl.UpdateModel(["flu", "cold", "HIV"], [[0, 2], [1, 2], [2]])
    background = Background.worst_case(releases).with_model(model)
    found = consistent_assignments([one.published() for one in releases], background)
    assert found.values("Ann") == ["cold, then HIV", "flu, then HIV"]
    assert found.values("Ann", 0) == ["cold", "flu"] and found.values("Ann", 1) == ["HIV"]
    assert found.breached.all() and found.candidates.tolist() == [1, 1]
    assert found.to_frame()[["release", "value", "confidence"]].to_numpy().tolist() == [[1, "HIV", 1.0]] * 2
    assert "2 of 2 persons have a value in some release that is the same in all" in str(found)
    with pytest.raises(ParameterError, match="release must be at most 1"):
        found.values("Ann", 2)


def test_histories_that_read_alike_name_the_release_of_the_change() -> None:
    frame = pd.DataFrame({"age": [30, 30], "ill": ["flu", "HIV"]}, index=["Ann", "Bob"])
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    releases = [pl.Release(table, np.zeros(2, int)) for _ in range(3)]
    model = pl.UpdateModel(["flu", "HIV"], [[0, 1], [1]])
    known = Background.worst_case(releases).with_model(model).about(["Ann"])
    found = consistent_assignments([one.published() for one in releases], known)
    assert sorted(found.outcomes) == ["HIV", "flu", "flu, then HIV from release 1", "flu, then HIV from release 2"]
