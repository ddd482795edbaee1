"""Tables 1 to 3 of the BPG paper: what the adversary deduces from successive releases."""

from __future__ import annotations

import pytest

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.composition import intersection, value_association
from ppdp_lab.attacks.differences import difference
from ppdp_lab.attacks.exact import consistent_assignments
from ppdp_lab.attacks.tracing import record_tracing
from ppdp_lab.datasets.examples import bpg


def hospital(*numbers: int, track: bool = False) -> tuple[list[pl.Published], Background]:
    """Releases of Table 1 by their printed numbers, and an adversary who knows who is in which of them."""
    chosen = [bpg.table_1()[number - 1] for number in numbers]
    releases = [pl.Release(example.table, example.class_of, pseudonyms=example.pseudonyms) for example in chosen]
    for example, release in zip(chosen, releases):
        printed = pl.Published.from_frame(example.printed, example.table)
        assert (printed.row_sensitive == release.published().row_sensitive).all()
    return [release.published(track=track) for release in releases], Background.of_series([e.table for e in chosen])


@pytest.mark.parametrize("knows_groups", [False, True])
def test_releases_1_and_2_tell_what_two_pairs_hold(knows_groups: bool) -> None:
    series, background = hospital(1, 2)
    if knows_groups:
        background = background.with_groups([[0] * 4, [0] * 4])
    found = consistent_assignments(series, background)
    assert found.held_by("Charlotte", "Bob") == [("Migraine", "Pneumonia")]
    assert found.held_by("Fran", "George") == [("Cancer", "Flu")]
    before = value_association(series[:1], background[:1], exact=True).to_frame()
    after = value_association(series, background, exact=True).to_frame()
    assert before.loc["Bob", "confidence"] == 1 / 4
    assert after.loc["Bob", "confidence"] == 1 / 2
    # Alice and Dave are in both releases; looking at each person alone finds their pair, but not what the others hold.
    alone = intersection(series, background)
    assert alone.values("Alice") == alone.values("Dave") == ["Flu", "HIV"]
    assert len(alone.values("Bob")) == 4


def test_releases_2_and_3_alone_allow_exactly_table_2() -> None:
    series, background = hospital(2, 3)
    found = consistent_assignments(series, background)
    assert len(found) == 3
    columns = bpg.table_2().columns
    rows = {
        tuple(tuple(sorted(cell.split(", "))) for cell in row)
        for row in found.table()[columns_of(found, columns)].values
    }
    assert rows == {tuple(row) for row in bpg.table_2().to_numpy().tolist()}
    assert "HIV" in found.values("Ellis") and len(found.values("Ellis")) == 3
    assert all("HIV" in pair for pair in found.held_by("Ellis", "Helen"))
    assert all("Flu" in pair for pair in found.held_by("Alice", "Dave"))
    assert not found.succeeds


def columns_of(found, wanted) -> list[str]:
    """The solver's columns in the paper's order, whichever way it orders the persons of a column."""
    by_persons = {frozenset(name.split(" & ")): name for name in found.table().columns}
    return [by_persons[frozenset(name.split(" & "))] for name in wanted]


@pytest.mark.parametrize(("numbers", "track"), [((1, 2, 3), False), ((2, 3), True)], ids=["release 1", "tracking"])
def test_either_release_1_or_tracking_forces_ellis_and_helen(numbers: tuple[int, ...], track: bool) -> None:
    series, background = hospital(*numbers, track=track)
    found = consistent_assignments(series, background)
    assert found.values("Ellis") == found.values("Helen") == ["HIV"]
    assert found.held_by("Fran", "George") == [("Cancer", "Flu")]
    assert found.held_by("Alice", "Dave") == [("Flu", "HIV")]
    assert found.to_frame()["breached"].to_dict()["Ellis"]


def test_tracking_alone_makes_the_intersection_certain() -> None:
    series, background = hospital(2, 3, track=True)
    found = intersection(series, background)
    assert found.values("Ellis") == found.values("Helen") == ["HIV"]
    assert found.records.tolist() == [2] * 6
    assert found.breached.sum() == 2
    assert intersection(series, background, track=False).breached.sum() == 0
    assert record_tracing(series, background).persons.tolist() == [2] * 6


def tracked_pair() -> list[pl.Published]:
    return [pl.Published.from_frame(example.printed, example.table) for example in bpg.table_3()]


def test_table_3_by_uid_the_intersection_is_record_3() -> None:
    first, second = bpg.table_3()
    target = (
        Background.of_series([first.table, second.table]).with_groups([first.class_of, second.class_of]).about(["3"])
    )
    series = tracked_pair()
    found = intersection(series, target)
    assert found.records.tolist() == [1]
    assert found.values("3") == ["Tuberculosis"]
    assert consistent_assignments(series, target).values("3") == ["Flu, then Tuberculosis"]
    assert intersection(series, target, track=False).values("3") == ["Cancer", "Flu"]  # values are taken to stay


def test_table_3_difference_with_and_without_uids() -> None:
    series = tracked_pair()
    tracked = difference(*series)
    assert tracked.values(0, 0) == ["Cancer", "Flu"]  # records 1 and 2
    came = [uid for uid, group in zip(series[1].pseudonyms, series[1].row_group) if group == 0]
    assert sorted(set(came) - set(series[0].pseudonyms)) == [1, 2]
    untracked = difference(*series, track=False)
    assert untracked.values(0, 0) == ["Cancer", "Tuberculosis"]
    assert untracked.first.tolist() == [0, 0, 0] and untracked.second.tolist() == [0, 1, 2]
    left = sorted(value for pair in range(3) for value in set(untracked.values(0, pair)))
    assert set(left) == {"Tuberculosis", "Cancer", "HIV"}
    assert difference(*series, track=False, rule=pl.DistinctLDiversity(3)).breached.all()
