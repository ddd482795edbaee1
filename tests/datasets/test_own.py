"""A researcher's own table by TOML."""

import pandas as pd
import pytest

from ppdp_lab import datasets
from ppdp_lab.errors import DataFileError, HierarchyError, ParameterError, PPDPError, RoleWarning, SchemaError
from ppdp_lab.io import ReadingWarning

GOOD = """
file = "patients.csv"
separator = ";"
quasi_identifiers = ["age", "zip", "job"]
sensitive = "disease"
identifiers = ["name"]
id = "patient"

[hierarchies]
job = "job.csv"
age = { widths = [5, 10] }
zip = { mask = 4 }
"""


@pytest.fixture
def folder(tmp_path):
    frame = pd.DataFrame(
        {
            "patient": ["p1", "p2", "p3"],
            "name": ["Ann", "Bob", "Cid"],
            "age": [31, 38, 52],
            "zip": [4370, 4378, 4352],
            "job": ["nurse", "cook", "cook"],
            "disease": ["flu", "HIV", "flu"],
            "shoe size": [38, 43, 44],
        }
    )
    frame.to_csv(tmp_path / "patients.csv", sep=";", index=False)
    (tmp_path / "job.csv").write_text("nurse;care;*\ncook;kitchen;*\n")
    (tmp_path / "own.toml").write_text(GOOD)
    return tmp_path


def test_a_toml_is_accepted_where_a_name_is(folder):
    table = datasets.load(folder / "own.toml")
    assert table.provenance == "own data"
    assert list(table.ids) == ["p1", "p2", "p3"]
    assert table.schema.identifiers == ("name",)
    assert table.domains["zip"].hierarchy.levels(4378) == ["4378", "437*", "43**", "4***", "****"]
    assert table.domains["age"].hierarchy.level_sizes()[-1] == 1
    assert "shoe size" not in table.frame
    assert len(datasets.load(str(folder / "own.toml"), rows=2)) == 2
    assert "3 rows, own data" in datasets.describe(folder / "own.toml")


def test_parquet_serves_as_well(folder):
    pd.read_csv(folder / "patients.csv", sep=";").to_parquet(folder / "patients.parquet")
    (folder / "own.toml").write_text(GOOD.replace("patients.csv", "patients.parquet"))
    assert len(datasets.load(folder / "own.toml")) == 3


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (("file =", "fil ="), DataFileError, "unknown key.s. 'fil'"),
        (('file = "patients.csv"', ""), DataFileError, "lacks the key 'file'"),
        (("patients.csv", "patient.csv"), DataFileError, "no data file .*patient.csv"),
        (("[hierarchies]", "[hierarchies"), DataFileError, "not valid TOML"),
        (('"age", "zip"', '"ages", "zip"'), SchemaError, "'ages', which the frame does not have"),
        (('id = "patient"', 'id = "patents"'), SchemaError, "id column 'patents' is not in"),
        (("{ mask = 4 }", "{ masks = 4 }"), DataFileError, "must be a file name"),
        (
            ("{ mask = 4 }", "{ mask = 1 }"),
            ParameterError,
            r"own.toml': the hierarchy { mask = 1 } of column 'zip': .*roots",
        ),
        (("[5, 10]", "[5, 8]"), ParameterError, r"own.toml': the hierarchy { widths = \[5, 8\] } of column 'age': "),
        (('job = "job.csv"', 'jobs = "job.csv"'), SchemaError, "hierarchy for 'jobs'"),
        (('job = "job.csv"', 'job = "jobs.csv"'), DataFileError, "no hierarchy file .*jobs.csv"),
        (('file = "patients.csv"', "file = 5"), DataFileError, "own.toml': file must be text in quotes, not 5"),
        (('id = "patient"', 'id = ["age"]'), DataFileError, r"own.toml': id must be text in quotes, not \['age'\]"),
        (('separator = ";"', "separator = 5"), ParameterError, "own.toml': separator must be one character.*, not 5"),
        (('separator = ";"', 'separator = "(("'), ParameterError, r"own.toml': separator must .*, not '\(\('"),
        (
            (GOOD[GOOD.index("[hierarchies]") :], 'hierarchies = "x"'),
            DataFileError,
            r"own.toml': hierarchies must be a table \[hierarchies\] with one line per column, not 'x'",
        ),
    ],
)
def test_each_mistake_has_its_words(folder, change, error, words):
    assert change[0] in GOOD
    (folder / "own.toml").write_text(GOOD.replace(*change))
    with pytest.raises(error, match=words):
        datasets.load(folder / "own.toml")


