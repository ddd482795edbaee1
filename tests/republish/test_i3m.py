"""I3M on random streams: what must be true of every release and of the clustering that is kept up to date."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_clusters import EXACT_KINDS, Clustering, Space, plain_rows, tables
from republish.lives import same_but_for_names
from strategies import Case

import ppdp_lab as pl
from ppdp_lab.anonymize import _clusters
from ppdp_lab.anonymize._clusters import Clusters
from ppdp_lab.anonymize.kmember import KMember
from ppdp_lab.errors import IdError, InfeasibleError, ParameterError, SchemaError
from ppdp_lab.holder.months import with_ids
from ppdp_lab.release import Release
from ppdp_lab.republish import Snapshot, UpdateStream
from ppdp_lab.republish.i3m import I3M, Drift
from ppdp_lab.republish.optimization import il_optimization

Step = dict[int, int]  # which row of the pool each person has


class Story:
    """A pool of rows, and who has which of them at every release."""

    def __init__(self, case: Case, k: int, steps: list[Step]) -> None:
        self.case, self.k, self.steps = case, k, steps
        found = [c for c in case.columns.values() if c.paths is None and c.series.dtype != "category"]
        names = case.schema.quasi_identifiers, case.schema.sensitive, case.schema.identifiers
        declared = pl.Schema(*names, domains={c.name: c.values for c in found})  # the twin knows all values beforehand
        self.pool = pl.Microdata(case.frame, declared, case.hierarchies)

    def table(self, step: Step, names: dict[int, Any] | None = None) -> pl.Microdata:
        ids = list(step) if names is None else [names[person] for person in step]
        rows = list(step.values())
        table = self.pool.select(np.arange(len(step))).with_codes(
            qi_codes=self.pool.qi_codes[:, rows], sensitive_codes=self.pool.sensitive_codes[:, rows]
        )
        return with_ids(table, ids, "a story")

    def tables(self) -> list[pl.Microdata]:
        return [self.table(step) for step in self.steps]

    def __repr__(self) -> str:
        return f"k = {self.k}, {self.steps}, {self.case.frame.to_dict('list')}"


@st.composite
def stories(draw: st.DrawFn, kinds: tuple[str, ...] = EXACT_KINDS) -> Story:
    """Up to four releases in which persons come, go, come back and change their values."""
    case = draw(tables(kinds, min_rows=3, max_rows=16))
    n = len(case.frame)
    k = draw(st.integers(1, 3))
    everybody = range(n)
    steps: list[Step] = []
    row_of = {person: person for person in everybody}
    for _ in range(draw(st.integers(1, 4))):
        present = draw(st.lists(st.sampled_from(everybody), min_size=k, unique=True))
        for person in draw(st.lists(st.sampled_from(everybody), max_size=3)):
            row_of[person] = draw(st.integers(0, n - 1))
        steps.append({person: row_of[person] for person in present})
    return Story(case, k, steps)


def partition(publisher: I3M) -> list[list[Any]]:
    """The clusters as lists of ids."""
    cluster_of = publisher.memory["cluster_of"]
    return [publisher.ids[cluster_of == c].tolist() for c in range(cluster_of.max(initial=-1) + 1)]


def require_sound(publisher: I3M, release: Release, story: Story, step: Step) -> None:
    """Nobody lost or doubled, every cluster at least k, and all that is kept equal to a fresh count."""
    k = story.k
    clusters = partition(publisher)
    assert sorted(person for members in clusters for person in members) == sorted(step)
    assert min(map(len, clusters)) >= k
    assert dict(zip(release.records, release.class_of)) == {p: c for c, m in enumerate(clusters) for p in m}
    space = _clusters.Space.of(release.table)
    fresh = Clusters.around(space, release.table.qi_codes, release.class_of, release.n_classes)
    for name, array in zip(Clusters._fields, fresh):
        np.testing.assert_array_equal(publisher.memory[name], array, err_msg=name)
    assert publisher.loss == fresh.loss() / space.scale
    frame = release.to_frame()
    assert len(frame) == len(step)
    assert frame.groupby(list(story.case.schema.quasi_identifiers), observed=True).size().min() >= k


@given(story=stories(), optimize=st.booleans(), seed=st.integers(0, 2))
@settings(max_examples=60)
def test_every_release_is_sound_and_the_plain_one(story: Story, optimize: bool, seed: int) -> None:
    publisher = I3M(story.k, optimize=optimize, seed=seed)
    space = Space(story.case.quasi)
    twin = Clustering(space, story.k, {}, {}, [])
    rows = plain_rows(story.case, story.pool.qi_codes)
    persons: Step = {}  # as published before
    for step, table in zip(story.steps, story.tables()):
        release = publisher.publish(table)
        changed = [p for p in step if p in persons and _differ(story.pool, persons[p], step[p])]
        going = [p for p in persons if p not in step] + changed
        turn = dict(zip(publisher.ids, publisher.memory["turn"].tolist()))
        coming = sorted([p for p in step if p not in persons] + changed, key=turn.__getitem__)
        if len(set(persons) - set(going)) < story.k:
            fresh = KMember(story.k, seed=seed).clusters(table)
            twin.clusters = [table.ids[fresh == c].tolist() for c in range(fresh.max() + 1)]
            twin.rows, twin.turn = {p: rows[i] for p, i in step.items()}, turn
        else:
            twin.delete(going)
            twin.rows, twin.turn = {p: rows[i] for p, i in step.items()}, turn
            for person in coming:
                twin.insert(person)
        before_breaks = [len(members) for members in twin.clusters if members]
        assert max(before_breaks) < 2 * story.k or optimize  # only the optimization leaves larger ones behind
        if optimize:
            loss = twin.loss()
            twin.optimize()
            assert twin.loss() <= loss
        twin.close_gaps()
        assert [sorted(c) for c in twin.clusters] == [sorted(c) for c in partition(publisher)]
        assert Fraction(publisher.loss).limit_denominator(10**9) == twin.loss()
        require_sound(publisher, release, story, step)
        counts = publisher.changes
        assert (counts["inserted"], counts["deleted"], counts["updated"]) == (
            len(coming) - len(changed),
            len(going) - len(changed),
            len(changed),
        )
        persons = dict(step)


def _differ(pool: pl.Microdata, one: int, other: int) -> bool:
    codes = np.concatenate([pool.qi_codes, pool.sensitive_codes])
    return bool((codes[:, one] != codes[:, other]).any())


@given(story=stories(kinds=("real", "whole", "tree")), optimize=st.booleans())
def test_numbers_that_are_no_whole_ones(story: Story, optimize: bool) -> None:
    publisher = I3M(story.k, optimize=optimize)
    for step, table in zip(story.steps, story.tables()):
        require_sound(publisher, publisher.publish(table), story, step)


@given(story=stories(), optimize=st.booleans())
def test_an_update_is_a_delete_and_an_insert(story: Story, optimize: bool) -> None:
    """Whoever changes a value goes under a new name: the releases stay the same."""
    updating, renaming = (I3M(story.k, optimize=optimize, seed=2) for _ in range(2))
    fixed = {person: f"p{person:04}" for step in story.steps for person in step}
    names = dict(fixed)  # new names keep the order of ids, which chance starts from
    before: Step = {}
    for step in story.steps:
        for person, row in step.items():
            if person in before and _differ(story.pool, before[person], row):
                names[person] += "'"
        one, other = updating.publish(story.table(step, fixed)), renaming.publish(story.table(step, names))
        pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())
        assert one.class_of.tolist() == other.class_of.tolist() and updating.loss == renaming.loss
        assert renaming.changes["updated"] == 0
        before = step


@given(story=stories(), optimize=st.booleans())
def test_save_and_load_change_nothing(tmp_path_factory: Any, story: Story, optimize: bool) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "i3m.npz"
    whole, parted = (I3M(story.k, optimize=optimize, seed=4) for _ in range(2))
    names: dict[int, int] = {}
    for table in story.tables():
        same_but_for_names(whole.publish(table), parted.publish(table), names)
        parted.save(path)
        parted = I3M.load(path)
        assert parted == whole and parted.to_plain() == whole.to_plain()
        assert parted.loss == whole.loss and parted.changes == whole.changes
        assert parted.memory.keys() == whole.memory.keys()
        for name, array in whole.memory.items():
            np.testing.assert_array_equal(parted.memory[name], array)
            assert parted.memory[name].dtype == array.dtype


@given(story=stories(), data=st.data())
def test_the_order_of_rows_plays_no_part(story: Story, data: st.DataObject) -> None:
    one, other = I3M(story.k, seed=1), I3M(story.k, seed=1)
    for step, table in zip(story.steps, story.tables()):
        mixed = dict(data.draw(st.permutations(list(step.items()))))
        first, second = one.publish(table), other.publish(story.table(mixed))
        pd.testing.assert_frame_equal(first.to_frame(), second.to_frame())
        assert one.loss == other.loss


@given(story=stories())
def test_snapshots_and_bare_tables_are_the_same(story: Story) -> None:
    by_table, by_snapshot = I3M(story.k, seed=1), I3M(story.k, seed=1)
    previous = None
    for number, table in enumerate(story.tables()):
        snapshot = Snapshot.after(previous, table, number)
        one, other = by_table.publish(table), by_snapshot.publish(snapshot)
        assert one.class_of.tolist() == other.class_of.tolist()
        assert by_snapshot.changes["updated"] == len(snapshot.updated)
        assert by_snapshot.drift(snapshot) == by_table.drift(table)
        previous = table


# ---------------------------------------------------------------------- examples
def people(n: int = 300, seed: int = 0) -> pl.Microdata:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "city": rng.choice(["Rome", "Pisa", "Lyon", "Nice", "Lima"], n),
            "illness": rng.choice(["flu", "HIV", "cold"], n),
        }
    )
    place = pl.Hierarchy.from_dict({"Italy": ["Rome", "Pisa"], "France": ["Lyon", "Nice"], "Peru": ["Lima"]})
    return pl.Microdata(frame, pl.Schema(["age", "city"], sensitive="illness"), {"city": place})


@pytest.mark.parametrize("optimize", [False, True])
def test_the_first_release_is_the_static_one(optimize: bool) -> None:
    table = people()
    static = KMember(4, seed=3).anonymize(table)
    if optimize:
        static = il_optimization(static)
    publisher = I3M(4, optimize=optimize, seed=3)
    assert publisher.loss == 0 and set(publisher.changes.values()) == {0}
    release = publisher.publish(table)
    assert release.class_of.tolist() == static.class_of.tolist()
    drift = publisher.drift(table)
    assert drift.relative == 0 and drift.loss == drift.static_loss == publisher.loss > 0
    assert str(drift).endswith("(+0.0%)")
    assert repr(publisher) == f"<I3M(4{', optimize=True' if optimize else ''}, seed=3), 1 releases so far>"


def test_a_stream_splits_disperses_and_drifts() -> None:
    publisher = I3M(3, seed=0)
    changes = []
    for snapshot in UpdateStream(people(), initial=100, deletes=30, inserts=40, updates=5, seed=1):
        publisher.publish(snapshot)
        changes.append(publisher.changes)
        drift = publisher.drift(snapshot)
        assert drift.loss == publisher.loss
        fresh = I3M(3, seed=0)
        fresh.publish(snapshot.table)
        assert drift.static_loss == fresh.loss
    assert all(c["split"] > 0 and c["dispersed"] > 0 and c["broken"] == 0 for c in changes[1:])


def test_drift_of_nothing() -> None:
    assert Drift(0.0, 0.0).relative == 0 and Drift(1.0, 0.0).relative == float("inf")


def test_a_table_without_old_records_starts_over() -> None:
    table = people(40)
    publisher = I3M(3, seed=2)
    publisher.publish(table.select(np.arange(20)))
    release = publisher.publish(table.select(np.arange(18, 40)))  # two stay, and two are fewer than k
    expected = KMember(3, seed=2).anonymize(table.select(np.arange(18, 40)))
    assert release.class_of.tolist() == expected.class_of.tolist()
    assert publisher.changes == dict(inserted=20, deleted=18, updated=0, split=0, dispersed=0, broken=0)


def test_a_refused_snapshot_changes_nothing() -> None:
    table = people(40)
    publisher, untouched = I3M(3, seed=0), I3M(3, seed=0)
    for one in (publisher, untouched):
        one.publish(table.select(np.arange(30)))
    with pytest.raises(InfeasibleError, match="k = 3 is larger than the table of 2 records"):
        publisher.publish(table.select([38, 39]))
    first, second = publisher.publish(table), untouched.publish(table)
    assert first.class_of.tolist() == second.class_of.tolist() and publisher.n_persons == 40


def test_bad_input_is_refused_in_words(tmp_path: Path) -> None:
    table = people(20)
    with pytest.raises(ParameterError, match="k must be at least 1, not 0"):
        I3M(0)
    with pytest.raises(ParameterError, match="optimize must be True or False, not 'yes'"):
        I3M(2, optimize="yes")  # type: ignore[arg-type]
    publisher = I3M(2)
    with pytest.raises(ParameterError, match="nothing was published yet"):
        publisher.drift(table)
    with pytest.raises(InfeasibleError, match="k = 21 is larger"):
        I3M(21).publish(table)
    publisher.publish(table.select(np.arange(10)))
    with pytest.raises(ParameterError, match="drift needs the Snapshot or Microdata last published, not DataFrame"):
        publisher.drift(table.frame)  # type: ignore[arg-type]
    for other in (table, table.select(np.arange(9)), table.select(np.arange(1, 11))):
        with pytest.raises(IdError, match="does not hold the records that were published last"):
            publisher.drift(other)
    elsewhere = pl.Microdata(
        pd.DataFrame({"age": [1, 2], "illness": ["a", "b"]}), pl.Schema("age", sensitive="illness")
    )
    with pytest.raises(SchemaError, match=r"quasi_identifiers were .* and are now"):
        publisher.drift(elsewhere)
