"""The table of what is implemented: all members, the notebooks that really use them, verdicts of the claims about them."""

from __future__ import annotations

import re

import pytest
from docs.shell import ROOT

import ppdp_lab as pl
from docs.builder.pages import Site
from ppdp_lab.lab.catalogue import experiments
from ppdp_lab.lab.experiment import Experiment
from ppdp_lab.registry import FAMILIES

EXPERIMENTS = {experiment.name: experiment for experiment in experiments(ROOT)}
ALGORITHMS = ("anonymizer", "attack", "principle", "publisher")


@pytest.fixture(scope="module")
def rows(site: Site) -> dict[str, list[str]]:
    """The cells of the table by the name of the member."""
    lines = [line for line in site.filled("{{ implemented }}").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return {row[1].partition(":")[0]: row for row in cells}


def test_every_member_of_every_family_stands_in_reference_and_table(site: Site, rows: dict[str, list[str]]) -> None:
    pages = "\n".join(site.made().values())
    entries = [entry for family in FAMILIES.values() for entry in family.entries()]
    assert len(entries) > 50
    for entry in entries:
        paper, _, code, _, verdict = rows[entry.name]
        (place,) = re.findall(r"\]\[(ppdp_lab\.[\w.]+)\]", code)
        assert f"::: {place}\n" in pages, entry.name
        assert paper == " ".join(entry.paper.split()).replace("|", "\\|") and verdict


def test_a_new_member_comes_into_the_table_by_itself(site: Site) -> None:
    from ppdp_lab.principles import PRINCIPLES, KAnonymity

    with PRINCIPLES.trying():
        PRINCIPLES.add("Newcomer", accepts="all", promises="little", paper="none")(type("Newcomer", (KAnonymity,), {}))
        assert "| none | Newcomer: little |" in site.filled("{{ implemented }}")
    assert "Newcomer" not in site.filled("{{ implemented }}")


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda experiment: experiment.name)
def test_every_claim_says_which_members_it_is_about(experiment: Experiment) -> None:
    assert all(getattr(pl, room) for room in pl._ROOMS), "a room enters its members when it is imported"
    known = {name for family in FAMILIES.values() for name in family}
    algorithms = {name for family in ALGORITHMS for name in FAMILIES[family]}
    for claim in experiment.claims:
        assert set(claim.about) <= known, f"{claim.id}: {set(claim.about) - known} are in no registry"
        assert algorithms & set(claim.about), f"{claim.id}: name an algorithm, attack or principle under about"


def test_verdicts_are_those_of_the_scorecard(site: Site, rows: dict[str, list[str]]) -> None:
    for name, row in rows.items():
        for experiment, said in re.findall(r"\(gallery/(\w+)\.md\): (.*?)(?=<br>|$)", row[4]):
            texts = [c.text for c in EXPERIMENTS[experiment].claims if name in c.about]
            judged = [site.cards[experiment].claims[text].outcomes for text in texts]
            first = [next(iter(outcomes.values()))[1] for outcomes in judged]
            counted = [int(n) for n in re.findall(r"(\d+) holds?\b", said.partition(";")[0])]
            assert sum(counted) == first.count("holds"), (name, experiment, said)
    assert "(gallery/speedy.md)" in rows["Speedy"][4] and "(gallery/crossover.md)" not in rows["Speedy"][4]
    assert rows["occ"][4] == rows["joint reasoning"][4] == "tests only", "tested on it, and about nobody"


def test_a_notebook_stands_where_it_is_used_and_nowhere_else(rows: dict[str, list[str]]) -> None:
    found = {name: re.findall(r"\(notebooks/([\w/]+)\.md\)", row[3]) for name, row in rows.items()}
    assert found["sal"] == ["bpg", "equivalence", "crossover"], "also what only a scale of the experiment file names"
    assert "mdistinct" not in found["ihis"] and "tour" not in found["ihis"], (
        "to look into a registry is not to use it all"
    )
    assert "crossover" not in found["Samarati"] and "crossover" in found["Anatomy"]
    assert found["partition"] == ["explore/partition"], "an explorer has its own"
    assert found["Speedy"][0] == "speedy", "the notebook of its own paper first"
