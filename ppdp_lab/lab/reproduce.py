"""Running all experiments, and one experiment at many parameters."""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.errors import ParameterError, PPDPError
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report import scorecard
from ppdp_lab.lab.run import parameters
from ppdp_lab.lab.run.record import Run
from ppdp_lab.lab.runner import run


def reproduce(
    experiments: Sequence[Experiment],
    *,
    results: Path,
    scale: str,
    force: bool = False,
    say: Callable[[str], None] = print,
    workers: int | None = None,
) -> tuple[dict[str, Run], dict[str, str]]:
    """Run all experiments; return the finished runs, and what failed in words, by name.

    Experiments that are not exclusive run side by side, one process a core; the exclusive ones follow, one after the other.
    """
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
            futures = {e.name: pool.submit(_run_one, e, results, scale, force) for e in together}
            for name, future in futures.items():
                try:
                    note(name, future.result())
                except BrokenProcessPool:
                    note(name, "its process was killed, perhaps for lack of memory")
        together = []
    for experiment in [*together, *(e for e in experiments if e.exclusive)]:
        note(experiment.name, _run_one(experiment, results, scale, force, say))
    return runs, failures


def _say(line: str) -> None:
    print(line, flush=True)


def _run_one(
    experiment: Experiment, results: Path, scale: str, force: bool, say: Callable[[str], None] | None = None
) -> Run | str:
    try:
        return run(experiment, results=results, scale=scale, force=force, say=say or _say, bar=None if say else False)
    except (PPDPError, OSError) as error:
        return str(error)


def sweep(
    experiment: Experiment,
    values: Mapping[str, Sequence[Any]],
    *,
    results: Path,
    scale: str = "quick",
    force: bool = False,
    say: Callable[[str], None] = print,
) -> tuple[pd.DataFrame, Path]:
    """Run an experiment at every combination of values; return all results in one table, and the file that holds it.

    The swept parameters stand before the results' own columns; one that the results have already keeps its name, and the
    parameter's is prefixed with ``swept_``.
    """
    combinations = [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]
    known = parameters.defined(experiment.notebook)
    for given in combinations:  # all of them before the first one runs
        parameters.check(given, known, experiment.notebook.name)
    frames, hashes = [], []
    for given in combinations:
        done = run(experiment, results=results, scale=scale, given=given, force=force, say=say)
        frame = done.results.reset_index(drop=True)
        swept = {f"swept_{k}" if k in frame.columns else k: _cell(v) for k, v in given.items()}
        frames.append(pd.DataFrame({k: [v] * len(frame) for k, v in swept.items()}).join(frame))
        hashes.append(done.folder.name)
    table = pd.concat(frames, ignore_index=True)
    name = hashlib.sha256(json.dumps(hashes).encode()).hexdigest()[:16]
    path = results / experiment.name / f"sweep-{name}.parquet"
    table.to_parquet(path, index=False)
    return table, path


def _cell(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, bool, type(None))) else json.dumps(value)


def gallery(scored: Iterable[scorecard.Scored], folder: Path, results: Path) -> Path:
    """Copy the figures of finished runs into a folder, one subfolder an experiment, with ``SCORECARD.md`` beside them.

    Files that no report writes stay as they are. A folder that shares files with ``results`` is refused: the runs are there.
    """
    scored = list(scored)
    content = scorecard.markdown(scored, figures=True)
    copies: dict[Path, Path] = {}
    for entry in scored:
        if entry.run is not None:
            target = folder / entry.experiment.name
            copies |= {target / drawn.name: drawn for drawn in entry.run.figures}
    runs = results.resolve()
    for place in [folder, *(target.parent for target in copies)]:
        there = place.resolve()
        if there.is_relative_to(runs) or runs.is_relative_to(there):
            raise ParameterError(
                f"{str(place)!r} is, holds or lies in the results folder {str(results)!r}; choose another one for the report"
            )
    folder.mkdir(parents=True, exist_ok=True)
    for target, drawn in copies.items():
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(drawn, target)
    path = folder / "SCORECARD.md"
    path.write_text(content, encoding="utf-8")
    return path
