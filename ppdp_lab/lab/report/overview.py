"""An experiment at a glance: its parameters and scales, its figures and where they are, its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.experiment.functions import FunctionError, function_of
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report.figures import fill, fill_before_run, words_of
from ppdp_lab.lab.report.text import label_of, table
from ppdp_lab.lab.run.record import FIGURES, Run

RUN_AT = "quick"  # the scale at which experiments run unless another is given


def overview(experiment: Experiment, known: Mapping[str, Any], run: Run | None, *, claims: bool = True) -> str:
    """Everything about an experiment on a page; ``known`` are its notebook's parameters, ``run`` its newest run."""
    head = [f"{experiment.name}: {experiment.title}"]
    head += [f"paper: {experiment.paper}"] if experiment.paper else []
    head += [f"notebook: {experiment.notebook}", f"file: {experiment.path.resolve()}"]
    head += ["runs alone, since it measures time"] if experiment.exclusive else []
    blocks = ["\n".join(head), _parameters(experiment, known), _figures(experiment, known, run)]
    if experiment.claims:
        several = f"{len(experiment.claims)} claim{'s' * (len(experiment.claims) > 1)}"
        blocks.append(_claims(experiment, run) if claims else f"{several}: ppdp-lab show {experiment.name} --claims")
    return "\n\n".join(block for block in blocks if block)


def places(runs: Iterable[tuple[Experiment, Run]]) -> str:
    """Where the figures of runs are, a line for each experiment."""
    rows = [
        (experiment.name, str(len(experiment.figures)), str(run.folder / FIGURES))
        for experiment, run in runs
        if experiment.figures
    ]
    return table(("experiment", "figures", "where they are (PNG and SVG)"), rows) if rows else "There are no figures."


def _parameters(experiment: Experiment, known: Mapping[str, Any]) -> str:
    at_scales = [_at_scale(experiment, known, scale) for scale in experiment.scales]
    rows = [
        (name, repr(default), *("" if said.get(name, default) == default else repr(said[name]) for said in at_scales))
        for name, default in known.items()
    ]
    header = ("parameter", "default", *(f"at {scale}" for scale in experiment.scales))
    words = "Change one with -p name=value. What is None follows the scale, and is fitted to the data."
    return f"{table(header, rows, widths=(None, *[34] * (len(header) - 1)))}\n{words}"


def _at_scale(experiment: Experiment, known: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """What a scale sets, itself or by the sizes that it stands for."""
    said = experiment.scales[scale]
    return _sizes(experiment, {**known, **said}) | said


def _sizes(experiment: Experiment, said: Mapping[str, Any]) -> dict[str, Any]:
    """What the parameters that are None stand for: ``sizes(scale)`` beside the experiment's plan says it, if it is there."""
    try:
        sizes = function_of(f"{experiment.plan.rpartition(':')[0]}:sizes", experiment, "sizes")
    except (FunctionError, DataFileError):
        return {}
    return {name: value for name, value in vars(sizes(said["scale"])).items() if said.get(name) is None}


def _figures(experiment: Experiment, known: Mapping[str, Any], run: Run | None) -> str:
    scale = next((name for name in (RUN_AT, *experiment.scales) if name in experiment.scales), None)
    if run is not None:
        words = words_of(run)
        captions = [fill(figure.caption, words) for figure in experiment.figures]
    else:
        values = {**known, **(_at_scale(experiment, known, scale) if scale else {})}
        captions = [fill_before_run(figure.caption, values) for figure in experiment.figures]
    rows = [(f.name, f.source, caption) for f, caption in zip(experiment.figures, captions)]
    if not rows:
        return ""
    shown = table(("figure", "redraws", "caption"), rows, widths=(None, 14, 76))
    if run is None:
        at = (
            f"Captions show the values at scale {scale}.\n"
            if captions != [f.caption for f in experiment.figures]
            else ""
        )
        return f"{shown}\n{at}not drawn yet; use: ppdp-lab run {experiment.name}"
    notes = run.environment
    label = label_of(notes["scale"], notes["given"])
    return f"{shown}\nof the newest run ({label}): {run.folder / FIGURES}"


def _claims(experiment: Experiment, run: Run | None) -> str:
    verdicts = {} if run is None else {verdict.id: verdict.verdict for verdict in run.verdicts}
    rows = [(c.id, c.text, c.source, ", ".join(c.scales), verdicts.get(c.id, "")) for c in experiment.claims]
    return table(
        ("claim", "what the paper says", "source", "tested at", "newest run"), rows, widths=(None, 60, 14, 14, 16)
    )
