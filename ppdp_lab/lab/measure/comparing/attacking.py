"""Trying every attack of the registry on a series, each called as what is registered of it says.

How much it sees decides what it is shown: every release by itself, the last two, or all. Everybody's
adversary knows who is in which release, with which quasi-identifiers and in which group, and the update model where values
change. An attack that needs pseudonyms gets them; one that can do without is tried both ways. Where an attack has a threshold
it is the same for all: breached is who hides among fewer than so many people, or whose value among fewer than so many values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ppdp_lab.attacks import ALL, Attack, AttackResult, Background, UpdateModel
from ppdp_lab.attacks.registry import ATTRIBUTE, IDENTITY, PAIR, RELEASE, SERIES
from ppdp_lab.errors import ParameterError, PPDPError
from ppdp_lab.forms import Published
from ppdp_lab.lab.measure.comparing.members import Settings, of_entry
from ppdp_lab.principles import DistinctLDiversity
from ppdp_lab.registry import Entry
from ppdp_lab.release import Release

FOLLOWED = "rows followed"
EVERYTHING = (RELEASE, PAIR, SERIES)


def thresholds(people: int, values: int) -> dict[str, dict[str, Any]]:
    """The threshold under the names that attacks have for it, by what they disclose: an identity, or an attribute.

    Breached is who hides among fewer than so many people, or whose value among fewer than so many values. Fewer than n
    candidates are a probability above 1 / n, or of at least 1 / (n - 1).

    >>> thresholds(5, 2)["attribute"]
    {'least': 2, 'threshold': 0.5, 'confidence': 1.0, 'rule': DistinctLDiversity(2)}
    """
    return {
        what: {"least": n, "threshold": 1 / n, "confidence": 1 / (n - 1), "rule": DistinctLDiversity(n)}
        for what, n in ((IDENTITY, people), (ATTRIBUTE, values))
    }


def ways(entry: Entry[Attack[Any, Any]]) -> list[tuple[str, bool]]:
    """Under which names an attack is tried, and whether it then follows rows by their pseudonyms.

    >>> ways(ALL.entry("intersection")), ways(ALL.entry("skewness"))
    ([('intersection', False), ('intersection, rows followed', True)], [('skewness', False)])
    """
    if entry.member.needs_pseudonyms:
        return [(entry.name, True)]
    if any(p.name == "track" for p in entry.parameters):
        return [(entry.name, False), (f"{entry.name}, {FOLLOWED}", True)]
    return [(entry.name, False)]


def results_of(
    attack: Attack[Any, Any], series: Sequence[Published], background: Background, said: Mapping[str, Any]
) -> Iterator[AttackResult]:
    """What an attack finds: in every release, in the last two of them, or in the series, as it sees them."""
    shown: list[tuple[tuple[Any, ...], Background]]
    if attack.sees == RELEASE:
        shown = [((one,), background[i]) for i, one in enumerate(series)]
    elif attack.sees == PAIR:
        shown = [(tuple(series[-2:]), background[-2:])] if len(series) > 1 else []
    else:
        shown = [((list(series),), background)]
    if not shown:
        raise ParameterError(f"{attack.name} sees two releases, and there is only one; publish another")
    for seen, known in shown:
        yield attack(*seen, known, **said)


def columns(sees: tuple[str, ...]) -> Iterator[tuple[Entry[Attack[Any, Any]], dict[str, Any]]]:
    """Every attack that sees so much, in every way that it is tried, with the row of its result as yet unknown."""
    for entry in ALL.entries():
        if entry.member.sees in sees:
            for name, followed in ways(entry):
                row = {"attack": name, "sees": entry.member.sees, "discloses": entry.member.discloses}
                yield entry, row | {"followed": followed, "share": np.nan, "found": "", "why": ""}


class Adversary:
    """What the adversary of one series has: the published tables, with and without pseudonyms, and the background."""

    def __init__(self, releases: Sequence[Release], model: UpdateModel | None = None) -> None:
        self.background = Background.worst_case(releases).with_model(model)
        self._releases = releases
        self._seen: dict[bool, list[Published]] = {}

    def series(self, followed: bool) -> list[Published]:
        """The published tables, with pseudonyms or without."""
        if followed not in self._seen:
            self._seen[followed] = [release.published(track=followed) for release in self._releases]
        return self._seen[followed]

    def tries(
        self, given: Mapping[str, Mapping[str, Any]], settings: Settings, *, sees: tuple[str, ...] = EVERYTHING
    ) -> Iterator[dict[str, Any]]:
        """One row per attack and way: the share of people breached, in the worst release if it sees one; or why there is none.

        ``given`` holds what attacks get that disclose an identity, and those that disclose an attribute.
        """
        for entry, row in columns(sees):
            try:
                said = of_entry(entry, {**entry.member.settings, **given[row["discloses"]]}, settings)
                found = list(results_of(entry.member, self.series(row["followed"]), self.background, said))
            except PPDPError as error:
                yield row | {"why": str(error)}
                continue
            worst = max(found, key=lambda one: one.share_of_people_breached)
            yield row | {"share": worst.share_of_people_breached, "found": str(worst)}


def untried(why: str, *, sees: tuple[str, ...] = EVERYTHING) -> Iterator[dict[str, Any]]:
    """The rows of a series that could not be published, and why."""
    return (row | {"why": why} for _, row in columns(sees))
