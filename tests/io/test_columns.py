"""What a column is taken for."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab.io.columns import CellColumn, kind_of
from ppdp_lab.io.options import Reading

CELLS = [
    "1", "-3", "+4", "0", "00", "007", "-01", "0x1F", "1.5", "0.5", ".5", "5.", "1e5", "1e400", "1,5", "1,234", "inf", "-inf",
    "nan", "NaN", " 7", "7 ", "123456789012345", "1234567890123456", "0.12345678901234567", "x", "A7", "2020-01-02",
    "2020-02-30", "2020-01-02T03:04", "2020-01-02 03:04:05.25", "03/04/2020", "3.4.20", "1-2-2020", "NA", "?", "true",
]  # fmt: skip


def column(cells, **options):
    return CellColumn.of(pa.chunked_array([pa.array(cells, pa.string())]), Reading(**options))


@given(st.lists(st.sampled_from(CELLS), min_size=1, max_size=5), st.sampled_from([".", ","]))
def test_the_quick_way_says_what_every_cell_says(cells, decimal):
    found = column(cells)
    found.decide(decimal, numbers=False)
    slow = kind_of(pa.array(dict.fromkeys(cells)), decimal)
    if "1e400" in cells and slow.name == "numbers" and slow.refused is None:
        assert found.kind.refused == "1e400"
    else:
        assert found.kind == slow


@pytest.mark.parametrize(
    ("cells", "decimal", "kind", "values"),
    [
        (["34", "+5", " 7 ", "-1"], ".", "whole numbers", [34, 5, 7, -1]),
        (["34", "5.50", ".5", "1e2"], ".", "numbers", [34, 5.5, 0.5, 100]),
        (["34", "5,50"], ",", "numbers", [34, 5.5]),
        (["01234", "12345"], ".", "text (codes: some begin with 0)", ["01234", "12345"]),
        (["1234567890123456"], ".", "text (codes: some have more than 15 digits)", ["1234567890123456"]),
        (["0.1234567890123456789"], ".", "numbers", [0.1234567890123456789]),
        (["0x1F", "12"], ".", "text", ["0x1F", "12"]),
        (["yes", "1"], ".", "text", ["yes", "1"]),
        (["2020-02-30"], ".", "text (dates, but some do not exist)", ["2020-02-30"]),
        (["03/04/2020"], ".", "text (dates, but day and month may be confused)", ["03/04/2020"]),
        (["31.02.2020"], ".", "text (dates, but not in one layout)", ["31.02.2020"]),
        (["17.07.05"], ".", "text (dates, but not in one layout)", ["17.07.05"]),
        (["17.07.2005", "18/07/2005"], ".", "text (dates, but not in one layout)", ["17.07.2005", "18/07/2005"]),
        (["True", "False"], ".", "text", ["True", "False"]),
    ],
)
def test_columns_are_taken_for_what_they_are(cells, decimal, kind, values):
    found = column(cells)
    found.decide(decimal, numbers=False)
    assert str(found.kind) == kind and found.series(found.kind.name).tolist() == values


def test_dates():
    found = column(["2020-01-02", " 1999-12-31"])
    found.decide(".", numbers=False)
    assert found.kind.name == "dates" and [str(v) for v in found.series("dates").dt.date] == [
        "2020-01-02",
        "1999-12-31",
    ]
    timed = column(["2020-01-02", "2020-01-02T03:04"])
    timed.decide(".", numbers=False)
    assert timed.kind.name == "dates with times" and timed.series(timed.kind.name).iloc[1].hour == 3


@pytest.mark.parametrize(
    ("cells", "kind", "days"),
    [
        (["17.07.2005", " 3.4.2006"], "dates (written as DD.MM.YYYY)", ["2005-07-17", "2006-04-03"]),
        (["07/17/2005", "03/04/2006"], "dates (written as MM/DD/YYYY)", ["2005-07-17", "2006-03-04"]),
        (["17-07-2005"], "dates (written as DD-MM-YYYY)", ["2005-07-17"]),
        (["2005/7/1", "2005/12/31"], "dates (written as YYYY/MM/DD)", ["2005-07-01", "2005-12-31"]),
    ],
)
def test_dates_whose_days_tell_their_layout(cells, kind, days):
    found = column(cells)
    found.decide(".", numbers=False)
    assert str(found.kind) == kind and [str(v) for v in found.series("dates").dt.date] == days
    assert str(found.series("dates with times").iloc[0].date()) == days[0]


def test_a_late_word_makes_numbers_text():
    found = column([*map(str, range(5000)), "X1"])
    found.decide(".", numbers=False)
    assert found.kind.name == "text" and found.series("text").iloc[-1] == "X1"
    late = column([*map(str, range(5000)), "007"])
    late.decide(".", numbers=False)
    assert str(late.kind) == "text (codes: some begin with 0)"


def test_numbers_that_were_declared():
    found = column(["007", "12"])
    found.decide(".", numbers=True)
    assert found.series(found.kind.name).tolist() == [7, 12]
    for wrong in ("x", "12345678901234567890", "nan", "1e400"):
        found = column(["7", wrong])
        found.decide(".", numbers=True)
        assert found.kind.refused == wrong and found.first_row(wrong) == 1


def test_missing_cells_and_marks():
    found = column(["1", "", "  ", "?", "NA"], missing_values=["?"])
    found.decide(".", numbers=False)
    assert found.missing.tolist() == [False, True, True, True, False]
    assert found.marks == {"NA": 1}
