"""ClassCounts beside pandas."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Case, cases

import ppdp_lab as pl
from ppdp_lab.errors import ParameterError, SchemaError
from ppdp_lab.table import ClassCounts

N_CLASSES = 4


@st.composite
def counted(draw: st.DrawFn) -> tuple[Case, np.ndarray]:
    case = draw(cases(max_sensitive=3))
    n = len(case.frame)
    return case, np.array(draw(st.lists(st.integers(-1, N_CLASSES - 1), min_size=n, max_size=n)), dtype=np.int32)


def cells(counts: ClassCounts, name: str) -> list[tuple[int, object, int]]:
    histogram = counts.histogram(name)
    values = histogram.domain.values[histogram.values].tolist()
    return list(zip(histogram.cell_class.tolist(), values, histogram.counts.tolist()))


@given(counted())
def test_histograms(drawn: tuple[Case, np.ndarray]) -> None:
    case, class_of = drawn
    table = case.table()
    counts = ClassCounts.count(class_of, N_CLASSES, table.sensitive_codes, table.sensitive_domains, table.totals())
    shown = case.frame[class_of >= 0].assign(cls=class_of[class_of >= 0])
    assert counts.sizes.tolist() == [int((class_of == c).sum()) for c in range(N_CLASSES)]
    for column in case.sensitive:
        expected = shown.groupby(["cls", column.name], observed=True).size()
        assert {(c, v): k for c, v, k in cells(counts, column.name)} == expected.to_dict()
        histogram = counts.histogram(column.name)
        keys = list(zip(histogram.cell_class, histogram.values))
        assert keys == sorted(set(keys))
        for c in range(N_CLASSES):
            mine = shown[column.name][shown["cls"] == c].value_counts()
            assert histogram.distinct[c] == (mine > 0).sum()
            assert histogram.max(histogram.counts)[c] == mine.max() if len(mine) else True
            assert histogram.sum(histogram.shares)[c] == pytest.approx(float(mine.sum() > 0))
        whole = counts.whole().histogram(column.name)
        assert whole.counts.sum() == len(shown)
        codes = table.codes(column.name)
        assert counts.totals(column.name).tolist() == np.bincount(codes, minlength=len(whole.domain)).tolist()


@given(counted())
def test_segments_are_counted_alike(drawn: tuple[Case, np.ndarray]) -> None:
    case, class_of = drawn
    table = case.table()
    order = np.argsort(class_of, kind="stable")
    order = order[class_of[order] >= 0]
    offsets = np.searchsorted(class_of[order], np.arange(N_CLASSES + 1))
    segments = ClassCounts.count_segments(offsets, table.sensitive_codes[:, order], table.sensitive_domains)
    counts = ClassCounts.count(class_of, N_CLASSES, table.sensitive_codes, table.sensitive_domains)
    assert segments.sizes.tolist() == counts.sizes.tolist()
    for column in case.sensitive:
        assert cells(segments, column.name) == cells(counts, column.name)
        assert segments.totals(column.name).tolist() == counts.totals(column.name).tolist()


@given(counted())
def test_splitting_by_the_other_attributes(drawn: tuple[Case, np.ndarray]) -> None:
    case, class_of = drawn
    table = case.table()
    counts = ClassCounts.count(class_of, N_CLASSES, table.sensitive_codes, table.sensitive_domains)
    shown = case.frame[class_of >= 0].assign(cls=class_of[class_of >= 0])
    for column in case.sensitive:
        others = [other.name for other in case.sensitive if other is not column]
        finer, parent = counts.given_the_others(column.name)
        groups = shown.groupby(["cls", *others], observed=True)[column.name]
        expected = Counter((key[0], frozenset(Counter(cell).items())) for key, cell in groups)
        finer_cells = cells(finer, column.name)
        got = [
            (c, frozenset((value, count) for fine, value, count in finer_cells if fine == number))
            for number, c in enumerate(parent.tolist())
        ]
        assert Counter(got) == expected
        assert finer.sizes.tolist() == [sum(count for _, count in one) for _, one in got]
        keys = list(zip(finer.histogram().cell_class, finer.histogram().values))
        assert keys == sorted(set(keys))


def test_of_values_counts_every_list_as_a_class() -> None:
    counts = ClassCounts.of_values([["a", "b", "a"], [], ["b"], []])
    assert counts.sizes.tolist() == [3, 0, 1, 0] and counts.histogram().distinct.tolist() == [2, 0, 1, 0]
    assert counts.whole().sizes.tolist() == [4] and len(counts) == 4
    assert ClassCounts.of_values([]).n_classes == 0 and ClassCounts.of_values([[]]).sizes.tolist() == [0]
    pairs = ClassCounts.of_values([[("a", 1), ("b", 1)]], name="pair")
    assert pairs.attributes == ("pair 1", "pair 2") and pairs.histogram("pair 2").distinct.tolist() == [1]


def test_words_of_a_histogram() -> None:
    counts = ClassCounts.of_values([["x", "y", "y", *"abcdef"]])
    assert counts.histogram().words(0) == "y x 2, a x 1, b x 1, c x 1, d x 1 and 3 more"
    assert repr(counts) == "<ClassCounts of 9 records in 1 class>"


def test_which_attribute_is_meant() -> None:
    none = pl.Mondrian(pl.KAnonymity(1)).anonymize(pl.Microdata(pd.DataFrame({"age": [1]}), pl.Schema("age"))).counts()
    with pytest.raises(SchemaError, match="the schema names no sensitive column; name one"):
        none.histogram()
    pairs = ClassCounts.of_values([[("a", 1), ("b", 1)]])
    with pytest.raises(SchemaError, match="'sensitive 1', 'sensitive 2'; say which one with attribute="):
        pairs.histogram()
    with pytest.raises(ParameterError, match="attribute must be one of 'sensitive 1', 'sensitive 2', not 'illness'"):
        pairs.histogram("illness")
