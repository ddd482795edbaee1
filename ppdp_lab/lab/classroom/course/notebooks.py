"""Source notebooks, the version that students get, and what they hand in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REGIONS = ("SOLUTION", "HIDDEN TESTS")
Notebook = dict[str, Any]


def load(path: Path) -> Notebook:
    """A notebook as its JSON says."""
    loaded: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def text_of(cell: dict[str, Any]) -> str:
    """The source of a cell, however it is stored."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def role(cell: dict[str, Any]) -> dict[str, Any]:
    """What nbgrader is told of a cell; empty for one that is none of its business."""
    found: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return found


def is_answer(cell: dict[str, Any]) -> bool:
    """Whether students write their code here."""
    return cell["cell_type"] == "code" and bool(role(cell).get("solution"))


@dataclass(frozen=True)
class Source:
    """What a source notebook says about marks and secrets.

    Attributes
    ----------
    points : dict of str to float
        Points of each cell that is marked by itself, by its id; ``check-members`` marks the step ``members``.
    by_hand : float
        Points for the open question, which a person gives.
    secret : frozenset of str
        Lines of solutions and hidden tests that occur nowhere else in it.
    """

    points: dict[str, float]
    by_hand: float
    secret: frozenset[str]

    @classmethod
    def of(cls, path: Path) -> Source:
        """Read a source notebook."""
        points, by_hand = {}, 0.0
        inside: set[str] = set()
        outside: set[str] = set()
        for cell in load(path)["cells"]:
            said = role(cell)
            if said.get("grade") and not said.get("solution"):
                points[said["grade_id"]] = float(said["points"])
            elif said.get("grade"):
                by_hand += float(said["points"])
            within = bool(said.get("grade") and said.get("solution"))  # a model answer is secret as a whole
            for line in text_of(cell).splitlines():
                if any(f"BEGIN {region}" in line for region in REGIONS):
                    within = True
                (inside if within else outside).add(line.strip())
                if any(f"END {region}" in line for region in REGIONS):
                    within = False
        return cls(points, by_hand, frozenset(inside - outside - {""}))

    @property
    def all_points(self) -> float:
        """What the machine gives for an answer without a fault."""
        return sum(self.points.values())


def answered(student_version: Notebook, answers: dict[str, str], *, before: str = "") -> Notebook:
    """A notebook as handed in: the code for each answer cell by its id, and perhaps a cell of the student's own first."""
    cells: list[dict[str, Any]] = []
    for cell in student_version["cells"]:
        code = answers.get(role(cell).get("grade_id", "")) if is_answer(cell) else None
        if before and code is not None and not any(own["id"] == "own" for own in cells):
            cells.append(
                {
                    "cell_type": "code",
                    "id": "own",
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                    "source": before,
                }
            )
        cells.append(cell if code is None else cell | {"source": code})
    return student_version | {"cells": cells}


def lines_of(notebook: Notebook) -> set[str]:
    """All lines of a notebook, without the blanks around them."""
    return {line.strip() for cell in notebook["cells"] for line in text_of(cell).splitlines()}
