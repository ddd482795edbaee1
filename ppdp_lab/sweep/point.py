"""Running one point, in whatever process: look in the store, call the function, keep what came of it."""

from __future__ import annotations

import errno
import functools
import io
import os
import pickle
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ppdp_lab.errors import DataFileError, ParameterError, PPDPError, comes_with
from ppdp_lab.lab.identity import computing, source_hash
from ppdp_lab.sweep.code import installed
from ppdp_lab.sweep.functions import Swept, tables_of
from ppdp_lab.sweep.grid import Point, spelled_point
from ppdp_lab.sweep.store import Outcome, Store, StoreError

DATA = "PPDP_LAB_DATA"
LINES = 12  # of a traceback are kept: the last ones
# One thread for each of the libraries that would otherwise take all cores in every process.
ONE_THREAD = dict.fromkeys(
    (
        "NUMBA_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)
_TURN = threading.Lock()
_current: dict[str, Any] = {}  # the function of the job at hand, unpacked once


@dataclass(frozen=True)
class Job:
    """All that a process must know to run points of a sweep.

    ``sweep`` is different for every sweep; ``again`` says to run points though an earlier one has; ``versions`` are those of
    whoever asks.
    """

    sweep: str
    name: str
    function: bytes
    store: str
    versions: dict[str, str]
    data_folder: str | None
    paths: tuple[str, ...]
    again: bool = False


@dataclass(frozen=True)
class Task:
    """A point to run, and its key in the store."""

    key: str
    point: Point


def make_job(swept: Swept, store: str, *, again: bool) -> Job:
    """A job that any process can take: functions that are not installed travel as code."""
    with comes_with("lab"):
        import cloudpickle

    module = sys.modules.get(getattr(swept.call, "__module__", None) or "")
    travels = module is not None and not installed(module.__name__)
    if travels:
        cloudpickle.register_pickle_by_value(module)
    try:
        packed = _packed(swept.call)
    except Exception as error:  # whatever the function refers to says why it cannot travel
        raise ParameterError(
            f"{swept.name} cannot be sent to other processes ({type(error).__name__}: {error}); let it make what it needs "
            f"itself, or use processes=0"
        ) from None
    finally:
        if travels:
            cloudpickle.unregister_pickle_by_value(module)
    return Job(
        secrets.token_hex(8), swept.name, packed, store, versions(), os.environ.get(DATA), tuple(sys.path), again
    )


def _packed(call: Any) -> bytes:
    """A callable as bytes, the functions it uses by value unless they are installed.

    cloudpickle stores a function under ``functools.cache`` or ``lru_cache`` by name only, and a worker does not know the names
    of a notebook or script. Here the function inside travels, and the worker wraps it again with an empty cache.
    """
    import cloudpickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, functools._lru_cache_wrapper) and not installed(obj.__module__):
                return _cached, (obj.__wrapped__, obj.cache_parameters())
            return super().reducer_override(obj)

    with io.BytesIO() as file:
        Pickler(file).dump(call)
        return file.getvalue()


def _cached(function: Any, parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)


def versions() -> dict[str, str]:
    """What must be the same wherever points of one sweep run."""
    return {"ppdp_lab source": source_hash(), **computing()}


def take_up(job: Job) -> None:
    """Get ready for a job: its function, its paths and its data folder."""
    if _current.get("job") == job:
        return
    sys.path += [path for path in job.paths if path not in sys.path]
    if job.data_folder is None:
        os.environ.pop(DATA, None)
    else:
        os.environ[DATA] = job.data_folder
    releases = sys.modules.get("ppdp_lab.sweep.functions")
    if releases is not None:  # of an earlier job, whose data sets may have changed since
        releases.forget()
    _current.update(job=job, call=pickle.loads(job.function), first=True)  # which reads what cloudpickle wrote


def run_point(job: Job, task: Task) -> Outcome:
    """Run a point unless the store has it; whatever the function raises is an outcome, too."""
    if job.versions != versions():  # of a worker that joined later
        raise PPDPError(difference(job.versions, versions()))
    with _TURN:  # a worker of a cluster may have several threads, and few functions expect that
        store = Store(job.store, job.name)
        there = store.look(task.key)
        ours = there is not None and there.sweep == job.sweep  # run, and asked for again when its worker was lost
        if there is not None and (ours or not job.again):
            return replace(there, executed=ours)
        take_up(job)
        first, _current["first"] = _current["first"], False
        return attempt(_current["call"], job.name, store, task, job.sweep, first=first)


def attempt(call: Any, name: str, store: Store, task: Task, sweep: str = "", *, first: bool = False) -> Outcome:
    """Call a function at a point and keep its results, or how it failed; a file that cannot be written is no point's failure."""
    said, start = spelled_point(task.point), time.perf_counter()
    try:
        tables = tables_of(call(**task.point), name)
        done = Outcome(task.key, said, time.perf_counter() - start, list(tables), sweep=sweep, first=first)
        return store.keep(done, tables)
    except StoreError:
        raise
    except (Exception, SystemExit) as error:
        if _disk_is_full(error):  # while a notebook's run was stored
            raise StoreError(str(error)) from error
        return store.keep(replace(failure(task, time.perf_counter() - start, error), sweep=sweep, first=first))


def _disk_is_full(error: BaseException) -> bool:
    """Whether one of our own files could not be written for lack of space."""
    full = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows has no quota error
    cause: BaseException | None = error
    while isinstance(cause, DataFileError):
        cause = cause.__cause__
    return cause is not error and isinstance(cause, OSError) and cause.errno in full


def run_in_this_process(call: Any, name: str, store: Store, tasks: Sequence[Task]) -> Iterator[Outcome]:
    """Outcomes of points that are run one after the other, here: a debugger sees them, and an exit is one."""
    for number, task in enumerate(tasks):
        yield attempt(call, name, store, task, first=number == 0)


def failure(task: Task, seconds: float, error: BaseException | str, tail: str = "") -> Outcome:
    """A point that failed: the error in one line, and the end of its traceback."""
    if isinstance(error, BaseException):
        lines = "".join(traceback.format_exception(error)).splitlines()
        tail = "\n".join(lines[-LINES:])
        words = str(error) if isinstance(error, PPDPError) else f"{type(error).__name__}: {error}"
        error = " ".join(words.split())
    return Outcome(task.key, spelled_point(task.point), seconds, error=error, traceback=tail)


def difference(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """Which versions differ, in words.

    >>> difference({"numpy": "2.0", "numba": "0.61"}, {"numpy": "2.1", "numba": "0.61"})
    'numpy is 2.1 there and 2.0 here'
    """
    return ", ".join(
        f"{name} is {theirs.get(name, 'missing')} there and {ours[name]} here"
        for name in ours
        if theirs.get(name) != ours[name]
    )
