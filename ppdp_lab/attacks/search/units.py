"""Units: what an adversary can tell apart in one release, and the groups that may hold each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ppdp_lab.attacks.background import Background, Presence, release_name
from ppdp_lab.attacks.search._pooling import pool_histograms
from ppdp_lab.errors import ParameterError
from ppdp_lab.forms import Feature, Holders, Published
from ppdp_lab.table import Cells, group

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
            alike = group(presence.qi, [len(domain) for domain in published.qi_domains])
            self.n = alike.n_classes
            self.unit_of = alike.class_of
            self._codes = presence.qi[:, alike.first]

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
        return beside([none, *pieces])

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


def alike(history: np.ndarray, sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
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


def beside(pieces: Sequence[Cells]) -> Cells:
    """The multisets of several pieces, one piece after the other."""
    starts = np.cumsum([0, *(len(piece.values) for piece in pieces)])
    offsets = [piece.offsets[:-1] + start for piece, start in zip(pieces, starts)]
    return Cells(
        np.r_[np.concatenate(offsets), starts[-1]],
        np.concatenate([piece.values for piece in pieces]),
        np.concatenate([piece.counts for piece in pieces]),
        pieces[0].n_values,
    )
