"""The size of each node's smallest class, remembered over a sweep of k."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppdp_lab.errors import ParameterError
from ppdp_lab.table import Microdata


class SmallestClasses:
    """What searches of one table have learnt about the smallest class of each node; the next search starts from it.

    A node is k-anonymous if its smallest class holds k records, whatever k is, so a check for one k may answer for
    another. The smallest class never gets smaller as a node is generalized, so one check also bounds the nodes above and
    below it. Hand the same object to every search of a sweep.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> from ppdp_lab.anonymize.lattice.flash import Flash
    >>> frame = pd.DataFrame({"age": [20, 21, 22, 30, 31, 41]})
    >>> table = pl.Microdata(frame, pl.Schema("age"), {"age": pl.Hierarchy.intervals(range(20, 50), [5, 10])})
    >>> smallest = SmallestClasses()
    >>> [Flash(pl.KAnonymity(k), smallest=smallest).search(table).checked for k in (2, 3, 4, 7)]
    [[(2,), (3,)], [], [], []]
    """

    def __init__(self) -> None:
        self._codes: np.ndarray | None = None
        self._at_least = np.zeros(0, dtype=np.int64)
        self._at_most = np.zeros(0, dtype=np.int64)

    def begin(self, table: Microdata, shape: tuple[int, ...], k: int) -> tuple[np.ndarray, np.ndarray]:
        """Begin a search of a table whose lattice has some shape: which nodes are known to be k-anonymous, which not."""
        if self._codes is None:
            self._codes = table.qi_codes
            self._at_least = np.ones(shape, dtype=np.int64)
            self._at_most = np.full(shape, len(table), dtype=np.int64)
        if self._codes is not table.qi_codes or self._at_least.shape != shape:
            raise ParameterError("these SmallestClasses were learnt from another table; make new ones for this table")
        at_least, at_most = self._at_least, self._at_most
        for axis in range(at_least.ndim):
            at_least = np.maximum.accumulate(at_least, axis=axis)
            at_most = np.flip(np.minimum.accumulate(np.flip(at_most, axis), axis=axis), axis)
        self._at_least, self._at_most = at_least, at_most.copy()
        return at_least >= k, at_most < k

    def note(self, node: Sequence[int], *, below: int, exactly: int = 0) -> None:
        """Remember that a node's smallest class has this size exactly or, if that is 0, fewer than ``below`` records."""
        where = tuple(node)
        if exactly:
            self._at_least[where] = self._at_most[where] = exactly
        else:
            self._at_most[where] = min(self._at_most[where], below - 1)
