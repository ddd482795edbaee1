"""Drawing an experiment's figures from a run's results, without running it again."""

from __future__ import annotations

import importlib
import runpy
from collections.abc import Callable
from typing import Any, cast

from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.errors import DataFileError, PPDPError, unknown
from ppdp_lab.lab.experiment.model import Experiment, FigureEntry
from ppdp_lab.lab.run import tables
from ppdp_lab.lab.run.record import FIGURES, Run


class DrawingError(PPDPError, RuntimeError):
    """A figure could not be drawn from the results."""


def drawing(figure: FigureEntry, experiment: Experiment) -> Callable[[Any], Any]:
    """The function that draws a figure: from a module, or from a file beside the experiment's."""
    module, _, function = figure.draw.rpartition(":")
    path = experiment.path.parent / module
    if module.endswith(".py") and not path.is_file():
        raise DataFileError(f"figure {figure.name!r}: no file {str(path)!r}")
    try:
        found = runpy.run_path(str(path)) if module.endswith(".py") else vars(importlib.import_module(module))
    except Exception as error:  # importing runs anybody's code
        what = f"{type(error).__name__}: {error}"
        raise DrawingError(f"figure {figure.name!r}: cannot import {module}: {what}") from None
    draw: Any = found.get(function)
    if not callable(draw):
        known = [name for name, value in found.items() if callable(value) and not name.startswith("_")]
        raise DrawingError(f"figure {figure.name!r}: {unknown(f'function of {module}:', function, known)}")
    return cast("Callable[[Any], Any]", draw)


def draw_all(experiment: Experiment, run: Run, made: dict[str, Any]) -> None:
    """Draw every figure of an experiment from a run's results; ``made`` is what the captions say (provenance, ...)."""
    results, folder = run.results, run.folder / FIGURES
    folder.mkdir(exist_ok=True)
    for entry in experiment.figures:
        draw = drawing(entry, experiment)
        try:
            with plotting.look():
                figure = draw(tables.as_given(results))
            if not isinstance(figure, Figure):
                raise TypeError(f"{entry.draw} returned {type(figure).__name__}, not a matplotlib Figure")
            plotting.caption(figure, entry.caption, **made | ({"provenance": entry.data} if entry.data else {}))
            plotting.save(figure, folder / entry.name)
        except Exception as error:  # the drawing function is anybody's code
            raise DrawingError(
                f"figure {entry.name!r} cannot be drawn by {entry.draw}: {type(error).__name__}: {error}"
            ) from error
