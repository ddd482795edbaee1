"""What the I3M notebook measures with: times of the algorithm, losses of the releases, pictures of events."""

from __future__ import annotations

import time

import pytest

import ppdp_lab as pl
from experiments.i3m import measure
from ppdp_lab.errors import ParameterError, UnknownNameError


@pytest.fixture(scope="module")
def table():
    return pl.datasets.load("adult-i3m", rows=300, seed=1)


def test_sizes_follow_the_scale_unless_they_are_given():
    sizes = measure.plan("paper", "adult-i3m", [3], 1, rows=None, changes=[5]).sizes
    assert (sizes.rows, sizes.changes, sizes.releases) == (10_000, [5], 10)
    with pytest.raises(UnknownNameError, match="unknown scale of experiment 'i3m': 'papers'; did you mean 'paper'"):
        measure.plan("papers", "adult-i3m", [3], 1)
    with pytest.raises(ParameterError, match=r"'changes' .* must be a list"):
        measure.plan("quick", "adult-i3m", [3], 1, changes=5)
    with pytest.raises(ParameterError, match="'row'"):
        measure.plan("quick", "adult-i3m", [3], 1, row=5)


def test_the_watch_stops_before_a_release_is_built(table, monkeypatch):
    """A release that takes long to build takes no time of the algorithm's."""
    slow = pl.republish.publisher.Release

    def sleeping(*args, **said):
        time.sleep(0.3)
        return slow(*args, **said)

    publisher = measure.Watched(3, seed=1)
    publisher.publish(table.select(range(200)))  # whatever has to be compiled is
    monkeypatch.setattr("ppdp_lab.republish.publisher.Release", sleeping)
    start = time.perf_counter()
    publisher.publish(table.select(range(210)))
    assert time.perf_counter() - start >= 0.3 > publisher.seconds > 0


def test_losses_are_those_of_what_would_be_published(table):
    fewer, more = table.select(range(200)), table.select(range(260))
    static = measure.clustered_anew(more, k=3, seed=4, repeats=2)
    release = pl.KMember(3, seed=4).anonymize(more)
    assert static["loss_before"] == pl.metrics.information_loss(release)
    assert static["loss"] == pl.metrics.information_loss(pl.il_optimization(release))

    publisher, watched = pl.I3M(3, seed=4), measure.Watched(3, seed=4)
    for each in (publisher, watched):
        each.publish(fewer)
    found = measure.changed(watched, more, repeats=2)
    release = publisher.publish(more)
    assert watched.number == 1  # every repetition was a copy's
    assert found["loss_before"] == pl.metrics.information_loss(release)
    assert found["loss"] == pl.metrics.information_loss(pl.il_optimization(release)) <= found["loss_before"]
    assert found["seconds"] == found["clustering_seconds"] + found["optimizing_seconds"] > 0


def test_every_change_is_run_four_ways(table):
    rows = list(measure.runs(table, k=3, rows=150, changes=[10, 50], repeats=1, seed=2))
    ways = [(row["change"], row["direction"], row["method"]) for row in rows]
    assert len(ways) == len(set(ways)) == 8
    static = [row["loss"] for row in rows if (row["direction"], row["method"]) == ("delete", "static")]
    assert static[0] == static[1]  # what is left after deleting is the same table, whatever was deleted
    assert {row["change_share"] for row in rows} == {10 / 150, 50 / 150}


def test_events_are_a_split_and_a_dispersal(table):
    pictures = measure.events(table.project(["age", "education-num"]), k=3, seed=1)
    boxes = pictures[pictures["what"] == "box"].groupby(["event", "stage"]).size()
    points = pictures[pictures["what"] == "point"].groupby(["event", "stage"]).size()
    assert boxes["split", "after"] == boxes["split", "before"] + 1
    assert boxes["dispersed", "after"] == boxes["dispersed", "before"] - 1
    assert points["split", "after"] == points["split", "before"] + 1
    assert points["dispersed", "after"] == points["dispersed", "before"] - 1


def test_leaks_are_shares_of_people(table):
    found = measure.leaks(table, k=3, rows=200, releases=3, per_release=20, seed=1)
    assert found.groupby(["attack", "method"]).size().to_dict() == {
        ("difference", "I3M"): 2, ("difference", "static"): 2, ("intersection", "I3M"): 3, ("intersection", "static"): 3
    }  # fmt: skip
    assert found["exposed"].between(0, 1).all() and found["exposed"].max() > 0
