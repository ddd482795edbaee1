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

import numpy as np

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.search import Traces, alike, histories, match
from ppdp_lab.attacks.series.candidates import confidence
from ppdp_lab.attacks.series.guarantee import Guarantee
from ppdp_lab.forms import PublishedRows
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
        self.history = alike(history, [unit.n for unit in units])[1]
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
