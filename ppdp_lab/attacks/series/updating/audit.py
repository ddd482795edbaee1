"""Does a guarantee hold over a series in which values change?

What is left of a version is what its update graph leaves: the rows of its groups whose values lie on a feasible path. Old and
new values must both stay hidden, so a person is safe if every one of their versions is (F. Li, S. Zhou, "Challenging more
updates: towards anonymous re-publication of fully dynamic datasets", 2008, Definition 9).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import Values
from ppdp_lab.attacks.series.guarantee import Guarantee
from ppdp_lab.attacks.series.updating.versions import Versions, graphs_of
from ppdp_lab.errors import ParameterError, listed
from ppdp_lab.forms import PublishedRows
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.table import Cells


class Audited(NamedTuple):
    """Per person the fewest records and values that any version is left with, the largest probability, and whether all is
    well; and why not, for one of those for whom it is not."""

    records: np.ndarray
    candidates: np.ndarray
    confidence: np.ndarray
    safe: np.ndarray
    reason: str


def audit_versions(
    releases: Sequence[PublishedRows], background: Background, values: Values, guarantee: Guarantee
) -> Audited:
    """What an auditor finds who follows the background's update model."""
    if len(values.domains) != 1:
        names = listed(domain.name for domain in values.domains)
        raise ParameterError(f"an update model is about one column; name one of {names} as the attribute")
    found = graphs_of(releases, background, values, masks=True)
    left = _left(found)
    rule = Guarantee(guarantee.rule, None, values)
    safe = found.left >= guarantee.least
    if rule.rule is not None:
        safe &= rule.safe(left)
    if guarantee.max_confidence is not None:
        safe &= found.largest <= guarantee.max_confidence + TOLERANCE
    reason = "" if safe.all() else _reason(found, left, rule, guarantee, int(np.argmin(safe)))
    begins = np.searchsorted(found.persons, np.arange(background.n_persons))
    rows = left.sizes.astype(np.int64)
    if not len(rows):
        none = np.zeros(0, dtype=np.int64)
        return Audited(none, none, np.zeros(0), np.zeros(0, dtype=bool), "")
    return Audited(
        np.minimum.reduceat(rows, begins),
        np.minimum.reduceat(found.left, begins).astype(np.int64),
        np.maximum.reduceat(found.largest, begins),
        np.logical_and.reduceat(safe, begins),
        reason,
    )


def _left(found: Versions) -> Cells:
    """The rows that each version is left with: those of its unit whose value is left."""
    shown = found.shown
    lengths = (shown.offsets[1:] - shown.offsets[:-1])[found.unit]
    owner = np.repeat(np.arange(len(lengths)), lengths)
    # Cell i of a version lies i places after the first cell of its unit.
    at = np.arange(len(owner)) + np.repeat(shown.offsets[found.unit] - np.cumsum(lengths) + lengths, lengths)
    codes = shown.values[at]
    bit = found.masks[owner, codes >> 6] >> (codes & 63).astype(np.uint64) & np.uint64(1)
    kept = bit.astype(bool)
    offsets = np.r_[0, np.cumsum(np.bincount(owner[kept], minlength=len(lengths)))]
    return Cells(offsets, codes[kept], shown.counts[at[kept]], shown.n_values)


def _reason(found: Versions, left: Cells, rule: Guarantee, guarantee: Guarantee, at: int) -> str:
    """Why one version fails."""
    where = f"in release {int(found.releases[at])}"
    if found.left[at] == 0:
        return f"no sequence of updates explains their groups ({where})"
    if rule.rule is not None and not rule.safe(left)[at]:
        return f"{rule.reason(left, at)} ({where})"
    if guarantee.max_confidence is not None:
        return f"one value has a probability of {found.largest[at]:.3g} {where}"
    return f"one value is left {where}"
