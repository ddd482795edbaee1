"""Beliefs: what an adversary thinks of the sensitive value of each unit of one release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import check_shown, sensitive_values
from ppdp_lab.attacks.results import Disclosure
from ppdp_lab.attacks.search import Units
from ppdp_lab.forms import Published, PublishedRows
from ppdp_lab.table import Cells, Domain


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


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Probability of each sensitive value for each unit: cells sorted by unit, then by value.

    Every published row that a unit's quasi-identifiers match is equally likely to be the person's (random worlds).
    """

    domain: Domain
    cells: Cells
    owner: np.ndarray
    shares: np.ndarray

    @staticmethod
    def of(release: OneRelease, attribute: str | None) -> Beliefs:
        """Beliefs about one sensitive attribute."""
        published = cast(PublishedRows, release.published)
        values = sensitive_values([published], attribute)
        rows = Cells.count(published.row_group, values.codes[0], published.n_groups, values.n)
        cells = release.units.pool(rows, by_matches=True)
        owner = cells.owner
        totals = cells.sizes
        return Beliefs(values.domains[0], cells, owner, cells.counts / totals[owner])

    @property
    def n(self) -> int:
        """Number of units."""
        return len(self.cells.offsets) - 1

    def total(self, amounts: np.ndarray) -> np.ndarray:
        """Per unit, the sum of a quantity given per cell."""
        return np.bincount(self.owner, weights=amounts, minlength=self.n)

    def largest(self, amounts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Per unit, the largest of a quantity given per cell, and the value that has it (the first, at a tie)."""
        best, value = np.zeros(self.n), np.zeros(self.n, dtype=np.int32)
        filled = np.diff(self.cells.offsets) > 0
        if filled.any():
            best[filled] = np.maximum.reduceat(amounts, self.cells.offsets[:-1][filled])
            at = np.flatnonzero(amounts == best[self.owner])[::-1]
            value[self.owner[at]] = self.cells.values[at]
        return best, value

    def extremes(self) -> tuple[np.ndarray, np.ndarray]:
        """Per unit, its smallest and its largest value code."""
        starts, ends = self.cells.offsets[:-1], self.cells.offsets[1:]
        filled = np.flatnonzero(ends > starts)
        low, high = np.zeros((2, self.n), dtype=np.int32)
        low[filled], high[filled] = self.cells.values[starts[filled]], self.cells.values[ends[filled] - 1]
        return low, high
