"""The shape of CSV files: separators, headers, and records that do not fit; the kernel against plain Python."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab.io._walk import AFTER_QUOTE, FINE, UNCLOSED
from ppdp_lab.io.csv_files import find_separator, header_of, records_of, rows_of


def plain_walk(data: bytes, separator: int) -> tuple[list[tuple[int, int, int]], int]:
    """Start, line and number of fields of every record, and the first problem, character by character."""
    text, records, line, i = data.decode("latin-1"), [], 1, 0
    sign = chr(separator)
    ends = ("\n", "\r")
    while i < len(text):
        if text[i] in ends:
            i += 2 if text[i : i + 2] == "\r\n" else 1
            line += 1
            continue
        start, first, fields = i, line, 1
        while i < len(text) and text[i] not in ends:
            if text[i] == '"' and (i == start or text[i - 1] == sign):
                i += 1
                while True:
                    if i >= len(text):
                        return [*records, (start, first, fields)], UNCLOSED
                    if text[i] == '"' and text[i + 1 : i + 2] == '"':
                        i += 2
                    elif text[i] == '"':
                        break
                    else:
                        line += text[i] == "\n" or (text[i] == "\r" and text[i + 1 : i + 2] != "\n")
                        i += 1
                i += 1
                if i < len(text) and text[i] not in (sign, *ends):
                    return [*records, (start, first, fields)], AFTER_QUOTE
                continue
            fields += text[i] == sign
            i += 1
        records.append((start, first, fields))
        if i < len(text):
            i += 2 if text[i : i + 2] == "\r\n" else 1
            line += 1
    return records, FINE


@given(st.text(alphabet='a,;"\n\r', max_size=40))
def test_the_kernel_walks_as_plain_python_does(text):
    data = text.encode()
    found = records_of(data, ",")
    records, problem = plain_walk(data, ord(","))
    assert list(zip(found.starts.tolist(), found.lines.tolist(), found.counts.tolist())) == records
    assert found.problem == problem


@given(
    st.lists(st.lists(st.text(alphabet='ab,;"\n é', max_size=4), min_size=2, max_size=2), min_size=1, max_size=6),
    st.sampled_from(",;\t|"),
)
def test_what_the_csv_module_writes_has_its_shape(rows, separator):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows)
    found = records_of(file.getvalue().encode(), separator)
    assert found.problem == FINE and found.counts.tolist() == [2] * len(rows)
    assert rows_of(file.getvalue().encode(), separator, "a file") == rows


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\nx,y\tz\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("one\nx;y\n", ","),
        ('"a;b",c\n"1;2",3\n', ","),
        ("a;b,c\n1;2\n3;4\n", ";"),
        ("a,b;c,d\n1,2;3,4\n", ","),
    ],
)
def test_the_separator_is_found(text, separator):
    assert find_separator(text.encode()) == separator


def test_a_separator_is_found_in_wide_and_in_long_files():
    wide = ";".join(f"c{i}" for i in range(100_000)) + "\n" + ";".join(["1,5"] * 100_000) + "\n"
    assert find_separator(wide.encode()) == ";"
    assert find_separator(("a;b\n" + "1,5;2,5\n" * 50_000).encode()) == ";"


def test_a_header_may_hold_quotes_and_line_ends():
    names, start = header_of(b'\n"a ""b""\nc",d\r\n1,2\r\n', ",")
    assert names == ['a "b"\nc', "d"] and start == 16
    assert np.array_equal(records_of(b'\n"a ""b""\nc",d\r\n1,2\r\n', ",").lines, [2, 4])
