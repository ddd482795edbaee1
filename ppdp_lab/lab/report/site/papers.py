"""The papers whose figures and claims the experiments are held against."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper: the name that experiment files use, how it is cited in full, and the marks that registries know it by."""

    name: str
    title: str
    authors: str
    where: str
    marks: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.authors}: *{self.title}*, {self.where}"


PAPERS = {
    paper.name: paper
    for paper in (
        Paper(
            "speedy",
            "Survey of Privacy-Preserving Data Publishing Methods and Speedy: a multi-threaded algorithm preserving k-anonymity",
            "Serafeim G. Chatzopoulos",
            "master's thesis, University of Athens, 2015",
            ("Chatzopoulos, thesis 2015",),
        ),
        Paper(
            "i3m",
            "K-Anonymization Incremental Maintenance and Optimization Techniques",
            "Traian Marius Truta and Alina Campan",
            "SAC 2007",
            ("Truta and Campan, SAC 2007", "I3M paper"),
        ),
        Paper(
            "equivalence",
            "Preventing Equivalence Attacks in Updated, Anonymized Data",
            "Yeye He, Siddharth Barman and Jeffrey F. Naughton",
            "ICDE 2011",
            ("He et al., ICDE 2011", "equivalence paper"),
        ),
        Paper(
            "bpg",
            "Generically Extending Anonymization Algorithms to Deal with Successive Queries",
            "Manuel Barbosa, Alexandre Pinto and Bruno Gomes",
            "CIKM 2012",
            ("Barbosa et al., CIKM 2012", "BPG paper"),
        ),
        Paper(
            "mdistinct",
            "Challenging More Updates: Towards Anonymous Re-publication of Fully Dynamic Datasets",
            "Feng Li and Shuigeng Zhou",
            "2008",
            ("Li and Zhou, 2008", "m-Distinct paper"),
        ),
    )
}
"""By the name that experiment files give as ``paper``."""


def papers_of(citation: str) -> list[Paper]:
    """Which of the papers a registry's citation names; most citations name other ones.

    >>> [paper.name for paper in papers_of("Ganta et al., KDD 2008; Barbosa et al., CIKM 2012")]
    ['bpg']
    """
    return [paper for paper in PAPERS.values() if any(mark in citation for mark in paper.marks)]
