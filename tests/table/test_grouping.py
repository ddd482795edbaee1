"""The grouping kernel beside dictionaries: direct addressing, hashing, and keys beyond 64 bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab.table import _grouping, grouping
from ppdp_lab.table._grouping import append_digit, densify_direct, densify_hash
from ppdp_lab.table.grouping import densify, group

BOTH = pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
KEYS = st.lists(st.integers(0, 40) | st.integers(0, 2**63 - 1), min_size=1, max_size=40)


def run(kernel, compiled: bool, *arguments):
    """A kernel, or the Python it is written in; the latter wraps around as the former does."""
    with np.errstate(over="ignore"):
        return (kernel if compiled else kernel.py_func)(*arguments)


def test_every_kernel_has_its_twin_here() -> None:
    found = {name for name, value in vars(_grouping).items() if hasattr(value, "py_func")}
    assert found == {"append_digit", "densify_direct", "densify_hash"}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[np.ndarray], list[int]]:
    """Code columns over small, large and enormous key spaces."""
    n = draw(st.integers(0, 30))
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 17, 1000, 2**20, 2**31 - 1]), min_size=1, max_size=7))
    columns = []
    for size in sizes:
        few = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=3))
        picks = draw(st.lists(st.integers(0, len(few) - 1), min_size=n, max_size=n))
        columns.append(np.array([few[i] for i in picks], dtype=np.int32))
    return columns, sizes


@given(tables())
def test_group_numbers_equal_rows_alike_in_ascending_order(drawn: tuple[list[np.ndarray], list[int]]) -> None:
    columns, sizes = drawn
    rows = list(zip(*(column.tolist() for column in columns)))
    distinct = sorted(set(rows))
    result = group(columns, sizes)
    assert result.class_of.tolist() == [distinct.index(row) for row in rows]
    assert result.n_classes == len(distinct)
    assert [rows[i] for i in result.first] == distinct
    assert result.sizes.tolist() == [rows.count(row) for row in distinct]


@pytest.mark.parametrize("always", [0, 2**16])
@given(tables())
def test_direct_and_hashed_counting_agree(always: int, drawn: tuple[list[np.ndarray], list[int]]) -> None:
    columns, sizes = drawn
    expected = group(columns, sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_DIRECT_ALWAYS", always)
        patch.setattr(grouping, "_DIRECT_FACTOR", 0)
        other = group(columns, sizes)
    assert other.class_of.tolist() == expected.class_of.tolist() and other.n_classes == expected.n_classes


@given(tables(), st.sampled_from([4, 100, 2**20]))
def test_packing_in_several_steps_changes_nothing(drawn: tuple[list[np.ndarray], list[int]], space: int) -> None:
    columns, sizes = drawn
    expected = group(columns, sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_KEY_SPACE", space)
        other = group(columns, sizes)
    assert other.class_of.tolist() == expected.class_of.tolist()
    assert other.first.tolist() == expected.first.tolist()


def test_a_key_space_beyond_64_bits() -> None:
    rng = np.random.default_rng(0)
    sizes = [2**31 - 1] * 4
    columns = [rng.integers(0, size, 2000, dtype=np.int32) for size in sizes]
    columns = [np.concatenate([column, column[:500]]) for column in columns]
    result = group(columns, sizes)
    _, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    assert result.class_of.tolist() == inverse.ravel().tolist()


def test_many_narrow_columns() -> None:
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 2, (90, 300)).astype(np.int32)
    columns[:, 150:] = columns[:, :150]
    result = group(columns, [2] * 90)
    _, inverse = np.unique(columns.T, axis=0, return_inverse=True)
    assert result.class_of.tolist() == inverse.ravel().tolist()


def test_no_columns_and_no_rows() -> None:
    assert group([], []).n_classes == 0
    assert group([np.zeros(0, dtype=np.int32)], [5]).n_classes == 0
    assert group([np.zeros(0, dtype=np.int32)] * 3, [2**31 - 1] * 3).class_of.tolist() == []


@BOTH
@given(keys=KEYS, size=st.integers(1, 1000))
def test_append_digit(compiled: bool, keys: list[int], size: int) -> None:
    keys = [key % 2**40 for key in keys]
    column = np.array([key % size for key in keys], dtype=np.int32)
    packed = np.array(keys, dtype=np.uint64)
    run(append_digit, compiled, packed, column, size)
    assert packed.tolist() == [key * size + key % size for key in keys]


@BOTH
@given(keys=st.lists(st.integers(0, 40), min_size=1, max_size=40))
def test_densify_direct(compiled: bool, keys: list[int]) -> None:
    class_of, first = np.empty(len(keys), dtype=np.int32), np.empty(41, dtype=np.int32)
    array = np.array(keys, dtype=np.int64 if not compiled else np.uint64)
    count = run(densify_direct, compiled, array, 41, class_of, first)
    distinct = sorted(set(keys))
    assert count == len(distinct)
    assert class_of.tolist() == [distinct.index(key) for key in keys]
    assert first[:count].tolist() == [keys.index(key) for key in distinct]


@BOTH
@given(keys=KEYS)
def test_densify_hash(compiled: bool, keys: list[int]) -> None:
    class_of, first = np.empty(len(keys), dtype=np.int32), np.empty(len(keys), dtype=np.int32)
    bits = max((2 * len(keys) - 1).bit_length(), 4)
    count = run(densify_hash, compiled, np.array(keys, dtype=np.uint64), bits, class_of, first)
    distinct = list(dict.fromkeys(keys))
    assert count == len(distinct)
    assert class_of.tolist() == [distinct.index(key) for key in keys]
    assert first[:count].tolist() == [keys.index(key) for key in distinct]


def test_keys_that_all_meet_in_one_slot_are_still_told_apart() -> None:
    bits = (2 * 40 - 1).bit_length()
    slots = [((key ^ (key >> 32)) * 0x9E3779B97F4A7C15 % 2**64) >> (64 - bits) for key in range(10_000)]
    meeting = [key for key in range(10_000) if slots[key] == slots[7]][:20]
    assert len(meeting) == 20
    result = densify(np.array(meeting * 2, dtype=np.uint64), 2**63)
    assert result.class_of.tolist() == list(range(20)) * 2
