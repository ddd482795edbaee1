"""The gallery: every figure of every experiment, what it redraws, and how the claims about it were judged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby

from ppdp_lab.lab.experiment.claims import FAILS, HOLDS, Claim
from ppdp_lab.lab.experiment.model import Experiment, FigureEntry
from ppdp_lab.lab.report.judging.verdicts import paper_says
from ppdp_lab.lab.report.site.papers import PAPERS
from ppdp_lab.lab.report.site.scores import Card
from ppdp_lab.lab.report.text import markdown_table

CLAIM = ("claim", "source", "expected", "measured", "verdict")
NOT_JUDGED, NOT_DRAWN = "not judged yet", "Not drawn yet: no run is in the gallery."
_COLOURS = {HOLDS: "holds", FAILS: "fails"}


def picture(experiment: Experiment, figure: FigureEntry, card: Card | None, up: str) -> str:
    """A figure with its caption; a click opens the drawing that can be enlarged. ``up`` leads to the folder of ``figures/``."""
    words = caption(figure, card)
    image = _image(experiment, figure, words, up, f"{up}{_file(experiment, figure)}.svg")
    return f"{image}\n\n{words} {_said(experiment, figure)}".strip()


def caption(figure: FigureEntry, card: Card | None) -> str:
    """What stands under a figure: filled with what its run was made with, or as written if there is no run."""
    written = re.sub(r"\{(\w+)\}", r"*\1*", figure.caption)
    return card.captions.get(figure.name, written) if card else written


def drawn(experiment: Experiment, figure: FigureEntry) -> bool:
    """Whether the gallery has a figure; that of a new experiment comes with its first run at the paper's scale."""
    return experiment.path.parents[1].joinpath(f"{_file(experiment, figure)}.png").is_file()


def _file(experiment: Experiment, figure: FigureEntry) -> str:
    return f"figures/{experiment.name}/{figure.name}"


def _image(experiment: Experiment, figure: FigureEntry, words: str, up: str, leads_to: str) -> str:
    if not drawn(experiment, figure):
        return f"*{NOT_DRAWN}*"
    alt = re.sub(r"[\[\]\"]", "", words)
    return f"[![{alt}]({up}{_file(experiment, figure)}.png){{ loading=lazy }}]({leads_to})"


def index(experiments: Sequence[Experiment], cards: Mapping[str, Card]) -> str:
    """All figures as small pictures, experiment by experiment, with how many claims hold."""
    parts = []
    for experiment in experiments:
        card = cards.get(experiment.name)
        parts.append(f"## [{experiment.title}]({experiment.name}.md) {{ #{experiment.name} }}")
        parts.append(f"{_paper(experiment)}{card.summary(marked) if card else NOT_JUDGED}.")
        cells = []
        for figure in experiment.figures:
            words = caption(figure, card)
            image = _image(experiment, figure, words, "../", f"{experiment.name}.md#{figure.name}")
            cells.append(f"-   {image}\n\n    {words}{_tally(experiment, figure, card)}")
        parts.append('<div class="grid cards" markdown>\n\n' + "\n\n".join(cells) + "\n\n</div>")
    return "\n\n".join(parts)


def page(experiment: Experiment, card: Card | None, notebook: str) -> str:
    """One experiment: its figures in the order of the paper, each with the claims about it; ``notebook`` is its page."""
    parts = [
        f"# {experiment.title}",
        _paper(experiment, full=True) + f"Notebook: [{experiment.notebook.name}]({notebook}).",
        f"{card.summary(marked)}. Made at: {card.made}."
        if card
        else f"{NOT_JUDGED.capitalize()}: no run is in the scorecard.",
    ]
    left = list(experiment.claims)
    for source, figures in groupby(experiment.figures, lambda figure: figure.source or figure.name):
        for figure in figures:
            parts += [f"## {_title(figure)} {{ #{figure.name} }}", picture(experiment, figure, card, "../")]
        about = [claim for claim in left if _is_about(claim, source)]
        left = [claim for claim in left if claim not in about]
        parts += claims(about, card)
    if left:
        several = len(left) < len(experiment.claims)
        parts += ["## Further claims" if several else "## Claims", *claims(left, card)]
    return "\n\n".join(parts) + "\n"


def claims(about: Iterable[Claim], card: Card | None) -> list[str]:
    """A table of claims, and below it why some of them do not hold; nothing for no claims."""
    rows, reasons = [], []
    for claim in about:
        judged = card.claims.get(claim.text) if card else None
        outcomes = judged.outcomes if judged else {"": ("", NOT_JUDGED)}
        measured = [f"{column}: {value}" if column else value for column, (value, _) in outcomes.items()]
        verdicts = dict.fromkeys(verdict for _, verdict in outcomes.values())
        if len(verdicts) > 1:  # stand-in and real rows disagree
            verdict = "<br>".join(f"{column}: {marked(v)}" for column, (_, v) in outcomes.items())
        else:
            verdict = " ".join(map(marked, verdicts))
        rows.append((claim.text, claim.source, paper_says(claim), "<br>".join(measured), verdict))
        why = card.reasons.get(claim.id, []) if card else []
        reasons += [f"- *{claim.text}*{f' ({column})' if column else ''} {reason}" for column, reason in why]
    if not rows:
        return []
    columns = [i for i in range(len(CLAIM)) if any(row[i] for row in rows)]  # claims of no paper have no source
    table = markdown_table([CLAIM[i] for i in columns], [[row[i] for i in columns] for row in rows])
    return [table, *(["**Why some do not hold**\n\n" + "\n".join(reasons)] if reasons else [])]


def marked(words: str, verdict: str = "") -> str:
    """A verdict, or words about it, in its colour.

    >>> marked("holds"), marked("2 do not hold", "does not hold")
    ('<span class="verdict holds">holds</span>', '<span class="verdict fails">2 do not hold</span>')
    """
    return f'<span class="verdict {_COLOURS.get(verdict or words, "open")}">{escape(words)}</span>'


def _tally(experiment: Experiment, figure: FigureEntry, card: Card | None) -> str:
    """How many of the claims about a figure hold, on each kind of data; nothing where there is no claim about it."""
    about = [claim.text for claim in experiment.claims if figure.source and _is_about(claim, figure.source)]
    if not about:
        return ""
    found = {text: judged for text, judged in (card.claims if card else {}).items() if text in about}
    return f"<br>{Card('', '', claims=found).summary(marked)}"


def _is_about(claim: Claim, source: str) -> bool:
    """Whether a claim's source names a figure's: "Figure 4a" is about Figure 4, "Figure 40" is not."""
    return bool(re.search(rf"{re.escape(source)}(?!\d)", claim.source))


def _title(figure: FigureEntry) -> str:
    words = figure.name.replace("_", " ")
    return f"{figure.source}: {words}" if figure.source else words.capitalize()


def _said(experiment: Experiment, figure: FigureEntry) -> str:
    """Which figure of the paper it redraws, if the experiment has a paper, and what it is drawn from, if that is special."""
    redraws = (
        f"Redraws {figure.source} of the paper." if figure.source else "Not in the paper." if experiment.paper else ""
    )
    drawn = f"Drawn from: {figure.data}." if figure.data else ""
    return f"*{f'{redraws} {drawn}'.strip()}*" if redraws or drawn else ""


def _paper(experiment: Experiment, *, full: bool = False) -> str:
    paper = PAPERS.get(experiment.paper)
    if paper is None:
        return f"{experiment.paper}. " if experiment.paper else ""
    return f"{paper}. " if full else f"{paper.authors}, {paper.where}. "
