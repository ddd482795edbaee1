"""l-diversity in its four forms: every class holds l "well represented" sensitive values [1]_.

Missing values protect nobody: a class is judged by the records whose value is known, and one without any is not safe. A
table read with ``missing="category"`` counts them as any other value.

References
----------
.. [1] A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity",
   ACM TKDD 1(1), 2007.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from ppdp_lab.errors import ParameterError, SchemaError
from ppdp_lab.principles.base import PRINCIPLES, TOLERANCE, Principle, rounded_down
from ppdp_lab.registry import Within
from ppdp_lab.table import ClassCounts


class SensitivePrinciple(Principle):
    """A principle about one sensitive attribute; ``attribute`` may be left out where there is only one."""

    def __init__(self, attribute: str | None = None) -> None:
        self.attribute = attribute


@PRINCIPLES.add(
    accepts="a table with a sensitive column of at least l values",
    promises="every class holds at least l distinct sensitive values",
    paper="Machanavajjhala et al., TKDD 2007",
)
class DistinctLDiversity(SensitivePrinciple):
    """Every class holds at least l distinct sensitive values.

    >>> DistinctLDiversity(2).safe(ClassCounts.of_values([["flu", "flu"], ["flu", "HIV"]])).tolist()
    [False, True]
    """

    superset_closed = True
    union_closed = True

    def __init__(self, l: Annotated[int, Within(at_least=1)], *, attribute: str | None = None) -> None:  # noqa: E741 (the paper's symbol)
        super().__init__(attribute)
        self.l = l

    @property
    def minimum_size(self) -> int:
        """l."""
        return self.l

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """Whether each class holds l distinct values."""
        distinct = counts.histogram(self.attribute).distinct
        return (distinct >= self.l) | (counts.sizes == 0)

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """Which values are there."""
        histogram = counts.histogram(self.attribute)
        what = f"{histogram.distinct[cls]} distinct value(s) of {histogram.domain.name}"
        return f"{what} ({histogram.words(cls)}), fewer than l = {self.l}"

    def _strongest(self, counts: ClassCounts) -> DistinctLDiversity | None:
        """l is the smallest number of distinct values."""
        least = int(counts.histogram(self.attribute).distinct[counts.sizes > 0].min())
        return DistinctLDiversity(least, attribute=self.attribute) if least else None


@PRINCIPLES.add(
    accepts="a table with a sensitive column whose entropy is at least log l",
    promises="the entropy of every class is at least log l",
    paper="Machanavajjhala et al., TKDD 2007",
)
class EntropyLDiversity(SensitivePrinciple):
    """The entropy of the sensitive values of every class is at least log l. l may be fractional.

    >>> EntropyLDiversity(2).safe(ClassCounts.of_values([["flu", "flu", "HIV"], ["flu", "HIV"]])).tolist()
    [False, True]
    """

    union_closed = True

    def __init__(self, l: Annotated[float, Within(at_least=1)], *, attribute: str | None = None) -> None:  # noqa: E741
        super().__init__(attribute)
        self.l = l

    @property
    def minimum_size(self) -> int:
        """l, rounded up: the entropy of n records is at most log n."""
        return math.ceil(self.l - TOLERANCE)

    def entropies(self, counts: ClassCounts) -> np.ndarray:
        """Entropy (natural logarithm) of each class; minus infinity if no value of its records is known."""
        histogram = counts.histogram(self.attribute)
        # Cells are values that occur, so that no share is 0 and no logarithm is infinite.
        shares = histogram.shares
        return np.where(histogram.sizes < counts.sizes.clip(max=1), -np.inf, -histogram.sum(shares * np.log(shares)))

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """Whether each class's entropy reaches log l."""
        return (self.entropies(counts) >= math.log(self.l) - TOLERANCE) | (counts.sizes == 0)

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """The entropy, and the value that holds it down."""
        histogram = counts.histogram(self.attribute)
        entropy = self.entropies(counts)[cls]
        return (
            f"entropy {entropy:.3f} of {histogram.domain.name} ({histogram.words(cls)}) is under log l = "
            f"{math.log(self.l):.3f} (l = {self.l:g}); the most frequent value has a share of "
            f"{_top_share(counts, self.attribute, cls):.1%}"
        )

    def _strongest(self, counts: ClassCounts) -> EntropyLDiversity | None:
        """log l is the smallest entropy."""
        least = self.entropies(counts)[counts.sizes > 0].min()
        if least < 0:
            return None
        return EntropyLDiversity(max(rounded_down(math.exp(least)), 1.0), attribute=self.attribute)


