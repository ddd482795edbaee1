"""Proving a course: hand in right, wrong, empty, endless and failing answers, and look at what they earn."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pandas as pd

from ppdp_lab.classroom.checking import Mistake, Task
from ppdp_lab.classroom.course import (
    CONFIGURATION,
    EXERCISES,
    Course,
    Notebook,
    Source,
    answered,
    is_answer,
    lines_of,
    load,
    require_nbgrader,
    role,
    text_of,
)
from ppdp_lab.classroom.feedback import Exercise
from ppdp_lab.errors import DataFileError
from ppdp_lab.io import atomic_write

FOLDER, MARKS = "check", "marks.csv"


@dataclass(frozen=True)
class Submission:
    """A notebook to hand in, under a student's name, and what it must earn: all points, none, some, or just these."""

    student: str
    answers: dict[str, str]
    earns: float | None
    sentence: str = ""
    before: str = ""


@dataclass(frozen=True)
class Proof:
    """What was found out about one exercise: marks by student, and everything that is not as it should be."""

    exercise: str
    marks: pd.DataFrame
    problems: tuple[str, ...]

    def __str__(self) -> str:
        if self.problems:
            return f"{self.exercise}: {'; '.join(self.problems)}"
        return f"{self.exercise}: {len(self.marks)} submissions earned what they should"


def prove(
    folder: Path,
    exercises: list[str] | None = None,
    *,
    students: Collection[str] | None = None,
    jobs: int = 1,
    say: Callable[[str], None] = print,
) -> list[Proof]:
    """Prove all exercises of a course that this package knows, or those named; the course itself stays as it is.

    Each exercise is graded in a course of its own in the folder ``check``, which is made anew; all marks lie there as
    ``marks.csv``. ``students`` leaves out all other submissions, for who is in a hurry.
    """
    require_nbgrader()
    if not (folder / CONFIGURATION).is_file() or not (folder / "source").is_dir():
        raise DataFileError(
            f"{folder} is no course: it lacks {CONFIGURATION} or source; write one with ppdp-lab class new"
        )
    visible = (path for path in (folder / "source").iterdir() if not path.name.startswith("."))  # .ipynb_checkpoints
    there = sorted(path.name for path in visible if path.is_dir())
    missing = sorted(set(exercises or ()) - set(there))
    if missing:
        raise DataFileError(f"{folder} has no exercise {', '.join(missing)}; it has {', '.join(there) or 'none'}")
    chosen = [name for name in EXERCISES if name in (exercises or there)]
    for name in sorted(set(exercises or there) - set(chosen)):
        say(f"{name}: not an exercise of this package, left out")
    work = folder / FOLDER
    shutil.rmtree(work, ignore_errors=True)

    def one(name: str) -> Proof:
        proof = prove_exercise(folder, work / name, EXERCISES[name], students)
        say(str(proof))
        return proof

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        proofs = list(pool.map(one, chosen))
    if proofs:
        every = pd.concat([proof.marks for proof in proofs], ignore_index=True)
        atomic_write(work / MARKS, every.to_csv(index=False).encode())
    return proofs


def prove_exercise(folder: Path, work: Path, exercise: Exercise, students: Collection[str] | None = None) -> Proof:
    """Grade one exercise's submissions in a fresh course and compare."""
    name = exercise.name
    shutil.copytree(folder / "source" / name, work / "source" / name)
    shutil.copy(folder / CONFIGURATION, work / CONFIGURATION)
    course, source = Course(work), Source.of(work / "source" / name / f"{name}.ipynb")
    student_version = load(course.student_version(name))
    problems = list(_of_the_student_version(exercise, source, student_version))
    handed_in = list(submissions(exercise, source, load(work / "source" / name / f"{name}.ipynb")))
    handed_in = [one for one in handed_in if students is None or one.student in students]
    for submission in handed_in:
        notebook = answered(student_version, submission.answers, before=submission.before)
        course.submission(submission.student, name).write_text(json.dumps(notebook), encoding="utf-8")
    course.grade(name)
    scores = course.scores(name)
    for submission in handed_in:
        earned = sum(scores.get(submission.student, {}).values())
        problems += _of_marks(submission, earned, source)
        problems += _of_feedback(submission, course.feedback(submission.student, name), source)
    return Proof(name, course.marks(), tuple(problems))


