"""Running an experiment: notebook, results, figures, verdicts, environment, all in one folder or nothing."""

from __future__ import annotations

import contextlib
import inspect
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ppdp_lab.errors import DataFileError, PPDPError, listed, unknown
from ppdp_lab.lab.experiment.functions import function_of
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.experiment.ranges import check_all
from ppdp_lab.lab.report.figures import drawing
from ppdp_lab.lab.report.presentation import present
from ppdp_lab.lab.report.progress import Progress
from ppdp_lab.lab.report.text import label_of, seconds
from ppdp_lab.lab.run import folders, machine, parameters, tables
from ppdp_lab.lab.run.handover import HANDED_OVER, RUN_FOLDER
from ppdp_lab.lab.run.identity import identify
from ppdp_lab.lab.run.kernel import NotebookError, execute, require
from ppdp_lab.lab.run.record import ENVIRONMENT, NOTEBOOK, Run


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
    if folders.finished(target) and not force:
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
    folder = folders.begin(home, identity.run)
    try:
        if donor is not None:
            say(f"{label}: results are there; drawing and judging again")
            for name in (NOTEBOOK, HANDED_OVER):
                shutil.copy2(donor.folder / name, folder / name)
            shutil.copytree(donor.folder / tables.FOLDER, folder / tables.FOLDER)
            notes |= {key: donor.environment.get(key) for key in ("machine", "started", "seconds")}
        else:
            waiting = partial(say, f"{label}: waiting for other experiments")
            with folders.turn(results, exclusive=experiment.exclusive, waiting=waiting):
                notes |= _execute(experiment, chosen, folder, Progress(label, say, bar=bar))
        folders.write_json(folder / ENVIRONMENT, notes | {"executed": True})
        present(experiment, Run(folder, executed=True))
    except PPDPError as error:
        kept = folders.keep_failed(folder)
        raise type(error)(f"{error} (kept in {kept})") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Run(folders.complete(folder, identity.run), executed=donor is None)


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
