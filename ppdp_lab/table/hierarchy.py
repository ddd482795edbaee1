"""Generalization hierarchies: a tree over the values of one column, and the ways to build one."""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.errors import (
    HierarchyError,
    ParameterError,
    check_integer,
    check_list,
    check_number,
    check_values,
    listed,
)
from ppdp_lab.table.checks import check_entries
from ppdp_lab.table.schema import MISSING
from ppdp_lab.text import text_of, texts_of

if TYPE_CHECKING:
    pass


def level_columns(table: Any) -> list[np.ndarray]:
    """The level columns of a table of labels, level 0 first."""
    if isinstance(table, pd.DataFrame):
        columns = [table[name].to_numpy(dtype=object) for name in table.columns]
    else:
        usual = type(table) is list and {*map(type, table)} <= {list, tuple, str}
        if not usual and (not _rows(table) or not all(isinstance(row, str) or _rows(row) for row in table)):
            raise HierarchyError(
                f"a hierarchy is made of rows [leaf, level 1, ..., '*'], not of {reprlib.repr(table)}; see also from_levels, "
                f"from_dict, intervals, mask_suffix and ppdp_lab.io.read_hierarchy"
            )
        rows = [[row] if isinstance(row, str) else list(row) for row in table]
        lengths = {*map(len, rows)}
        if len(lengths) > 1:
            longest = max(lengths, default=0)
            short = next((row for row in rows if len(row) < longest), [])
            raise HierarchyError(
                f"not every leaf has the same number of levels: {listed(short[:1])} has {len(short)}, others have {longest}; "
                f"repeat a label on the levels that are missing"
            )
        columns = [_column(list(labels)) for labels in zip(*rows)]
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
    if {*map(type, labels)} <= {str, int, float}:
        return np.array(labels, dtype=object)
    nested = next((label for label in labels if not isinstance(label, str) and _rows(label)), None)
    if nested is not None:
        raise HierarchyError(f"a label must be a text or a number, not {reprlib.repr(nested)}; give one row per leaf")
    return np.array(labels, dtype=object)


