"""Points that are notebooks: an experiment, run by papermill at every point, kept among its other runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.experiment.ranges import check_all
from ppdp_lab.lab.run import parameters
from ppdp_lab.lab.run.identity import data_names, digest, notebook_hash
from ppdp_lab.lab.runner import check as check_experiment
from ppdp_lab.lab.runner import run
from ppdp_lab.lab.sweeping.functions.base import Swept
from ppdp_lab.lab.sweeping.grid import Point, combinations


@dataclass(frozen=True)
class RunNotebook:
    """Runs an experiment at a point, or finds the run; gives its result tables."""

    experiment: Experiment
    results: Path
    scale: str
    force: bool

    def __call__(self, **given: Any) -> dict[str, pd.DataFrame]:
        done = run(
            self.experiment,
            results=self.results,
            scale=self.scale,
            given=given,
            force=self.force,
            say=lambda line: None,
            bar=False,
        )
        return done.results


class Notebook(Swept):
    """An experiment at a scale."""

    def __init__(self, experiment: Experiment, results: Path, scale: str, *, force: bool = False) -> None:
        self.experiment, self.name = experiment, experiment.name
        self.call = RunNotebook(experiment, results, scale, force)
        self.known = check_experiment(experiment)
        # Paths of own data are meant from the experiment's folder, and those of a grid from the working folder.
        self.chosen = parameters.absolute(experiment.parameters(scale), experiment.path.parent)
        self.version = digest([notebook_hash(experiment.notebook), scale, self.chosen])
        self.exclusive = experiment.exclusive
        said = [(*claim.x, *claim.by, claim.series) for claim in experiment.claims]
        self.counting = tuple(dict.fromkeys(name for names in said for name in names if name))

    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """As of Swept."""
        for point in combinations(values):
            parameters.check(point, self.known, self.experiment.notebook.name)
            check_all(self.experiment.ranges, point)

    def refine(self, point: Point) -> tuple[Point, list[str]]:
        """The point with absolute paths: workers may stand elsewhere."""
        return parameters.absolute(point, Path.cwd()), []

    def data(self, point: Point) -> list[str]:
        """What ``dataset`` and ``datasets`` name."""
        return data_names({**self.known, **self.chosen, **point})
