"""A course: written once, never over anything, and graded by nbgrader, three at once."""

from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from ppdp_lab.classroom.course import EXERCISES, Course, GradingError, Source, load, source_of, write_course
from ppdp_lab.classroom.proving import prove, submissions
from ppdp_lab.cli import app
from ppdp_lab.errors import DataFileError, UnknownNameError


def test_a_course_is_a_configuration_and_the_source_notebooks(tmp_path):
    written = write_course(tmp_path / "course")
    assert [path.relative_to(tmp_path / "course").as_posix() for path in written] == [
        "nbgrader_config.py",
        *(f"source/{name}/{name}.ipynb" for name in EXERCISES),
    ]
    assert written[1].read_bytes() == source_of("diversity").read_bytes()
    compile(written[0].read_text(encoding="utf-8"), "nbgrader_config.py", "exec")


def test_nothing_is_overwritten_and_names_are_checked(tmp_path):
    with pytest.raises(UnknownNameError, match="unknown exercise 'skewnes'; did you mean 'skewness'"):
        write_course(tmp_path / "course", ["skewnes"])
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(DataFileError, match="is there already and not an empty folder; name a new one"):
        write_course(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_is_no_course_is_refused(tmp_path):
    with pytest.raises(
        DataFileError, match=r"is no course: it lacks nbgrader_config[.]py or source; write one with ppdp-lab class"
    ):
        prove(tmp_path)
    write_course(tmp_path / "course", ["plane"])
    (tmp_path / "course" / "source" / ".ipynb_checkpoints").mkdir()
    with pytest.raises(DataFileError, match=r"has no exercise pruning; it has plane$"):
        prove(tmp_path / "course", ["pruning"])


def test_the_command_line_writes_a_course_and_says_what_comes_next(tmp_path):
    done = CliRunner().invoke(app, ["class", "new", str(tmp_path / "course"), "-e", "plane"])
    assert done.exit_code == 0 and "Mondrian on a plane  30" in done.output
    assert "nbgrader generate_assignment NAME" in done.output
    again = CliRunner().invoke(app, ["class", "new", str(tmp_path / "course")])
    assert again.exit_code == 2 and "nothing is overwritten" in again.output
    lost = CliRunner().invoke(app, ["class", "check", str(tmp_path)])
    assert lost.exit_code == 2 and "is no course" in lost.output


@pytest.mark.parametrize("name", EXERCISES)
def test_every_kind_of_submission_is_handed_in(name):
    exercise = EXERCISES[name]
    handed_in = list(submissions(exercise, Source.of(source_of(name)), load(source_of(name))))
    students = [submission.student for submission in handed_in]
    assert len(set(students)) == len(students) and students[:2] == ["solution", "empty"]
    for task in exercise.tasks:
        assert {f"wrong {mistake.name}" for mistake in task.mistakes} <= set(students)
        assert {f"right {other.__name__}" for other in task.right_too} <= set(students)
        assert {f"endless {task.name}", f"error {task.name}", f"hidden {task.name}"} <= set(students)
    assert {"endless cell", "error cell", "check replaced"} <= set(students)


@pytest.mark.long
def test_nbgrader_grades_three_courses_at_once(tmp_path, monkeypatch):
    """Offline; each exercise is a course of its own, with its own gradebook and kernels."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # whoever asks the network is told no
    write_course(tmp_path / "course", ["skewness", "republication", "invariance"])
    students = ["solution", "empty", "wrong share_in_the_class", "wrong sets_only", "wrong counterfeits_only", "hidden gain",
                "endless gain"]  # fmt: skip
    said: list[str] = []
    proofs = prove(tmp_path / "course", students=students, jobs=3, say=said.append)
    assert [proof.problems for proof in proofs] == [(), (), ()] and len(said) == 3
    marks = pd.read_csv(tmp_path / "course" / "check" / "marks.csv")
    score = marks.set_index(["assignment", "student_id"])["score"]
    assert score["skewness"].to_dict() == {
        "solution": 5, "empty": 0, "wrong share_in_the_class": 3, "hidden gain": 3, "endless gain": 3,
    }  # fmt: skip
    assert score["republication"].to_dict() == {"solution": 5, "empty": 0, "wrong sets_only": 3}
    assert score["invariance", "wrong counterfeits_only"] == 1
    with pytest.raises(GradingError, match="nbgrader autograde failed in"):
        Course(tmp_path / "course").run("autograde", "nothing")
