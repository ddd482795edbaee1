"""load, describe and the data folder."""

import numpy as np
import pandas as pd
import pytest

from ppdp_lab import datasets
from ppdp_lab.datasets import benchmarks, population
from ppdp_lab.errors import DataFileError, ParameterError, UnknownNameError
from ppdp_lab.io.reading import write_hierarchy

SMALL = {"cup": 2000, "fars": 2000, "atus": 2000, "ihis": 2000, "occ": 2000, "sal": 2000, "occ-mdistinct": 2000}


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)


@pytest.mark.parametrize("name", datasets.names())
def test_every_name_loads_and_says_what_it_is(name):
    table = datasets.load(name, rows=SMALL.get(name))
    assert table.provenance == ("real" if name.startswith("adult") else "stand-in")
    assert len(table) == SMALL.get(name, 30_162)
    row = datasets.catalogue().set_index("name").loc[name]
    assert row["provenance"] == table.provenance
    assert row["columns"].startswith(", ".join(table.schema.quasi_identifiers))


def test_the_views_carry_the_papers_choices():
    adult = datasets.load("adult")
    assert len(adult.schema.quasi_identifiers) == 7 and adult.schema.sensitive == ("occupation",)
    assert adult.domains["age"].kind == "ordered" and adult.domains["race"].kind == "hierarchy"
    arx = datasets.load("adult-arx")
    assert [d.hierarchy.height for d in arx.qi_domains] == [1, 4, 1, 2, 3, 2, 2, 2, 1]
    i3m = datasets.load("adult-i3m")
    assert [d.kind for d in i3m.qi_domains] == ["ordered"] * 2 + ["hierarchy"] * 6
    assert i3m.schema.sensitive == ("salary-class",)
    for name, sizes in {
        "occ": (79, 2, 17, 57, 50),
        "sal": (79, 2, 17, 57, 50),
        "occ-mdistinct": (79, 2, 6, 17, 50),
    }.items():
        table = datasets.load(name, rows=500)
        assert tuple(len(table.domains[c]) for c in table.domains) == sizes
        assert all(domain.kind == "ordered" for domain in table.domains.values())


def test_the_same_seed_gives_the_same_rows():
    for name in ("occ", "adult", "fars"):
        first, again = (datasets.load(name, rows=300, seed=3).fingerprint() for _ in range(2))
        assert first == again != datasets.load(name, rows=300, seed=4).fingerprint()


def test_a_sample_of_real_rows_are_real_rows():
    whole, sample = datasets.load("adult"), datasets.load("adult", rows=100, seed=1)
    assert sample.ids.is_unique
    assert np.array_equal(whole.qi_codes[:, whole.ids.get_indexer(sample.ids)], sample.qi_codes)


def test_unknown_names_and_bad_parameters_are_refused_in_words():
    with pytest.raises(UnknownNameError, match="unknown data set 'adlt'; did you mean 'adult'"):
        datasets.load("adlt")
    with pytest.raises(UnknownNameError, match=r"unknown data set \['adult'\]"):
        datasets.load(["adult"])
    for name in ("nope", "adult", ["occ"]):
        with pytest.raises(UnknownNameError, match=r"unknown census data set .* Known: 'occ', 'occ-mdistinct', 'sal'"):
            datasets.census(name)
    with pytest.raises(ParameterError, match="rows must be at least 1, not 0"):
        datasets.load("adult", rows=0)
    with pytest.raises(DataFileError, match=r"31000 rows were asked for, but the data set has 30162"):
        datasets.load("adult", rows=31_000)


def test_describe_tells_domains_provenance_and_licence():
    words = datasets.describe("adult")
    assert "30,162 rows, real" in words and "CC BY 4.0" in words
    assert "workclass (quasi-identifier): 7 of 8 values occur, hierarchy 8-3-1" in words


def test_a_census_file_in_the_data_folder_is_used(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    codes = pd.DataFrame({name: rng.integers(0, len(labels), 400) for name, labels in population.LABELS.items()})
    codes.to_parquet(tmp_path / "census600k.parquet")
    monkeypatch.setenv("PPDP_LAB_DATA", str(tmp_path))
    occ = datasets.load("occ")
    assert occ.provenance == "real" and len(occ) == 400
    assert np.array_equal(occ.codes("birthplace"), codes["birthplace"])
    assert occ.frame["age"].astype(int).tolist() == (codes["age"] + 17).tolist()
    assert datasets.load("sal").provenance == "real, imputed columns"
    assert set(datasets.catalogue().set_index("name").loc[["occ", "sal"], "provenance"]) == {
        "real",
        "real, imputed columns",
    }
    assert "that of the file in the data folder" in datasets.describe("occ")
    codes.assign(salary=50).to_parquet(tmp_path / "census600k.parquet")
    with pytest.raises(DataFileError, match="salary must hold codes 0 to 49"):
        datasets.load("sal")
    codes.drop(columns="gender").to_parquet(tmp_path / "census600k.parquet")
    with pytest.raises(DataFileError, match=r"lacks column.s. 'gender'"):
        datasets.load("occ")


def test_a_census_file_of_something_else_is_refused_in_words(tmp_path):
    file = tmp_path / "census600k.parquet"
    file.write_text("age,gender\n1,2\n")
    with pytest.raises(DataFileError, match=r"census600k.parquet' cannot be read as Parquet: "):
        datasets.load("occ", folder=tmp_path)
    codes = pd.DataFrame({name: [0, 1] for name in population.LABELS})
    for wrong in (["a", "b"], [0.0, 1.0], [0, None], [False, True]):
        codes.assign(education=wrong).to_parquet(file)
        with pytest.raises(DataFileError, match="education must hold codes 0 to 16, whole numbers all of them"):
            datasets.load("occ", folder=tmp_path)
    codes[:0].to_parquet(file)
    with pytest.raises(DataFileError, match=r"census600k.parquet' has no rows"):
        datasets.load("occ", folder=tmp_path)


def test_arx_files_in_the_data_folder_are_used(tmp_path):
    frame, trees = benchmarks.generate("fars", rows=300, seed=2)
    frame.to_csv(tmp_path / "fars.csv", sep=";", index=False)
    for name, tree in trees.items():
        write_hierarchy(tree, tmp_path / f"fars_hierarchy_{name}.csv")
    real = datasets.load("fars", folder=tmp_path)
    assert real.provenance == "real" and len(real) == 300
    made = datasets.load("fars", rows=300, seed=2)
    assert np.array_equal(real.qi_codes, made.qi_codes)


def test_a_data_folder_that_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PPDP_LAB_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataFileError, match=r"data folder .* does not exist; set PPDP_LAB_DATA"):
        datasets.load("occ")


def test_a_file_or_folder_leads_to_the_toml_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.csv").write_text("age\n1\n")
    for name in ("my.csv", "nowhere.parquet"):
        with pytest.raises(
            UnknownNameError, match=f"unknown data set: '{name}' is not a data set; describe it in a TOML file"
        ):
            datasets.load(name)
    with pytest.raises(UnknownNameError, match="is a folder, not a data set; describe one of its files in a TOML file"):
        datasets.load(str(tmp_path))
    with pytest.raises(
        DataFileError, match=r"my.csv' is not a data set; describe it in a TOML file, such as 'my.toml'"
    ):
        datasets.load(tmp_path / "my.csv")
