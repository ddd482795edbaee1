"""What the BPG experiment measures: the race, the follower, and the picture."""

from __future__ import annotations

import numpy as np
import pytest
from republish.histories import Follower as Plain

import ppdp_lab as pl
from experiments.bpg import measure
from ppdp_lab.errors import ParameterError, UnknownNameError


@pytest.fixture(scope="module")
def table() -> pl.Microdata:
    return pl.datasets.census("occ", rows=1200, seed=3)


def test_sizes_are_those_of_the_scale_unless_given() -> None:
    sizes = measure.plan("quick", ["occ"], 1, rates=None, initial=4_500).sizes
    assert sizes.rates == [4_000, 2_000, 1_000, 500] and sizes.initial == 4_500
    with pytest.raises(UnknownNameError, match="scale"):
        measure.plan("huge", ["occ"], 1)
    with pytest.raises(ParameterError, match=r"unknown parameter of bpg\.ipynb: 'initail'; did you mean 'initial'"):
        measure.plan("quick", ["occ"], 1, initail=7)
    with pytest.raises(ParameterError, match="so it must be a list, not 7; write rates="):
        measure.plan("quick", ["occ"], 1, rates=7)


def test_both_run_the_whole_stream_and_mondrian_is_timed_apart(table: pl.Microdata) -> None:
    times, found = measure.race(table, 400, 200, 5, 1, measured=lambda number, last: number in (0, last))
    assert [row["method"] for row in times] == [measure.OURS, measure.RIVAL]
    assert all(row["releases"] == 5 and row["seconds"] > 0 for row in times)
    assert 0 < times[0]["share"] < 1 and np.isnan(times[1]["share"])
    assert len(found) == 2 * 2 * 2 and {row["release"] for row in found} == {0, 4}
    last = [row for row in found if row["release"] == 4 and row["method"] == measure.OURS]
    free, charged = (next(row for row in last if row["convention"] == how) for how in measure.CONVENTIONS)
    assert free["dirty"] > 0 and free["fem"] > charged["fem"] and free["vem"] > charged["vem"]


@pytest.mark.parametrize("repairs", [True, False])
def test_the_follower_finds_what_the_plain_one_finds(table: pl.Microdata, repairs: bool) -> None:
    rule = measure.rule_of(3)
    publisher = pl.BPG(rule, divide_by="signature", repairs=repairs, seed=2)
    quick, plain = measure.Follower(rule), Plain(3, 3)
    for snapshot in measure.stream_of(table, 400, 200, 2):
        release = publisher.publish(snapshot)
        plain.see(release)
        codes = publisher.codes[len(release.table.qi_codes) :]
        seen = quick.see(release, publisher.person_numbers(release.records), publisher.n_persons, codes)
        assert seen == (len(plain.cells()), len(plain.broken()))
    assert (seen[1] == 0) == repairs


def test_the_picture_shows_one_neighbourhood_kept_and_one_divided() -> None:
    people = measure.meeting()
    after = people.groupby("home")["after"].nunique()
    assert after["A"] == 1 and after["B"] == 2
    assert people["dirty"].sum() == 4 and (people[people["dirty"]]["home"] == "A").all()


def test_what_cannot_be_published_holds_no_information(table: pl.Microdata) -> None:
    publisher = pl.BPG(measure.rule_of(5))
    few = pl.Snapshot(table.select([0, 1]), 0, inserted=table.ids[:2])
    assert [row["fem"] for row in measure.quality(measure.published(publisher, few))] == [0.0, 0.0]
