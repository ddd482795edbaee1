"""The bundled Adult rows and the hierarchies written for them."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from ppdp_lab.datasets.benchmarks import ATTRIBUTES
from ppdp_lab.datasets.loading import COLUMNS, DATA, WITHOUT_HIERARCHY, adult_hierarchies, load_adult
from ppdp_lab.table import Hierarchy

LEVELS = {
    "sex": [2, 1],
    "age": [100, 20, 10, 5, 1],
    "race": [5, 1],
    "marital-status": [7, 2, 1],
    "education": [16, 5, 3, 1],
    "native-country": [41, 6, 1],
    "workclass": [8, 3, 1],
    "occupation": [14, 3, 1],
    "salary-class": [2, 1],
}
OCCURRING = [2, 72, 5, 7, 16, 41, 7, 14, 2]


@pytest.fixture(scope="module")
def adult() -> pd.DataFrame:
    return load_adult()


@pytest.fixture(scope="module")
def hierarchies() -> dict[str, Hierarchy]:
    return adult_hierarchies()


def test_rows_and_columns(adult: pd.DataFrame) -> None:
    assert len(adult) == 30_162
    assert list(adult) == COLUMNS
    assert not adult.isna().to_numpy().any()
    assert not (adult.astype(str) == "?").to_numpy().any()


def test_known_facts(adult: pd.DataFrame) -> None:
    assert adult["salary-class"].value_counts().to_dict() == {"<=50K": 22_654, ">50K": 7_508}
    assert adult["sex"].value_counts().to_dict() == {"Male": 20_380, "Female": 9_782}
    assert (adult["age"].min(), adult["age"].max()) == (17, 90)
    assert (adult["native-country"] == "United-States").sum() == 27_504
    assert (adult["education-num"].min(), adult["education-num"].max()) == (1, 16)
    first = adult.iloc[0]
    assert (first["age"], first["workclass"], first["fnlwgt"]) == (39, "State-gov", 77_516)


def test_education_and_its_number_say_the_same(adult: pd.DataFrame, hierarchies: dict[str, Hierarchy]) -> None:
    pairs = adult[["education", "education-num"]].drop_duplicates().set_index("education")["education-num"]
    assert pairs.reindex(hierarchies["education"].leaves).tolist() == list(range(1, 17))
    for level in (1, 2):
        by_name, by_number = (hierarchies[name].ancestors[level] for name in ("education", "education-num"))
        assert pd.factorize(by_name)[0].tolist() == pd.factorize(by_number)[0].tolist()


def test_every_column_has_a_hierarchy_but_the_weights_and_amounts(hierarchies: dict[str, Hierarchy]) -> None:
    assert set(hierarchies) == set(COLUMNS) - set(WITHOUT_HIERARCHY)
    files = {path.name for path in (DATA / "hierarchies").glob("adult_*")}
    assert files == {f"adult_hierarchy_{name}.csv" for name in hierarchies}


def test_labels_per_level(adult: pd.DataFrame, hierarchies: dict[str, Hierarchy]) -> None:
    assert {name: hierarchies[name].level_sizes() for name in LEVELS} == LEVELS
    assert [adult[name].nunique() for name in LEVELS] == OCCURRING
    assert hierarchies["education-num"].level_sizes() == [16, 5, 3, 1]
    assert list(LEVELS) == list(ATTRIBUTES["adult"])
    assert math.prod(hierarchies[name].height + 1 for name in LEVELS) == 12_960


def test_the_files_list_the_leaves_of_a_group_side_by_side(hierarchies: dict[str, Hierarchy]) -> None:
    for name, tree in hierarchies.items():
        lines = (DATA / "hierarchies" / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8").splitlines()
        assert [line.split(";")[0] for line in lines] == [str(leaf) for leaf in tree.leaves], name
        assert tree.labels[-1] == "*", name


def test_values_are_leaves(adult: pd.DataFrame, hierarchies: dict[str, Hierarchy]) -> None:
    for name, tree in hierarchies.items():
        assert set(adult[name]) <= set(tree.leaves), name
        if name in {"age", "education-num", "hours-per-week"}:
            assert adult[name].dtype == "int64" and {type(leaf) for leaf in tree.leaves} == {int}
        else:
            assert adult[name].cat.ordered
            assert adult[name].cat.categories.tolist() == tree.leaves.tolist()


def test_small_and_attributed() -> None:
    adult_files = list(DATA.rglob("adult*"))
    assert len(adult_files) == 14
    assert sum(path.stat().st_size for path in adult_files) < 500_000
    notice = (DATA / "adult.NOTICE.txt").read_text(encoding="utf-8")
    for words in (
        "Becker",
        "Kohavi",
        "1996",
        "10.24432/C5XW20",
        "CC BY 4.0",
        "creativecommons.org/licenses/by/4.0",
        "Changes",
    ):
        assert words in notice