# ---------------------------------------------------------------------- what is handed in
def submissions(exercise: Exercise, source: Source, solved: Notebook) -> Iterator[Submission]:
    """Everything that an exercise is proved with."""
    right = {role(cell)["grade_id"]: text_of(cell) for cell in solved["cells"] if is_answer(cell)}
    everything = source.all_points
    yield Submission("solution", right, everything)
    yield Submission("empty", {}, 0.0)
    for task in exercise.tasks:
        lost = sum(source.points[f"check-{step}"] for step in task.steps)
        for other in task.right_too:
            yield Submission(
                f"right {other.__name__}", right | {task.name: _taken_from(exercise, task, other.__name__)}, everything
            )
        for mistake in task.mistakes:
            wrong = right | {task.name: _taken_from(exercise, task, mistake.name)}
            yield Submission(f"wrong {mistake.name}", wrong, None, mistake.sentence)
        endless = f"def {task.name}(*arguments):\n    while True:\n        pass"
        failing = f"def {task.name}(*arguments):\n    return 1 / 0"
        yield Submission(
            f"endless {task.name}", right | {task.name: endless}, everything - lost, "did not come to an end"
        )
        yield Submission(f"error {task.name}", right | {task.name: failing}, everything - lost, "ZeroDivisionError")
        late = _only_hidden(exercise, task, task.mistakes[0])
        yield Submission(f"hidden {task.name}", right | {task.name: late}, None, "on a hidden table")
    cheating = {task.name: f"check = print\n\ndef {task.name}(*arguments):\n    return None" for task in exercise.tasks}
    yield Submission("check replaced", cheating, 0.0)
    yield Submission("endless cell", right, everything, before="while True:\n    pass")
    yield Submission("error cell", right, everything, before="1 / 0")


def _taken_from(exercise: Exercise, task: Task, name: str) -> str:
    """Code that answers as a function of the exercise's module does."""
    module = f"ppdp_lab.classroom.{exercise.name}"
    return f"from {module} import {name}\n\ndef {task.name}(*arguments):\n    return {name}(*arguments)"


def _only_hidden(exercise: Exercise, task: Task, mistake: Mistake) -> str:
    """Right in a visible check, wrong in a hidden one: as if the visible tables had been learned by heart."""
    return (
        f"import sys\n"
        f"from ppdp_lab.classroom.{exercise.name} import {mistake.name} as wrong, {task.answer.__name__} as right\n\n"
        f"def {task.name}(*arguments):\n"
        f"    frame = sys._getframe()\n"
        f"    while 'hidden' not in frame.f_locals:\n"
        f"        frame = frame.f_back\n"
        f"    return (wrong if frame.f_locals['hidden'] else right)(*arguments)"
    )


# ---------------------------------------------------------------------- what is looked at
def _of_the_student_version(exercise: Exercise, source: Source, student_version: Notebook) -> Iterator[str]:
    shown = sorted(source.secret & lines_of(student_version))
    if shown:
        yield f"the student version shows {len(shown)} lines of solutions or hidden tests, such as {shown[0]!r}"
    steps = {f"check-{step}" for task in exercise.tasks for step in task.steps}
    if steps != set(source.points):
        yield f"the notebook marks {sorted(source.points)}, and the exercise has {sorted(steps)}"


def _of_marks(submission: Submission, earned: float, source: Source) -> Iterator[str]:
    if submission.earns is None and earned >= source.all_points:
        yield f"{submission.student!r} earned all {earned:g} points"
    if submission.earns is not None and earned != submission.earns:
        yield f"{submission.student!r} earned {earned:g} points instead of {submission.earns:g}"


def _of_feedback(submission: Submission, feedback: str, source: Source) -> Iterator[str]:
    said = " ".join(unescape(re.sub(r"<[^>]*>", "", feedback)).split())
    if submission.sentence and " ".join(submission.sentence.split()) not in said:
        yield f"the feedback of {submission.student!r} does not say: {submission.sentence}"
    hidden = [line for line in source.secret if "hidden=True" in line]
    if any(line in said for line in hidden):
        yield f"the feedback of {submission.student!r} shows a hidden test"
    if submission.student.startswith("hidden ") and "A small case that shows it" in said:
        yield f"the feedback of {submission.student!r} names a hidden table"
