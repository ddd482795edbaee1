"""Auditors: does a guarantee hold over a whole series, seen from outside?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import Values, check_series, sensitive_values, use_tracks
from ppdp_lab.attacks.results import AttackResult, plural
from ppdp_lab.attacks.search import beside
from ppdp_lab.attacks.series.candidates import candidate_multisets, confidence
from ppdp_lab.attacks.series.group_histories import kept_by_histories
from ppdp_lab.attacks.series.guarantee import Guarantee
from ppdp_lab.attacks.series.updating import audit_versions
from ppdp_lab.forms import Published, PublishedRows
from ppdp_lab.principles import Principle


@dataclass(frozen=True, eq=False)
class SeriesAudit(AttackResult):
    """What an auditor says of a series; true exactly if the guarantee holds for everybody.

    A series whose values change cannot be judged without their update model: intersection then compares values that were
    never meant to be the same. If the guarantee fails and :attr:`changed` says that values changed, the audit neither holds
    nor reports a breach, and says that the model is missing.

    Attributes
    ----------
    ids : pandas.Index
    records : array of int
        Candidate records per person.
    candidates : array of int
        Candidate values per person: combinations of values, if there are several sensitive attributes.
    confidence : array of float
        Share of the most frequent value among the candidate records of each person; for those in :attr:`by_history`, the
        largest share that a history of groups leaves which keeps the guarantee.
    safe : array of bool
    guarantee : str
        What was audited.
    reason : str
        Why the guarantee fails for one of those for whom it does; empty if it holds.
    by_history : array of bool
        Persons whose pooled candidates fail, but who are safe in every history of groups that keeps the guarantee.
    changed : int
        Persons whose values changed between releases although the background has no update model.
    bound : array of bool
        Persons of whom nobody with this background can be more confident, whatever the other persons tell: there
        ``confidence`` bounds the posterior of :func:`~ppdp_lab.attacks.exact.consistent_assignments`. For all others it is
        an estimate, each candidate record being equally likely.
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
    by_history: np.ndarray
    bound: np.ndarray
    knows_groups: bool
    changed: int = 0

    unit = "person"

    @property
    def judged(self) -> bool:
        """Whether there is a verdict: not if the guarantee fails for lack of an update model."""
        return self.changed == 0 or bool(self.safe.all())

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds for every person."""
        return bool(self.safe.all())

    def __bool__(self) -> bool:
        return self.holds

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Persons for whom the guarantee fails; nobody if it could not be judged."""
        return ~self.safe if self.judged else np.zeros_like(self.safe)

    def picture(self) -> tuple[str, np.ndarray]:
        """How many values each person may have."""
        return "candidate values", self.candidates

    def to_frame(self) -> pd.DataFrame:
        """One row per person."""
        held = {"records": self.records, "candidates": self.candidates, "confidence": self.confidence}
        return self._per_person(self.ids, **held)

    def __str__(self) -> str:
        how = "rows tracked" if self.tracked else "rows not tracked"
        how += "" if self.knows_groups else ", groups not known, so that shares are estimates"
        series = f"{self.releases} release{'s' if self.releases > 1 else ''} ({how})"
        if not self.judged:
            return (
                f"audit: over {series}, {self.guarantee} cannot be judged: the sensitive values of {self.changed} of "
                f"{len(self.ids)} {plural('person', len(self.ids))} changed between releases, and the background has no update "
                f"model; pass the publisher's, Background.worst_case(releases, model=publisher.model)."
            )
        if not self.holds:
            return (
                f"audit: over {series}, {self.guarantee} is broken for {self._tally()}; for one of them: {self.reason}."
            )
        least = f", of whom each keeps at least {self.candidates.min()} candidate values" if len(self.ids) else ""
        text = f"audit: over {series}, {self.guarantee} withstands intersection for all {len(self.ids)} persons{least}"
        if self.by_history.any():
            text += (
                f"; for {int(self.by_history.sum())} of them by their possible groups one at a time, as all of them taken "
                f"together give an estimate that is too high"
            )
        return text + "."


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

    An adversary who does not know the groups never learns more than one who does: whoever fails by all groups together is
    looked at again, one history of groups at a time. So a series that passes when groups are known passes when they are
    not.

    Parameters
    ----------
    series : sequence of Published
    background : Background
        ``Background.worst_case(releases)`` for the strongest adversary; ``Background.worst_case(releases,
        model=publisher.model)`` if values change.
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
    (:func:`~ppdp_lab.attacks.exact.consistent_assignments`) can tell more, except of the persons in ``bound``.

    Without an update model values are taken to stay the same. If they did not, according to the tables that the background
    was made of, a guarantee that seems broken is not judged. If the background carries an update model, candidates are what
    the update graphs leave, in every version of a person; groups that are not known are then pooled, without the second look.
    Tracked rows need no model.

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
    releases, background = check_series(series, background)
    values = sensitive_values(releases, attribute, together=True)
    guarantee = Guarantee(rule, max_confidence, values)
    tracked = use_tracks(releases, track)
    if background.changes is not None and not tracked:
        found = audit_versions(releases, background, values, guarantee)
        nobody = np.zeros(background.n_persons, dtype=bool)
        return SeriesAudit(
            background.ids,
            found.records,
            found.candidates,
            found.confidence,
            found.safe,
            str(guarantee),
            found.reason,
            len(releases),
            False,
            nobody,
            nobody,
            background.knows_groups,
        )
    cell_of, cells = candidate_multisets(releases, background, values, track=tracked)
    share, safe = confidence(cells), guarantee.safe(cells)
    by_history = np.zeros(len(safe), dtype=bool)
    if not (background.knows_groups or safe.all()):
        kept = kept_by_histories(releases, background, guarantee, cells, track=tracked)
        by_history[list(kept)] = True
        share[list(kept)] = list(kept.values())
    safe |= by_history
    return SeriesAudit(
        background.ids,
        cells.sizes.astype(np.int64)[cell_of],
        np.diff(cells.offsets)[cell_of],
        share[cell_of],
        safe[cell_of],
        str(guarantee),
        "" if safe.all() else guarantee.reason(cells, int(np.argmin(safe))),
        len(releases),
        tracked,
        by_history[cell_of],
        _bounded(releases, background, values, tracked),
        background.knows_groups,
        0 if tracked or background.model is not None else int(_changed(background, values, cells.sizes[cell_of]).sum()),
    )


