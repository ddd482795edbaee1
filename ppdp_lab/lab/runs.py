"""Run folders: made under another name, renamed when finished, so that what looks finished is finished.

``results/<experiment>/`` holds ``<hash>/`` for finished runs, ``failed-<time>/`` for failed ones, and, while something
runs, ``.partial-<process>-<hash>/``. What a killed process left behind is removed by the next run.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from filelock import ReadWriteLock, Timeout
from pydantic import TypeAdapter

from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.io import atomic_write, check_lock, still_runs
from ppdp_lab.lab.experiment import ClaimVerdict, check_file_name

RUN_FOLDER = "PPDP_LAB_RUN"
HANDED_OVER = "finish.json"
LOCK = ".lock"
_LEFT = re.compile(r"\.(?:partial|old)-(\d+)-")


def finished(folder: Path) -> bool:
    """Whether a folder is a finished run, its results one file per table."""
    made = re.fullmatch("[0-9a-f]{16}", folder.name) is not None and (folder / "environment.json").is_file()
    return made and (folder / FOLDER).is_dir()


def finished_runs(experiment: Path) -> list[Path]:
    """Finished runs of an experiment, the newest first."""
    folders = [f for f in experiment.iterdir() if finished(f)] if experiment.is_dir() else []
    return sorted(folders, key=lambda f: (f / "environment.json").stat().st_mtime_ns, reverse=True)


def begin(experiment: Path, run: str) -> Path:
    """An empty folder to run in; remains of processes that are gone are removed first."""
    remove_stale(experiment)
    folder = experiment / f".partial-{os.getpid()}-{run}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def complete(folder: Path, run: str) -> Path:
    """Give the folder its final name, in place of an older run of that name."""
    target = folder.parent / run
    old = folder.parent / f".old-{os.getpid()}-{run}"
    if target.exists():
        target.rename(old)
    try:
        folder.rename(target)
    except OSError:
        if not finished(target):  # else another process finished the same run a moment ago
            raise
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    return target


def keep_failed(folder: Path) -> Path:
    """Put a failed run aside."""
    name = f"failed-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([name], (f"{name}-{i}" for i in itertools.count(2)))
    return folder.rename(next(target for name in names if not (target := folder.parent / name).exists()))


def remove_stale(experiment: Path) -> None:
    """Remove what killed processes left."""
    if not experiment.is_dir():
        return
    for folder in experiment.iterdir():
        left = _LEFT.match(folder.name)
        if left and not _alive(int(left[1]), folder):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(process: int, folder: Path) -> bool:
    """Whether the process that made a folder still runs, and its number was not given to a later one."""
    try:
        return still_runs(process, folder.stat().st_mtime)
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def turn(results: Path, *, exclusive: bool, waiting: Callable[[], None]) -> Iterator[None]:
    """Wait for our turn: an exclusive run shares the machine with no other run under the same ``results``."""
    results.mkdir(parents=True, exist_ok=True)
    place = results / LOCK
    check_lock(place, results)
    try:
        lock = ReadWriteLock(place, is_singleton=False)
        take = lock.acquire_write if exclusive else lock.acquire_read
        try:
            held = take(blocking=False)
        except Timeout:
            waiting()
            held = take()
    except (OSError, sqlite3.Error) as error:
        raise DataFileError(
            f"{str(results)!r} cannot be locked: its lock {str(place)!r} cannot be used ({error}); remove it if nothing runs"
        ) from error
    with held:
        yield


def write_json(path: Path, content: Any) -> None:
    """Write a file in one go: whoever reads it finds the old content or the new one, never half of it."""
    atomic_write(path, json.dumps(content, indent=2, default=str) + "\n")


# --------------------------------------------------------------------
# The result tables of a run: one Parquet file each, in the folder ``results`` of the run's folder.


Tables = Mapping[str, pd.DataFrame]  # result tables by name: what a drawing gets and a claim is judged on
FOLDER = "results"
ALONE = "results"  # what the table of a notebook that has only one is called


def named(results: Any) -> dict[str, pd.DataFrame]:
    """Result tables by name, from one or several frames; refuses names that no file can have.

    >>> {name: len(table) for name, table in named({"loss": pd.DataFrame({"k": [1, 2]})}).items()}
    {'loss': 2}
    >>> list(named(pd.DataFrame({"k": [1, 2]})))
    ['results']
    """
    tables = dict(results) if isinstance(results, Mapping) else {ALONE: results}
    for name, frame in tables.items():
        which = f"results[{name!r}]" if isinstance(results, Mapping) else "results"
        if not isinstance(frame, pd.DataFrame):
            several = "" if isinstance(results, Mapping) else " or a dict of them"
            raise ParameterError(f"{which} must be a DataFrame{several}, not {type(frame).__name__}")
        try:
            check_file_name(str(name))
        except ValueError as error:
            raise ParameterError(f"{which}: {error}") from None
        bad = [column for column in frame.columns if not isinstance(column, str)]
        if bad:
            raise ParameterError(f"column names of {which} must be text, not {bad[0]!r}; rename it")
    return {str(name): frame.reset_index(drop=True) for name, frame in tables.items()}


def as_given(tables: Tables) -> Any:
    """What a drawing gets: the tables by name, or the one frame that a notebook finished with; copies in any case."""
    copies = {name: table.copy() for name, table in tables.items()}
    return copies[ALONE] if list(copies) == [ALONE] else copies


def rows_where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows of a table whose columns have the given values.

    >>> rows_where(pd.DataFrame({"k": [2, 2, 5], "loss": [1, 3, 7]}), k=2)["loss"].tolist()
    [1, 3]
    """
    return table[(table[list(values)] == pd.Series(values)).all(axis=1)]


