"""Earth mover's distances beside a linear program."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import ground_distance, shares, transport
from scipy.stats import wasserstein_distance
from strategies import ORDERED, TREE, Column, trees

from ppdp_lab import Hierarchy
from ppdp_lab.principles import _emd
from ppdp_lab.principles._emd import emd_equal, emd_ordered, emd_tree
from ppdp_lab.table import ClassCounts, Domain

BOTH = pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])


def test_every_kernel_has_its_twin_here() -> None:
    found = {name for name, value in vars(_emd).items() if hasattr(value, "py_func")}
    assert found == {"emd_equal", "emd_ordered", "emd_tree"}


@st.composite
def classes(draw: st.DrawFn, values: list[str]) -> tuple[list[list[str]], list[str]]:
    """Some classes, and the rest of the table they come from."""
    cell = st.sampled_from(values)
    parts = draw(st.lists(st.lists(cell, min_size=1, max_size=6), min_size=1, max_size=3))
    return parts, draw(st.lists(cell, max_size=6))


def arguments(domain: Domain, parts: list[list[str]], rest: list[str]) -> tuple:
    codes = np.array([domain.code_of(v) for part in parts for v in part], dtype=np.int32)
    class_of = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
    counts = ClassCounts.count(class_of, len(parts), [codes], [domain])
    cells = counts.histogram()
    whole = counts.totals() + np.bincount([domain.code_of(v) for v in rest], minlength=len(domain))
    return cells.offsets, cells.values, cells.counts, counts.sizes, whole / whole.sum()


def expected(column: Column, kind: str, parts: list[list[str]], rest: list[str]) -> list[float]:
    everyone = pd.Series([*chain(*parts), *rest])
    distance = ground_distance(column, kind)
    return [transport(shares(pd.Series(part), column), shares(everyone, column), distance) for part in parts]


@BOTH
@given(data=st.data(), m=st.integers(1, 6))
def test_equal_and_ordered(compiled: bool, data: st.DataObject, m: int) -> None:
    values = [f"v{i}" for i in range(m)]
    dtype = pd.CategoricalDtype(values, ordered=True)
    column = Column("s", ORDERED, pd.Series(values, dtype=dtype), values)
    domain, _ = Domain.of(column.series)
    parts, rest = data.draw(classes(values))
    inputs = arguments(domain, parts, rest)
    for kind, kernel in (("equal", emd_equal), ("ordered", emd_ordered)):
        distances = (kernel if compiled else kernel.py_func)(*inputs)
        assert distances == pytest.approx(expected(column, kind, parts, rest), abs=1e-9)
    rank = np.arange(m)
    everyone = shares(pd.Series([*chain(*parts), *rest]), column)
    by_scipy = [wasserstein_distance(rank, rank, shares(pd.Series(p), column), everyone) / max(m - 1, 1) for p in parts]
    assert emd_ordered(*inputs) == pytest.approx(by_scipy, abs=1e-9)


@BOTH
@settings(max_examples=80)
@given(data=st.data(), rows=trees(max_leaves=6))
def test_hierarchical(compiled: bool, data: st.DataObject, rows: list[list[str]]) -> None:
    values = [row[0] for row in rows]
    column = Column("s", TREE, pd.Series(values), values, paths=rows)
    tree = Hierarchy(rows)
    domain, _ = Domain.of(column.series, tree)
    parts, rest = data.draw(classes(values))
    kernel = emd_tree if compiled else emd_tree.py_func
    distances = kernel(*arguments(domain, parts, rest), tree.ancestors, tree.node_height)
    assert distances == pytest.approx(expected(column, "hierarchical", parts, rest), abs=1e-9)


def test_the_height_of_a_node_is_its_longest_branch() -> None:
    tree = Hierarchy.from_dict({"A": ["a", "b"], "B": {"C": ["c", "d"]}})
    assert tree.height == 3 and tree.node_height[tree.node("A")] == 1  # a and b repeat themselves on level 1
    domain, _ = Domain.of(pd.Series(["a", "b"]), tree)
    inputs = arguments(domain, [["a"], ["a", "b"]], ["b"])
    distances = emd_tree(*inputs, tree.ancestors, tree.node_height)
    assert distances == pytest.approx([1 / 2 * 1 / 3, 0])


def test_a_tree_of_one_value_has_no_distance() -> None:
    for rows in ([["x"]], [["x", "x"]], [["x", "*"]]):
        tree = Hierarchy(rows)
        domain, _ = Domain.of(pd.Series(["x"]), tree)
        inputs = arguments(domain, [["x", "x"]], ["x"])
        assert emd_tree(*inputs, tree.ancestors, tree.node_height).tolist() == [0.0]
