"""The census stand-in: what its tables keep to themselves, how it is drawn, how close it comes to real people."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.datasets import _census, _census_measure
from ppdp_lab.datasets._census import LABELS, NETWORK
from ppdp_lab.errors import DataFileError, MissingValueError, ParameterError, SchemaError

BUNDLED = Path(_census.__file__).parent / "data" / "census_tables.npz"
ALL_TABLES = [name for attribute in NETWORK for name in _census.table_names(attribute)]
QUASI_IDENTIFIERS = ["age", "gender", "education", "birthplace"]
CLOSE_PAIRS = [("age", "salary"), ("age", "marital"), ("education", "occupation"), ("education", "salary")]
OTHER_PAIRS = [
    pair for pair in itertools.combinations(LABELS, 2) if pair not in CLOSE_PAIRS and pair[::-1] not in CLOSE_PAIRS
]


def random_codes(rows: int, seed: int = 0) -> pd.DataFrame:
    """A table of the right shape whose values crowd at the low codes, so that small and large cells occur."""
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {name: (len(labels) * generator.random(rows) ** 4).astype(np.int16) for name, labels in LABELS.items()}
    )


@pytest.fixture(scope="module")
def drawn() -> pd.DataFrame:
    return _census.generate()


def test_domains_of_the_papers():
    assert {name: len(labels) for name, labels in LABELS.items()} == {
        "age": 79,
        "gender": 2,
        "marital": 6,
        "education": 17,
        "birthplace": 57,
        "occupation": 50,
        "salary": 50,
    }
    assert all(len(set(labels)) == len(labels) for labels in LABELS.values())
    assert LABELS["salary"][0] == "0 - 3,999"
    assert LABELS["salary"][-2:] == ("192,000 - 195,999", "196,000 and over")


def test_network_has_at_most_two_parents_each_drawn_before_its_child():
    assert set(NETWORK) == set(LABELS)
    before: set[str] = set()
    for attribute, parents in NETWORK.items():
        assert len(parents) <= 2
        assert before.issuperset(parents)
        before.add(attribute)


def test_bundled_file_is_small_and_holds_the_tables_of_the_network_only():
    assert BUNDLED.stat().st_size <= 400_000
    assert sorted(_census.load_tables()) == sorted(ALL_TABLES)


@pytest.mark.parametrize("name", ALL_TABLES)
def test_no_stored_cell_counts_fewer_than_five(name: str):
    table = _census.load_tables()[name]
    assert table.shape == _census.table_shape(name)
    assert np.issubdtype(table.dtype, np.integer)
    assert table[table > 0].min(initial=5) >= 5
    assert not (table % 5).any()


@pytest.mark.parametrize("attribute", NETWORK)
def test_nobody_is_counted_twice_for_an_attribute(attribute: str):
    tables = [_census.load_tables()[name] for name in _census.table_names(attribute)]
    rounding = 2 * sum(int((table > 0).sum()) for table in tables)
    people = sum(int(table.sum()) for table in tables)
    assert 0.99 * 600_000 < people <= 600_000 + rounding


@pytest.mark.parametrize("attribute", NETWORK)
@pytest.mark.parametrize("rows", [None, 1, 40, 4_000], ids=lambda rows: f"{rows or 'bundled'}")
def test_every_conditional_is_a_distribution(attribute: str, rows: int | None):
    tables = _census.load_tables() if rows is None else _census_measure.measure(random_codes(rows))
    chances = _census.distribution(attribute, tables)
    assert chances.shape == tuple(len(LABELS[name]) for name in [*NETWORK[attribute], attribute])
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=-1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (3, 2), (6, 1)], ids=str)
def test_merged_cells_prove_of_no_cell_that_somebody_is_in_it(shape: tuple[int, ...]):
    """Try all small counts: whatever is published, each of the cells behind it may have been empty."""
    size = int(np.prod(shape))
    counts = np.array(list(itertools.product(range(5), repeat=size))).T
    cells, *merged = _census_measure.withhold(counts.reshape(*shape, -1))
    assert not cells.any()
    published = np.concatenate([level.reshape(-1, counts.shape[1]) for level in merged])
    assert published.any()
    _, outcome = np.unique(published, axis=1, return_inverse=True)
    fewest = np.full((size, outcome.max() + 1), 4)
    for cell in range(size):
        np.minimum.at(fewest[cell], outcome.ravel(), counts[cell])
    assert not fewest.any()


def test_differences_of_rounded_counts_prove_no_small_remainder():
    """A stored total less one stored part of it: the remainder may be nobody, or it may be five or more."""
    remainders: dict[tuple[int, int], set[int]] = {}
    for part, rest in itertools.product(range(5, 40), range(20)):
        stored, _ = _census_measure.withhold(np.array([[part], [part + rest]]))
        remainders.setdefault((int(stored[0, 0]), int(stored[1, 0])), set()).add(rest)
    assert all(0 in possible or max(possible) >= 5 for possible in remainders.values())


def test_withhold_merges_first_over_the_second_parent():
    counts = np.zeros((4, 4, 1), dtype=np.int64)
    counts[0, :, 0] = [4, 3, 2, 0]
    counts[1, :, 0] = [50, 1, 1, 0]
    counts[2, :, 0] = [0, 2, 0, 1]
    counts[3, :, 0] = [9, 9, 9, 9]
    cells, second, both = _census_measure.withhold(counts)
    assert cells[..., 0].tolist() == [[0, 0, 0, 0], [50, 0, 0, 0], [0, 0, 0, 0], [10, 10, 10, 10]]
    assert second.tolist() == [[10], [0], [0], [0]]
    assert both.tolist() == [0], "five people left over in two groups would prove that each has some"


def plain_distribution(attribute: str, tables: dict[str, np.ndarray]) -> np.ndarray:
    """The rule in the module's docstring, for an attribute with two parents, one cell at a time."""
    cells, second, both = (tables[name].astype(float) for name in _census.table_names(attribute))
    firsts, seconds, values = cells.shape
    weight = [cells[:, b, :].sum() for b in range(seconds)]
    filled = cells.copy()
    for a, x in itertools.product(range(firsts), range(values)):
        empty = [b for b in range(seconds) if cells[a, b, x] == 0]
        whole = sum(weight[b] for b in empty)
        for b in empty:
            filled[a, b, x] = second[a, x] * (weight[b] / whole if whole else 1 / len(empty))
    pairs = filled.sum(axis=2)
    result = filled.copy()
    for x in range(values):
        empty_pairs = [
            (a, b)
            for a, b in itertools.product(range(firsts), range(seconds))
            if cells[a, b, x] == 0 and second[a, x] == 0
        ]
        whole = sum(pairs[pair] for pair in empty_pairs)
        for pair in empty_pairs:
            result[(*pair, x)] = both[x] * (pairs[pair] / whole if whole else 1 / len(empty_pairs))
    chances = np.empty_like(result)
    for a, b in itertools.product(range(firsts), range(seconds)):
        for candidate in (result[a, b], result[a].sum(axis=0), result.sum(axis=(0, 1)), np.ones(values)):
            if candidate.sum() > 0:
                chances[a, b] = candidate / candidate.sum()
                break
    return chances


