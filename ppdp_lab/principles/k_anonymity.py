"""k-anonymity: nobody stands in a class of fewer than k."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ppdp_lab.errors import InfeasibleError
from ppdp_lab.principles.base import PRINCIPLES, Principle
from ppdp_lab.registry import Within
from ppdp_lab.table import ClassCounts
from ppdp_lab.text import counted


@PRINCIPLES.add(
    accepts="any table of at least k records",
    promises="nobody stands in a class of fewer than k",
    paper="Samarati, TKDE 2001; Sweeney, IJUFKS 2002",
)
class KAnonymity(Principle):
    """Every class holds at least k records [1]_, [2]_.

    Parameters
    ----------
    k : int
        Least number of records that share their published quasi-identifiers.

    References
    ----------
    .. [1] P. Samarati, "Protecting respondents' identities in microdata release", IEEE TKDE 13(6), 2001.
    .. [2] L. Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> KAnonymity(2).safe(ClassCounts.of_values([["flu"], ["flu", "HIV"]])).tolist()
    [False, True]
    """

    superset_closed = True
    union_closed = True

    def __init__(self, k: Annotated[int, Within(at_least=1)]) -> None:
        self.k = k

    @property
    def minimum_size(self) -> int:
        """k."""
        return self.k

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """Whether each class holds k records, or none."""
        return (counts.sizes >= self.k) | (counts.sizes == 0)

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """How many records are there."""
        return f"{counted(int(counts.sizes[cls]), 'record')}, fewer than k = {self.k}"

    def _strongest(self, counts: ClassCounts) -> KAnonymity:
        """k is the size of the smallest class."""
        return KAnonymity(int(counts.sizes[counts.sizes > 0].min()))

    def require_feasible(self, counts: ClassCounts) -> None:
        """Refuse k larger than the table."""
        n = int(counts.sizes.sum())
        if n < self.k:
            raise InfeasibleError(f"k = {self.k} is larger than the table of {n} records; lower k or add records")
