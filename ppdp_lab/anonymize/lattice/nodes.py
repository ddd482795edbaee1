"""Nodes of the generalization lattice: their order, what is known of each, and the result of a search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.anonymize.lattice._lattice import greedy_path
from ppdp_lab.errors import ParameterError
from ppdp_lab.text import OneLine, counted, cut

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def level_costs(distinct: Sequence[Sequence[int]]) -> np.ndarray:
    """What each level (column) of each quasi-identifier (row) adds to the criteria by which Flash prefers a node.

    A node is preferred if it is lower, then if its quasi-identifiers are less generalized on average, then if they keep
    more distinct values on average. All three are sums over the quasi-identifiers, and whole numbers if degrees of
    generalization are counted in units of one over the least common multiple of the heights: so ties are exact, and the
    second and third criterion fit into one number.

    >>> level_costs([[5, 2, 1], [8, 1]]).tolist()
    [[-5, 12, 27], [-8, 27, 0]]
    """
    heights = [max(len(column) - 1, 1) for column in distinct]
    unit = math.lcm(*heights)
    # No node keeps more distinct values than the bottom: one unit of generalization outweighs them all.
    weight = 1 + sum(column[0] for column in distinct)
    costs = np.zeros((len(distinct), max(map(len, distinct))), dtype=np.int64)
    for i, (height, column) in enumerate(zip(heights, distinct)):
        costs[i, : len(column)] = np.arange(len(column)) * (unit // height * weight) - np.array(column)
    return costs


def sum_over_levels(per_level: Sequence[np.ndarray]) -> np.ndarray:
    """Over all nodes, flat, the sum of a quantity given for each level of each quasi-identifier.

    >>> sum_over_levels([np.array([0, 1]), np.array([0, 10, 20])]).tolist()
    [0, 10, 20, 1, 11, 21]
    """
    total = per_level[0]
    for column in per_level[1:]:
        total = np.add.outer(total, column).reshape(-1)
    return total


@lru_cache(maxsize=1)
def by_height(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Flat positions of all nodes sorted by height, and where each height begins; alike for all lattices of a shape."""
    height = sum_over_levels([np.arange(size, dtype=np.int16) for size in shape])
    return np.argsort(height, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(height))])


# --------------------------------------------------------------------
# The generalization lattice: which levels a table can be generalized to, and what a search has found out about them.


FAILS, UNKNOWN, HOLDS = -1, 0, 1
STATES = {"solutions": HOLDS, "fail": FAILS, "unknown": UNKNOWN}
MOST_NODES = 2**24

Node = tuple[int, ...]