@pytest.mark.parametrize("rows", [30, 300, 3_000])
def test_distribution_agrees_with_its_plain_twin(rows: int):
    tables = _census_measure.measure(random_codes(rows, seed=rows))
    for attribute in ("marital", "gender"):
        np.testing.assert_allclose(
            _census.distribution(attribute, tables), plain_distribution(attribute, tables), rtol=1e-9
        )


def test_draw_agrees_with_its_plain_twin():
    tables = _census.load_tables()
    codes = _census.draw(tables, 500, seed=11)
    generator = np.random.default_rng(11)
    for attribute, parents in NETWORK.items():
        chances = _census.distribution(attribute, tables)
        for row, point in enumerate(generator.random(500)):
            chance = chances[tuple(codes[parent][row] for parent in parents)]
            reached = itertools.accumulate(chance)
            assert codes[attribute][row] == next(value for value, sum_ in enumerate(reached) if point < sum_)


def test_columns_and_types(drawn: pd.DataFrame):
    assert len(drawn) == 600_000
    assert list(drawn.columns) == list(LABELS)
    assert drawn["age"].dtype == np.int64
    assert set(drawn["age"]) == set(LABELS["age"])
    for name in list(LABELS)[1:]:
        assert drawn[name].cat.ordered
        assert tuple(drawn[name].cat.categories) == LABELS[name]
        assert set(drawn[name]) == set(LABELS[name])
    assert not drawn.isna().any(axis=None)


