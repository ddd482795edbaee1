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
from ppdp_lab.errors import DataFileError, ParameterError, PPDPError, listed, unknown
from ppdp_lab.lab import identity as machine
from ppdp_lab.lab import parameters, runs
from ppdp_lab.lab.catalogue import RUNNING, plan_of
from ppdp_lab.lab.experiment import Experiment, check_all, short_name
from ppdp_lab.lab.figures import drawing, present
from ppdp_lab.lab.identity import hashes, identify, unchanged
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
    known = check(experiment)
    if "scale" in given:
        raise ParameterError(f"choose the scale with --scale {given['scale']}, not with the parameter scale")
    sizes = parameters.absolute(experiment.parameters(scale), experiment.path.parent)
    params = injected(sizes, known, scale) | given
    parameters.check(params, known, experiment.notebook.name)
    check_all(experiment.ranges, params)
    identity = identify(experiment, scale, {**known, **sizes, **params}, results)
    home = results / experiment.name
    label = f"{experiment.name} ({label_of(scale, given)})"
    target = home / identity.run
    there = Run(target, executed=False)
    if runs.finished(target) and not force and unchanged(there.environment.get("modules")):
        _ = there.verdicts  # a broken run is an error, not a finished run
        say(f"{label}: already finished in {target}")
        return there
    require()
    effective = {**known, **params}
    notes = {
        "experiment": experiment.name,
        "title": experiment.title,
        "scale": scale,
        "given": given,
        "parameters": {**known, **sizes, **params},
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
            notes |= {key: donor.environment.get(key) for key in ("machine", "modules", "started", "seconds")}
        else:
            waiting = partial(say, f"{label}: waiting for other experiments")
            with runs.turn(results, exclusive=experiment.exclusive, waiting=waiting):
                notes |= _execute(experiment, params, folder, Progress(label, say, bar=bar))
        runs.write_json(folder / ENVIRONMENT, notes | {"executed": True})
        present(experiment, Run(folder, executed=True))
    except PPDPError as error:
        kept = runs.keep_failed(folder)
        raise type(error)(f"{error} (kept in {kept})") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Run(runs.complete(folder, identity.run), executed=donor is None)


def injected(sizes: Mapping[str, Any], known: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """What a scale gives to the notebook. One that knows the scale looks up itself what its parameters leave None.

    >>> injected({"rows": 5, "seeds": 2}, {"scale": "quick", "rows": None, "seeds": 3}, "paper")
    {'scale': 'paper', 'seeds': 2}
    >>> injected({"rows": 5}, {"rows": None}, "paper")
    {'rows': 5}
    """
    if "scale" not in known:
        return dict(sizes)
    return {"scale": scale} | {name: size for name, size in sizes.items() if known.get(name, size) is not None}


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
            raise DataFileError(f"{short_name(experiment.path)}, range: {unknown('parameter', name, known)}")
    missing = [name for name, p in _asked(experiment).items() if name not in known and p.default is p.empty]
    if missing:
        raise DataFileError(
            f"{short_name(experiment.path)}: its plan asks for {listed(missing)}, no parameter of {experiment.notebook.name}"
        )
    return known


def plan(experiment: Experiment, params: Mapping[str, Any]) -> tuple[str, ...]:
    """What the experiment's plan changed to fit the data. It raises an error for data that the experiment cannot use.

    ``params`` are all parameters of the notebook. The plan gets those that it names, and those that the notebook leaves
    None if it takes any.
    """
    make = plan_of(experiment)
    if make is None:
        return ()
    names = set(_asked(experiment))
    if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(make).parameters.values()):
        names |= {name for name, default in parameters.defined(experiment.notebook).items() if default is None}
    made = make(**{name: value for name, value in params.items() if name in names})
    return tuple(getattr(made, "notes", ()))


def _asked(experiment: Experiment) -> dict[str, inspect.Parameter]:
    """The parameters that the experiment's plan names."""
    make = plan_of(experiment)
    every = inspect.signature(make).parameters if make else {}
    return {name: p for name, p in every.items() if p.kind is not p.VAR_KEYWORD}


def _execute(experiment: Experiment, params: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:
    started, before = time.strftime("%Y-%m-%dT%H:%M:%S%z"), hashes()
    environment = {RUN_FOLDER: str(folder.resolve()), RUNNING: str(experiment.path.resolve().parent)}
    try:
        execute(experiment.notebook, folder / NOTEBOOK, params, environment, progress)
    finally:
        took = progress.close()
    if not (folder / HANDED_OVER).is_file():
        raise NotebookError(
            f"{experiment.notebook.name} ended without lab.finish(results, figures); add it as the last cell"
        )
    progress.say(f"{progress.label}: {progress.total} cells in {seconds(took)}")
    modules = Run(folder, executed=True).handed_over.get("modules", [])
    return {
        "machine": machine.describe(),
        "modules": {name: before[name] for name in modules if name in before},
        "started": started,
        "seconds": round(took, 3),
    }


def _same_results(home: Path, identity: str) -> Run | None:
    """A run, finished or failed after its notebook was through, whose results a new run would give again."""
    for folder in sorted(home.iterdir()) if home.is_dir() else ():
        found = Run(folder, executed=True)
        if folder.name.startswith(".") or not (folder / NOTEBOOK).is_file():
            continue
        with contextlib.suppress(DataFileError):  # what cannot be read is run again
            notes = found.environment
            if notes.get("results_identity") == identity and notes.get("executed") and unchanged(notes.get("modules")):
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
