"""KL divergence: how far the distribution that a reader would reconstruct lies from the table's own."""

from __future__ import annotations

import numpy as np

from ppdp_lab.metrics._bitmaps import density_inside
from ppdp_lab.metrics.answers import Regions, combine
from ppdp_lab.metrics.base import metric
from ppdp_lab.release import ANATOMIZED, Release
from ppdp_lab.table import group


@metric(
    "KL divergence",
    unit="nats",
    better="lower",
    bounds=(0, None),
    reference="Kifer and Gehrke, SIGMOD 2006; BPG paper, CIKM 2012, section 3",
)
def kl_divergence(release: Release, *, sensitive: bool = True) -> float:
    """Kullback-Leibler divergence of the table's distribution P1 from the reconstructed one, P2 [1]_, [2]_.

    P1 gives each combination of values its share of the records. P2 spreads the records of a class evenly over the values
    of its box and links them with any of its sensitive values (of an anatomized release: keeps their quasi-identifiers
    and links them with any of the sensitive values); where boxes overlap, their densities add up. A suppressed record is
    spread over all domains. Counterfeits are left out: of a class of n rows with f counterfeits, every row counts
    (n - f) / n. The divergence is the sum over combinations of P1 * log(P1 / P2), and 0 only if P1 = P2.

    Parameters
    ----------
    release : Release
    sensitive : bool
        Compare joint distributions of quasi-identifiers and sensitive values, or of quasi-identifiers alone.

    References
    ----------
    .. [1] D. Kifer, J. Gehrke, "Injecting utility into anonymized datasets", SIGMOD 2006.
    .. [2] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
       CIKM 2012, section 3.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> release = pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="illness")), np.array([0, 0, 1, 1]))
    >>> round(kl_divergence(release), 3)  # half of the records have two illnesses to choose from: log(2) / 2
    0.347
    >>> kl_divergence(release, sensitive=False)
    0.0
    """
    table, fake = release.table, release.counterfeit_codes
    domains = table.sensitive_domains if sensitive else ()
    codes = np.concatenate([table.sensitive_codes, fake.sensitive], axis=1)[: len(domains)]
    value_of, _ = combine(codes, domains)
    where = group(np.concatenate([table.qi_codes, fake.qi], axis=1), [len(d) for d in table.qi_domains])
    rows = _Rows(release, where.class_of, where.n_classes, value_of)

    n = len(table)
    spread = rows.linked_counts() if release.style == ANATOMIZED else rows.box_counts()
    everywhere = np.prod([float(len(d)) for d in (*table.qi_domains, *domains)])
    expected = spread + len(release.suppressed) / everywhere
    return max(float(rows.point_counts @ np.log(rows.point_counts / expected)) / n, 0.0)


class _Rows:
    """All rows of a release, counterfeits after the table's: place in the quasi-identifier space, value, class.

    A *point* is a place and a value that some record of the table has.
    """

    def __init__(self, release: Release, place: np.ndarray, n_places: int, value: np.ndarray) -> None:
        self.release, self.place, self.n_places, self.value = release, place, n_places, value
        self.n_values = int(value.max()) + 1
        self.class_of = np.concatenate([release.class_of, release.counterfeit_codes.class_of])
        n = len(release.table)
        points = group([place[:n], value[:n]], [n_places, self.n_values])
        self.point_first, self.point_counts = points.first, points.sizes
        shown = np.flatnonzero(self.class_of >= 0)
        cells = group([self.class_of[shown], value[shown]], [release.n_classes, self.n_values])
        first = shown[cells.first]
        begin = np.r_[0, np.cumsum(np.bincount(self.class_of[first], minlength=release.n_classes))]
        self.cells = begin.astype(np.int64), value[first], cells.sizes
        self.real_share = release.real_sizes / release.sizes

    def box_counts(self) -> np.ndarray:
        """Expected records at each point, if those of a class are spread evenly over its box."""
        release, first = self.release, self.point_first
        volume = np.ones(release.n_classes)
        for column in release.boxes:
            volume *= column.leaf_counts()
        out = np.zeros(len(first))
        density_inside(
            np.ascontiguousarray(release.table.qi_codes[:, first]),
            *Regions.of(release.boxes.columns).arrays,
            self.value[first],
            *self.cells,
            self.real_share / volume,
            self.n_values,
            out,
        )
        return out

    def linked_counts(self) -> np.ndarray:
        """Expected records at each point, if those of a class may have any of its sensitive values."""
        begin, values, counts = self.cells
        shown = np.flatnonzero(self.class_of >= 0)
        pairs = group([self.class_of[shown], self.place[shown]], [self.release.n_classes, self.n_places])
        first = shown[pairs.first]
        cls = self.class_of[first]
        n_cells = np.diff(begin)[cls]
        pair = np.repeat(np.arange(len(first)), n_cells)
        cell = np.arange(len(pair)) - np.repeat(np.cumsum(n_cells) - n_cells, n_cells) + begin[cls][pair]
        weight = pairs.sizes * (self.real_share / self.release.sizes)[cls]
        key = self.place[first].astype(np.int64)[pair] * self.n_values + values[cell]
        known = self.place[self.point_first].astype(np.int64) * self.n_values + self.value[self.point_first]
        at = np.minimum(np.searchsorted(known, key), len(known) - 1)
        hit = known[at] == key  # a place and a value may be linked that no record has together
        return np.bincount(at[hit], weights=(weight[pair] * counts[cell])[hit], minlength=len(known))
