"""What objects show stays small and readable, whatever a table holds: many categories, long texts, many columns, many digits."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab import pages

DIGITS = re.compile(r"\d\.\d{8}")


@pytest.fixture(scope="module")
def large() -> pl.Release:
    """A release whose classes hold thousands of categories each, long texts and numbers of seventeen digits."""
    chance, n = np.random.default_rng(0), 5_000
    frame = pd.DataFrame({"city": [f"a city whose name is long {i}" for i in chance.integers(0, 10_000, n)]})
    frame["weight"] = chance.normal(70, 9, n)
    frame["note"] = np.where(np.arange(n) % 2, "y", "x" * 5_000)
    frame["pay"] = chance.normal(50_000, 9_000, n)
    table = pl.Microdata(frame, pl.Schema(["city", "weight"], sensitive=["note", "pay"]))
    return pl.Release(table, np.arange(n) % 3)


def test_thousands_of_categories_and_long_texts_are_cut(large: pl.Release) -> None:
    for thing in (large.table, large, large.published(), pl.Release(large.table, large.class_of, style="anatomized")):
        assert len(thing._repr_html_()) < 10_000 and len(repr(thing)) <= 200


def test_numbers_are_readable_wherever_they_are_shown(large: pl.Release) -> None:
    for thing in (large.table, large, large.published(), pl.Release(large.table, large.class_of, style="anatomized")):
        assert not DIGITS.search(thing._repr_html_())
    assert large.to_frame()["pay"].dtype == float  # shown short, published as they are
    assert set(large.to_frame()["pay"]) == set(large.table.frame["pay"])


def test_of_many_numbers_the_range_is_shown_and_of_few_how_frequent_they_are(large: pl.Release) -> None:
    shown = "".join(ET.fromstring(large.table._repr_html_()).itertext())
    low, high = large.table.frame["pay"].min(), large.table.frame["pay"].max()
    assert f"{pages.readable(low)} to {pages.readable(high)}" in shown
    few = pl.Microdata(pd.DataFrame({"age": [1, 2, 3], "cost": [0.1 + 0.2, 0.1 + 0.2, 2]}), pl.Schema("age", "cost"))
    assert "0.3 67%, 2 33%" in few._repr_html_()


def test_of_hundreds_of_columns_the_first_are_shown() -> None:
    frame = pd.DataFrame({f"column {i}": [0, 1, 2, 3] for i in range(300)})
    release = pl.Release(pl.Microdata(frame, pl.Schema(list(frame.columns))), np.zeros(4, dtype=int))
    shown = release._repr_html_()
    assert "and 275 more columns" in shown and "column 24" in shown and "column 25" not in shown and len(shown) < 15_000


def test_of_hundreds_of_columns_the_sensitive_ones_are_among_those_shown() -> None:
    frame = pd.DataFrame({f"column {i}": [0, 1, 2, 3] for i in range(300)} | {"illness": ["flu", "HIV", "flu", "cold"]})
    table = pl.Microdata(frame, pl.Schema([c for c in frame if c != "illness"], sensitive="illness"))
    shown = table._repr_html_()
    assert "illness" in shown and "flu 50%" in shown and "and 276 more" in shown and len(shown) < 10_000
    for thing in (pl.Release(table, np.zeros(4, dtype=int)), pl.Release(table, np.zeros(4, dtype=int)).published()):
        shown = thing._repr_html_()
        assert "illness" in shown and "HIV" in shown and "and 276 more columns before the last 1" in shown


def test_a_date_is_shown_as_in_an_interval() -> None:
    days = pd.to_datetime(["2024-02-29T00:00", "2024-03-01T00:00", "2024-03-02T12:30", "2024-03-03T00:00"])
    table = pl.Microdata(pd.DataFrame({"age": [1, 2, 3, 4], "day": days}), pl.Schema("age", sensitive="day"))
    shown = pl.Release(table, np.zeros(4, dtype=int))._repr_html_()
    assert (
        ">2024-02-29<" in shown and ">2024-03-02T12:30:00<" in shown and "00:00:00<" not in shown.replace("30:00<", "")
    )


def test_wide_and_deep_trees_show_what_fits() -> None:
    flat = pl.Hierarchy.from_dict({f"leaf {i}": None for i in range(10_000)})
    assert (
        "leaf 29" in flat._repr_html_()
        and "and 9970 more" in flat._repr_html_()
        and "shown down" not in flat._repr_html_()
    )
    wordy = pl.Hierarchy.from_dict({"a" * 5_000: [f"{i}{'b' * 5_000}" for i in range(30)]})
    assert len(wordy._repr_html_()) < 10_000
    deep = pl.Hierarchy.mask_suffix([f"{i:06d}" for i in range(0, 100_000, 7)])
    assert "shown down to level" in deep._repr_html_() and len(deep._repr_html_()) < 40_000


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1 + 0.2, "0.3"), (1 / 3, "0.333333"), (-2 / 3, "-0.666667"), (0.0, "0"), (1e-9 / 3, "3.33333e-10"), (5.0, "5"),
        (123456.789, "123457"), (1e14 + 0.5, "100000000000000"), (1e300, "1e+300"), (float("nan"), "nan"), (12.5, "12.5"),
        (99999.96, "100000"), (0.00012345678, "0.000123457"),
    ],
)  # fmt: skip
def test_numbers_have_the_digits_that_matter(number: float, text: str) -> None:
    assert pages.readable(number) == text


def test_a_cell_that_is_html_is_not_cut_and_reports_are_not_either() -> None:
    long = "<b>" + "x" * 500 + "</b>"
    assert "x" * 500 in pages.table(["a"], [[pages.Html(long)]])
    assert "x" * 300 not in pages.table(["a"], [["x" * 500]]) and "x" * 500 in pages.table(
        ["a"], [["x" * 500]], longest=None
    )