def _changed(background: Background, values: Values, records: np.ndarray) -> np.ndarray:
    """Persons whose values changed: the holder noted it, or no value is left that all their releases agree on."""
    return background.changed(domain.name for domain in values.domains) | (records == 0)


def _bounded(series: Sequence[PublishedRows], background: Background, values: Values, tracked: bool) -> np.ndarray:
    """Persons whose confidence no reasoning about all persons together can raise.

    Groups must be known. Within one release every row of a group is as likely as any other to be the person's, and so is
    every pseudonym of a history. Over several releases, take a set S of values such that every group that holds exactly
    the values of S holds each of them equally often, and whoever is in one of these groups is in no others: m-invariance.
    Exchanging the values of S among all these persons turns a consistent assignment into another one, so all values of S
    are equally likely for each of them.
    """
    if not background.knows_groups or tracked or len(series) == 1:
        return np.full(background.n_persons, background.knows_groups)
    shown = beside(values.of_groups(series))
    _, signature = np.unique(shown.masks(), axis=0, return_inverse=True)
    even = np.maximum.reduceat(shown.counts, shown.offsets[:-1]) == np.minimum.reduceat(
        shown.counts, shown.offsets[:-1]
    )
    broken = np.zeros(len(signature), dtype=bool)
    broken[signature.ravel()[~even]] = True
    mine = np.full(background.n_persons, -1)
    start = 0
    for release, presence in zip(series, background.releases):
        here = signature.ravel()[start + np.asarray(presence.groups)]
        new = mine[presence.persons] < 0
        mine[presence.persons[new]] = here[new]
        moved = mine[presence.persons] != here
        broken[here[moved]] = broken[mine[presence.persons[moved]]] = True
        start += release.n_groups
    return ~broken[mine]
