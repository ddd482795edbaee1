"""Notebooks as pages: text and code as they stand, and the committed figure where the notebook shows it.

Notebooks are committed without outputs, and a converter of notebooks would show none, or run them for hours. The gallery
holds what they draw.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from docs.builder.scores import PAPERS, Card
from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.experiment import FAILS, HOLDS, Claim, Experiment, FigureEntry
from ppdp_lab.lab.judge import paper_says
from ppdp_lab.text import markdown_table

_ANSWER = re.compile(r"^( *)### BEGIN SOLUTION\n.*?^ *### END SOLUTION$", re.MULTILINE | re.DOTALL)
_HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n.*?^ *### END HIDDEN TESTS\n?", re.MULTILINE | re.DOTALL)


def found_in(folder: Path) -> list[Path]:
    """All notebooks in a folder and its subfolders, without hidden ones such as JupyterLab's ``.ipynb_checkpoints``."""
    every = sorted(folder.rglob("*.ipynb"))
    return [path for path in every if not any(part.startswith(".") for part in path.relative_to(folder).parts)]


def cells_of(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook, each with its whole source as one text."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [{**cell, "source": "".join(cell["source"])} for cell in cells]
    except (ValueError, KeyError, TypeError):
        raise DataFileError(f"{path.name} is no notebook that can be read; open and save it in JupyterLab") from None


def notebook_page(path: Path, experiment: Experiment | None, card: Card | None, up: str) -> str:
    """A notebook as Markdown; ``experiment`` and ``card`` are what it belongs to, ``up`` leads to the folder of ``figures/``."""
    known = {figure.name: figure for figure in experiment.figures} if experiment else {}
    cells = cells_of(path)
    parts = [] if any(_heading(cell) for cell in cells[:1]) else [f"# {path.stem.replace('_', ' ').capitalize()}"]
    parts.append(f"*The notebook* `{path.parent.name}/{path.name}`*, without its outputs.*")
    shown: set[str] = set()
    for cell in cells:
        if cell["cell_type"] == "markdown":
            parts.append(cell["source"])
        elif cell["cell_type"] == "code" and (code := without_answers(cell["source"])).strip():
            parts.append(f"```python\n{code.rstrip()}\n```")
            new = [name for name in figures_in(cell["source"], known) if name not in shown]
            shown |= set(new)
            parts += [picture(experiment, known[name], card, up) for name in new if experiment]
    if _heading(cells[0]):  # the title first, then where it comes from
        parts[0], parts[1] = parts[1], parts[0]
    return "\n\n".join(parts) + "\n"


def figures_in(code: str, known: Any) -> list[str]:
    """The figures that a cell shows: what ``lab.show`` draws, and what ``lab.finish`` is handed.

    >>> figures_in("lab.show(drawings.loss, grid=grid)\\nlab.finish({}, [drawings.loss, drawings.time])", ["loss", "time"])
    ['loss', 'time']
    """
    found: list[str] = []
    for node in ast.walk(parsed(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("show", "finish"):
            found += [part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute) and part.attr in known]
    return list(dict.fromkeys(found))


def without_answers(code: str) -> str:
    """An exercise as a student gets it: no solutions, no hidden tests.

    >>> print(without_answers("def k():\\n    ### BEGIN SOLUTION\\n    return 5\\n    ### END SOLUTION"))
    def k():
        ...  # yours to write
    """
    return _HIDDEN.sub("", _ANSWER.sub(r"\1...  # yours to write", code))


def parsed(code: str) -> ast.Module:
    """The code without lines that only a notebook understands."""
    return ast.parse(re.sub(r"^[%!].*$", "pass", code, flags=re.MULTILINE))


def _heading(cell: dict[str, Any]) -> bool:
    return cell["cell_type"] == "markdown" and cell["source"].startswith("# ")


# --------------------------------------------------------------------
# The gallery: every figure of every experiment, what it redraws, and how the claims about it were judged.


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
    return experiment.path.resolve().parents[2].joinpath(f"{_file(experiment, figure)}.png").is_file()


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
