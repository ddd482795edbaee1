"""The record of a finished run: what its files hold, and what is wrong with a file that cannot be read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.experiment.claims import ClaimVerdict
from ppdp_lab.lab.run import folders, tables
from ppdp_lab.lab.run.handover import HANDED_OVER

NOTEBOOK, VERDICTS, ENVIRONMENT, FIGURES = "notebook.ipynb", "verdicts.json", "environment.json", "figures"


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, and whether it had to be executed. A file that does not hold what a run writes is refused."""

    folder: Path
    executed: bool

    @property
    def environment(self) -> dict[str, Any]:
        """What is written down about the run."""
        with self._reading(ENVIRONMENT) as content:
            _need(isinstance(content["scale"], str) and isinstance(content["given"], dict), "scale and given")
            _need_data(content["data"])
            return {"seed": None, **content}

    @property
    def results(self) -> dict[str, pd.DataFrame]:
        """Its result tables, by name."""
        found = {}
        for name in self.handed_over["tables"]:
            with self._reading(tables.file(name)) as path:
                found[name] = pd.read_parquet(path)
        return found

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """Its verdicts."""
        with self._reading(VERDICTS) as content:
            return TypeAdapter(list[ClaimVerdict]).validate_python(content)

    @property
    def handed_over(self) -> dict[str, Any]:
        """What its notebook finished with: names of tables and figures, and the data it used."""
        with self._reading(HANDED_OVER) as content:
            for what in ("tables", "figures"):
                _need(isinstance(content[what], list) and _texts(content[what]), f"names of {what}")
            _need_data(content["data"])
            handed: dict[str, Any] = content
            return handed

    @property
    def figures(self) -> list[Path]:
        """The files of its figures."""
        with self._reading(FIGURES) as path:
            return sorted(file for file in path.iterdir() if file.suffix in (".png", ".svg"))

    @contextlib.contextmanager
    def _reading(self, name: str) -> Iterator[Any]:
        """A file's path, or its content if it is JSON; if it does not hold what a run writes, say which and what to do."""
        try:
            path = self.folder / name
            yield json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else path
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            raise DataFileError(
                f"the run in {self.folder} cannot be read: {name} is broken ({what}); delete that folder and run again"
            ) from None


def latest(experiment: str, results: Path, scale: str | None = None) -> Run | None:
    """The newest finished run of an experiment, with unchanged parameters if a scale is asked for."""
    runs = (Run(folder, executed=False) for folder in folders.finished_runs(results / experiment))
    return next((found for found in runs if scale is None or _unchanged_scale(found) == scale), None)


def by_data(experiment: str, results: Path, scale: str) -> tuple[Run | None, Run | None]:
    """The newest run at a scale, and the newest on real rows if the same experiment was also run on stand-ins.

    Runs differ in how many of their data sets are stand-ins; where they do, the first is one with the most of them and
    the second one with the fewest. Otherwise there is no second.
    """
    newest: dict[int, Run] = {}
    for folder in folders.finished_runs(results / experiment):
        found = Run(folder, executed=False)
        if _unchanged_scale(found) == scale:
            notes = found.environment
            stand_ins = sum("stand-in" in d["provenance"] for d in notes.get("data_used") or notes["data"])
            newest.setdefault(stand_ins, found)
    if not newest:
        return None, None
    most, fewest = max(newest), min(newest)
    return newest[most], newest[fewest] if fewest < most else None


def finished_scales(experiment: str, results: Path) -> tuple[set[str], int, list[str]]:
    """Scales of runs with unchanged parameters, how many runs have changed ones, and which cannot be read, and why."""
    scales: list[str | None] = []
    broken = [
        f"the run in {folder} is of an older layout, without {tables.FOLDER}/; delete that folder and run again"
        for folder in folders.outdated_runs(results / experiment)
    ]
    for folder in folders.finished_runs(results / experiment):
        try:
            scales.append(_unchanged_scale(Run(folder, executed=False)))
        except DataFileError as error:
            broken.append(str(error))
    return {scale for scale in scales if scale is not None}, scales.count(None), broken


def _unchanged_scale(run: Run) -> str | None:
    notes = run.environment
    return None if notes["given"] else notes["scale"]


def _texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _need(there: bool, what: str) -> None:
    if not there:
        raise ValueError(f"it lacks {what}")


def _need_data(data: Any) -> None:
    _need(isinstance(data, list) and _texts(d["provenance"] for d in data), "the data's provenance")
