"""The gallery: figures and scorecard of finished runs, copied into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ppdp_lab.errors import ParameterError
from ppdp_lab.lab.report import scorecard
from ppdp_lab.table.files import write_whole


def gallery(scored: Sequence[scorecard.Scored], folder: Path, results: Path) -> Path:
    """Copy the figures of finished runs into a folder, one subfolder per experiment, with ``SCORECARD.md`` beside them.

    Files that no report writes stay as they are. A folder that shares files with ``results`` is refused: the runs are there.
    """
    content = scorecard.markdown(scored, figures=True)
    copies: dict[Path, Path] = {}
    for entry in scored:
        for run in list(entry.columns.values())[:1]:
            target = folder / entry.experiment.name
            copies |= {target / drawn.name: drawn for drawn in run.figures}
    # All of it before the first copy: a report that is refused leaves nothing behind.
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
        write_whole(target, drawn.read_bytes())
    path = folder / "SCORECARD.md"
    return write_whole(path, content)
