"""Whole files or none: killed writers, several files at once, permission bits."""

from __future__ import annotations

import errno
import io
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.io import atomic_write, atomic_write_all, locked, writing

NURSERY = """
import os, sys
from ppdp_lab.io import atomic_write

def write_for_ever():
    number = 0
    while True:
        number += 1
        atomic_write(sys.argv[1], lambda file: [file.write(bytes([number % 251]) * 5000) for _ in range(200)])

for _ in sys.stdin:  # a writer per line; the next one when this one was killed
    writer = os.fork()
    if not writer:
        write_for_ever()
    print(writer, flush=True)
    os.waitpid(writer, 0)
    print("killed", flush=True)
"""


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def test_a_killed_writer_leaves_no_half_file_and_its_leftovers_go(tmp_path):
    target, chance, seen = tmp_path / "memory.bin", random.Random(4), 0
    target.write_bytes(b"\0" * 1_000_000)
    command = [sys.executable, "-c", NURSERY, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as nursery:
        assert nursery.stdin is not None and nursery.stdout is not None
        for _ in range(20):
            nursery.stdin.write("go\n")
            nursery.stdin.flush()
            writer = int(nursery.stdout.readline())
            time.sleep(chance.uniform(0.001, 0.03))
            os.kill(writer, signal.SIGKILL)
            assert nursery.stdout.readline() == "killed\n"
            content = target.read_bytes()
            assert len(content) == 1_000_000 and len(set(content)) == 1
            seen += len(hidden(tmp_path))
        nursery.stdin.close()
    assert seen, "no kill hit a write in progress, so that this test shows nothing"
    atomic_write(target, b"done")
    assert target.read_bytes() == b"done" and hidden(tmp_path) == []


def test_a_living_writer_keeps_its_file(tmp_path):
    target = tmp_path / "out.txt"

    def slow(file):
        atomic_write(target, "in between")
        assert len(hidden(tmp_path)) == 1
        file.write(b"last")

    atomic_write(target, slow)
    assert target.read_text() == "last" and hidden(tmp_path) == []


def test_process_ids_that_were_given_out_again_do_not_keep_leftovers(tmp_path):
    target = tmp_path / "out.txt"
    mine = writing._beside(target)  # of a process with our own id, but from before we were born
    mine.write_text("half")
    os.utime(mine, (1, 1))
    atomic_write(target, "new")
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(("age", "left"), [(3_600, 1), (100_000, 0)])
def test_leftovers_of_other_machines_stay_for_a_day(tmp_path, age, left, monkeypatch):
    target = tmp_path / "out.txt"
    monkeypatch.setattr(writing, "_HOST", "ffffff")
    theirs = writing._beside(target)
    theirs.write_text("half")
    os.utime(theirs, (time.time() - age,) * 2)
    monkeypatch.undo()
    atomic_write(target, "new")
    assert len(hidden(tmp_path)) == left


def test_other_files_leftovers_are_not_touched(tmp_path):
    (tmp_path / ".out.txt.swp").write_text("an editor's")
    other = writing._beside(tmp_path / "other.txt")
    other.write_text("half")
    os.utime(other, (1, 1))
    atomic_write(tmp_path / "out.txt", "new")
    assert len(hidden(tmp_path)) == 2


def test_a_writer_that_fails_changes_nothing(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")

    def fail(file):
        file.write(b"half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        atomic_write(target, fail)
    assert target.read_text() == "old" and hidden(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="only there a process can be given a smaller disk")
@pytest.mark.parametrize(
    "content", [b"x" * 100_000, b"x" * 5000, lambda file: [file.write(b"x" * 999) for _ in range(99)]]
)
def test_a_full_disk_is_named_and_leaves_nothing(tmp_path, content):
    import resource

    target = tmp_path / "out.txt"
    target.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))  # beyond it, writing fails as on a full disk
    try:
        with pytest.raises(DataFileError, match=r"out.txt' cannot be written: File too large; nothing was changed"):
            atomic_write(target, content)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_text() == "old" and hidden(tmp_path) == []


def test_secrets_are_narrow_from_the_start(tmp_path):
    target = tmp_path / "secret"
    target.write_text("old")
    target.chmod(0o644)
    old = os.umask(0)
    try:

        def look(file):
            assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600
            assert target.stat().st_mode & 0o777 == 0o600, "what stands there is narrowed first"
            file.write(b"key")

        atomic_write(target, look, mode=0o600)
    finally:
        os.umask(old)
    assert target.stat().st_mode & 0o777 == 0o600
    target.chmod(0o640)
    atomic_write(target, "again")
    assert target.stat().st_mode & 0o777 == 0o640, "bits are kept unless said otherwise"


def test_several_files_all_or_none(tmp_path, monkeypatch):
    first, second, third = (tmp_path / name for name in ("a", "b", "c"))
    first.write_text("old a")
    third.write_text("old c")
    done = []
    real = os.replace

    def replace(old, new):
        if Path(new).name == "c" and not done:
            done.append(new)
            raise OSError(28, "No space left on device")
        real(old, new)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(DataFileError, match=r"c' cannot be written: No space left on device; nothing was changed"):
        atomic_write_all({first: "a", second: "b", third: "c"})
    assert first.read_text() == "old a" and not second.exists() and third.read_text() == "old c"
    assert hidden(tmp_path) == []
    assert atomic_write_all({first: "a", second: b"b"}) == [first, second]
    assert first.read_text() + second.read_text() == "ab" and hidden(tmp_path) == []


def test_a_link_keeps_pointing(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    atomic_write(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink() and (tmp_path / "real.txt").read_text() == "new"


def test_names_as_long_as_the_filesystem_allows(tmp_path):
    assert atomic_write(tmp_path / ("x" * 255), "long").read_text() == "long"


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(DataFileError, match=r"no folder .*nowhere' to write 'out.txt' into"):
        atomic_write(tmp_path / "nowhere" / "out.txt", "x")
    with pytest.raises(DataFileError, match="is a folder, so it cannot be written"):
        atomic_write(tmp_path, "x")
    with pytest.raises(ParameterError, match="mode must be permission bits such as 0o600, not 'rw'"):
        atomic_write(tmp_path / "a", "x", mode="rw")
    with pytest.raises(ParameterError, match="the same file twice"):
        atomic_write_all({tmp_path / "a": "x", tmp_path / "." / "b" / ".." / "a": "y"})


def test_a_disk_that_fills_up_while_an_archive_is_written(tmp_path):
    """The archive fails again when it is closed, and so does the file: the message is still about the disk."""
    target = tmp_path / "memory.npz"
    atomic_write(target, b"old")

    class Full(io.FileIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def archive(file):
        full = io.BufferedWriter(Full(file.fileno(), "wb", closefd=False))
        np.savez_compressed(full, a=np.random.default_rng(1).random(100_000))

    words = r"memory\.npz' cannot be written: No space left on device; nothing was changed, and the old file is intact"
    with pytest.raises(DataFileError, match=words):
        atomic_write(target, archive)
    assert [file.name for file in tmp_path.iterdir()] == ["memory.npz"] and target.read_bytes() == b"old"


def test_only_one_process_holds_a_lock_and_none_is_left(tmp_path, monkeypatch):
    target = tmp_path / "memory.npz"
    hold = (
        "import sys; from ppdp_lab.io import locked\n"
        "with locked(sys.argv[1]): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    monkeypatch.setattr(writing, "LOCK_SECONDS", 0.1)
    words = r"memory\.npz' has been locked by another process for 0\.1 seconds; try again"
    with pytest.raises(DataFileError, match=words), locked(target):
        pass
    holder.kill()
    holder.wait()
    holder.stdout.close()
    holder.stdin.close()
    assert len(list(tmp_path.iterdir())) == 1  # what the killed process left
    with locked(target):
        pass
    assert not list(tmp_path.iterdir())


def lock_of(target):
    """Where the lock of a file lies."""
    with locked(target):
        (place,) = target.parent.glob(".*.lock")
    return place


def test_a_planted_lock_is_never_written_through(tmp_path):
    target, victim = tmp_path / "memory.npz", tmp_path / "victim"
    place = lock_of(target)
    victim.write_text("precious")
    for plant, what in (
        (lambda: place.symlink_to(victim), "a symbolic link"),
        (lambda: place.symlink_to(tmp_path / "nowhere"), "a symbolic link"),
        (place.mkdir, "a folder"),
        (lambda: os.mkfifo(place), "not an ordinary file"),
    ):
        plant()
        words = rf"memory\.npz' cannot be locked: its lock .* is {what}; remove it"
        with pytest.raises(DataFileError, match=words), locked(target):
            pass
        assert victim.read_text() == "precious" and not (tmp_path / "nowhere").exists()
        place.rmdir() if what == "a folder" else place.unlink()
    os.link(victim, place)  # an ordinary file with two names: the lock takes the name and leaves the content
    with locked(target):
        pass
    assert victim.read_text() == "precious" and not place.exists()
    place.write_text("left behind")
    with locked(target):
        pass
    assert not place.exists()
