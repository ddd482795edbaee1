"""The one reader: what it finds, what it refuses and in which words, what it reports."""

from __future__ import annotations

import gzip
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab.errors import DataFileError, MissingValueError, ParameterError, PPDPError, SchemaError
from ppdp_lab.io import Reading, open_table, read_file, read_frames, write_csv
from ppdp_lab.table import Microdata, Schema

TEXT = "name,age,zip,weight\nAnn,34,01234,71.5\nBob,29,01235,80.25\n"


@pytest.fixture
def save(tmp_path):
    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lists(read):
    return {name: column.tolist() for name, column in read.frame.items()}


GOOD = {"name": ["Ann", "Bob"], "age": [34, 29], "zip": ["01234", "01235"], "weight": [71.5, 80.25]}


@pytest.mark.parametrize(
    ("content", "separator", "decimal", "encoding"),
    [
        (TEXT, ",", ".", "UTF-8"),
        (TEXT.encode("utf-8-sig"), ",", ".", "UTF-8 with byte order mark"),
        (TEXT.encode("utf-16"), ",", ".", "UTF-16 with byte order mark"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), ",", ".", "UTF-16 with byte order mark"),
        (TEXT.encode("utf-32"), ",", ".", "UTF-32 with byte order mark"),
        (TEXT.replace(",", ";").replace(".", ","), ";", ",", "UTF-8"),
        (TEXT.replace(",", "\t"), "\t", ".", "UTF-8"),
        (TEXT.replace(",", "|"), "|", ".", "UTF-8"),
        (TEXT.replace("\n", "\r\n"), ",", ".", "UTF-8"),
        (TEXT.replace("\n", "\r"), ",", ".", "UTF-8"),
        (TEXT.rstrip(), ",", ".", "UTF-8"),
        ("\n\n" + TEXT.replace("\n", "\n\n"), ",", ".", "UTF-8"),
        (TEXT.replace("71.5", '"71.5"').replace("Ann", '"Ann"'), ",", ".", "UTF-8"),
    ],
)
def test_the_same_rows_however_they_are_written(save, content, separator, decimal, encoding):
    read = read_file(save(content))
    assert lists(read) == GOOD
    report = read.report
    assert (report.separator, report.decimal, report.encoding) == (separator, decimal, encoding)
    assert report.notes == [] and report.rows == 2 and report.given == ()


def test_quoted_separators_line_ends_and_quotes(save):
    read = read_file(save('note,n\n"a,b\nc ""d""",1\nplain,2\n'))
    assert lists(read) == {"note": ['a,b\nc "d"', "plain"], "n": [1, 2]}


def test_what_looks_like_a_byte_order_mark_inside_is_text(save):
    assert lists(read_file(save("a\n\ufeff\n\ufeffx\n"))) == {"a": ["\ufeff", "\ufeffx"]}


def test_packed_files(save):
    assert lists(read_file(save(gzip.compress(TEXT.encode()), "t.csv.gz"))) == GOOD
    with pytest.raises(DataFileError, match=r"u.csv.gz' cannot be read: it is not a whole .gz file"):
        read_file(save(gzip.compress(TEXT.encode())[:-9], "u.csv.gz"))


def test_western_european_text_is_read_and_pointed_out(save):
    read = read_file(save("name,age\nZoë,34\n".encode("cp1252")))
    assert read.frame["name"].tolist() == ["Zoë"] and read.report.encoding == "cp1252"
    assert "line 2, column 'name' holds the byte 0xeb" in read.report.notes[0]
    given = read_file(save("name,age\nŁódź,34\n".encode("cp1250")), Reading(encoding="cp1250"))
    assert given.frame["name"].tolist() == ["Łódź"] and given.report.given == ("encoding",)


def test_decimal_commas_are_found_only_where_they_are_sure(save):
    assert read_file(save("a;b\n1,5;x\n2;y\n")).frame["a"].tolist() == [1.5, 2]
    thousands = read_file(save("a;b\n1,234;x\n5,678;y\n"))
    assert thousands.frame["a"].tolist() == ["1,234", "5,678"]
    assert "would be numbers if ',' were the decimal sign" in thousands.report.notes[0]
    assert read_file(save("a;b\n1,234;x\n"), Reading(decimal=",")).frame["a"].tolist() == [1.234]
    both = read_file(save("a;b\n1,5;2.5\n"))
    assert both.report.decimal == "." and both.frame["a"].tolist() == ["1,5"]
    quoted = read_file(save('a,b\n"1,5",x\n'))
    assert quoted.frame["a"].tolist() == ["1,5"]
    assert read_file(save('a,b\n"1,5",x\n'), Reading(decimal=",")).frame["a"].tolist() == [1.5]


