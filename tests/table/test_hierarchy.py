"""Hierarchies: five constructors, trees of every shape, and all the words of refusal."""

from __future__ import annotations

import itertools
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain import below, height, lowest_common
from strategies import trees

from ppdp_lab import Hierarchy
from ppdp_lab.errors import DataFileError, HierarchyError, ParameterError
from ppdp_lab.io import ReadingWarning
from ppdp_lab.io.reading import read_hierarchy, write_hierarchy

PLACES = {"Europe": ["Italy", "France"], "America": {"North": ["Canada", "USA"], "Peru": None}}


# ------------------------------------------------------------------ any tree at all
@given(trees())
def test_levels_are_those_that_went_in(rows: list[list[str]]) -> None:
    tree = Hierarchy(rows)
    assert tree.n_leaves == len(rows) and tree.height == len(rows[0]) - 1
    assert sorted(tree.leaves) == sorted(row[0] for row in rows)
    for row in rows:
        assert tree.levels(row[0]) == row
        for level, label in enumerate(row):
            assert tree.generalize([row[0]], level) == [label]
    assert tree.level_sizes() == [len({row[level] for row in rows}) for level in range(len(rows[0]))]
    assert sorted(tree.to_table()) == sorted(rows)


@given(trees())
def test_every_node_covers_a_range_of_leaves(rows: list[list[str]]) -> None:
    tree = Hierarchy(rows)
    for level, label in {(level, label) for row in rows for level, label in enumerate(row)}:
        leaves = {row[0] for row in below(rows, level, label)}
        node = tree.ancestors[level, tree.encode([min(leaves)])[0]]
        assert set(tree.leaves[tree.low[node] : tree.high[node] + 1]) == leaves
        assert tree.leaf_counts[node] == len(leaves)
        assert tree.node_height[node] == height(rows, level, label)
        assert tree.labels[node] == label
    root = len(tree.labels) - 1
    assert (tree.ancestors[-1] == root).all() and tree.node_height[root] == tree.node_height.max()


@given(trees(max_leaves=6))
def test_lowest_common_ancestor(rows: list[list[str]]) -> None:
    tree = Hierarchy(rows)
    paths = {row[0]: row for row in rows}
    for size in range(1, len(rows) + 1):
        for leaves in itertools.combinations(paths, size):
            level, label = lowest_common([paths[leaf] for leaf in leaves])
            codes = tree.encode(leaves)
            node = int(tree.lca(codes.min(), codes.max()))
            assert tree.labels[node] == label == tree.common_ancestor(leaves)
            covered = set(tree.leaves[tree.low[node] : tree.high[node] + 1])
            assert covered == {row[0] for row in below(rows, level, label)}


@given(trees(), st.sampled_from([";", ",", "\t"]))
def test_csv_round_trip(tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], separator: str) -> None:
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    tree = Hierarchy(rows)
    write_hierarchy(tree, path, separator=separator)
    again = read_hierarchy(path, separator=separator)
    assert again == tree and again.leaves.tolist() == tree.leaves.tolist()


@given(trees())
def test_box_labels_tell_nodes_apart(rows: list[list[str]]) -> None:
    tree = Hierarchy(rows)
    ranges: dict[str, set[tuple[int, int]]] = {}
    for label, low, high in zip(tree.box_labels, tree.low.tolist(), tree.high.tolist()):
        ranges.setdefault(label, set()).add((low, high))
    assert all(len(covered) == 1 for covered in ranges.values())
    assert tree.box_labels[: tree.n_leaves] == [str(leaf) for leaf in tree.leaves]