class Lattice:
    """All combinations of hierarchy levels, one per quasi-identifier, and whether each one satisfies the rule.

    A node is a tuple of levels, [l1, ..., lq] in the thesis [1]_; its height is l1 + ... + lq. Node b generalizes node a if
    no level of b is lower. What is known stands in :attr:`state`, an array with one axis per quasi-identifier, so that
    all generalizations of a node are one slice of it and all its specializations another: predictive tagging is one
    assignment.

    Parameters
    ----------
    distinct : sequence of sequences of int
        Per quasi-identifier, the number of distinct values that the table has on each level, level 0 first.

    Attributes
    ----------
    state : numpy.ndarray of int8
        1 the rule holds, -1 it fails, 0 not known yet.

    References
    ----------
    .. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015,
       section 6.

    Examples
    --------
    >>> lattice = Lattice([[5, 2, 1], [8, 2, 1]])
    >>> lattice.tag((1, 1), False)
    >>> lattice.tag((2, 1), True)
    >>> lattice.state.tolist()
    [[-1, -1, 0], [-1, -1, 0], [0, 1, 1]]
    >>> list(lattice.unknown(2))
    [(2, 0), (0, 2)]
    >>> lattice.path((0, 2))
    [(0, 2), (1, 2)]
    """

    def __init__(self, distinct: Sequence[Sequence[int]]) -> None:
        self.distinct = tuple(tuple(int(d) for d in column) for column in distinct)
        self.shape = tuple(len(column) for column in self.distinct)
        self.top: Node = tuple(levels - 1 for levels in self.shape)
        self.size = math.prod(self.shape)
        if self.size > MOST_NODES:
            raise ParameterError(
                f"the lattice of {len(self.shape)} quasi-identifiers has {self.size:,} nodes, more than {MOST_NODES:,}; leave "
                f"out quasi-identifiers, give their hierarchies fewer levels, or use Mondrian"
            )
        self.max_height = sum(self.top)
        self.state = np.zeros(self.shape, dtype=np.int8)
        self._flat = self.state.reshape(-1)
        self._monotone = True
        self._strides = np.array([math.prod(self.shape[i + 1 :]) for i in range(len(self.shape))], dtype=np.int64)
        self._top = np.array(self.top, dtype=np.int64)
        self._costs = level_costs(self.distinct)
        self._cost = sum_over_levels([costs[:n] for costs, n in zip(self._costs, self.shape)])
        self._from = [slice(level, None) for level in range(max(self.shape))]
        self._up_to = [slice(level + 1) for level in range(max(self.shape))]
        self._by_height, self._begin = by_height(self.shape)

    def said(self) -> str:
        """How many nodes there are, and of how many it is known what the rule says there."""
        found = {word: int((self.state == state).sum()) for word, state in STATES.items()}
        said = [f"{count} {word}" if count > 1 else f"1 {word.rstrip('s')}" for word, count in found.items() if count]
        return f"{counted(self.size, 'node')}: " + ", ".join(said)

    def __repr__(self) -> str:
        return cut(f"<Lattice of {' x '.join(map(str, self.shape))} levels, {self.said()}>")

    # ------------------------------------------------------------------ walking
    def nodes(self, flat: np.ndarray) -> list[Node]:
        """Level tuples of flat positions."""
        return list(zip(*(axis.tolist() for axis in np.unravel_index(flat, self.shape))))

    def _node(self, position: int) -> Node:
        levels = []
        for size in self.shape[::-1]:
            position, level = divmod(position, size)
            levels.append(level)
        return tuple(levels[::-1])

    def cost(self, node: Sequence[int]) -> int:
        """Second and third criterion as one number, less is preferred; compares nodes of any height."""
        return int(self._cost[np.ravel_multi_index(tuple(node), self.shape)])

    def unknown(self, height: int) -> Iterator[Node]:
        """Nodes of one height of which nothing is known when it is their turn, the preferred ones first."""
        flat = self._at(height, UNKNOWN)
        i = 0
        while i < len(flat):
            if self._flat[flat[i]] == UNKNOWN:
                yield self._node(int(flat[i]))
                i += 1
            else:
                flat = flat[i:][self._flat[flat[i:]] == UNKNOWN]
                i = 0

    def solutions(self, height: int) -> list[Node]:
        """Nodes of one height that are known to satisfy the rule, the preferred ones first."""
        return self.nodes(self._at(height, HOLDS))

    def _at(self, height: int, state: int) -> np.ndarray:
        """Flat positions of the nodes of one height and state, the preferred ones first."""
        flat = self._by_height[self._begin[height] : self._begin[height + 1]]
        flat = flat[self._flat[flat] == state]
        return flat[np.argsort(self._cost[flat], kind="stable")] if len(flat) else flat

    def path(self, node: Sequence[int]) -> list[Node]:
        """From a node towards the top, each time to the preferred successor of which nothing is known yet."""
        start = np.array(node, dtype=np.int64)
        return list(map(tuple, greedy_path(self._flat, self._strides, self._top, self._costs, start).tolist()))

    # ------------------------------------------------------------------ knowing
    def mark(self, node: Node, holds: bool) -> None:
        """Note what a check said of one node, if nothing follows for others."""
        self._monotone = False
        self.state[node] = HOLDS if holds else FAILS

    def tag(self, node: Node, holds: bool) -> None:
        """Note what a check said of one node, and what follows for others if the rule is monotone.

        If it holds, it holds for every generalization; if it fails, it fails for every specialization.
        """
        if holds:
            self.state[tuple([self._from[level] for level in node])] = HOLDS
        else:
            self.state[tuple([self._up_to[level] for level in node])] = FAILS

    def exclude(self, fails: np.ndarray, axis: int) -> None:
        """Tag the nodes that fail already without one quasi-identifier, as an array that lacks its axis says."""
        np.moveaxis(self.state, axis, 0)[:, fails] = FAILS

    def forget_solutions(self) -> None:
        """Let the nodes that satisfy the rule be unknown again."""
        self.state[self.state == HOLDS] = UNKNOWN

    def minimal(self) -> list[Node]:
        """The nodes known to satisfy the rule that have no such node below them."""
        flat = np.flatnonzero(self._flat == HOLDS)
        levels = np.array(np.unravel_index(flat, self.shape))
        lowest = np.ones(len(flat), dtype=bool)
        for column, stride in zip(levels, self._strides):
            lowest[column > 0] &= self._flat[flat[column > 0] - stride] != HOLDS
        if not self._monotone:  # a solution may lie further below, with none in between
            levels = levels[:, lowest]
            lowest[lowest] = [(levels <= node[:, None]).all(axis=0).sum() == 1 for node in levels.T]
        return self.nodes(flat[lowest])


# --------------------------------------------------------------------
# What a search through the lattice hands back.


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
        from ppdp_lab.anonymize.lattice.pictures import sketch_of

        said: dict[str, object] = {} if self.best is None else dict(zip(self.quasi_identifiers, map(_level, self.best)))
        head = "no solution" if self.best is None else f"best levels {self.best}"
        found = pages.paragraph(f"{self.lattice.said()}; {self.checks} checks in {self.seconds:.3g} s")
        return pages.card(f"SearchResult: {head}", found, pages.pairs(said), sketch_of(self))

    def plot(self) -> Figure:
        """The lattice: which nodes satisfy the rule, which were checked, and the best one; of large ones the heights."""
        from ppdp_lab.anonymize.lattice.pictures import picture_of

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
