"""Count queries: exact answers from codes, and what a reader expects from boxes or from linked tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab.release._bitmaps import count_inside, cuts_of_bits, density_inside, share_inside, spread_boxes
from ppdp_lab.release.forms import CountQueries
from ppdp_lab.table import Boxes, Cells, Domain, Sets, group
from ppdp_lab.table.boxes import BoxColumn
from ppdp_lab.text import OneLine

if TYPE_CHECKING:
    from ppdp_lab.release.anatomized import Anatomized
    from ppdp_lab.release.forms import PublishedRows
    from ppdp_lab.release.generalized import Generalized


_BATCH = 256  # queries at a time, so that their tables stay in the processor's cache


@dataclass(frozen=True)
class Cuts(OneLine):
    """Regions over several attributes, in the form that the bitmap kernels read: cuts per attribute and region."""

    base: np.ndarray
    sizes: np.ndarray
    cuts: np.ndarray
    offsets: np.ndarray

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The kernels' arguments."""
        return self.base, self.sizes, self.cuts, self.offsets

    @staticmethod
    def of(columns: Sequence[BoxColumn]) -> Cuts:
        """From boxes or queries: one column per attribute."""
        sizes = np.array([len(column.domain) for column in columns], dtype=np.int64)
        pieces, offsets, at = [], [], 0
        for column, size in zip(columns, sizes):
            if isinstance(column, Sets):
                # A cut lies wherever a bit differs from the one before it; two more per row for its ends.
                shifted = column.bits << np.uint64(1)
                shifted[:, 1:] |= column.bits[:, :-1] >> np.uint64(63)
                most = int(np.bitwise_count(column.bits ^ shifted).sum()) + 2 * len(column.bits)
                cuts = np.empty(most, dtype=np.int32)
                begin = np.empty(len(column.bits) + 1, dtype=np.int64)
                cuts = cuts[: cuts_of_bits(column.bits, int(size), cuts, begin, 0)]
            else:
                some = column.leaf_counts() < size
                cuts = np.stack([column.low, column.high + 1], axis=1)[some].ravel().astype(np.int32)
                begin = np.r_[0, np.cumsum(2 * some)]
            pieces.append(cuts)
            offsets.append(begin + at)
            at += len(cuts)
        base = np.r_[0, np.cumsum(sizes + 1)].astype(np.int64)
        return Cuts(base, sizes, np.concatenate(pieces), np.stack(offsets).astype(np.int64))


def count_selected(codes: np.ndarray, columns: Sequence[Sets]) -> np.ndarray:
    """How many records (columns of codes) have a selected value on every attribute, per query."""
    out = np.zeros(len(columns[0].bits), dtype=np.int64)
    count_inside(codes, *Cuts.of(columns).arrays, out)
    return out


def combined_cells(
    row_group: np.ndarray, sensitive: np.ndarray, n_groups: int, domains: Sequence[Domain]
) -> tuple[Cells, np.ndarray]:
    """Rows counted by group and combination of sensitive values, and the codes of each combination."""
    value_of, combined = combine(sensitive, domains)
    return Cells.count(row_group, value_of, n_groups, combined.shape[1]), combined


def combine(sensitive: np.ndarray, domains: Sequence[Domain]) -> tuple[np.ndarray, np.ndarray]:
    """Number the combinations of sensitive values: (number of each row, codes of each combination).

    >>> combine(np.array([[1, 0, 1], [0, 0, 0]]), [range(2), range(1)])[0].tolist()
    [1, 0, 1]
    """
    if not len(domains):
        return np.zeros(sensitive.shape[1], dtype=np.int32), np.zeros((0, 1), dtype=np.int32)
    kinds = group(sensitive, [len(domain) for domain in domains])
    return kinds.class_of, sensitive[:, kinds.first]


def _wanted(queries: CountQueries, combined: np.ndarray) -> np.ndarray:
    """Which combinations of sensitive values each query selects, as 0 or 1: combinations by queries."""
    out = np.ones((combined.shape[1], len(queries)))
    for column, codes in zip(queries.sensitive, combined):
        out *= column.members().T[codes]
    return out


def share_of_rows(
    qi_rows: np.ndarray,
    qi_group: np.ndarray,
    cells: Cells,
    combined: np.ndarray,
    weights: np.ndarray,
    queries: CountQueries,
) -> np.ndarray:
    """Sum over exact rows of what the wanted values of the row's group weigh; rows lie group by group."""
    out = np.zeros(len(queries))
    for begin in range(0, len(queries), _BATCH):
        batch = queries.take(slice(begin, begin + _BATCH))
        share_inside(
            np.ascontiguousarray(qi_rows),
            *Cuts.of(batch.qi).arrays,
            qi_group,
            *(cells.offsets, cells.values, cells.counts),
            weights,
            _wanted(batch, combined),
            out[begin : begin + _BATCH],
        )
    return out


