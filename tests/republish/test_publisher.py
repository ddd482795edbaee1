"""What every publisher has, shown by one that remembers each person's first class."""

import uuid
import warnings
from decimal import Decimal
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from republish.lives import same_but_for_names

from ppdp_lab.errors import (
    BrokenRuleError,
    DataFileError,
    IdError,
    ParameterError,
    PublicationError,
    RepeatedSnapshotError,
    RepeatedSnapshotWarning,
    SchemaError,
)
from ppdp_lab.release import Release
from ppdp_lab.republish import Publisher, Snapshot, UpdateStream, memory
from ppdp_lab.republish import memory as module
from ppdp_lab.republish.memory import Stored
from ppdp_lab.table import Microdata, Schema


class Remembering(Publisher):
    """Classes by a random bit per person, drawn when the person is first seen."""

    layout: ClassVar = {"bit": Stored(np.int32, "person", empty=-1, low=-1, high=9)}
    not_serialized = ("fail_at",)

    def __init__(self, bits=2, *, seed=0, audit=False, fail_at=None):
        super().__init__(seed=seed, audit=audit)
        self.bits, self.fail_at = bits, fail_at

    def _publish(self, snapshot, persons):
        new = self.memory["bit"] < 0
        self.memory["bit"][new] = self.rng.integers(0, self.bits, int(new.sum()))
        if self.number == self.fail_at:
            raise BrokenRuleError("on purpose")
        bits = self.memory["bit"][persons]
        return self._make(snapshot.table, persons, np.unique(bits, return_inverse=True)[1], grouped=True), persons


class Other(Remembering):
    pass


def people(n=60, ids=None):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "illness": rng.choice(["flu", "HIV", "cold"], n)})
    return Microdata(frame, Schema("age", sensitive="illness"), ids=ids)


def stream(**changes):
    return UpdateStream(people(**changes), initial=20, deletes=4, inserts=6, updates=5, seed=2)


@pytest.mark.parametrize("ids", [None, [f"person {i}" for i in range(60)]])
def test_save_and_load_change_nothing(tmp_path, ids):
    whole, parted = Remembering(3, seed=5), Remembering(3, seed=5)
    names = {}
    for snapshot in stream(ids=ids):
        same_but_for_names(whole.publish(snapshot), parted.publish(snapshot), names)
        parted.save(tmp_path / "memory.npz")
        parted = Remembering.load(tmp_path / "memory.npz")
    assert parted.number == 6 and [p.name for p in tmp_path.iterdir()] == ["memory.npz"]


def test_pseudonyms_follow_persons_and_no_id_leaves():
    publisher = Remembering()
    name_of = {}
    for snapshot in stream():
        release = publisher.publish(snapshot)
        for person, name in zip(release.records, release.pseudonyms):
            assert name_of.setdefault(person, name) == name
        frame = release.to_frame(track=True)
        assert sorted(frame["pseudonym"]) == sorted(release.pseudonyms)
        assert list(frame.columns) == ["group", "age", "illness", "pseudonym"]
    names = list(name_of.values())
    assert len(set(names)) == len(names) == 50
    for some in (names[:20], names):  # those of the first release, and all, as the persons arrived
        assert some != sorted(some) and some != sorted(some, reverse=True)


def test_no_seed_and_no_saved_file_tells_pseudonyms_beforehand(tmp_path):
    table = people()
    first, second = Remembering(seed=4), Remembering(seed=4)
    releases = [publisher.publish(table.select(np.arange(20))) for publisher in (first, second)]
    assert releases[0].class_of.tolist() == releases[1].class_of.tolist()
    assert not set(releases[0].pseudonyms) & set(releases[1].pseudonyms)
    first.save(tmp_path / "memory.npz")
    again = [Remembering.load(tmp_path / "memory.npz").publish(table.select(np.arange(10, 40))) for _ in range(2)]
    for release in again:
        assert release.pseudonyms[:10].tolist() == releases[0].pseudonyms[10:].tolist()
    assert not set(again[0].pseudonyms[10:]) & set(again[1].pseudonyms[10:])