# ------------------------------------------------------------------ the five constructors
def test_five_constructors_build_the_same_tree(tmp_path: Path) -> None:
    rows = [["11", "1*", "**"], ["12", "1*", "**"], ["21", "2*", "**"]]
    (tmp_path / "tree.csv").write_text("\ufeff11;1*;**\n12;1*;**\n\n21;2*;**\n", encoding="utf-8")
    same = [
        Hierarchy(rows),
        Hierarchy(pd.DataFrame(rows)),
        Hierarchy(np.array(rows)),
        read_hierarchy(tmp_path / "tree.csv"),
        Hierarchy.from_levels({"11": ["1*", "**"], "12": ("1*", "**"), "21": ["2*", "**"]}),
        Hierarchy.from_dict({"**": {"1*": ["11", "12"], "2*": ["21"]}}),
        Hierarchy.mask_suffix(["11", "12", "21"]),
        Hierarchy.mask_suffix([11, 12, 21], height=2),
    ]
    assert all(tree == same[0] for tree in same)
    assert Hierarchy.intervals([10, 11, 25], [10]) == Hierarchy(
        [[10, "[10, 19]", "*"], [11, "[10, 19]", "*"], [25, "[20, 29]", "*"]]
    )


def test_from_dict_pads_short_branches() -> None:
    tree = Hierarchy.from_dict(PLACES)
    assert tree.levels("Peru") == ["Peru", "Peru", "America", "*"]
    assert tree.levels("Italy") == ["Italy", "Italy", "Europe", "*"]
    assert tree.common_ancestor(["Peru", "USA"]) == "America" and tree.leaf_count("America") == 3
    heights = dict(zip(tree.labels, tree.node_height.tolist()))
    assert heights["Peru"] == 0 and heights["Europe"] == 1 and heights["America"] == 2 and heights["*"] == 3


def test_from_dict_takes_any_collection_of_leaves() -> None:
    for leaves in (np.array(["x", "y"]), pd.Series(["x", "y"]), iter(["x", "y"])):
        assert Hierarchy.from_dict({"a": leaves}).levels("y") == ["y", "a"]
    for nothing in (np.array([]), [], {}, None):
        assert Hierarchy.from_dict({"a": nothing}).levels("a") == ["a", "*"]


def test_intervals() -> None:
    tree = Hierarchy.intervals(range(3, 12), widths=[2, 6], origin=0)
    assert tree.levels(7) == ["7", "[6, 7]", "[6, 11]", "*"]
    assert Hierarchy.intervals([0.1, 0.3, 0.7], [0.1, 0.2]).levels(0.7) == ["0.7", "[0.7, 0.8)", "[0.7, 0.9)", "*"]
    assert Hierarchy.intervals([0.0, 0.3], [0.1, 0.3]).levels(0.3) == ["0.3", "[0.3, 0.4)", "[0.3, 0.6)", "*"]
    assert Hierarchy.intervals([1234567.5, 1234570.5], [1]).levels(1234570.5)[1] == "[1234570.5, 1234571.5)"
    assert Hierarchy.intervals([3, 1, 1], []).levels(1) == ["1", "*"]
    assert Hierarchy.intervals([1 / 3, 0.9], [0.1, 0.2]).levels(1 / 3)[1:] == ["[0.3, 0.4)", "[0.3, 0.5)", "*"]


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=12),
    st.lists(st.integers(2, 4), max_size=3),
    st.sampled_from([1, 0.5, 0.1, 0.3]),
)
def test_intervals_nest_and_hold_their_members(values: list[int], steps: list[int], unit: float) -> None:
    numbers = [value * unit for value in values]
    widths = [unit * w for w in itertools.accumulate(steps, lambda a, b: a * b)]
    tree = Hierarchy.intervals(numbers, widths)
    for number in set(numbers):
        for label, width in zip(tree.levels(number)[1:-1], widths):
            low, high = map(float, label[1:-1].split(", "))
            assert low <= number <= high if label.endswith("]") else low <= number < high
            assert (high - low) == pytest.approx(width - (1 if label.endswith("]") else 0))


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=12),
    st.sampled_from([(0.1, 0.5), (1, 2, 10), (0.25,), (7, 21)]),
    st.sampled_from([None, -1000, -1000 - 1 / 3]),
)
@example([-256.87890625, -2.0e-143], (0.1, 0.5), None)  # an end meant as zero was -2.27318164292e-14
def test_a_printed_interval_is_true(numbers: list[float], widths: tuple[float, ...], origin: float | None) -> None:
    tree = Hierarchy.intervals(numbers, widths, origin=origin)
    for number in set(numbers):
        for label in tree.levels(number)[1:-1]:
            low, high = map(float, label[1:-1].split(", "))
            assert low <= number < high and (origin is not None or len(label) < 30), (number, label)


