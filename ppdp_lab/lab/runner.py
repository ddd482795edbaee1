"""Running an experiment: notebook, results, figures, verdicts, environment, all in one folder or nothing."""

from __future__ import annotations

import contextlib
import inspect
import multiprocessing
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.errors import DataFileError, PPDPError, listed, unknown
from ppdp_lab.lab import identity as machine
from ppdp_lab.lab import parameters, runs
from ppdp_lab.lab.catalogue import function_of
from ppdp_lab.lab.experiment import Experiment, check_all
from ppdp_lab.lab.figures import drawing, present
from ppdp_lab.lab.identity import identify
from ppdp_lab.lab.kernel import NotebookError, execute, require
from ppdp_lab.lab.progress import Progress
from ppdp_lab.lab.runs import ENVIRONMENT, HANDED_OVER, NOTEBOOK, RUN_FOLDER, Run
from ppdp_lab.text import label_of, seconds


def run(
    experiment: Experiment,
    *,
    results: Path,
    scale: str = "quick",
    given: Mapping[str, Any] | None = None,
    force: bool = False,
    say: Callable[[str], None] = print,
    bar: bool | None = None,
) -> Run:
    """Run an experiment at a scale, unless this very run is already there.

    Parameters
    ----------
    experiment : Experiment
    results : Path
        The folder that holds all runs.
    scale : str
        A scale of the experiment file.
    given : dict, optional
        Parameters that differ from the scale's. Claims that their results cannot answer are then not tested.
    force : bool
        Run even if it was run before.
    say : callable
        Takes the progress lines.
    bar : bool, optional
        Show a progress bar; by default on a terminal.
    """
    given = parameters.absolute(given or {}, Path.cwd())
    chosen = parameters.absolute(experiment.parameters(scale), experiment.path.parent) | given
    known = check(experiment)
    parameters.check(chosen, known, experiment.notebook.name)
    check_all(experiment.ranges, chosen)
    identity = identify(experiment, scale, chosen, known, results)
    home = results / experiment.name
    label = f"{experiment.name} ({label_of(scale, given)})"
    target = home / identity.run
    if runs.finished(target) and not force:
        there = Run(target, executed=False)
        _ = there.environment, there.verdicts  # a broken run is refused, not called finished
        say(f"{label}: already finished in {target}")
        return there
    require()
    effective = {**known, **chosen}
    notes = {
        "experiment": experiment.name,
        "title": experiment.title,
        "scale": scale,
        "given": given,
        "parameters": effective,
        "seed": effective.get("seed"),
        "identity": identity.run,
        "results_identity": identity.results,
        "data": [asdict(d) for d in identity.data],
        "exclusive": experiment.exclusive,
    }
    # Another run may have computed the same results for an older experiment file or drawing: these are not run again.
    donor = None if force else _same_results(home, identity.results)
    if donor is None:
        for note in plan(experiment, effective):
            say(f"{label}: {note}")
    folder = runs.begin(home, identity.run)
    try:
        if donor is not None:
            say(f"{label}: results are there; drawing and judging again")
            for name in (NOTEBOOK, HANDED_OVER):
                shutil.copy2(donor.folder / name, folder / name)
            shutil.copytree(donor.folder / runs.FOLDER, folder / runs.FOLDER)
            notes |= {key: donor.environment.get(key) for key in ("machine", "started", "seconds")}
        else:
            waiting = partial(say, f"{label}: waiting for other experiments")
            with runs.turn(results, exclusive=experiment.exclusive, waiting=waiting):
                notes |= _execute(experiment, chosen, folder, Progress(label, say, bar=bar))
        runs.write_json(folder / ENVIRONMENT, notes | {"executed": True})
        present(experiment, Run(folder, executed=True))
    except PPDPError as error:
        kept = runs.keep_failed(folder)
        raise type(error)(f"{error} (kept in {kept})") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Run(runs.complete(folder, identity.run), executed=donor is None)


