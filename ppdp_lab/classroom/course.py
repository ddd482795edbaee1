"""All exercises, in the order of the lessons, and where their notebooks lie."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.classroom import diversity, invariance, plane, pruning, republication, separation, skewness, updating
from ppdp_lab.classroom.feedback import Exercise
from ppdp_lab.errors import DataFileError, PPDPError, comes_with, unknown
from ppdp_lab.io import atomic_write
from ppdp_lab.lab.catalogue import notebooks

EXERCISES: dict[str, Exercise] = {
    module.EXERCISE.name: module.EXERCISE
    for module in (diversity, skewness, plane, pruning, republication, invariance, separation, updating)
}


def source_of(exercise: str) -> Path:
    """The source notebook of an exercise, with solutions: in the source tree, or packed into the installed package.

    >>> source_of("diversity").name
    'diversity.ipynb'
    """
    found = notebooks("exercises") / f"{exercise}.ipynb"
    if found.is_file():
        return found
    raise DataFileError(
        f"the notebook of the exercise {exercise!r} is missing from this installation; install it again"
    )


# --------------------------------------------------------------------
# Source notebooks, the version that students get, and what they hand in.


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


# --------------------------------------------------------------------
# Writing a course: nbgrader's configuration and the source notebooks, ready to hand out.


CONFIGURATION = "nbgrader_config.py"
CELL_SECONDS = 30
SETTINGS = '''"""Settings of nbgrader for the exercises of ppdp_lab; run `nbgrader` in this folder."""

import atexit
import os
import shutil
import sysconfig
import tempfile

# nbgrader calls `alembic` by name, and takes the kernel "python3": both are to be this environment's own.
os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + os.environ.get("PATH", "")
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"

c = get_config()
c.CourseDirectory.course_id = "ppdp"
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else os.getcwd()
c.NbGrader.logfile = ""

# A cell that never ends is interrupted and the next one runs; so it does after an error.
c.Execute.timeout = {seconds}
c.Execute.interrupt_on_timeout = True
c.Execute.allow_errors = True
c.Execute.raise_on_iopub_timeout = False

# Kernels talk through files of their own where the system allows it: no port is shared by gradings that run at once.
if os.name == "posix":
    sockets = tempfile.mkdtemp(prefix="ppdp")
    atexit.register(shutil.rmtree, sockets, ignore_errors=True)
    c.KernelManager.transport = "ipc"
    c.KernelManager.ip = os.path.join(sockets, "kernel")

# Feedback shows what a check said, and not the hidden checks themselves.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
'''


def write_course(folder: Path, exercises: Iterable[str] | None = None) -> list[Path]:
    """Write a course with all exercises, or those named, into a folder that is empty or not there yet; return the files."""
    chosen = list(EXERCISES) if exercises is None else list(exercises)
    for name in chosen:
        if name not in EXERCISES:
            raise unknown("exercise", name, EXERCISES)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataFileError(
            f"{folder} is there already and not an empty folder; name a new one, nothing is overwritten"
        )
    written = [folder / CONFIGURATION, *(folder / "source" / name / f"{name}.ipynb" for name in chosen)]
    contents = [
        SETTINGS.replace("{seconds}", str(CELL_SECONDS)).encode(),
        *(source_of(name).read_bytes() for name in chosen),
    ]
    for path, content in zip(written, contents):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, content)
    return written


# --------------------------------------------------------------------
# Running nbgrader on a course folder: a process of its own, with files of its own.


ASSIGNMENT = "assignment"


class GradingError(PPDPError, RuntimeError):
    """nbgrader failed: at which command, and the end of what it said."""


def require_nbgrader() -> None:
    """Refuse in words if it is not installed."""
    with comes_with("classroom"):
        import nbgrader  # noqa: F401


@dataclass(frozen=True)
class Course:
    """A course folder, as nbgrader wants it.

    Each course has its own gradebook, and each command its own runtime folder for kernels, so that several can be graded
    at once.
    """

    folder: Path

    def run(self, command: str, *arguments: str) -> None:
        """One command of nbgrader; raises if it fails."""
        require_nbgrader()
        # A short path: sockets of kernels lie in it, and their names may have about a hundred letters.
        with tempfile.TemporaryDirectory(prefix="ppdp") as runtime:
            environment = os.environ | {
                "JUPYTER_RUNTIME_DIR": runtime,
                "IPYTHONDIR": runtime,
                "PYTHONWARNINGS": "ignore",
                "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            }
            done = subprocess.run(
                [sys.executable, "-m", "nbgrader", command, *arguments],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
            )
        if done.returncode:
            last = " | ".join((done.stderr or done.stdout).strip().splitlines()[-3:])
            raise GradingError(f"nbgrader {command} failed in {self.folder}: {last}")

    def student_version(self, exercise: str) -> Path:
        """Make the version that students get."""
        self.run("generate_assignment", exercise, "--force")
        return self.folder / "release" / exercise / f"{exercise}.ipynb"

    def submission(self, student: str, exercise: str) -> Path:
        """Where a student's notebook is to lie when it is handed in."""
        path = self.folder / "submitted" / student / exercise / f"{exercise}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def grade(self, exercise: str) -> None:
        """Run and mark everything handed in for an exercise, and write the feedback."""
        self.run("autograde", exercise, "--force")
        self.run("generate_feedback", exercise, "--force")

    def feedback(self, student: str, exercise: str) -> str:
        """What a student gets back, as HTML."""
        path = self.folder / "feedback" / student / exercise / f"{exercise}.html"
        return path.read_text(encoding="utf-8")

    def marks(self) -> pd.DataFrame:
        """nbgrader's own table of marks; it stays in the folder as ``marks.csv``."""
        self.run("export", "--to", "marks.csv")
        return pd.read_csv(self.folder / "marks.csv")

    def scores(self, exercise: str) -> dict[str, dict[str, float]]:
        """Points that the machine gave, by student and cell."""
        from nbgrader.api import Gradebook

        found: dict[str, dict[str, float]] = {}
        with Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}") as book:
            for submission in book.assignment_submissions(exercise):
                grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
                found[submission.student.id] = {
                    grade.cell.name: float(grade.auto_score or 0) for grade in grades if grade.cell.cell_type == "code"
                }
        return found
