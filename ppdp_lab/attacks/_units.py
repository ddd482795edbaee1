"""Units: what an adversary can tell apart in one release, and the groups that may hold each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ppdp_lab.attacks._regions import Regions, Search
from ppdp_lab.attacks._search import pool_histograms
from ppdp_lab.attacks.background import Presence
from ppdp_lab.errors import ParameterError
from ppdp_lab.published import Published
from ppdp_lab.table import group
from ppdp_lab.table._segments import histogram_segments, mark_bits

Chunk = tuple[int, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Cells:
    """Sensitive values of each of several multisets: number u holds ``counts[i]`` times ``values[i]`` for
    i in ``offsets[u] : offsets[u + 1]``, ascending in value."""

    offsets: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    n_values: int

    @staticmethod
    def count(groups: np.ndarray, codes: np.ndarray, n_groups: int, n_values: int) -> Cells:
        """The values of each group, from its rows."""
        order = np.argsort(groups, kind="stable")
        offsets = np.r_[0, np.cumsum(np.bincount(groups, minlength=n_groups))]
        owner, values, counts = histogram_segments(offsets, codes[order], max(n_values, 1))
        return Cells(np.r_[0, np.cumsum(np.bincount(owner, minlength=n_groups))], values, counts, n_values)

    @property
    def owner(self) -> np.ndarray:
        """The multiset of each cell."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def sizes(self) -> np.ndarray:
        """Sum of the counts of each multiset."""
        return np.bincount(self.owner, weights=self.counts, minlength=len(self.offsets) - 1)

    def masks(self) -> np.ndarray:
        """The values of each multiset as a bitset."""
        return value_masks(self.owner, self.values, len(self.offsets) - 1, self.n_values)


class Units:
    """Persons of one release that the adversary cannot tell apart, and the published groups that may hold them.

    With knowledge of groups a unit is a group. Without it, a unit is a combination of quasi-identifiers, and it may be
    held by every group whose box covers it, or whose exact rows show it. Without persons, units are the groups.

    ``unit_of`` is the unit of each person of the presence; ``number`` is the release's place in the series, for messages.
    """

    def __init__(self, published: Published, presence: Presence | None, number: int = 0) -> None:
        self.published = published
        self.number = number
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
        sizes = self.published.sizes
        if self._codes is None:
            yield 0, np.arange(self.n + 1), np.arange(self.n, dtype=np.int32), sizes
        elif self.published.boxes is None:
            yield self._of_exact_rows(strict)
        else:
            for start, offsets, groups in self._search().chunks():
                self._refuse_uncovered(np.diff(offsets) > 0, strict)
                yield start, offsets, groups, sizes[groups]

    def groups(self, *, strict: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All candidate groups in one piece: (offsets, groups, matching rows). For small inputs."""
        pieces = list(self.chunks(strict=strict))
        lengths, groups, matches = (
            np.concatenate([np.zeros(0, dtype=np.int64), *parts])
            for parts in ([np.diff(piece[1]) for piece in pieces], [p[2] for p in pieces], [p[3] for p in pieces])
        )
        return np.r_[0, np.cumsum(lengths)], groups, matches

    def unite(self, masks: np.ndarray) -> np.ndarray:
        """Per unit, the union of its groups' masks."""
        if self._codes is None:
            return masks
        if self.published.boxes is None:
            _, offsets, groups, _ = self._of_exact_rows(True)
            return np.bitwise_or.reduceat(masks[groups], offsets[:-1], axis=0) if self.n else masks[:0]
        united = self._search().unite(masks)
        self._refuse_uncovered((united != 0).any(axis=1), True)
        return united

    def pool(self, cells: Cells, *, by_matches: bool = False) -> Cells:
        """Sensitive values of each unit's groups taken together, from those of each group.

        Every row of a candidate group counts once; with ``by_matches`` a group counts as often as its rows match, which
        differs for anatomized tables only: there the quasi-identifiers say how likely each group is.
        """
        if self._codes is None:
            return cells
        lengths: list[np.ndarray] = [np.zeros(0, dtype=np.int64)]
        values, amounts = [cells.values[:0]], [np.zeros(0)]
        for _, offsets, groups, matches in self.chunks():
            scale = matches / self.published.sizes[groups] if by_matches else np.ones(len(groups))
            piece = pool_histograms(offsets, groups, scale, cells.offsets, cells.values, cells.counts, cells.n_values)
            for collected, part in zip((lengths, values, amounts), piece):
                collected.append(part)
        counts = np.concatenate(amounts)
        return Cells(
            np.r_[0, np.cumsum(np.concatenate(lengths))],
            np.concatenate(values),
            counts if by_matches else counts.astype(np.int64),
            cells.n_values,
        )

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

    def _search(self) -> Search:
        assert self._codes is not None and self.published.boxes is not None
        regions = Regions.of_boxes(self.published.boxes)
        return Search(regions, Regions.of_points(self._codes, self.published.qi_domains))

    def _of_exact_rows(self, strict: bool) -> Chunk:
        assert self._codes is not None and self.published.qi_rows is not None and self.published.qi_group is not None
        columns = np.concatenate([self._codes, self.published.qi_rows], axis=1)
        rows = group(columns, [len(domain) for domain in self.published.qi_domains])
        unit_of_class = np.full(rows.n_classes, -1, dtype=np.int64)
        unit_of_class[rows.class_of[: self.n]] = np.arange(self.n)
        unit = unit_of_class[rows.class_of[self.n :]]
        shown = unit >= 0
        pairs = group([unit[shown], self.published.qi_group[shown]], [self.n, self.published.n_groups])
        unit, groups = unit[shown][pairs.first], self.published.qi_group[shown][pairs.first]
        lengths = np.bincount(unit, minlength=self.n)
        self._refuse_uncovered(lengths > 0, strict)
        return 0, np.r_[0, np.cumsum(lengths)], groups, pairs.sizes

    def _refuse_uncovered(self, covered: np.ndarray, strict: bool) -> None:
        if strict and not covered.all():
            raise ParameterError(
                f"release {self.number} cannot hold everybody whom the background puts into it: no published group covers "
                f"{int((~covered).sum())} of its combinations of quasi-identifiers; leave suppressed persons out, or make "
                f"the background by Background.worst_case(releases).without_groups()"
            )


def value_masks(groups: np.ndarray, values: np.ndarray, n_groups: int, n_values: int) -> np.ndarray:
    """The sensitive values of each group as a bitset: one row of 64-bit words a group."""
    masks = np.zeros((n_groups, max((n_values + 63) // 64, 1)), dtype=np.uint64)
    mark_bits(groups, values, masks)
    return masks
