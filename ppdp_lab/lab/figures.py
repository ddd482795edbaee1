"""Drawing an experiment's figures from a run's results, without running it again, and filling their captions.

A caption says what a run was made with: its parameters, the sizes that it chose, and the columns of its data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from matplotlib.figure import Figure

from ppdp_lab import datasets, plotting
from ppdp_lab.datasets import is_own
from ppdp_lab.datasets.loading import data_name
from ppdp_lab.errors import PPDPError, listed
from ppdp_lab.lab import runs
from ppdp_lab.lab.catalogue import FunctionError, function_of
from ppdp_lab.lab.experiment import Experiment, FigureEntry, short_name
from ppdp_lab.lab.judge import judge_all
from ppdp_lab.lab.kernel import NotebookError
from ppdp_lab.lab.runs import ENVIRONMENT, FIGURES, VERDICTS, Run, write_json
from ppdp_lab.text import OF_THE_DATA, label_of, number


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
                figure = draw(runs.as_given(results))
            if not isinstance(figure, Figure):
                raise TypeError(f"{entry.draw} returned {type(figure).__name__}, not a matplotlib Figure")
            said = made | ({"provenance": fill(entry.data, words)} if entry.data else {})
            plotting.caption(figure, fill(entry.caption, words), **said)
            plotting.save(figure, folder / entry.name)
        except Exception as error:  # the drawing function is anybody's code
            raise DrawingError(
                f"figure {entry.name!r} cannot be drawn by {entry.draw}: {type(error).__name__}: {error}"
            ) from error


# ---------------------------------------------------------------------- captions
def words_of(run: Run) -> dict[str, str]:
    """What the placeholders of a caption stand for."""
    notes, handed = run.environment, run.handed_over
    values: dict[str, Any] = {**notes.get("parameters", {}), **handed.get("chosen", {})}
    for key in OF_THE_DATA:
        found = dict.fromkeys(name for data in handed["data"] for name in data.get(key, []))
        values[key] = " or ".join(found) if key == "sensitive" else list(found)
    return _all_in_words(values)


def fill_before_run(text: str, values: Mapping[str, Any]) -> str:
    """A caption before anything was run: filled with ``values``, and readable without what only the data tells.

    >>> fill_before_run("Boxes over two attributes ({drawn}), k = {k}; people whose {sensitive} is certain.", {"k": 5})
    'Boxes over two attributes, k = 5; people whose sensitive value is certain.'
    """
    words = {"sensitive": "sensitive value"} | _all_in_words({k: v for k, v in values.items() if v is not None})
    text = re.sub(r" \(\{(\w+)\}\)", lambda found: found[0] if found[1] in words else "", text)
    named = {name: name.replace("_", " ") for name in re.findall(r"\{(\w+)\}", text)}
    return fill(text, named | words)


def _all_in_words(values: Mapping[str, Any]) -> dict[str, str]:
    values = dict(values)
    for key in ("dataset", "datasets"):
        if values.get(key) is not None:
            several = values[key] if isinstance(values[key], list) else [values[key]]
            values[key] = [data_name(called(name)) for name in several]
    return {name: _words(value) for name, value in values.items()}


def origin(run: Run) -> str:
    """Which data a run used, by name, and where they come from; where from alone if the notebook made others of them."""
    data, said = run.environment["data"], [used["provenance"] for used in run.handed_over["data"]]
    runs = [(one["name"], one["provenance"]) for one in data]
    if said and set(said) != {provenance for _, provenance in runs}:
        # Of an own table more may be known once it was read, such as rows that were left out; it is the same table still.
        if len(said) != len(runs) or not any(datasets.is_own(name) for name, _ in runs):
            return ", ".join(dict.fromkeys(said))
        runs = [(name, found) for (name, _), found in zip(runs, said)]
    named: dict[str, list[str]] = {}
    for name, provenance in runs:
        named.setdefault(provenance, []).append(data_name(called(name)))
    return ", ".join(f"{', '.join(names)} ({provenance})" for provenance, names in named.items())


def fill(text: str, words: Mapping[str, str]) -> str:
    """A caption with its placeholders filled; what was done once is not said to be several.

    >>> fill("Fewer than e = {e} people, mean of {repetitions} repetitions.", {"e": "5", "repetitions": "1"})
    'Fewer than e = 5 people, mean of 1 repetition.'
    """
    return re.sub(r"(?<= )1 (repetition|seed|run)s\b", r"1 \1", text.format_map(words))


def called(name: str) -> str:
    """What a data set is called, also if its file is gone by the time that figures are drawn again."""
    try:
        return datasets.called(name)
    except (OSError, ValueError):
        return name.rpartition("/")[2].removesuffix(".toml")


def _words(value: Any) -> str:
    """
    >>> _words([2, 5, 8]), _words(0.3), _words(20000), _words(None)
    ('2, 5, 8', '0.3', '20,000', 'not said')
    """
    if isinstance(value, (list, tuple)):
        words = [_words(one) for one in value]
        return ", ".join(words[:30]) + (f" and {len(words) - 30} more" if len(words) > 30 else "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return "not said" if value is None else str(value)


# --------------------------------------------------------------------
# Presenting a run: its figures are drawn and its claims judged from the results that are there.


def present(experiment: Experiment, run: Run) -> None:
    """Draw the figures and judge the claims of a run from its results."""
    notes, handed = run.environment, run.handed_over
    ours, theirs = [figure.name for figure in experiment.figures], handed["figures"]
    if sorted(ours) != sorted(theirs):
        raise NotebookError(
            f"{experiment.notebook.name} finishes with figures {listed(theirs) or 'none'}, but "
            f"{short_name(experiment.path)} names {listed(ours) or 'none'}; make them agree"
        )
    provenance = ", ".join(dict.fromkeys(_origins(notes["data"], handed["data"])))
    write_json(run.folder / ENVIRONMENT, notes | {"provenance": provenance, "data_used": handed["data"]})
    label = label_of(notes["scale"], notes["given"])
    draw_all(experiment, run, {"provenance": origin(run), "scale": label, "seed": notes["seed"]})
    verdicts = judge_all(experiment, run.results, notes["scale"], strict=not notes["given"])
    write_json(run.folder / VERDICTS, [asdict(verdict) for verdict in verdicts])


def _origins(named: Sequence[Mapping[str, Any]], used: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where each table comes from; an own one is called by its title, since "own data" alone could be anybody's."""
    said = [data["provenance"] for data in used or named]
    if len(said) != len(named):  # which of them are which is not known
        return said
    names = [data["name"] for data in named]
    return [f"{called(name)}, {origin}" if is_own(name) else origin for name, origin in zip(names, said)]
