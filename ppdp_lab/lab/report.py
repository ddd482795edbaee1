"""An experiment at a glance: its parameters and scales, its figures and where they are, its claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ppdp_lab import pages
from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.io import atomic_write
from ppdp_lab.lab import scorecard
from ppdp_lab.lab.experiment import FAILS, HOLDS, Experiment
from ppdp_lab.lab.figures import fill, fill_before_run, words_of
from ppdp_lab.lab.runs import FIGURES, Run
from ppdp_lab.text import label_of, seconds, table

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
    rows = [
        (name, repr(default), *(_differs(sizes.get(name, default), default) for sizes in _at_scales(experiment, known)))
        for name, default in known.items()
    ]
    header = ("parameter", "default", *(f"at {scale}" for scale in experiment.scales))
    words = "Change one with -p name=value. None means the scale's value, reduced to fit your data."
    return f"{table(header, rows, widths=(None, *[34] * (len(header) - 1)))}\n{words}"


def _at_scales(experiment: Experiment, known: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [sizes | ({"scale": scale} if "scale" in known else {}) for scale, sizes in experiment.scales.items()]


def _differs(value: Any, default: Any) -> str:
    return "" if value == default else repr(value)


def _figures(experiment: Experiment, known: Mapping[str, Any], run: Run | None) -> str:
    scale = next((name for name in (RUN_AT, *experiment.scales) if name in experiment.scales), None)
    if run is not None:
        words = words_of(run)
        captions = [fill(figure.caption, words) for figure in experiment.figures]
    else:
        values = {**known, **(experiment.scales[scale] | {"scale": scale} if scale else {})}
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


# --------------------------------------------------------------------
# The gallery: figures and scorecard of finished runs, copied into a folder.


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
        atomic_write(target, drawn.read_bytes())
    path = folder / "SCORECARD.md"
    return atomic_write(path, content)


# --------------------------------------------------------------------
# One self-contained page of finished runs: verdicts with reasons, figures, parameters, environment.


SUFFIXES = (".html", ".htm")
ON_SCREEN = 0.7  # figures are saved with more points than a page needs
MARKS = {HOLDS: "good", FAILS: "bad"}


def write_page(scored: Sequence[scorecard.Scored], target: Path) -> Path:
    """Write the page of these runs; a file that is no report of ours stays as it is."""
    check_target(target)
    return atomic_write(target, page_of(scored))


def check_target(target: Path) -> None:
    """Refuse a place where no page belongs, before anything is collected."""
    if target.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"a page is an HTML file, and {str(target)!r} does not end in .html; name it so")
    if target.is_dir():
        raise ParameterError(f"{str(target)!r} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise DataFileError(f"{str(target)!r}: there is no folder {str(target.parent)!r}; make it first")
    if target.exists() and not pages.is_report(target.read_bytes()):
        raise ParameterError(
            f"{str(target)!r} is there already and no report wrote it; choose another name or remove it"
        )


def page_of(scored: Sequence[scorecard.Scored]) -> str:
    """The page as text."""
    done = [entry for entry in scored if entry.columns]
    one = len(scored) == 1
    title = scored[0].experiment.title if one else "Experiments of ppdp_lab"
    names = [entry.experiment.name for entry in done]
    # An experiment may be there twice, on different data: each run has its own place on the page.
    places = [name if names.count(name) == 1 else f"{name}-{i}" for i, name in enumerate(names, start=1)]
    links = pages.listing(pages.element("a", e.heading, href=f"#{place}") for e, place in zip(done, places))
    head = [pages.paragraph(scorecard.summary(scored)), "" if one else links]
    return pages.page(title, *head, *map(_experiment_section, done, places))


def _experiment_section(entry: scorecard.Scored, place: str) -> pages.Html:
    parts: list[object] = []
    if entry.rows:
        parts.append(pages.table(entry.header, [[_marked(cell) for cell in row] for row in entry.rows], longest=None))
    if entry.reasons:
        parts.append(pages.section("Why", pages.element("ul", *map(_item, entry.reasons)), level=3))
    for name, run in entry.columns.items():
        about = f" ({name})" if name else ""
        parts += [pages.section(f"Figures{about}", *_figure_items(entry, run), level=3), *_made_with(run, about)]
    heading = pages.element("h2", entry.heading, id=place)
    return pages.element("section", heading, *parts)


def _item(reason: str) -> pages.Html:
    return pages.element("li", reason.replace("`", ""))


def _marked(cell: str) -> object:
    return pages.element("span", cell, class_=MARKS[cell]) if cell in MARKS else cell


def _figure_items(entry: scorecard.Scored, run: Run) -> Iterator[pages.Html]:
    """Pictures, each with its caption on it, in the order of the experiment file."""
    drawn, words = {path.stem: path for path in run.figures if path.suffix == ".png"}, words_of(run)
    for figure in entry.experiment.figures:
        if figure.name in drawn:
            source = f" ({figure.source})" if figure.source else ""
            content = drawn[figure.name].read_bytes()
            width = round(int.from_bytes(content[16:20], "big") * ON_SCREEN)  # where a PNG says how wide it is
            yield pages.picture(content, f"{figure.name}{source}", alt=fill(figure.caption, words), width=width)


def _made_with(run: Run, about: str) -> list[pages.Html]:
    notes = run.environment
    took = notes.get("seconds")
    made = {"run": run.folder.name, "started": notes.get("started"), "took": None if took is None else seconds(took)}
    machine = made | _flat(notes.get("machine") or {})
    return [
        pages.folded(f"Parameters{about}", pages.pairs(_flat(notes.get("parameters") or {}))),
        pages.folded(f"Environment{about}", pages.pairs({key: v for key, v in machine.items() if v is not None})),
    ]


def _flat(values: Mapping[str, Any]) -> dict[str, object]:
    """Names and values for a reader: lists between commas, what stands within something by its own name."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value)
        else:
            flat[name] = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
    return flat
