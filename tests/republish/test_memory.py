"""Memory files: their format, the layout of arrays, and codes that change their number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab.errors import DataFileError
from ppdp_lab.republish import memory as file
from ppdp_lab.republish.memory import Renumbering, Stored, arrays_of, check_arrays, lengthen, renumber

DATA = Path(__file__).parent / "data"
NAMES = {"m_invariance": pl.MInvariance, "e_equivalence": pl.EEquivalence, "i3m": pl.I3M}


def table() -> pl.Microdata:
    frame = pd.read_csv(DATA / "people.csv", index_col="id", dtype={"zip": "str"})
    return pl.Microdata(frame, pl.Schema(["age", "zip"], sensitive="illness"))


def test_a_file_of_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with np.load(DATA / "m_invariance-format3.npz") as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays.pop("header"))) | {"format": 2}
    np.savez(tmp_path / "older.npz", header=np.array(json.dumps(header)), **arrays)
    with pytest.raises(DataFileError, match=r"has format 2, but .* reads format 3 only; .*begin a new series"):
        pl.MInvariance.load(tmp_path / "older.npz")


@pytest.mark.parametrize("name", NAMES)
def test_todays_format_holds_what_the_next_release_needs(name: str, tmp_path: Path) -> None:
    """Also for later versions: files of format 3 that lie here must always be readable."""
    path = DATA / f"{name}-format3.npz"
    publisher = NAMES[name].load(path)
    release = publisher.publish(table().select(np.arange(50, 150)))
    assert publisher.number == 3 and len(release.table) == 100
    with np.load(path) as file:
        header = json.loads(str(file["header"]))
    assert header["format"] == 3 and header["publisher"]["name"] == NAMES[name].__name__
    assert list(header["vocabulary"]["columns"]) == ["age", "zip", "illness"]


def edited(path: Path, to: Path, change) -> Path:
    """A memory file with other contents and a checksum that fits them: what only checks of the contents can find."""
    from ppdp_lab.republish.memory import write_memory

    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays.pop("header")))
    arrays.pop("checksum")
    header.pop("format")
    change(header, arrays)
    write_memory(to, header, arrays)
    return to


def out_of_range(name, value):
    def change(header, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name].flat[0] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (out_of_range("memory.signature", 10**6), "array 'signature' holds numbers outside -1 to"),
        (out_of_range("memory.signature", -2), "array 'signature' holds numbers outside -1 to"),
        (out_of_range("memory.signature_values", 99), "array 'signature_values' holds numbers outside 0 to 5"),
        (out_of_range("memory.signature_begins", 1), "its signatures have no values, or values belong to none"),
        (out_of_range("codes", 999), "array 'codes' does not fit its ids and columns"),
        (lambda h, a: a.update({"memory.signature": a["memory.signature"][:5]}), r"array 'signature' has shape \(5,\)"),
        (lambda h, a: a.update({"memory.seen": a["memory.seen"].astype(float)}), "array 'seen' holds float64"),
        (lambda h, a: a.pop("memory.seen"), "its arrays are not those of its publisher: 'seen'"),
        (lambda h, a: a.update({"memory.more": a["ids"]}), "its arrays are not those of its publisher: 'more'"),
        (lambda h, a: a.update({"present": a["present"][1:]}), "array 'present' does not fit 110 ids"),
        (lambda h, a: a.update({"ids": np.resize(a["ids"], len(a["ids"]) - 1)}), "does not fit|stand more than once"),
        (lambda h, a: a.update({"ids": np.repeat(a["ids"][:1], 110)}), "some ids stand more than once"),
        (lambda h, a: h.update(number=-1), "number must be at least 0"),
        (lambda h, a: h.update(number=10**30), "number must be at most"),
        (lambda h, a: h.update(number="2"), "number must be a whole number"),
        (lambda h, a: h.update(chance={}), "damaged"),
        (lambda h, a: h.update(vocabulary={}), "damaged"),
        (lambda h, a: h.update(vocabulary=None), "remembers releases or persons, but not the values of their columns"),
        (lambda h, a: h["publisher"]["parameters"].update(m=1), "m must be at least 2"),
        (lambda h, a: h["publisher"]["parameters"].update(colour=1), "unknown parameter of MInvariance: 'colour'"),
        (lambda h, a: h.update(publisher="MInvariance"), "damaged"),
        (lambda h, a: h["vocabulary"].update(quasi_identifiers=["age", "age"]), "damaged"),
        (lambda h, a: a.update({"values.0": a["values.0"][:3]}), "places of column 'age' do not fit its values"),
    ],
)
def test_contents_that_no_kernel_may_see_are_refused_in_words(change, words, tmp_path: Path) -> None:
    path = edited(DATA / "m_invariance-format3.npz", tmp_path / "edited.npz", change)
    with pytest.raises(DataFileError, match=words):
        pl.MInvariance.load(path)


def test_whoever_was_published_stands_in_a_bucket(tmp_path: Path) -> None:
    path = edited(
        DATA / "e_equivalence-format3.npz", tmp_path / "edited.npz", lambda h, a: a["memory.signature"].fill(-1)
    )
    with pytest.raises(DataFileError, match="somebody was published, but in no bucket"):
        pl.EEquivalence.load(path)


def test_counterfeits_are_known_whole_or_not_at_all(tmp_path: Path) -> None:
    ages = pd.DataFrame({"age": [20, 21, 22, 40, 41, 42], "illness": ["flu", "cold", "HIV"] * 2})
    publisher = pl.BPG(pl.KAnonymity(4), base=pl.KMember(3), variant="with-counterfeits", seed=1)
    release = publisher.publish(pl.Microdata(ages, pl.Schema("age", sensitive="illness")))
    assert release.n_counterfeits
    publisher.save(tmp_path / "memory.npz")
    path = edited(tmp_path / "memory.npz", tmp_path / "edited.npz", lambda h, a: a.pop("memory.fake_qi"))
    with pytest.raises(DataFileError, match="of its counterfeits it knows"):
        pl.BPG.load(path)


def test_a_header_nested_beyond_measure_is_refused(tmp_path: Path) -> None:
    with np.load(DATA / "m_invariance-format3.npz") as file:
        arrays = {name: file[name] for name in file.files}
    arrays["header"] = np.array("[" * 100_000)
    np.savez(tmp_path / "edited.npz", **arrays)
    with pytest.raises(DataFileError, match="not a saved publisher, or damaged"):
        pl.MInvariance.load(tmp_path / "edited.npz")


def test_a_checksum_finds_every_other_edit(tmp_path: Path) -> None:
    with np.load(DATA / "m_invariance-format3.npz") as file:
        arrays = {name: file[name] for name in file.files}
    arrays["pseudonyms"] = arrays["pseudonyms"] + 1
    np.savez(tmp_path / "edited.npz", **arrays)
    with pytest.raises(DataFileError, match="its checksum does not fit its contents; restore it from a backup"):
        pl.MInvariance.load(tmp_path / "edited.npz")


# ---------------------------------------------------------------------- the layout
LAYOUT = {
    "of_person": Stored(np.int32, "person", empty=-1, low=-1, high="release"),
    "value": Stored(np.int32, "item", codes="sensitive"),
    "place": Stored(np.int32, "item", rows="qi", codes="qi"),
    "mask": Stored(np.uint64, "person", rows="words", codes="sensitive"),
}


def test_arrays_grow_and_codes_are_renumbered() -> None:
    memory = arrays_of(LAYOUT, 2)
    lengthen(memory, LAYOUT, 3, 2)
    assert memory["of_person"].tolist() == [-1, -1, -1] and memory["mask"].shape == (3, 1)
    memory["value"] = np.array([0, 2, 1], dtype=np.int32)
    memory["place"] = np.array([[0, 1, 1], [3, 0, 2]], dtype=np.int32)
    memory["mask"] = np.array([[0b101], [~np.uint64(0)], [0b010]], dtype=np.uint64)
    new = np.array([1, 3, 70])
    renumber(memory, LAYOUT, Renumbering((np.array([0, 2]), None), (new,), (71,)))
    assert memory["value"].tolist() == [1, 70, 3] and memory["place"].tolist() == [[0, 2, 2], [3, 0, 2]]
    ones = int(~np.uint64(0))
    assert memory["mask"].tolist() == [[2, 1 << 6], [ones, ones], [8, 0]]  # nothing is ruled out for the second person
    lengthen(memory, LAYOUT, 4, 2)
    assert memory["mask"][3].tolist() == [ones, ones]


def test_arrays_are_checked_against_their_layout() -> None:
    sizes = {"n_persons": 2, "qi_sizes": [3, 3], "sensitive_sizes": [2], "limits": {"release": 4}}
    good = {
        "of_person": np.array([4, -1], dtype=np.int32),
        "value": np.array([1], dtype=np.int32),
        "place": np.array([[2], [0]], dtype=np.int32),
        "mask": np.zeros((2, 1), dtype=np.uint64),
    }
    check_arrays(good, LAYOUT, **sizes)
    for name, wrong in (
        ("of_person", np.array([5, 0], dtype=np.int32)),
        ("value", np.array([2], dtype=np.int32)),
        ("value", np.array([1, 0], dtype=np.int32)),  # not as long as the other array per item
        ("place", np.array([[3], [0]], dtype=np.int32)),
        ("place", np.array([2], dtype=np.int32)),
        ("mask", np.zeros((3, 1), dtype=np.uint64)),
        ("mask", np.zeros(2, dtype=np.uint64)),
    ):
        with pytest.raises(DataFileError, match=f"array '{name}'|array 'place'"):
            check_arrays(good | {name: wrong}, LAYOUT, **sizes)


# ---------------------------------------------------------------------- on disk
def test_only_its_owner_may_read_a_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.npz"
    path.write_bytes(b"an older file, which everybody may read")
    path.chmod(0o644)
    publisher = pl.I3M(2, seed=1)
    publisher.publish(table())
    publisher.save(path)
    assert path.stat().st_mode & 0o777 == 0o600 and [p.name for p in tmp_path.iterdir()] == ["memory.npz"]


def test_a_file_that_somebody_else_has_written_since_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "memory.npz"
    first = pl.I3M(2, seed=1)
    first.publish(table().select(np.arange(50)))
    first.save(path)
    second = pl.I3M.load(path)
    second.publish(table().select(np.arange(60)))
    second.save(path)
    second.save(path)  # whoever wrote it last may write it again
    before = path.read_bytes()
    first.publish(table().select(np.arange(55)))
    with pytest.raises(DataFileError, match="written by somebody else since it was loaded or saved here"):
        first.save(path)
    assert path.read_bytes() == before
    first.save(tmp_path / "other.npz")
    assert pl.I3M.load(path).number == 2


def test_the_lock_lies_beside_the_memory_and_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere, folder = tmp_path / "temporary", tmp_path / "memories"
    elsewhere.mkdir()
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    held = []
    write = file.atomic_write

    def look(path: Path, content: object, **more: object) -> Path:
        held.extend(p.name for p in folder.iterdir())
        return write(path, content, **more)

    monkeypatch.setattr(file, "atomic_write", look)
    publisher = pl.MInvariance(2)
    publisher.publish(table())
    publisher.save(folder / "memory.npz")
    assert len(held) == 1 and held[0].startswith(".memory.npz") and held[0].endswith(".lock")
    assert not list(elsewhere.iterdir()) and [p.name for p in folder.iterdir()] == ["memory.npz"]
    (folder / held[0]).symlink_to(folder / "memory.npz")
    before = (folder / "memory.npz").read_bytes()
    with pytest.raises(DataFileError, match=r"cannot be locked: its lock .* is a symbolic link; remove it"):
        publisher.save(folder / "memory.npz")
    assert (folder / "memory.npz").read_bytes() == before


def test_a_full_disk_leaves_the_old_memory(tmp_path: Path) -> None:
    """A process that may write no more than 2,000 bytes to a file."""
    publisher = pl.MInvariance(2)
    publisher.publish(table())
    publisher.save(tmp_path / "memory.npz")
    before = (tmp_path / "memory.npz").read_bytes()
    assert len(before) > 2000
    save = (
        "import resource, sys; import ppdp_lab as pl\n"
        "publisher = pl.MInvariance.load(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "publisher.save(sys.argv[1])"
    )
    found = subprocess.run([sys.executable, "-c", save, tmp_path / "memory.npz"], capture_output=True, text=True)
    last = found.stderr.strip().splitlines()[-1]
    assert last.startswith("ppdp_lab.errors.DataFileError") and "memory.npz' cannot be written: File too large" in last
    assert last.endswith("nothing was changed, and the old file is intact")
    assert [p.name for p in tmp_path.iterdir()] == ["memory.npz"]
    assert (tmp_path / "memory.npz").read_bytes() == before
