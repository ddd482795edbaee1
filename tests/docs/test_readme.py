"""The README is one page and says what it must; test_lines.py and recipes/test_text.py run it."""

from __future__ import annotations

from docs.shell import ROOT, blocks, lines

import ppdp_lab as pl
from docs.builder.scores import PAPERS, papers_of
from ppdp_lab.lab.catalogue import experiments
from ppdp_lab.registry import FAMILIES

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_one_page_with_one_picture_two_commands_and_ten_lines_each() -> None:
    assert len(README.splitlines()) < 70 and README.count("![") == 1
    (_, two), (python, code), (shell, ten) = blocks(README)
    assert [line.split()[0] for line in lines(two)] == ["make", "make"]
    assert (python, len(code.splitlines())) == ("python", 10) and (shell, len(lines(ten))) == ("sh", 10)


def test_the_papers_are_named_as_the_pages_name_them() -> None:
    for paper in PAPERS.values():
        assert f"- {paper}: [" in README and f"(notebooks/{paper.name}.ipynb)" in README, paper.name


def test_every_notebook_of_an_experiment_can_be_reached() -> None:
    for experiment in experiments(ROOT):
        assert f"(notebooks/{experiment.notebook.name})" in README, experiment.name


def test_every_paper_that_an_experiment_names_is_known_and_cited_by_a_family() -> None:
    assert all(getattr(pl, room) for room in pl._ROOMS), "a room enters its members when it is imported"
    cited = {paper.name for family in FAMILIES.values() for e in family.entries() for paper in papers_of(e.paper)}
    named = {experiment.paper for experiment in experiments(ROOT)} & set(PAPERS)
    assert set(PAPERS) == named == cited