def test_same_seed_same_people(drawn: pd.DataFrame):
    assert drawn.equals(_census.generate(seed=0))
    assert not _census.generate(1_000, seed=1).equals(_census.generate(1_000, seed=2))
    assert len(_census.generate(1)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows must be at least 1"),
        ({"rows": 2.5}, "rows must be a whole number"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_generate_refuses(arguments: dict, message: str):
    with pytest.raises(ParameterError, match=message):
        _census.generate(**arguments)


def test_measuring_script_on_a_random_table(tmp_path: Path):
    frame = random_codes(3_000).assign(note="not read")
    frame.to_parquet(tmp_path / "in.parquet")
    _census_measure.main([str(tmp_path / "in.parquet"), str(tmp_path / "out.npz")])
    with np.load(tmp_path / "out.npz") as archive:
        tables = {name: archive[name] for name in archive.files}
    assert sorted(tables) == sorted(ALL_TABLES)
    for (age, education), count in frame.value_counts(["age", "education"]).items():
        assert tables["education|age"][age, education] == (5 * round(count / 5) if count >= 5 else 0)
    codes = _census.draw(tables, 1_000, seed=3)
    assert all((codes[name] >= 0).all() and (codes[name] < len(LABELS[name])).all() for name in LABELS)


def test_measuring_script_on_the_command_line(tmp_path: Path):
    random_codes(50).drop(columns="salary").to_parquet(tmp_path / "in.parquet")
    root = Path(_census.__file__).parents[2]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "ppdp_lab.datasets._census_measure",
            tmp_path / "in.parquet",
            tmp_path / "out.npz",
        ],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "in.parquet: the table lacks 'salary'; it has 'age', 'gender'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (
            lambda f: f.drop(columns=["age", "marital"]),
            SchemaError,
            "lacks 'age', 'marital'; it has 'gender'",
        ),
        (lambda f: f.assign(gender=7), DataFileError, r"'gender' has 60 values outside 0 to 1: 7\. Code"),
        (
            lambda f: f.assign(age=f["age"] + 70),
            DataFileError,
            r"'age' has \d+ values outside 0 to 78.*17 years is 0",
        ),
        (lambda f: f.assign(salary=-1), DataFileError, "'salary' has 60 values outside 0 to 49: -1"),
        (
            lambda f: f.assign(marital="married"),
            SchemaError,
            "'marital' is of type str; it must hold integer codes",
        ),
        (lambda f: f.assign(education=f["education"] / 2), SchemaError, "'education' is of type float64"),
        (
            lambda f: f.assign(education=f["education"].where(f.index != 4)),
            MissingValueError,
            "'education' has 1 empty cells, the first in row 4",
        ),
        (lambda f: pd.concat([f, f[["age"]]], axis=1), SchemaError, "2 columns named 'age'"),
        (lambda f: f.iloc[:0], DataFileError, "no rows"),
    ],
)
def test_measure_refuses(spoil, error, message):
    with pytest.raises(error, match=message):
        _census_measure.measure(spoil(random_codes(60)))


def test_measuring_script_refuses_files_in_words(tmp_path: Path):
    text = tmp_path / "in.csv"
    text.write_text("age\n3\n")
    for arguments, message in [
        ([], "usage"),
        ([str(tmp_path / "none.parquet"), str(tmp_path / "out.npz")], "there is no file"),
        ([str(text), str(tmp_path / "out.npz")], "cannot be read as parquet"),
        ([str(text), str(tmp_path / "none" / "out.npz")], "there is no folder"),
    ]:
        with pytest.raises(SystemExit, match=message):
            _census_measure.main(arguments)


# Against the real rows, for whoever has them.


@pytest.fixture(scope="module")
def real() -> pd.DataFrame:
    path = Path(os.environ.get("PPDP_LAB_DATA", "")) / "census600k.parquet"
    if not os.environ.get("PPDP_LAB_DATA") or not path.is_file():
        pytest.skip("needs the real rows: PPDP_LAB_DATA does not name a folder that holds census600k.parquet")
    return pd.read_parquet(path)


@pytest.fixture(scope="module")
def coded(drawn: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {name: drawn[name] - 17 if name == "age" else drawn[name].cat.codes for name in LABELS},
        dtype=np.int64,
    )


def distance(left: pd.DataFrame, right: pd.DataFrame, columns: tuple[str, ...]) -> float:
    """Total variation distance of two tables over some of their columns."""
    shares = [frame.value_counts(list(columns), normalize=True, sort=False) for frame in (left, right)]
    return float(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)


@pytest.mark.parametrize(
    ("columns", "most"),
    [
        *(((name,), 0.015) for name in LABELS),
        *((pair, 0.05) for pair in CLOSE_PAIRS),
        *((pair, 0.10) for pair in OTHER_PAIRS),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else f"{value:.1%}",
)
def test_distance_to_the_real_rows(coded: pd.DataFrame, real: pd.DataFrame, columns: tuple[str, ...], most: float):
    assert distance(coded, real, columns) <= most


def test_distinct_quasi_identifiers_are_as_many_as_the_real(coded: pd.DataFrame, real: pd.DataFrame):
    expected = len(real.drop_duplicates(QUASI_IDENTIFIERS))
    assert expected == 67_920
    assert abs(len(coded.drop_duplicates(QUASI_IDENTIFIERS)) / expected - 1) <= 0.15


def test_script_reproduces_the_bundled_tables(real: pd.DataFrame):
    tables = _census_measure.measure(real)
    assert tables.keys() == _census.load_tables().keys()
    for name, table in _census.load_tables().items():
        assert table.dtype == tables[name].dtype
        np.testing.assert_array_equal(table, tables[name], err_msg=name)
