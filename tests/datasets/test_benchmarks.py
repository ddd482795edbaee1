"""The stand-ins for CUP, FARS, ATUS and IHIS, and reading the real files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab import errors
from ppdp_lab.datasets.benchmarks import ATTRIBUTES, STAND_INS, generate, read_arx
from ppdp_lab.datasets.drawing import by_rank, counts_of, depending, spread
from ppdp_lab.io.reading import write_hierarchy
from ppdp_lab.table import Hierarchy

ROWS = {"cup": 63_441, "fars": 100_937, "atus": 539_253, "ihis": 1_193_504}
LATTICES = {"cup": 45_000, "fars": 20_736, "atus": 34_992, "ihis": 25_920}
# Distinct labels per level; a number in front of a colon is how many leaves occur, where not all do.
SHAPES = {
    "cup": {
        "zip": "13294: 100000-10000-1000-100-10-1",
        "age": "94: 100-20-10-5-1",
        "gender": "6-1",
        "income": "7-2-1",
        "state": "53-1",
        "ramntall": "814: 5676-6-3-2-1",
        "ngiftall": "81: 238-12-6-3-1",
        "minramnt": "58: 451-5-3-2-1",
    },
    "fars": {
        "age": "100-20-10-5-3-1",
        "race": "20-5-1",
        "death-month": "14-5-3-1",
        "death-day": "33-5-3-1",
        "sex": "3-1",
        "hispanic": "10-5-1",
        "state": "57-6-3-1",
        "injury": "10-5-1",
    },
    "atus": {
        "region": "4-2-1",
        "age": "101-21-11-6-4-1",
        "sex": "3-1",
        "race": "23-5-1",
        "marital-status": "7-4-1",
        "citizenship": "6-3-1",
        "birthplace": "155-7-1",
        "school": "18-4-2-1",
        "labour-force-status": "6-3-1",
    },
    "ihis": {
        "year": "15: 112-23-12-6-3-1",
        "quarter": "4-2-1",
        "region": "4-2-1",
        "pernum": "25-13-7-1",
        "age": "100-20-10-5-1",
        "marital-status": "10-3-1",
        "sex": "2-1",
        "race": "38-1",
        "education": "26-1",
    },
}
Pair = tuple[pd.DataFrame, dict[str, Hierarchy]]


@pytest.fixture(scope="module", params=list(STAND_INS))
def full(request: pytest.FixtureRequest) -> tuple[str, pd.DataFrame, dict[str, Hierarchy]]:
    return request.param, *generate(request.param)


def _shape(text: str) -> tuple[int, list[int]]:
    occurring, _, levels = text.rpartition(":")
    sizes = [int(size) for size in levels.split("-")]
    return int(occurring or sizes[0]), sizes


def _k_anonymous(frame: pd.DataFrame, trees: dict[str, Hierarchy], node: list[int], k: int) -> bool:
    key = np.zeros(len(frame), dtype=np.int64)
    for (name, tree), level in zip(trees.items(), node, strict=True):
        labels, kinds = pd.factorize(tree.ancestors[level])
        row_kind = labels[tree.encode(frame[name].unique())][pd.factorize(frame[name])[0]]
        key = pd.factorize(key * len(kinds) + row_kind)[0]
    return bool(np.bincount(key).min() >= k)


def test_full_shape(full: tuple[str, pd.DataFrame, dict[str, Hierarchy]]) -> None:
    name, frame, trees = full
    assert len(frame) == ROWS[name]
    assert list(frame) == list(trees) == list(SHAPES[name]) == list(ATTRIBUTES[name])
    assert math.prod(tree.height + 1 for tree in trees.values()) == LATTICES[name]
    for attribute, text in SHAPES[name].items():
        occurring, sizes = _shape(text)
        assert trees[attribute].level_sizes() == sizes, attribute
        assert frame[attribute].nunique() == occurring, attribute


def test_values_are_leaves(full: tuple[str, pd.DataFrame, dict[str, Hierarchy]]) -> None:
    _, frame, trees = full
    for attribute, tree in trees.items():
        assert tree.labels[-1] == "*"
        values = frame[attribute]
        assert not values.isna().any()
        if isinstance(values.dtype, pd.CategoricalDtype):
            assert values.cat.ordered
            assert values.cat.categories.tolist() == tree.leaves.tolist()
        else:
            assert values.dtype == "int64"
            assert values.isin(tree.leaves.tolist()).all()


def test_neither_trivial_nor_hopeless(full: tuple[str, pd.DataFrame, dict[str, Hierarchy]]) -> None:
    """A benchmark needs nodes below the top that are 5-anonymous, and many that are not."""
    _, frame, trees = full
    top = [tree.height for tree in trees.values()]
    one_below = [[*top[:i], top[i] - 1, *top[i + 1 :]] for i in range(len(top))]
    assert sum(_k_anonymous(frame, trees, node, 5) for node in one_below) >= len(top) // 2
    assert not _k_anonymous(frame, trees, [level // 2 for level in top], 5)


@pytest.mark.parametrize("name", list(STAND_INS))
def test_same_seed_same_rows(name: str) -> None:
    first, again, other = (generate(name, rows=2_000, seed=seed)[0] for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


@pytest.mark.parametrize("name", list(STAND_INS))
@pytest.mark.parametrize("rows", [1, 7, 500])
def test_any_number_of_rows(name: str, rows: int) -> None:
    frame, trees = generate(name, rows=rows, seed=1)
    assert len(frame) == rows
    assert list(frame) == list(trees)
    assert not frame.isna().to_numpy().any()


def test_skew_and_dependence() -> None:
    atus, _ = generate("atus", rows=30_000)
    assert atus["race"].value_counts(normalize=True).iloc[0] > 0.7
    assert atus["birthplace"].value_counts(normalize=True).iloc[0] > 0.7
    assert atus["citizenship"].value_counts(normalize=True).iloc[0] > 0.7
    child = atus["age"] < 15
    assert (atus["marital-status"] == "Not asked (child)").equals(child)
    widowed = atus["marital-status"] == "Widowed"
    assert widowed[atus["age"] >= 65].mean() > 10 * widowed[~child & (atus["age"] < 65)].mean()
    born_here = atus["citizenship"] == "Born in the United States"
    assert (atus["birthplace"][born_here] == "United States").all()

    fars, _ = generate("fars", rows=30_000)
    survived = fars["death-month"] == "Not applicable (survived)"
    for attribute in ("death-day", "race", "hispanic"):
        assert (fars[attribute] == "Not applicable (survived)").equals(survived)
    assert not fars.loc[fars["death-month"] == "February", "death-day"].isin(["30", "31"]).any()

    cup, _ = generate("cup", rows=30_000)
    assert cup["ramntall"].corr(cup["ngiftall"], method="spearman") > 0.5
    assert cup["state"].groupby(cup["zip"].astype(str).str[:3]).nunique().max() == 1

    ihis, _ = generate("ihis", rows=30_000)
    assert ihis["age"][ihis["pernum"] == 1].mean() > ihis["age"][ihis["pernum"] >= 4].mean() + 15
    assert ihis["year"].between(1997, 2011).all()


def test_refusals() -> None:
    with pytest.raises(errors.UnknownNameError, match=r"unknown benchmark stand-in 'atsu'; did you mean 'atus'"):
        generate("atsu")
    with pytest.raises(errors.ParameterError, match="rows must be at least 1, not 0"):
        generate("cup", rows=0)
    with pytest.raises(errors.ParameterError, match="seed must be a whole number"):
        generate("cup", rows=5, seed=0.5)  # type: ignore[arg-type]


weights = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=12)


@given(weights, st.integers(0, 60), st.integers(0, 5))
def test_counts_add_up_and_every_value_occurs(weights: list[float], rows: int, seed: int) -> None:
    counts = counts_of(np.random.default_rng(seed), weights, rows)
    assert counts.sum() == rows
    assert counts.min() >= (1 if rows >= len(weights) else 0)
    assert np.array_equal(
        np.sort(spread(np.random.default_rng(seed), weights, rows)), np.repeat(range(len(counts)), counts)
    )


@given(weights, st.lists(st.floats(-5, 5), min_size=1, max_size=40))
def test_by_rank_follows_the_score(weights: list[float], score: list[float]) -> None:
    codes = by_rank(np.random.default_rng(0), weights, np.array(score))
    assert (np.diff(codes[np.argsort(score, kind="stable")]) >= 0).all()


def test_depending_draws_only_what_the_parent_allows() -> None:
    table = np.array([[0.0, 3.0, 1.0, 0.0], [1.0, 0.0, 1e-12, 0.0], [0.0, 0.0, 0.0, 5.0]])
    parent = np.random.default_rng(5).integers(0, 3, size=30_000)
    codes = depending(np.random.default_rng(6), table, parent)
    assert (table[parent, codes] > 0).all()
    assert abs(np.mean(codes[parent == 0] == 1) - 0.75) < 0.02


def test_depending_makes_rare_values_occur() -> None:
    parent = np.array([0, 1] * 50)
    codes = depending(np.random.default_rng(0), [[1, 1e-12, 0], [1, 0, 1e-12]], parent)
    assert parent[codes == 1].tolist() == [0]
    assert parent[codes == 2].tolist() == [1]


def _write(folder: Path, name: str, pair: Pair, names: dict[str, str], hierarchy_folder: str = "") -> None:
    frame, trees = pair
    (folder / hierarchy_folder).mkdir(parents=True, exist_ok=True)
    frame.rename(columns=names).assign(extra=1).to_csv(folder / f"{name}.csv", sep=";", index=False)
    for attribute, tree in trees.items():
        write_hierarchy(tree, folder / hierarchy_folder / f"{name}_hierarchy_{names.get(attribute, attribute)}.csv")


@pytest.fixture
def small() -> Pair:
    return generate("ihis", rows=300)


def test_reading_what_was_written(tmp_path: Path) -> None:
    for name in STAND_INS:
        pair = generate(name, rows=300)
        _write(tmp_path, name, pair, {})
        frame, trees = read_arx(tmp_path, name)
        pd.testing.assert_frame_equal(frame, pair[0])
        assert trees == pair[1]
        assert all(trees[attribute].leaves.tolist() == tree.leaves.tolist() for attribute, tree in pair[1].items())


def test_reading_arx_names(tmp_path: Path, small: Pair) -> None:
    names = {"marital-status": "MARSTAT", "race": "RACEA", "education": "EDUC", "year": "YEAR"}
    _write(tmp_path, "ihis", small, names, "hierarchies")
    frame, _ = read_arx(str(tmp_path), "ihis")
    pd.testing.assert_frame_equal(frame, small[0])


def test_reading_refuses_in_words(tmp_path: Path, small: Pair) -> None:
    with pytest.raises(errors.UnknownNameError, match="unknown benchmark set 'ihs'"):
        read_arx(tmp_path, "ihs")
    with pytest.raises(errors.DataFileError, match=r"no ihis\.csv in"):
        read_arx(tmp_path, "ihis")
    frame, tables = small
    _write(tmp_path, "ihis", (frame.drop(columns="race"), tables), {})
    with pytest.raises(errors.SchemaError, match=r"ihis\.csv has no column 'race' or 'racea'; its columns are 'year'"):
        read_arx(tmp_path, "ihis")
    _write(tmp_path, "ihis", small, {})
    (tmp_path / "ihis_hierarchy_region.csv").unlink()
    with pytest.raises(errors.DataFileError, match=r"no hierarchy for 'region'.*ihis_hierarchy_region\.csv"):
        read_arx(tmp_path, "ihis")


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("Northeast;N;*\nMidwest;N;*\nWest;S;*\n", errors.HierarchyError, "values that .* does not hold: 'South'"),
        (
            "Northeast;N;*\nMidwest;N;*\nSouth;S;*\nSouth;N;*\n",
            errors.HierarchyError,
            "leaf 'South' stands more than once",
        ),
        (
            "Northeast;N;A;*\nMidwest;N;B;*\nSouth;S;A;*\nWest;S;A;*\n",
            errors.HierarchyError,
            "'N' on level 1 has two parents",
        ),
        (
            "Northeast;N\nMidwest;N\nSouth;S\nWest;S\n",
            errors.HierarchyError,
            "the last level holds 'N', 'S'; end every",
        ),
        ("Northeast;N;*\nMidwest;N;*;*\n", errors.HierarchyError, "not every leaf has the same number of levels"),
        ("", errors.DataFileError, "region.csv' is empty"),
    ],
)
def test_reading_refuses_a_broken_hierarchy(
    tmp_path: Path, small: Pair, text: str, error: type[Exception], words: str
) -> None:
    _write(tmp_path, "ihis", small, {})
    (tmp_path / "ihis_hierarchy_region.csv").write_text(text)
    with pytest.raises(error, match=words):
        read_arx(tmp_path, "ihis")


def test_reading_refuses_empty_cells_and_files(tmp_path: Path, small: Pair) -> None:
    frame, tables = small
    holes = frame.astype({"sex": str})
    holes.loc[[2, 5], "sex"] = ""
    _write(tmp_path, "ihis", (holes, tables), {})
    with pytest.raises(errors.MissingValueError, match="column 'sex': 2 empty cells"):
        read_arx(tmp_path, "ihis")
    _write(tmp_path, "ihis", (frame.head(0), tables), {})
    with pytest.raises(errors.DataFileError, match="holds no rows"):
        read_arx(tmp_path, "ihis")
