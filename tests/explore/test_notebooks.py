"""One notebook for each explorer: two sentences, parameters, a call; and it runs."""

import json
import re
from pathlib import Path

import pytest

from ppdp_lab.explore import EXPLORERS
from ppdp_lab.lab import kernel

FOLDER = Path(__file__).parents[2] / "notebooks" / "explore"
NAMES = [entry.name for entry in EXPLORERS.entries()]


def test_every_explorer_has_its_notebook_and_the_reverse():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_two_sentences_parameters_and_a_call(name):
    text, parameters, call = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    words = "".join(text["source"]).split("\n\n")
    assert words[0].startswith("# ") and len(re.findall(r"[.!?](?:\s|$)", words[1])) == 2
    assert parameters["metadata"]["tags"] == ["parameters"] and "table = None" in "".join(parameters["source"])
    assert f"explore.{name}(table, **knobs)" in "".join(call["source"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_and_shows_a_widget(name, tmp_path, monkeypatch):
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)
    kernel.execute(FOLDER / f"{name}.ipynb", tmp_path / "out.ipynb", {}, {}, lambda done, total: None)
    ran = json.loads((tmp_path / "out.ipynb").read_text(encoding="utf-8"))
    (shown,) = [output for output in ran["cells"][-1]["outputs"] if output["output_type"] == "execute_result"]
    assert "application/vnd.jupyter.widget-view+json" in shown["data"]