def table_file(name: str) -> str:
    """Where a table lies in a run's folder."""
    return f"{FOLDER}/{name}.parquet"


def write_tables(tables: Tables, folder: Path) -> None:
    """One file per table, into a run's folder."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        try:
            atomic_write(folder / table_file(name), partial(table.to_parquet, index=False))
        except (ValueError, TypeError) as error:  # pyarrow's own errors derive from these
            raise ParameterError(
                f"the table {name!r} cannot be written as Parquet ({error}); give every column values of one plain type"
            ) from None


# --------------------------------------------------------------------
# The record of a finished run: what its files hold, and what is wrong with a file that cannot be read.


NOTEBOOK, VERDICTS, ENVIRONMENT, FIGURES = "notebook.ipynb", "verdicts.json", "environment.json", "figures"


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, and whether it had to be executed. A file that does not hold what a run writes is refused."""

    folder: Path
    executed: bool

    @property
    def environment(self) -> dict[str, Any]:
        """What is written down about the run."""
        with self._reading(ENVIRONMENT) as content:
            _need(isinstance(content["scale"], str) and isinstance(content["given"], dict), "scale and given")
            _need_data(content["data"])
            return {"seed": None, **content}

    @property
    def results(self) -> dict[str, pd.DataFrame]:
        """Its result tables, by name."""
        found = {}
        for name in self.handed_over["tables"]:
            with self._reading(table_file(name)) as path:
                found[name] = pd.read_parquet(path)
        return found

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """Its verdicts."""
        with self._reading(VERDICTS) as content:
            return TypeAdapter(list[ClaimVerdict]).validate_python(content)

    @property
    def handed_over(self) -> dict[str, Any]:
        """What its notebook finished with: names of tables and figures, and the data it used."""
        with self._reading(HANDED_OVER) as content:
            for what in ("tables", "figures"):
                _need(isinstance(content[what], list) and _texts(content[what]), f"names of {what}")
            _need_data(content["data"])
            handed: dict[str, Any] = content
            return handed

    @property
    def figures(self) -> list[Path]:
        """The files of its figures."""
        with self._reading(FIGURES) as path:
            return sorted(file for file in path.iterdir() if file.suffix in (".png", ".svg"))

    @contextlib.contextmanager
    def _reading(self, name: str) -> Iterator[Any]:
        """A file's path, or its content if it is JSON; if it does not hold what a run writes, say which and what to do."""
        try:
            path = self.folder / name
            yield json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else path
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            raise DataFileError(
                f"the run in {self.folder} cannot be read: {name} is broken ({what}); delete that folder and run again"
            ) from None


def latest(experiment: str, results: Path, scale: str | None = None) -> Run | None:
    """The newest finished run of an experiment, with unchanged parameters if a scale is asked for."""
    runs = (Run(folder, executed=False) for folder in finished_runs(results / experiment))
    return next((found for found in runs if scale is None or _unchanged_scale(found) == scale), None)


def by_data(experiment: str, results: Path, scale: str) -> tuple[Run | None, Run | None]:
    """The newest run at a scale, and the newest on real rows if the same experiment was also run on stand-ins.

    Runs differ in how many of their data sets are stand-ins; where they do, the first is one with the most of them and
    the second one with the fewest. Otherwise there is no second.
    """
    newest: dict[int, Run] = {}
    for folder in finished_runs(results / experiment):
        found = Run(folder, executed=False)
        if _unchanged_scale(found) == scale:
            notes = found.environment
            stand_ins = sum("stand-in" in d["provenance"] for d in notes.get("data_used") or notes["data"])
            newest.setdefault(stand_ins, found)
    if not newest:
        return None, None
    most, fewest = max(newest), min(newest)
    return newest[most], newest[fewest] if fewest < most else None


def finished_scales(experiment: str, results: Path) -> tuple[set[str], int, list[str]]:
    """Scales of runs with unchanged parameters, how many runs have changed ones, and which cannot be read, and why."""
    scales: list[str | None] = []
    broken: list[str] = []
    for folder in finished_runs(results / experiment):
        try:
            scales.append(_unchanged_scale(Run(folder, executed=False)))
        except DataFileError as error:
            broken.append(str(error))
    return {scale for scale in scales if scale is not None}, scales.count(None), broken


def _unchanged_scale(run: Run) -> str | None:
    notes = run.environment
    return None if notes["given"] else notes["scale"]


def _texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _need(there: bool, what: str) -> None:
    if not there:
        raise ValueError(f"it lacks {what}")


def _need_data(data: Any) -> None:
    _need(isinstance(data, list) and _texts(d["provenance"] for d in data), "the data's provenance")
