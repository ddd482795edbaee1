"""One self-contained page of finished runs: verdicts with reasons, figures, parameters, environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ppdp_lab import pages
from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.lab.experiment.claims import FAILS, HOLDS
from ppdp_lab.lab.report import scorecard
from ppdp_lab.lab.report.figures import fill, words_of
from ppdp_lab.lab.report.text import seconds
from ppdp_lab.lab.run.record import Run
from ppdp_lab.table.files import write_whole

SUFFIXES = (".html", ".htm")
ON_SCREEN = 0.7  # figures are saved with more points than a page needs
MARKS = {HOLDS: "good", FAILS: "bad"}


def write_page(scored: Sequence[scorecard.Scored], target: Path) -> Path:
    """Write the page of these runs; a file that is no report of ours stays as it is."""
    check_target(target)
    return write_whole(target, page_of(scored))


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
    return pages.page(title, *head, *map(_experiment, done, places))


def _experiment(entry: scorecard.Scored, place: str) -> pages.Html:
    parts: list[object] = []
    if entry.rows:
        parts.append(pages.table(entry.header, [[_marked(cell) for cell in row] for row in entry.rows], longest=None))
    if entry.reasons:
        parts.append(pages.section("Why", pages.element("ul", *map(_item, entry.reasons)), level=3))
    for name, run in entry.columns.items():
        about = f" ({name})" if name else ""
        parts += [pages.section(f"Figures{about}", *_figures(entry, run), level=3), *_made_with(run, about)]
    heading = pages.element("h2", entry.heading, id=place)
    return pages.element("section", heading, *parts)


def _item(reason: str) -> pages.Html:
    return pages.element("li", reason.replace("`", ""))


def _marked(cell: str) -> object:
    return pages.element("span", cell, class_=MARKS[cell]) if cell in MARKS else cell


def _figures(entry: scorecard.Scored, run: Run) -> Iterator[pages.Html]:
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
