"""Reading the table of a hierarchy: one row per leaf, one column per level."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import HierarchyError, check_values, listed


def level_columns(table: Any) -> list[np.ndarray]:
    """The level columns of a table of labels, level 0 first."""
    if isinstance(table, pd.DataFrame):
        columns = [table[name].to_numpy(dtype=object) for name in table.columns]
    else:
        if not _rows(table) or not all(isinstance(row, str) or _rows(row) for row in table):
            raise HierarchyError(
                f"a hierarchy is made of rows [leaf, level 1, ..., '*'], not of {reprlib.repr(table)}; see also from_levels, "
                f"from_dict, from_csv, intervals and mask_suffix"
            )
        rows = [[row] if isinstance(row, str) else list(row) for row in table]
        lengths = {len(row) for row in rows}
        if len(lengths) > 1:
            longest = max(lengths, default=0)
            short = next((row for row in rows if len(row) < longest), [])
            raise HierarchyError(
                f"not every leaf has the same number of levels: {listed(short[:1])} has {len(short)}, others have {longest}; "
                f"repeat a label on the levels that are missing"
            )
        columns = [_column([row[i] for row in rows]) for i in range(max(lengths, default=0))]
    if not columns or len(columns[0]) == 0:
        raise HierarchyError("a hierarchy needs at least one leaf")
    for level, column in enumerate(columns):
        check_values(f"level {level} of a hierarchy", column, HierarchyError)
        empty = pd.isna(column)
        if empty.any():
            leaf = columns[0][np.argmax(empty)]
            raise HierarchyError(
                f"leaf {leaf!r} has no label on level {level}; repeat a label on the levels that are missing"
            )
    return columns


def check_tree(texts: list[np.ndarray], codes: list[np.ndarray]) -> None:
    """Refuse levels that are not a tree: a leaf that stands twice, a label with two parents, several roots."""
    doubled = np.flatnonzero(np.bincount(codes[0]) > 1)
    if len(doubled):
        names = [texts[0][np.argmax(codes[0] == code)] for code in doubled[:10]]
        raise HierarchyError(f"not a tree: leaf {listed(names)} stands more than once")
    for level in range(len(codes) - 1):
        here, above = codes[level], codes[level + 1]
        parent = np.zeros(here.max() + 1, dtype=np.int64)
        # The last parent wins; whoever has another one shows that there are two.
        parent[here] = above
        wrong = np.flatnonzero(parent[here] != above)
        if len(wrong):
            i = wrong[0]
            j = np.flatnonzero((here == here[i]) & (above != above[i]))[0]
            raise HierarchyError(
                f"not a tree: {texts[level][i]!r} on level {level} has two parents, "
                f"{texts[level + 1][i]!r} and {texts[level + 1][j]!r}"
            )
    if codes[-1].max() > 0:
        raise HierarchyError(
            f"not a tree: the last level holds {listed(dict.fromkeys(texts[-1]))}; end every leaf's line with one root, '*'"
        )


def _column(labels: list[Any]) -> np.ndarray:
    """The labels of one level; refuses lists among them, which numpy would take for a further dimension."""
    nested = next((label for label in labels if not isinstance(label, str) and _rows(label)), None)
    if nested is not None:
        raise HierarchyError(f"a label must be a text or a number, not {reprlib.repr(nested)}; give one row per leaf")
    return np.array(labels, dtype=object)


def _rows(value: Any) -> bool:
    """Whether a value can be gone through; an array without dimensions says that it can, and then cannot."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0
