"""Each compiled step of Mondrian beside a plain twin."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import trees

from ppdp_lab import Hierarchy
from ppdp_lab.anonymize import _mondrian as kernels

HOW = {"median": kernels.MEDIAN, "below": kernels.BELOW, "relaxed": kernels.RELAXED}


@pytest.fixture(scope="module", params=["compiled", "interpreted"])
def kernel(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """A kernel by name, compiled or as the Python it is written in."""
    return lambda name: getattr(kernels, name) if request.param == "compiled" else getattr(kernels, name).py_func


def test_every_kernel_has_its_twin_here() -> None:
    found = {name for name, value in vars(kernels).items() if hasattr(value, "py_func")}
    tested = {"extents", "distinct_values", "median_code", "halve", "specialize", "arrange", "gather"}
    assert found == tested


@st.composite
def levels(draw: st.DrawFn, size: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
    """Offsets of some partitions, the codes of their records, and the size of the domain."""
    size = draw(st.sampled_from([2, 5, 300])) if size is None else size
    partitions = draw(st.lists(st.lists(st.integers(0, size - 1), min_size=1, max_size=9), min_size=1, max_size=5))
    offsets = np.cumsum([0, *map(len, partitions)])
    return offsets, np.array(list(chain(*partitions)), dtype=np.int32), size


def slices(offsets: np.ndarray, codes: np.ndarray) -> list[list[int]]:
    return [codes[a:b].tolist() for a, b in pairwise(offsets)]


def varied(offsets: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return np.array([p for p, part in enumerate(slices(offsets, codes)) if len(set(part)) > 1], dtype=np.int64)


@given(level=levels())
def test_extents_and_distinct_values(kernel: Callable[[str], Any], level: tuple) -> None:
    offsets, codes, size = level
    n = len(offsets) - 1
    low, high, distinct = (np.empty(n, dtype=t) for t in (np.int32, np.int32, np.int64))
    kernel("extents")(offsets, codes, low, high)
    kernel("distinct_values")(offsets, codes, size, distinct)
    parts = slices(offsets, codes)
    assert low.tolist() == [min(part) for part in parts]
    assert high.tolist() == [max(part) for part in parts]
    assert distinct.tolist() == [len(set(part)) for part in parts]


@given(level=levels())
def test_median_code(kernel: Callable[[str], Any], level: tuple) -> None:
    offsets, codes, size = level
    tally = np.zeros(size, dtype=np.int32)
    for part, start, stop in zip(slices(offsets, codes), offsets, offsets[1:]):
        median = kernel("median_code")(codes, start, stop, min(part), max(part), tally)
        assert median == min(v for v in part if 2 * sum(w <= v for w in part) >= len(part))
        assert not tally.any()


@pytest.mark.parametrize("how", sorted(HOW))
@given(level=levels())
def test_halve(kernel: Callable[[str], Any], how: str, level: tuple) -> None:
    offsets, codes, size = level
    parts = slices(offsets, codes)
    chosen = varied(offsets, codes)
    low, high = (np.array([f(part) for part in parts], dtype=np.int32) for f in (min, max))
    part = np.full(len(codes), -7, dtype=np.int32)
    n_parts = np.zeros(len(parts), dtype=np.int64)
    kernel("halve")(offsets, chosen, codes, low, high, HOW[how], size, part, n_parts)
    for p, cells in enumerate(parts):
        goes = part[offsets[p] : offsets[p + 1]].tolist()
        if p not in chosen:
            assert n_parts[p] == 0 and set(goes) == {-7}
            continue
        median = sorted(cells)[(len(cells) + 1) // 2 - 1]
        if how == "median":
            expected = [int(v > median) for v in cells]
        elif how == "below":
            expected = [int(v >= median) for v in cells]
        else:
            in_order = sorted(range(len(cells)), key=lambda i: (cells[i], i))
            left = set(in_order[: len(cells) // 2])
            expected = [int(i not in left) for i in range(len(cells))]
        assert goes == expected
        assert n_parts[p] == (2 if len(set(expected)) == 2 else 0)


@given(tree=trees(), data=st.data())
def test_specialize(kernel: Callable[[str], Any], tree: list[list[str]], data: st.DataObject) -> None:
    hierarchy = Hierarchy(tree)
    offsets, codes, _ = data.draw(levels(hierarchy.n_leaves))
    parts = slices(offsets, codes)
    chosen = varied(offsets, codes)
    low, high = (np.array([f(part) for part in parts]) for f in (min, max))
    level = hierarchy.node_level[hierarchy.lca(low, high)]
    part = np.full(len(codes), -7, dtype=np.int32)
    n_parts = np.zeros(len(parts), dtype=np.int64)
    n_nodes = len(hierarchy.labels)
    kernel("specialize")(offsets, chosen, codes, hierarchy.ancestors, level, n_nodes, part, n_parts)
    for p in chosen:
        children = [hierarchy.levels(hierarchy.leaves[code])[level[p] - 1] for code in parts[p]]
        goes = part[offsets[p] : offsets[p + 1]].tolist()
        assert n_parts[p] == len(set(children)) == len(set(goes)) == max(goes) + 1 > 1
        assert len(set(zip(children, goes))) == n_parts[p]
    assert set(part[np.isin(np.repeat(np.arange(len(parts)), np.diff(offsets)), chosen, invert=True)]) <= {-7}


@given(level=levels(), data=st.data())
def test_arrange(kernel: Callable[[str], Any], level: tuple, data: st.DataObject) -> None:
    offsets, codes, _ = level
    n = len(offsets) - 1
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1)))), dtype=np.int64)
    # parts need not all be used: a part without records begins where the next one does
    part = (codes % 3).astype(np.int32)
    n_parts = np.full(n, 3, dtype=np.int64)
    order, begins = kernel("arrange")(offsets, chosen, part, n_parts)
    expected, starts = [], [0]
    for p in chosen:
        for j in range(3):
            expected += [i for i in range(offsets[p], offsets[p + 1]) if part[i] == j]
            starts.append(len(expected))
    assert order.tolist() == expected and begins.tolist() == starts


@given(shape=st.tuples(st.integers(0, 3), st.integers(1, 8)), data=st.data())
def test_gather(kernel: Callable[[str], Any], shape: tuple[int, int], data: st.DataObject) -> None:
    columns = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    order = np.array(data.draw(st.lists(st.integers(0, shape[1] - 1))), dtype=np.int64)
    out = kernel("gather")(columns, order)
    assert out.dtype == np.int32 and out.tolist() == [[column[i] for i in order] for column in columns.tolist()]
