"""Sweeping: a grid is checked, its points are run or found in the store, and one tidy table comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from ppdp_lab import plotting
from ppdp_lab.anonymize.lattice.check import CORES
from ppdp_lab.errors import ParameterError, check_integer
from ppdp_lab.lab.experiment.catalogue import find_root
from ppdp_lab.lab.report.progress import PointProgress
from ppdp_lab.lab.report.text import seconds
from ppdp_lab.lab.run.identity import DataSet, digest, fingerprint
from ppdp_lab.lab.sweeping.functions import Swept, what_is_swept
from ppdp_lab.lab.sweeping.grid import Grid, combinations, grids_of, spelled_point, values_of
from ppdp_lab.lab.sweeping.result import PICTURE, Sweep, write_sweep
from ppdp_lab.lab.sweeping.store import Outcome, Store
from ppdp_lab.lab.sweeping.tidying import failures_of, tidy
from ppdp_lab.lab.sweeping.workers import Task, make_job, run_here, run_in_this_process, versions
from ppdp_lab.lab.sweeping.workers.cluster import check_address, check_workers, connected, run_there


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
    say : callable or None
        Takes the lines about number, time and progress.

    Returns
    -------
    Sweep
        With the tidy ``frame``, ``failures``, and ``plot()``. The same lies in its ``folder``, as Parquet, PNG and SVG.

    Examples
    --------
    >>> import tempfile
    >>> from ppdp_lab import lab
    >>> def loss(k, seed=0):
    ...     return {"loss": k / (10 + seed)}
    >>> swept = lab.sweep(loss, {"k": [2, 5], "seed": [0, 10]}, store=tempfile.mkdtemp(), processes=0, say=None)
    >>> swept
    <Sweep of loss: 4 points (4 executed, 0 found in the store, 0 failed), 4 rows>
    >>> swept.frame
       k  seed  loss
    0  2     0  0.20
    1  2    10  0.10
    2  5     0  0.50
    3  5    10  0.25

    A grid over built-in functions names what the registries have::

        lab.sweep("anonymize", {"dataset": ["adult", "occ"], "rows": 5000, "algorithm": ["mondrian", "kmember"],
                                "k": [2, 5, 10]})
    """
    say = say or (lambda line: None)
    if retry and force:
        raise ParameterError("retry runs what failed, force runs everything; choose one of them")
    processes = CORES if processes is None else check_integer("processes", processes, at_least=0)
    check_address(cluster)
    root = find_root() / "results"
    home = root / "sweeps" if store is None else Path(store).resolve()
    swept = what_is_swept(function, results=root, scale=scale, force=force)
    points = Store(home, swept.name)
    points.prepare()
    plan = _planned(swept, grid, points, home, retry=retry, force=force)
    if swept.exclusive:
        processes = min(processes, 1)
    with ExitStack() as opened:
        job = make_job(swept, str(home), again=retry or force) if processes or cluster is not None else None
        if cluster is not None and plan.to_run:
            assert job is not None
            client = opened.enter_context(connected(cluster))
            plan.remarks.extend(check_workers(client, job))
            at_once, where = len(client.scheduler_info(n_workers=-1)["workers"]), "workers of the cluster"
            outcomes = run_there(client, job, plan.to_run, say)
        elif job is not None:
            at_once, where = min(processes, len(plan.to_run)), "process(es)"
            outcomes = run_here(job, plan.to_run, processes, threads=swept.exclusive)
        else:
            at_once, where = 1, "process, this one"
            outcomes = run_in_this_process(swept.call, swept.name, points, plan.to_run)
        _announce(swept, plan, points, f"{at_once} {where}", at_once, retry, say)
        done = _run(swept.name, plan, outcomes, at_once, home, say)
    return _finished(swept, plan, done, points, home)


