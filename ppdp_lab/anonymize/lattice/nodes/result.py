"""What a search through the lattice hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.anonymize.lattice.nodes.lattice import HOLDS, UNKNOWN, Lattice, Node
from ppdp_lab.registry import OneLine, cut

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class SearchResult(OneLine):
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
    checks : int
        Number of checks.
    rollups : int
        Checks that scanned classes counted before instead of rows.
    rows : int
        Rows and classes that the checks have scanned.
    divided : int
        Checks whose rows or classes were divided among threads: none with one thread.
    seconds : float
        Time of the search, without loading and without choosing the best node.
    """

    quasi_identifiers: tuple[str, ...]
    lattice: Lattice = field(repr=False)
    checked: list[tuple[int | None, ...]] = field(repr=False)
    best: Node | None
    checks: int
    rollups: int
    rows: int
    divided: int
    seconds: float

    def __repr__(self) -> str:
        return cut(f"<SearchResult: {self._said()}>")

    def _said(self) -> str:
        best = "no solution" if self.best is None else f"best levels {self.best}"
        return f"{best}; {self.lattice.said()}; {self.checks} checks in {self.seconds:.3g} s"

    def _repr_html_(self) -> str:
        from ppdp_lab.anonymize.lattice.nodes.sketches import sketch_of

        said: dict[str, object] = {} if self.best is None else dict(zip(self.quasi_identifiers, map(_level, self.best)))
        head = "no solution" if self.best is None else f"best levels {self.best}"
        found = pages.paragraph(f"{self.lattice.said()}; {self.checks} checks in {self.seconds:.3g} s")
        return pages.card(f"SearchResult: {head}", found, pages.pairs(said), sketch_of(self))

    def plot(self) -> Figure:
        """The lattice: which nodes satisfy the rule, which were checked, and the best one; of large ones the heights."""
        from ppdp_lab.anonymize.lattice.nodes.pictures import picture_of

        return picture_of(self)

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
        >>> frame = pl.Flash(pl.KAnonymity(2)).search(pl.datasets.examples.speedy.table_16()).to_frame()
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


def _level(level: int) -> str:
    return "as it is" if level == 0 else f"level {level}"
