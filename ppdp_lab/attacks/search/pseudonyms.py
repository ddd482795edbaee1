"""Traces: the rows of a tracked series, joined by their pseudonyms, and the persons that fit them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab.attacks.background import Background, Presence, release_name
from ppdp_lab.attacks.search.units import Units, alike
from ppdp_lab.errors import PublicationError
from ppdp_lab.forms import Feature, Generalized, PublishedRows
from ppdp_lab.forms.search import Regions, meeting_in_bins
from ppdp_lab.registry import OneLine
from ppdp_lab.table import Cells, group

if TYPE_CHECKING:
    from ppdp_lab.attacks.inputs import Values


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
        cell_of, cell_groups = alike(groups, [release.n_groups for release in series])
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
    person_cell, cells = alike(history, sizes)
    joint, _ = alike(np.concatenate([cells, traces.cell_groups]), sizes)
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
