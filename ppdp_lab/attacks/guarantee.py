"""Guarantees over a series: what an auditor demands of every person's candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppdp_lab.attacks._intersection import common_counts
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import Values
from ppdp_lab.attacks.units import Traces, group_identical, histories, hstack, match, pooled
from ppdp_lab.errors import ParameterError, check_number
from ppdp_lab.principles import Principle
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.release.forms import PublishedRows
from ppdp_lab.table import Cells, ClassCounts
from ppdp_lab.text import OneLine


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
    cell_of, cell_history = group_identical(history, [unit.n for unit in units])
    shown = hstack([unit.pool(cells) for unit, cells in zip(units, values.of_groups(series))])
    base = np.cumsum([0, *(unit.n for unit in units)])[:-1]
    lengths, codes, counts = common_counts(
        np.where(cell_history >= 0, cell_history + base, -1),
        shown.offsets,
        shown.values,
        shown.counts,
        max(values.n, 1),
    )
    return cell_of, Cells(np.r_[0, np.cumsum(lengths)], codes, counts, values.n)


# --------------------------------------------------------------------
# What an auditor asks of everybody's candidate records.


@dataclass(frozen=True, eq=False)
class Guarantee(OneLine):
    """A rule, a largest confidence, or both; with neither, that no value is certain. An empty multiset never passes."""

    rule: Principle | None
    max_confidence: float | None
    values: Values

    def __post_init__(self) -> None:
        if self.rule is not None and not isinstance(self.rule, Principle):
            raise ParameterError(
                f"the rule must be a principle such as KAnonymity(5), not {self.rule!r}; see max_confidence"
            )
        if self.max_confidence is not None:
            check_number("max_confidence", self.max_confidence, above=0, at_most=1)

    def __str__(self) -> str:
        words = [] if self.rule is None else [str(self.rule)]
        if self.max_confidence is not None:
            words.append(f"a confidence of at most {self.max_confidence:.3g}")
        return " and ".join(words) or "uncertainty about every value"

    @cached_property
    def least(self) -> int:
        """Distinct values that a safe multiset has at least: k values, the largest of which has a share of 1/k or more."""
        if self.max_confidence is not None:
            return int(np.ceil(1 / (self.max_confidence + TOLERANCE)))
        return 2 if self.rule is None else 1

    def _counts(self, cells: Cells) -> ClassCounts:
        """Multisets of (combined) values as classes, beside the totals of the last release."""
        values = self.values
        last = values.codes[-1]
        return ClassCounts(
            cells.sizes.astype(np.int64),
            cells.owner.astype(np.int32),
            [codes[cells.values] for codes in values.columns],
            cells.counts,
            values.domains,
            [np.bincount(codes[last], minlength=len(d)) for codes, d in zip(values.columns, values.domains)],
        )

    def _known(self, cells: Cells) -> Cells:
        """The multisets without missing values, which make nobody less certain; a rule leaves them out by itself."""
        ignored = self.values.domains[0].ignored
        rule_alone = self.rule is not None and self.max_confidence is None
        if len(self.values.domains) > 1 or ignored is None or rule_alone:
            return cells
        there = cells.values != ignored
        sizes = np.bincount(cells.owner[there], minlength=len(cells.offsets) - 1)
        return Cells(np.r_[0, np.cumsum(sizes)], cells.values[there], cells.counts[there], cells.n_values)

    def safe(self, cells: Cells) -> np.ndarray:
        """Which multisets pass; missing values do not count."""
        known = self._known(cells)
        safe = np.diff(known.offsets) >= self.least
        if self.rule is not None:
            safe &= self.rule.safe(self._counts(cells))
        if self.max_confidence is not None:
            safe &= confidence(known) <= self.max_confidence + TOLERANCE
        return safe

    def lost(self, cells: Cells) -> np.ndarray:
        """Which multisets have no part that passes: too few values, or a rule broken that more records alone could mend."""
        lost = np.diff(self._known(cells).offsets) < self.least
        if self.rule is not None and self.rule.superset_closed:
            lost |= ~self.rule.safe(self._counts(cells))
        return lost

    def reason(self, cells: Cells, which: int) -> str:
        """Why one multiset fails."""
        if cells.offsets[which] == cells.offsets[which + 1]:
            return "no value is left that all releases agree on"
        counts = self._counts(cells)
        if self.rule is not None and not self.rule.safe(counts)[which]:
            return self.rule.explain(counts, which)
        known = self._known(cells)
        return f"one value has a share of {confidence(known)[which]:.3g} in {known.sizes[which]:g} candidate records"
