"""Loops over segments beside plain twins."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab.table import _segments as kernels

BOTH = pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
CLASSES = 4


def test_every_kernel_has_its_twin_here() -> None:
    found = {name for name, value in vars(kernels).items() if hasattr(value, "py_func")}
    assert found == {"histogram_segments", "extremes", "mark_bits", "sum_hashes"}


def run(name: str, compiled: bool, *arguments):
    kernel = getattr(kernels, name)
    with np.errstate(over="ignore"):
        return (kernel if compiled else kernel.py_func)(*arguments)


@st.composite
def records(draw: st.DrawFn, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Class (-1: suppressed) and code of some records."""
    pairs = draw(st.lists(st.tuples(st.integers(-1, CLASSES - 1), st.integers(0, size - 1)), max_size=25))
    return np.array([c for c, _ in pairs], dtype=np.int32), np.array([v for _, v in pairs], dtype=np.int32)


@BOTH
@given(segments=st.lists(st.lists(st.integers(0, 30), max_size=8), max_size=6), size=st.sampled_from([31, 300]))
def test_histogram_segments(compiled: bool, segments: list[list[int]], size: int) -> None:
    offsets = np.cumsum([0, *map(len, segments)])
    values = np.array(list(chain(*segments)), dtype=np.int32)
    cells = run("histogram_segments", compiled, offsets, values, size)
    expected = [(c, v, k) for c, cell in enumerate(segments) for v, k in sorted(Counter(cell).items())]
    assert list(zip(*(part.tolist() for part in cells))) == expected


@BOTH
@given(drawn=records(9))
def test_extremes(compiled: bool, drawn: tuple[np.ndarray, np.ndarray]) -> None:
    class_of, codes = drawn
    low, high = np.full(CLASSES, 9, dtype=np.int32), np.full(CLASSES, -1, dtype=np.int32)
    run("extremes", compiled, class_of, codes, low, high)
    for c in range(CLASSES):
        members = codes[class_of == c].tolist()
        assert (low[c], high[c]) == (min(members, default=9), max(members, default=-1))


@BOTH
@given(drawn=records(130))
def test_mark_bits(compiled: bool, drawn: tuple[np.ndarray, np.ndarray]) -> None:
    class_of, codes = drawn
    bits = np.zeros((CLASSES, 3), dtype=np.uint64)
    run("mark_bits", compiled, class_of, codes, bits)
    for c in range(CLASSES):
        whole = sum(int(word) << (64 * i) for i, word in enumerate(bits[c]))
        assert whole == sum(1 << code for code in set(codes[class_of == c].tolist()))


def splitmix(x: int) -> int:
    word = 2**64 - 1
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & word
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & word
    return x ^ (x >> 31)


@BOTH
@given(drawn=records(50), salt=st.integers(1, 5))
def test_sum_hashes(compiled: bool, drawn: tuple[np.ndarray, np.ndarray], salt: int) -> None:
    class_of, codes = drawn
    out = np.zeros(CLASSES, dtype=np.uint64)
    run("sum_hashes", compiled, class_of, codes, salt, out)
    for c in range(CLASSES):
        members = codes[class_of == c].tolist()
        seed = salt * 0x9E3779B97F4A7C15
        assert int(out[c]) == sum(splitmix((code + seed) % 2**64) for code in members) % 2**64
