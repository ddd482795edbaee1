"""Running nbgrader on a course folder: a process of its own, with files of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ppdp_lab.errors import PPDPError, comes_with

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
