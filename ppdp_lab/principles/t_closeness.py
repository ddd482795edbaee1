"""t-closeness: in every class the sensitive values are distributed much as in the whole table."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ppdp_lab.errors import ParameterError
from ppdp_lab.principles._emd import emd_equal, emd_ordered, emd_tree
from ppdp_lab.principles.base import PRINCIPLES, TOLERANCE, rounded_up
from ppdp_lab.principles.l_diversity import SensitivePrinciple
from ppdp_lab.registry import OneOf, Within
from ppdp_lab.table import ClassCounts

DISTANCES = ("equal", "ordered", "hierarchical")


@PRINCIPLES.add(
    accepts="a table with a sensitive column; one with an order or a hierarchy for those distances",
    promises="in every class the sensitive values are distributed as in the whole table, up to t",
    paper="Li et al., ICDE 2007",
)
class TCloseness(SensitivePrinciple):
    """The earth mover's distance between every class and the whole table is at most t [1]_.

    Both are distributions of known values; a class in which none is known has no distance.

    Parameters
    ----------
    t : float
        Largest distance, in [0, 1].
    distance : {"equal", "ordered", "hierarchical"}
        Ground distance between two values: 1 for any two; their distance in the order of the domain, as a share of its
        length; or the height of their lowest common ancestor, as a share of the hierarchy's. "Ordered" and
        "hierarchical" see how close in meaning the values are, which is what a similarity attack exploits.

    References
    ----------
    .. [1] N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007.

    Examples
    --------
    >>> counts = ClassCounts.of_values([["no"] * 9 + ["yes"], ["no"] * 8 + ["yes"] * 2])
    >>> TCloseness(0.1).distances(counts).round(3).tolist()
    [0.05, 0.05]
    """

    union_closed = True

    def __init__(
        self,
        t: Annotated[float, Within(at_least=0, at_most=1)],
        *,
        distance: Annotated[str, OneOf(*DISTANCES)] = "equal",
        attribute: str | None = None,
    ) -> None:
        super().__init__(attribute)
        self.t = t
        self.distance = distance

    def distances(self, counts: ClassCounts) -> np.ndarray:
        """Distance of each class from the whole table; 0 for a class without a known value."""
        histogram = counts.histogram(self.attribute)
        totals = counts.totals(self.attribute)
        # Of the whole table, suppressed records included, where the counts know it; else of what is published.
        whole = totals / max(totals.sum(), 1)
        cells = (histogram.offsets, histogram.values, histogram.counts, np.maximum(histogram.sizes, 1))
        if self.distance == "equal":
            distance = emd_equal(*cells, whole)
        elif self.distance == "ordered":
            whole = whole[: len(histogram.domain.counted)]  # the order ends with the largest value that counts
            if histogram.domain.kind == "set":
                raise ParameterError(
                    f"the values of {histogram.domain.name!r} have no order; use distance='equal', or make the column "
                    f"numbers or an ordered Categorical"
                )
            distance = emd_ordered(*cells, whole)
        else:
            tree = histogram.domain.hierarchy
            if tree is None:
                raise ParameterError(
                    f"{histogram.domain.name!r} has no hierarchy; give the Microdata one, or use distance='equal'"
                )
            distance = emd_tree(*cells, whole, tree.ancestors, tree.node_height)
        return np.where(histogram.sizes == 0, 0.0, distance)

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """Whether each class is at most t away."""
        return self.distances(counts) <= self.t + TOLERANCE

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """The distance, and what the class holds."""
        histogram = counts.histogram(self.attribute)
        return (
            f"{histogram.domain.name} ({histogram.words(cls)}) is {self.distances(counts)[cls]:.3f} away from the whole "
            f"table, more than t = {self.t:g}"
        )

    def _strongest(self, counts: ClassCounts) -> TCloseness:
        """t is the largest distance."""
        t = min(max(rounded_up(float(self.distances(counts).max())), 0.0), 1.0)
        return TCloseness(t, distance=self.distance, attribute=self.attribute)
