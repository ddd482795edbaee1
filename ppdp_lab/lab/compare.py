"""Making members of a registry alike: each takes, of what a comparison gives to all, whatever it has a parameter for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ppdp_lab.anonymize import Anonymizer
from ppdp_lab.anonymize.lattice.base import default_hierarchy
from ppdp_lab.attacks import ATTACKS, Attack, AttackResult, Background, UpdateModel
from ppdp_lab.attacks.base import ATTRIBUTE, IDENTITY, PAIR, RELEASE, SERIES
from ppdp_lab.errors import DirtyRecordsWarning, ParameterError, PPDPError, listed, unknown
from ppdp_lab.metrics import METRICS, Queries
from ppdp_lab.principles import DistinctLDiversity, KAnonymity, Principle, TCloseness
from ppdp_lab.registry import FAMILIES, Entry, Seed, make
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Published
from ppdp_lab.republish import Publisher, Snapshot
from ppdp_lab.republish.memory import Stored
from ppdp_lab.table import Domain, Hierarchy, Microdata, Schema

Settings = Mapping[str, Mapping[str, Any]]
"""What single members are given besides, by their name: ``{"BPG": {"variant": "no-dirty"}}``."""


def of_entry(entry: Entry[Any], given: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """What a member is made or called with: of what all are given whatever it has a parameter for, then its own settings.

    >>> from ppdp_lab.republish import PUBLISHERS
    >>> of_entry(PUBLISHERS.entry("I3M"), {"k": 5, "m": 5, "seed": 1}, {"I3M": {"optimize": True}})
    {'k': 5, 'seed': 1, 'optimize': True}
    """
    names = [p.name for p in entry.parameters]
    own = settings.get(entry.name, {})
    for name in own:
        if name not in names:
            raise ParameterError(f"settings: {unknown(f'parameter of {entry.name}:', name, names)}")
    said = {name: given[name] for name in names if name in given} | dict(own)
    missing = [p.name for p in entry.parameters if p.required and p.name not in said]
    if missing:
        raise ParameterError(
            f"{entry.name} needs {listed(missing)}, which the comparison does not give; say it in settings, such as "
            f"{{{entry.name!r}: {{{missing[0]!r}: 3}}}}"
        )
    return said


def made(entry: Entry[Any], given: Mapping[str, Any], settings: Settings) -> Any:
    """A member of a registry of classes, made with what fits it.

    >>> from ppdp_lab.republish import PUBLISHERS
    >>> made(PUBLISHERS.entry("EEquivalence"), {"k": 5, "m": 5, "e": 3}, {})
    <EEquivalence(5, e=3), 0 releases so far>
    """
    return make(entry.member, of_entry(entry, given, settings))


def check_settings(settings: Any, families: Iterable[str]) -> Settings:
    """Refuse settings of members that are in none of these families, which would be passed over, and strange parameters."""
    known = {name: FAMILIES[family].entry(name) for family in families for name in FAMILIES[family]}
    for name, said in dict(settings).items():
        if name not in known:
            raise ParameterError(f"settings: {unknown('name', name, known)}")
        if not isinstance(said, Mapping):
            raise ParameterError(
                f"settings of {name} must be parameters by name, such as {{{name!r}: {{'seed': 1}}}}, not {said!r}"
            )
        of_entry(known[name], {p.name: None for p in known[name].parameters}, settings)
    return dict(settings)


@contextmanager
def dirty_records_are_known() -> Iterator[None]:
    """Experiments count dirty records themselves; being told at every release would hide the rest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirtyRecordsWarning)
        yield


def rule_of(k: int) -> Principle:
    """k-anonymity and distinct l-diversity with l = k, as in the paper."""
    return KAnonymity(k) & DistinctLDiversity(k)


def rules(k: int, *, l: int, t: float) -> dict[str, Principle]:  # noqa: E741
    """k-anonymity, alone and with what closes the holes that it leaves.

    >>> list(rules(5, l=3, t=0.3))
    ['k-anonymity', '+ l-diversity', '+ t-closeness']
    """
    alone = KAnonymity(k)
    return {
        "k-anonymity": alone,
        "+ l-diversity": alone & DistinctLDiversity(l),
        "+ t-closeness": alone & TCloseness(t),
    }


# --------------------------------------------------------------------
# Hierarchies for columns that have none, so that algorithms that need one can be compared with those that do not.


def completed(table: Microdata) -> Microdata:
    """The table with a hierarchy for every quasi-identifier: intervals for numbers, all or nothing for other values.

    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": range(20, 100), "sex": ["f", "m"] * 40}), pl.Schema(["age", "sex"]))
    >>> trees = completed(table).hierarchies
    >>> trees["age"].levels(27), trees["sex"].levels("f")
    (['27', '[25, 29]', '[20, 29]', '[20, 39]', '[20, 59]', '*'], ['f', '*'])
    """
    lacking = [name for name in table.schema.quasi_identifiers if name not in table.hierarchies]
    if not lacking:
        return table
    trees = {name: tree_of(table.domains[name]) for name in lacking}
    old = table.schema
    declared = {name: values for name, values in old.domains.items() if name not in trees}  # a tree says its values
    schema = Schema(old.quasi_identifiers, old.sensitive, (), declared)
    trees = {**table.hierarchies, **trees}
    return Microdata(table.frame, schema, trees, ids=table.ids, provenance=table.provenance, missing=table.missing)


def asked_of(table: Microdata, queries: Queries) -> Queries:
    """The same queries, asked of a table that has the same values and may have other hierarchies."""
    places = {c.domain.name: table.domains[c.domain.name].map_to(c.domain) for c in queries.columns}
    return Queries.of_members(table, {c.domain.name: c.members()[:, places[c.domain.name]] for c in queries.columns})


