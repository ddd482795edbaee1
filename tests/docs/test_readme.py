"""The README is one page, says what it must, and all its lines run."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.shell import PROGRAM, ROOT, blocks, lay_out, lines, type_in

import ppdp_lab as pl
from ppdp_lab.lab.experiment.catalogue import experiments
from ppdp_lab.lab.report.site.papers import PAPERS, papers_of
from ppdp_lab.registry import FAMILIES

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_one_page_with_one_picture_two_commands_and_ten_lines_each() -> None:
    assert len(README.splitlines()) < 80 and README.count("![") == 1
    (_, two), (python, code), (shell, ten) = blocks(README)
    assert [line.split()[0] for line in lines(two)] == ["make", "make"]
    assert (python, len(code.splitlines())) == ("python", 10) and (shell, len(lines(ten))) == ("sh", 10)


def test_the_papers_are_named_as_the_pages_name_them() -> None:
    for paper in PAPERS.values():
        assert f"- {paper}\n" in README, paper.name


def test_every_paper_that_an_experiment_names_is_known_and_cited_by_a_family() -> None:
    cited = {paper.name for family in FAMILIES.values() for e in family.entries() for paper in papers_of(e.paper)}
    named = {experiment.paper for experiment in experiments(ROOT)} & set(PAPERS)
    assert set(PAPERS) == named == cited


@pytest.mark.slow
def test_its_shell_lines_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path, "tour")
    frame = pl.datasets.load("adult", rows=1000).frame[["age", "race", "occupation"]]
    frame.set_axis(["age", "zip", "disease"], axis=1).to_csv("my.csv", index=False)
    Path("mine.toml").write_text('file = "my.csv"\nquasi_identifiers = ["age", "zip"]\nsensitive = "disease"\n')
    ten = lines(blocks(README)[2][1])
    said = {line: type_in(line) for line in ten if line.startswith(PROGRAM)}
    assert [line for line in ten if line not in said] == [". .venv/bin/activate", "make docs"]
    assert "adult-arx" in said["ppdp-lab data"] and "tour" in said["ppdp-lab list"]
    assert all("holds" in printed for line, printed in said.items() if " run " in line or " redraw " in line)
    assert "own data" in said["ppdp-lab run tour -p dataset=mine.toml"]
    assert (tmp_path / "mine" / "SCORECARD.md").is_file() and (tmp_path / "mine" / "tour" / "idea.png").is_file()
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 1001
