"""A second look at persons whose groups are not known: what each history of groups that may be theirs leaves by itself.

Let a history be one group per release that may hold the person, and C(h) the values that the groups of h have in common,
as a multiset. An adversary who knows the groups knows h and is left with C(h). One who does not pools all groups of a
release before intersecting. That mixes in histories that nobody has: groups of one history in the first release and of
another one in the second have few values in common, and these few come out with too large a share. So a sound 6-invariant
series, where every true history leaves six values once each, shows shares such as 2/9 among pooled records.

Such a share is no evidence against the series. If the guarantee is kept, then every person's true history keeps it, and
who knows that it is kept, as publishers say, believes in a mixture of histories that keep it. If no C(h) in a mixture has
a value with a share above p, then neither has the mixture; and a union of safe multisets is safe under every principle
that is closed under unions. So a person is also safe if

1. some history that may be theirs keeps the guarantee by itself, and
2. nothing contradicts that it is kept for the others: each group that may hold the person, and certainly holds somebody of
   the background, lies on a history of some person that keeps it.

If the guarantee holds for everybody when groups are known, the true histories are witnesses of both for everybody, so it
holds when they are not known. Where a group breaks the guarantee whoever is in it, 2 fails, and the pooled share decides.

With pseudonyms the histories are those of the tracked rows, and the same argument holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.base import AttackResult, plural
from ppdp_lab.attacks.guarantee import Guarantee, candidate_multisets, confidence
from ppdp_lab.attacks.inputs import Values, check_series, sensitive_values, use_tracks
from ppdp_lab.attacks.units import Traces, group_identical, histories, hstack, match
from ppdp_lab.attacks.updating import audit_versions
from ppdp_lab.principles import Principle
from ppdp_lab.release.forms import Published, PublishedRows
from ppdp_lab.table import Cells, group


def kept_by_histories(
    series: Sequence[PublishedRows], background: Background, guarantee: Guarantee, cells: Cells, *, track: bool
) -> dict[int, float]:
    """Cells of persons that fail the guarantee when pooled and are safe by the second look: {cell: confidence}.

    ``cells`` are the candidates of each cell of persons. The confidence is the largest over the histories that keep the
    guarantee, and so bounds every mixture of them.
    """
    failed = np.flatnonzero(~guarantee.safe(cells)).tolist()
    if track:
        return _kept_by_traces(series, background, guarantee, failed)
    every = _Histories(series, background, guarantee, cells)
    found = {cell: share for cell in failed if (share := every.best(cell)) is not None}
    return {cell: share for cell, share in found.items() if not every.contradicted(cell)}


def _no_strangers(series: Sequence[PublishedRows], background: Background) -> list[bool]:
    """Per release, whether every row that is no counterfeit is a person's of the background."""
    return [len(presence) == release.real_sizes.sum() for release, presence in zip(series, background.releases)]


def _kept_by_traces(
    series: Sequence[PublishedRows], background: Background, guarantee: Guarantee, failed: list[int]
) -> dict[int, float]:
    traces = Traces.of(series, guarantee.values)
    found = match(series, background, traces)
    last = traces.last_values(guarantee.values.n)
    safe, share = guarantee.safe(last), confidence(last)
    held = np.zeros(traces.n_cells, dtype=bool)
    for number, (release, full) in enumerate(zip(series, _no_strangers(series, background))):
        place = traces.cell_groups[:, number]
        held |= (place >= 0) & full & (release.sizes == release.real_sizes)[place]
    out = {}
    for cell in failed:
        mine = found.traces[found.offsets[cell] : found.offsets[cell + 1]]
        if safe[mine].any() and not (held & ~safe)[mine].any():
            out[cell] = float(share[mine[safe[mine]]].max())
    return out