def _planned(swept: Swept, grid: Grid, points: Store, home: Path, *, retry: bool, force: bool) -> Plan:
    """All points, checked and keyed; a point that two combinations come down to is there once."""
    found: dict[str, dict[str, Any]] = {}
    remarks: dict[str, int] = {}
    for one in grids_of(grid):
        values = values_of(one, swept.lists)
        swept.check(values)
        for combination in combinations(values):
            point, words = swept.refine(combination)
            found.setdefault(digest(spelled_point(point)), point)
            for said in words:
                remarks[said] = remarks.get(said, 0) + 1
    names = dict.fromkeys(name for point in found.values() for name in swept.data(point))
    data = {name: fingerprint(name, home) for name in names}
    code = [swept.name, swept.version, versions()]
    tasks = [
        Task(digest([*code, spelled_point(point), [data[name].fingerprint for name in swept.data(point)]]), point)
        for point in found.values()
    ]
    there = {task.key: known for task in tasks if (known := points.look(task.key)) is not None}
    failed = {key for key, known in there.items() if known.failed}
    if retry:
        to_run = [task for task in tasks if task.key in failed]
    else:
        to_run = [task for task in tasks if force or task.key not in there]
    said = [f"{words}: left out of {count} combinations" for words, count in remarks.items()]
    return Plan(tasks, there, to_run, said, data)


def _announce(
    swept: Swept, plan: Plan, points: Store, where: str, at_once: int, retry: bool, say: Callable[[str], None]
) -> None:
    """How many points there are, how many of them are to be run, and how long that takes."""
    for remark in plan.remarks:
        say(f"{swept.name}: {remark}")
    again = {task.key for task in plan.to_run}
    kept = [known for key, known in plan.there.items() if key not in again]
    failed = sum(known.failed for known in kept)
    line = f"{swept.name}: {len(plan.tasks)} points, {len(kept)} in the store"
    line += f" ({failed} of them failed; retry tries those again)" if failed else ""
    if plan.to_run:
        line += f", {len(plan.to_run)} to {'try again' if retry else 'run'} in {where}"
    say(line)
    if plan.left:
        say(f"{swept.name}: {plan.left} points were never run, and are left for a sweep without retry")
    usual = points.usual_seconds() if plan.to_run else []
    if usual:
        about = seconds(mean(usual) * len(plan.to_run) / max(1, at_once))
        say(f"{swept.name}: about {about}, by {len(usual)} points in the store")
    elif plan.to_run:
        say(f"{swept.name}: how long it takes is said after the first points")


def _run(
    name: str, plan: Plan, outcomes: Iterator[Outcome], at_once: int, home: Path, say: Callable[[str], None]
) -> dict[str, Outcome]:
    """Outcomes of the points that are to be run, by key, as they come; Ctrl-C says how to go on."""
    done: dict[str, Outcome] = {}
    progress = PointProgress(name, say, at_once=at_once)
    try:
        if plan.to_run:
            progress.watch(0, len(plan.to_run))
        for outcome in outcomes:
            done[outcome.key] = outcome
            progress.watch(len(done), len(plan.to_run), sum(one.failed for one in done.values()))
    except KeyboardInterrupt:
        outcomes.close()  # type: ignore[attr-defined]
        progress.close()
        kept = len({**plan.there, **done})
        say(
            f"{name}: stopped; {kept} of {len(plan.tasks)} points are kept in {home}: the same sweep goes on from there"
        )
        raise
    finally:
        progress.close()
    return done


def _finished(swept: Swept, plan: Plan, done: dict[str, Outcome], points: Store, home: Path) -> Sweep:
    """The tidy tables of all points, on disk."""
    known = plan.there | done
    came = [(task.point, known[task.key]) for task in plan.tasks if task.key in known]
    provenance = ", ".join(dict.fromkeys(data.provenance for data in plan.data.values()))
    tables = tidy(swept, [(point, points.tables(one)) for point, one in came if not one.failed], provenance)
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
    for name, frame in tables.items():
        if len(frame) and result.measures_of(name):
            plotting.save(result.plot(table=name), folder / (PICTURE if len(tables) == 1 else f"{PICTURE}-{name}"))
    return result
