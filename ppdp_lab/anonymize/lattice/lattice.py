"""The generalization lattice: which levels a table can be generalized to, and what is known of each of these nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from ppdp_lab.anonymize.lattice._lattice import greedy_path
from ppdp_lab.errors import ParameterError

FAILS, UNKNOWN, HOLDS = -1, 0, 1
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
       algorithm preserving k-anonymity", master's thesis, 2015, section 6.

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
        self.heights: Node = tuple(len(column) - 1 for column in self.distinct)
        self.shape = tuple(h + 1 for h in self.heights)
        self.bottom: Node = (0,) * len(self.shape)
        self.top: Node = self.heights
        self.size = math.prod(self.shape)
        if self.size > MOST_NODES:
            raise ParameterError(
                f"the lattice of {len(self.shape)} quasi-identifiers has {self.size:,} nodes, more than {MOST_NODES:,}; leave "
                f"out quasi-identifiers, give their hierarchies fewer levels, or use Mondrian"
            )
        self.max_height = sum(self.heights)
        self.state = np.zeros(self.shape, dtype=np.int8)
        self._flat = self.state.reshape(-1)
        self._monotone = True
        self._strides = np.array([math.prod(self.shape[i + 1 :]) for i in range(len(self.shape))], dtype=np.int64)
        self._top = np.array(self.top, dtype=np.int64)
        self._costs = self._level_costs()
        self._cost = _sum_over_levels([costs[:n] for costs, n in zip(self._costs, self.shape)])
        self._from = [slice(level, None) for level in range(max(self.shape))]
        self._up_to = [slice(level + 1) for level in range(max(self.shape))]
        self._by_height, self._begin = _by_height(self.shape)

    def _level_costs(self) -> np.ndarray:
        """What each level of each quasi-identifier adds to the criteria by which Flash prefers one node to another.

        A node is preferred if it is lower, then if its quasi-identifiers are less generalized on average, then if they
        keep more distinct values on average. All three are sums over the quasi-identifiers, and whole numbers if degrees
        of generalization are counted in units of one over the least common multiple of the heights: so ties are exact,
        and the second and third criterion fit into one number.
        """
        unit = math.lcm(*(max(h, 1) for h in self.heights))
        weight = 1 + sum(column[0] for column in self.distinct)
        costs = np.zeros((len(self.shape), max(self.shape)), dtype=np.int64)
        for i, (height, column) in enumerate(zip(self.heights, self.distinct)):
            for level, count in enumerate(column):
                costs[i, level] = level * (unit // max(height, 1)) * weight - count
        return costs

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
    def __getitem__(self, node: Node) -> int:
        return int(self.state[node])

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


def _sum_over_levels(per_level: Sequence[np.ndarray]) -> np.ndarray:
    """Over all nodes, flat, the sum of a quantity given for each level of each quasi-identifier."""
    total = per_level[0]
    for column in per_level[1:]:
        total = np.add.outer(total, column).reshape(-1)
    return total


@lru_cache(maxsize=1)
def _by_height(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Flat positions of all nodes sorted by height, and where each height begins; alike for all lattices of a shape."""
    height = _sum_over_levels([np.arange(size, dtype=np.int16) for size in shape])
    return np.argsort(height, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(height))])
