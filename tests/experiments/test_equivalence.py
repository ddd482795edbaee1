"""What the equivalence notebook measures with: streams and publishers by name, workloads, counterfeits, bucket graphs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from experiments.equivalence import measure
from experiments.equivalence import measure as example
from ppdp_lab.lab import read

SETTING = measure.Setting(m=5, e=2, initial=2000, replaced=200, updates=2, seed=1)


@pytest.fixture(scope="module")
def table():
    return pl.datasets.load("occ", rows=SETTING.people, seed=1)


def test_the_papers_sizes_are_the_papers():
    paper = SimpleNamespace(**read(Path(measure.__file__).parent).parameters("paper"))
    assert paper.skews == list(range(16)) and paper.seeds >= 3 and paper.queries == 1000
    assert measure.Setting(10, 5, paper.initial, paper.replaced, paper.updates, 1).people == 600_000


def test_shares_are_as_near_to_one_in_m_for_another_m():
    assert measure.plan("tiny", ["occ"], 1).sizes.shares == [0.07, 0.08]
    made = measure.plan("tiny", ["occ"], 1, m=5)
    assert made.sizes.shares == [0.14, 0.16] and made.notes == ()
    assert measure.plan("tiny", ["occ"], 1, m=5, shares=[0.1]).sizes.shares == [0.1]


def test_workers_load_the_code_of_the_experiment(table):
    """With and without processes the same is found."""
    one, two = (measure.skewed({"occ": table}, SETTING, [0], seeds=4, processes=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_a_stream_uses_everybody_however_many_are_replaced_at_a_time(table):
    for replaced in (200, 100):
        snapshots = list(SETTING.stream(table, replaced=replaced))
        assert len(snapshots) == 1 + 400 // replaced
        assert len(set().union(*(snapshot.table.ids for snapshot in snapshots))) == SETTING.people


def test_publishers_by_their_names():
    assert repr(SETTING.publisher(measure.EQUIVALENCE, e=3).specification) == repr("EEquivalence(5, e=3, seed=1)")
    assert SETTING.publisher(measure.FINE).partition == "fine"
    assert {SETTING.publisher(method).partition for method in (measure.MERGED, measure.PLAIN)} == {"merged"}


def test_queries_for_one_value_are_asked_of_values_that_reach_the_selectivity(table):
    values = table.sensitive_codes[0]
    shares = np.bincount(values) / len(table)
    within, beyond = 0.9 * shares.max(), 1.1 * shares.max()
    asked = measure.workloads(table, [0.01, within, beyond], n=40, seed=3)
    reached = {share for reading, share in asked if reading == measure.ONE_VALUE}
    assert reached == {0.01, within}
    assert {share for reading, share in asked if reading == measure.RANGES} == {0.01, within, beyond}
    for share in reached:
        queries = asked[measure.ONE_VALUE, share]
        members = queries.sensitive[0].members()
        assert len(queries) == 40 and (members.sum(axis=1) == 1).all()
        assert (shares[members.argmax(axis=1)] >= share).all()
        counts = pl.metrics.true_counts(table, queries)  # of the whole table, not of those who have such a value
        assert np.median(np.abs(counts - share * len(table))) <= 0.5 * share * len(table)


def test_errors_are_the_means_of_the_metric(table):
    release = SETTING.publisher(measure.FINE).publish(table)
    asked = measure.workloads(table, [0.02], n=30, seed=3)
    found = {row["reading"]: row["error"] for row in measure.errors(release, asked)}
    assert found == {
        reading: pl.metrics.query_error(release, queries, statistic="mean") for (reading, _), queries in asked.items()
    }


def test_beside_every_e_stands_m_invariance(table):
    counterfeits, timing = measure.costs(list(SETTING.stream(table)), SETTING, [2, 3], repeats=1)
    counts = pd.DataFrame(counterfeits).pivot_table("counterfeits", ["e", "method"], "release")
    assert counts.shape == (4, 3)
    assert counts.loc[2, "m-invariance"].tolist() == counts.loc[3, "m-invariance"].tolist()
    assert {(row["method"], row["e"]) for row in timing} == set(counts.index.swaplevel())
    publisher = pl.EEquivalence(5, e=3, seed=1)
    alone = [publisher.publish(snapshot).n_counterfeits for snapshot in SETTING.stream(table)]
    assert counts.loc[3, "e-equivalence"].tolist() == alone


@pytest.mark.slow
def test_two_processes_find_what_one_finds(table):
    setting = measure.Setting(m=10, e=3, initial=2000, replaced=1300, updates=1, seed=1)
    table = pl.datasets.load("occ", rows=setting.people, seed=1)
    one, two = (measure.skewed({"occ": table}, setting, [0, 1], seeds=2, processes=n) for n in (1, 2))
    assert one.equals(two)
    assert {tuple(sorted(rows["seed"])) for _, rows in one.groupby(["skew", "method"])} == {(1, 2)}
    assert (one["counterfeits"] >= one["mean"]).all() and one["counterfeits"].max() > 0


def test_a_value_is_pushed_to_the_share_that_is_asked_for(table):
    found = measure.common_value(table, SETTING, [0.01, 0.15])
    top = np.bincount(table.sensitive_codes[0]).max() / len(table)
    assert found["share"].tolist() == pytest.approx([top, 0.15], abs=1 / len(table))  # nobody loses the value


def test_few_updates_are_counted_by_the_people_replaced_so_far(table):
    found = measure.few_updates(table, SETTING, [200, 100])
    assert found.groupby(["method", "replaced"])["time"].max().eq(400).all()
    assert len(found) == 2 * (3 + 5)


def test_bucket_graphs_of_the_example_have_the_papers_cuts():
    equivalence = pl.datasets.examples.equivalence
    merged = example.bucket_graphs(equivalence.merged_series(), "merged")
    protected = example.bucket_graphs(equivalence.table_7(), "protected")
    cuts = {
        (name, signature): rows.groupby("after")["min_cut"].first().tolist()
        for frame in (merged, protected)
        for (name, signature), rows in frame.groupby(["figure", "signature"])
    }
    assert cuts == {
        ("merged", "cancer, flu"): [4, 4, 4],  # Figure 2
        ("merged", "cancer, measles"): [2, 2, 2],  # Figure 3
        ("protected", "cancer, flu"): [4, 4, 4],
        ("protected", "cancer, measles"): [4, 4, 4],  # Figure 4
    }
    assert (merged["who"].str.split(", ").map(len) == merged["weight"]).all()
