"""The same file through the command line, a TOML table and a monthly folder is the same table."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdp_lab import datasets
from ppdp_lab.errors import PPDPError
from ppdp_lab.holder import read_own_file, reading_options, snapshots_from_folder
from ppdp_lab.io import Reading, ReadingWarning
from ppdp_lab.io.reading import read_hierarchy
from ppdp_lab.table import Schema

SCHEMA = Schema(["age", "zip"], sensitive="disease")


def doors(folder, name, said, trees=()):
    """The table, or the words of the refusal, of each of the three doors."""
    toml = "".join(f"{key} = {value!r}\n" for key, value in said.items())
    trees_said = "\n[hierarchies]\n" + "".join(f'{column} = "{column}.tree"\n' for column in trees)
    (folder / "own.toml").write_text(
        f'file = "{name}"\nquasi_identifiers = ["age", "zip"]\nsensitive = "disease"\n{toml}{trees_said}'
    )
    options = {key: ",".join(value) if isinstance(value, list) else value for key, value in said.items()}
    hierarchies = {column: folder / f"{column}.tree" for column in trees}
    read_trees = {column: read_hierarchy(path) for column, path in hierarchies.items()}
    out = []
    for door in (
        lambda: read_own_file(folder / name, SCHEMA, hierarchies, reading_options(**options)).table,
        lambda: datasets.load_own(folder / "own.toml"),
        lambda: snapshots_from_folder(folder, SCHEMA, id="id", pattern=name, hierarchies=read_trees, **said)[0].table,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReadingWarning)
            try:
                out.append(door())
            except PPDPError as error:
                out.append((type(error), in_python(str(error).replace(str(folder), "").replace("/", ""))))
    return out


def in_python(words):
    """A message with its options spelled as in Python, however the door spells them."""
    words = re.sub(r"--([a-z-]+)", lambda option: option[1].replace("-", "_"), words)
    return re.sub(r'(missing|decimal)(?: | = |=)"?(\w+|,)"? ', r'\1="\2" ', words)


def assert_alike(tables):
    first = tables[0]
    for other in tables[1:]:
        if isinstance(first, tuple):
            assert other == first
            continue
        assert not isinstance(other, tuple), other
        assert other.fingerprint() == first.fingerprint()
        assert np.array_equal(other.qi_codes, first.qi_codes)
        assert np.array_equal(other.sensitive_codes, first.sensitive_codes)
        for name, domain in first.domains.items():
            twin = other.domains[name]
            assert (twin.kind, twin.dtype, twin.values.dtype) == (domain.kind, domain.dtype, domain.values.dtype)
            assert twin.values.tolist() == domain.values.tolist()
            assert (twin.missing, twin.missing_counts) == (domain.missing, domain.missing_counts)


HEAD = "id,age,zip,disease\n"
ROWS = "1,34,01234,flu\n2,29,01235,HIV\n"
FILES = {
    "zip codes": (HEAD + ROWS, {}),
    "NA is a value": (HEAD + ROWS + "3,NA,01234,NA\n", {}),
    "NA is missing": (HEAD + ROWS + "3,NA,01234,NA\n", {"missing_values": ["NA"], "missing": "drop"}),
    "missing is a value": (HEAD + ROWS + "3,,01234,flu\n", {"missing": "value"}),
    "missing is refused": (HEAD + ROWS + "3,,01234,flu\n", {}),
    "semicolons and decimal commas": ("id;age;zip;disease\n1;34,5;1,5;flu\n2;29;2;HIV\n", {}),
    "a mark and carriage returns": ("\ufeff" + (HEAD + ROWS).replace("\n", "\r\n"), {}),
    "dates": (HEAD + "1,2020-01-02,03/04/2020,flu\n2,1999-12-31,04/04/2020,HIV\n", {}),
    "sensitive numbers": (HEAD + "1,3,4,1.50\n2,4,5,1.5\n", {}),
    "said to be text": (HEAD + "1,3,4,1.50\n2,4,5,1.5\n", {"text": ["disease", "age"]}),
    "said to be numbers": (HEAD + ROWS, {"numbers": ["zip"]}),
    "quotes": ('id,age,zip,disease\n1,34,"a\nb",flu\n2,29,"c,d",HIV\n', {}),
    "not a number": (HEAD + ROWS + "3,inf,01234,flu\n", {}),
    "ragged": (HEAD + ROWS + "3,4\n", {}),
    "Western European": ((HEAD + "1,3,4,Röteln\n").encode("cp1252"), {}),
    "UTF-16": ((HEAD + "1,3,4,Röteln\n").encode("utf-16"), {}),
}


@pytest.mark.parametrize("what", FILES)
def test_a_file_is_the_same_table_through_every_door(tmp_path, what):
    content, said = FILES[what]
    (tmp_path / "t.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    tables = doors(tmp_path, "t.csv", said)
    assert_alike(tables)
    assert isinstance(tables[0], tuple) == (what in ("missing is refused", "not a number", "ragged"))


def test_the_same_with_hierarchies_and_parquet(tmp_path):
    (tmp_path / "zip.tree").write_text("01234;0123*;*\n01235;0123*;*\n")
    (tmp_path / "age.tree").write_text("34;30-39;*\n29;20-29;*\n")
    (tmp_path / "t.csv").write_text(HEAD + ROWS)
    assert_alike(doors(tmp_path, "t.csv", {}, ["zip", "age"]))
    frame = pd.DataFrame({"id": [1, 2], "age": [34, 29], "zip": ["01234", "01235"], "disease": ["flu", "HIV"]})
    frame.to_parquet(tmp_path / "t.parquet")
    tables = doors(tmp_path, "t.parquet", {}, ["zip", "age"])
    assert_alike(tables)
    assert_alike([*doors(tmp_path, "t.csv", {}), *doors(tmp_path, "t.parquet", {})])


CELLS = [
    "1",
    "01",
    "-2",
    "1.5",
    "1,5",
    "NA",
    "",
    " ",
    "x",
    "nan",
    "2020-01-02",
    "03/04/2020",
    "12345678901234567",
    '"a\nb"',
]


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from(CELLS)] * 3), min_size=1, max_size=4),
    missing=st.sampled_from(["refuse", "value", "category", "drop"]),
    marks=st.sampled_from([[], ["NA"]]),
)
def test_any_small_file_is_the_same_table_through_every_door(tmp_path_factory, rows, missing, marks):
    folder = tmp_path_factory.mktemp("doors")
    lines = ["id;age;zip;disease", *(";".join([str(i), *row]) for i, row in enumerate(rows))]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    assert_alike(doors(folder, "t.csv", {"missing": missing, "missing_values": marks}))


def test_options_of_a_command_line():
    assert reading_options(separator="\\t", missing=None, text="a, b") == Reading(separator="\t", text=["a", "b"])
