"""Run folders: what killed processes leave, who waits for whom, and runs killed at random moments."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab import read, runs
from ppdp_lab.lab.identity import PACKAGE
from ppdp_lab.lab.runner import run
from ppdp_lab.lab.runs import latest

DATA = Path(__file__).parent / "data" / "experiments"
RUN = "0123456789abcdef"


def gone() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_remains_of_dead_processes_are_removed(tmp_path):
    for name in (f".partial-{gone()}-{RUN}", f".old-{gone()}-{RUN}", RUN, "failed-20260101-000000"):
        (tmp_path / name).mkdir()
    late = tmp_path / f".partial-{os.getpid()}-{RUN}"
    late.mkdir()
    os.utime(late, (1, 1))  # older than this process: its number was another's
    folder = runs.begin(tmp_path, "f" * 16)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([folder.name, RUN, "failed-20260101-000000"])
    runs.remove_stale(tmp_path)
    assert folder.is_dir()


def test_only_a_renamed_folder_looks_finished(tmp_path):
    folder = runs.begin(tmp_path, RUN)
    (folder / "environment.json").write_text("{}")
    (folder / "results").mkdir()
    assert runs.finished_runs(tmp_path) == []
    (tmp_path / ("f" * 16)).mkdir()
    done = runs.complete(folder, RUN)
    assert runs.finished_runs(tmp_path) == [done] and done.name == RUN
    newer = runs.begin(tmp_path, RUN)
    (newer / "environment.json").write_text("new")
    (newer / "results").mkdir()
    assert (runs.complete(newer, RUN) / "environment.json").read_text() == "new"
    assert sorted(p.name for p in tmp_path.iterdir()) == [RUN, "f" * 16]


def test_failed_runs_do_not_overwrite_each_other(tmp_path):
    kept = {runs.keep_failed(runs.begin(tmp_path, RUN)) for _ in range(3)}
    assert len(kept) == 3 and all(path.name.startswith("failed-") for path in kept)


def test_an_exclusive_run_is_alone(tmp_path):
    waited, running, most = [], [], []

    def work(name, exclusive):
        with runs.turn(tmp_path, exclusive=exclusive, waiting=lambda: waited.append(name)):
            running.append((name, exclusive))
            time.sleep(0.2)
            most.append(list(running))
            running.remove((name, exclusive))

    together = [threading.Thread(target=work, args=(n, False)) for n in ("a", "b")]
    for thread in together:
        thread.start()
    time.sleep(0.05)
    alone = [threading.Thread(target=work, args=(n, True)) for n in ("c", "d")]
    for thread in alone:
        thread.start()
    for thread in together + alone:
        thread.join()
    assert {"c", "d"} <= set(waited) and "a" not in waited
    assert all(len(now) == 1 for now in most if any(exclusive for _, exclusive in now))
    assert max(map(len, most)) == 2


def test_a_planted_lock_is_an_error_and_not_written_through(tmp_path):
    results, victim = tmp_path / "results", tmp_path / "victim"
    results.mkdir()
    lock = results / runs.LOCK
    for plant, words in (
        (lambda: lock.symlink_to(victim), "is a symbolic link; remove it"),
        (lock.mkdir, "is a folder; remove it"),
        (lambda: lock.write_text("no lock at all, but long enough to be one" * 100), "cannot be used .*; remove it if"),
    ):
        plant()
        for exclusive in (True, False):
            turn = runs.turn(results, exclusive=exclusive, waiting=lambda: None)
            with pytest.raises(DataFileError, match=f"results' cannot be locked: its lock .* {words}"), turn:
                pass
        assert not victim.exists()
        lock.rmdir() if lock.is_dir() else lock.unlink()


def test_a_killed_process_gives_up_its_turn(tmp_path):
    code = f"""
from pathlib import Path
from ppdp_lab.lab import runs
with runs.turn(Path({str(tmp_path)!r}), exclusive=True, waiting=lambda: None):
    print("here", flush=True)
    input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PACKAGE.parent
    )
    assert process.stdin is not None and process.stdout is not None
    with process.stdin, process.stdout:
        assert process.stdout.readline() == "here\n"

        def kill():
            process.kill()
            process.wait()

        with runs.turn(tmp_path, exclusive=False, waiting=kill):
            assert process.poll() is not None


@pytest.mark.long
def test_killed_runs_leave_nothing_that_looks_finished(tmp_path):
    shutil.copytree(DATA, tmp_path / "experiments")
    results, path = tmp_path / "results", tmp_path / "experiments" / "demo" / "experiment.toml"
    command = [sys.executable, "-m", "ppdp_lab.cli", "--root", str(tmp_path), "run", "demo", "-p", "pause=0.3"]
    chance = random.Random()
    for _ in range(2):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=PACKAGE.parent
        )
        assert process.stdout is not None
        process.stdout.readline()  # the kernel is up; the notebook takes about two seconds from here
        time.sleep(chance.uniform(0, 2.5))
        process.kill()
        process.wait()
        process.stdout.close()
        for done in runs.finished_runs(results / "demo"):  # it may have been quicker than we were
            assert (done / "verdicts.json").is_file() and (done / "figures" / "loss.svg").is_file()
            shutil.rmtree(done)
    done = run(read(path), results=results, given={"pause": 0.0}, say=lambda line: None)
    assert done.executed and len(done.verdicts) == 4
    assert [p.name for p in (results / "demo").iterdir()] == [done.folder.name]
    assert latest("demo", results) is not None