@pytest.mark.parametrize(
    ("numbers", "width"),
    [([-1e308, 1e308], 0.5), ([0.5, 1e308], 0.1), ([0.5, 3.5], 1e-320), ([1, 2], 1e-320), ([0, 10**18], 1)],
)
def test_a_width_that_would_take_too_many_intervals_is_refused(numbers: list[float], width: float) -> None:
    with pytest.raises(ParameterError, match=r"width .* is too narrow for numbers from .* to .*; choose a wider one"):
        Hierarchy.intervals(numbers, [width])


def test_leaves_are_matched_by_how_they_read() -> None:
    text = Hierarchy.from_levels({"1": ["low", "*"], "2": ["low", "*"], "3": ["high", "*"]})
    assert text.encode([3, 1.0, "2", np.int8(2), np.float64(3)]).tolist() == [2, 0, 1, 1, 2]
    numbers = Hierarchy.from_levels({1: ["low", "*"], 2.0: ["low", "*"], 3: ["high", "*"]})
    assert numbers == text and numbers.encode(["2", 2]).tolist() == [1, 1]
    assert text.leaves.tolist() == ["1", "2", "3"] and numbers.leaves.tolist() == [1, 2.0, 3]


def test_one_leaf_alone_is_a_tree() -> None:
    for rows in ([["x"]], [["x", "x"]], [["x", "*"]]):
        tree = Hierarchy(rows)
        assert tree.common_ancestor(["x"]) == "x" and tree.leaf_count("x") == 1 and tree.levels("x") == rows[0]


def test_trees_are_equal_if_they_look_alike() -> None:
    assert Hierarchy([["a", "*"], ["b", "*"]]) != Hierarchy([["b", "*"], ["a", "*"]])
    assert Hierarchy([["a", "*"]]) != "a"
    with pytest.raises(TypeError):
        hash(Hierarchy([["a", "*"]]))


# ------------------------------------------------------------------ refusals
def refused(error: type[Exception], words: str, make, *arguments, **more) -> None:
    with pytest.raises(error, match=words):
        make(*arguments, **more)


def test_what_is_not_a_tree() -> None:
    for rows, words in [
        ([["a", "x", "*"], ["a", "y", "*"]], "not a tree: leaf 'a' stands more than once"),
        ([[1, "x", "*"], ["1", "y", "*"]], "not a tree: leaf '1' stands more than once"),
        (
            [["a", "x", "u", "*"], ["b", "x", "v", "*"]],
            "not a tree: 'x' on level 1 has two parents, '[uv]' and '[uv]'",
        ),
        (
            [["a", "x"], ["b", "y"]],
            r"not a tree: the last level holds 'x', 'y'; end every leaf's line with one root, '\*'",
        ),
        ([["a", "*"], ["b", "x", "*"]], "'a' has 2, others have 3; repeat a label on the levels that are missing"),
        ([["a", None, "*"]], "leaf 'a' has no label on level 1"),
        ([["a", float("nan"), "*"]], "leaf 'a' has no label on level 1"),
        ([], "needs at least one leaf"),
        ([[]], "needs at least one leaf"),
    ]:
        refused(HierarchyError, words, Hierarchy, rows)
    refused(HierarchyError, "has no label on level 1", Hierarchy, pd.DataFrame({"a": ["x", "y"], "b": [None, "*"]}))
    refused(HierarchyError, "two parents, 'u' and 'v'", Hierarchy.from_dict, {"u": {"x": ["a"]}, "v": {"x": ["b"]}})


