"""Snapshots of classes that earlier checks have counted, for later checks to roll up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ppdp_lab.anonymize.lattice.check._history import nearest_below


class Counted(NamedTuple):
    """The classes of one node: a packed row that stands for each class, and the number of records in it."""

    rows: np.ndarray
    weights: np.ndarray | None


class History:
    """Keeps the snapshots that were used last, as long as their classes together do not exceed a budget.

    The thesis keeps a fixed number of snapshots; snapshots differ in size by orders of magnitude, so a budget of classes
    holds far more of the small ones, which are the ones worth rolling up.

    Parameters
    ----------
    attributes : int
        Number of quasi-identifiers.
    base : Counted
        What every node can be rolled up from; never dropped and not charged.
    budget : int
        Largest number of classes in all other snapshots together. The newest one stays in any case.

    Examples
    --------
    >>> ten, two = (Counted(np.zeros(size, dtype=np.uint64), None) for size in (10, 2))
    >>> history = History(2, ten, budget=5)
    >>> history.add((1, 0), two)
    >>> [len(history.nearest(node).rows) for node in [(0, 1), (1, 1)]]
    [10, 2]
    """

    def __init__(self, attributes: int, base: Counted, budget: int) -> None:
        self.budget = budget
        self.total = 0
        self._snapshots = [base]
        # Row i of each array belongs to snapshot i; row 0 is the base, whose levels are all 0. They grow as needed.
        self._levels = np.zeros((64, attributes), dtype=np.int64)
        self._sizes = np.zeros(64, dtype=np.int64)
        self._used = np.zeros(64, dtype=np.int64)
        self._sizes[0] = len(base.rows)
        self._clock = 0

    def nearest(self, node: Sequence[int]) -> Counted:
        """The smallest snapshot among those of the node's specializations."""
        i = nearest_below(self._levels, self._sizes, len(self._snapshots), np.array(node))
        self._clock += 1
        self._used[i] = self._clock
        return self._snapshots[i]

    def add(self, node: Sequence[int], snapshot: Counted) -> None:
        """Keep a snapshot; those that were not used for the longest time make room."""
        size = len(snapshot.rows)
        while self.total + size > self.budget and len(self._snapshots) > 1:
            self._drop(1 + int(np.argmin(self._used[1 : len(self._snapshots)])))
        i = len(self._snapshots)
        if i == len(self._sizes):
            for name in ("_levels", "_sizes", "_used"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros_like(old)]))
        self._clock += 1
        self._levels[i], self._sizes[i], self._used[i] = node, size, self._clock
        self._snapshots.append(snapshot)
        self.total += size

    def _drop(self, i: int) -> None:
        self.total -= int(self._sizes[i])
        last = len(self._snapshots) - 1
        for column in (self._levels, self._sizes, self._used):
            # The last one takes the place that became free: order plays no part.
            column[i] = column[last]
        self._snapshots[i] = self._snapshots[last]
        self._snapshots.pop()
