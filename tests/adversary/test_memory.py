"""Memory files: secret, whole or not at all, and a damaged one is refused in words, never used."""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from adversary import damage
from adversary.cases import CASES, NOTES, attempt, chance_of, how_many
from adversary.guarded import attempt_guarded
from adversary.reading import frames_of, groups_of, partition
from adversary.recipes import publisher, publishers
from adversary.worlds import ILLNESSES, NUMBER, SET, TREE, World, world

import ppdp_lab as pl
from ppdp_lab.errors import DataFileError, IdError, InfeasibleError, PPDPError

ALL = publishers()
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="a crash can only be survived in a forked child")


def people(chance: np.random.Generator) -> World:
    """Persons whose values are all about equally frequent, so that every publisher can publish them."""
    made = world(chance, least=16, most=16, kinds=(NUMBER, SET, TREE))
    made.frame["ill"] = chance.permutation(np.resize(ILLNESSES[:4], 16))
    return made


def saved(name: str, chance: np.random.Generator, path: Path) -> tuple[World, object, pl.Microdata]:
    """A publisher after two releases, saved; and the table of the third."""
    made = people(chance)
    recipe = publisher(ALL[name], chance)
    maker = recipe.make(int(chance.integers(1000)))
    try:
        for rows in (range(12), range(1, 14)):
            maker.publish(made.table(list(rows)))
    except InfeasibleError:
        pass
    maker.save(path)
    return made, recipe, made.table(list(range(2, 16)))


def outcome(path: Path, name: str, table: pl.Microdata) -> tuple | None:
    """What a loaded publisher publishes next; None if it says that it cannot."""
    try:
        release = ALL[name].load(path).publish(table)
    except InfeasibleError:
        return None
    return partition(release), [frame.to_csv() for frame in frames_of(release)]