BAD = [
    ("", DataFileError, "cannot be read as CSV: it is empty; its first line must name the columns"),
    ("a,b\n", DataFileError, "has a header but no rows"),
    ("a,b\n\n\n", DataFileError, "has a header but no rows"),
    (
        "a,b\n1,2\n3\n",
        DataFileError,
        r"line 3: 1 field\(s\), but the header names 2 column\(s\); there is none for 'b'",
    ),
    ("a,b\n1,2\n3,4,5\n", DataFileError, r"line 3: 3 fields, but the header names 2 column\(s\), the last of them 'b'"),
    ("a,b\n1,2,3\n4,5,6\n", DataFileError, "line 2: the rows have more fields than the header has names"),
    ('a,b\n"x\ny",2\n3\n', DataFileError, "line 4: 1 field"),
    ('a,b\n1,"2\n3,4\n', DataFileError, "line 2, column 'b': a quote is opened here and never closed"),
    ('a,b\n1,"2"x\n', DataFileError, "line 2, column 'b': text follows a closing quote"),
    ('a,b\n1,2,3\n1,"2\n', DataFileError, "line 2: 3 fields"),
    ("a,b,a\n1,2,3\n", SchemaError, r"more than one column named 'a' \(line 1, columns 1, 3\)"),
    ("a,,c\n1,2,3\n", SchemaError, r"line 1: column\(s\) 2 of the header have no name; name or delete them"),
    (b"a,b\n1,x\0y\n", DataFileError, "line 2, column 'b' holds a NUL byte"),
    (
        b"a,b\n1,x\x81\xffy\n",
        DataFileError,
        "line 2, column 'b': the byte 0x81 is not UTF-8 text; save the file as UTF-8",
    ),
    (TEXT.encode("utf-16")[:-1], DataFileError, "line 3, column 'weight': the byte 0x0a is not UTF-16"),
    (TEXT.encode("utf-16-le"), DataFileError, "NUL byte.*is it UTF-16 without a byte order mark"),
    ("a,b\n1,2\ninf,3\n", DataFileError, "line 3, column 'a': 'inf' is no number"),
    ("a,b\n1,2\nNaN,3\n", DataFileError, "line 3, column 'a': 'NaN' is no number .* list it in missing_values"),
    ("a,b\n1.5,2\n1e400,3\n", DataFileError, "line 3, column 'a': '1e400' is no number"),
    ('a,b\n"x\n",2\n-Infinity,1e999\n', DataFileError, "line 4, column 'b': '1e999' is no number"),
    ("a,b\n1,2\n,3\n,4\n", MissingValueError, r"column 'a' has 2 missing value\(s\), first in line\(s\) 3, 4; fill"),
    ('a,b\n"x\ny",1\n  ,2\n', MissingValueError, r"column 'a' has 1 missing value\(s\), first in line\(s\) 4"),
    (b"PK\x03\x04...", DataFileError, "it is a zip archive or a spreadsheet; export it as CSV first"),
]


@pytest.mark.parametrize(("content", "error", "words"), BAD)
def test_each_refusal_names_line_and_column(save, content, error, words):
    with pytest.raises(error, match=words) as caught:
        read_file(save(content))
    assert "t.csv" in str(caught.value) and "\n" not in str(caught.value)
    assert "C error" not in str(caught.value) and "codec" not in str(caught.value)


@given(st.binary(max_size=60) | st.text(alphabet='ab1,;"\n\r\t.', max_size=60).map(str.encode))
def test_whatever_the_bytes_it_is_a_table_or_a_refusal(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(data)
    try:
        read = read_file(path)
    except PPDPError as error:
        assert str(error)
    else:
        assert len(read.frame) == read.report.rows > 0 and not read.frame.isna().any().any()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"separator": ";;"}, "separator must be one character"),
        ({"separator": "é"}, "separator must be a sign such as ';' or a tab, not 'é'"),
        ({"decimal": "x"}, "decimal must be one of '.', ',', not 'x'"),
        (
            {"encoding": "klingon"},
            "encoding must be the name of a text encoding, such as 'utf-8' or 'cp1252', not 'klingon'",
        ),
        ({"encoding": "hex"}, "encoding"),
        ({"missing": "ignore"}, "missing must be one of 'refuse', 'value', 'category', 'drop', not 'ignore'"),
        ({"missing_values": 5}, "missing_values must be a list of texts, not 5"),
        ({"missing_values": [5]}, "missing_values must be a list of texts, but holds 5"),
        ({"text": ["a"], "numbers": ["a"]}, "text and numbers both name 'a'"),
        ({"guarded": 1}, "guarded must be true or false, not 1"),
        ({"seperator": ";"}, "here: unknown reading option 'seperator'; did you mean 'separator'"),
    ],
)
def test_options_that_make_no_sense(said, words):
    with pytest.raises(ParameterError) as caught:
        Reading.of(said, "here: ")
    assert words in str(caught.value)


