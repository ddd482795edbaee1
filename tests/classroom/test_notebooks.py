"""The exercises' notebooks: complete, readable, right without nbgrader, and without a secret in the students' version."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import nbformat
import pytest
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from ppdp_lab.classroom.course import EXERCISES, Source, answered, is_answer, lines_of, load, role, source_of, text_of

ROOT = Path(__file__).parents[2]


def test_one_notebook_for_each_exercise():
    assert {path.stem for path in (ROOT / "notebooks" / "exercises").glob("*.ipynb")} == set(EXERCISES)
    assert source_of("plane") == ROOT / "notebooks" / "exercises" / "plane.ipynb"


@pytest.mark.parametrize("name", EXERCISES)
def test_committed_without_outputs_and_fit_for_a_screen(name):
    cells = load(source_of(name))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
    assert max(len(text_of(cell).splitlines()) for cell in code) <= 35
    assert len({cell["id"] for cell in cells}) == len(cells)


@pytest.mark.parametrize("name", EXERCISES)
def test_says_how_long_and_what_for_and_ends_in_an_open_question(name):
    exercise, cells = EXERCISES[name], load(source_of(name))["cells"]
    first = text_of(cells[0])
    assert first.startswith(f"# {exercise.title}\n") and f"**{exercise.minutes} minutes.** Goal:" in first
    if exercise.explorer is not None:
        assert f"notebooks/explore/{exercise.explorer}.ipynb" in first
    assert text_of(cells[-2]).startswith("## One open question")
    assert role(cells[-1])["grade"] and role(cells[-1])["solution"] and cells[-1]["cell_type"] == "markdown"


@pytest.mark.parametrize("name", EXERCISES)
def test_every_step_is_marked_by_itself_with_a_visible_and_a_hidden_check(name):
    exercise, source = EXERCISES[name], Source.of(source_of(name))
    steps = {f"check-{step}": task.name for task in exercise.tasks for step in task.steps}
    assert set(source.points) == set(steps) and len(steps) > 1 and source.by_hand > 0
    cells = {role(cell)["grade_id"]: text_of(cell) for cell in load(source_of(name))["cells"] if role(cell)}
    seeds = set()
    for cell, function in steps.items():
        step = cell.removeprefix("check-")
        visible, begin, again, _, hidden, end = cells[cell].splitlines()
        assert again == f"from ppdp_lab.classroom.{name} import check"  # whoever wrote another one gains nothing
        assert visible == f'check({function}, "{step}")'
        assert "BEGIN HIDDEN TESTS" in begin and "END HIDDEN TESTS" in end
        assert hidden.startswith(f'check({function}, "{step}", seed=') and hidden.endswith(", hidden=True)")
        seeds.add(hidden)
    assert len(seeds) == len(steps)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_works_without_nbgrader(name, capsys):
    """All cells one after the other, as a student with the solution would run them."""
    space: dict[str, object] = {}
    for cell in load(source_of(name))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile(text_of(cell), f"{name}.ipynb", "exec"), space)
    out = capsys.readouterr().out
    assert out.count("right on 80 random cases") == sum(len(task.steps) for task in EXERCISES[name].tasks)


@pytest.mark.parametrize("name", EXERCISES)
def test_the_students_version_has_no_line_of_a_solution_or_hidden_test(name):
    notebook = nbformat.read(source_of(name), as_version=4)
    for preprocessor in (ClearSolutions(), ClearHiddenTests()):
        notebook, _ = preprocessor.preprocess(notebook, {})
    source = Source.of(source_of(name))
    hidden = [line for line in source.secret if "hidden=True" in line]
    assert len(hidden) == len(source.points) and len(source.secret) > len(hidden) + 4
    assert not source.secret & lines_of(notebook)
    assert sum("NotImplementedError" in text_of(cell) for cell in notebook["cells"]) == len(EXERCISES[name].tasks)


def test_what_is_handed_in_differs_in_the_answer_cells_only():
    notebook = load(source_of("skewness"))
    before = copy.deepcopy(notebook)
    handed_in = answered(notebook, {"gain": "def gain(counts, totals):\n    return 1"}, before="1 / 0")
    assert notebook == before
    texts = [text_of(cell) for cell in handed_in["cells"]]
    assert "1 / 0" in texts and len(texts) == len(notebook["cells"]) + 1
    changed = [cell for cell in handed_in["cells"] if cell not in notebook["cells"] and cell["id"] != "own"]
    assert [role(cell)["grade_id"] for cell in changed] == ["gain"] and all(map(is_answer, changed))
    nbformat.validate(nbformat.reads(json.dumps(handed_in), as_version=4))
