"""Presenting a run: its figures are drawn and its claims judged from the results that are there."""

from __future__ import annotations

from dataclasses import asdict

from ppdp_lab.errors import listed
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report.figures import draw_all, origin
from ppdp_lab.lab.report.judging.verdicts import judge_all
from ppdp_lab.lab.report.text import label_of
from ppdp_lab.lab.run.folders import write_json
from ppdp_lab.lab.run.kernel import NotebookError
from ppdp_lab.lab.run.record import ENVIRONMENT, VERDICTS, Run


def present(experiment: Experiment, run: Run) -> None:
    """Draw the figures and judge the claims of a run from its results."""
    notes, handed = run.environment, run.handed_over
    ours, theirs = [figure.name for figure in experiment.figures], handed["figures"]
    if sorted(ours) != sorted(theirs):
        raise NotebookError(
            f"{experiment.notebook.name} finishes with figures {listed(theirs) or 'none'}, but {experiment.path.name} names "
            f"{listed(ours) or 'none'}; make them agree"
        )
    provenance = ", ".join(dict.fromkeys(d["provenance"] for d in handed["data"] or notes["data"]))
    write_json(run.folder / ENVIRONMENT, notes | {"provenance": provenance, "data_used": handed["data"]})
    label = label_of(notes["scale"], notes["given"])
    draw_all(experiment, run, {"provenance": origin(run), "scale": label, "seed": notes["seed"]})
    verdicts = judge_all(experiment, run.results, notes["scale"], strict=not notes["given"])
    write_json(run.folder / VERDICTS, [asdict(verdict) for verdict in verdicts])