class _Histories:
    """All histories of a series that may be somebody's, searched for those that keep a guarantee."""

    def __init__(
        self, series: Sequence[PublishedRows], background: Background, guarantee: Guarantee, cells: Cells
    ) -> None:
        self.guarantee, self.cells = guarantee, cells
        units, history = histories(series, background)
        self.history = group_identical(history, [unit.n for unit in units])[1]
        self.shown = guarantee.values.of_groups(series)
        self.lost = [guarantee.lost(shown) for shown in self.shown]
        self.most = max(int(shown.counts.max(initial=0)) for shown in self.shown)
        self.groups = [unit.groups()[:2] for unit in units]
        self.held = [full & (r.real_sizes > 0) for r, full in zip(series, _no_strangers(series, background))]
        self._witnessed: dict[tuple[int, int], bool] = {}

    def _options(self, cell: int, number: int) -> np.ndarray:
        """Groups of a release that may hold the persons of a cell."""
        offsets, groups = self.groups[number]
        unit = self.history[cell, number]
        return groups[offsets[unit] : offsets[unit + 1]]

    def best(self, cell: int, through: tuple[int, int] | None = None) -> float | None:
        """Largest confidence over the histories of a cell that keep the guarantee; None if there is none.

        ``through`` asks for histories with that group in that release. Release after release the intersections so far
        are kept, each once; one of which no part can pass is dropped, so that few are left of the many histories.
        """
        # What all groups of a history have in common is part of what the pooled groups have, so no other value counts.
        values = self.cells.values[self.cells.offsets[cell] : self.cells.offsets[cell + 1]]
        if not len(values):
            return None
        left = np.full((1, len(values)), self.most, dtype=np.int32)
        for number in np.flatnonzero(self.history[cell] >= 0).tolist():
            groups = self._options(cell, number)
            if through is not None and number == through[0]:
                groups = groups[groups == through[1]]
            groups = groups[~self.lost[number][groups]]
            if not len(groups) or not len(left):
                return None
            options = _each_once(self._table(number, groups, values))
            left = _each_once(np.minimum(left[:, None], options[None]).reshape(-1, len(values)))
            left = left[~self.guarantee.lost(self._sparse(left, values))]
        kept = self._sparse(left, values)
        safe = self.guarantee.safe(kept)
        return float(confidence(kept)[safe].max()) if safe.any() else None

    def _table(self, number: int, groups: np.ndarray, values: np.ndarray) -> np.ndarray:
        """How often each group of a release holds each of some values."""
        shown = self.shown[number]
        starts = shown.offsets[groups]
        lengths = shown.offsets[groups + 1] - starts
        owner = np.repeat(np.arange(len(groups)), lengths)
        cells = np.arange(len(owner)) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        column = np.searchsorted(values, shown.values[cells])
        known = np.r_[values, -1][column] == shown.values[cells]
        table = np.zeros((len(groups), len(values)), dtype=np.int32)
        table[owner[known], column[known]] = shown.counts[cells[known]]
        return table

    def _sparse(self, table: np.ndarray, values: np.ndarray) -> Cells:
        rows, columns = np.nonzero(table)
        offsets = np.r_[0, np.cumsum(np.bincount(rows, minlength=len(table)))]
        return Cells(offsets, values[columns], table[rows, columns].astype(np.int64), self.cells.n_values)

    def contradicted(self, cell: int) -> bool:
        """Whether some group that may hold the persons of a cell breaks the guarantee for whoever is in it."""
        return any(
            self.held[number][place] and not self._has_witness(number, place, cell)
            for number in np.flatnonzero(self.history[cell] >= 0).tolist()
            for place in self._options(cell, number).tolist()
        )

    def _has_witness(self, number: int, place: int, first: int) -> bool:
        """Whether the group lies on a history that keeps the guarantee, of whomever it may hold; asked of one cell first."""
        if (number, place) not in self._witnessed:
            offsets, groups = self.groups[number]
            units = np.searchsorted(offsets, np.flatnonzero(groups == place), side="right") - 1
            others = np.flatnonzero(np.isin(self.history[:, number], units)).tolist()
            kept = (self.best(cell, (number, place)) is not None for cell in [first, *others])
            self._witnessed[number, place] = any(kept)
        return self._witnessed[number, place]


def _each_once(table: np.ndarray) -> np.ndarray:
    """The distinct rows of a table of counts."""
    return table[group(list(table.T), (table.max(axis=0, initial=0) + 1).tolist()).first]


# --------------------------------------------------------------------
# Auditors: does a guarantee hold over a whole series, seen from outside?


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
    shown = hstack(values.of_groups(series))
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
