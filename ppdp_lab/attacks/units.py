"""Units: what an adversary can tell apart in one release, and the groups that may hold each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab.attacks._pooling import pool_histograms
from ppdp_lab.attacks.background import Background, Presence, release_name
from ppdp_lab.errors import ParameterError, PublicationError
from ppdp_lab.release.forms import Feature, Holders, Published, PublishedRows
from ppdp_lab.release.generalized import Generalized
from ppdp_lab.release.search import Regions, meeting_in_bins
from ppdp_lab.table import Cells, group
from ppdp_lab.text import OneLine

if TYPE_CHECKING:
    from ppdp_lab.attacks.inputs import Values


Chunk = tuple[int, np.ndarray, np.ndarray, np.ndarray]


class Units:
    """Persons of one release that the adversary cannot tell apart, and the published groups that may hold them.

    With knowledge of groups a unit is a group. Without it, a unit is a combination of quasi-identifiers, and it may be
    held by every group whose box covers it, or whose exact rows show it. Without persons, units are the groups.

    ``unit_of`` is the unit of each person of the presence; ``name`` is what messages call the release.
    """

    def __init__(self, published: Published, presence: Presence | None, name: str = "the release") -> None:
        self.published = published
        self.name = name
        self._codes: np.ndarray | None = None
        if presence is None or presence.groups is not None:
            self.n = published.n_groups
            self.unit_of = np.arange(self.n) if presence is None or presence.groups is None else presence.groups
        else:
            group_identical = group(presence.qi, [len(domain) for domain in published.qi_domains])
            self.n = group_identical.n_classes
            self.unit_of = group_identical.class_of
            self._codes = presence.qi[:, group_identical.first]

    @property
    def are_groups(self) -> bool:
        """Whether units are the published groups themselves."""
        return self._codes is None

    def chunks(self, *, strict: bool = True) -> Iterator[Chunk]:
        """Pieces of (first unit, offsets, groups, rows of the group that match the unit), units in order.

        Unless ``strict`` is off, a unit that no group may hold is an error.
        """
        if self._codes is None:
            yield 0, np.arange(self.n + 1), np.arange(self.n, dtype=np.int32), self.published.sizes
        else:
            for start, offsets, groups, matches in self._holders().chunks():
                self._refuse_uncovered(np.diff(offsets) > 0, strict)
                yield start, offsets, groups, matches

    def groups(self, *, strict: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All candidate groups in one piece: (offsets, groups, matching rows). For small inputs."""
        none = (0, np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))
        _, offsets, groups, matches = zip(none, *self.chunks(strict=strict))
        lengths = np.concatenate([np.diff(piece) for piece in offsets])
        return np.r_[0, np.cumsum(lengths)], np.concatenate(groups), np.concatenate(matches)

    def unite(self, masks: np.ndarray) -> np.ndarray:
        """Per unit, the union of its groups' masks."""
        if self._codes is None:
            return masks
        united = self._holders().unite(masks)
        self._refuse_uncovered((united != 0).any(axis=1), True)
        return united

    def pool(self, cells: Cells, *, by_matches: bool = False) -> Cells:
        """Sensitive values of each unit's groups taken together, from those of each group.

        Every row of a candidate group counts once; with ``by_matches`` a group counts as often as its rows match, which
        differs for anatomized tables only: there the quasi-identifiers say how likely each group is.
        """
        if self._codes is None:
            return cells
        none = Cells(np.zeros(1, dtype=np.int64), cells.values[:0], cells.counts[:0], cells.n_values)
        pieces = [
            pooled(cells, offsets, groups, matches / self.published.sizes[groups] if by_matches else None)
            for _, offsets, groups, matches in self.chunks()
        ]
        return hstack([none, *pieces])

    def row_risk(self) -> np.ndarray:
        """Per unit, the largest probability with which one published row is the person's."""
        risk = np.zeros(self.n)
        for start, offsets, groups, matches in self.chunks():
            if len(groups):
                # Each matching row is equally likely; in a group, each of its sensitive rows is.
                total = np.add.reduceat(matches, offsets[:-1])
                likeliest = np.maximum.reduceat(matches / self.published.sizes[groups], offsets[:-1])
                risk[start : start + len(total)] = likeliest / total
        return risk

    def _holders(self) -> Holders:
        assert self._codes is not None
        self.published.require("looking for persons by their quasi-identifiers", (Feature.HOLDERS,))
        return self.published.holders(self._codes)

    def _refuse_uncovered(self, covered: np.ndarray, strict: bool) -> None:
        if strict and not covered.all():
            raise ParameterError(
                f"{self.name} cannot hold everybody whom the background puts into it: no published group covers "
                f"{int((~covered).sum())} of its combinations of quasi-identifiers; leave suppressed persons out, or make "
                f"the background by Background.worst_case(releases).without_groups()"
            )


