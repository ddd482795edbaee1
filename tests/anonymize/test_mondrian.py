"""Mondrian: every release keeps its rule by plain pandas code, and the partition is that of a plain recursion."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plain import satisfies, smallest_box
from plain_mondrian import partition
from strategies import Case, cases, gapped, rules

import ppdp_lab as pl
from ppdp_lab.anonymize.mondrian import CHOICES, CUTS
from ppdp_lab.errors import InfeasibleError, ParameterError
from ppdp_lab.release import Release
from ppdp_lab.table import Intervals, Nodes, Sets

WAYS = st.fixed_dictionaries(
    {"strict": st.booleans(), "cut": st.sampled_from(sorted(CUTS)), "choose": st.sampled_from(CHOICES)}
)


def anonymize(case: Case, rule: pl.principles.Principle, table: pl.Microdata | None = None, **way: object) -> Release:
    """The release; a table that fails as one single class must be refused, and only such a table may be."""
    mondrian = pl.Mondrian(rule, **way)  # type: ignore[arg-type]
    table = case.table() if table is None else table
    if satisfies(rule, case.frame, case):
        return mondrian.anonymize(table)
    with pytest.raises(InfeasibleError):
        mondrian.anonymize(table)
    return Release(table, np.zeros(len(table), dtype=int))


@settings(max_examples=100)
@given(st.data(), cases(), WAYS)
def test_every_class_keeps_the_rule(data: st.DataObject, case: Case, way: dict) -> None:
    rule = data.draw(rules(case))
    release = anonymize(case, rule, **way)
    assert (release.class_of >= 0).all() and len(release.class_of) == len(case.frame)
    if satisfies(rule, case.frame, case):
        for _, members in case.frame.groupby(release.class_of):
            assert satisfies(rule, members, case)
        assert rule.check(release).holds


@given(st.data(), cases(), WAYS)
def test_boxes_cover_their_members_and_no_smaller_ones_do(data: st.DataObject, case: Case, way: dict) -> None:
    release = anonymize(case, data.draw(rules(case)), **way)
    assert release.boxes.covers(release.class_of, release.table.qi_codes).all()
    for column, box in zip(case.quasi, release.boxes):
        for cls, cells in case.frame[column.name].groupby(release.class_of):
            if isinstance(box, Intervals):
                covered = box.domain.values[box.low[cls] : box.high[cls] + 1].tolist()
            elif isinstance(box, Nodes):
                covered = sorted(box.domain.values[box.low[cls] : box.high[cls] + 1])
            else:
                assert isinstance(box, Sets)
                covered = box.domain.values[box.members()[cls]].tolist()
            expected = smallest_box(column, cells)
            if column.series.dtype.kind == "M":
                covered = list(map(pd.Timestamp, covered))
            assert covered == expected
            assert box.leaf_counts()[cls] == len(expected)


@given(st.data(), cases(), WAYS)
def test_what_leaves_tells_nothing_but_what_is_published(data: st.DataObject, case: Case, way: dict) -> None:
    rule = data.draw(rules(case))
    frame = anonymize(case, rule, **way, seed=3).to_frame()
    assert list(frame.columns) == [*case.schema.quasi_identifiers, *case.schema.sensitive]
    assert isinstance(frame.index, pd.RangeIndex) and frame.index.equals(pd.RangeIndex(len(case.frame)))
    for column in case.sensitive:
        left = sorted(map(str, frame[column.name]))
        assert left == sorted(map(str, case.frame[column.name]))

    shuffled = data.draw(st.permutations(range(len(case.frame))))
    ids = data.draw(st.sampled_from([None, [f"id {i:04}" for i in shuffled], [1000 + i for i in shuffled]]))
    again = anonymize(case, rule, case.table(shuffled, ids), **way, seed=3).to_frame()
    pd.testing.assert_frame_equal(frame, again)


@given(st.data(), cases(), WAYS)
def test_the_order_of_rows_is_that_of_what_is_published(data: st.DataObject, case: Case, way: dict) -> None:
    published = anonymize(case, data.draw(rules(case)), **way).published()
    keys = list(zip(published.row_group, *published.row_sensitive))
    assert keys == sorted(keys)
    assert published.boxes is not None
    boxes = [tuple(int(key[group]) for key in published.boxes.sort_keys()) for group in range(published.n_groups)]
    assert boxes == sorted(set(boxes))


@given(st.data(), cases(), WAYS, st.integers(1, 3))
def test_a_selection_is_anonymized_like_a_table_of_its_own(data: st.DataObject, case: Case, way: dict, k: int) -> None:
    rows = sorted(data.draw(st.sets(st.integers(0, len(case.frame) - 1), min_size=1)))
    assume(len(rows) >= k)
    mondrian = pl.Mondrian(pl.KAnonymity(k), **way, seed=5)
    chosen, own = mondrian.anonymize(case.table().select(rows)), mondrian.anonymize(case.table(rows))
    pd.testing.assert_frame_equal(chosen.to_frame(), own.to_frame())
    assert chosen.records.equals(own.records)


@pytest.mark.parametrize("strict, cut, choose", list(itertools.product([True, False], sorted(CUTS), CHOICES)))
@given(data=st.data(), case=cases(max_rows=20))
def test_the_partition_is_that_of_a_plain_recursion(
    data: st.DataObject, case: Case, strict: bool, cut: str, choose: str
) -> None:
    rule = data.draw(rules(case, most=2))
    if not satisfies(rule, case.frame, case):
        return
    release = pl.Mondrian(rule, strict=strict, cut=cut, choose=choose, seed=7).anonymize(case.table())
    mine = [np.flatnonzero(release.class_of == c).tolist() for c in range(release.n_classes)]
    order = np.random.default_rng(7).permutation(len(case.frame)).tolist()
    twin = partition(case, rule, strict=strict, cut=cut, choose=choose, order=order)
    assert sorted(mine) == sorted(sorted(rows) for rows in twin)


def ages(*values: int, **more: list) -> pl.Microdata:
    frame = pd.DataFrame({"age": values, **more})
    return pl.Microdata(frame, pl.Schema("age", sensitive=list(more)))


def shown(release: Release) -> list[str]:
    return release.to_frame()["age"].unique().tolist()


def test_a_median_that_is_the_largest_value_is_cut_off_from_below_only() -> None:
    table = ages(1, 1, 2, 2, 2, 2)
    assert shown(pl.Mondrian(pl.KAnonymity(2), cut="median").anonymize(table)) == ["[1, 2]"]
    assert shown(pl.Mondrian(pl.KAnonymity(2), cut="median-or-below").anonymize(table)) == ["1", "2"]


def test_relaxed_cuts_divide_records_that_share_the_median() -> None:
    table = ages(1, 2, 2, 2)
    assert shown(pl.Mondrian(pl.KAnonymity(2)).anonymize(table)) == ["[1, 2]"]
    assert shown(pl.Mondrian(pl.KAnonymity(2), strict=False).anonymize(table)) == ["[1, 2]", "2"]


def test_the_choice_of_attribute_matters() -> None:
    frame = pd.DataFrame({"wide": [0, 0, 0, 100], "many": [1, 2, 3, 4]})
    table = pl.Microdata(frame, pl.Schema(["wide", "many"]))
    first = {}
    for choose in CHOICES:
        release = pl.Mondrian(pl.KAnonymity(1), choose=choose).anonymize(table)
        assert release.n_classes == 4
        first[choose] = pl.Mondrian(pl.KAnonymity(2), choose=choose).anonymize(table).to_frame().iloc[0].tolist()
    assert first["distinct"] == first["balanced"] == ["0", "[1, 2]"]


def test_numbers_that_floats_cannot_tell_apart_are_cut_all_the_same() -> None:
    big = [2**60, 2**60 + 1, 2**60 + 2]
    assert shown(pl.Mondrian(pl.KAnonymity(1)).anonymize(ages(*big))) == [str(v) for v in big]


def test_more_values_than_bits_in_a_word() -> None:
    frame = pd.DataFrame({"place": [f"place {i:03}" for i in range(200)]})
    table = pl.Microdata(frame, pl.Schema("place"))
    release = pl.Mondrian(pl.KAnonymity(70)).anonymize(table)
    assert release.n_classes == 2 and release.boxes[0].leaf_counts().tolist() == [100, 100]
    assert shown_sets(release) == [set(frame["place"][:100]), set(frame["place"][100:])]


def shown_sets(release: Release) -> list[set[str]]:
    texts = release.to_frame()["place"].unique()
    return sorted((set(text[1:-1].split(", ")) for text in texts), key=min)


def test_a_table_without_a_sensitive_column_is_anonymized_too() -> None:
    release = pl.Mondrian(pl.KAnonymity(2)).anonymize(ages(1, 2, 3, 4))
    assert list(release.to_frame().columns) == ["age"] and shown(release) == ["[1, 2]", "[3, 4]"]


def test_a_rule_that_is_closed_in_neither_way_is_refused() -> None:
    class ExactlyTwo(pl.KAnonymity):
        superset_closed = False
        union_closed = False

    with pytest.raises(ParameterError, match=r"neither superset-closed nor union-closed.*use a closed rule"):
        pl.Mondrian(ExactlyTwo(2))
    with pytest.raises(ParameterError, match="neither superset-closed nor union-closed"):
        pl.Mondrian(pl.DistinctLDiversity(2) & ExactlyTwo(2))


def test_an_empty_selection_is_refused_in_words() -> None:
    table = ages(1, 2, illness=["flu", "HIV"])
    for rule in (pl.KAnonymity(1), pl.DistinctLDiversity(1), pl.TCloseness(1)):
        with pytest.raises(InfeasibleError, match="no records"):
            pl.Mondrian(rule).anonymize(table.select([]))


def test_wrong_parameters() -> None:
    with pytest.raises(ParameterError, match="must be a principle such as KAnonymity"):
        pl.Mondrian(5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="strict must be True or False, not 'yes'"):
        pl.Mondrian(pl.KAnonymity(2), strict="yes")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="cut must be one of 'median', 'median-or-below', not 'middle'"):
        pl.Mondrian(pl.KAnonymity(2), cut="middle")
    with pytest.raises(ParameterError, match="choose must be one of 'widest', 'distinct', 'balanced', not 'best'"):
        pl.Mondrian(pl.KAnonymity(2), choose="best")
    with pytest.raises(ParameterError, match=r"needs a ppdp_lab\.Microdata, not DataFrame; wrap the frame first"):
        pl.Mondrian(pl.KAnonymity(2)).anonymize(pd.DataFrame({"age": [1]}))  # type: ignore[arg-type]


# ---------------------------------------------------------------------- missing values
@given(gapped(max_sensitive=1, max_rows=24), st.integers(1, 4), st.integers(1, 3), WAYS)
def test_missing_values_are_published_and_protect_nobody(drawn: tuple, k: int, l: int, way: dict) -> None:  # noqa: E741
    _, table = drawn
    (ill,) = table.schema.sensitive
    try:
        release = pl.Mondrian(pl.KAnonymity(k) & pl.DistinctLDiversity(l), **way).anonymize(table)
    except InfeasibleError:
        whole = table.frame[ill].nunique(dropna=table.missing == "value")
        assert len(table) < k or whole < l
        return
    shown = release.to_frame()
    values = shown[ill].astype(object)
    known = values.where(values != "(missing)") if table.missing == "value" else values
    classes = known.groupby([shown[name] for name in table.schema.quasi_identifiers])
    assert classes.size().min() >= k and classes.nunique().min() >= l
    assert values.isin(["(missing)"]).sum() == table.frame[ill].isna().sum()


@pytest.mark.parametrize("name", ["Mondrian", "Samarati", "Incognito", "Flash", "Speedy", "KMember"])
def test_every_algorithm_takes_columns_with_gaps(name: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 60, 80).astype(float), "zip": rng.choice(["4370", "4378", "1352"], 80)}
    )
    frame["ill"] = np.resize(["flu", "cold", "HIV"], 80)
    trees = {"age": pl.Hierarchy.intervals(frame["age"], [10, 20]), "zip": pl.Hierarchy.mask_suffix(frame["zip"])}
    frame.loc[[3, 50, 51], "age"], frame.loc[7, "zip"], frame.loc[9, "ill"] = None, None, None
    table = pl.Microdata(frame, pl.Schema(["age", "zip"], "ill"), trees, missing="value")
    made = pl.anonymize.ANONYMIZERS[name]
    release = (made(4) if name == "KMember" else made(pl.KAnonymity(4) & pl.DistinctLDiversity(2))).anonymize(table)
    assert release.boxes.covers(release.class_of[release.class_of >= 0], table.qi_codes[:, release.class_of >= 0]).all()
    assert set(release.to_frame()["zip"]) <= {*trees["zip"].labels, "(missing)"}
