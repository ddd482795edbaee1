"""Answers to count queries: exact ones from a table, estimates from what was published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import ParameterError
from ppdp_lab.metrics._bitmaps import count_inside, cuts_of_bits, share_inside, spread_boxes
from ppdp_lab.metrics.queries import Queries, check_table
from ppdp_lab.published import Published
from ppdp_lab.release import Release
from ppdp_lab.table import Boxes, Domain, Microdata, Sets, group
from ppdp_lab.table.boxes import BoxColumn

_BATCH = 256  # queries at a time, so that their tables stay in the processor's cache


def true_counts(table: Microdata, queries: Queries) -> np.ndarray:
    """How many records of a table each query selects.

    Parameters
    ----------
    table : Microdata
    queries : Queries
        Made from this table, or from one that shares its domains.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> true_counts(table, Queries.of(table, [{"age": (25, 45)}, {"age": (25, 45), "illness": "flu"}])).tolist()
    [2, 1]
    """
    _check_queries(queries)
    check_table(table, "true counts come from")
    queries.check_fits((*table.qi_domains, *table.sensitive_domains))
    codes = np.concatenate([table.qi_codes, table.sensitive_codes])
    out = np.zeros(len(queries), dtype=np.int64)
    count_inside(codes, *Regions.of(queries.columns).arrays, out)
    return out


def estimates(published: Published | Release, queries: Queries) -> np.ndarray:
    """How many records each query is expected to select, to a reader of what was published.

    *Generalized*: the records of a group are taken to be spread evenly over the values of its box, whatever their sensitive
    values; so a group adds the share of its box that the query selects times its rows with a selected sensitive value
    [1]_. *Anatomized*: quasi-identifiers are exact, so a group adds its selected rows times the share of its selected
    sensitive values [2]_. Counterfeits are left out by the published statistics: of a group of n rows with f
    counterfeits, every row counts (n - f) / n.

    Parameters
    ----------
    published : Published or Release
        Of a release only its published side is looked at.
    queries : Queries

    References
    ----------
    .. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.
    .. [2] X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> queries = Queries.of(table, [{"age": (25, 45)}, {"age": (25, 45), "illness": "cold"}])
    >>> estimates(pl.Release(table, np.array([0, 0, 1, 1])), queries).tolist()
    [2.0, 0.5]
    """
    _check_queries(queries)
    if isinstance(published, Release):
        published = published.published()
    if not isinstance(published, Published):
        raise ParameterError(f"estimates need a Release or what it published, not {type(published).__name__}")
    queries.check_fits((*published.qi_domains, *published.sensitive_domains))
    cells = Cells.of(published.row_group, published.row_sensitive, published.n_groups, published.sensitive_domains)
    sizes = np.maximum(published.sizes, 1)
    weights = np.ones(published.n_groups)
    if published.counterfeits_per_group is not None:
        weights -= published.counterfeits_per_group / sizes
    if published.boxes is None:
        weights /= sizes
        return _from_rows(published, queries, cells, weights)
    return _from_boxes(published, queries, cells, weights)


@dataclass(frozen=True)
class Regions:
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
    def of(columns: Sequence[BoxColumn]) -> Regions:
        """From boxes or queries: one column an attribute."""
        sizes = np.array([len(column.domain) for column in columns], dtype=np.int64)
        pieces, offsets, at = [], [], 0
        for column, size in zip(columns, sizes):
            if isinstance(column, Sets):
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
        return Regions(base, sizes, np.concatenate(pieces), np.stack(offsets).astype(np.int64))


@dataclass(frozen=True)
class Cells:
    """Sensitive values per group, sparsely; several sensitive attributes are combined into one.

    Group g holds ``counts[c]`` times the combination ``values[c]``, for c in ``begin[g] : begin[g + 1]``; combination v
    is ``combined[:, v]``.
    """

    begin: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    combined: np.ndarray

    @staticmethod
    def of(row_group: np.ndarray, sensitive: np.ndarray, n_groups: int, domains: Sequence[Domain]) -> Cells:
        """Count rows by group and combination of sensitive values."""
        value_of, combined = combine(sensitive, domains)
        cells = group([row_group, value_of], [n_groups, combined.shape[1]])
        begin = np.r_[0, np.cumsum(np.bincount(row_group[cells.first], minlength=n_groups))]
        return Cells(begin.astype(np.int64), value_of[cells.first], cells.sizes, combined)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The kernels' arguments."""
        return self.begin, self.values, self.counts

    def wanted(self, queries: Queries) -> np.ndarray:
        """Which combinations each query selects, as 0 or 1: combinations by queries."""
        out = np.ones((self.combined.shape[1], len(queries)))
        for column, codes in zip(queries.sensitive, self.combined):
            out *= column.members().T[codes]
        return out


def combine(sensitive: np.ndarray, domains: Sequence[Domain]) -> tuple[np.ndarray, np.ndarray]:
    """Number the combinations of sensitive values: (number of each row, codes of each combination).

    >>> combine(np.array([[1, 0, 1], [0, 0, 0]]), [range(2), range(1)])[0].tolist()
    [1, 0, 1]
    """
    if not len(domains):
        return np.zeros(sensitive.shape[1], dtype=np.int32), np.zeros((0, 1), dtype=np.int32)
    kinds = group(sensitive, [len(domain) for domain in domains])
    return kinds.class_of, sensitive[:, kinds.first]


def _from_rows(published: Published, queries: Queries, cells: Cells, weights: np.ndarray) -> np.ndarray:
    assert published.qi_rows is not None and published.qi_group is not None
    out = np.zeros(len(queries))
    for begin in range(0, len(queries), _BATCH):
        batch = queries.take(slice(begin, begin + _BATCH))
        share_inside(
            np.ascontiguousarray(published.qi_rows),
            *Regions.of(batch.qi).arrays,
            published.qi_group,
            *cells.arrays,
            weights,
            cells.wanted(batch),
            out[begin : begin + _BATCH],
        )
    return out


def _from_boxes(published: Published, queries: Queries, cells: Cells, weights: np.ndarray) -> np.ndarray:
    assert published.boxes is not None
    kinds = [Boxes((column,), published.n_groups).groups() for column in published.boxes]  # many agree on an attribute
    base = np.r_[0, np.cumsum([len(one) for _, one in kinds])]
    box = np.stack([kind + first for (kind, _), first in zip(kinds, base)])
    columns = [column.take(one) for column, (_, one) in zip(published.boxes, kinds)]
    out = np.zeros(len(queries))
    for begin in range(0, len(queries), _BATCH):
        batch = queries.take(slice(begin, begin + _BATCH))
        shares = np.concatenate([_selected_shares(column, chosen) for column, chosen in zip(columns, batch.qi)])
        spread_boxes(shares, box, *cells.arrays, weights, cells.wanted(batch), out[begin : begin + _BATCH])
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


def _check_queries(queries: object) -> None:
    if not isinstance(queries, Queries):
        raise ParameterError(
            f"queries must be metrics.Queries, not {type(queries).__name__}; make them with Queries.of, "
            f"queries_by_width or queries_by_selectivity"
        )