def test_values_that_are_absent_are_all_listed_up_to_ten() -> None:
    tree = Hierarchy([["a", "*"], ["b", "*"]])
    refused(
        HierarchyError,
        r"2 value\(s\) of column 'zip' are absent from its hierarchy: 'c', 7; add them as leaves or clean",
        tree.encode,
        ["a", "c", 7, "c"],
        column="column 'zip'",
    )
    with pytest.raises(HierarchyError) as caught:
        tree.encode(range(12))
    assert str(caught.value).count(", ") == 9 and "9 and 2 more" in str(caught.value)


def test_wrong_arguments() -> None:
    refused(HierarchyError, "at least one leaf", Hierarchy.from_levels, {})
    refused(HierarchyError, "at least one leaf", Hierarchy.from_levels, [["a", "*"]])
    refused(
        HierarchyError, "levels of leaf 'a' must be a list of labels, not 'flu'", Hierarchy.from_levels, {"a": "flu"}
    )
    refused(HierarchyError, "nested dictionaries with at least one leaf", Hierarchy.from_dict, {})
    refused(HierarchyError, "below 'Europe' stands 'Italy'", Hierarchy.from_dict, {"Europe": "Italy", "Asia": None})
    refused(HierarchyError, "below 'Europe' stands 5", Hierarchy.from_dict, {"Europe": 5})
    refused(ParameterError, "at least one value, and finite numbers only", Hierarchy.intervals, [], [5])
    refused(ParameterError, "at least one value, and finite numbers only", Hierarchy.intervals, ["a"], [5])
    refused(ParameterError, "finite numbers only", Hierarchy.intervals, [1.0, float("nan")], [5])
    refused(ParameterError, "finite numbers only", Hierarchy.intervals, [1, None], [1])
    refused(
        ParameterError, "values must be a plain list, one entry after the other, not 5", Hierarchy.intervals, 5, [1]
    )
    refused(ParameterError, "widths must be a list of numbers, narrowest first, not 5", Hierarchy.intervals, [1], 5)
    refused(ParameterError, "each of widths must be greater than 0, not -1", Hierarchy.intervals, [1], [-1])
    refused(ParameterError, "each of widths must be a number, not 'a'", Hierarchy.intervals, [1], ["a"])
    refused(
        ParameterError, "width 5 is not a multiple of 2: the intervals would not nest", Hierarchy.intervals, [1], [2, 5]
    )
    refused(ParameterError, "width 2 is not a multiple of 5", Hierarchy.intervals, [1], [5, 2])
    refused(ParameterError, "origin 3 lies above the smallest value 1", Hierarchy.intervals, [1, 9], [2], origin=3)
    refused(ParameterError, "at least one value", Hierarchy.mask_suffix, [])
    refused(ParameterError, r"one length, not of lengths \[1, 2\]; pad them first", Hierarchy.mask_suffix, ["a", "bc"])
    refused(ParameterError, "height must be at most 2, not 3", Hierarchy.mask_suffix, ["ab", "cd"], 3)
    refused(ParameterError, "height must be at least 1, not 0", Hierarchy.mask_suffix, ["ab", "cd"], 0)
    refused(
        ParameterError, r"several roots, 'a\*', 'c\*'; mask more characters", Hierarchy.mask_suffix, ["ab", "cd"], 1
    )
    tree = Hierarchy.from_dict(PLACES)
    refused(ParameterError, "level must be at most 3, not 4", tree.generalize, ["Peru"], 4)
    refused(HierarchyError, "no node 'Asia'", tree.leaf_count, "Asia")
    refused(ParameterError, "common_ancestor needs at least one value", tree.common_ancestor, [])


