"""Drawing an experiment's figures from a run's results, without running it again."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

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
    module_name, _, function = figure.draw.rpartition(":")
    try:
        module: Any
        if module_name.endswith(".py"):
            path = experiment.path.parent / module_name
            if not path.is_file():
                raise DataFileError(f"figure {figure.name!r}: no file {str(path)!r}")
            spec = importlib.util.spec_from_file_location(f"_drawings_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(module_name)
    except PPDPError:
        raise
    except Exception as error:  # importing runs anybody's code
        what = f"{type(error).__name__}: {error}"
        raise DrawingError(f"figure {figure.name!r}: cannot import {module_name}: {what}") from None
    if not callable(getattr(module, function, None)):
        known = [name for name in dir(module) if not name.startswith("_") and callable(getattr(module, name))]
        raise DrawingError(f"figure {figure.name!r}: {unknown(f'function of {module_name}:', function, known)}")
    draw: Callable[[Any], Any] = getattr(module, function)
    return draw


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
            plotting.caption(figure, entry.caption, **made)
            plotting.save(figure, folder / entry.name)
        except Exception as error:  # the drawing function is anybody's code
            raise DrawingError(
                f"figure {entry.name!r} cannot be drawn by {entry.draw}: {type(error).__name__}: {error}"
            ) from error