def test_types_can_be_said(save):
    path = save("zip,n\n01,5\n02,6\n")
    assert lists(read_file(path, Reading(text=["n"], numbers=["zip"]))) == {"zip": [1, 2], "n": ["5", "6"]}
    with pytest.raises(
        SchemaError, match=r"numbers names 'zap', which file .* does not have; its columns are 'zip', 'n'"
    ):
        read_file(path, Reading(numbers=["zap"]))
    with pytest.raises(DataFileError, match="line 3, column 'zip': '0x' is no number"):
        read_file(save("zip,n\n01,5\n0x,6\n"), Reading(numbers=["zip"]))


# ---------------------------------------------------------------------- missing cells
HOLES = "age,job,name\n34,cook,Ann\n,nurse,Bob\n29,NA,\n"


def test_what_is_missing_is_said_once(save):
    path = save(HOLES)
    read = read_frames([open_table(path, Reading(missing="value"))], ["age", "job"])[0]
    assert lists(read) == {"age": [34, pd.NA, 29], "job": ["cook", "nurse", "NA"]}
    assert "column 'job' has 1 cell(s) 'NA', which look like a mark" in read.report.notes[0]
    both = read_file(path, Reading(missing="value", missing_values=["NA"]))
    assert both.frame["job"].isna().tolist() == [False, False, True] and both.report.notes == []
    assert "1 of age, 1 of job, 1 of name (an empty cell or 'NA'); published as (missing)" in str(both.report)
    dropped = read_file(path, Reading(missing="drop"))
    assert lists(dropped) == {"age": [34], "job": ["cook"], "name": ["Ann"]} and dropped.frame.index.tolist() == [0]
    assert dropped.report.rows_dropped == 2 and "2 rows dropped" in str(dropped.report)
    unpublished = read_frames([open_table(path, Reading(missing="drop"))], ["age", "job", "name"], coded=["age"])[0]
    assert unpublished.report.rows_dropped == 1 and unpublished.frame["name"].isna().tolist() == [False, True]


def test_missing_cells_that_leave_nothing(save):
    with pytest.raises(MissingValueError, match="every row has a missing value, so that none is left"):
        read_file(save("a,b\n1,\n,2\n"), Reading(missing="drop"))


@pytest.mark.parametrize("missing", ["value", "category"])
def test_missing_cells_leave_a_column_its_type(save, missing):
    cells = "n,long,x,when,said\n1,12345678901234567,1.5,2020-01-02,3\n,,,,(missing)\n2,7,2.5,2021-01-02,4\n"
    read = read_file(save(cells), Reading(missing=missing, numbers=["long"]))
    kinds = ["whole numbers", "whole numbers (as said)", "numbers", "dates", "whole numbers"]
    assert list(read.report.columns.values()) == kinds
    assert read.frame.iloc[1].isna().all() and read.frame["long"][0] == 12345678901234567
    assert read.frame["said"].tolist() == [3, pd.NA, 4]  # what was published as missing is missing
    words = "1 of said (an empty cell); published as (missing)"
    assert f"{words} and counted as a value" in str(read.report) if missing == "category" else words in str(read.report)