def test_files_that_are_no_hierarchy(tmp_path: Path) -> None:
    refused(
        DataFileError,
        r"no hierarchy file .*missing.csv.* lines leaf;level 1;...;\*",
        read_hierarchy,
        tmp_path / "missing.csv",
    )
    (tmp_path / "empty.csv").write_text("\n\n")
    refused(DataFileError, "empty.csv' is empty", read_hierarchy, tmp_path / "empty.csv")
    (tmp_path / "latin.csv").write_bytes("é;*\n".encode("latin-1"))
    with pytest.warns(ReadingWarning, match="latin.csv': not UTF-8 .* so it was read as cp1252"):
        assert read_hierarchy(tmp_path / "latin.csv").leaves.tolist() == ["é"]
    (tmp_path / "marked.csv").write_bytes("é;*\n".encode("utf-16"))
    assert read_hierarchy(tmp_path / "marked.csv").leaves.tolist() == ["é"]
    (tmp_path / "quote.csv").write_text('a;*\n"b;*\n')
    refused(
        DataFileError,
        "quote.csv' cannot be read as CSV: line 2, column 1: a quote is opened here and never closed",
        read_hierarchy,
        tmp_path / "quote.csv",
    )
    (tmp_path / "bad.csv").write_text("a;x\nb;y\n")
    refused(HierarchyError, "bad.csv': not a tree: the last level holds 'x', 'y'", read_hierarchy, tmp_path / "bad.csv")
    (tmp_path / "long.csv").write_text("a" * 140_000 + ";*\n")
    assert read_hierarchy(tmp_path / "long.csv").height == 1
    refused(ParameterError, "separator must be one character", read_hierarchy, tmp_path / "bad.csv", separator=";;")


def test_a_wrong_separator_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    write_hierarchy(Hierarchy.from_dict(PLACES), file)
    before = file.read_text()
    refused(
        ParameterError, "separator must be", write_hierarchy, Hierarchy.from_dict({"a": ["b"]}), file, separator=";;"
    )
    assert file.read_text() == before
    refused(
        ParameterError,
        "separator must be",
        write_hierarchy,
        Hierarchy.from_dict(PLACES),
        tmp_path / "new.csv",
        separator=5,
    )
    assert not (tmp_path / "new.csv").exists()


def test_labels_that_no_file_can_hold_are_rejected() -> None:
    for leaf, words in (
        ("x\0", "level 0 of a hierarchy has text with a NUL character"),
        ("x\ud800", "a lone surrogate"),
        (2j, "a complex number"),
        (Decimal("sNaN"), "a signaling NaN"),
    ):
        refused(HierarchyError, words, Hierarchy, [[leaf, "*"], ["y", "*"]])
        refused(HierarchyError, words, Hierarchy, pd.DataFrame([[leaf, "*"], ["y", "*"]], dtype=object))
    refused(
        HierarchyError, "level 1 of a hierarchy has text with a NUL", Hierarchy, [["x", "a\0", "*"], ["y", "a", "*"]]
    )
    refused(HierarchyError, "binary data", Hierarchy, pd.DataFrame([[b"x", "*"]], dtype=object))


def test_dictionaries_without_an_end_are_rejected() -> None:
    loop: dict = {"Europe": {"Italy": ["Rome"]}}
    loop["Europe"]["World"] = loop
    refused(HierarchyError, "the dictionary below 'World' contains itself", Hierarchy.from_dict, loop)
    itself: dict = {}
    itself["a"] = itself
    refused(HierarchyError, "the dictionary below 'a' contains itself", Hierarchy.from_dict, itself)
    deep: dict = {"leaf": None}
    for level in range(5000):
        deep = {level: deep}
    refused(HierarchyError, "nested more than 100 levels deep", Hierarchy.from_dict, deep)
    twice = {"Rome": None}  # the same dictionary in two places is no loop, but no tree either
    refused(HierarchyError, "leaf 'Rome' stands more than once", Hierarchy.from_dict, {"Italy": twice, "France": twice})


@given(trees())
def test_a_leaf_for_missing_values_changes_nothing_else(rows: list[list[str]]) -> None:
    tree = Hierarchy(rows)
    more = tree.with_missing()
    top = more.to_table()[0][-1]
    assert more.to_table() == [*tree.to_table(), ["(missing)"] * more.height + [top]]
    assert more.same_as(tree) and more.with_missing() is more and more.given is tree
    assert (more.low[: more.n_leaves] == np.arange(more.n_leaves)).all() and more.high[-1] == more.n_leaves - 1


def test_a_tree_of_one_leaf_gets_a_root_beside_the_missing_one() -> None:
    assert Hierarchy([["a"]]).with_missing().to_table() == [["a", "*"], ["(missing)", "*"]]
