"""The census stand-in: what its tables keep to themselves, how it is drawn, how close it comes to real people."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tools.census_rows import random_codes, real_codes
from tools.measure_census import measure

from ppdp_lab.datasets import population
from ppdp_lab.datasets.population import LABELS, NETWORK
from ppdp_lab.errors import ParameterError

BUNDLED = Path(population.__file__).parent / "data" / "census_tables.npz"
ALL_TABLES = [name for attribute in NETWORK for name in population.table_names(attribute)]
QUASI_IDENTIFIERS = ["age", "gender", "education", "birthplace"]
CLOSE_PAIRS = [("age", "salary"), ("age", "marital"), ("education", "occupation"), ("education", "salary")]
OTHER_PAIRS = [
    pair for pair in itertools.combinations(LABELS, 2) if pair not in CLOSE_PAIRS and pair[::-1] not in CLOSE_PAIRS
]


@pytest.fixture(scope="module")
def drawn() -> pd.DataFrame:
    return population.generate()


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
    assert sorted(population.load_tables()) == sorted(ALL_TABLES)


@pytest.mark.parametrize("name", ALL_TABLES)
def test_no_stored_cell_counts_fewer_than_five(name: str):
    table = population.load_tables()[name]
    attribute, _, parents = name.partition("|")
    assert table.shape == tuple(len(LABELS[column]) for column in [*filter(None, parents.split(",")), attribute])
    assert np.issubdtype(table.dtype, np.integer)
    assert table[table > 0].min(initial=5) >= 5
    assert not (table % 5).any()


@pytest.mark.parametrize("attribute", NETWORK)
def test_nobody_is_counted_twice_for_an_attribute(attribute: str):
    tables = [population.load_tables()[name] for name in population.table_names(attribute)]
    rounding = 2 * sum(int((table > 0).sum()) for table in tables)
    people = sum(int(table.sum()) for table in tables)
    assert 0.99 * 600_000 < people <= 600_000 + rounding


@pytest.mark.parametrize("attribute", NETWORK)
@pytest.mark.parametrize("rows", [None, 1, 40, 4_000], ids=lambda rows: f"{rows or 'bundled'}")
def test_every_conditional_is_a_distribution(attribute: str, rows: int | None):
    tables = population.load_tables() if rows is None else measure(random_codes(rows))
    chances = population.distribution(attribute, tables)
    assert chances.shape == tuple(len(LABELS[name]) for name in [*NETWORK[attribute], attribute])
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=-1), 1.0, rtol=1e-12)


def plain_distribution(attribute: str, tables: dict[str, np.ndarray]) -> np.ndarray:
    """The rule in the module's docstring, for an attribute with two parents, one cell at a time."""
    cells, second, both = (tables[name].astype(float) for name in population.table_names(attribute))
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
    tables = measure(random_codes(rows, seed=rows))
    for attribute in ("marital", "gender"):
        np.testing.assert_allclose(
            population.distribution(attribute, tables), plain_distribution(attribute, tables), rtol=1e-9
        )


def test_draw_agrees_with_its_plain_twin():
    tables = population.load_tables()
    codes = population.draw(tables, 500, seed=11)
    generator = np.random.default_rng(11)
    for attribute, parents in NETWORK.items():
        chances = population.distribution(attribute, tables)
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
    assert drawn.equals(population.generate(seed=0))
    assert not population.generate(1_000, seed=1).equals(population.generate(1_000, seed=2))
    assert len(population.generate(1)) == 1


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
        population.generate(**arguments)


# Against the real rows, for whoever has them.


@pytest.fixture(scope="module")
def real() -> pd.DataFrame:
    return real_codes()


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