def spread_over_boxes(
    boxes: Boxes, cells: Cells, combined: np.ndarray, weights: np.ndarray, queries: CountQueries
) -> np.ndarray:
    """Sum over groups of the share of the box that a query selects times what the wanted values weigh."""
    kinds = [Boxes((column,), len(boxes)).groups() for column in boxes]  # many boxes agree on an attribute
    base = np.r_[0, np.cumsum([len(one) for _, one in kinds])]
    box = np.stack([kind + first for (kind, _), first in zip(kinds, base)])
    columns = [column.take(one) for column, (_, one) in zip(boxes, kinds)]
    out = np.zeros(len(queries))
    for begin in range(0, len(queries), _BATCH):
        batch = queries.take(slice(begin, begin + _BATCH))
        shares = np.concatenate([_selected_shares(column, chosen) for column, chosen in zip(columns, batch.qi)])
        spread_boxes(
            shares,
            box,
            *(cells.offsets, cells.values, cells.counts),
            weights,
            _wanted(batch, combined),
            out[begin : begin + _BATCH],
        )
    return out


def _selected_shares(column: BoxColumn, chosen: Sets) -> np.ndarray:
    """Share of each box's values that each query selects: boxes by queries."""
    members = chosen.members().T
    if isinstance(column, Sets):
        held = column.members().astype(np.float32) @ members.astype(np.float32)
    else:
        below = np.zeros((len(members) + 1, members.shape[1]), dtype=np.int32)
        np.cumsum(members, axis=0, out=below[1:])
        held = below[column.high + 1] - below[column.low]
    return held / column.leaf_counts()[:, None]


# ---------------------------------------------------------------------- expected records at points
def _point_values(published: PublishedRows, sensitive_codes: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Values of groups and of points, numbered alike: cells per group, number of each point's combination."""
    n = len(sensitive_codes)
    rows = np.concatenate([published.row_sensitive[:n], sensitive_codes], axis=1)
    value_of, combined = combine(rows, published.sensitive_domains[:n])
    n_rows = published.row_sensitive.shape[1]
    cells = Cells.count(published.row_group, value_of[:n_rows], published.n_groups, combined.shape[1])
    return cells, value_of[n_rows:]


def density_in_boxes(published: Generalized, qi_codes: np.ndarray, sensitive_codes: np.ndarray) -> np.ndarray:
    """Expected records at each point, if those of a group are spread evenly over its box."""
    cells, value = _point_values(published, sensitive_codes)
    volume = np.ones(published.n_groups)
    for column in published.boxes:
        volume *= column.leaf_counts()
    out = np.zeros(qi_codes.shape[1])
    density_inside(
        np.ascontiguousarray(qi_codes),
        *Cuts.of(published.boxes.columns).arrays,
        value,
        *(cells.offsets, cells.values, cells.counts),
        published.real_share / volume,
        cells.n_values,
        out,
    )
    return out


def linked_density(published: Anatomized, qi_codes: np.ndarray, sensitive_codes: np.ndarray) -> np.ndarray:
    """Expected records at each point, if those of a group may have any of its sensitive values."""
    cells, value = _point_values(published, sensitive_codes)
    n = qi_codes.shape[1]
    sizes = [len(domain) for domain in published.qi_domains]
    where = group(np.concatenate([qi_codes, published.qi_rows], axis=1), sizes)
    place, row_place = where.class_of[:n], where.class_of[n:]
    # One entry per pair of a group and a place in it, then one per value of that group.
    pairs = group([published.qi_group, row_place], [published.n_groups, where.n_classes])
    owner = published.qi_group[pairs.first]
    lengths = np.diff(cells.offsets)[owner]
    pair = np.repeat(np.arange(len(owner)), lengths)
    cell = np.arange(len(pair)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + cells.offsets[owner][pair]
    weight = pairs.sizes * (published.real_share / np.maximum(published.sizes, 1))[owner]
    linked = row_place[pairs.first].astype(np.int64)[pair] * cells.n_values + cells.values[cell]
    key = place.astype(np.int64) * cells.n_values + value
    order = np.argsort(key, kind="stable")
    known = key[order]
    at = np.minimum(np.searchsorted(known, linked), max(n - 1, 0))
    hit = known[at] == linked if n else np.zeros(len(linked), dtype=bool)  # a link that no point asks for
    out = np.zeros(n)
    out[order] = np.bincount(at[hit], weights=(weight[pair] * cells.counts[cell])[hit], minlength=n)
    return out
