"""What a search through the lattice has found."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ppdp_lab.anonymize.lattice.check import Counters
from ppdp_lab.anonymize.lattice.lattice import HOLDS, UNKNOWN, Lattice, Node


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search.

    Attributes
    ----------
    quasi_identifiers : tuple of str
        What the levels of a node belong to.
    lattice : Lattice
        All nodes; ``lattice.state`` says 1 where the rule holds, -1 where it fails, 0 where the search did not need to know.
    checked : list of tuples
        The nodes that were checked, in order. Incognito also checks nodes of some of the quasi-identifiers; None stands
        for those left out.
    best : tuple of int or None
        The node that the metric prefers; None if there is no solution.
    counters : Counters
    """

    quasi_identifiers: tuple[str, ...]
    lattice: Lattice = field(repr=False)
    checked: list[tuple[int | None, ...]] = field(repr=False)
    best: Node | None
    counters: Counters

    @property
    def solutions(self) -> list[Node]:
        """All nodes that are known to satisfy the rule: every one that does if the search is :attr:`complete`."""
        return self.lattice.nodes(np.flatnonzero(self.lattice.state == HOLDS))

    @property
    def minimal(self) -> list[Node]:
        """The solutions that generalize no other one."""
        return self.lattice.minimal()

    @property
    def complete(self) -> bool:
        """Whether it is known of every node if it satisfies the rule."""
        return not (self.lattice.state == UNKNOWN).any()

    def to_frame(self) -> pd.DataFrame:
        """One row per node: its levels, height, state, and when it was checked (1, 2, ...), if it was.

        The state is ``solution``, ``fails`` or ``unknown``; a node with a state that was never checked was tagged.

        >>> import ppdp_lab as pl
        >>> from ppdp_lab.anonymize.lattice.flash import Flash
        >>> frame = Flash(pl.KAnonymity(2)).search(pl.datasets.examples.speedy.table_16()).to_frame()
        >>> frame[frame["check"] <= 3].sort_values("check")
            birthplace  birth year  zipcode  height     state  check
        15           1           0        3       4     fails      1
        31           2           1        3       6  solution      2
        27           2           0        3       5     fails      3
        """
        levels = np.array(np.unravel_index(np.arange(self.lattice.size), self.lattice.shape))
        frame = pd.DataFrame(dict(zip(self.quasi_identifiers, levels)))
        state = self.lattice.state.reshape(-1)
        order = np.zeros(self.lattice.size, dtype=np.int64)
        for number, node in enumerate(self.checked, start=1):
            if None not in node:
                order[np.ravel_multi_index(node, self.lattice.shape)] = number  # type: ignore[arg-type]
        frame["height"] = levels.sum(axis=0)
        frame["state"] = np.array(["fails", "unknown", "solution"])[state + 1]
        frame["check"] = pd.array(order, dtype="Int64")
        frame.loc[order == 0, "check"] = pd.NA
        return frame

    @property
    def checks(self) -> int:
        """Number of checks."""
        return self.counters.checks

    @property
    def rollups(self) -> int:
        """Checks that scanned classes counted before instead of rows."""
        return self.counters.rollups

    @property
    def rows(self) -> int:
        """Rows and classes that the checks have scanned."""
        return self.counters.rows

    @property
    def seconds(self) -> float:
        """Time of the search."""
        return self.counters.seconds
