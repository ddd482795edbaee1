"""Microdata and Schema: coding, selecting, changing, and what is refused."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Case, cases

import ppdp_lab as pl
from ppdp_lab.errors import DroppedColumnsWarning, IdError, MissingValueError, ParameterError, SchemaError

SCHEMA = pl.Schema("age", sensitive="illness", identifiers="name")


def people(**changes) -> pl.Microdata:
    frame = pd.DataFrame({"age": [30, 20, 30], "illness": ["flu", "HIV", "flu"], "name": ["Ann", "Bob", "Cy"]})
    return pl.Microdata(frame.assign(**changes), SCHEMA, ids=["a", "b", "c"])


@given(cases())
def test_the_frame_is_what_went_in(case: Case) -> None:
    ids = pd.Index([f"id {i}" for i in range(len(case.frame))])
    table = case.table(ids=ids)
    expected = case.frame[list(case.schema.columns)].set_axis(ids)
    pd.testing.assert_frame_equal(table.frame, expected)
    assert table.qi_codes.shape == (len(case.quasi), len(case.frame)) and table.qi_codes.dtype == np.int32
    assert table.sensitive_codes.shape == (len(case.sensitive), len(case.frame))
    for column, counts in zip(case.sensitive, table.totals()):
        domain = table.domains[column.name]
        cells = case.frame[column.name].tolist()
        assert counts.tolist() == [cells.count(value) for value in domain.values.tolist()]


@given(cases(), st.data())
def test_a_selection_shares_domains_and_keeps_ids(case: Case, data: st.DataObject) -> None:
    table = case.table()
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    chosen = table.select(mask)
    assert len(chosen) == mask.sum() and chosen.ids.equals(table.ids[mask])
    for name, domain in table.domains.items():
        assert chosen.domains[name] is domain
        assert (chosen.codes(name) == table.codes(name)[mask]).all()
    pd.testing.assert_frame_equal(chosen.frame, table.frame[mask])
    pd.testing.assert_frame_equal(table.select(np.flatnonzero(mask).tolist()).frame, chosen.frame)


@given(cases())
def test_rows_are_grouped_by_quasi_identifiers(case: Case) -> None:
    grouping = case.table().group_rows()
    names = list(case.schema.quasi_identifiers)
    assert grouping.n_classes == len(case.frame[names].drop_duplicates())
    for _, rows in case.frame[names].groupby(grouping.class_of):
        assert len(rows.drop_duplicates()) == 1


@given(cases(), st.data())
def test_the_order_by_chance_does_not_depend_on_the_input_order(case: Case, data: st.DataObject) -> None:
    shuffled = list(data.draw(st.permutations(range(len(case.frame)))))
    kinds = [list, lambda rows: [f"p{i}" for i in rows], lambda rows: [i if i % 2 else f"p{i}" for i in rows]]
    ids = data.draw(st.sampled_from(kinds))
    first, second = case.table(ids=ids(range(len(shuffled)))), case.table(shuffled, ids(shuffled))
    orders = [t.ids[t.shuffled_order(np.random.default_rng(3))].tolist() for t in (first, second)]
    assert orders[0] == orders[1]
    some = [np.flatnonzero(t.ids.isin(first.ids[::2])) for t in (first, second)]
    orders = [
        t.ids[t.shuffled_order(np.random.default_rng(3), rows)].tolist() for t, rows in zip((first, second), some)
    ]
    assert orders[0] == orders[1] and len(orders[0]) == len(first.ids[::2])


def test_the_fingerprint_follows_the_data() -> None:
    table = people()
    assert table.fingerprint() == people().fingerprint() and len(table.fingerprint()) == 16
    others = [
        people(age=[31, 20, 31]),
        people(age=[30, 20, 31]),
        people(age=[30, 20, 20]),
        people(age=["30", "20", "30"]),
        people(illness=["flu", "HIV", "HIV"]),
        table.select([0, 1]),
        table.select([1, 0, 2]),
        table.with_codes(sensitive_codes=np.array([[0, 1, 0]])),
    ]
    prints = [table.fingerprint(), *(other.fingerprint() for other in others)]
    assert len(set(prints)) == len(prints)


def test_with_codes_changes_values_only() -> None:
    table = people()
    older = table.with_codes(qi_codes=np.array([[1, 1, 1]]))
    assert older.frame["age"].tolist() == [30, 30, 30] and older.ids is table.ids
    assert table.frame["age"].tolist() == [30, 20, 30]
    with pytest.raises(ParameterError, match=r"qi_codes has shape \(1, 2\), not \(1, 3\)"):
        table.with_codes(qi_codes=np.array([[1, 1]]))
    for codes in ([[0, 1, 2]], [[-1, 0, 0]]):
        with pytest.raises(ParameterError, match=r"codes of 'age' must lie in 0 \.\. 1"):
            table.with_codes(qi_codes=np.array(codes))
        with pytest.raises(ParameterError, match="codes of 'illness' must lie in"):
            table.with_codes(sensitive_codes=np.array(codes))


def test_words_of_a_table() -> None:
    assert repr(people()) == "<Microdata of 3 records: age | illness (own data)>"
    bare = pl.Microdata(pd.DataFrame({"age": [1]}), pl.Schema("age"), provenance="real")
    assert repr(bare) == "<Microdata of 1 record: age | nothing sensitive (real)>"
    with pytest.raises(SchemaError, match="no quasi-identifier or sensitive column 'name'; there are 'age', 'illness'"):
        people().codes("name")


def test_selections_that_do_not_fit() -> None:
    table = people()
    for rows, error, words in [
        ([True, False], ParameterError, "a mask of 2 entries does not fit 3 records"),
        ([0, 3, -1], ParameterError, r"no record at position\(s\) 3, -1; there are 3, counted from 0"),
        ([0.0, 1.0], ParameterError, "needs a boolean mask or a list of positions"),
        (["a"], ParameterError, "needs a boolean mask or a list of positions"),
        ([[0, 1]], ParameterError, "needs a boolean mask or a list of positions"),
        (0, ParameterError, "needs a boolean mask or a list of positions"),
        (True, ParameterError, "needs a boolean mask or a list of positions: rows must be a plain list, .*, not True"),
        ([[0], [0, 1]], ParameterError, "needs a boolean mask or a list of positions"),
        ([0, 1, 0], IdError, r"position\(s\) 0 are selected more than once; ids must be unique"),
    ]:
        with pytest.raises(error, match=words):
            table.select(rows)
    assert len(table.select([])) == 0 and len(table.select(np.zeros(3, dtype=bool)).frame) == 0


def test_projections_that_do_not_fit() -> None:
    table = people()
    assert table.project("age").schema == table.schema
    for names, words in [
        (None, "needs at least one quasi-identifier"),
        (5, "quasi_identifiers must be a column name or a list of column names, not 5"),
        ("illness", "'illness' are no quasi-identifiers of this table; it has 'age'"),
    ]:
        with pytest.raises(SchemaError, match=words):
            table.project(names)


def test_ids() -> None:
    frame = pd.DataFrame({"age": [1, 2, 3]})
    schema = pl.Schema("age")
    assert pl.Microdata(frame, schema).ids.tolist() == [0, 1, 2]
    assert pl.Microdata(frame.set_axis(list("xyz")), schema).ids.tolist() == list("xyz")
    assert pl.Microdata(frame, schema, ids=[(1, 2), (1, 3), (2, 2)]).ids.tolist() == [(1, 2), (1, 3), (2, 2)]
    for ids, words in [
        (["a", "b", "a"], "ids must be unique, but 'a' stand.* more than once; give every person one row and one id"),
        ([1, 2], "2 ids for 3 rows; give one id per row"),
        ([1, None, 3], "some ids are missing; give every row an id"),
        (7, "ids must be a list of one id per row, not 7"),
        (["a", "b", "a\0"], r"ids has text with a NUL character \(position 2, counted from 0\); remove the character"),
        (["a", "b\0c", "d"], r"NUL character \(position 1,"),
        (pd.CategoricalIndex(["a", "a\0", "b"]), r"NUL character \(position 1,"),
        (["a", "b", "\ud800"], r"a lone surrogate \(position 2, .*; read the text again"),
        (pd.Index(["a", "b", "\udcff"], dtype=object), r"a lone surrogate \(position 2,"),
        ([b"a", b"b", b"c"], r"binary data \(position 0, counted from 0\); decode it to text"),
        ([1, 2, 3j], r"a complex number \(position 0,"),
        ([Decimal(1), Decimal(2), Decimal("sNaN")], r"a signaling NaN \(position 2,"),
    ]:
        with pytest.raises(IdError, match=words):
            pl.Microdata(frame, schema, ids=ids)
    with pytest.raises(IdError, match="ids must be unique, but 5"):
        pl.Microdata(frame.set_axis([5, 5, 6]), schema)


def test_columns_without_a_role_are_dropped_and_said_so() -> None:
    frame = pd.DataFrame({"age": [1], "hair": ["red"], 7: [0]})
    with pytest.warns(DroppedColumnsWarning, match=r"dropped column\(s\) 'hair', 7: the schema does not name them"):
        table = pl.Microdata(frame, pl.Schema("age"))
    assert list(table.frame.columns) == ["age"]


def test_schema() -> None:
    schema = pl.Schema(["a", "b"], "c", ["d"])
    assert schema.columns == ("a", "b", "c", "d") and pl.Schema("a") == pl.Schema(["a"], None)
    for make, words in [
        (lambda: pl.Schema([]), "needs at least one quasi-identifier"),
        (lambda: pl.Schema("a", "a"), "column 'a' stands both in quasi_identifiers and in sensitive; give it one role"),
        (lambda: pl.Schema(["a", "a"]), "column 'a' stands twice in quasi_identifiers; give it one role"),
        (lambda: pl.Schema("a", 5), "sensitive must be a column name or a list of column names, not 5"),
        (lambda: pl.Schema([0, 1]), "column names must be text, not 0; rename the frame's columns first"),
    ]:
        with pytest.raises(SchemaError, match=words):
            make()
    for name in ("group", "count", "pseudonym"):
        for roles in ({"quasi_identifiers": name}, {"quasi_identifiers": "a", "sensitive": name}):
            with pytest.raises(SchemaError, match=f"column '{name}': published tables add a column of that name"):
                pl.Schema(**roles)
        assert pl.Schema("a", identifiers=name).identifiers == (name,)


def test_hierarchies_that_do_not_fit() -> None:
    frame, tree = pd.DataFrame({"age": [1], "name": ["x"]}), pl.Hierarchy([["1", "*"]])
    schema = pl.Schema("age", identifiers="name")
    with pytest.raises(SchemaError, match="hierarchies given for 'name', which are neither quasi-identifiers nor"):
        pl.Microdata(frame, schema, {"name": tree})
    with pytest.raises(ParameterError, match=r"the hierarchy of 'age' must be a ppdp_lab\.Hierarchy, not dict"):
        pl.Microdata(frame, schema, {"age": {}})
    with pytest.raises(ParameterError, match=r"hierarchies must be a dictionary \{column: .*\}, not str"):
        pl.Microdata(frame, schema, "x")
    with pytest.raises(ParameterError, match="frame must be a pandas DataFrame, not list"):
        pl.Microdata([1], schema)
    with pytest.raises(ParameterError, match=r"schema must be a ppdp_lab\.Schema, not str"):
        pl.Microdata(frame, "age")


def test_the_fingerprint_sees_roles_and_hierarchies():
    frame = pd.DataFrame({"zip": ["4370", "4371", "4352"], "ill": ["a", "b", "a"]})
    one = pl.Microdata(frame, pl.Schema("zip", sensitive="ill"), {"zip": pl.Hierarchy.mask_suffix(frame["zip"], 2)})
    other_tree = pl.Microdata(
        frame, pl.Schema("zip", sensitive="ill"), {"zip": pl.Hierarchy.mask_suffix(frame["zip"], 3)}
    )
    other_roles = pl.Microdata(frame, pl.Schema(["zip", "ill"]), {"zip": pl.Hierarchy.mask_suffix(frame["zip"], 2)})
    assert len({one.fingerprint(), other_tree.fingerprint(), other_roles.fingerprint()}) == 3


def test_rows_with_missing_cells_are_left_out_on_demand() -> None:
    frame = pd.DataFrame({"age": [30, None, 20], "ill": ["flu", "HIV", None], "name": [None, "b", "c"]})
    schema = pl.Schema("age", sensitive="ill", identifiers="name")
    table = pl.Microdata(frame, schema, ids=["x", "y", "z"], missing="drop")
    assert table.ids.tolist() == ["x"] and table.frame["age"].tolist() == [30]
    with pytest.raises(MissingValueError, match="every row has a missing value, so none is left"):
        pl.Microdata(frame[1:], schema, missing="drop")
    with pytest.raises(
        ParameterError, match="missing must be one of 'refuse', 'value', 'category', 'drop', not 'keep'"
    ):
        pl.Microdata(frame, schema, missing="keep")


def test_what_missing_cells_count_for_is_part_of_the_fingerprint() -> None:
    frame = pd.DataFrame({"age": [30, 40, 20], "ill": ["flu", "HIV", None]})
    schema = pl.Schema("age", sensitive="ill")
    value, category = (pl.Microdata(frame, schema, missing=missing) for missing in ("value", "category"))
    assert value.fingerprint() != category.fingerprint()
    assert value.select([0, 1]).missing == value.project(["age"]).missing == "value"
    assert value.without_value("ill").tolist() == [False, False, True] and not category.without_value("ill").any()
    assert (
        "20 to 40 or (missing)" in pl.Microdata(frame.assign(age=[None, 40, 20]), schema, missing="value")._repr_html_()
    )
