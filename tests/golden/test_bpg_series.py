"""Table 1 of the BPG paper, published by BPG: what the printed releases give away stays in the house."""

from __future__ import annotations

import pytest
from republish.histories import Follower

import ppdp_lab as pl
from ppdp_lab.datasets.examples import bpg
from ppdp_lab.errors import InfeasibleError


def names(release: pl.Release) -> set[frozenset[str]]:
    return {frozenset(release.records[release.class_of == c]) for c in range(release.n_classes)}


def series(rule: pl.principles.Principle, **how: str) -> list[pl.Release]:
    publisher = pl.BPG(rule, **how)
    return [publisher.publish(example.table) for example in bpg.table_1()]


def test_as_printed_the_third_release_shows_that_ellis_and_helen_have_hiv() -> None:
    follower = Follower(2, 2)
    for example in bpg.table_1():
        follower.see(pl.Release(example.table, example.class_of, pseudonyms=example.pseudonyms))
    assert follower.broken() == [(-1, -1, 0)]  # those who are in the third release only


def test_with_k_and_l_2_ellis_and_helen_are_left_out() -> None:
    releases = series(pl.KAnonymity(2) & pl.DistinctLDiversity(2))
    assert names(releases[0]) == {frozenset({"Alice", "Charlotte", "Bob", "Dave"})}
    assert names(releases[1]) == {frozenset({"Alice", "Dave"}), frozenset({"Fran", "George"})}
    assert names(releases[2]) == {frozenset({"Fran", "George"})}
    assert set(releases[2].suppressed) == {"Ellis", "Helen"}
    assert not any(len(release.dirty) for release in releases)


def test_with_k_and_l_3_charlotte_and_bob_come_back_into_print() -> None:
    releases = series(pl.KAnonymity(3) & pl.DistinctLDiversity(3))
    assert names(releases[1]) == {frozenset({"Alice", "Charlotte", "Bob", "Dave"})}
    assert set(releases[1].dirty) == {"Charlotte", "Bob"} and set(releases[1].suppressed) == {"Fran", "George"}
    # Fran and George were never shown, so that they are newcomers beside Ellis and Helen: three illnesses among four
    assert names(releases[2]) == {frozenset({"Fran", "George", "Ellis", "Helen"})}
    follower = Follower(3, 3)
    for release in releases:
        follower.see(release)
    assert follower.broken() == []


def test_one_class_for_all_of_the_third_release_cannot_be_published() -> None:
    """As the paper's own releases have it: its base is not told who was there before."""
    with pytest.raises(InfeasibleError, match="nothing of this snapshot can be published"):
        series(pl.KAnonymity(2) & pl.DistinctLDiversity(2), divide_by="none")


def test_a_counterfeit_saves_ellis_and_helen() -> None:
    releases = series(pl.KAnonymity(2) & pl.DistinctLDiversity(2), variant="with-counterfeits")
    assert not len(releases[2].suppressed) and releases[2].n_counterfeits == 1
