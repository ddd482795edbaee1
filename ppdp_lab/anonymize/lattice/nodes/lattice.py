"""The generalization lattice: which levels a table can be generalized to, and what a search has found out about them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ppdp_lab.anonymize.lattice.nodes._lattice import greedy_path
from ppdp_lab.anonymize.lattice.nodes.order import by_height, level_costs, sum_over_levels
from ppdp_lab.errors import ParameterError
from ppdp_lab.registry import counted, cut

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
