"""Drawing an experiment's figures from a run's results, without running it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.errors import PPDPError
from ppdp_lab.lab.experiment.functions import FunctionError, function_of
from ppdp_lab.lab.experiment.model import Experiment, FigureEntry
from ppdp_lab.lab.report.captions import fill, words_of
from ppdp_lab.lab.run import tables
from ppdp_lab.lab.run.record import FIGURES, Run


class DrawingError(PPDPError, RuntimeError):
    """A figure could not be drawn from the results."""


def drawing(figure: FigureEntry, experiment: Experiment) -> Callable[[Any], Any]:
    """The function that draws a figure: from a module, or from a file beside the experiment's."""
    try:
        return function_of(figure.draw, experiment, f"figure {figure.name!r}")
    except FunctionError as error:
        raise DrawingError(str(error)) from None


def draw_all(experiment: Experiment, run: Run, made: dict[str, Any]) -> None:
    """Draw every figure of an experiment from a run's results; ``made`` is what the captions say (provenance, ...)."""
    results, folder, words = run.results, run.folder / FIGURES, words_of(run)
    folder.mkdir(exist_ok=True)
    for entry in experiment.figures:
        draw = drawing(entry, experiment)
        try:
            with plotting.look():
                figure = draw(tables.as_given(results))
            if not isinstance(figure, Figure):
                raise TypeError(f"{entry.draw} returned {type(figure).__name__}, not a matplotlib Figure")
            said = made | ({"provenance": fill(entry.data, words)} if entry.data else {})
            plotting.caption(figure, fill(entry.caption, words), **said)
            plotting.save(figure, folder / entry.name)
        except Exception as error:  # the drawing function is anybody's code
            raise DrawingError(
                f"figure {entry.name!r} cannot be drawn by {entry.draw}: {type(error).__name__}: {error}"
            ) from error
