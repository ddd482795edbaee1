"""Domains: every dtype in and out, kinds, orders, labels, and what is refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab import Hierarchy
from ppdp_lab.errors import HierarchyError, MissingValueError, SchemaError
from ppdp_lab.table import Domain

STAMPS = pd.DatetimeIndex([pd.Timestamp("2021-03-01"), pd.Timestamp("2020-12-31 10:30"), pd.Timestamp("2021-03-01")])
DTYPES = {
    "int": (pd.Series([30, -2, 30]), "ordered", ["-2", "30"]),
    "int8": (pd.Series([3, 1, 2], dtype="int8"), "ordered", ["1", "2", "3"]),
    "uint64": (pd.Series([2**63 + 5, 0], dtype="uint64"), "ordered", ["0", str(2**63 + 5)]),
    "float": (pd.Series([2.0, 0.5, 1e-7]), "ordered", ["1e-07", "0.5", "2"]),
    "bool": (pd.Series([True, False, True]), "set", ["False", "True"]),
    "text": (pd.Series(["b", "a", "b"]), "set", ["a", "b"]),
    "objects": (pd.Series(["b", "a", "b"], dtype=object), "set", ["a", "b"]),
    "decimals": (pd.Series([Decimal("1.50"), Decimal("0.5")]), "set", ["0.5", "1.50"]),
    "nullable int": (pd.Series([3, 1], dtype="Int64"), "ordered", ["1", "3"]),
    "nullable bool": (pd.Series([True, False], dtype="boolean"), "set", ["False", "True"]),
    "nullable text": (pd.Series(["y", "x"], dtype="string"), "set", ["x", "y"]),
    "ordered categories": (
        pd.Series(["high", "low"], dtype=pd.CategoricalDtype(["low", "mid", "high"], ordered=True)),
        "ordered",
        ["low", "mid", "high"],
    ),
    "plain categories": (pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["b", "a"])), "set", ["b", "a"]),
    "dates": (pd.Series(STAMPS), "ordered", ["2020-12-31T10:30:00", "2021-03-01"]),
    "dates in ns": (pd.Series(STAMPS.as_unit("ns")), "ordered", ["2020-12-31T10:30:00", "2021-03-01"]),
    "dates in a zone": (
        pd.Series(STAMPS.tz_localize("Europe/Rome")),
        "ordered",
        ["2020-12-31T10:30:00+01:00", "2021-03-01T00:00:00+01:00"],
    ),
    "ordered dates": (pd.Series(pd.Categorical(STAMPS.as_unit("ns"), ordered=True)), "ordered", None),
    "durations": (pd.Series(pd.to_timedelta([20, 3], unit="D")), "ordered", ["3 days 00:00:00", "20 days 00:00:00"]),
    "days": (pd.Series([dt.date(2021, 1, 2), dt.date(2020, 1, 2)]), "set", ["2020-01-02", "2021-01-02"]),
}


@pytest.mark.parametrize("name", sorted(DTYPES))
def test_round_trip(name: str) -> None:
    series, kind, labels = DTYPES[name]
    domain, codes = Domain.of(series.rename("x"))
    assert domain.kind == kind and codes.dtype == np.int32
    decoded = pd.Series(domain.decode(codes), name="x")
    pd.testing.assert_series_equal(decoded, series.rename("x").infer_objects())
    if labels is not None:
        assert domain.labels.tolist() == labels
    assert [domain.code_of(value) for value in series] == codes.tolist()
    assert [domain.code_of(domain.labels[code]) for code in codes] == codes.tolist()
    if kind == "ordered" and domain.positions is not None:
        assert (np.diff(domain.positions) > 0).all() and domain.span > 0


def test_categories_of_numbers_are_numbers() -> None:
    domain, codes = Domain.of(pd.Series([30, 5, 30], dtype="category"))
    assert domain.kind == "ordered" and domain.coordinates.tolist() == [5, 30]
    assert list(domain.decode(codes)) == [30, 5, 30]
    falling = pd.CategoricalDtype([30, 20, 5], ordered=True)
    domain, _ = Domain.of(pd.Series([30, 5], dtype=falling))
    assert domain.kind == "ordered" and domain.coordinates.tolist() == [0, 1, 2]  # an order of its own, not of numbers


def test_file_spellings_are_understood() -> None:
    numbers, _ = Domain.of(pd.Series([39.0, 0.5]))
    assert numbers.code_of("39.0") == numbers.code_of("39") == numbers.code_of(39) == 1
    dates, _ = Domain.of(pd.Series(STAMPS))
    assert dates.code_of("2020-12-31 10:30:00") == 0 and dates.code_of(pd.Timestamp("2021-03-01")) == 1
    text, _ = Domain.of(pd.Series(["039", "39.0"]))
    assert text.code_of("039") == 0
    for domain, stranger in ((numbers, "39.5"), (numbers, "many"), (dates, "yesteryear"), (text, "39"), (text, 39)):
        with pytest.raises(KeyError):
            domain.code_of(stranger)


@given(st.lists(st.integers(-5, 5) | st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_numbers_are_coded_in_order(numbers: list[float]) -> None:
    domain, codes = Domain.of(pd.Series(numbers, dtype=float))
    distinct = sorted(set(numbers))
    assert codes.tolist() == [distinct.index(number) for number in numbers]
    assert domain.coordinates.tolist() == distinct


LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@given(st.lists(st.text(LETTERS, max_size=3), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_codes_of_text_do_not_depend_on_the_order_of_rows(words: list[str], random) -> None:
    domain, codes = Domain.of(pd.Series(words, dtype=object))
    assert domain.values.tolist() == sorted(set(words))
    shuffled = words.copy()
    random.shuffle(shuffled)
    other, other_codes = Domain.of(pd.Series(shuffled, dtype=object))
    assert other.values.tolist() == domain.values.tolist()
    assert dict(zip(words, codes.tolist())) == dict(zip(shuffled, other_codes.tolist()))


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([2, 1, 2]),
        pd.Series([2.0, 1.0]),
        pd.Series(["2", "1"]),
        pd.Series([2, 1], dtype="Int64"),
        pd.Series([True, False]),
        pd.Series(STAMPS[:2]),
    ],
    ids=lambda series: str(series.dtype),
)
@pytest.mark.parametrize("as_text", [True, False])
def test_hierarchies_give_the_column_its_own_values_back(series: pd.Series, as_text: bool) -> None:
    values = series.unique().tolist()
    tree = Hierarchy([[str(v) if as_text else v, "*"] for v in [*values, "a leaf that does not occur"]])
    domain, codes = Domain.of(series.rename("x"), tree)
    assert domain.kind == "hierarchy" and len(domain) == len(values) + 1
    pd.testing.assert_series_equal(pd.Series(domain.decode(codes), name="x"), series.rename("x"))


def test_categories_with_a_hierarchy_decode_to_values() -> None:
    tree = Hierarchy.from_dict({"x": ["a", "b"], "y": ["c"]})
    domain, codes = Domain.of(pd.Series(["c", "a"], dtype="category"), tree)
    assert codes.tolist() == [2, 0] and list(domain.decode(codes)) == ["c", "a"]


@pytest.mark.parametrize("cells", [[1.0, None, None], ["a", None, None], [pd.Timestamp("2020"), pd.NaT, pd.NaT]])
def test_missing_values_are_refused_with_their_rows(cells: list) -> None:
    for series in (pd.Series(cells, name="x"), pd.Series(cells, name="x", dtype="category")):
        with pytest.raises(MissingValueError, match=r"column 'x' has 2 missing value\(s\), first in row\(s\) 1, 2"):
            Domain.of(series)


def test_infinite_values_are_refused() -> None:
    for dtype in ("float64", "Float64"):
        with pytest.raises(MissingValueError, match=r"column 'x' has 1 infinite value\(s\), first in row\(s\) 1"):
            Domain.of(pd.Series([1.0, np.inf], name="x").astype(dtype))


def test_values_that_read_alike_are_refused() -> None:
    with pytest.raises(SchemaError, match="column 'x' holds different values that read alike: '1'; give it one type"):
        Domain.of(pd.Series([1, "1", 2], name="x", dtype=object))


def test_values_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"column 'x' holds values that cannot be compared .*; make it text"):
        Domain.of(pd.Series([["a"], ["b"]], name="x"))


def test_values_absent_from_the_hierarchy_are_refused() -> None:
    tree = Hierarchy([["a", "*"]])
    with pytest.raises(HierarchyError, match=r"2 value\(s\) of column 'x' are absent from its hierarchy: 'b', 'c'"):
        Domain.of(pd.Series(["a", "b", "c"], name="x"), tree)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["a", "a\0"], r"text with a NUL character \('a\\x00'\); remove the character"),
        (["a", "a\0b"], "text with a NUL character"),
        (["a", "\udc80"], "text with a lone surrogate .*; read the text again with its true encoding"),
        ([b"a", b"b"], r"binary data \(b'a'\); decode it to text"),
        ([1 + 0j, 2 + 0j], "a complex number .*; use real numbers or text"),
        ([1, 2j], "a complex number"),
        ([Decimal(1), Decimal("sNaN")], "a signaling NaN"),
    ],
    ids=["NUL at the end", "NUL inside", "surrogate", "bytes", "complex", "complex among others", "signaling NaN"],
)
def test_values_that_no_file_can_hold_are_rejected(values: list, words: str) -> None:
    column = pd.Series(
        values, name="x", dtype=complex if values[0] == 1 + 0j and isinstance(values[0], complex) else object
    )
    with pytest.raises(SchemaError, match=f"column 'x' has {words}"):
        Domain.of(column)
    if "\udc80" not in values and not isinstance(values[0], Decimal):  # pandas itself cannot make categories of these
        with pytest.raises(SchemaError, match=f"column 'x' has {words}"):
            Domain.of(column.astype("category"))
        with pytest.raises(SchemaError, match=f"column 'x' has {words}"):
            Domain.of(pd.Series(["b"], name="x"), values=pd.CategoricalDtype(pd.Index(values, dtype=object)))


# ---------------------------------------------------------------------- missing values
@pytest.mark.parametrize(
    "name", sorted(set(DTYPES) - {"uint64"})
)  # pandas makes floats of these, and others of the long ones
def test_a_gap_leaves_a_column_its_type(name: str) -> None:
    whole = DTYPES[name][0].rename("x")
    domain, codes = Domain.of(whole)
    series = whole.reindex([*whole.index, len(whole)])
    with pytest.raises(MissingValueError, match="missing='value'"):
        Domain.of(series)
    for missing in ("value", "category"):
        gapped, found = Domain.of(series, missing=missing)
        assert (gapped.kind, gapped.type, gapped.known) == (domain.kind, domain.type, len(domain))
        assert gapped.labels.tolist() == [*domain.labels, "(missing)"] and found.tolist() == [*codes, len(domain)]
        assert pd.isna(gapped.decode(found)).tolist() == [False] * len(whole) + [True]
        assert list(gapped.decode(found[:-1])) == list(whole) and gapped.span in (domain.span, 1)
        assert list(gapped.decode_shown(found)) == [*domain.labels[codes], "(missing)"]
        assert gapped.code_of("(missing)") == gapped.code_of(None) == gapped.code_of(np.nan) == len(domain)
        assert (gapped.ignored, len(gapped.counted)) == (
            (len(domain), len(domain)) if missing == "value" else (None, len(gapped))
        )
        only, _ = Domain.of(series[-1:], missing=missing)
        assert only.labels[-1] == "(missing)" and pd.isna(only.decode(np.array([only.known]))).all()


def test_ages_read_as_they_are_though_some_are_missing() -> None:
    for ages in (pd.Series([39, None]), pd.Series([39, None], dtype="Int64"), pd.Series([39, None], dtype=object)):
        domain, codes = Domain.of(ages.rename("age"), missing="value")
        assert domain.type == "numbers" and list(domain.decode_shown(codes)) == ["39", "(missing)"]
    truth, _ = Domain.of(pd.Series([True, None, False], name="x"), missing="value")
    assert truth.type == "truth values" and truth.labels.tolist() == ["False", "True", "(missing)"]


def test_the_missing_value_lies_one_average_step_beyond_the_largest() -> None:
    ages, _ = Domain.of(pd.Series([20, 30, 60, None], name="age"), missing="value")
    assert ages.coordinates.tolist() == [20, 30, 60, 80] and ages.span == 40
    one, _ = Domain.of(pd.Series([20, None], name="age"), missing="value")
    assert one.coordinates.tolist() == [20, 21] and one.span == 1
    day, _ = Domain.of(pd.Series([pd.Timestamp("2020-01-02"), None]).astype("datetime64[ns]"), missing="value")
    assert np.diff(day.coordinates) == day.span > 0  # one more would not show in such a large number


def test_domains_with_and_without_gaps_grow_together() -> None:
    some, _ = Domain.of(pd.Series([20, 40], name="age"))
    more, _ = Domain.of(pd.Series([30, None], name="age"), missing="value")
    for grown in (some.grown(more), more.grown(some)):
        assert grown.labels.tolist() == ["20", "30", "40", "(missing)"] and grown.missing and not grown.missing_counts
        assert some.map_to(grown).tolist() == [0, 2] and more.map_to(grown).tolist() == [1, 3]
        assert grown.grown(some) is grown and grown.grown(more) is grown
    assert some.grown(some) is some and more.map_to(some).tolist() == [-1, -1]
    assert more.only(np.array([1])).labels.tolist() == ["(missing)"] and not more.only(np.array([0])).missing
    counted, _ = Domain.of(pd.Series([30, None], name="age"), missing="category")
    with pytest.raises(SchemaError, match="read with missing='value' before and with missing='category' now"):
        more.grown(counted)


def test_a_text_that_was_a_value_is_missing_where_missing_values_count() -> None:
    said, _ = Domain.of(pd.Series(["(missing)", "flu"], name="ill"))
    gaps = pd.Series([None, "cold", "(missing)"], name="ill")
    counted, codes = Domain.of(gaps, missing="category")
    assert counted.labels.tolist() == ["cold", "(missing)"] and codes.tolist() == [1, 0, 1]
    grown = said.grown(counted)
    assert grown.labels.tolist() == ["cold", "flu", "(missing)"] and said.map_to(grown).tolist() == [2, 1]
    with pytest.raises(SchemaError, match=r"held '.missing.' as a value that counts; go on with missing='category'"):
        said.grown(Domain.of(gaps, missing="value")[0])


def test_a_hierarchy_gets_a_leaf_for_missing_values() -> None:
    tree = Hierarchy.from_dict({"x": ["a", "b"], "y": ["c"]})
    whole, _ = Domain.of(pd.Series(["c", "a"], name="v"), tree)
    domain, codes = Domain.of(pd.Series(["c", None, "a"], name="v"), tree, missing="value")
    assert domain.labels.tolist() == ["a", "b", "c", "(missing)"] and codes.tolist() == [2, 3, 0]
    assert domain.hierarchy is not None and domain.hierarchy.levels("(missing)") == ["(missing)", "(missing)", "*"]
    for grown in (whole.grown(domain), domain.grown(whole)):
        assert grown.labels.tolist() == domain.labels.tolist() and grown.missing
    other, _ = Domain.of(
        pd.Series(["c", None], name="v"), Hierarchy.from_dict({"x": ["a"], "y": ["c"]}), missing="value"
    )
    with pytest.raises(SchemaError, match="the hierarchy of column 'v' is not the same as before"):
        domain.grown(other)


def test_a_leaf_of_a_hierarchys_own_stands_for_missing_values() -> None:
    tree = Hierarchy.from_dict({"x": ["(missing)", "a"], "y": ["c"]})
    domain, codes = Domain.of(pd.Series(["c", None, "a"], name="v"), tree, missing="value")
    assert domain.labels.tolist() == ["c", "a", "(missing)"] and codes.tolist() == [0, 2, 1]
    assert domain.hierarchy is not None and domain.hierarchy.levels("(missing)") == ["(missing)", "x", "*"]
    whole, before = Domain.of(pd.Series(["c", "a"], name="v"), tree)
    grown = whole.grown(domain)
    assert whole.map_to(grown)[before].tolist() == [0, 1] and grown.hierarchy.same_as(tree)
