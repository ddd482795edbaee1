"""Running a sweep: its grid is checked, its points are run or found in the store, and one tidy table comes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from ppdp_lab import plotting
from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.errors import MissingExtraError, ParameterError, check_integer
from ppdp_lab.lab.catalogue import find_root
from ppdp_lab.lab.identity import DataSet, digest, fingerprint
from ppdp_lab.lab.progress import PointProgress
from ppdp_lab.sweep.cluster import check_address, check_workers, connected, run_there
from ppdp_lab.sweep.functions import Swept, what_is_swept
from ppdp_lab.sweep.grid import Grid, combinations, grids_of, spelled_point, values_of, words
from ppdp_lab.sweep.local import run_here
from ppdp_lab.sweep.point import Task, make_job, run_in_this_process, versions
from ppdp_lab.sweep.result import PICTURE, Sweep, failures_of, results_frame, write_sweep
from ppdp_lab.sweep.store import Outcome, Store, StoreError
from ppdp_lab.text import seconds


@dataclass(frozen=True)
class Wanted:
    """How a sweep is to be run; see :func:`ppdp_lab.sweep.sweep`."""

    store: str | Path | None
    processes: int | None
    cluster: Any
    retry: bool
    force: bool
    scale: str
    stop_after: int | None
    say: Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """The points of a sweep, which of them are in the store, and which are to be run."""

    tasks: list[Task]
    there: dict[str, Outcome]
    to_run: list[Task]
    remarks: list[str]
    data: dict[str, DataSet]

    @property
    def left(self) -> int:
        """Points that are neither there nor to be run."""
        return len(self.tasks) - len(self.there) - len([task for task in self.to_run if task.key not in self.there])


@dataclass(frozen=True)
class Crew:
    """Who runs the points: how many at once, in words, and what comes of them."""

    at_once: int
    words: str
    outcomes: Iterator[Outcome]


def run_sweep(function: Any, grid: Grid, wanted: Wanted) -> Sweep:
    """Check, run, and put together."""
    check_address(wanted.cluster)
    root = find_root() / "results"
    home = root / "sweeps" if wanted.store is None else Path(wanted.store).resolve()
    swept = what_is_swept(function, results=root, scale=wanted.scale, force=wanted.force)
    points = Store(home, swept.name)
    points.prepare()
    plan = _planned(swept, grid, points, home, wanted)
    with ExitStack() as opened:
        crew = _crew(swept, plan, points, home, wanted, opened)
        _announce(swept.name, plan, points, crew, wanted)
        done = _run(swept.name, plan, crew, home, wanted)
    return _finished(swept, plan, done, points, home, wanted.say)


def _crew(swept: Swept, plan: Plan, points: Store, home: Path, wanted: Wanted, opened: ExitStack) -> Crew:
    """Workers of a cluster, processes of this machine, or this very process."""
    processes = CORES if wanted.processes is None else wanted.processes
    if wanted.cluster is None and (processes == 0 or not plan.to_run):
        return Crew(1, "this process", run_in_this_process(swept.call, swept.name, points, plan.to_run))
    job = make_job(swept, str(home), again=wanted.retry or wanted.force)
    if wanted.cluster is not None:
        client = opened.enter_context(connected(wanted.cluster))
        plan.remarks.extend(check_workers(client, job))
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        return Crew(count, f"{count} workers of the cluster", run_there(client, job, plan.to_run, wanted.say))
    # What measures time runs alone, with all the threads that it takes by itself.
    count = min(1 if swept.exclusive else processes, len(plan.to_run))
    who = "one process, one point at a time" if swept.exclusive else f"{count} process" + ("es" if count > 1 else "")
    return Crew(count, who, run_here(job, plan.to_run, count, threads=swept.exclusive))


def _planned(swept: Swept, grid: Grid, points: Store, home: Path, wanted: Wanted) -> Plan:
    """All points, checked and keyed; a point that two combinations come down to is there once."""
    found: dict[str, dict[str, Any]] = {}
    remarks: dict[str, int] = {}
    for one in grids_of(grid):
        values = values_of(one, swept.lists)
        swept.check(values)
        for combination in combinations(values):
            point, reasons = swept.refine(combination)
            found.setdefault(digest(spelled_point(point)), point)
            for reason in reasons:
                remarks[reason] = remarks.get(reason, 0) + 1
    names = dict.fromkeys(name for point in found.values() for name in swept.data(point))
    data = {name: fingerprint(name, home) for name in names}
    code = [swept.name, swept.version, versions()]
    tasks = [
        Task(digest([*code, spelled_point(point), [data[name].fingerprint for name in swept.data(point)]]), point)
        for point in found.values()
    ]
    there = {task.key: known for task in tasks if (known := points.look(task.key)) is not None}
    failed = {key for key, known in there.items() if known.failed}
    if wanted.retry:
        to_run = [task for task in tasks if task.key in failed]
    else:
        to_run = [task for task in tasks if wanted.force or task.key not in there]
    left_out = [f"{reason}: left out of {count} combinations" for reason, count in remarks.items()]
    return Plan(tasks, there, to_run, left_out, data)


def _announce(name: str, plan: Plan, points: Store, crew: Crew, wanted: Wanted) -> None:
    """How many points there are, how many of them are to be run, and how long that takes."""
    for remark in plan.remarks:
        wanted.say(f"{name}: {remark}")
    again = {task.key for task in plan.to_run}
    kept = [known for key, known in plan.there.items() if key not in again]
    failed = sum(known.failed for known in kept)
    line = f"{name}: {len(plan.tasks)} points, {len(kept)} in the store"
    line += f" ({failed} of them failed; retry runs those again)" if failed else ""
    if plan.to_run:
        line += f", {len(plan.to_run)} to {'try again' if wanted.retry else 'run'} in {crew.words}"
    wanted.say(line)
    if plan.left:
        wanted.say(f"{name}: {plan.left} points have not been run yet; to run them, repeat the sweep without retry")
    usual = points.usual_seconds() if plan.to_run else []
    if usual:
        about = seconds(mean(usual) * len(plan.to_run) / crew.at_once)
        wanted.say(f"{name}: about {about}, estimated from {len(usual)} points in the store")
    elif len(plan.to_run) > 2 * crew.at_once:
        wanted.say(f"{name}: a time estimate follows after the first points")


def _run(name: str, plan: Plan, crew: Crew, home: Path, wanted: Wanted) -> dict[str, Outcome]:
    """Outcomes of the points that are to be run, by key, as they come.

    The first failure is reported at once. The sweep ends early if its first points all fail alike; if a point cannot be stored;
    and on Ctrl-C.
    """
    done: dict[str, Outcome] = {}
    point_of = {task.key: task.point for task in plan.to_run}
    succeeded = any(not known.failed for key, known in plan.there.items() if key not in point_of)
    failed = 0
    progress = PointProgress(name, wanted.say, at_once=crew.at_once)
    try:
        if plan.to_run:
            progress.watch(0, len(plan.to_run))
        for outcome in crew.outcomes:
            done[outcome.key] = outcome
            failed += outcome.failed
            progress.watch(len(done), len(plan.to_run), failed)
            if outcome.failed and failed == 1:
                progress.interject(f"failed at {words(point_of[outcome.key])}: {outcome.error}")
            left = len(plan.to_run) - len(done)
            if left and len(done) == wanted.stop_after and not succeeded and _all_fail_alike(done):
                progress.interject(
                    f"stopped, because the first {len(done)} points all failed with this error; {left} points not run. "
                    "To run them anyway, use stop_after=None (command line: --keep-going)"
                )
                break
    except (KeyboardInterrupt, StoreError) as error:
        crew.outcomes.close()  # type: ignore[attr-defined]
        progress.close()
        kept = f"{len({**plan.there, **done})} of {len(plan.tasks)} points are stored in {home}"
        if isinstance(error, StoreError):
            raise StoreError(
                f"the sweep of {name} stopped: {error}; {kept}. Fix this, then repeat the sweep to continue"
            ) from error
        wanted.say(f"{name}: stopped; {kept}. To continue, repeat the sweep")
        raise
    finally:
        crew.outcomes.close()  # type: ignore[attr-defined]
        progress.close()
    return done


def _all_fail_alike(done: Mapping[str, Outcome]) -> bool:
    """Whether all points failed, with the same error apart from numbers and memory addresses in its text."""
    kinds = {one.error and re.sub(r"0x[0-9a-f]+|\d+", "#", one.error) for one in done.values()}
    return len(kinds) == 1 and None not in kinds


def _finished(
    swept: Swept, plan: Plan, done: dict[str, Outcome], points: Store, home: Path, say: Callable[[str], None]
) -> Sweep:
    """The tidy tables of all points, on disk."""
    known = plan.there | done
    came = [(task.point, known[task.key]) for task in plan.tasks if task.key in known]
    said = dict.fromkeys(data.provenance for data in plan.data.values())
    alike = len(said) == 1  # else each data set says where its rows come from
    provenance = ", ".join(said if alike else (f"{Path(d.name).stem} {d.provenance}" for d in plan.data.values()))
    tables = results_frame(swept, [(point, points.tables(one)) for point, one in came if not one.failed], provenance)
    # Named by its points: the same sweep has the same folder, and a changed one does not overwrite it.
    folder = home / f"{points.folder.name}-{digest([task.key for task in plan.tasks])}"
    executed = sum(outcome.executed for outcome in done.values())
    result = Sweep(
        swept.name,
        tables,
        failures_of([(point, one) for point, one in came if one.failed]),
        points=len(plan.tasks),
        executed=executed,
        found=len(known) - executed,
        folder=folder,
    )
    write_sweep(result)
    try:
        for name, frame in tables.items():
            if len(frame) and result.measures_of(name):
                plotting.save(result.plot(table=name), folder / (PICTURE if len(tables) == 1 else f"{PICTURE}-{name}"))
    except MissingExtraError as missing:  # the tables are what was asked for, and they are there
        say(f"{swept.name}: no picture: {missing}")
    return result


# --------------------------------------------------------------------
# ``sweep``: what a user passes, and what comes back.


def sweep(
    function: Any,
    grid: Grid,
    *,
    store: str | Path | None = None,
    processes: int | None = None,
    cluster: Any = None,
    retry: bool = False,
    force: bool = False,
    scale: str = "quick",
    stop_after: int | None = 10,
    say: Callable[[str], None] | None = print,
) -> Sweep:
    """Call a function at every point of a grid, in parallel, and keep every finished point at once.

    A sweep that was stopped or killed goes on where it stopped when the same call is made again: a point that is in the store,
    computed by the same code from the same data, is not run again.

    Parameters
    ----------
    function : callable, str or Experiment
        A function that takes its parameters by name and returns a number, a dict, a list of dicts or a DataFrame; one that
        is defined in a notebook will do. Or a text: ``"anonymize"`` or ``"publish"``, which take data sets, algorithms,
        publishers, rules, metrics and attacks by registry name; ``"package.module:function"``; an experiment's name or TOML
        file, whose notebook is then run by papermill at every point.
    grid : dict of lists
        Values by parameter; all combinations are run. A list of such dicts puts several grids together. It is checked before
        anything starts.
    store : path, optional
        The folder for points and results; ``results/sweeps`` unless given.
    processes : int, optional
        How many run side by side, each with one thread; as many as there are cores unless given. 0 runs all points in this
        very process, for debugging. A point that kills its process fails alone.
    cluster : address, distributed.Client or cluster, optional
        A dask cluster to run on instead, all of whose machines see the store.
    retry : bool
        Try the points again that failed, and run nothing else. Without it a failure that is in the store stays one.
    force : bool
        Run every point, whatever the store has.
    scale : str
        Of an experiment.
    stop_after : int or None
        Stop when the first ``stop_after`` points all fail with the same error and no point of the grid has succeeded.
        ``None`` runs every point.
    say : callable or None
        Takes the lines about number, time and progress.

    Returns
    -------
    Sweep
        With the tidy ``frame``, ``failures``, and ``plot()``. The same lies in its ``folder``, as Parquet, PNG and SVG.

    Examples
    --------
    >>> import tempfile
    >>> def loss(k, seed=0):
    ...     return {"loss": k / (10 + seed)}
    >>> swept = sweep(loss, {"k": [2, 5], "seed": [0, 10]}, store=tempfile.mkdtemp(), processes=0, say=None)
    >>> swept
    <Sweep of loss: 4 points (4 executed, 0 found in the store, 0 failed), 4 rows>
    >>> swept.frame
       k  seed  loss
    0  2     0  0.20
    1  2    10  0.10
    2  5     0  0.50
    3  5    10  0.25

    A grid over built-in functions names what the registries have::

        sweep("anonymize", {"dataset": ["adult", "occ"], "rows": 5000, "algorithm": ["mondrian", "kmember"],
                                "k": [2, 5, 10]})
    """
    if retry and force:
        raise ParameterError("retry runs what failed, force runs everything; choose one of them")
    if processes is not None:
        processes = check_integer("processes", processes, at_least=0)
    if stop_after is not None:
        stop_after = check_integer("stop_after", stop_after, at_least=1)
    # Not before something is swept: this takes all algorithms and metrics along.
    pass

    wanted = Wanted(store, processes, cluster, retry, force, scale, stop_after, say or (lambda line: None))
    return run_sweep(function, grid, wanted)
