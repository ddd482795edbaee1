"""Every notebook belongs to an experiment, is committed without outputs, and runs at its tiny scale."""

import json
from pathlib import Path

import pytest

from ppdp_lab.lab import runner
from ppdp_lab.lab.experiment import catalogue

ROOT = Path(__file__).parents[1]
EXPERIMENTS = {experiment.name: experiment for experiment in catalogue.experiments(ROOT)}
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))


def test_no_notebook_is_forgotten():
    assert sorted(EXPERIMENTS) == ["equivalence", "i3m", "mdistinct", "speedy", "tour"]
    assert {e.notebook.resolve() for e in EXPERIMENTS.values()} == {path.resolve() for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
    assert sum("parameters" in cell["metadata"].get("tags", []) for cell in code) == 1
    assert cells[0]["cell_type"] == "markdown"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_experiment_file_fits_its_notebook(name):
    experiment = EXPERIMENTS[name]
    assert set(experiment.scales) == {"tiny", "quick", "paper"}
    runner.check(experiment)
    assert len({claim.id for claim in experiment.claims}) == len(experiment.claims) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_runs_at_its_tiny_scale(name, tmp_path, monkeypatch):
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)
    run = runner.run(EXPERIMENTS[name], results=tmp_path, scale="tiny", say=lambda line: None)
    assert run.executed and len(run.results) > 0
    drawn = {path.name for path in (run.folder / "figures").iterdir()}
    assert drawn == {f"{figure.name}.{form}" for figure in EXPERIMENTS[name].figures for form in ("png", "svg")}
    assert len(run.verdicts) == len(EXPERIMENTS[name].claims)
