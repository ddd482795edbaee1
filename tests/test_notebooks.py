"""Every notebook belongs to an experiment, is committed without outputs, and runs at its tiny scale."""

import copy
import json
import re
from pathlib import Path

import pytest

from ppdp_lab.lab import catalogue, kernel, parameters, runner

ROOT = Path(__file__).parents[1]
EXPERIMENTS = {experiment.name: experiment for experiment in catalogue.experiments(ROOT)}
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))  # those in folders have tests of their own
EVERYWHERE = sorted(
    path for path in (ROOT / "notebooks").rglob("*.ipynb") if path.parent.name != ".ipynb_checkpoints"
)  # JupyterLab's copies of what somebody has saved
FOLDERS = {
    "explore",
    "exercises",
}  # tests/explore/test_notebooks.py; exercises take no parameters, tests/lab/classroom/
SCREEN = 35  # lines


def test_no_notebook_is_forgotten():
    assert sorted(EXPERIMENTS) == ["bpg", "choice", "crossover", "equivalence", "i3m", "mdistinct", "speedy", "tour"]
    assert {e.notebook.resolve() for e in EXPERIMENTS.values()} == {path.resolve() for path in NOTEBOOKS}
    assert {path.parent.name for path in EVERYWHERE if path not in NOTEBOOKS} == FOLDERS


@pytest.mark.parametrize("path", EVERYWHERE, ids=lambda path: path.stem)
def test_committed_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
    parametrized = sum("parameters" in cell["metadata"].get("tags", []) for cell in code)
    assert parametrized == (path.parent.name != "exercises")
    assert cells[0]["cell_type"] == "markdown"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_experiment_file_fits_its_notebook(name):
    experiment = EXPERIMENTS[name]
    assert set(experiment.scales) == {"tiny", "quick", "paper"}
    runner.check(experiment)
    assert len({claim.id for claim in experiment.claims}) == len(experiment.claims) > 0


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_claim_about_one_parameter_is_judged_at_that_one(name):
    for claim in EXPERIMENTS[name].claims:
        for bracket in re.findall(r"\(([^)]* = [^)]*)\)", claim.text):
            for parameter, value in re.findall(r"\b([a-z]) = (\d+)", bracket):
                assert f"{parameter} == {value}" in claim.where, claim.id


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_texts_say_which_data_they_speak_of(name):
    """A text knows no own table: it says what the paper's tables showed, and that figures may show others."""
    cells = parameters.cells(EXPERIMENTS[name].notebook)
    text = " ".join(" ".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown").split())
    assert re.search(r"whatever `datasets?` names|unless you (say otherwise|name other)", text)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_runs_at_its_tiny_scale(name, tmp_path, monkeypatch):
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)
    run = runner.run(EXPERIMENTS[name], results=tmp_path, scale="tiny", say=lambda line: None)
    assert run.executed and len(run.results) > 0
    drawn = {path.name for path in (run.folder / "figures").iterdir()}
    assert drawn == {f"{figure.name}.{form}" for figure in EXPERIMENTS[name].figures for form in ("png", "svg")}
    assert len(run.verdicts) == len(EXPERIMENTS[name].claims)


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_reads_well(name):
    """No cell over a screen, and each figure once, where its text is: text stands before and after it."""
    experiment = EXPERIMENTS[name]
    cells = json.loads(experiment.notebook.read_text(encoding="utf-8"))["cells"]
    assert max(len(cell["source"]) for cell in cells if cell["cell_type"] == "code") <= SCREEN
    shown = []
    for before, cell, after in zip(cells, cells[1:], cells[2:]):
        found = re.findall(r"lab\.show\(\w+\.(\w+)", "".join(cell["source"]))
        if found:
            assert before["cell_type"] == after["cell_type"] == "markdown"
        shown += found
    assert sorted(shown) == sorted(figure.name for figure in experiment.figures)
    assert "lab.finish(" in "".join(cells[-1]["source"])


@pytest.mark.long
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_can_be_run_twice(name, tmp_path, monkeypatch):
    """Each cell, then the same again, then the next: what a reader does who changes a line and runs it once more."""
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)
    experiment = EXPERIMENTS[name]
    notebook = json.loads(experiment.notebook.read_text(encoding="utf-8"))
    cells = []
    for cell in notebook["cells"]:
        again = copy.deepcopy(cell) | {"id": f"{cell['id']}-again"}
        once = cell["cell_type"] != "code" or "parameters" in cell["metadata"].get("tags", [])
        cells += [cell] if once else [cell, again]
    doubled = tmp_path / experiment.notebook.name
    doubled.write_text(json.dumps(notebook | {"cells": cells}), encoding="utf-8")
    given = parameters.absolute(experiment.parameters("tiny"), experiment.path.parent)
    kernel.execute(doubled, tmp_path / "out.ipynb", given, {}, lambda done, total: None)
    ran = [cell for cell in json.loads((tmp_path / "out.ipynb").read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(ran) > len(notebook["cells"]) / 2 and all(cell["execution_count"] for cell in ran)
