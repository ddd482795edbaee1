"""(alpha, k)-anonymity: a cap on the share of a sensitive value in every class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np

from ppdp_lab.errors import ParameterError, check_items, listed
from ppdp_lab.principles.base import PRINCIPLES, TOLERANCE, rounded_up
from ppdp_lab.principles.l_diversity import SensitivePrinciple
from ppdp_lab.registry import Within
from ppdp_lab.table import ClassCounts, Histogram
from ppdp_lab.text import counted


@PRINCIPLES.add(
    accepts="a table with a sensitive column",
    promises="classes of k or more, in which no sensitive value has a share above alpha",
    paper="Wong et al., KDD 2006",
)
class AlphaKAnonymity(SensitivePrinciple):
    """Every class holds at least k records, and no sensitive value has a share above alpha in it [1]_.

    Shares are those among the records whose value is known; a class without any is not safe.

    Parameters
    ----------
    alpha : float
        Largest share, in (0, 1].
    k : int
        Least class size.
    values : list, optional
        The values to be capped; all of them unless given.

    References
    ----------
    .. [1] R. Wong, J. Li, A. Fu, K. Wang, "(alpha, k)-anonymity", KDD 2006.

    Examples
    --------
    >>> counts = ClassCounts.of_values([["HIV", "flu", "cold"], ["HIV", "HIV", "cold"]])
    >>> AlphaKAnonymity(1 / 3, 3).safe(counts).tolist()
    [True, False]
    """

    union_closed = True

    def __init__(
        self,
        alpha: Annotated[float, Within(above=0, at_most=1)],
        k: Annotated[int, Within(at_least=1)],
        *,
        values: Iterable[Any] | None = None,
        attribute: str | None = None,
    ) -> None:
        super().__init__(attribute)
        self.alpha = alpha
        self.k = k
        single = isinstance(values, str)
        self.values = None if values is None else (values,) if single else tuple(check_items("values", values))

    @property
    def minimum_size(self) -> int:
        """k, or the records it takes for one of them to have a share of alpha."""
        # With a list of capped values, a class may hold none of them and be as small as k.
        return self.k if self.values is not None else max(self.k, int(np.ceil(1 / self.alpha - TOLERANCE)))

    def _capped(self, histogram: Histogram) -> np.ndarray:
        """Cells that count: those of the capped values."""
        if self.values is None:
            return np.ones(len(histogram.counts), dtype=bool)
        codes = []
        for value in self.values:
            try:
                codes.append(histogram.domain.code_of(value))
            except KeyError:
                raise ParameterError(
                    f"values: {value!r} is not a value of {histogram.domain.name}; it has {listed(histogram.domain.labels)}"
                ) from None
        return np.isin(histogram.values, codes)

    def shares(self, counts: ClassCounts) -> np.ndarray:
        """Share of the most frequent capped value, per class."""
        histogram = counts.histogram(self.attribute)
        return histogram.max(np.where(self._capped(histogram), histogram.shares, 0.0))

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """Whether each class is large enough and no share exceeds alpha."""
        known = counts.histogram(self.attribute).sizes > 0
        large = (counts.sizes >= self.k) & known
        return (large & (self.shares(counts) <= self.alpha + TOLERANCE)) | (counts.sizes == 0)

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """Size, or the value that is too frequent."""
        reasons = []
        if counts.sizes[cls] < self.k:
            reasons.append(f"{counted(int(counts.sizes[cls]), 'record')}, fewer than k = {self.k}")
        if not counts.histogram(self.attribute).sizes[cls]:
            reasons.append(f"no record with a known value of {counts.histogram(self.attribute).domain.name}")
        share = self.shares(counts)[cls]
        if share > self.alpha + TOLERANCE:
            histogram = counts.histogram(self.attribute)
            cells = np.flatnonzero((histogram.cell_class == cls) & self._capped(histogram))
            top = histogram.domain.labels[histogram.values[cells[np.argmax(histogram.counts[cells])]]]
            reasons.append(
                f"{top!r} has a share of {share:.1%} of {histogram.domain.name}, above alpha = {self.alpha:.1%}"
            )
        return "; ".join(reasons)

    def _strongest(self, counts: ClassCounts) -> AlphaKAnonymity | None:
        """The largest share, and the size of the smallest class; the rule's own alpha if no capped value is there at all."""
        if (counts.histogram(self.attribute).sizes < counts.sizes.clip(max=1)).any():
            return None
        share = float(self.shares(counts).max())
        alpha = min(rounded_up(share), 1.0) if share > 0 else self.alpha
        k = int(counts.sizes[counts.sizes > 0].min())
        return AlphaKAnonymity(alpha, k, values=self.values, attribute=self.attribute)
