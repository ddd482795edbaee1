"""One self-contained page of finished runs."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ppdp_lab import plotting
from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.lab import read
from ppdp_lab.lab.report import check_target, page_of, write_page
from ppdp_lab.lab.runs import Run
from ppdp_lab.lab.scorecard import Scored

DATA = Path(__file__).parent / "data" / "experiments"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def scored(tmp_path: Path) -> Scored:
    """An experiment with a run that nobody had to wait for."""
    shutil.copytree(DATA, tmp_path / "experiments")
    experiment = read(tmp_path / "experiments" / "demo" / "experiment.toml")
    folder = tmp_path / "results" / "demo" / ("0" * 16)
    (folder / "figures").mkdir(parents=True)
    for entry in experiment.figures:
        plotting.save(plotting.figure()[0], folder / "figures" / entry.name)
    notes = {
        "scale": "quick", "given": {}, "data": [], "seed": 1, "provenance": "real", "seconds": 3.2, "started": "now",
        "parameters": {"ks": [2, 5], "dataset": SCRIPT}, "machine": {"cpu": "a fast one", "dependencies": {"numpy": "2.0"}},
    }  # fmt: skip
    (folder / "environment.json").write_text(json.dumps(notes))
    (folder / "finish.json").write_text(json.dumps({"tables": [], "figures": [], "data": []}))
    claims = [{
        "id": "falls", "text": f"It falls {SCRIPT}.", "source": "Figure 1", "kind": "falls", "paper": "falls",
        "measured": "rises", "verdict": "does not hold", "reason": "because of `x`",
    }]  # fmt: skip
    (folder / "verdicts.json").write_text(json.dumps(claims))
    return Scored(experiment, Run(folder, executed=False))


def test_a_page_holds_everything_and_loads_nothing(scored: Scored) -> None:
    page = page_of([scored])
    tree = ET.fromstring(page.removeprefix("<!DOCTYPE html>"))
    text = " ".join("".join(tree.itertext()).split())
    for words in (
        "It falls",
        "does not hold",
        "because of x",
        "ks2, 5",
        "cpua fast one",
        "numpy2.0",
        "3.2 s",
        "Figure 1",
    ):
        assert words in text, words
    assert "script" not in {element.tag for element in tree.iter()} and SCRIPT in text
    images = [element.get("src", "") for element in tree.iter("img")]
    assert len(images) == len(scored.experiment.figures) >= 1
    assert all(source.startswith("data:image/png;base64,") for source in images)
    assert not re.search(r"""(src|href)=["'](?!data:|#)|url\(|@import|https?:""", page)


def test_the_page_of_all_links_to_each(scored: Scored) -> None:
    page = page_of([scored, Scored(scored.experiment, None)])
    assert 'href="#demo"' in page and 'id="demo"' in page and "no finished run" in page


def test_a_page_is_written_over_a_page_and_over_nothing_else(scored: Scored, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert write_page([scored], target) == target
    write_page([scored], target)
    (tmp_path / "mine.html").write_text("<html>my thesis</html>")
    (tmp_path / "folder.html").mkdir()
    for name, words, error in (
        ("mine.html", "is there already and no report wrote it", ParameterError),
        ("page.pdf", "does not end in .html", ParameterError),
        ("folder.html", "is a folder; name a file in it", ParameterError),
        ("nowhere/page.html", "there is no folder", DataFileError),
    ):
        with pytest.raises(error, match=words):
            check_target(tmp_path / name)
    assert (tmp_path / "mine.html").read_text() == "<html>my thesis</html>"
