"""Notebooks as pages: text and code as they stand, and the committed figure where the notebook shows it.

Notebooks are committed without outputs, and a converter of notebooks would show none, or run them for hours. The gallery
holds what they draw.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report.site.experiments import picture
from ppdp_lab.lab.report.site.scores import Card

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


def page(path: Path, experiment: Experiment | None, card: Card | None, up: str) -> str:
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
