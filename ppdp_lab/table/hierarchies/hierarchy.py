"""Generalization hierarchies: a tree over the values of one column, read level by level."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import (
    DataFileError,
    HierarchyError,
    ParameterError,
    check_integer,
    check_separator,
    listed,
)
from ppdp_lab.table.files import read_rows, write_whole
from ppdp_lab.table.files.kinds import text_of
from ppdp_lab.table.hierarchies.levels import check_tree, level_columns
from ppdp_lab.table.hierarchies.making import interval_rows, masked_rows, plain
from ppdp_lab.table.hierarchies.showing import tree_html
from ppdp_lab.table.keys.bounds import check_entries
from ppdp_lab.table.schema import MISSING

ROOT = "*"
DEEPEST = 100  # levels of nested dictionaries


class Hierarchy:
    """A tree whose leaves are the values of a column and whose levels are ever coarser labels.

    Leaves are numbered depth first, so every node covers a contiguous range of leaf codes, and the lowest common
    ancestor of a set of leaves is that of its smallest and largest code. A branch that is shorter than the tree repeats
    its leaf on the levels it lacks. Build one with :meth:`from_csv`, :meth:`from_levels`, :meth:`from_dict`,
    :meth:`intervals` or :meth:`mask_suffix`.

    Attributes
    ----------
    leaves : numpy.ndarray
        Leaf values in code order.
    ancestors : numpy.ndarray, shape (height + 1, number of leaves)
        Node id of each leaf's ancestor on each level. Leaves are nodes 0, 1, ...; the root is the last node.
    labels : list of str
        Label of each node.
    low, high : numpy.ndarray
        First and last leaf code below each node.
    node_height : numpy.ndarray
        Length of the longest branch below each node; 0 for a leaf.

    Examples
    --------
    >>> place = Hierarchy.from_dict({"Europe": ["Italy", "France"], "America": ["Peru"]})
    >>> place.height
    2
    >>> place.common_ancestor(["Italy", "France"])
    'Europe'
    >>> place.generalize(["Peru", "Italy"], 1)
    ['America', 'Europe']
    """

    def __init__(self, table: Sequence[Sequence[Any]] | np.ndarray | pd.DataFrame) -> None:
        columns = level_columns(table)
        leaf_values = columns[0]
        texts = [np.array([text_of(v) for v in column], dtype=object) for column in columns]
        codes = [pd.factorize(column)[0].astype(np.int64) for column in texts]
        check_tree(texts, codes)
        order = np.lexsort(codes)  # the last key, the root's level, is the primary one: depth first
        texts = [column[order] for column in texts]
        codes = [column[order] for column in codes]

        self.leaves: np.ndarray = leaf_values[order]
        n_leaves = len(self.leaves)
        ancestors = np.empty((len(codes), n_leaves), dtype=np.int32)
        ancestors[0] = np.arange(n_leaves)
        labels = list(texts[0])
        levels = [0] * n_leaves
        padded = np.ones(n_leaves, dtype=bool)
        for level in range(1, len(codes)):
            alone = np.bincount(codes[level])[codes[level]] == 1
            padded &= alone & (texts[level] == texts[0])
            starts = np.flatnonzero(np.r_[True, codes[level][1:] != codes[level][:-1]])
            starts = starts[~padded[starts]]
            new = np.zeros(n_leaves, dtype=np.int64)
            new[starts] = 1
            ancestors[level] = np.where(padded, ancestors[0], len(labels) + np.cumsum(new) - 1)
            labels.extend(texts[level][starts])
            levels.extend([level] * len(starts))
        self.ancestors = ancestors
        self.labels: list[str] = [str(label) for label in labels]
        self.node_level = np.array(levels, dtype=np.int32)
        self.low = np.full(len(labels), n_leaves, dtype=np.int32)
        self.high = np.full(len(labels), -1, dtype=np.int32)
        self.node_height = np.zeros(len(labels), dtype=np.int32)
        leaf = np.arange(n_leaves, dtype=np.int32)
        for level, row in enumerate(ancestors):
            np.minimum.at(self.low, row, leaf)
            np.maximum.at(self.high, row, leaf)
            if level:
                below = ancestors[level - 1]
                np.maximum.at(self.node_height, row, self.node_height[below] + (below != row))
        self._code_of = {text_of(value): code for code, value in enumerate(self.leaves.tolist())}

    @cached_property
    def digest(self) -> str:
        """A hash of its labels and of who is above whom."""
        content = hashlib.sha256("\0".join(self.labels).encode("utf-8", "surrogatepass"))
        content.update(np.ascontiguousarray(self.ancestors).tobytes())
        return content.hexdigest()

    def same_as(self, other: Hierarchy | None) -> bool:
        """Whether it is the same tree over the same leaves, in the same order; a leaf added for missing values plays no part."""
        return other is self or (other is not None and self.given.digest == other.given.digest)

    @property
    def given(self) -> Hierarchy:
        """The tree that :meth:`with_missing` was called on; any other tree itself."""
        return getattr(self, "_given", self)

    def with_missing(self) -> Hierarchy:
        """This tree with a leaf ``(missing)`` right below its root as the last one; a leaf of that name becomes the last.

        >>> tree = Hierarchy.from_dict({"Europe": ["Italy", "France"], "America": ["Peru"]}).with_missing()
        >>> tree.levels("(missing)"), tree.level_sizes()
        (['(missing)', '(missing)', '*'], [4, 3, 1])
        """
        if self._code_of.get(MISSING) == self.n_leaves - 1:
            return self
        rows = [[leaf, *labels[1:]] for leaf, labels in zip(self.leaves.tolist(), self.to_table())]
        if MISSING in self._code_of:
            path = rows[self._code_of[MISSING]]
            rows.sort(
                key=lambda row: [mine == its for mine, its in zip(row[::-1], path[::-1])]
            )  # stable: its branch last
        else:
            if self.height == 0:
                rows = [[*row, ROOT] for row in rows]
            rows.append([MISSING] * (len(rows[0]) - 1) + rows[0][-1:])
        tree = Hierarchy(rows)
        tree._given = self.given  # type: ignore[attr-defined]
        return tree

    # ------------------------------------------------------------------ constructors
    @classmethod
    def from_levels(cls, levels: Mapping[Hashable, Sequence[str]]) -> Hierarchy:
        """From ``{leaf: [level 1, ..., "*"]}``.

        >>> Hierarchy.from_levels({"flu": ["cold", "*"], "cough": ["cold", "*"], "HIV": ["virus", "*"]}).height
        2
        """
        if not isinstance(levels, Mapping) or not levels:
            raise HierarchyError("from_levels needs a dictionary {leaf: [level 1, ..., '*']} with at least one leaf")
        for leaf, path in levels.items():
            if isinstance(path, str) or not isinstance(path, Iterable):
                raise HierarchyError(f"the levels of leaf {leaf!r} must be a list of labels, not {path!r}")
        return cls([[leaf, *path] for leaf, path in levels.items()])

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Hierarchy:
        """From nested dictionaries; lists hold leaves. A single outermost key is the root, else the root is ``*``.

        A dictionary that contains itself, or one of more than 100 levels, raises a HierarchyError.

        >>> Hierarchy.from_dict({"Any": {"Europe": ["Italy", "France"], "Mars": None}}).levels("Mars")
        ['Mars', 'Mars', 'Any']
        """
        if not isinstance(tree, Mapping) or not tree:
            raise HierarchyError("from_dict needs nested dictionaries with at least one leaf")
        paths: list[list[Any]] = []

        def walk(node: Any, above: list[Any], around: tuple[int, ...]) -> None:
            if id(node) in around:
                raise HierarchyError(
                    f"the dictionary below {above[0]!r} contains itself; a hierarchy must be a finite tree"
                )
            if len(above) >= DEEPEST:
                raise HierarchyError(f"the dictionaries are nested more than {DEEPEST} levels deep; use fewer levels")
            for child in node:
                below = node[child] if isinstance(node, Mapping) else None
                if isinstance(below, str) or not (below is None or isinstance(below, Iterable)):
                    raise HierarchyError(
                        f"below {child!r} stands {below!r}; give a dictionary, a list of leaves, or None"
                    )
                if not isinstance(below, Mapping):
                    below = [] if below is None else list(below)
                if below:
                    walk(below, [child, *above], (*around, id(node)))
                else:
                    paths.append([child, *above])

        walk(tree, [], ())
        if len(tree) > 1 or len(paths[0]) == 1:
            paths = [[*path, ROOT] for path in paths]
        depth = max(map(len, paths))
        return cls([[path[0]] * (depth - len(path)) + path for path in paths])

    @classmethod
    def from_csv(cls, path: str | Path, *, separator: str = ";") -> Hierarchy:
        """From a file in ARX's form: one line per leaf, ``leaf;level 1;...;*``, no header.

        The encoding is found as for tables; see :class:`ppdp_lab.table.files.Reading`.
        """
        path, separator = Path(path), check_separator(separator)
        if not path.is_file():
            raise DataFileError(
                f"no hierarchy file {str(path)!r}; a hierarchy is a CSV of lines leaf{separator}level 1{separator}...{separator}*"
            )
        rows = read_rows(path, separator, f"hierarchy file {str(path)!r}")
        if not rows:
            raise DataFileError(f"hierarchy file {str(path)!r} is empty")
        try:
            return cls(rows)
        except HierarchyError as error:
            raise HierarchyError(f"hierarchy file {str(path)!r}: {error}") from None

    @classmethod
    def intervals(cls, values: Iterable[float], widths: Sequence[float], *, origin: float | None = None) -> Hierarchy:
        """Numbers in ever wider intervals, counted from ``origin`` (the smallest value unless given).

        If the smallest value has many digits, they are counted from the multiple of the first width that lies below it, so
        that their ends are readable. Each width must be a multiple of the one before it, or the intervals would not nest.

        >>> Hierarchy.intervals(range(20, 40), widths=[5, 10]).levels(27)
        ['27', '[25, 29]', '[20, 29]', '*']
        """
        return cls(interval_rows(values, widths, origin))

    @classmethod
    def mask_suffix(cls, values: Iterable[object], height: int | None = None, *, mask: str = "*") -> Hierarchy:
        """Codes whose last characters are masked, one more on each level; all must have the same length.

        >>> Hierarchy.mask_suffix(["4370", "4378", "4352"], height=3).levels("4378")
        ['4378', '437*', '43**', '4***']
        """
        return cls(masked_rows(values, height, mask))

    # ------------------------------------------------------------------ looking things up
    @property
    def height(self) -> int:
        """Number of generalization steps from a leaf to the root."""
        return len(self.ancestors) - 1

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaves)

    @property
    def leaf_counts(self) -> np.ndarray:
        """Number of leaves below each node."""
        return self.high - self.low + 1

    def level_sizes(self) -> list[int]:
        """Number of distinct nodes on each level, level 0 first."""
        return [len(np.unique(row)) for row in self.ancestors]

    def encode(self, values: Iterable[object], *, column: str = "this column") -> np.ndarray:
        """Leaf codes of values; refuses values that are not leaves, all of them named (up to ten)."""
        values = check_entries("values", values)
        known = self._code_of
        codes = [known.get(text_of(value), known.get(str(value), -1)) for value in values]
        absent = dict.fromkeys(plain(value) for value, code in zip(values, codes) if code < 0)
        if absent:
            raise HierarchyError(
                f"{len(absent)} value(s) of {column} are absent from its hierarchy: {listed(absent)}; "
                f"add them as leaves or clean the column"
            )
        return np.array(codes, dtype=np.int32)

    def lca(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Lowest common ancestors (node ids) of the leaf ranges ``low .. high``.

        >>> h = Hierarchy.from_dict({"Europe": ["Italy", "France"], "America": ["Peru"]})
        >>> [h.labels[node] for node in h.lca(np.array([0, 1, 2]), np.array([1, 2, 2]))]
        ['Europe', '*', 'Peru']
        """
        low, high = (_check_leaves(codes, self.n_leaves) for codes in (low, high))
        if low.shape != high.shape:
            raise ParameterError(f"low has shape {low.shape} and high {high.shape}; give a high end for every low one")
        node = self.ancestors[-1][low]  # the root; every lower level on which both ends agree is nearer
        for row in self.ancestors[-2::-1]:
            left = row[low]
            node = np.where(left == row[high], left, node)
        return node

    def common_ancestor(self, values: Iterable[object]) -> str:
        """Label of the lowest node above all ``values``."""
        codes = self.encode(values)
        if not len(codes):
            raise ParameterError("common_ancestor needs at least one value")
        return self.labels[int(self.lca(codes.min(), codes.max()))]

    def levels(self, value: object) -> list[str]:
        """Labels of a leaf on every level, the leaf first."""
        return [self.labels[node] for node in self.ancestors[:, self.encode([value])[0]]]

    def generalize(self, values: Iterable[object], level: int) -> list[str]:
        """Labels of values on one level."""
        level = check_integer("level", level, at_least=0, at_most=self.height)
        return [self.labels[node] for node in self.ancestors[level, self.encode(values)]]

    def node(self, label: str) -> int:
        """Id of the lowest node with this label."""
        try:
            return self.labels.index(label)
        except ValueError:
            raise HierarchyError(f"no node {label!r} in {self!r}") from None

    @cached_property
    def box_labels(self) -> list[str]:
        """Label of each node as a box, with its level where the same label also names a node that covers other leaves.

        >>> Hierarchy.from_dict({"USA": ["USA", "Guam"], "Peru": ["Lima"]}).box_labels
        ['USA', 'Guam', 'Lima', 'USA (level 1)', 'Peru', '*']
        """
        covered: dict[str, tuple[int, int]] = {}
        names = []
        for label, level, low, high in zip(self.labels, self.node_level, self.low.tolist(), self.high.tolist()):
            alike = covered.setdefault(label, (low, high)) == (low, high)
            names.append(label if alike else f"{label} (level {level})")
        return names

    def leaf_count(self, label: str) -> int:
        """Number of leaves below the node with this label.

        >>> Hierarchy.from_dict({"Europe": ["Italy", "France"], "America": ["Peru"]}).leaf_count("Europe")
        2
        """
        return int(self.leaf_counts[self.node(label)])

    # ------------------------------------------------------------------ writing, comparing, showing
    def to_table(self) -> list[list[str]]:
        """One row a leaf: its labels on every level."""
        return [[self.labels[node] for node in column] for column in self.ancestors.T]

    def to_csv(self, path: str | Path, *, separator: str = ";") -> None:
        """Write the form that :meth:`from_csv` reads."""
        separator = check_separator(separator)
        text = io.StringIO()
        csv.writer(text, delimiter=separator, lineterminator="\n").writerows(self.to_table())
        write_whole(path, text.getvalue())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.ancestors, other.ancestors)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Hierarchy of {self.n_leaves} leaves, nodes per level {'-'.join(map(str, self.level_sizes()))}>"

    def _repr_html_(self) -> str:
        return tree_html(self)


def _check_leaves(codes: Any, n_leaves: int) -> np.ndarray:
    """Leaf codes, one or several, or a refusal in words."""
    try:
        array = np.asarray(codes)
    except (TypeError, ValueError):  # lists of different lengths
        array = np.empty(0)
    if array.size and array.dtype.kind not in "iu":
        raise ParameterError(f"leaf codes must be whole numbers, not of type {array.dtype}")
    if array.size and not (array.min() >= 0 and array.max() < n_leaves):
        raise ParameterError(f"leaf codes must lie in 0 .. {n_leaves - 1}; encode(values) gives them")
    return array if array.size else array.astype(np.int32)