def _rows(value: Any) -> bool:
    """Whether a value can be gone through; an array without dimensions says that it can, and then cannot."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0


# --------------------------------------------------------------------
# Rows of hierarchies that follow from their leaves: intervals of numbers, codes with masked ends.


SHORT = 12  # letters of a number that may be the beginning of an interval
COUNTED = 2**53  # floats beyond leave whole numbers out


def interval_rows(values: Iterable[float], widths: Sequence[float], origin: float | None) -> list[Sequence[Any]]:
    """One row per number: the number, the intervals it lies in, and the root."""
    numbers = check_list("values", check_entries("values", values))
    if len(numbers) == 0 or numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        raise ParameterError("intervals needs at least one value, and finite numbers only")
    numbers = np.unique(numbers)
    widths = [
        check_number("each of widths", width, above=0)
        for width in check_entries("widths", widths, "a list of numbers, narrowest first")
    ]
    start = _start(float(numbers[0]), widths) if origin is None else check_number("origin", origin)
    if start > numbers[0]:
        raise ParameterError(
            f"origin {text_of(start)} lies above the smallest value {text_of(numbers[0])}; choose one at or below it"
        )
    whole = np.issubdtype(numbers.dtype, np.integer) and all(float(w).is_integer() for w in [*widths, start])
    columns: list[Sequence[Any]] = [numbers.tolist()]
    previous: float | None = None
    for width in widths:
        if previous is None:
            with np.errstate(over="ignore"):  # told right below
                steps = np.floor((numbers - start) / width + 1e-9)  # 0.3 / 0.1 must not fall below 3
            if not steps[-1] < COUNTED:
                raise ParameterError(
                    f"width {width:g} is too narrow for numbers from {start:g} to {numbers[-1]:g}: so many intervals cannot be "
                    f"counted; choose a wider one"
                )
            if not whole:  # what counts is what is printed: a number lies in the interval whose text says so
                steps -= numbers < np.array(_ends(start, width, steps), dtype=float)
                steps += numbers >= np.array(_ends(start, width, steps + 1), dtype=float)
        else:
            times = round(width / previous)
            if times < 1 or not np.isclose(times * previous, width, rtol=1e-9, atol=0):
                raise ParameterError(
                    f"width {text_of(width)} is not a multiple of {text_of(previous)}: the intervals would not nest"
                )
            steps = steps // times
        previous = width
        if whole:
            columns.append([f"[{int(low)}, {int(low + width) - 1}]" for low in start + steps * width])
        else:
            ends = zip(_ends(start, width, steps), _ends(start, width, steps + 1))
            columns.append([f"[{low}, {high})" for low, high in ends])
    columns.append(["*"] * len(numbers))
    return list(zip(*columns))


def _ends(start: float, width: float, steps: np.ndarray) -> list[str]:
    """Ends of intervals as they are printed, counted in decimals: floating point would add -2e-14 where zero is meant."""
    first, wide = _decimal(start), _decimal(width)
    return [f"{float(first + int(step) * wide):.12g}" for step in steps]


def _decimal(number: float) -> Decimal:
    """The number that one reads: 0.1, not the binary fraction nearest to it."""
    return Decimal(repr(float(number)))


def _start(smallest: float, widths: Sequence[float]) -> float:
    """Where the first interval begins: at the smallest number, or, if that has many digits, at a round one below it."""
    if not widths or len(text_of(smallest)) <= SHORT or smallest.is_integer():
        return smallest
    wide = _decimal(widths[0])
    return float((_decimal(smallest) / wide).to_integral_value(ROUND_FLOOR) * wide)


def masked_rows(values: Iterable[object], height: int | None, mask: str) -> list[list[Any]]:
    """One row per code: the code, and the code with ever more characters masked."""
    leaves = list(dict.fromkeys(plain(value) for value in check_entries("values", values)))
    texts = texts_of(leaves)
    lengths = {len(text) for text in texts}
    if not texts:
        raise ParameterError("mask_suffix needs at least one value")
    if len(lengths) != 1:
        raise ParameterError(
            f"mask_suffix needs values of one length, not of lengths {sorted(lengths)}; pad them first"
        )
    height = check_integer("height", lengths.pop() if height is None else height, at_least=1, at_most=len(texts[0]))
    rows = [
        [leaf] + [text[: len(text) - i] + mask * i for i in range(1, height + 1)] for leaf, text in zip(leaves, texts)
    ]
    roots = list(dict.fromkeys(row[-1] for row in rows))
    if len(roots) > 1:
        raise ParameterError(f"height = {height} leaves several roots, {listed(roots)}; mask more characters")
    return rows


def plain(value: object) -> Hashable:
    """A value that can be looked up and shown: what cannot be hashed, such as a list, is taken by its text."""
    try:
        hash(value)
    except TypeError:
        return text_of(value)
    return value


# --------------------------------------------------------------------
# What a hierarchy shows of itself in a notebook: a tree, whose branches a click opens.


MOST_NODES, MOST_CHILDREN = 400, 30  # of larger trees the upper levels, and of wide nodes the first children
MOST_LETTERS = 80


def tree_html(tree: Hierarchy) -> str:
    """The nodes under each other, from the root; how many leaves lie below each."""
    lowest = _lowest(tree)
    note = "" if lowest == 0 else f", shown down to level {lowest}"
    title = f"Hierarchy of {tree.n_leaves} leaves, nodes per level {'-'.join(map(str, tree.level_sizes()))}{note}"
    return pages.card(title, _branch(tree, tree.height, _root(tree), lowest, opened=True))


def _root(tree: Hierarchy) -> int:
    return int(tree.ancestors[-1, 0])


def _children(tree: Hierarchy, level: int, node: int) -> list[int]:
    """The nodes right below one of a level, in the order of their leaves."""
    below = np.unique(tree.ancestors[level - 1, tree.low[node] : tree.high[node] + 1])
    return sorted(below.tolist(), key=lambda child: int(tree.low[child]))


def _lowest(tree: Hierarchy) -> int:
    """The lowest level that can be shown without showing too many nodes, those that are left out not counted."""
    shown, count = [_root(tree)], 1
    for level in range(tree.height, 0, -1):
        shown = [child for node in shown for child in _children(tree, level, node)[:MOST_CHILDREN]]
        count += len(shown)
        if count > MOST_NODES:
            return level
    return 0


def _branch(tree: Hierarchy, level: int, node: int, lowest: int, *, opened: bool = False) -> pages.Html:
    """A node and what is below it. A branch that is shorter than the tree repeats its leaf: it stands there once."""
    count = int(tree.leaf_counts[node])
    name = pages.shortened(str(tree.labels[node]), MOST_LETTERS)
    if level == lowest or node < tree.n_leaves:
        return pages.text(name if node < tree.n_leaves else f"{name} ({count} leaves)")
    children = _children(tree, level, node)
    items: list[object] = [_branch(tree, level - 1, child, lowest) for child in children[:MOST_CHILDREN]]
    if len(children) > MOST_CHILDREN:
        items.append(f"and {len(children) - MOST_CHILDREN} more")
    words = pages.Html(f"{pages.text(name)} {pages.element('small', f'({count})')}")
    return pages.folded(words, pages.listing(items), opened=opened)


# --------------------------------------------------------------------
# Generalization hierarchies: a tree over the values of one column, read level by level.


ROOT = "*"
DEEPEST = 100  # levels of nested dictionaries


class Hierarchy:
    """A tree whose leaves are the values of a column and whose levels are ever coarser labels.

    Leaves are numbered depth first, so every node covers a contiguous range of leaf codes, and the lowest common
    ancestor of a set of leaves is that of its smallest and largest code. A branch that is shorter than the tree repeats
    its leaf on the levels it lacks. Build one with :meth:`from_levels`, :meth:`from_dict`,
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
        texts = [np.array(texts_of(column), dtype=object) for column in columns]
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
        self._code_of = dict(zip(texts_of(self.leaves), range(n_leaves)))

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

    @cached_property
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
        codes = [known.get(text, known.get(str(value), -1)) for text, value in zip(texts_of(values), values)]
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
        low, high = _check_leaves(low, len(self.leaves)), _check_leaves(high, len(self.leaves))
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
