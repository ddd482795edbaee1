"""What is implemented: every member of every family, its paper, where it is used, and how the claims about it were judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report.site import reference
from ppdp_lab.lab.report.site.members.about import is_about
from ppdp_lab.lab.report.site.members.uses import Uses, of_experiment, resolved
from ppdp_lab.lab.report.site.papers import papers_of
from ppdp_lab.lab.report.site.scores import Card
from ppdp_lab.lab.report.text import markdown_table
from ppdp_lab.registry import FAMILIES, Entry

HEADER = ("paper", "what it is", "class or function", "notebook", "verdict")
GIVEN = "data set"  # claims are tested on it, none is about it


@dataclass(frozen=True)
class Member:
    """A member of a family: its entry, where the reference has it, which notebooks use it, verdicts by experiment."""

    family: str
    entry: Entry[Any]
    place: str
    notebooks: tuple[str, ...]
    verdicts: Mapping[str, str]

    @property
    def defined(self) -> str:
        """The full name that it has where it is defined; empty for what is no class or function, such as a data set."""
        made = self.entry.member
        return f"{made.__module__}.{made.__qualname__}" if hasattr(made, "__qualname__") else ""

    def row(self) -> tuple[str, ...]:
        """Its line in the table."""
        name = self.entry.name
        code = reference.link(self.place or "ppdp_lab.datasets.load", "" if self.place else f'load("{name}")')
        notebooks = ", ".join(f"[{one}](notebooks/{one}.md)" for one in self.notebooks)
        judged = [f"[{one}](gallery/{one}.md): {said}" for one, said in self.verdicts.items()]
        words = f"{name}: {self.entry.promises.partition('. ')[0]}"
        return self.entry.paper, words, code, notebooks or "none", "<br>".join(judged) or "tests only"

    def note(self) -> str:
        """What the reference says of it beside its docstring; links are those of a page in ``reference/``."""
        said = {
            self.family.capitalize(): f"`{self.entry.name}`",
            "Paper": self.entry.paper,
            "Notebooks": ", ".join(f"[{one}](../notebooks/{one}.md)" for one in self.notebooks),
            "Claims": "; ".join(f"[{one}](../gallery/{one}.md): {said}" for one, said in self.verdicts.items()),
        }
        return " · ".join(f"*{key}:* {words}" for key, words in said.items() if words)


def members(
    every: Sequence[reference.Room],
    experiments: Sequence[Experiment],
    cards: Mapping[str, Card],
    explorers: Iterable[Path] = (),
) -> list[Member]:
    """All members, family by family, in the order in which they were entered; ``explorers`` are their notebooks."""
    places = list(_public(every))  # imports the rooms, and thereby enters their members
    used = {each.name: of_experiment(each) for each in experiments}
    used |= {f"explore/{path.stem}": Uses(path) for path in explorers}
    found = []
    for family, registry in sorted(FAMILIES.items()):
        for entry in registry.entries():
            verdicts = {} if family == GIVEN else _verdicts(entry.name, experiments, cards)
            by = [name for name, uses in used.items() if name in verdicts or uses.member(entry)]
            ours = [paper.name for paper in papers_of(entry.paper)]
            by.sort(key=lambda name: name not in ours)  # the notebook of its own paper first
            place = next((path for path, member in places if member is entry.member), "")
            found.append(Member(family, entry, place, tuple(by), verdicts))
    return found


def tables(every: Iterable[Member]) -> str:
    """One table for each family."""
    families: dict[str, list[tuple[str, ...]]] = {}
    for member in every:
        families.setdefault(member.family, []).append(member.row())
    return "\n\n".join(
        f"## {family.capitalize()}s\n\n{markdown_table(HEADER, rows)}" for family, rows in families.items()
    )


def _verdicts(name: str, experiments: Sequence[Experiment], cards: Mapping[str, Card]) -> dict[str, str]:
    """By experiment: how many of its claims about a member hold; experiments without such claims are left out."""
    found = {}
    for experiment in experiments:
        texts = {claim.text for claim in experiment.claims if is_about(experiment.name, claim, name)}
        card = cards.get(experiment.name)
        if card and (judged := {text: said for text, said in card.claims.items() if text in texts}):
            found[experiment.name] = replace(card, claims=judged).summary()
    return found


def _public(every: Sequence[reference.Room]) -> Iterator[tuple[str, Any]]:
    for room in every:
        for name in room.names:
            path = f"ppdp_lab.{room.name}.{name}"
            yield path, resolved(path)
