"""Sweeps in processes: side by side as one after the other, a worker that dies, a sweep that is killed, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest

from ppdp_lab.errors import DataFileError, ParameterError, PPDPError
from ppdp_lab.sweep import sweep

pytestmark = pytest.mark.slow
POINTS = Path(__file__).parent / "points.py"
N = 8


def function(name: str) -> str:
    return f"{POINTS}:{name}"


def executed(folder: Path) -> list[int]:
    file = folder / "executed.txt"
    return sorted(map(int, file.read_text().split())) if file.is_file() else []


def quiet(line: str) -> None:
    pass


def test_side_by_side_is_as_one_after_the_other(tmp_path):
    def threads(k, seed):
        import numba
        import numpy as np

        print("points may print whatever they like")
        return {
            "drawn": np.random.default_rng(seed).random() * k,
            "threads": numba.config.NUMBA_NUM_THREADS,
            "process": os.getpid(),
        }

    grid = {"k": [1, 2, 3], "seed": [0, 1]}
    both = sweep(threads, grid, store=tmp_path / "both", processes=2, say=quiet)
    alone = sweep(threads, grid, store=tmp_path / "alone", processes=0, say=quiet)
    pd.testing.assert_frame_equal(both.frame[["k", "seed", "drawn"]], alone.frame[["k", "seed", "drawn"]])
    assert set(both.frame["threads"]) == {1} and os.getpid() not in set(both.frame["process"])


def test_a_point_that_kills_its_process_fails_alone(tmp_path):
    done = sweep(
        function("deadly"), {"i": list(range(5)), "folder": str(tmp_path)}, store=tmp_path, processes=2, say=quiet
    )
    assert done.frame["deadly"].tolist() == [0, 1, 9, 16] and done.failures["i"].tolist() == [2]
    assert "exit code 3" in done.failures["error"][0] and "my last words" in done.failures["traceback"][0]
    again = sweep(
        function("deadly"), {"i": list(range(5)), "folder": str(tmp_path)}, store=tmp_path, processes=2, say=quiet
    )
    assert (again.executed, again.failed) == (0, 1)


def test_what_cannot_travel_is_said(tmp_path):
    generator = (i for i in range(3))

    def holds(k):
        return next(generator)

    with pytest.raises(ParameterError, match=r"holds cannot be sent to other processes .*processes=0"):
        sweep(holds, {"k": [1]}, store=tmp_path, say=quiet)


def test_cached_helpers_travel(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import functools\n\n"
        "@functools.cache\ndef fibonacci(n):\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)\n\n"
        "@functools.lru_cache(maxsize=2)\ndef doubled(n):\n    return 2 * n\n\n"
        "class Steps:\n    @functools.lru_cache\n    def next(self, n):\n        return n + 1\n\n"
        "@functools.cache\ndef loss(k):\n"
        "    return {'loss': doubled(fibonacci(k)) + Steps().next(k), 'size': doubled.cache_parameters()['maxsize']}\n"
    )
    done = sweep(f"{tmp_path / 'mine.py'}:loss", {"k": [5, 60]}, store=tmp_path, processes=1, say=quiet)
    assert done.frame["loss"].tolist() == [2 * 5 + 6, 2 * 1548008755920 + 61] and set(done.frame["size"]) == {2}


def test_a_disk_that_is_full_for_a_worker_stops_the_sweep(tmp_path):
    with pytest.raises(DataFileError, match=r"\.parquet' cannot be written: No space left .*1 of 4 points are stored"):
        sweep(function("fills_the_disk"), {"i": [0, 1, 2, 3]}, store=tmp_path, processes=1, say=quiet)
    assert len(list((tmp_path / "points" / "fills_the_disk").glob("*.json"))) == 1, "no failure is stored"


def test_a_sweep_that_stops_early_ends_its_processes(tmp_path):
    def process(k):
        raise ValueError(f"in {os.getpid()}")

    done = sweep(process, {"k": list(range(30))}, store=tmp_path, processes=2, stop_after=4, say=quiet)
    assert (done.failed, done.not_run) == (4, 26)
    pids = {int(error.rpartition(" ")[2]) for error in done.failures["error"]}
    assert not [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]


def test_a_process_that_cannot_take_up_the_job_is_said(tmp_path, monkeypatch):
    def loss(k):
        return k

    monkeypatch.setattr("ppdp_lab.sweep.local.COMMAND", "raise SystemExit('nothing works here')")
    with pytest.raises(PPDPError, match=r"no process could take up loss: .*exit code 1: nothing works here"):
        sweep(loss, {"k": [1]}, store=tmp_path, processes=1, say=quiet)


# ---------------------------------------------------------------------- the command line, stopped in the middle
@pytest.fixture
def command(tmp_path):
    """The command line's sweep over points that take their time, and what it left when it was stopped."""
    (tmp_path / "experiments").mkdir()
    numbers = ",".join(map(str, range(N)))
    arguments = [sys.executable, "-m", "ppdp_lab.cli", "sweep", function("slowly"), "-p", f"i={numbers}"]
    arguments += ["-p", f"folder={tmp_path}", "--processes", "2", "--store", str(tmp_path / "store")]
    environment = os.environ | {"PPDP_LAB_ROOT": str(tmp_path)}

    def start():
        return subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            start_new_session=True,
        )

    return start


def kept(folder: Path) -> list[int]:
    """Points in the store."""
    notes = (folder / "store" / "points" / "slowly").glob("*.json")
    return sorted(json.loads(note.read_text())["point"]["i"] for note in notes)


def stop_midway(process: subprocess.Popen, folder: Path, how) -> list[psutil.Process]:
    """Wait until two points are kept, then stop it; the processes that it had started."""
    for _ in range(1200):
        if len(kept(folder)) >= 2:
            break
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.05)
    family = psutil.Process(process.pid).children(recursive=True)
    how(process)
    return family


def gone(family: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(family, timeout=20)
    return not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


def test_a_killed_sweep_goes_on_where_it_stopped(command, tmp_path):
    process = command()
    family = stop_midway(process, tmp_path, lambda p: p.kill())
    process.communicate()
    assert gone(family)
    before = kept(tmp_path)
    assert 2 <= len(before) < N
    printed, _ = command().communicate()
    assert f"{len(before)} in the store, {N - len(before)} to run" in printed and f"{N} rows in" in printed
    assert kept(tmp_path) == list(range(N))
    runs = executed(tmp_path)
    assert set(runs) == set(range(N)) and [runs.count(i) for i in before] == [1] * len(before)


def test_ctrl_c_is_clean(command, tmp_path):
    process = command()
    family = stop_midway(process, tmp_path, lambda p: os.killpg(p.pid, signal.SIGINT))
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in printed
    assert f"of {N} points are stored in" in printed and "To continue, repeat the sweep" in printed
    assert gone(family) and not list((tmp_path / "store").rglob("*.part"))
    before = kept(tmp_path)
    assert len(before) < N and not list((tmp_path / "store").glob("slowly-*"))
    printed, _ = command().communicate()
    assert f"Sweep of slowly: {N} points ({N - len(before)} executed, {len(before)} found" in printed
    picture = next((tmp_path / "store").glob("slowly-*/picture.png"))
    assert str(picture) in printed and picture.with_suffix(".svg").is_file()