# ---------------------------------------------------------------------- parquet
def test_parquet_keeps_its_types(tmp_path):
    frame = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "x": [1.5, None, 2.0],
            "code": ["01", "2", ""],
            "when": pd.to_datetime(["2020-01-02", "2020-01-03", "2020-01-04"]),
            "level": pd.Categorical(["low", "high", "low"], categories=["low", "mid", "high"], ordered=True),
            "yes": [True, False, True],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(MissingValueError, match=r"column 'x' has 1 missing value\(s\), first in row\(s\) 2"):
        read_file(tmp_path / "t.parquet")
    with pytest.raises(MissingValueError, match=r"column 'code' has 1 missing value\(s\), first in row\(s\) 3"):
        read_frames([open_table(tmp_path / "t.parquet")], ["code"])
    read = read_file(tmp_path / "t.parquet", Reading(missing="drop"))
    assert lists(read)["n"] == [1] and lists(read)["code"] == ["01"] and read.frame["level"].cat.ordered
    value = read_file(tmp_path / "t.parquet", Reading(missing="value"))
    assert value.frame["x"].dtype == float and value.frame["x"].isna().tolist() == [False, True, False]
    assert value.frame["code"].isna().tolist() == [False, False, True]
    assert lists(value)["yes"] == [True, False, True]
    assert read_frames([open_table(tmp_path / "t.parquet", Reading(text=["n", "when"]))], ["n", "when"])[0].frame[
        "when"
    ].tolist() == ["2020-01-02", "2020-01-03", "2020-01-04"]