def tree_of(domain: Domain) -> Hierarchy:
    """The default intervals of full-domain generalization for numbers; one level for all other values."""
    if domain.values.dtype.kind in "iuf":
        return default_hierarchy(domain)
    return Hierarchy.from_levels({value: ["*"] for value in domain.decode(np.arange(domain.known))})


# --------------------------------------------------------------------
# The naive baseline of a series: an anonymizer that is run anew on every snapshot, as if there were no other.


class NaiveBaseline(Publisher):
    """Runs an anonymizer on each snapshot and remembers nothing but who is who.

    It promises what the anonymizer promises, for each release by itself. As a publisher it gives everybody a pseudonym, so
    that the adversary who follows rows can be tried on it, too.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [21, 25, 57, 60]}), pl.Schema("age"))
    >>> NaiveBaseline(pl.Mondrian(pl.KAnonymity(2))).publish(table).to_frame()["age"].unique().tolist()
    ['[21, 25]', '[57, 60]']
    """

    layout: ClassVar[Mapping[str, Stored]] = {}

    def __init__(self, anonymizer: Anonymizer, *, seed: Seed = None) -> None:
        super().__init__(seed=seed)
        self.anonymizer = anonymizer

    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        made = self.anonymizer.anonymize(snapshot.table)
        shown = {"boxes": made.boxes, "style": made.style, "grouped": made.grouped}
        return self._make(snapshot.table, persons, made.class_of, **shown), persons


# --------------------------------------------------------------------
# Trying every attack of the registry on a series, each called as what is registered of it says.
#
# How much it sees decides what it is shown: every release by itself, the last two, or all. Everybody's
# adversary knows who is in which release, with which quasi-identifiers and in which group, and the update model where values
# change. An attack that needs pseudonyms gets them; one that can do without is tried both ways. Where an attack has a threshold
# it is the same for all: breached is who hides among fewer than so many people, or whose value among fewer than so many values.


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

    >>> ways(ATTACKS.entry("intersection")), ways(ATTACKS.entry("skewness"))
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


def attack_columns(sees: tuple[str, ...]) -> Iterator[tuple[Entry[Attack[Any, Any]], dict[str, Any]]]:
    """Every attack that sees so much, in every way that it is tried, with the row of its result as yet unknown."""
    for entry in ATTACKS.entries():
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
        self._tried: dict[str, dict[str, Any]] = {}

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
        for entry, row in attack_columns(sees):
            try:
                said = of_entry(entry, {**entry.member.settings, **given[row["discloses"]]}, settings)
            except PPDPError as error:
                yield row | {"why": str(error)}
                continue
            key = f"{row['attack']} {said}"  # an attack without a threshold is not tried again under another
            if key not in self._tried:
                self._tried[key] = self._try(entry, row["followed"], said)
            yield row | self._tried[key]

    def _try(self, entry: Entry[Attack[Any, Any]], followed: bool, said: Mapping[str, Any]) -> dict[str, Any]:
        try:
            found = results_of(entry.member, self.series(followed), self.background, said)
            worst = max(found, key=lambda one: one.share_of_people_breached)
        except PPDPError as error:
            return {"why": str(error)}
        return {"share": worst.share_of_people_breached, "found": str(worst)}


def untried(why: str, *, sees: tuple[str, ...] = EVERYTHING) -> Iterator[dict[str, Any]]:
    """The rows of a series that could not be published, and why."""
    return (row | {"why": why} for _, row in attack_columns(sees))


# --------------------------------------------------------------------
# What releases cost: every metric of the registry, and the records that were invented, left out or added.


COUNTED = ("counterfeits", "suppressed", "dirty")
TIME = "time"


def cost_columns() -> list[dict[str, Any]]:
    """Every cost with its label, its unit and which way is better, its value as yet unknown.

    >>> [row["label"] for row in cost_columns()][-4:]
    ['counterfeits', 'suppressed', 'dirty', 'time']
    """
    said = [(m.name, m.label, m.unit, m.better) for m in METRICS.values()]
    said += [(name, name, "records per release", "lower") for name in COUNTED]
    said.append((TIME, TIME, "seconds per release", "lower"))
    rows = [dict(zip(("cost", "label", "unit", "better"), one)) for one in said]
    return [row | {"value": np.nan, "why": ""} for row in rows]


def of_releases(
    releases: Sequence[Release], given: Mapping[str, Any], settings: Settings, *, seconds: float
) -> Iterator[dict[str, Any]]:
    """One row per cost, the mean over the releases; or why it cannot be said. ``seconds`` is the time of one release."""
    counts = pd.DataFrame([release.per_class()[list(COUNTED)].sum() for release in releases]).mean()
    known = {name: float(counts[name]) for name in COUNTED} | {TIME: seconds}
    for row in cost_columns():
        name = row["cost"]
        try:
            value = known[name] if name in known else mean_of(name, releases, given, settings)
            yield row | {"value": value}
        except PPDPError as error:
            yield row | {"why": str(error)}


def mean_of(name: str, releases: Sequence[Release], given: Mapping[str, Any], settings: Settings) -> float:
    """The mean of a metric, which takes of what is given the parameters that it needs, and those that settings name."""
    metric = METRICS[name]
    said = {needed: given[needed] for needed in metric.needs if needed in given} | dict(settings.get(name, {}))
    missing = [needed for needed in metric.needs if needed not in said]
    if missing:
        raise ParameterError(f"{name} needs {listed(missing)}, which the comparison does not give; say it in settings")
    return float(np.mean([metric(release, **said) for release in releases]))


def unpaid(why: str) -> list[dict[str, Any]]:
    """The rows where there is no release, and why."""
    return [row | {"why": why} for row in cost_columns()]
