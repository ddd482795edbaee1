"""Hierarchies of the data sets: kinds that :class:`~ppdp_lab.table.Hierarchy` has no constructor for, and their leaves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from ppdp_lab.table import Hierarchy

TOP = "*"
Trees: TypeAlias = dict[str, Hierarchy]


def flat(leaves: Iterable[str]) -> Hierarchy:
    """Leaves and the top, nothing between.

    >>> flat(["Female", "Male"]).to_table()
    [['Female', '*'], ['Male', '*']]
    """
    return Hierarchy.from_dict(dict.fromkeys(leaves))


def bands(first: int, last: int, widths: Iterable[int], origin: int | None = None) -> Hierarchy:
    """Whole numbers under bands of growing width, counted from ``origin`` (by default ``first``).

    Each width must be a multiple of the one before, so that bands nest. Unlike those of
    :meth:`~ppdp_lab.table.Hierarchy.intervals`, the first and the last band are cut off at the ends of the range, so
    ``origin`` may lie within it.

    >>> bands(0, 9, [5]).levels(9)
    ['9', '5-9', '*']
    >>> bands(0, 4, [2], origin=1).generalize(range(5), 1)
    ['0', '1-2', '1-2', '3-4', '3-4']
    """
    start = first if origin is None else origin
    leaves = np.arange(first, last + 1)
    columns: list[list] = [leaves.tolist()]
    for width in widths:
        low = (leaves - start) // width * width + start
        ends = zip(np.maximum(low, first).tolist(), np.minimum(low + width - 1, last).tolist())
        columns.append([f"{a}-{b}" if a < b else f"{a}" for a, b in ends])
    return Hierarchy(list(zip(*columns, [TOP] * len(leaves))))


def prefixes(digits: int) -> Hierarchy:
    """All numbers of so many digits, one more digit masked per level; one star stands for all masked digits.

    >>> prefixes(2).levels("17")
    ['17', '1*', '*']
    """
    columns: dict[int, object] = {}
    for level in range(digits):
        shown = digits - level
        labels = np.array([f"{i:0{shown}d}" + TOP * (level > 0) for i in range(10**shown)])
        columns[level] = np.repeat(labels, 10**level)
    columns[digits] = TOP
    return Hierarchy(pd.DataFrame(columns))


def read_tree(path: Path) -> Hierarchy:
    """Read a hierarchy in ARX's form (``leaf;level 1;...;*``, no header).

    Leaves are whole numbers if all of them are written as such; ``01001`` is not, so zip codes stay text.
    """
    tree = Hierarchy.from_csv(path)
    if all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", leaf) for leaf in tree.leaves):
        tree.leaves = np.array([int(leaf) for leaf in tree.leaves], dtype=object)
    return tree


def group_codes(tree: Hierarchy, level: int) -> np.ndarray:
    """For every leaf the number of its group at a level, groups numbered as they first appear.

    >>> group_codes(Hierarchy.from_dict({"North": ["Iowa", "Ohio"], "South": ["Texas"]}), 1).tolist()
    [0, 0, 1]
    """
    return pd.factorize(tree.ancestors[level])[0]


def leaf_index(tree: Hierarchy) -> pd.Index:
    """The leaves of a hierarchy in their order: an index of whole numbers or of text.

    >>> leaf_index(bands(0, 2, [2])).tolist(), leaf_index(flat(["Female", "Male"])).get_loc("Male")
    ([0, 1, 2], 1)
    """
    return pd.Index(tree.leaves.tolist())


def column(tree: Hierarchy, codes: np.ndarray) -> pd.Series:
    """The column whose rows hold the leaves of those numbers: whole numbers, or text as ordered categories.

    The categories are all leaves in the hierarchy's order, also those that do not occur.

    >>> column(flat(["Female", "Male"]), np.array([1, 1])).cat.categories.tolist()
    ['Female', 'Male']
    """
    leaves = leaf_index(tree)
    if pd.api.types.is_integer_dtype(leaves.dtype):
        return pd.Series(leaves.to_numpy()[codes])
    return pd.Series(pd.Categorical.from_codes(codes, categories=leaves, ordered=True))
