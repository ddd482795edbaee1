"""Auditors: does a guarantee hold over a whole series, seen from outside?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import check_series, sensitive_values, use_tracks
from ppdp_lab.attacks.results import AttackResult
from ppdp_lab.attacks.series.candidates import candidate_multisets
from ppdp_lab.errors import ParameterError, check_number
from ppdp_lab.forms import Published
from ppdp_lab.principles import Principle
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.table import ClassCounts


@dataclass(frozen=True, eq=False)
class SeriesAudit(AttackResult):
    """What an auditor says of a series; true exactly if the guarantee holds for everybody.

    Attributes
    ----------
    ids : pandas.Index
    records : array of int
        Candidate records per person.
    candidates : array of int
        Candidate values per person: combinations of values, if there are several sensitive attributes.
    confidence : array of float
        Share of the most frequent value among the candidate records of each person.
    safe : array of bool
    guarantee : str
        What was audited, in words.
    reason : str
        Why the guarantee fails for one of those for whom it does; empty if it holds.
    """

    ids: pd.Index
    records: np.ndarray
    candidates: np.ndarray
    confidence: np.ndarray
    safe: np.ndarray
    guarantee: str
    reason: str
    releases: int
    tracked: bool

    unit = "person"

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds for every person."""
        return bool(self.safe.all())

    def __bool__(self) -> bool:
        return self.holds

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Persons for whom the guarantee fails."""
        return ~self.safe

    def to_frame(self) -> pd.DataFrame:
        """One row a person."""
        columns = {
            "records": self.records,
            "candidates": self.candidates,
            "confidence": self.confidence,
            "breached": self.breached,
        }
        return pd.DataFrame(columns, index=self.ids.rename("person"))

    def __str__(self) -> str:
        how = "rows tracked" if self.tracked else "rows not tracked"
        series = f"{self.releases} release{'s' if self.releases > 1 else ''} ({how})"
        if self.holds:
            least = f", of whom each keeps at least {self.candidates.min()} candidate values" if len(self.ids) else ""
            return f"audit: over {series}, {self.guarantee} withstands intersection for all {len(self.ids)} persons{least}."
        return f"audit: over {series}, {self.guarantee} is broken for {self._tally()}; for one of them: {self.reason}."


def audit_series(
    series: Sequence[Published],
    background: Background,
    rule: Principle | None = None,
    *,
    max_confidence: float | None = None,
    track: bool | None = None,
    attribute: str | None = None,
) -> SeriesAudit:
    """Whether a guarantee survives an adversary who combines all releases of a series.

    For every person the auditor takes the candidate records: those of the groups that may hold the person, intersected
    over all releases as multisets, or with pseudonyms the records that were together with the person's own in every
    release. If they break the rule, the series does (section 4 of [1]_). Persons with the same history share their
    candidates and are looked at once. With known groups the cost is that of reading the series.

    Parameters
    ----------
    series : sequence of Published
    background : Background
        ``Background.worst_case(releases)`` for the strongest adversary.
    rule : Principle, optional
        What the candidate records of every person must satisfy, as a class does within one release.
    max_confidence : float, optional
        No value may make up more than this share of anybody's candidate records: 1/m for m-invariance. Without rule and
        max_confidence, the audit asks that nobody's value is certain.
    track : bool, optional
        Follow pseudonyms; done unless told otherwise if every release carries them.
    attribute : str, optional
        Look at one sensitive attribute only; at combinations of all of them unless given.

    Notes
    -----
    An audit that passes says that intersection fails, not that every attack does: joint reasoning over several persons
    (:func:`~ppdp_lab.attacks.exact.assignments.consistent_assignments`) can tell more. Values are taken to stay the same, and a
    person with no candidate left, for whom that is not so, fails the audit.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 38, 31], "disease": ["flu", "HIV", "cold"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> releases = [pl.Release(table.select([0, 1]), np.array([0, 0])), pl.Release(table.select([0, 2]), np.array([0, 0]))]
    >>> series = [release.published() for release in releases]
    >>> print(audit_series(series, Background.worst_case(releases), pl.DistinctLDiversity(2)))
    audit: over 2 releases (rows not tracked), DistinctLDiversity(2) is broken for 1 of 3 persons; for one of them:
    1 distinct value(s) of disease (flu x 1), fewer than l = 2.

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive
       queries", CIKM 2012.
    """
    if rule is not None and not isinstance(rule, Principle):
        raise ParameterError(f"the rule must be a principle such as KAnonymity(5), not {rule!r}; see max_confidence")
    if max_confidence is not None:
        max_confidence = check_number("max_confidence", max_confidence, above=0, at_most=1)
    releases, background = check_series(series, background)
    values = sensitive_values(releases, attribute, together=True)
    tracked = use_tracks(releases, track)
    found = candidate_multisets(releases, background, values, track=tracked)
    records, confidence, distinct = found.records, found.confidence, found.distinct
    safe = distinct > 0
    guarantees: list[str] = []
    if rule is not None:
        counts = ClassCounts(
            records,
            found.cells.owner.astype(np.int32),
            [codes[found.cells.values] for codes in values.columns],
            found.cells.counts,
            values.domains,
            [
                np.bincount(codes[values.codes[-1]], minlength=len(d))
                for codes, d in zip(values.columns, values.domains)
            ],
        )
        safe &= rule.safe(counts)
        guarantees.append(str(rule))
    if max_confidence is not None:
        safe &= confidence <= max_confidence + TOLERANCE
        guarantees.append(f"a confidence of at most {max_confidence:.3g}")
    if not guarantees:
        safe &= distinct > 1
        guarantees.append("uncertainty about every value")
    reason = ""
    if not safe.all():
        cell = int(np.argmin(safe))
        if not distinct[cell]:
            reason = "no value is left that all releases agree on"
        elif rule is not None and not rule.safe(counts)[cell]:
            reason = rule.explain(counts, cell)
        else:
            reason = f"one value has a share of {confidence[cell]:.3g} in {records[cell]} candidate records"
    of = found.cell_of
    return SeriesAudit(
        background.ids,
        records[of],
        distinct[of],
        confidence[of],
        safe[of],
        " and ".join(guarantees),
        reason,
        len(releases),
        tracked,
    )
