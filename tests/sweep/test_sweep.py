"""Sweeps in this process: tidy tables, the store, failures, versions, notebooks, pictures."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from ppdp_lab import sweep
from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.lab import runner, runs
from ppdp_lab.sweep import running

DATA = Path(__file__).parents[1] / "lab" / "data" / "experiments"


@pytest.fixture
def swept(tmp_path):
    """Sweep in this process, with a store of its own; lines are kept in ``swept.lines``."""

    def call(function, grid, **given):
        call.lines = []
        given = {"store": tmp_path / "store", "processes": 0, "say": call.lines.append} | given
        return sweep.sweep(function, grid, **given)

    return call


class Counted:
    """A function that fails at k = 5 unless it is healed, and notes its calls in a file: what it holds never changes."""

    def __init__(self, folder):
        self.file, self.medicine = folder / "calls.txt", folder / "healed"

    @property
    def calls(self):
        return self.file.read_text().split() if self.file.exists() else []

    @property
    def function(self):
        file, medicine = self.file, self.medicine

        def loss(k, seed=0):
            with open(file, "a") as calls:
                calls.write(f"{k}/{seed}\n")
            if k == 5 and not medicine.exists():
                raise ValueError("five is\n too many")
            return {"loss": k / 10 + seed, "kept": k * 2}

        return loss


@pytest.fixture
def counted(tmp_path):
    return Counted(tmp_path)


def test_one_row_per_measurement_parameters_first(swept):
    def rows(k, seed):
        return [{"release": i, "loss": k + seed + i} for i in range(2)]

    done = swept(rows, {"k": [2, 5], "seed": [0, 1]})
    assert done.frame.columns.tolist() == ["k", "seed", "release", "loss"] and len(done.frame) == 8
    assert done.parameters == ["k", "seed"] and done.measures == ["release", "loss"]
    assert repr(done) == "<Sweep of rows: 4 points (4 executed, 0 found in the store, 0 failed), 8 rows>"
    assert "<table" in done._repr_html_() and "4 executed" in done._repr_html_()
    page = ElementTree.fromstring(done._repr_html_())  # one card, like any other object
    assert page.get("class") == "ppdp-lab" and page.findtext("header") == repr(done)[1:-1]
    long = done.long()
    assert len(long) == 16 and set(long["measure"]) == {"release", "loss"}
    pd.testing.assert_frame_equal(pd.read_parquet(done.path), done.frame)


def test_a_name_that_the_results_have_already(swept):
    same = swept(lambda k: {"k": k, "loss": 1}, {"k": [2, 5]})
    assert same.frame.columns.tolist() == ["k", "loss"] and same.parameters == ["k"]
    other = swept(lambda k: {"k": k + 1, "loss": 1}, {"k": [2, 5]})
    assert other.frame["swept_k"].tolist() == [2, 5] and other.frame["k"].tolist() == [3, 6]
    assert other.parameters == ["swept_k"]


def test_several_grids_are_put_together_and_points_are_there_once(swept):
    done = swept(lambda k, seed=0: k, [{"k": [1, 2]}, {"k": [2, 3], "seed": [1]}, {"k": [2]}])
    assert done.points == 4 and done.frame["k"].tolist() == [1, 2, 2, 3]
    assert done.frame["seed"].isna().tolist() == [True, True, False, False]


def test_a_finished_point_is_not_run_again(swept, counted):
    grid = {"k": [2, 3], "seed": [0, 1]}
    assert swept(counted.function, grid).executed == 4
    assert swept.lines[0] == "loss: 4 points, 0 in the store, 4 to run in this process"
    more = swept(counted.function, {"k": [2, 3, 4], "seed": [0, 1]})
    assert (more.executed, more.found, len(counted.calls)) == (2, 4, 6)
    assert "4 in the store, 2 to run" in swept.lines[0]
    assert swept.lines[1].endswith("estimated from 3 points in the store"), "the first point includes compilation"
    again = swept(counted.function, grid)
    assert (again.executed, again.found) == (0, 4) and swept.lines == ["loss: 4 points, 4 in the store"]
    assert swept(counted.function, grid, force=True).executed == 4


def test_failures_are_kept_with_their_point_and_tried_again_on_request(swept, counted):
    grid = {"k": [2, 5, 7]}
    done = swept(counted.function, grid)
    assert (done.executed, done.failed) == (3, 1) and done.frame["k"].tolist() == [2, 7]
    (row,) = done.failures.to_dict("records")
    assert row["k"] == 5 and row["error"] == "ValueError: five is too many" and "in loss" in row["traceback"]
    counted.medicine.touch()
    again = swept(counted.function, grid)
    assert (again.executed, again.failed, len(counted.calls)) == (0, 1, 3)
    assert "1 of them failed; retry runs those again" in swept.lines[0]
    healed = swept(counted.function, {"k": [2, 5, 7, 9]}, retry=True)
    assert counted.calls[3:] == ["5/0"] and healed.failed == 0 and healed.frame["k"].tolist() == [2, 5, 7]
    assert healed.not_run == 1 and "0 failed, 1 not run" in repr(healed)
    assert "1 points have not been run yet; to run them, repeat the sweep without retry" in swept.lines[1]
    with pytest.raises(ParameterError, match="choose one"):
        swept(counted.function, grid, retry=True, force=True)


def test_a_sweep_of_failures_still_says_what_happened(swept, counted):
    done = swept(counted.function, {"k": [5]})
    assert done.failed == 1 and done.frame.empty and "no rows" in repr(done)
    assert sweep.read_sweep(done.folder).failures["error"].tolist() == ["ValueError: five is too many"]
    with pytest.raises(DataFileError, match="all of its points failed"):
        done.plot()


def fails(k, seed=0):
    raise ValueError(f"point {k} is hopeless")


def test_the_first_failure_is_reported_before_the_next_point_runs(swept):
    seen = []

    def loss(k):
        seen.append([line for line in swept.lines if "failed" in line])
        return {"loss": 1 // k}

    swept(loss, {"k": [1, 0, 2, 3]})
    said = ["loss: failed at k=0: ZeroDivisionError: integer division or modulo by zero"]
    assert seen == [[], [], said, said]


def test_a_sweep_whose_first_points_all_fail_alike_stops(swept):
    done = swept(fails, {"k": list(range(441))})
    assert (done.points, done.executed, done.failed, done.not_run) == (441, 10, 10, 431)
    assert (
        repr(done)
        == "<Sweep of fails: 441 points (10 executed, 0 found in the store, 10 failed, 431 not run), no rows>"
    )
    assert swept.lines[-1] == (
        "fails: stopped, because the first 10 points all failed with this error; 431 points not run. "
        "To run them anyway, use stop_after=None (command line: --keep-going)"
    )
    assert sweep.read_sweep(done.folder).not_run == 431
    assert swept(fails, {"k": list(range(441, 460))}, stop_after=3).executed == 3
    assert swept(fails, {"k": list(range(500, 520))}, stop_after=None).executed == 20
    with pytest.raises(ParameterError, match="stop_after must be at least 1"):
        swept(fails, {"k": [1]}, stop_after=0)


def test_a_sweep_goes_on_if_a_point_succeeded_or_the_errors_differ(swept):
    def mostly(k):
        if k:
            raise ValueError("no")
        return 1

    assert swept(mostly, {"k": list(range(15))}).executed == 15
    assert swept(mostly, {"k": [0, *range(15, 30)]}).executed == 15, "point 0 is in the store, and succeeded"

    def differs(k):
        raise (ValueError, TypeError)[k % 2]("no")

    assert swept(differs, {"k": list(range(15))}).executed == 15


def test_equal_failures_are_shown_once(swept):
    def fails_in_two_ways(k):
        raise ValueError("small" if k < 8 else "large")

    done = swept(fails_in_two_ways, {"k": list(range(12))})
    assert len(done.failures) == 12
    assert done.errors.to_dict("records") == [
        {"points": 8, "first point": "k=0", "error": "ValueError: small"},
        {"points": 4, "first point": "k=8", "error": "ValueError: large"},
    ]
    assert done._repr_html_().count("ValueError") == 2
    assert swept(lambda k: k, {"k": [1]}).errors.empty


def test_a_full_disk_stops_the_sweep_and_is_no_failure_of_a_point(swept, counted, tmp_path, monkeypatch):
    real, calls = os.fsync, []

    def full_once(file):  # there is room again for the small file that would note a failure
        calls.append(file)
        if len(calls) == 3:  # of the second point, the first file
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    monkeypatch.setattr("ppdp_lab.io.writing._sync_folder", lambda folder: None)
    monkeypatch.setattr(os, "fsync", full_once)
    with pytest.raises(DataFileError) as stopped:
        swept(counted.function, {"k": [2, 3, 4]})
    assert counted.calls == ["2/0", "3/0"]
    points = tmp_path / "store" / "points" / "loss"
    (kept,) = points.glob("*.json")
    assert f"'{points}{os.sep}" in str(stopped.value) and ".results.parquet' cannot be written" in str(stopped.value)
    assert "No space left on device" in str(stopped.value) and "1 of 3 points are stored" in str(stopped.value)
    monkeypatch.undo()
    assert swept(counted.function, {"k": [2, 3, 4]}).executed == 2 and kept.is_file()


def test_other_code_other_versions_and_other_data_run_again(swept, counted, monkeypatch):
    grid = {"k": [2]}
    swept(counted.function, grid)
    first = running.versions()
    monkeypatch.setattr(running, "versions", lambda: first | {"ppdp_lab source": "changed"})
    assert swept(counted.function, grid).executed == 1
    assert swept(counted.function, grid).executed == 0
    monkeypatch.undo()
    assert swept(counted.function, grid).executed == 0

    def loss(k, seed=0):
        return {"loss": k}

    assert swept(loss, grid).executed == 1

    def reads(dataset):
        return 1

    assert swept(reads, {"dataset": ["adult", "no data set"]}).executed == 2
    real = running.fingerprint
    monkeypatch.setattr(running, "fingerprint", lambda *a: real(*a).__class__("adult", "real", "other rows"))
    assert swept(reads, {"dataset": ["adult", "no data set"]}).executed == 1


def test_a_broken_point_is_run_again(swept, counted, tmp_path):
    swept(counted.function, {"k": [2, 3]})
    folder = tmp_path / "store" / "points" / "loss"
    notes = sorted(folder.glob("*.json"))
    notes[0].write_text(notes[0].read_text()[:20])
    Path(str(notes[1]).replace(".json", ".results.parquet")).unlink()
    assert swept(counted.function, {"k": [2, 3]}).executed == 2


def test_a_grid_is_checked_before_anything_starts(swept, counted):
    with pytest.raises(ParameterError, match="unknown parameter of loss: 'sed'"):
        swept(counted.function, {"k": [2], "sed": [1]})
    with pytest.raises(ParameterError, match="processes must be at least 0"):
        swept(counted.function, {"k": [2]}, processes=-1)
    with pytest.raises(ParameterError, match="looks like tcp://host:8786"):
        swept(counted.function, {"k": [2]}, cluster="localhost")
    assert counted.calls == []


def test_results_that_no_file_can_hold_are_a_failure(swept):
    done = swept(lambda k: {"a": object()}, {"k": [1]})
    assert "cannot be written as Parquet" in done.failures["error"][0]


def test_built_in_functions_say_what_they_leave_out(swept):
    grid = {"dataset": "occ", "rows": 120, "publisher": ["m_invariance", "e_equivalence"], "m": 2, "e": [1, 2]}
    done = swept("publish", grid | {"releases": 1, "metrics": "fem"})
    assert swept.lines[0] == "publish: MInvariance has no e: left out of 2 combinations"
    assert done.points == 3 and done.frame["e"].isna().sum() == 1
    assert "metrics" not in done.frame.columns and done.measures[-1] == "fem" and "release" not in done.measures
    assert done.frame.attrs["sweep"]["provenance"] == "stand-in"


# ---------------------------------------------------------------------- what is read again
def test_a_sweep_is_read_again(swept, counted, tmp_path):
    done = swept(counted.function, {"k": [2, 5]})
    for path in (done.folder, done.path):
        again = sweep.read_sweep(path)
        pd.testing.assert_frame_equal(again.frame, done.frame)
        assert (again.parameters, again.measures, again.failed) == (["k"], ["loss", "kept"], 1)
    for wrong in (tmp_path, tmp_path / "none.parquet"):
        with pytest.raises(DataFileError, match="holds no sweep"):
            sweep.read_sweep(wrong)
    pd.DataFrame({"a": [1]}).to_parquet(done.folder / "stranger.parquet")
    with pytest.raises(DataFileError, match="holds no sweep"):
        sweep.read_sweep(done.folder / "stranger.parquet")


# ---------------------------------------------------------------------- notebooks
@pytest.fixture
def demo(tmp_path, monkeypatch):
    """The demonstration, and a kernel that hands over ready results."""
    shutil.copytree(DATA, tmp_path / "experiments")
    monkeypatch.setenv("PPDP_LAB_ROOT", str(tmp_path))
    executed = []

    def execute(notebook, output, parameters, environment, watch, *_):
        shutil.copy(notebook, output)
        folder = Path(environment["PPDP_LAB_RUN"])
        if parameters["rows"] == 13:
            raise runner.NotebookError("thirteen rows")
        if parameters["rows"] == 28:
            raise DataFileError("'x.parquet' cannot be written") from OSError(errno.ENOSPC, "No space left on device")
        boxes = pd.DataFrame({"x0": [0.0], "x1": [1.0], "y0": [0.0], "y1": [1.0], "size": [parameters["rows"]]})
        losses = pd.DataFrame({"method": "m", "k": [2, 4, 8], "loss": [0.1, 0.2, 0.3], "suppressed": 0})
        runs.write_tables({"loss": losses, "boxes": boxes}, folder)
        (folder / "finish.json").write_text(
            json.dumps(
                {"tables": ["loss", "boxes"], "figures": ["loss", "boxes"], "data": [], "modules": ["errors.py"]}
            )
        )
        executed.append(parameters)
        watch(0, 7)

    monkeypatch.setattr(runner, "execute", execute)
    return executed


def test_points_may_be_notebooks_with_a_tidy_table_for_each_of_theirs(swept, demo, tmp_path):
    done = swept("demo", {"rows": [30, 13, 40], "seed": [1]})
    assert [p["rows"] for p in demo] == [30, 40] and (done.executed, done.failed) == (3, 1)
    assert list(done.tables) == ["loss", "boxes"] and not done.tables["loss"].isna().any().any()
    assert done.tables["loss"]["rows"].tolist() == [30] * 3 + [40] * 3 and len(done.tables["boxes"]) == 2
    assert done.measures == ["loss", "suppressed"]  # k is on the claims' x axis
    assert "thirteen rows" in done.failures["error"][0]
    assert {path.name for path in done.folder.glob("*.png")} == {"picture-loss.png", "picture-boxes.png"}
    assert swept(tmp_path / "experiments" / "demo" / "experiment.toml", {"rows": [30], "seed": [1]}).executed == 0
    assert len(list((tmp_path / "results" / "demo").glob("*/verdicts.json"))) == 2  # ordinary runs, for list and redraw
    with pytest.raises(DataFileError, match=r"stopped: 'x\.parquet' cannot be written .*; 0 of 1 points are stored"):
        swept("demo", {"rows": [28]})
    with pytest.raises(ParameterError, match="whole number"):
        swept("demo", {"rows": [30, "x"]})
    with pytest.raises(ParameterError, match="unknown parameter"):
        swept("demo", {"row": [30]})
