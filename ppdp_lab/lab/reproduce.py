"""Running all experiments."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.errors import PPDPError
from ppdp_lab.lab.experiment.model import Experiment
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

    Experiments that are not exclusive run side by side, one process per core; the exclusive ones follow, one after the other.
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
