"""Hierarchies as tables of labels: one row per leaf, one column per level, level 0 (the leaves) first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, HierarchyError, listed

TOP = "*"
HierarchyTables: TypeAlias = dict[str, pd.DataFrame]


def flat(leaves: Iterable[str]) -> pd.DataFrame:
    """Leaves and the top, nothing between.

    >>> flat(["Female", "Male"]).values.tolist()
    [['Female', '*'], ['Male', '*']]
    """
    return pd.DataFrame([[leaf, TOP] for leaf in leaves])


def tree(nested: Mapping[str, object] | Sequence[str]) -> pd.DataFrame:
    """Leaves under nested groups, all leaves at the same depth.

    >>> tree({"North": ["Iowa", "Ohio"], "South": ["Texas"]}).values.tolist()
    [['Iowa', 'North', '*'], ['Ohio', 'North', '*'], ['Texas', 'South', '*']]
    """
    return pd.DataFrame(list(_branches(nested, (TOP,))))


def _branches(node: object, above: tuple[str, ...]) -> Iterable[list[str]]:
    if isinstance(node, Mapping):
        for label, below in node.items():
            yield from _branches(below, (label, *above))
    else:
        assert isinstance(node, Sequence)
        for leaf in node:
            yield [leaf, *above]


def bands(first: int, last: int, widths: Iterable[int], origin: int | None = None) -> pd.DataFrame:
    """Whole numbers under bands of growing width, counted from ``origin`` (by default ``first``).

    Each width must be a multiple of the one before, so that bands nest. The first and the last band are cut off at
    the ends of the range.

    >>> bands(0, 9, [5]).iloc[[0, 9]].values.tolist()
    [[0, '0-4', '*'], [9, '5-9', '*']]
    >>> bands(0, 4, [2], origin=1)[1].tolist()
    ['0', '1-2', '1-2', '3-4', '3-4']
    """
    start = first if origin is None else origin
    leaves = np.arange(first, last + 1)
    columns: dict[int, object] = {0: leaves}
    for level, width in enumerate(widths, start=1):
        low = np.maximum((leaves - start) // width * width + start, first)
        high = np.minimum((leaves - start) // width * width + start + width - 1, last)
        columns[level] = [f"{a}-{b}" if a < b else f"{a}" for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    columns[len(columns)] = TOP
    return pd.DataFrame(columns)


def prefixes(digits: int) -> pd.DataFrame:
    """All numbers of so many digits, one more digit masked per level.

    >>> prefixes(2).iloc[[0, 17]].values.tolist()
    [['00', '0*', '*'], ['17', '1*', '*']]
    """
    columns: dict[int, object] = {}
    for level in range(digits):
        shown = digits - level
        labels = np.array([f"{i:0{shown}d}" + TOP * (level > 0) for i in range(10**shown)])
        columns[level] = np.repeat(labels, 10**level)
    columns[digits] = TOP
    return pd.DataFrame(columns)


def level_sizes(table: pd.DataFrame) -> list[int]:
    """The number of distinct labels per level, leaves first.

    >>> level_sizes(bands(0, 99, [5, 10, 20]))
    [100, 20, 10, 5, 1]
    """
    return [int(table[level].nunique()) for level in table.columns]


def lattice_size(tables: HierarchyTables) -> int:
    """The number of nodes of the generalization lattice: the product of the hierarchies' numbers of levels.

    >>> lattice_size({"sex": flat(["Female", "Male"]), "age": bands(0, 99, [5, 10, 20])})
    10
    """
    return math.prod(table.shape[1] for table in tables.values())


def group_codes(table: pd.DataFrame, level: int) -> np.ndarray:
    """For every leaf the number of its group at a level, groups numbered as they first appear.

    >>> group_codes(tree({"North": ["Iowa", "Ohio"], "South": ["Texas"]}), 1).tolist()
    [0, 0, 1]
    """
    return pd.factorize(table[level])[0]


def column(table: pd.DataFrame, codes: np.ndarray) -> pd.Series:
    """The column whose rows hold the leaves of those numbers: whole numbers, or text as ordered categories.

    The categories are all leaves in the hierarchy's order, also those that do not occur.

    >>> column(flat(["Female", "Male"]), np.array([1, 1])).cat.categories.tolist()
    ['Female', 'Male']
    """
    if pd.api.types.is_integer_dtype(table[0].dtype):
        return pd.Series(table[0].to_numpy()[codes])
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(table[0]), ordered=True))


def read_table(path: Path) -> pd.DataFrame:
    """Read a hierarchy in ARX's form (``leaf;level 1;...;*``, no header) and refuse what is not a tree.

    Leaves are whole numbers if all of them are written as such; ``01001`` is not, so zip codes stay text.
    """
    try:
        table = pd.read_csv(path, sep=";", header=None, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise DataFileError(
            f"{path} is not a hierarchy ({error}); write one line per value: value;level 1;...;*, all of one length"
        ) from None
    check_tree(table, str(path))
    if table[0].str.fullmatch(r"0|-?[1-9][0-9]{0,17}").all():
        table[0] = table[0].astype("int64")
    return table


def check_tree(table: pd.DataFrame, where: str) -> None:
    """Refuse a table in which a leaf occurs twice, a label has two parents, or the top is not one label.

    >>> check_tree(pd.DataFrame([["a", "x", "*"], ["b", "y", "+"]]), "colour")
    Traceback (most recent call last):
        ...
    ppdp_lab.errors.HierarchyError: colour: the last level must be one label for all values, not '*', '+'
    """
    twice = table[0][table[0].duplicated()]
    if len(twice):
        raise HierarchyError(f"{where}: each value must have one line; more than one for {listed(twice.unique())}")
    for level in range(table.shape[1] - 1):
        pairs = table[[level, level + 1]].drop_duplicates()
        torn = pairs[level][pairs[level].duplicated()]
        if len(torn):
            raise HierarchyError(
                f"{where}: not a tree; at level {level} these labels lie under more than one label of level "
                f"{level + 1}: {listed(torn.unique())}. Give each label one parent"
            )
    tops = table[table.columns[-1]].unique()
    if len(tops) > 1:
        raise HierarchyError(f"{where}: the last level must be one label for all values, not {listed(tops)}")