def histories(series: Sequence[Published], background: Background) -> tuple[list[Units], np.ndarray]:
    """Units of each release, and each person's unit in each of them: -1 where the person is absent."""
    names = (release_name(number, len(series)) for number in range(len(series)))
    units = [Units(*one) for one in zip(series, background.releases, names)]
    history = np.full((background.n_persons, len(series)), -1, dtype=np.int32)
    for number, (unit, presence) in enumerate(zip(units, background.releases)):
        history[presence.persons, number] = unit.unit_of
    return units, history


def group_identical(history: np.ndarray, sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Persons with equal histories: (cell of each person, history of each cell)."""
    cells = group(list((history + 1).T), [size + 1 for size in sizes])
    return cells.class_of, history[cells.first]


def pooled(cells: Cells, offsets: np.ndarray, groups: np.ndarray, scale: np.ndarray | None = None) -> Cells:
    """The multisets of ``groups[offsets[u] : offsets[u + 1]]`` taken together, for each unit u.

    With ``scale`` each entry of ``groups`` counts as often as it says, which may be a fraction.
    """
    often = np.ones(len(groups)) if scale is None else scale
    lengths, values, amounts = pool_histograms(
        offsets, groups, often, cells.offsets, cells.values, cells.counts, max(cells.n_values, 1)
    )
    counts = amounts.astype(np.int64) if scale is None else amounts
    return Cells(np.r_[0, np.cumsum(lengths)], values, counts, cells.n_values)


def hstack(pieces: Sequence[Cells]) -> Cells:
    """The multisets of several pieces, one piece after the other."""
    starts = np.cumsum([0, *(len(piece.values) for piece in pieces)])
    offsets = [piece.offsets[:-1] + start for piece, start in zip(pieces, starts)]
    return Cells(
        np.r_[np.concatenate(offsets), starts[-1]],
        np.concatenate([piece.values for piece in pieces]),
        np.concatenate([piece.counts for piece in pieces]),
        pieces[0].n_values,
    )


# --------------------------------------------------------------------
# Traces: the rows of a tracked series, joined by their pseudonyms, and the persons that fit them.


@dataclass(frozen=True, eq=False)
class Traces(OneLine):
    """One row per pseudonym, one column per release: its group and its value there, -1 where it does not occur.

    Pseudonyms with equal groups throughout form a cell; nothing but their values tells them apart.
    """

    pseudonyms: np.ndarray
    groups: np.ndarray
    values: np.ndarray
    cell_of: np.ndarray
    cell_groups: np.ndarray

    @staticmethod
    def of(series: Sequence[PublishedRows], values: Values | None) -> Traces:
        """Join the rows of a series; without values, groups only."""
        every = [np.asarray(release.pseudonyms) for release in series]
        pseudonyms, at = np.unique(np.concatenate(every), return_inverse=True)
        groups = np.full((len(pseudonyms), len(series)), -1, dtype=np.int32)
        codes = np.full_like(groups, -1)
        ends = np.cumsum([len(tracks) for tracks in every])
        for number, (release, end) in enumerate(zip(series, ends)):
            rows = at[end - len(release) : end]
            if len(np.unique(rows)) != len(rows):
                raise PublicationError(
                    f"{release_name(number, len(series))} shows a pseudonym on more than one row; a pseudonym stands for "
                    f"one person"
                )
            groups[rows, number] = release.row_group
            if values is not None:
                codes[rows, number] = values.codes[number]
        cell_of, cell_groups = group_identical(groups, [release.n_groups for release in series])
        return Traces(pseudonyms, groups, codes, cell_of, cell_groups)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.cell_groups)

    def last_values(self, n_values: int) -> Cells:
        """Values of each cell's pseudonyms in the last release in which they occur."""
        last = self.groups.shape[1] - 1 - (self.groups[:, ::-1] >= 0).argmax(axis=1)
        codes = self.values[np.arange(len(last)), last]
        return Cells.count(self.cell_of, codes, self.n_cells, n_values)


@dataclass(frozen=True, eq=False)
class Matching(OneLine):
    """Which cells of traces fit which cells of persons: person cell c fits ``traces[offsets[c] : offsets[c + 1]]``."""

    person_cell: np.ndarray
    offsets: np.ndarray
    traces: np.ndarray


def match(series: Sequence[PublishedRows], background: Background, traces: Traces) -> Matching:
    """Persons and tracked rows that can belong together: present in the same releases, in groups that fit.

    With known groups equal histories are joined.
    """
    if not background.knows_groups:
        return _match_boxes(series, background, traces)
    history = np.full((background.n_persons, len(series)), -1, dtype=np.int32)
    for number, presence in enumerate(background.releases):
        assert presence.groups is not None
        history[presence.persons, number] = presence.groups
    sizes = [release.n_groups for release in series]
    person_cell, cells = group_identical(history, sizes)
    joint, _ = group_identical(np.concatenate([cells, traces.cell_groups]), sizes)
    trace_of = np.full(joint.max(initial=-1) + 1, -1, dtype=np.int32)
    trace_of[joint[len(cells) :]] = np.arange(traces.n_cells)
    found = trace_of[joint[: len(cells)]]
    return Matching(person_cell, np.r_[0, np.cumsum(found >= 0)], found[found >= 0])


def _match_boxes(series: Sequence[PublishedRows], background: Background, traces: Traces) -> Matching:
    """By quasi-identifiers alone: a trace is a box over those of all releases.

    A person and a trace that belong together appear for the first time in the same release. There the groups that may
    hold the person are searched for; of the traces, only those that begin in these groups are compared.
    """
    n_qi, n = len(background.qi_domains), background.n_persons
    qi = np.full((len(series), n_qi, n), -1, dtype=np.int32)
    regions = []
    for number, (release, presence) in enumerate(zip(series, background.releases)):
        release.require(
            f"{release_name(number, len(series))}: tracking rows without everybody's group", (Feature.BOXES,)
        )
        assert isinstance(release, Generalized)
        qi[number][:, presence.persons] = presence.qi
        regions.append(Regions.of_boxes(release.boxes, traces.cell_groups[:, number]))
    domains = list(background.qi_domains) * len(series)
    columns = qi.reshape(-1, n)
    persons = group(list(columns + 1), [len(domain) + 1 for domain in domains])
    qi, columns = qi[:, :, persons.first], columns[:, persons.first]
    boxes, points = Regions.beside(regions), Regions.of_points(columns, domains)
    begins = (qi[:, 0] >= 0).argmax(axis=0)
    traces_begin = (traces.cell_groups >= 0).argmax(axis=1)
    owners, found = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)]
    for number, release in enumerate(series):
        mine, theirs = np.flatnonzero(begins == number), np.flatnonzero(traces_begin == number)
        units = Units(release, Presence(mine, np.ascontiguousarray(qi[number][:, mine])))
        offsets, groups, _ = units.groups()
        lengths = np.diff(offsets)[units.unit_of]
        starts = np.r_[0, np.cumsum(lengths)]
        bins = groups[np.repeat(offsets[units.unit_of] - starts[:-1], lengths) + np.arange(starts[-1])]
        place = traces.cell_groups[theirs, number]
        counts, which = meeting_in_bins(
            boxes.take(theirs), place, release.n_groups, points.take(mine), starts, bins.astype(np.int64)
        )
        owners.append(np.repeat(mine, counts))
        found.append(theirs[which].astype(np.int32))
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    lengths = np.bincount(owner, minlength=persons.n_classes)
    return Matching(persons.class_of, np.r_[0, np.cumsum(lengths)], np.concatenate(found)[order])
