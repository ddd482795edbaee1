"""The papers whose figures and claims the experiments are held against."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.experiment import FAILS, HOLDS, NOT_MEASURABLE, NOT_TESTED, NOTHING
from ppdp_lab.lab.scorecard import COLUMN, HEADER


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


# --------------------------------------------------------------------
# The committed scorecard, read back: what each experiment's claims came to when the gallery was made.


_SECTION = re.compile(r"^## ([\w-]+): (.*?)(?: \(((?:scale|no finished) .*)\))?$")
_REASON = re.compile(r"^- `([^`]+)` \(([^;)]+)(?:; ([^)]+))?\): (.*)$")
_PICTURE = re.compile(r"^!\[(.*)\]\([\w-]+/([\w-]+)\.png\)$")
_SAID = {HOLDS: ("holds", "hold"), FAILS: ("does not hold", "do not hold")}  # of one claim, and of several
_SAID |= {NOTHING: ("has nothing to judge", "have nothing to judge"), NOT_TESTED: ("was not tested", "were not tested")}
_SAID |= {NOT_MEASURABLE: ("was not measurable", "were not measurable")}
_CELLS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Judged:
    """A claim of the scorecard: its words, and for each kind of data what was measured and the verdict."""

    text: str
    source: str
    paper: str
    outcomes: dict[str, tuple[str, str]]  # by the name of the column; "" where there is only one


@dataclass(frozen=True)
class Card:
    """An experiment's part of the scorecard."""

    name: str
    title: str
    made: str = ""
    claims: dict[str, Judged] = field(default_factory=dict)  # by their words
    reasons: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # by claim: column ("" for all), reason
    captions: dict[str, str] = field(default_factory=dict)  # by figure, as they stand under what was drawn

    def counted(self) -> dict[str, Counter[str]]:
        """How often each verdict was given, by the kind of data."""
        columns: dict[str, Counter[str]] = {}
        for claim in self.claims.values():
            for column, (_, verdict) in claim.outcomes.items():
                columns.setdefault(column, Counter())[verdict] += 1
        return columns

    def summary(self, show: Callable[[str, str], str] = lambda words, verdict: words) -> str:
        """How many claims got which verdict, in a few words; ``show`` makes what is shown of them, such as a colour.

        >>> said = {"a": "holds", "b": "does not hold", "c": "does not hold"}
        >>> three = {text: Judged(text, "", "0", {"": ("0", verdict)}) for text, verdict in said.items()}
        >>> Card("demo", "A demonstration", claims=three).summary()
        '1 holds, 2 do not hold'
        """
        words: dict[str, list[str]] = {}
        for column, counts in self.counted().items():
            given = [(verdict, n, forms) for verdict, forms in _SAID.items() if (n := counts[verdict])]
            said = ", ".join(show(f"{n} {forms[n > 1]}", verdict) for verdict, n, forms in given)
            words.setdefault(said, []).append(column)
        alike = len(words) == 1  # then it does not matter from which rows
        return (
            "; ".join(s if alike else f"{', '.join(columns)}: {s}" for s, columns in words.items())
            or "no claims judged"
        )


def read_scorecard(path: Path) -> dict[str, Card]:
    """All parts of a scorecard by the name of their experiment; none if there is no such file."""
    if not path.is_file():
        return {}
    cards: dict[str, Card] = {}
    card: Card | None = None
    header: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            found = _SECTION.match(line)
            if found is None:
                raise DataFileError(
                    f"{path.name}, line {number}: not the heading of an experiment: {line!r}; make it anew"
                )
            card, header = Card(found[1], found[2], found[3] or ""), []
            cards[card.name] = card
        elif card is not None and line.startswith("| "):
            cells = [cell.strip().replace("\\|", "|") for cell in _CELLS.split(line)[1:-1]]
            if header:
                judged = _judged(header, cells)
                card.claims[judged.text] = judged
            header = header or cells
        elif card is not None and (reason := _REASON.match(line)):
            card.reasons.setdefault(reason[1], []).append((reason[3] or "", reason[4]))
        elif card is not None and (shown := _PICTURE.match(line)):
            card.captions[shown[2]] = shown[1]
    return cards


def _judged(header: list[str], cells: list[str]) -> Judged:
    """One row; the columns after the claim's come in pairs, ``measured, real rows`` and ``verdict, real rows``."""
    first = len(HEADER)
    outcomes = {
        header[i].partition(", ")[2]: (cells[i], cells[i + 1])
        for i in range(first, len(header), len(COLUMN))
        if cells[i + 1]
    }
    text, source, paper = cells[:first]
    return Judged(text, source, paper, outcomes)
