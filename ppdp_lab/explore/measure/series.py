"""A series of releases, what an adversary knows of it, and what is left of one person's secret after each release."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ppdp_lab.anonymize import Anonymizer
from ppdp_lab.attacks import Background, SensitiveUpdateGraph, UpdateModel
from ppdp_lab.datasets.examples import ExampleRelease, equivalence, mdistinct
from ppdp_lab.errors import IdError
from ppdp_lab.forms import Published
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.republish import Publisher
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Microdata

PRINTED = {
    "patients": {
        "as printed, 2-diverse": mdistinct.diverse_series,
        "as printed, 2-Distinct": mdistinct.distinct_series,
    },
    "hospital": {
        "as printed, 2-diverse": equivalence.naive_series,
        "as printed, 2-invariant": equivalence.invariant_series,
    },
}
"""Worked examples: six patients whose values change (Li and Zhou), a hospital where people come and go (He et al.)."""


@dataclass(frozen=True, eq=False)
class Series:
    """Published tables and the strongest background on them; what follows sees nothing else of the releases."""

    published: list[Published]
    background: Background

    @classmethod
    def of(cls, releases: Sequence[Release], *, model: UpdateModel | None = None, groups: bool = True) -> Series:
        """What was published, everybody's presence and quasi-identifiers, their groups if told, and the update model."""
        known = Background.worst_case(releases).with_model(model)
        return cls([r.published() for r in releases], known if groups else known.without_groups())


def published_by(maker: Publisher | Anonymizer, snapshots: Iterable[Snapshot | Microdata]) -> list[Release]:
    """The releases of a publisher, or of an anonymizer that takes every table for the first one it sees."""
    if isinstance(maker, Publisher):
        fresh = copy.deepcopy(maker)  # the one that was given may be used again
        return [fresh.publish(snapshot) for snapshot in snapshots]
    return [maker.anonymize(s.table if isinstance(s, Snapshot) else s) for s in snapshots]


def printed(tables: Sequence[ExampleRelease]) -> list[Release]:
    """Releases as a paper prints them."""
    out = []
    for table in tables:
        fake = table.counterfeits
        invented = Counterfeits(table.counterfeit_class, fake.sensitive_codes, fake.qi_codes)
        out.append(Release(table.table, table.class_of, counterfeits=invented, grouped=True))
    return out


def example(data: str) -> tuple[list[Microdata], UpdateModel | None]:
    """The tables of a worked example, and how values change in it.

    >>> [len(table) for table in example("hospital")[0]], example("hospital")[1]
    ([6, 7, 5], None)
    """
    if data == "patients":
        return [mdistinct.table_1(), mdistinct.table_2()], UpdateModel.blocks(mdistinct.candidate_update_sets())
    return [t.table for t in (equivalence.table_1(), equivalence.table_2(), equivalence.table_6())], None


# ---------------------------------------------------------------------- one person
def graphs_of(series: Series, person: object) -> list[SensitiveUpdateGraph | None]:
    """The person's update graph after each release; None as long as they have not been published.

    >>> tables = printed(mdistinct.diverse_series())
    >>> series = Series.of(tables, model=example("patients")[1])
    >>> [[sorted(level) for level in graph.feasible().levels] for graph in graphs_of(series, "Julia")]
    [[['Dyspepsia', 'Pneumonia']], [['Pneumonia'], ['Lung Cancer', 'Pneumonia']]]
    """
    found: list[SensitiveUpdateGraph | None] = []
    for number in range(1, len(series.published) + 1):
        known = series.background[:number]
        if person not in known.ids:
            found.append(None)
            continue
        found.append(SensitiveUpdateGraph.of(series.published[:number], known, person))
    if found[-1] is None:
        raise IdError(f"{person!r} is in none of these releases; pick somebody else")
    return found


def fewest_left(graph: SensitiveUpdateGraph | None) -> int | None:
    """How many values are left for the version that has fewest."""
    return None if graph is None else min(int(mask.sum()) for mask in graph.alive())


def disclosed_at(graphs: Sequence[SensitiveUpdateGraph | None]) -> int | None:
    """The release, counted from 1, after which some version has one value left; None if there is no such release."""
    return next((number for number, graph in enumerate(graphs, start=1) if fewest_left(graph) == 1), None)


def candidates(graphs: Sequence[SensitiveUpdateGraph | None], after: int) -> pd.DataFrame:
    """Per version of the person up to a release: the values of their group, and those that are left after that release."""
    graph = graphs[after - 1]
    rows: list[dict[str, Any]] = []
    if graph is not None:
        for release, level, left in zip(graph.releases, graph.levels, graph.posterior()):
            rows.append(
                {
                    "release": release + 1,
                    "group shows": ", ".join(map(str, level)),
                    "left": ", ".join(map(str, left)),
                    "surest guess": max(left.values(), default=0.0),
                }
            )
    return pd.DataFrame(rows, columns=["release", "group shows", "left", "surest guess"])


def most_exposed(series: Series) -> pd.Series:
    """How many values are left of everybody who is named, in the release that leaves fewest; the most exposed first."""
    from ppdp_lab.attacks import update_risks

    found = update_risks(series.published, series.background).to_frame()
    fewest = found.groupby("person", sort=False)["candidates"].min()
    return fewest.sort_values(kind="stable")