def test_no_pseudonym_is_given_twice(monkeypatch):
    draws = iter([[5, 5, 8], [6, 3, 7], [9, 4, 1]])  # the first repeats itself, the second repeats a taken one
    monkeypatch.setattr(module.secrets, "token_bytes", lambda n: (np.array(next(draws), np.uint64) << 2).tobytes())
    assert module.fresh_pseudonyms(3, np.array([2, 3])).tolist() == [9, 4, 1]


def test_a_bare_table_will_do():
    table = people()
    by_snapshot, by_table = Remembering(seed=1), Remembering(seed=1)
    for snapshot in stream():
        pd.testing.assert_frame_equal(
            by_snapshot.publish(snapshot).to_frame(), by_table.publish(snapshot.table).to_frame()
        )
    assert by_table.n_persons == 20 + 5 * 6 <= len(table)


def test_a_failed_publication_changes_nothing():
    steady, failing = Remembering(seed=1), Remembering(seed=1, fail_at=2)
    names = {}
    for number, snapshot in enumerate(stream()):
        if number == 2:
            with pytest.raises(BrokenRuleError, match="on purpose"):
                failing.publish(snapshot)
            failing.fail_at = None
        same_but_for_names(failing.publish(snapshot), steady.publish(snapshot), names)


def test_a_first_publication_that_fails_leaves_the_publisher_as_new():
    failing = Remembering(seed=1, fail_at=0)
    with pytest.raises(BrokenRuleError):
        failing.publish(people().select([0, 1, 2]))
    failing.fail_at = None
    other = Microdata(pd.DataFrame({"zip": [1, 2], "illness": ["flu", "HIV"]}), Schema("zip", sensitive="illness"))
    assert failing.publish(other).n_classes >= 1
    assert failing.n_persons == 2


def test_snapshots_that_contradict_the_memory_are_refused_in_words():
    table = people()
    publisher = Remembering()
    publisher.publish(table.select(np.arange(10)))
    now = table.select(np.arange(1, 11))
    good = {"inserted": table.ids[[10]], "deleted": table.ids[[0]]}
    for change, words in [
        ({"deleted": table.ids[[0, 40]]}, "deleted id.s. 40 were not in the release before"),
        ({"deleted": table.ids[:0]}, "id.s. 0 were deleted without the snapshot saying so"),
        ({"inserted": table.ids[[10, 5]]}, "inserted id.s. 5 are not new"),
        ({"inserted": table.ids[:0]}, "id.s. 10 were inserted without"),
        ({"updated": table.ids[[50]]}, "updated id.s. 50 are not in the table"),
    ]:
        with pytest.raises(IdError, match=words):
            publisher.publish(Snapshot(now, 1, **(good | change)))
    with pytest.raises(IdError, match="ids were numbers so far and are text now, so nobody would be found again"):
        publisher.publish(people(ids=[f"person {i}" for i in range(60)]))
    assert publisher.number == 1
    with pytest.raises(ParameterError, match="publish needs a Snapshot or a Microdata, not DataFrame"):
        publisher.publish(table.frame)
    publisher.publish(Snapshot(now, 1, **good))


def test_files_that_are_no_saved_publisher_are_refused_in_words(tmp_path, monkeypatch):
    with pytest.raises(DataFileError, match="no saved publisher"):
        Remembering.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(DataFileError, match="is not a saved publisher"):
        Remembering.load(tmp_path / "text.npz")
    Remembering().save(tmp_path / "good.npz")
    with pytest.raises(DataFileError, match=r"holds a Remembering; load it with Remembering.load"):
        Other.load(tmp_path / "good.npz")
    for version in (1, 2, 9):
        monkeypatch.setattr(memory, "FORMAT", version)
        Remembering().save(tmp_path / "old.npz")
        monkeypatch.undo()
        with pytest.raises(
            DataFileError, match=f"has format {version}, but this version of ppdp_lab reads format 3 only"
        ):
            Remembering.load(tmp_path / "old.npz")


