"""Snapshots from a folder of monthly files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab.errors import (
    DataFileError,
    IdError,
    MissingValueError,
    ParameterError,
    RepeatedSnapshotError,
    RoleWarning,
    SchemaError,
)
from ppdp_lab.holder import read_months, snapshots_from_folder
from ppdp_lab.holder.months import in_order
from ppdp_lab.io import Reading, ReadingWarning
from ppdp_lab.republish import Publisher
from ppdp_lab.table import Hierarchy, Schema


@pytest.fixture
def months(tmp_path):
    january = pd.DataFrame(
        {"person": [1, 2, 3], "age": [30, 40, 50], "illness": ["flu", "flu", "HIV"], "room": [1, 2, 3]}
    )
    february = pd.DataFrame(
        {"person": [3, 2, 4], "age": [51, 40, 20], "illness": ["HIV", "flu", "cold"], "room": [1, 2, 3]}
    )
    january.to_csv(tmp_path / "2026-01.csv", index=False)
    february.to_parquet(tmp_path / "2026-02.parquet")
    return tmp_path


def test_monthly_files_share_one_coding(months):
    schema = Schema("age", sensitive="illness")
    first, second = snapshots_from_folder(months, schema, id="person")
    assert first.table.domains is second.table.domains
    assert list(first.table.ids) == [1, 2, 3] and list(second.table.ids) == [3, 2, 4]
    assert (list(second.inserted), list(second.deleted), list(second.updated)) == ([4], [1], [3])
    assert second.table.frame.loc[3, "age"] == 51
    assert [s.number for s in (first, second)] == [0, 1]


def test_monthly_files_with_mistakes_are_refused(months):
    schema = Schema("age", sensitive="illness")
    with pytest.raises(DataFileError, match="no folder"):
        snapshots_from_folder(months / "none", schema, id="person")
    with pytest.raises(DataFileError, match=r"no CSV, parquet or Arrow file matches '\*.xlsx'"):
        snapshots_from_folder(months, schema, id="person", pattern="*.xlsx")
    with pytest.raises(SchemaError, match=r"file '2026-01.csv' lacks column\(s\) 'persons'"):
        snapshots_from_folder(months, schema, id="persons")
    pd.DataFrame({"person": [1, 1], "age": [3, 4], "illness": ["flu", "flu"]}).to_csv(months / "2026-03.csv")
    with pytest.raises(IdError, match=r"file '2026-03.csv': id\(s\) '1' stand more than once"):
        snapshots_from_folder(months, schema, id="person")


def folder_of(folder, *texts):
    for number, text in enumerate(texts, start=1):
        (folder / f"m{number}.csv").write_text(text)
    return folder


def month(ids, zips=None):
    return "id,zip,illness\n" + "".join(f"{i},{z},flu\n" for i, z in zip(ids, zips or range(10, 10 + len(ids))))


SICK = Schema("zip", sensitive="illness")


def test_ids_are_read_alike_in_all_files(tmp_path):
    ids = ["01", "02", "03", "04", "05", "06"]
    first, second = snapshots_from_folder(folder_of(tmp_path, month(ids), month([*ids, "X1"])), SICK, id="id")
    assert list(first.table.ids) == ids and list(second.table.ids) == [*ids, "X1"]
    assert (list(second.inserted), list(second.deleted), list(second.updated)) == (["X1"], [], [])
    (alone,) = snapshots_from_folder(tmp_path, SICK, id="id", pattern="m1.csv")
    assert list(alone.table.ids) == ids


def test_ids_of_csv_and_parquet_files_meet(tmp_path):
    folder_of(tmp_path, month([1, 2, 3]), month(["1.0", " 2", 4]))
    pd.DataFrame({"id": [2, 4], "zip": [11, 12], "illness": "flu"}).to_parquet(tmp_path / "m3.parquet")
    numbers = snapshots_from_folder(tmp_path, SICK, id="id")
    assert [list(s.table.ids) for s in numbers] == [[1, 2, 3], [1, 2, 4], [2, 4]]
    pd.DataFrame({"id": ["2", "4"], "zip": [11, 12], "illness": "flu"}).to_parquet(tmp_path / "m3.parquet")
    texts = snapshots_from_folder(tmp_path, SICK, id="id")
    assert [list(s.table.ids) for s in texts] == [["1", "2", "3"], ["1", "2", "4"], ["2", "4"]]


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["1", "02"], r"id\(s\) '01', '1' differ only in zeros in front; write each person's id alike"),
        (["", "02"], "file 'm2.csv': some ids are missing"),
        (["7", "7.0"], r"file 'm2.csv': id\(s\) '7' stand more than once"),
    ],
)
def test_ids_that_may_be_the_same_person_are_refused(tmp_path, ids, words):
    with pytest.raises(IdError, match=words):
        snapshots_from_folder(folder_of(tmp_path, month(["01", "02"]), month(ids)), SICK, id="id")


def test_values_are_read_alike_in_all_files(tmp_path):
    folder_of(tmp_path, month([1, 2], ["01", "02"]), month([1, 2, 3], ["01", "02", "A7"]))
    first, second = snapshots_from_folder(tmp_path, SICK, id="id")
    assert list(first.table.frame["zip"]) == ["01", "02"]
    assert not len(second.updated)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (
            "id,zip,zip,illness\n1,2,3,flu\n",
            SchemaError,
            r"file 'm2.csv' has more than one column named 'zip' \(line 1, columns 2, 3\); rename or drop",
        ),
        ("", DataFileError, "file 'm2.csv' cannot be read as CSV: it is empty"),
        ("id,zip,illness\n", DataFileError, "file 'm2.csv' has a header but no rows"),
        (
            "id,zip,illness\n1,2,flu,3\n",
            DataFileError,
            "cannot be read as CSV: line 2: the rows have more fields than .* name every column .4, not 3.",
        ),
        (
            "id,zip,illness\n1,2,flu\n2,3,flu,4\n",
            DataFileError,
            "cannot be read as CSV: line 3: 4 fields, but the header names 3",
        ),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, text, error, words):
    with pytest.raises(error, match=words):
        snapshots_from_folder(folder_of(tmp_path, month([1, 2]), text), SICK, id="id")


@pytest.mark.parametrize("name", ["m2.csv", "m2.parquet"])
def test_a_binary_file_is_refused(tmp_path, name):
    folder_of(tmp_path, month([1, 2]))
    (tmp_path / name).write_bytes(bytes(range(128, 256)) * 4)
    with pytest.raises(DataFileError, match=f"file '{name}' cannot be read as {'CSV' if 'csv' in name else 'parquet'}"):
        snapshots_from_folder(tmp_path, SICK, id="id")


@pytest.mark.parametrize("pattern", ["", None, "/m*.csv"])
def test_a_pattern_that_names_no_files_is_refused(months, pattern):
    with pytest.raises(ParameterError, match=r"^pattern "):
        snapshots_from_folder(months, Schema("age", sensitive="illness"), id="person", pattern=pattern)


def test_the_id_column_is_never_published(months):
    with pytest.raises(SchemaError, match="the id column 'person' would be published"):
        snapshots_from_folder(months, Schema("person", sensitive="illness"), id="person")
    with pytest.raises(ParameterError, match=r"schema must be a ppdp_lab.Schema, not list"):
        snapshots_from_folder(months, ["age"], id="person")
    with pytest.raises(ParameterError, match="id must be the name of a column"):
        snapshots_from_folder(months, Schema("age"), id=["person"])
    first, _ = snapshots_from_folder(months, Schema("age", identifiers="person"), id="person")
    assert list(first.table.ids) == [1, 2, 3]


def test_a_column_that_is_a_number_in_some_files_only_is_text_in_all(tmp_path):
    folder_of(tmp_path, month([1, 2], [10, 11]), month([1, 2], [10, "A7"]))
    pd.DataFrame({"id": [1, 2], "zip": [10.0, 11.0], "illness": "flu"}).to_parquet(tmp_path / "m3.parquet")
    months = read_months(tmp_path, SICK, id="id")
    assert [s.table.frame["zip"].tolist() for s in months.snapshots] == [["10", "11"], ["10", "A7"], ["10", "11"]]
    assert [report.columns["zip"] for report in months.reports] == ["text"] * 3
    assert "not all of its cells in all files" in months.reports[0].notes[0]
    with pytest.warns(ReadingWarning, match="m1.csv: column 'zip' is text"):
        snapshots_from_folder(tmp_path, SICK, id="id")


def test_whole_numbers_and_decimals_are_numbers_in_all(tmp_path):
    first, second = snapshots_from_folder(folder_of(tmp_path, month([1], [10]), month([1], ["10.5"])), SICK, id="id")
    assert first.table.frame["zip"].tolist() == [10] and second.table.frame["zip"].tolist() == [10.5]


def test_missing_cells_of_one_month_change_no_type(tmp_path):
    folder_of(tmp_path, month([1, 2], [10, 11]), month([1, 2], ["", 11]))
    with pytest.raises(MissingValueError, match=r"file 'm2.csv': column 'zip' has 1 missing value\(s\), first in line"):
        snapshots_from_folder(tmp_path, SICK, id="id")
    first, second = read_months(tmp_path, SICK, id="id", options=Reading(missing="value")).snapshots
    assert first.table.frame["zip"].tolist() == [10, 11] and second.table.frame["zip"].tolist() == [pd.NA, 11]
    assert first.table.domains["zip"].kind == "ordered" and first.table.domains["zip"] is second.table.domains["zip"]
    first, second = snapshots_from_folder(tmp_path, SICK, id="id", missing="drop")
    assert list(second.table.ids) == [2] and second.table.frame["zip"].tolist() == [11]


def test_each_file_may_be_written_in_its_own_way(tmp_path):
    (tmp_path / "m1.csv").write_text("id;zip;illness\n1;1,5;flu\n")
    (tmp_path / "m2.csv").write_bytes("id\tzip\tillness\n1\t2.5\tgrippe é\n".encode("utf-16"))
    first, second = snapshots_from_folder(tmp_path, SICK, id="id")
    assert first.table.frame["zip"].tolist() == [1.5] and second.table.frame["zip"].tolist() == [2.5]
    with pytest.raises(SchemaError, match=r"file 'm2.csv' lacks column\(s\) 'id'"):
        snapshots_from_folder(tmp_path, SICK, id="id", separator=";")
    with pytest.raises(
        ParameterError, match="missing must be one of 'refuse', 'value', 'category', 'drop', not 'none'"
    ):
        snapshots_from_folder(tmp_path, SICK, id="id", missing="none")


def test_a_column_with_a_hierarchy_of_texts_is_read_to_the_letter(tmp_path):
    tree = Hierarchy.mask_suffix(["10", "11"])
    folder_of(tmp_path, month([1, 2], [10, 11]))
    (only,) = snapshots_from_folder(tmp_path, SICK, id="id", hierarchies={"zip": tree})
    assert only.table.frame["zip"].tolist() == ["10", "11"]
    with pytest.raises(ParameterError, match="hierarchies must be a dictionary"):
        snapshots_from_folder(tmp_path, SICK, id="id", hierarchies=[tree])
    with pytest.raises(ParameterError, match="numbers names 'zip', whose hierarchy has texts for leaves"):
        snapshots_from_folder(tmp_path, SICK, id="id", hierarchies={"zip": tree}, numbers=["zip"])


# ---------------------------------------------------------------------- which month comes first
@pytest.mark.parametrize(
    "names",
    [
        ["month-1.csv", "month-2.csv", "month-10.csv"],
        ["M9.csv", "m-10.CSV", "m_11.parquet"],
        ["2025-12.csv", "2026-01.csv"],
        ["12-2025.csv", "01-2026.csv"],
        ["Q4-2025.csv", "Q1-2026.csv"],
        ["122025.csv", "012026.csv"],
        ["202512.csv", "202601.csv"],
        ["31122025.csv", "01012026.csv"],
        ["20251231.csv", "20260101.csv"],
        ["13.04.2026.csv", "04.05.2026.csv"],  # 13 is no month
        ["04-13-2026.csv", "05-04-2026.csv"],
        ["01.02.2026.csv", "01.03.2026.csv"],  # the same order either way
        ["x-2026-01-31T12.csv", "x-2026-02-28T11.csv"],
        ["009999.csv", "010000.csv"],
        ["only.csv"],
    ],
)
def test_numbers_and_dates_in_names_decide_the_order(names):
    assert [path.name for path in in_order([Path(name) for name in sorted(names)])] == names
    assert [path.name for path in in_order([Path(name) for name in sorted(names, reverse=True)])] == names


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["month-1.csv", "month-01.csv"], "some have the same numbers"),
        (["2026-01.csv", "2026-01.parquet"], "some have the same numbers"),
        (["jan.csv", "feb.csv"], "they differ in more than their numbers"),
        (["2026-01.csv", "2026-01-corrected.csv"], "they differ in more than their numbers"),
        (["month-1.csv", "week-2.csv"], "they differ in more than their numbers"),
        (["05.04.2026.csv", "04.05.2026.csv"], "their numbers can be read in several ways"),
        (["12-25.csv", "01-26.csv"], "their numbers can be read in several ways"),
        (["123125.csv", "013126.csv"], "their numbers can be read in several ways"),
    ],
)
def test_names_that_do_not_decide_the_order_are_refused(names, why):
    with pytest.raises(DataFileError, match=f"do not tell which month comes first: {why}; name them like 2026-01.csv"):
        in_order([Path(name) for name in names])


def test_months_are_read_in_their_order_or_in_the_listed_one(tmp_path):
    for name, ids in (("month-10", [3, 4]), ("month-2", [2, 3]), ("month-1", [1, 2])):
        (tmp_path / f"{name}.csv").write_text(month(ids))
    read = snapshots_from_folder(tmp_path, SICK, id="id")
    assert [list(snapshot.table.ids) for snapshot in read] == [[1, 2], [2, 3], [3, 4]]
    for number, name in enumerate(("jan", "feb", "mar"), start=1):
        (tmp_path / f"{name}.csv").write_text(month([number]))
    order = ["jan.csv", "feb.csv", "mar.csv"]
    listed = snapshots_from_folder(tmp_path, SICK, id="id", pattern="???.csv", order=order)
    assert [list(snapshot.table.ids) for snapshot in listed] == [[1], [2], [3]]
    for wrong, words in [
        (order[:2], "order: 'mar.csv' is missing"),
        ([*order, "apr.csv"], "order: 'apr.csv' is not among the files"),
        ([*order, "jan.csv"], "order: 'jan.csv' is listed twice"),
        ("jan.csv", "order must be a list of file names"),
    ]:
        with pytest.raises(ParameterError, match=words):
            snapshots_from_folder(tmp_path, SICK, id="id", pattern="???.csv", order=wrong)


# ---------------------------------------------------------------------- a month by itself
@pytest.fixture
def three_months(tmp_path):
    rng = np.random.default_rng(3)
    n = 300
    people = pd.DataFrame(
        {
            "id": range(n),
            "age": rng.integers(18, 80, n),
            "zip": rng.choice(["01067", "01069", "04103"], n),
            "illness": rng.choice(["flu", "HIV", "asthma", "angina", "cold"], n),
        }
    )
    for number, rows in ((1, slice(0, 200)), (2, slice(50, 250)), (10, slice(75, 300))):
        people[rows].to_csv(tmp_path / f"month-{number}.csv", index=False)
    return tmp_path


SERIES = {
    "MInvariance": lambda: pl.MInvariance(2, seed=1),
    "EEquivalence": lambda: pl.EEquivalence(2, e=2, seed=1),
    "BPG": lambda: pl.BPG(pl.KAnonymity(3), base=pl.Mondrian(pl.KAnonymity(3)), seed=1),
    "MDistinct": lambda: pl.MDistinct(2, seed=1),
    "I3M": lambda: pl.I3M(3, seed=1),
}


@pytest.mark.parametrize("name", SERIES)
def test_a_month_read_by_itself_continues_the_series(three_months, name):
    schema, memory = Schema(["age", "zip"], sensitive="illness"), three_months / "memory.npz"

    def alone(number):
        (snapshot,) = snapshots_from_folder(three_months, schema, id="id", pattern=f"month-{number}.csv")
        return snapshot

    together = SERIES[name]()
    expected = [together.publish(month) for month in snapshots_from_folder(three_months, schema, id="id")]
    SERIES[name]().save(memory)
    for number, release in zip((1, 2, 10), expected):
        publisher = Publisher.load(memory)
        found = publisher.publish(alone(number))
        assert sorted(found.records) == sorted(release.records) and len(found) == len(release)
        assert [found.n_classes, found.n_counterfeits] == [release.n_classes, release.n_counterfeits]
        publisher.save(memory)
    for number, before in ((10, 2), (1, 0)):  # the last month, and one before it
        publisher = Publisher.load(memory)
        with pytest.raises(
            RepeatedSnapshotError, match=f"those of release {before} .counted from 0., so they would be"
        ):
            publisher.publish(alone(number))
        assert publisher.number == 3


def test_a_copied_month_is_pointed_out(tmp_path):
    folder_of(tmp_path, month([1, 2]), month([2, 1], [11, 10]))
    with pytest.warns(
        ReadingWarning, match=r"m2.csv: has the same persons and values as 'm1.csv'; check that it is not"
    ):
        snapshots_from_folder(tmp_path, SICK, id="id")


def test_ids_of_a_month_by_itself_can_be_text(tmp_path):
    folder_of(tmp_path, month(["01", "X2"]), month([7, 8]))
    (only,) = snapshots_from_folder(tmp_path, SICK, id="id", pattern="m2.csv", text=["id"])
    assert list(only.table.ids) == ["7", "8"]


def test_months_warn_of_columns_that_identify_people(tmp_path):
    folder_of(tmp_path, month(range(9), [f"street {i}" for i in range(9)]))
    with pytest.warns(
        RoleWarning, match="quasi-identifier 'zip': nearly every record has a value of its own"
    ) as caught:
        snapshots_from_folder(tmp_path, SICK, id="id")
    assert "street" not in str(caught[0].message)
