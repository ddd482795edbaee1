"""Beliefs: what an adversary thinks of the sensitive value of each unit of one release."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import check_shown, sensitive_values
from ppdp_lab.attacks.results import Disclosure
from ppdp_lab.attacks.search import Units
from ppdp_lab.forms import Published, PublishedRows
from ppdp_lab.table import Histogram


class OneRelease:
    """One release and the persons an adversary looks for in it; units are computed once and spread to persons."""

    def __init__(self, published: Published, background: Background | None) -> None:
        (published,), background = check_shown([published], background, reads=())
        presence = None if background is None else background.releases[0]
        self.published = published
        self.units = Units(published, presence)
        self.ids: pd.Index | None = None
        if background is not None and presence is not None:
            self.ids = background.ids[presence.persons]
        self.people = published.real_sizes if presence is None else np.ones(len(presence), dtype=np.int64)

    def spread(self, per_unit: Any) -> Any:
        """A quantity per unit, per group or person."""
        return per_unit[self.units.unit_of]

    def disclosure(
        self,
        attack: str,
        measure: str,
        scores: np.ndarray,
        breached: np.ndarray,
        finding: str,
        details: dict[str, Any] | None = None,
    ) -> Disclosure:
        """The result of an attack whose quantities are given per unit."""
        return Disclosure(
            attack=attack,
            measure=measure,
            scores=self.spread(scores),
            breached=self.spread(breached),
            people=self.people,
            ids=self.ids,
            finding=finding,
            details={name: self.spread(column) for name, column in (details or {}).items()},
        )


def beliefs(release: OneRelease, attribute: str | None) -> Histogram:
    """How likely each value of one sensitive attribute is for each unit: its ``shares``.

    Every published row that a unit's quasi-identifiers match is equally likely to be the person's (random worlds).
    """
    published = cast(PublishedRows, release.published)
    values = sensitive_values([published], attribute)
    cells = release.units.pool(values.of_groups([published])[0], by_matches=True)
    return Histogram(values.domains[0], cells.owner, cells.values, cells.counts, cells.sizes)


def largest(held: Histogram, amounts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per unit, the largest of a quantity given per cell, and the value that has it (the first, at a tie)."""
    best, value = held.max(amounts), np.zeros(len(held.sizes), dtype=np.int32)
    at = np.flatnonzero(amounts == best[held.cell_class])[::-1]  # the last one written is the first one found
    value[held.cell_class[at]] = held.values[at]
    return best, value