def test_parquet_that_cannot_be_used(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    def save(**columns):
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
        return tmp_path / "t.parquet"

    with pytest.raises(DataFileError, match="row 2, column 'x': 'inf' is no number"):
        read_file(save(x=[1.0, np.inf]))
    with pytest.raises(DataFileError, match="row 1, column 'x': 'nan' is no number"):
        read_file(save(x=[np.nan, 1.0]))
    assert read_file(save(x=[np.nan, 1.0]), Reading(missing="drop", missing_values=["NaN"])).report.rows_dropped == 1
    for values, what in [
        ([[1], [2]], "lists or records"),
        ([{"a": 1}, {"a": 2}], "lists or records"),
        (pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())), "lists or records"),
        ([b"a", b"\xff"], "bytes"),
        (pa.array([b"ab", b"cd"], pa.binary(2)), "bytes"),
        (pa.array([b"a", b"b"]).dictionary_encode(), "bytes"),
    ]:
        with pytest.raises(
            DataFileError, match=f"column 'x' holds {what}; convert it to one number, date or text per row"
        ):
            read_file(save(x=values))
    ends = pa.array([0, 1, 2], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"\xffa")])
    with pytest.raises(DataFileError, match=r"cannot be read as parquet: .*Invalid UTF8"):
        read_file(save(x=broken))
    with pytest.raises(DataFileError, match="has columns but no rows"):
        read_file(save(x=pa.array([], pa.int64())))
    with pytest.raises(DataFileError, match="column 'x' cannot be read as numbers, it holds other"):
        read_file(save(x=[True, False]), Reading(numbers=["x"]))
    assert read_file(save(x=["7", "8"]), Reading(numbers=["x"])).frame["x"].tolist() == [7, 8]
    (tmp_path / "u.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(DataFileError, match=r"u.parquet' cannot be read as parquet"):
        read_file(tmp_path / "u.parquet")
    with pytest.raises(DataFileError, match=r"no file .*nowhere"):
        read_file(tmp_path / "nowhere")
    with pytest.raises(DataFileError, match="is a folder"):
        read_file(tmp_path)


# ---------------------------------------------------------------------- size, and back again
def test_a_hundred_thousand_columns(save):
    n = 100_000
    names = ",".join(f"c{i}" for i in range(n))
    path = save(f"{names}\n" + (",".join(["7"] * n) + "\n") * 2)
    file = open_table(path)
    left_out = Schema("c5", sensitive="c99999").check_columns(file.names)
    assert len(left_out) == n - 2
    assert read_frames([file], ["c5", "c99999"])[0].frame.shape == (2, 2)


@pytest.mark.parametrize("cell", ["x" * 3_000_000, '"' + "x\n" * 1_500_000 + '"'])
def test_a_row_longer_than_a_block(save, cell):
    read = read_file(save("a,b\n1,short\n" + f"2,{cell}\n3,y\n"))
    assert read.frame["a"].tolist() == [1, 2, 3] and len(read.frame["b"].iloc[1]) == 3_000_000


cells = st.text(alphabet="ab1=+-@'\t\r\n,\";é", min_size=1, max_size=5).filter(lambda cell: cell.strip(" \t"))


@given(st.lists(cells, min_size=1, max_size=5), st.booleans(), st.sampled_from(",;\t|"))
def test_texts_come_back_as_they_were_written(tmp_path_factory, values, guard, separator):
    path = tmp_path_factory.getbasetemp() / "texts.csv"
    frame = pd.DataFrame({"=a": pd.Series(values, dtype="str"), "b": "x"})
    write_csv(frame, path, separator=separator, guard=guard)
    back = read_file(path, Reading(separator=separator, guarded=guard, text=["=a"]))
    assert back.frame["=a"].tolist() == values
    if guard:
        raw = read_file(path, Reading(separator=separator, text=["'=a"])).frame["'=a"]
        assert not raw.str.contains(r"^[=+\-@\t\r]").any()


def test_numbers_are_not_guarded(tmp_path):
    frame = pd.DataFrame({"n": [-1, 2], "c": pd.Categorical(["-", "=x"]), "t": ["@a", None]})
    assert write_csv(frame, tmp_path / "t.csv", guard=True).read_text() == "n,c,t\n-1,'-,'@a\n2,'=x,\n"
    assert write_csv(frame, tmp_path / "t.csv").read_text() == "n,c,t\n-1,-,@a\n2,=x,\n"


def test_a_table_made_of_what_was_read(save):
    read = read_file(save(TEXT))
    table = Microdata(read.frame, Schema(["age", "zip", "weight"], identifiers="name"))
    assert [domain.kind for domain in table.qi_domains] == ["ordered", "set", "ordered"]


def test_decimal_columns_keep_their_digits(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    def read(*numbers):
        pyarrow.parquet.write_table(pa.table({"x": [Decimal(number) for number in numbers]}), tmp_path / "t.parquet")
        return read_file(tmp_path / "t.parquet")

    assert read("1.50", "2.25").frame["x"].tolist() == [1.5, 2.25]
    accounts = read("1234567890123456789", "1234567890123456788")  # one float for both
    assert accounts.frame["x"].tolist() == ["1234567890123456789", "1234567890123456788"]
    assert accounts.report.columns["x"] == "text (codes: some have more than 15 digits)"


@pytest.mark.parametrize("name", ["t.arrow", "t.feather", "stream.arrow", "t.dat"])
def test_arrow_files_are_read(tmp_path, name):
    import pyarrow as pa
    import pyarrow.feather

    table = pa.table({"zip": ["01067", "01069"], "age": [30, 40]})
    if name.startswith("stream"):
        with pa.OSFile(str(tmp_path / name), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    else:
        pyarrow.feather.write_feather(table, str(tmp_path / name))
    read = read_file(tmp_path / name)
    assert read.report.form == "Arrow" and lists(read) == {"zip": ["01067", "01069"], "age": [30, 40]}


def test_an_arrow_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "t.feather").write_bytes(b"FEA1, an older format")
    with pytest.raises(DataFileError, match=r"cannot be read as Arrow: .*; write the file again"):
        read_file(tmp_path / "t.feather")


@pytest.mark.parametrize(
    ("cells", "kinds"),
    [
        ((["17.07.2005"], ["03.04.2006"]), ["dates (written as DD.MM.YYYY)"] * 2),
        ((["03.04.2006"], ["05.04.2006"]), ["text (dates, but day and month may be confused)"] * 2),
        ((["17.07.2005"], ["07.17.2005"]), ["text (dates, but not in one layout)"] * 2),
        ((["17.07.2005"], ["2006-04-03"]), ["dates (written as DD.MM.YYYY)", "dates"]),
        ((["17.07.2005"], ["03/04/2006"]), ["text", "text (dates, but day and month may be confused)"]),
    ],
)
def test_dates_are_read_alike_in_all_files(tmp_path, cells, kinds):
    for number, column in enumerate(cells):
        (tmp_path / f"{number}.csv").write_text("\n".join(["born", *column]))
    read = read_frames([open_table(tmp_path / f"{number}.csv") for number in range(len(cells))], ["born"])
    assert [entry.report.columns["born"] for entry in read] == kinds
    if kinds[0].startswith("dates"):
        assert all(entry.frame["born"].dtype.kind == "M" for entry in read)
        assert not any(entry.report.notes for entry in read)


@pytest.mark.parametrize(
    ("options", "spelled"),
    [
        (Reading(), 'use missing="drop" (leave such rows out), missing="value"'),
        (Reading.of({}, "'my.toml': "), 'use missing = "drop" (leave such rows out), missing = "value"'),
        (Reading.of({}, "--"), "use --missing drop (leave such rows out), --missing value"),
    ],
)
def test_messages_spell_options_as_the_interface_does(tmp_path, options, spelled):
    (tmp_path / "t.csv").write_text("age,zip\n1,\n2,3\n")
    with pytest.raises(MissingValueError, match=re.escape(spelled)):
        read_file(tmp_path / "t.csv", options)