def test_a_description_that_is_not_utf8(folder):
    (folder / "own.toml").write_bytes('provenance = "Zürich"\n'.encode("latin-1"))
    with pytest.raises(DataFileError, match=r"own.toml' is not UTF-8 text .*; save it as UTF-8"):
        datasets.load(folder / "own.toml")


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (
            "age;age;sex\n1;2;m\n",
            SchemaError,
            r"patients.csv' has more than one column named 'age' \(line 1, columns 1, 2\); rename or drop them",
        ),
        ("age;;\n34;x;y\n", SchemaError, r"patients.csv', line 1: column\(s\) 2, 3 of the header have no name"),
        ("NA;NA;age\n1;2;3\n", SchemaError, "more than one column named 'NA'"),
        ("age;sex\n1;2;m\n", DataFileError, "the rows have more fields than the header has names; name every column"),
        ("age;sex\n", DataFileError, "patients.csv' has a header but no rows"),
    ],
)
def test_a_header_that_pandas_would_bend(folder, text, error, words):
    (folder / "patients.csv").write_text(text)
    (folder / "own.toml").write_text('file = "patients.csv"\nseparator = ";"\nquasi_identifiers = "age"\n')
    with pytest.raises(error, match=words):
        datasets.load(folder / "own.toml")
    (folder / "patients.csv").write_text(";age\n0;34\n1;51\n")  # row numbers, as pandas writes them
    assert datasets.load(folder / "own.toml").frame["age"].tolist() == [34, 51]


def test_a_value_absent_from_its_hierarchy_is_named(folder):
    (folder / "job.csv").write_text("nurse;care;*\n")
    with pytest.raises(HierarchyError, match=r"1 value\(s\) of column 'job' are absent from its hierarchy: 'cook'"):
        datasets.load(folder / "own.toml")


def test_a_description_that_is_not_there(tmp_path):
    with pytest.raises(DataFileError, match="no data set description"):
        datasets.load(tmp_path / "none.toml")


@pytest.mark.parametrize("strange", [5, None, ["own.toml"]])
def test_what_is_no_path_is_refused(strange):
    with pytest.raises(ParameterError, match="path must be the path of a TOML file that describes a data set, not"):
        datasets.load_own(strange)


def test_zip_codes_stay_text(folder):
    text = (folder / "patients.csv").read_text().replace(";4", ";04")
    (folder / "patients.csv").write_text(text)
    table = datasets.load_own(folder / "own.toml")
    assert table.frame["zip"].tolist() == ["04370", "04378", "04352"]
    assert table.domains["zip"].hierarchy.levels("04378")[1] == "0437*"


@pytest.mark.parametrize("place", ["above", "under a heading"])
def test_how_the_file_is_read_may_be_said(folder, place):
    (folder / "patients.csv").write_text("age,job\n34,cook\n?,cook\n51,nurse\n")
    options = 'missing = "drop"\nmissing_values = ["?"]\ntext = ["age"]\n'
    heading = "[reading]\n" if place == "under a heading" else ""
    (folder / "own.toml").write_text(f'file = "patients.csv"\nquasi_identifiers = ["age", "job"]\n{heading}{options}')
    table = datasets.load_own(folder / "own.toml")
    assert table.frame["age"].tolist() == ["34", "51"]
    assert table.provenance == "own data, 1 rows with missing values left out"


