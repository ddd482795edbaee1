"""Finished runs: what their files hold, and in words what is wrong with one that cannot be read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.report.figures import FIGURES
from ppdp_lab.lab.report.judging.verdicts import ClaimVerdict
from ppdp_lab.lab.run import folders
from ppdp_lab.lab.run.handover import HANDED_OVER, RESULTS

NOTEBOOK, VERDICTS, ENVIRONMENT = "notebook.ipynb", "verdicts.json", "environment.json"


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, and whether it had to be executed. What its files should not hold is refused in words."""

    folder: Path
    executed: bool

    @property
    def environment(self) -> dict[str, Any]:
        """What is written down about the run."""
        with _reading(self.folder, ENVIRONMENT) as path:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            _need(isinstance(content["scale"], str) and isinstance(content["given"], dict), "scale and given")
            _need_data(content["data"])
            return {"seed": None, **content}

    @property
    def results(self) -> pd.DataFrame:
        """Its tidy results."""
        with _reading(self.folder, RESULTS) as path:
            return pd.read_parquet(path)

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """Its verdicts."""
        with _reading(self.folder, VERDICTS) as path:
            verdicts = [ClaimVerdict(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
            for v in verdicts:
                words = (v.id, v.text, v.source, v.kind, v.paper, v.measured, v.verdict, v.reason)
                _need(all(isinstance(word, str) for word in words), "verdicts in words")
            return verdicts

    @property
    def handed_over(self) -> dict[str, Any]:
        """What its notebook finished with: names of figures, and the data it used."""
        with _reading(self.folder, HANDED_OVER) as path:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            names = content["figures"]
            _need(isinstance(names, list) and all(isinstance(name, str) for name in names), "names of figures")
            _need_data(content["data"])
            return content

    @property
    def figures(self) -> list[Path]:
        """The files of its figures."""
        with _reading(self.folder, FIGURES) as path:
            return sorted(file for file in path.iterdir() if file.suffix in (".png", ".svg"))


def latest(experiment: str, results: Path, scale: str | None = None) -> Run | None:
    """The newest finished run of an experiment, with unchanged parameters if a scale is asked for."""
    for folder in folders.finished_runs(results / experiment):
        found = Run(folder, executed=False)
        if scale is None:
            return found
        notes = found.environment
        if notes["scale"] == scale and not notes["given"]:
            return found
    return None


def finished_scales(experiment: str, results: Path) -> tuple[set[str], list[str]]:
    """Scales that an experiment was run at with unchanged parameters; and in words, runs that cannot be read."""
    scales, broken = set(), []
    for folder in folders.finished_runs(results / experiment):
        try:
            notes = Run(folder, executed=False).environment
        except DataFileError as error:
            broken.append(str(error))
        else:
            scales |= set() if notes["given"] else {notes["scale"]}
    return scales, broken


@contextlib.contextmanager
def _reading(folder: Path, name: str) -> Iterator[Path]:
    """Reading a file of a run: if it does not hold what a run writes, say which and what to do."""
    try:
        yield folder / name
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise DataFileError(
            f"the run in {folder} cannot be read: {name} is broken ({what}); delete that folder and run again"
        ) from None


def _need(there: bool, what: str) -> None:
    if not there:
        raise ValueError(f"it lacks {what}")


def _need_data(data: Any) -> None:
    _need(isinstance(data, list) and all(isinstance(d["provenance"], str) for d in data), "the data's provenance")
