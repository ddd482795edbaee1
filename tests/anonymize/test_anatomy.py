"""Anatomy: groups of l different values, two tables, and nothing that joins them but the group."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import Case, cases

import ppdp_lab as pl
from ppdp_lab.anonymize._anatomy import draw_groups
from ppdp_lab.errors import InfeasibleError, ParameterError, PublicationError, SchemaError
from ppdp_lab.release.forms import Published


@st.composite
def eligible(draw: st.DrawFn) -> tuple[Case, int]:
    """A table with one sensitive column, of whose most frequent value just enough records are left out for some l."""
    case, l = draw(cases(max_sensitive=1)), draw(st.integers(2, 4))  # noqa: E741
    cells = case.frame[case.schema.sensitive[0]].tolist()
    left, counts = list(range(len(cells))), Counter(cells)
    while (top := counts.most_common(1)[0])[1] * l > len(left):
        left.remove(next(row for row in left if cells[row] == top[0]))
        counts[top[0]] -= 1
    assume(left)
    case.frame = case.frame.iloc[left]
    return case, l


@given(eligible(), st.integers(0, 3))
def test_groups_hold_l_values_each_once(drawn: tuple[Case, int], seed: int) -> None:
    case, l = drawn  # noqa: E741
    release = pl.Anatomy(l, seed=seed).anonymize(case.table())
    assert (release.class_of >= 0).all()
    sizes = np.bincount(release.class_of)
    assert len(sizes) == len(case.frame) // l and sizes.min() >= l and sizes.sum() == len(case.frame)
    for _, cells in case.frame[case.schema.sensitive[0]].groupby(release.class_of):
        assert cells.nunique() == len(cells)


@given(cases(max_sensitive=1), st.integers(2, 4))
def test_refused_exactly_if_a_value_has_more_than_its_share(case: Case, l: int) -> None:  # noqa: E741
    cells = case.frame[case.schema.sensitive[0]]
    if cells.value_counts().max() * l > len(cells):
        with pytest.raises(InfeasibleError):
            pl.Anatomy(l).anonymize(case.table())
    else:
        assert len(pl.Anatomy(l).anonymize(case.table()).class_of) == len(cells)


@given(eligible(), st.integers(0, 3))
def test_two_tables_join_to_the_right_multiset(drawn: tuple[Case, int], seed: int) -> None:
    case, l = drawn  # noqa: E741
    release = pl.Anatomy(l, seed=seed).anonymize(case.table())
    with pytest.raises(PublicationError, match=r"2 table.s.; use to_frames\(\)"):
        release.to_frame()
    quasi, sensitive = release.to_frames()
    name, names = case.schema.sensitive[0], list(case.schema.quasi_identifiers)
    assert list(quasi.columns) == [*names, "group"] and list(sensitive.columns) == ["group", name, "count"]
    for frame in (quasi, sensitive):
        assert isinstance(frame.index, pd.RangeIndex)
        assert frame["group"].is_monotonic_increasing
    assert (sensitive["count"] == 1).all()

    def tuples(frame: pd.DataFrame) -> Counter:
        return Counter(zip(*(frame[column].astype("str") for column in frame)))

    truth = case.frame.assign(group=release.group_of_class[release.class_of])
    joined = quasi.merge(sensitive, on="group")
    expected = truth[[*names, "group"]].merge(truth[["group", name]], on="group")
    assert tuples(joined[[*names, name]]) == tuples(expected[[*names, name]])
    assert tuples(quasi[names]) == tuples(case.frame[names])
    again = Published.from_frames(quasi, sensitive, release.table)
    for mine, theirs in zip(again.to_frames(), (quasi, sensitive)):
        pd.testing.assert_frame_equal(mine, theirs)


@given(eligible(), st.integers(0, 3), st.data())
def test_the_order_of_rows_plays_no_part(drawn: tuple[Case, int], seed: int, data: st.DataObject) -> None:
    case, l = drawn  # noqa: E741
    release = pl.Anatomy(l, seed=seed).anonymize(case.table())
    shuffled = list(data.draw(st.permutations(range(len(case.frame)))))
    again = pl.Anatomy(l, seed=seed).anonymize(case.table(shuffled))
    for mine, theirs in zip(release.to_frames(), again.to_frames()):
        pd.testing.assert_frame_equal(mine, theirs)


def test_seeds_give_different_groups() -> None:
    frame = pd.DataFrame({"age": range(40), "illness": ["a", "b", "c", "d"] * 10})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    assert len({pl.Anatomy(4, seed=seed).anonymize(table).to_frames()[0].to_csv() for seed in range(5)}) == 5


@pytest.mark.parametrize("kernel", [draw_groups, draw_groups.py_func], ids=["compiled", "interpreted"])
@given(counts=st.lists(st.integers(0, 6), min_size=1, max_size=7), l=st.integers(1, 4))
def test_draw_groups(kernel, counts: list[int], l: int) -> None:  # noqa: E741
    left = np.array(counts, dtype=np.int64)
    rows = np.full((sum(counts) // l + 1, l), -1, dtype=np.int32)
    n_groups = kernel(left, l, rows)
    stacks = dict(enumerate(counts))
    expected = []
    while sum(count > 0 for count in stacks.values()) >= l:
        largest = sorted(stacks, key=lambda v: (-stacks[v], v))[:l]
        expected.append(largest)
        for v in largest:
            stacks[v] -= 1
    assert rows[:n_groups].tolist() == expected and (rows[n_groups:] == -1).all()
    assert left.tolist() == list(stacks.values())


def test_one_value_too_frequent() -> None:
    frame = pd.DataFrame({"age": range(8), "illness": ["flu"] * 5 + ["HIV", "cold", "gout"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    with pytest.raises(InfeasibleError, match=r"'flu' has 5 of 8 \(62.5%\); lower l or leave out"):
        pl.Anatomy(2).anonymize(table)


def test_needs_one_sensitive_column() -> None:
    frame = pd.DataFrame({"age": range(4), "a": list("wxyz"), "b": list("wxyz")})
    for sensitive in ([], ["a", "b"]):
        table = pl.Microdata(frame[["age", *sensitive]], pl.Schema("age", sensitive=sensitive))
        with pytest.raises(SchemaError, match="sensitive column"):
            pl.Anatomy(2).anonymize(table)


def test_wrong_parameters() -> None:
    with pytest.raises(ParameterError, match="l must be at least 2, not 1"):
        pl.Anatomy(1)
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        pl.Anatomy(2, seed="a")  # type: ignore[arg-type]


def test_many_values_do_not_need_much_room() -> None:
    n = 3000
    frame = pd.DataFrame({"age": range(n), "illness": range(n)})
    release = pl.Anatomy(7).anonymize(pl.Microdata(frame, pl.Schema("age", sensitive="illness")))
    assert release.n_classes == n // 7 and np.bincount(release.class_of).sum() == n


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), st.integers(2, 4))
def test_groups_take_the_values_with_most_left_and_of_several_the_smallest(counts: list[int], l: int) -> None:  # noqa: E741
    left, expected = list(counts), []
    while sum(count > 0 for count in left) >= l:
        expected.append(sorted((v for v in range(len(left)) if left[v]), key=lambda v: (-left[v], v))[:l])
        for v in expected[-1]:
            left[v] -= 1
    used, groups = np.array(counts), np.empty((sum(counts) // l, l), dtype=np.int32)
    assert draw_groups(used, l, groups) == len(expected)
    assert groups[: len(expected)].tolist() == expected and used.tolist() == left


def test_records_without_a_known_value_have_no_group() -> None:
    frame = pd.DataFrame({"age": range(5), "ill": ["flu", "HIV", None, "cold", "flu"]})
    schema = pl.Schema("age", sensitive="ill")
    with pytest.raises(
        InfeasibleError, match=r"1 record\(s\) have no known value of 'ill', and Anatomy\(2\) .*missing='drop'"
    ) as e:
        pl.Anatomy(2).anonymize(pl.Microdata(frame, schema, missing="value"))
    assert list(e.value.ids) == [2]
    assert len(pl.Anatomy(2).anonymize(pl.Microdata(frame, schema, missing="drop"))) == 4
    _, shown = pl.Anatomy(2).anonymize(pl.Microdata(frame, schema, missing="category")).to_frames()
    assert "(missing)" in shown["ill"].tolist()