@pytest.mark.parametrize("name", ALL)
def test_only_the_holder_may_read_it(name, tmp_path):
    def one(chance):
        before = os.umask(0)
        try:
            path = tmp_path / "memory"
            path.unlink(missing_ok=True)
            if chance.random() < 0.5:
                path.write_bytes(b"an older file that everybody may read")
                path.chmod(0o666)
            saved(name, chance, path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [p.name for p in tmp_path.iterdir()] == ["memory"], "something was left beside the file"

    attempt(f"mode of a memory of {name}", one, share=0.05)


@pytest.mark.parametrize("name", ALL)
def test_the_checksum_is_known_here(name, tmp_path):
    """If this fails, the format has changed: teach damage.py, or recomputed checksums test nothing."""
    saved(name, chance_of(name, 0), tmp_path / "memory")
    parts = damage.take_apart(tmp_path / "memory")
    assert str(parts["checksum"]) == damage.checksum(parts)


@forks
@pytest.mark.parametrize("name", ALL)
def test_damaged_bytes_are_refused(name, tmp_path):
    """Cut short, flipped, overwritten: refused, or, where the archive ignores the damage, exactly the same."""
    path = tmp_path / "memory"

    def one(chance):
        _, _, table = saved(name, chance, path)
        expected = outcome(path, name, table)
        path.write_bytes(damage.damaged_bytes(path.read_bytes(), chance))
        try:
            ALL[name].load(path)
        except DataFileError as error:
            assert str(path) in str(error)
            return
        assert outcome(path, name, table) == expected

    attempt_guarded(f"damaged bytes of {name}", one, share=0.1)


@forks
@pytest.mark.parametrize("name", ALL)
def test_edits_without_the_checksum_are_refused(name, tmp_path):
    path = tmp_path / "memory"

    def one(chance):
        _, _, table = saved(name, chance, path)
        expected = outcome(path, name, table)
        before = damage.take_apart(path)
        after, what = damage.edited(before, chance)
        damage.put_together(path, after, mended=False)
        if before.keys() == after.keys() and damage.checksum(before) == damage.checksum(after):
            assert outcome(path, name, table) == expected, what
            return
        try:
            ALL[name].load(path)
        except DataFileError:
            return
        raise AssertionError(f"{what}: it was loaded")

    attempt_guarded(f"edits of {name}, checksum left", one, share=0.1)


@pytest.mark.parametrize("version", [None, [], {}, [3], "3", 3.5, True, 0, 99, -1, 10**30], ids=repr)
def test_a_format_that_is_none_is_refused(version, tmp_path):
    """The one entry that is read before the checksum."""
    path = tmp_path / "memory"
    saved("MInvariance", chance_of("format", 0), path)
    parts = damage.take_apart(path)
    header = json.loads(str(parts["header"])) | {"format": version}
    for mended in (False, True):
        damage.put_together(path, parts | {"header": np.array(json.dumps(header))}, mended=mended)
        with pytest.raises(DataFileError):
            pl.MInvariance.load(path)


@forks
@pytest.mark.parametrize("name", ALL)
def test_edits_with_the_checksum_do_no_harm(name, tmp_path):
    """Refused by DataFileError; or what was edited is a possible memory, and then the next release keeps its promise."""
    path = tmp_path / "memory"

    def one(chance):
        made, recipe, table = saved(name, chance, path)
        parts, what = damage.edited(damage.take_apart(path), chance)
        damage.put_together(path, parts, mended=True)
        try:
            loaded = ALL[name].load(path)
        except DataFileError:
            return
        try:
            release = loaded.publish(table)
            loaded.save(path)
        except PPDPError:
            return
        except Exception as error:
            raise AssertionError(f"{what}: {type(error).__name__} from publish: {error}") from error
        if " = " in what and what.startswith("header"):
            return  # another publisher, by what it says of itself
        for group in groups_of(release, made.quasi).values():
            assert recipe.rule.holds(group.values, group.values), f"{what}: {group}"

    attempt_guarded(f"edits of {name}, checksum mended", one, share=0.2)


def saving(path: Path, publisher: pl.MInvariance, table: pl.Microdata, writing: int) -> None:
    """Publish and save for ever; say after each save how many releases the file holds now."""
    while True:
        publisher.publish(table)
        publisher.save(path)
        os.write(writing, publisher.number.to_bytes(4, "big"))


def killed(path: Path, publisher: pl.MInvariance, table: pl.Microdata, wait: float) -> int:
    """Start a child that saves, let it save once, kill it a while later; the last number that it said."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            saving(path, publisher, table, writing)
        finally:
            os._exit(1)  # a child that fails must not go on as another pytest
    os.close(writing)
    said = os.read(reading, 4)
    time.sleep(wait)
    os.kill(pid, signal.SIGKILL)
    while piece := os.read(reading, 4096):
        said += piece
    os.close(reading)
    os.waitpid(pid, 0)
    assert said, "the child never saved"
    return int.from_bytes(said[len(said) // 4 * 4 - 4 : len(said) // 4 * 4], "big")


@forks
def test_kill_during_save(tmp_path):
    """Killed at any moment, the file holds one of the states that were saved; the next save clears what was left."""
    path, n = tmp_path / "memory", 1000
    frame = pd.DataFrame({"age": np.arange(n) % 50, "ill": np.array(list("abcd"))[np.arange(n) % 4]})
    table = pl.Microdata(frame, pl.Schema("age", "ill"))
    left = 0

    def one(chance):
        nonlocal left
        path.unlink(missing_ok=True)
        done = killed(path, pl.MInvariance(2), table, float(chance.uniform(0, 0.03)))
        left += len(list(tmp_path.iterdir())) > 1
        publisher = pl.MInvariance.load(path)
        assert publisher.number in (done, done + 1)
        publisher.save(path)
        assert [p.name for p in tmp_path.iterdir()] == ["memory"]

    pl.MInvariance(2).publish(table)  # compiled once, before the first fork
    share = min(1.0, 2000 / CASES)  # a kill takes a tenth of a second, most of it waiting
    attempt("kill -9 during save", one, share=share)
    NOTES.append(
        f"kill -9 during save: {left} of {how_many(share)} kills left a file behind, which the next save removed"
    )


KINDS = {
    "numbers": lambda n: list(range(100, 100 + n)),
    "text": lambda n: [str(i) for i in range(100, 100 + n)],
    "dates": lambda n: pd.date_range("2020-01-01", periods=n),
    "numbers as objects": lambda n: pd.Index(list(range(100, 100 + n)), dtype=object),
}


@pytest.mark.parametrize("now", KINDS)
@pytest.mark.parametrize("before", ["numbers", "text"])
@pytest.mark.parametrize("loaded", [False, True], ids=["in memory", "loaded"])
@pytest.mark.parametrize("name", ALL)
def test_ids_of_another_kind_are_refused(name, loaded, before, now, tmp_path):
    """Or, where they are the same persons by another name, taken for the same persons."""

    def one(chance):
        made = people(chance)
        maker = publisher(ALL[name], chance).make(1)
        made.ids = KINDS[before](16)
        maker.publish(made.table())
        if loaded:
            maker.save(tmp_path / "memory")
            maker = ALL[name].load(tmp_path / "memory")
        table = made.table()
        again = pl.Microdata(made.frame, table.schema, table.hierarchies, ids=KINDS[now](16))
        try:
            maker.publish(again)
        except IdError:
            assert before != now
            return
        assert maker.n_persons == 16, f"ids were {before}, are {now}, and everybody was taken for a newcomer"

    attempt("ids of another kind", one, share=0.005)