@pytest.mark.parametrize(
    ("reading", "error", "words"),
    [
        ('[reading]\nseparator = ","', DataFileError, r"own.toml': 'separator' stand\(s\) both above and under"),
        ('[reading]\nseparater = ","', ParameterError, "own.toml': unknown reading option 'separater'; did you mean"),
        (
            '[reading]\nmissing = "no"',
            ParameterError,
            "own.toml': missing must be one of 'refuse', 'value', 'category', 'drop'",
        ),
    ],
)
def test_how_the_file_is_read_may_be_said_wrong(folder, reading, error, words):
    (folder / "own.toml").write_text(f"{GOOD}\n{reading}\n")
    with pytest.raises(error, match=words):
        datasets.load_own(folder / "own.toml")
    (folder / "own.toml").write_text(GOOD.replace("[hier", "reading = 5\n[hier"))
    with pytest.raises(DataFileError, match=r"reading must be a table \[reading\] with one line per option, not 5"):
        datasets.load_own(folder / "own.toml")


def test_doubts_of_the_reader_are_warned_of(folder):
    (folder / "patients.csv").write_text((folder / "patients.csv").read_text().replace("HIV", "NA"))
    with pytest.warns(
        ReadingWarning, match=r"patients.csv: column 'disease' has 1 cell\(s\) 'NA', which look like a mark"
    ):
        assert datasets.load_own(folder / "own.toml").frame["disease"].tolist() == ["flu", "NA", "flu"]


@pytest.mark.parametrize("column", ["age", "zip"])
def test_a_hierarchy_made_of_values_has_a_leaf_for_missing_ones(folder, column):
    frame = pd.read_csv(folder / "patients.csv", sep=";", dtype=str)
    frame.loc[1, column] = None
    frame.to_csv(folder / "patients.csv", sep=";", index=False)
    (folder / "own.toml").write_text(f'{GOOD}\n[reading]\nmissing = "value"\n')
    table = datasets.load_own(folder / "own.toml")
    tree = table.domains[column].hierarchy
    top = tree.labels[-1]
    assert tree.levels("(missing)") == ["(missing)"] * tree.height + [top]
    assert table.codes(column)[1] == tree.n_leaves - 1 and pd.isna(table.frame[column].iloc[1])


def test_widths_need_numbers(folder):
    (folder / "own.toml").write_text(GOOD + '\n[reading]\ntext = ["age"]\n')
    with pytest.raises(SchemaError, match=r"own.toml': column 'age' is text \(as said\); widths need numbers"):
        datasets.load_own(folder / "own.toml")


def test_domains_can_be_declared(tmp_path):
    (tmp_path / "people.csv").write_text("age,disease\n30,flu\n40,HIV\n")
    toml = tmp_path / "people.toml"
    text = 'file = "people.csv"\nquasi_identifiers = ["age"]\nsensitive = "disease"\n[domains]\n'
    toml.write_text(text + 'age = { from = 18, to = 99 }\ndisease = ["flu", "HIV", "angina"]\n')
    table = datasets.load_own(toml)
    assert len(table.domains["age"]) == 82 and table.domains["age"].declared
    assert sorted(table.domains["disease"].values.tolist()) == ["HIV", "angina", "flu"]
    for wrong, words in (
        ("age = 5", "the domain of 'age' must be a list of values or"),
        ("age = { from = 9, to = 3 }", "the domain of 'age' must be a list of values or"),
        ("age = [30]", "column 'age' has 40, outside the domain that was declared for it"),
        ("weight = [30]", "domains given for 'weight', which are neither quasi-identifiers nor sensitive"),
    ):
        toml.write_text(text + wrong + "\n")
        with pytest.raises(PPDPError, match=words):
            datasets.load_own(toml)


def test_a_column_that_identifies_people_is_warned_of(tmp_path):
    (tmp_path / "t.csv").write_text("name,age\n" + "".join(f"Person {i},{i % 3}\n" for i in range(20)))
    (tmp_path / "t.toml").write_text('file = "t.csv"\nquasi_identifiers = ["name", "age"]\n')
    with pytest.warns(RoleWarning, match="quasi-identifier 'name': nearly every record has a value of its own"):
        datasets.load(tmp_path / "t.toml")