def check(experiment: Experiment) -> dict[str, Any]:
    """Refuse an experiment that is bound to fail: wrong parameters at any scale, or a drawing that cannot be imported.

    Returns the notebook's parameters and their values.
    """
    known = parameters.defined(experiment.notebook)
    for scale in experiment.scales:
        parameters.check(experiment.parameters(scale), known, f"{experiment.notebook.name} (scale {scale})")
        check_all(experiment.ranges, {**known, **experiment.parameters(scale)})
    for figure in experiment.figures:
        drawing(figure, experiment)
    for name in experiment.ranges:
        if name not in known:
            raise DataFileError(f"{experiment.path.name}, range: {unknown('parameter', name, known)}")
    strange = [name for name, said in _asked(experiment).items() if name not in known and said.default is said.empty]
    if strange:
        raise DataFileError(
            f"{experiment.path.name}: {experiment.plan} asks for {listed(strange)}, no parameter of {experiment.notebook.name}"
        )
    return known


def plan(experiment: Experiment, effective: Mapping[str, Any]) -> tuple[str, ...]:
    """What the experiment's plan has to say: what it fitted to the data. It refuses data that the experiment cannot use."""
    if not experiment.plan:
        return ()
    given = {name: effective[name] for name in _asked(experiment) if name in effective}
    made = function_of(experiment.plan, experiment, "plan")(**given)
    return tuple(getattr(made, "notes", ()))


def _asked(experiment: Experiment) -> Mapping[str, inspect.Parameter]:
    """The parameters of the experiment's plan."""
    if not experiment.plan:
        return {}
    return inspect.signature(function_of(experiment.plan, experiment, "plan")).parameters


def _execute(experiment: Experiment, chosen: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    try:
        execute(experiment.notebook, folder / NOTEBOOK, chosen, {RUN_FOLDER: str(folder.resolve())}, progress)
    finally:
        took = progress.close()
    if not (folder / HANDED_OVER).is_file():
        raise NotebookError(
            f"{experiment.notebook.name} ended without lab.finish(results, figures); add it as the last cell"
        )
    progress.say(f"{progress.label}: {progress.total} cells in {seconds(took)}")
    return {"machine": machine.describe(), "started": started, "seconds": round(took, 3)}


def _same_results(home: Path, identity: str) -> Run | None:
    """A run, finished or failed after its notebook was through, with the same results."""
    for folder in sorted(home.iterdir()) if home.is_dir() else ():
        found = Run(folder, executed=True)
        if folder.name.startswith(".") or not (folder / NOTEBOOK).is_file():
            continue
        with contextlib.suppress(DataFileError):  # what cannot be read is run again
            notes = found.environment
            if notes.get("results_identity") == identity and notes.get("executed"):
                _ = found.results
                return found
    return None


# --------------------------------------------------------------------
# Running all experiments.


def reproduce(
    experiments: Sequence[Experiment],
    *,
    results: Path,
    scale: str,
    force: bool = False,
    say: Callable[[str], None] = print,
    workers: int | None = None,
) -> tuple[dict[str, Run], dict[str, str]]:
    """Run all experiments; return the finished runs, and why the others failed, both by name.

    Experiments that are not exclusive run side by side, one process per core; the exclusive ones follow, one after the other.
    """
    require()  # else every experiment would fail for the same reason, one after the other
    options = {"results": results, "scale": scale, "force": force}
    runs: dict[str, Run] = {}
    failures: dict[str, str] = {}

    def note(name: str, outcome: Run | str) -> None:
        if isinstance(outcome, Run):
            runs[name] = outcome
        else:
            failures[name] = outcome
            say(f"{name}: failed: {outcome}")

    together = [e for e in experiments if not e.exclusive]
    workers = min(workers or CORES, len(together))
    if workers > 1:
        # A fresh process each: papermill changes the working folder of the whole process while it runs.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            speak = partial(print, flush=True)
            futures = {e.name: pool.submit(_run_one, e, **options, say=speak, bar=False) for e in together}
            for name, future in futures.items():
                try:
                    note(name, future.result())
                except BrokenProcessPool:
                    note(name, "its process was killed, perhaps for lack of memory")
        together = []
    for experiment in [*together, *(e for e in experiments if e.exclusive)]:
        note(experiment.name, _run_one(experiment, **options, say=say))
    return runs, failures


def _run_one(experiment: Experiment, **options: Any) -> Run | str:
    try:
        return run(experiment, **options)
    except (PPDPError, OSError) as error:
        return str(error)