@PRINCIPLES.add(
    accepts="a table with a sensitive column of at least l values",
    promises="the most frequent value stays rare even after l - 2 others were ruled out",
    paper="Machanavajjhala et al., TKDD 2007",
)
class RecursiveCLDiversity(SensitivePrinciple):
    """Recursive (c, l)-diversity: in every class r1 < c (r_l + r_(l+1) + ... + r_m).

    r_i is the count of the i-th most frequent sensitive value: the most frequent one is not too frequent even after an
    adversary has ruled out l - 2 others.

    >>> rule = RecursiveCLDiversity(c=2, l=2)
    >>> rule.safe(ClassCounts.of_values([["flu", "flu", "HIV"], ["flu", "HIV"]])).tolist()
    [False, True]
    """

    union_closed = True

    def __init__(
        self,
        c: Annotated[float, Within(above=0)],
        l: Annotated[int, Within(at_least=1)],  # noqa: E741
        *,
        attribute: str | None = None,
    ) -> None:
        super().__init__(attribute)
        self.c = c
        self.l = l

    @property
    def minimum_size(self) -> int:
        """l: with fewer distinct values the tail is empty."""
        return self.l

    def _head_and_tail(self, counts: ClassCounts) -> tuple[np.ndarray, np.ndarray]:
        histogram = counts.histogram(self.attribute)
        order = np.lexsort((-histogram.counts, histogram.cell_class))
        descending = histogram.counts[order]
        # Cells stay sorted by class, so that offsets still hold; ranks count from 0: r_l of the paper has rank l - 1.
        rank = np.arange(len(order)) - histogram.offsets[histogram.cell_class]
        return histogram.max(histogram.counts), histogram.sum(np.where(rank >= self.l - 1, descending, 0))

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """Whether r1 < c * tail in each class."""
        head, tail = self._head_and_tail(counts)
        return (head < self.c * tail - TOLERANCE) | (counts.sizes == 0)

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """Head and tail of the class's histogram."""
        head, tail = self._head_and_tail(counts)
        histogram = counts.histogram(self.attribute)
        return (
            f"the most frequent value of {histogram.domain.name} occurs {head[cls]:g} times ({histogram.words(cls)}), a share of "
            f"{_top_share(counts, self.attribute, cls):.1%}, not less than c = {self.c:g} times the {tail[cls]:g} record(s) "
            f"beyond the l - 1 = {self.l - 1} most frequent value(s)"
        )

    def _strongest(self, counts: ClassCounts) -> RecursiveCLDiversity | None:
        """The largest l, under the same c: the tail becomes shorter with l, so l can be halved in on."""
        least, most = 0, int(counts.histogram(self.attribute).distinct.max())
        while least < most:
            middle = (least + most + 1) // 2
            kept = self._with(middle).safe(counts).all()
            least, most = (middle, most) if kept else (least, middle - 1)
        return self._with(least) if least else None

    def _with(self, l: int) -> RecursiveCLDiversity:  # noqa: E741
        return RecursiveCLDiversity(self.c, l, attribute=self.attribute)


@PRINCIPLES.add(
    accepts="a table with two or more sensitive columns",
    promises="l values of each sensitive attribute, the others being known",
    paper="Machanavajjhala et al., TKDD 2007",
)
class MultiAttributeLDiversity(Principle):
    """l-diversity for several sensitive attributes, each checked with all the others as quasi-identifiers.

    A class that is diverse in each attribute alone may still fall to an adversary who knows, or can rule out, one value
    of another attribute.

    Parameters
    ----------
    l : int
        Distinct values that every attribute must show for each combination of the other attributes' values in a class.

    Examples
    --------
    >>> counts = ClassCounts.of_values([[("A", "HIV"), ("A", "flu")], [("A", "HIV"), ("B", "HIV"), ("A", "flu"), ("B", "flu")]])
    >>> MultiAttributeLDiversity(2).safe(counts).tolist()
    [False, True]
    """

    union_closed = True

    def __init__(self, l: Annotated[int, Within(at_least=1)]) -> None:  # noqa: E741
        self.l = l

    @property
    def minimum_size(self) -> int:
        """l."""
        return self.l

    def diversity(self, counts: ClassCounts) -> np.ndarray:
        """Smallest number of distinct values that any attribute shows given the others, per class."""
        if len(counts.attributes) < 2:
            raise SchemaError(
                "multi-attribute l-diversity needs at least two sensitive columns; use DistinctLDiversity"
            )
        # An empty class has no finer class that could lower this: it is safe under every l.
        least = np.full(counts.n_classes, np.iinfo(np.int64).max)
        for attribute in counts.attributes:
            finer, parent = counts.given_the_others(attribute)
            np.minimum.at(least, parent, finer.histogram().distinct)
        return least

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """Whether the diversity given the others reaches l in each class."""
        return self.diversity(counts) >= self.l

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """Which attribute is the weak one."""
        for attribute in counts.attributes:
            finer, parent = counts.given_the_others(attribute)
            weak = np.flatnonzero((parent == cls) & (finer.histogram().distinct < self.l))
            if len(weak):
                words = finer.histogram().words(int(weak[0]))
                return (
                    f"given the other sensitive columns, {attribute} takes {finer.histogram().distinct[weak[0]]} value(s) "
                    f"({words}), fewer than l = {self.l}"
                )
        raise ParameterError(f"class {cls} is safe under {self}")

    def _strongest(self, counts: ClassCounts) -> MultiAttributeLDiversity | None:
        """l is the smallest diversity given the others."""
        least = int(self.diversity(counts).min())
        return MultiAttributeLDiversity(least) if least else None


def _top_share(counts: ClassCounts, attribute: str | None, cls: int) -> float:
    histogram = counts.histogram(attribute)
    return float(histogram.max(histogram.counts)[cls] / max(histogram.sizes[cls], 1))
