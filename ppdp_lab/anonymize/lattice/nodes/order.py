"""The order in which nodes are preferred: by height, then by what their levels cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np


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