def test_damaged_files_are_refused_in_words(tmp_path):
    Remembering().save(tmp_path / "good.npz")
    good = (tmp_path / "good.npz").read_bytes()
    np.savez(tmp_path / "other.npz", header=np.array('{"format": 3}'))
    np.save(tmp_path / "array.npy", np.arange(3))
    damaged = {"cut.npz": good[:200], "empty.npz": b"", "mixed.npz": good[:60] + b"?" * 40 + good[100:]}
    for name, content in damaged.items():
        (tmp_path / name).write_bytes(content)
    for name in (*damaged, "other.npz", "array.npy"):
        with pytest.raises(DataFileError, match=f"{name}' is not a saved publisher, or damaged"):
            Remembering.load(tmp_path / name)


@pytest.mark.parametrize("where", ["", "nowhere/memory.npz"])
def test_where_nothing_can_be_saved_nothing_is_left(tmp_path, where):
    with pytest.raises(DataFileError, match="name a file in a folder that exists"):
        Remembering().save(tmp_path / where)
    assert not list(tmp_path.iterdir()) and not list(tmp_path.parent.glob("*.partial"))


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        (pd.MultiIndex.from_product([range(30), ["x", "y"]]), "tuple"),
        (pd.date_range("2026-01-01", periods=60), "Timestamp"),
        ([uuid.UUID(int=i) for i in range(60)], "UUID"),
        ([Decimal(i) for i in range(60)], "Decimal"),
        ([*range(59), "x"], "int, str"),
        ([i / 2 for i in range(60)], "float"),
        ([2**64 + i for i in range(60)], "int"),
    ],
    ids=["MultiIndex", "datetime", "UUID", "Decimal", "mixed", "float", "large"],
)
def test_ids_that_cannot_be_saved_are_rejected_before_the_first_release(ids, kind):
    publisher, table = Remembering(), people(ids=ids)  # one table may have such ids
    with pytest.raises(
        IdError, match=f"64-bit whole numbers or text, not {kind}; convert the ids before the first release"
    ):
        publisher.publish(table)
    assert publisher.number == 0 and publisher.n_persons == 0


@pytest.mark.parametrize(
    "ids",
    [
        pd.CategoricalIndex([f"person {i}" for i in range(60)]),
        pd.CategoricalIndex(range(60)),
        pd.Index(range(60), dtype=object),
        pd.Index(range(60), dtype="Int64"),
        pd.Index(np.arange(60, dtype=np.uint64) + np.uint64(2**63)),
        pd.Index([f"é{i}" for i in range(60)], dtype="string"),
    ],
    ids=["categories", "categories of numbers", "objects", "Int64", "uint64", "string"],
)
def test_people_are_recognized_after_saving_whatever_type_holds_their_ids(ids, tmp_path):
    publisher = Remembering()
    publisher.publish(people(ids=ids))
    bits = dict(zip(publisher.ids, publisher.memory["bit"].tolist()))
    publisher.save(tmp_path / "memory.npz")
    loaded = Remembering.load(tmp_path / "memory.npz")
    table = people(ids=ids)
    loaded.publish(Snapshot(table.select(range(10, 60)), 1, deleted=ids[:10]))
    assert loaded.n_persons == 60 and dict(zip(loaded.ids, loaded.memory["bit"].tolist())) == bits


@pytest.mark.parametrize(
    "values",
    [
        [Decimal(i % 5) for i in range(60)],
        pd.date_range("2026-01-01", periods=60, tz="UTC"),
        [(i % 5, 0) for i in range(60)],
    ],
    ids=["Decimal", "time zone", "tuple"],
)
def test_values_that_cannot_be_saved_are_rejected_before_the_first_release(values):
    frame = people().frame.assign(age=values)
    publisher, table = Remembering(), Microdata(frame, Schema("age", sensitive="illness"))
    with pytest.raises(SchemaError, match="column 'age' has values that a publisher's memory cannot hold"):
        publisher.publish(table)
    assert publisher.number == 0 and publisher._vocabulary is None


