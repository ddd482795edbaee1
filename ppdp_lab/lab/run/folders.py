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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from filelock import ReadWriteLock, Timeout

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.run import tables
from ppdp_lab.table.files import check_lock, still_runs, write_whole

LOCK = ".lock"
_LEFT = re.compile(r"\.(?:partial|old)-(\d+)-")


def finished(folder: Path) -> bool:
    """Whether a folder is a finished run, its results one file per table."""
    return _named_like_a_run(folder) and (folder / tables.FOLDER).is_dir()


def finished_runs(experiment: Path) -> list[Path]:
    """Finished runs of an experiment, the newest first."""
    folders = [f for f in experiment.iterdir() if finished(f)] if experiment.is_dir() else []
    return sorted(folders, key=lambda f: (f / "environment.json").stat().st_mtime_ns, reverse=True)


def outdated_runs(experiment: Path) -> list[Path]:
    """Runs that an earlier version finished, whose results are laid out otherwise."""
    folders = sorted(experiment.iterdir()) if experiment.is_dir() else []
    return [f for f in folders if _named_like_a_run(f) and not finished(f)]


def _named_like_a_run(folder: Path) -> bool:
    return re.fullmatch("[0-9a-f]{16}", folder.name) is not None and (folder / "environment.json").is_file()


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
    write_whole(path, json.dumps(content, indent=2, default=str) + "\n")
