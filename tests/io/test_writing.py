"""Files in the format of their extension."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.io import format_of, formula_cells, read_file, write_tables
from ppdp_lab.io.writing import guarded

FRAME = pd.DataFrame(
    {
        "zip": pd.Categorical(["01067", "01069"], categories=["01067", "01069", "unseen"]),
        "age": [30, 40],
        "born": pd.to_datetime(["2005-07-17", "2006-04-03"]),
    },
    index=[17, 4],
)
FRAME.attrs["source"] = "secret"


@pytest.mark.parametrize("name", ["t.parquet", "t.PARQUET", "t.arrow", "t.feather"])
def test_arrow_and_parquet_hold_the_rows_and_nothing_else(tmp_path, name):
    (path,) = write_tables({tmp_path / name: FRAME})
    read = pyarrow.parquet.read_table if "arquet" in name.lower() else pyarrow.feather.read_table
    table = read(path)
    assert table.schema.metadata is None and table.column_names == ["zip", "age", "born"]
    assert not any(pa.types.is_dictionary(field.type) or field.metadata for field in table.schema)
    assert table.column("zip").to_pylist() == ["01067", "01069"]
    content = path.read_bytes()
    assert not any(word in content for word in (b"unseen", b"secret", b"pandas"))
    assert write_tables({tmp_path / f"again-{name}": FRAME})[0].read_bytes() == content
    assert read_file(path).frame["age"].tolist() == [30, 40]


def test_values_without_a_type_of_their_own_become_text(tmp_path):
    frame = pd.DataFrame(
        {"x": ["a", 1], "y": [Fraction(1, 3), 2], "z": pd.period_range("2020-01", periods=2, freq="M")}
    )
    (path,) = write_tables({tmp_path / "t.parquet": frame})
    found = pyarrow.parquet.read_table(path)
    assert found.to_pydict() == {"x": ["a", "1"], "y": ["1/3", "2"], "z": ["2020-01", "2020-02"]}
    assert not any(field.metadata for field in found.schema)


def test_separators(tmp_path):
    frame = pd.DataFrame({"a": [1], "b": ["x"]})
    paths = write_tables({tmp_path / name: frame for name in ("t.csv", "t.tsv", "t.txt", "t")}, separator=";")
    assert [path.read_text() for path in paths] == ["a;b\n1;x\n", "a\tb\n1\tx\n", "a;b\n1;x\n", "a;b\n1;x\n"]


def test_unknown_formats_and_guards_that_do_nothing_are_refused(tmp_path):
    for name in ("t.xlsx", "t.csv.gz"):
        with pytest.raises(
            ParameterError, match=r"is not a known format; use one of .csv, .tsv, .txt, .parquet, .arrow"
        ):
            write_tables({tmp_path / "good.csv": FRAME, tmp_path / name: FRAME})
    with pytest.raises(ParameterError, match="only CSV files have guarded cells"):
        write_tables({tmp_path / "t.parquet": FRAME}, guard=True)
    assert list(tmp_path.iterdir()) == [] and format_of("x.CSV") == "CSV"


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_half_a_surrogate_pair_is_refused(tmp_path, name):
    frame = pd.DataFrame({"x": pd.Series(["\ud800"], dtype=object)})
    with pytest.raises(DataFileError, match="half of a surrogate pair"):
        write_tables({tmp_path / name: frame})
    assert list(tmp_path.iterdir()) == []


def test_formulas_are_counted_until_they_are_guarded():
    cells = ["=1", "+x", "-", "@a", "\tb", "\rc", "'=1", "fine", "a=1", "-5", "+1.5", None]
    frame = pd.DataFrame({"@name": cells, "n": range(-6, 6)})
    assert formula_cells(frame) == 7  # six cells and a name; -5 and +1.5 are numbers to a spreadsheet, too
    assert formula_cells(guarded(frame)) == 0