def test_a_publisher_without_auditor_says_so_and_a_lone_release_cannot_be_tracked():
    with pytest.raises(ParameterError, match="Remembering has no auditor"):
        Remembering(audit=True).publish(people())
    with pytest.raises(PublicationError, match="stands alone and has no pseudonyms"):
        Release(people(), np.zeros(60, dtype=int)).to_frame(track=True)


class Haunting(Remembering):
    """Publishes everybody ever seen: who has left stays in print, as a dirty record of the publisher's own."""

    def _publish(self, snapshot, persons):
        everybody = np.arange(self.n_persons)
        table = self.records_of(everybody, snapshot.table)
        gone = table.ids[~np.isin(everybody, persons)]
        return self._make(table, everybody, everybody % 2, grouped=True, dirty=gone), everybody


def test_a_publisher_may_add_rows_of_its_own_and_they_can_be_followed(tmp_path):
    table = people()
    publisher = Haunting()
    publisher.publish(table.select(np.arange(6)))
    publisher.save(tmp_path / "memory.npz")
    for each in (publisher, Haunting.load(tmp_path / "memory.npz")):
        older = Microdata(
            table.frame.iloc[2:8].assign(age=lambda f: f["age"] + 100), table.schema
        )  # values never met before
        release = each.publish(older)
        assert len(release.table) == len(release.pseudonyms) == len(release.to_frame(track=True)) == 8
        assert list(release.dirty) == [0, 1] and each.n_persons == 8
        ages = release.table.frame["age"]  # those who left as they were last seen, the others as they are now
        assert ages[[0, 1]].tolist() == table.frame["age"].iloc[:2].tolist()
        assert ages[list(range(2, 8))].tolist() == older.frame["age"].tolist()
        followed = dict(zip(release.records, release.pseudonyms))
        assert [followed[i] for i in range(6)] == publisher._pseudonyms[:6].tolist()


def test_a_release_and_its_persons_must_fit():
    class Careless(Remembering):
        def _publish(self, snapshot, persons):
            release, _ = super()._publish(snapshot, persons)
            return release, persons[1:]

    with pytest.raises(ParameterError, match="Careless made a release of 60 records and named 59 persons"):
        Careless().publish(people())


def test_the_same_table_again_is_pointed_out_unless_it_is_meant(tmp_path):
    table, publisher = people(), Remembering()
    publisher.publish(table)
    publisher.save(tmp_path / "memory.npz")
    publisher = Remembering.load(tmp_path / "memory.npz")
    shuffled = table.select(np.random.default_rng(2).permutation(len(table)))
    with pytest.warns(
        RepeatedSnapshotWarning, match=r"those of release 0 .counted from 0.; check that it is not the same"
    ):
        publisher.publish(shuffled)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        publisher.publish(Snapshot(table))  # lists no changes
        publisher.publish(Snapshot(table, publisher.number))
        publisher.publish(table.select(range(50)))
        publisher.publish(table)  # who left may come back


def test_a_stream_that_begins_again_is_refused(tmp_path):
    first, second, *_ = stream()
    publisher = Remembering()
    publisher.publish(first)
    publisher.publish(second)
    publisher.save(tmp_path / "memory.npz")
    publisher = Remembering.load(tmp_path / "memory.npz")
    with pytest.raises(
        RepeatedSnapshotError, match=r"release 0 .*read only the months that have not been published yet"
    ):
        publisher.publish(first)
    assert publisher.number == 2
    publisher.publish(first.table)


def test_a_memory_without_digests_is_loaded(tmp_path, monkeypatch):
    table, path = people(), tmp_path / "memory.npz"
    publisher = Remembering()
    publisher.publish(table)
    written = module.write_memory
    older = lambda path, header, *rest: written(path, {k: v for k, v in header.items() if k != "digests"}, *rest)  # noqa: E731
    monkeypatch.setattr(module, "write_memory", older)
    publisher.save(path)
    publisher = Remembering.load(path)
    with pytest.raises(RepeatedSnapshotError, match="release 0"):  # nothing has changed, which needs no digest
        publisher.publish(Snapshot.after(None, table, 0))
    publisher.publish(table.select(range(50)))
