"""The recipes for the lab: an experiment is run as the text has it, a kind of claim is written into a copy of the package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import nbformat
import pytest
from lab import test_judge
from recipes.following import RECIPES, blocks

import ppdp_lab
from ppdp_lab.lab import catalogue, read, runner
from ppdp_lab.lab.experiment import HOLDS
from ppdp_lab.lab.judge import KINDS

PACKAGE = Path(ppdp_lab.__file__).parent


def test_an_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)
    (toml,) = blocks(RECIPES["An experiment"], "toml")
    (code,) = blocks(RECIPES["An experiment"])
    drawing, measuring, parameters, *cells = re.split(r"^# %%.*\n", code, flags=re.MULTILINE)[1:]
    folder = tmp_path / "experiments" / "classes"
    folder.mkdir(parents=True)
    (folder / "experiment.toml").write_text(toml)
    (folder / "figures.py").write_text(drawing)
    (folder / "measure.py").write_text(measuring)
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in (parameters, *cells)]
    notebook.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(notebook, folder / "classes.ipynb")

    (experiment,) = catalogue.experiments(tmp_path)
    assert experiment == read(folder) and experiment.parameters("tiny") == {"rows": 100}
    runner.check(experiment)
    done = runner.run(experiment, results=tmp_path / "results", scale="tiny", say=lambda line: None)
    assert done.results["results"]["classes"].is_monotonic_decreasing
    assert [(v.id, v.verdict) for v in done.verdicts] == [("fewer", HOLDS)]
    assert sorted(path.name for path in (done.folder / "figures").iterdir()) == ["fewer.png", "fewer.svg"]
    assert done.environment["data_used"][0]["rows"] == 100


CLAIM = """
import pandas as pd
from ppdp_lab.lab import read
from ppdp_lab.lab.judge import judge

claim = read("e.toml").claims[0]
for values in ([1.0, 2.0], [1.0, 2.5]):
    found = judge(claim, {"results": pd.DataFrame({"v": values})}, "quick")
    print(found.kind, found.paper, found.verdict, found.measured, sep=" | ")
"""
EXPERIMENT = """
name = "e"
title = "t"
notebook = "e.ipynb"
scale = { quick = {}, paper = {} }
[[claim]]
id = "c"
text = "Nothing is halved."
kind = "whole"
value = "v"
"""


def written(path: Path, old: str, new: str) -> None:
    """Write into a file of the copy what a recipe says belongs there."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} no longer has {old!r}, which the recipe tells people to add to"
    path.unlink()
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_kind_of_claim(tmp_path: Path) -> None:
    (code,) = blocks(RECIPES["A kind of claim"])
    copy = tmp_path / "ppdp_lab"
    copytree(PACKAGE, copy, copy_function=os.symlink, ignore=ignore_patterns("__pycache__"))
    kinds, claims = copy / "lab/judge.py", copy / "lab/experiment.py"
    written(kinds, "\nKINDS: ", f"\n{code}\n\nKINDS: ")
    written(kinds, "for test in (between, ", "for test in (whole, between, ")
    written(claims, 'NUMBERS = ("between", ', 'NUMBERS = ("whole", "between", ')
    (tmp_path / "e.ipynb").write_text("{}")
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", CLAIM]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "whole | whole | holds | 1 to 2 (2 of 2 points)",
        "whole | whole | does not hold | 1 to 2.5 (1 of 2 points)",
    ]


def test_a_kind_of_claim_is_held_to_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "whole", KINDS["zero"])
    with pytest.raises(AssertionError):
        test_judge.test_every_kind_is_tried()


def test_an_exercise(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(RECIPES["An exercise"])
    space: dict = {}
    exec(compile(code, "docs/extending.md: An exercise", "exec"), space)
    for right in (min, *space["smallest"].right_too):
        space["exercise"].check(right)
    assert capsys.readouterr().out.count("smallest, step 'sizes': right on") == 2
    with pytest.raises(AssertionError, match=r"(?s)sizes: .*Concerned: Ann.*the smallest one hides worst"):
        space["exercise"].check(max)
