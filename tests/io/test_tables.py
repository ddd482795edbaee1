"""Columns that may identify people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.io.reading import doubtful_columns
from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.table.domain import MANY_VALUES

N = 400
RNG = np.random.default_rng(5)
CITIES = [f"City{i}" for i in range(MANY_VALUES + 1)]
COLUMNS = {
    "name": [f"Person {i}" for i in range(N)],
    "surname": [f"Name{i % 330}" for i in range(N)],
    "number": 70_000 + RNG.permutation(N),
    "weight": 50 + np.arange(N) / 7,
    "age": RNG.integers(18, 90, N),
    "city": [CITIES[i % len(CITIES)] for i in range(N)],
    "town": [CITIES[i % MANY_VALUES] for i in range(N)],
    "remark": [f"this is what {'AB'[i % 2]} said" for i in range(N)],
    "disease": [("flu", "HIV")[i % 2] for i in range(N)],
}
TABLE = pd.DataFrame(COLUMNS)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("name", "nearly every record has a value of its own (400 different texts in 400 records), and sets of exact"),
        (
            "surname",
            "nearly every record has a value of its own (330 different texts in 400 records), and sets of exact",
        ),
        ("number", "(400 different values in 400 records), and the ends of published ranges are exact values"),
        ("weight", "(400 different values in 400 records), and the ends of published ranges are exact values"),
        ("city", "has 65 different texts and no hierarchy, so sets of exact values are published; give it a hierarchy"),
        ("remark", "looks like free text, and sets of exact values are published"),
        ("age", None),
        ("town", None),
        ("disease", None),
    ],
)
def test_quasi_identifiers_that_may_identify_people(column, words):
    found = doubtful_columns(Microdata(TABLE[[column]], Schema(column)))
    if words is None:
        assert found == []
    else:
        (sentence,) = found
        assert sentence.startswith(f"quasi-identifier {column!r}") and words in sentence
        assert not any(str(value) in sentence for value in COLUMNS[column] if len(str(value)) > 3)


def test_sensitive_columns_and_hierarchies():
    table = Microdata(TABLE[["age", "number", "disease"]], Schema("age", sensitive=["number", "disease"]))
    (sentence,) = doubtful_columns(table)
    assert sentence.startswith("sensitive column 'number': nearly every record has a value of its own")
    assert "published as it is" in sentence
    tree = Hierarchy([[name, "*"] for name in TABLE["name"]])
    assert doubtful_columns(Microdata(TABLE[["name"]], Schema("name"), {"name": tree})) == []


def test_a_small_table_is_not_suspected():
    few = pd.DataFrame({"age": range(20, 40), "zip": ["a", "b", "c", "d"] * 5})
    assert doubtful_columns(Microdata(few, Schema(["age", "zip"]))) == []
    assert doubtful_columns(Microdata(few[:4], Schema(["age", "zip"]))) == []
