"""Running all experiments."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

from ppdp_lab.anonymize.lattice.check import CORES
from ppdp_lab.errors import PPDPError
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.run.kernel import require
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
