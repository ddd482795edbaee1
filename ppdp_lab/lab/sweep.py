"""Running one experiment at many parameters."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.run import parameters
from ppdp_lab.lab.runner import run
from ppdp_lab.table.files import write_whole


def sweep(
    experiment: Experiment,
    values: Mapping[str, Sequence[Any]],
    *,
    results: Path,
    scale: str = "quick",
    force: bool = False,
    say: Callable[[str], None] = print,
) -> tuple[dict[str, pd.DataFrame], Path]:
    """Run an experiment at every combination of values; return the result tables of all runs by name, and their folder.

    The swept parameters stand before the results' own columns; one that the results have already keeps its name, and the
    parameter's is prefixed with ``swept_``.
    """
    combinations = [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]
    known = parameters.defined(experiment.notebook)
    for given in combinations:  # all of them before the first one runs
        parameters.check(given, known, experiment.notebook.name)
    frames: dict[str, list[pd.DataFrame]] = {}
    hashes = []
    for given in combinations:
        done = run(experiment, results=results, scale=scale, given=given, force=force, say=say)
        hashes.append(done.folder.name)
        for name, frame in done.results.items():
            swept = {f"swept_{k}" if k in frame.columns else k: [_cell(v)] * len(frame) for k, v in given.items()}
            frames.setdefault(name, []).append(pd.DataFrame(swept).join(frame))
    tables = {name: pd.concat(several, ignore_index=True) for name, several in frames.items()}
    # Named by the runs that it consists of: the same sweep has the same folder, and a changed one does not overwrite it.
    folder = results / experiment.name / f"sweep-{hashlib.sha256(json.dumps(hashes).encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        write_whole(folder / f"{name}.parquet", partial(table.to_parquet, index=False))
    return tables, folder


def _cell(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, bool, type(None))) else json.dumps(value)
