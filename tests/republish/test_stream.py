"""Streams of snapshots."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab.errors import IdError, ParameterError, SchemaError
from ppdp_lab.republish import I3M, Snapshot, UpdateStream
from ppdp_lab.table import Microdata, Schema


def people(n, n_values=5, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "illness": rng.choice([f"i{v}" for v in range(n_values)], n)})
    frame["illness"] = pd.Categorical(frame["illness"], categories=[f"i{v}" for v in range(n_values)])
    return Microdata(frame, Schema("age", sensitive="illness"), ids=rng.permutation(n) + 1000)


@given(
    initial=st.integers(1, 20),
    deletes=st.integers(0, 5),
    inserts=st.integers(0, 5),
    updates=st.integers(0, 4),
    seed=st.integers(0, 5),
)
def test_every_snapshot_is_the_one_before_less_the_deleted_plus_the_new(initial, deletes, inserts, updates, seed):
    table = people(40)
    try:
        stream = UpdateStream(table, initial=initial, deletes=deletes, inserts=inserts, updates=updates, seed=seed)
    except ParameterError:
        assert deletes >= initial + (updates - 1) * min(inserts - deletes, 0)
        return
    snapshots = list(stream)
    assert len(snapshots) == len(stream) == updates + 1
    seen = set(snapshots[0].table.ids)
    assert len(seen) == initial
    for before, now in pairwise(snapshots):
        assert (set(before.table.ids) - set(now.deleted)) | set(now.inserted) == set(now.table.ids)
        assert set(now.deleted) <= set(before.table.ids)
        assert not set(now.inserted) & seen
        assert (len(now.deleted), len(now.inserted)) == (deletes, inserts)
        seen |= set(now.inserted)
    for snapshot in snapshots:
        rows = table.ids.get_indexer(snapshot.table.ids)
        assert np.array_equal(table.qi_codes[:, rows], snapshot.table.qi_codes)
        assert np.array_equal(table.sensitive_codes[:, rows], snapshot.table.sensitive_codes)
    assert [list(s.table.ids) for s in stream] == [list(s.table.ids) for s in snapshots]


def test_another_seed_gives_another_stream():
    first, second = (
        [list(s.table.ids) for s in UpdateStream(people(50), initial=10, deletes=2, inserts=2, updates=3, seed=seed)]
        for seed in (1, 2)
    )
    assert first != second


@pytest.mark.parametrize("skew", [0, 1, 3])
def test_skewed_batches_rise_by_the_slope(skew):
    n_values, inserts = 5, 42
    table = people(400, n_values)
    before = table.sensitive_codes.copy()
    orders = set()
    for snapshot in UpdateStream(table, initial=50, deletes=5, inserts=inserts, updates=6, skew=skew, seed=1):
        if not snapshot.number:
            continue
        new = snapshot.table.ids.isin(snapshot.inserted)
        counts = np.bincount(snapshot.table.sensitive_codes[0, new], minlength=n_values)
        rest = (inserts - skew * 10) % n_values
        expected = (inserts - skew * 10) // n_values + skew * np.arange(n_values)
        expected[n_values - rest :] += 1
        assert sorted(counts) == expected.tolist()
        orders.add(tuple(np.argsort(counts, kind="stable")))
    assert skew == 0 or len(orders) > 1
    assert np.array_equal(table.sensitive_codes, before), "the pool itself must not change"


def test_a_person_keeps_the_value_of_its_batch():
    values = {}
    for snapshot in UpdateStream(people(200), initial=30, deletes=3, inserts=20, updates=5, skew=1, seed=3):
        for person, value in zip(snapshot.table.ids, snapshot.table.sensitive_codes[0]):
            assert values.setdefault(person, value) == value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"updates": 10}, r"needs 110 records \(10 at first, 10 times 10\), but the table has 100"),
        ({"initial": 0}, "initial must be at least 1"),
        ({"initial": 2.5}, "initial must be a whole number"),
        ({"deletes": 10}, "update 1 of .* would delete 10 of 10 records and leave none"),
        ({"deletes": 4, "inserts": 0, "updates": 5}, "update 3 of 5 would delete 4 of 2 records"),
        ({"skew": 10**30}, f"skew {10**30} needs {10**31} records a batch for 5 values, .* the largest .* is 1"),
        ({"skew": 2}, "skew 2 needs 20 records a batch for 5 values, more than inserts = 10; the largest .* is 1"),
    ],
)
def test_a_stream_that_cannot_be_is_refused_in_words(change, words):
    arguments = {"initial": 10, "deletes": 1, "inserts": 10, "updates": 2} | change
    with pytest.raises(ParameterError, match=words):
        UpdateStream(people(100), **arguments)
    with pytest.raises(ParameterError, match=r"drawn from a ppdp_lab.Microdata, not from list"):
        UpdateStream([1, 2], initial=1, deletes=0, inserts=0, updates=0)


def test_changes_are_found_by_comparison():
    table = people(6)
    changed = table.with_codes(sensitive_codes=(table.sensitive_codes + 1) % 5)
    now = changed.select([1, 2])
    mixed = now.with_codes(sensitive_codes=np.array([[table.sensitive_codes[0, 1], changed.sensitive_codes[0, 2]]]))
    snapshot = Snapshot.after(table.select([0, 1, 2]), mixed, 1)
    assert list(snapshot.updated) == [table.ids[2]]
    assert list(snapshot.deleted) == [table.ids[0]] and not len(snapshot.inserted)


def test_values_are_compared_by_text_and_other_columns_are_refused():
    frame = pd.DataFrame({"age": [30, 40, 50], "zip": [1, 2, 3], "illness": ["flu", "flu", "HIV"]})
    table = Microdata(frame, Schema(["age", "zip"], sensitive="illness"))
    with pytest.raises(SchemaError, match="quasi_identifiers were 'age', 'zip' and are now 'age'; all snapshots need"):
        Snapshot.after(table, table.project(["age"]), 1)
    shifted = Microdata(frame.replace({"age": {30: 60}}), table.schema)
    assert Snapshot.after(table, shifted, 1).updated.tolist() == [0]
    with pytest.raises(SchemaError, match="column 'age' held numbers and holds text now"):
        Snapshot.after(table, Microdata(frame.astype({"age": "str"}), table.schema), 1)
    again = Snapshot.after(table, Microdata(frame, table.schema), 1)
    assert not len(again.updated)
    with pytest.raises(ParameterError, match=r"holds a ppdp_lab.Microdata, not DataFrame"):
        Snapshot.after(table, frame, 1)


def test_changes_may_be_any_list_of_ids():
    table = people(8)
    old, new = table.select([0, 1, 2]), table.select([1, 2, 3])
    said = Snapshot(new, 1, [table.ids[3]], {table.ids[0]}, np.array([table.ids[1]]))
    assert all(isinstance(ids, pd.Index) for ids in (said.inserted, said.deleted, said.updated))
    publisher = I3M(2)
    publisher.publish(Snapshot(old, inserted=list(old.ids)))
    publisher.publish(said)
    assert publisher.n_persons == 4
    pairs = Microdata(table.frame, table.schema, ids=[(i, 0) for i in range(8)])
    assert Snapshot(pairs, inserted=[(1, 0)]).inserted[0] == (1, 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"inserted": [1, 2]}, r"inserted id\(s\) 1, 2 are not in the table"),
        ({"updated": ["1003"]}, r"updated id\(s\) '1003' are not in the table"),
        ({"deleted": [1003]}, r"deleted id\(s\) 1003 are still in the table"),
        ({"inserted": "1003"}, "inserted must be a list of ids, not '1003'"),
        ({"deleted": 7}, "deleted must be a list of ids, not 7"),
        ({"number": -1}, "number must be at least 0"),
        ({"table": [1, 2]}, r"a snapshot holds a ppdp_lab.Microdata, not list"),
    ],
)
def test_snapshots_that_cannot_be_are_refused(change, words):
    with pytest.raises((IdError, ParameterError), match=words):
        Snapshot(**({"table": people(8)} | change))
