"""Candidate multisets: for every person, the published records of which one is theirs, over a whole series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import Values
from ppdp_lab.attacks.search import Traces, alike, beside, histories, match, pooled
from ppdp_lab.attacks.series._intersection import common_counts
from ppdp_lab.forms import PublishedRows
from ppdp_lab.table import Cells


@dataclass(frozen=True, eq=False)
class Candidates:
    """Sensitive values of the candidate records of each cell of persons that the series does not tell apart."""

    cell_of: np.ndarray
    cells: Cells

    @property
    def records(self) -> np.ndarray:
        """Candidate records per cell."""
        return self.cells.sizes.astype(np.int64)

    @property
    def distinct(self) -> np.ndarray:
        """Candidate values per cell."""
        return np.diff(self.cells.offsets)

    @property
    def confidence(self) -> np.ndarray:
        """Per cell, the share of its most frequent candidate value; 0 where no candidate is left."""
        largest = np.zeros(len(self.distinct))
        filled = self.distinct > 0
        if filled.any():
            shares = self.cells.counts / self.cells.sizes[self.cells.owner]
            largest[filled] = np.maximum.reduceat(shares, self.cells.offsets[:-1][filled])
        return largest


def candidate_multisets(
    series: Sequence[PublishedRows], background: Background, values: Values, *, track: bool
) -> Candidates:
    """Candidate records of every person.

    Tracked: the rows of all pseudonyms that fit the person throughout; their values are those of the last release that
    holds them. Untracked: the multiset intersection, over the releases, of the sensitive values of all groups that may
    hold the person; this supposes that values stay the same.
    """
    if track:
        traces = Traces.of(series, values)
        found = match(series, background, traces)
        return Candidates(found.person_cell, pooled(traces.last_values(values.n), found.offsets, found.traces))
    units, history = histories(series, background)
    cell_of, cell_history = alike(history, [unit.n for unit in units])
    shown = beside(
        [
            unit.pool(Cells.count(release.row_group, codes, release.n_groups, values.n))
            for unit, release, codes in zip(units, series, values.codes)
        ]
    )
    base = np.cumsum([0, *(unit.n for unit in units)])[:-1]
    lengths, codes, counts = common_counts(
        np.where(cell_history >= 0, cell_history + base, -1),
        shown.offsets,
        shown.values,
        shown.counts.astype(np.int64),
        max(values.n, 1),
    )
    return Candidates(cell_of, Cells(np.r_[0, np.cumsum(lengths)], codes, counts, values.n))
