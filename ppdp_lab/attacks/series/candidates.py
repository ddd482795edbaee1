"""Candidate multisets: for every person, the published records of which one is theirs, over a whole series."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import Values
from ppdp_lab.attacks.search import Traces, alike, beside, histories, match, pooled
from ppdp_lab.attacks.series._intersection import common_counts
from ppdp_lab.forms import PublishedRows
from ppdp_lab.table import Cells


def confidence(cells: Cells) -> np.ndarray:
    """Share of the most frequent value of each multiset; 0 for an empty one."""
    largest = np.zeros(len(cells.offsets) - 1)
    filled = np.diff(cells.offsets) > 0
    if filled.any():
        largest[filled] = np.maximum.reduceat(cells.counts, cells.offsets[:-1][filled]) / cells.sizes[filled]
    return largest


def candidate_multisets(
    series: Sequence[PublishedRows], background: Background, values: Values, *, track: bool
) -> tuple[np.ndarray, Cells]:
    """Cell of each person, persons of one cell not being told apart, and the values of each cell's candidate records.

    Tracked: the rows of all pseudonyms that fit the person throughout; their values are those of the last release that
    holds them. Untracked: the multiset intersection, over the releases, of the sensitive values of all groups that may
    hold the person; this supposes that values stay the same.
    """
    if track:
        traces = Traces.of(series, values)
        found = match(series, background, traces)
        return found.person_cell, pooled(traces.last_values(values.n), found.offsets, found.traces)
    units, history = histories(series, background)
    cell_of, cell_history = alike(history, [unit.n for unit in units])
    shown = beside([unit.pool(cells) for unit, cells in zip(units, values.of_groups(series))])
    base = np.cumsum([0, *(unit.n for unit in units)])[:-1]
    lengths, codes, counts = common_counts(
        np.where(cell_history >= 0, cell_history + base, -1),
        shown.offsets,
        shown.values,
        shown.counts,
        max(values.n, 1),
    )
    return cell_of, Cells(np.r_[0, np.cumsum(lengths)], codes, counts, values.n)
