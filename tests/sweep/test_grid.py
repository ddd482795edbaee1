"""Grids: all combinations, and a refusal in words for what is no grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ppdp_lab as pl
from ppdp_lab.errors import ParameterError
from ppdp_lab.sweep.grid import cell, combinations, grids_of, spelled, values_of, words


def test_a_single_value_is_a_list_of_one_and_arrays_are_lists():
    assert values_of({"k": np.array([2, 5]), "rows": 100, "rule": pl.KAnonymity(2), "name": "occ"}) == {
        "k": [2, 5],
        "rows": [100],
        "rule": [pl.KAnonymity(2)],
        "name": ["occ"],
    }
    assert type(values_of({"k": np.array([2])})["k"][0]) is int
    assert values_of({"k": range(3)})["k"] == [0, 1, 2]
    assert values_of({"k": None})["k"] == [None]


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({"k": []}, "k has no values"),
        ({"k": [2, 5, 2]}, "k has 2 more than once"),
        ({"rule": [pl.KAnonymity(5), pl.KAnonymity(5)]}, "rule has 'KAnonymity.5.' more than once"),
        ({"k": [float("nan")]}, "not a number"),
        ({"no name": [1]}, "names parameters such as 'k'"),
        ({"k": [object()]}, "cannot be written down"),
        (5, "a grid is a dict"),
    ],
)
def test_a_grid_is_refused_in_words(grid, said):
    with pytest.raises(ParameterError, match=said):
        [values_of(one) for one in grids_of(grid)]


@pytest.mark.parametrize("empty", [{}, [], [{"k": [1]}, {}]])
def test_an_empty_grid_is_refused(empty):
    with pytest.raises(ParameterError, match="the grid is empty"):
        grids_of(empty)


def test_points_are_told_apart_by_what_they_say(tmp_path):
    assert len(list(combinations({"k": [2, 5], "seed": [1, 2, 3]}))) == 6
    table = pl.datasets.load("adult", rows=50)
    other = pl.datasets.load("adult", rows=50, seed=1)
    assert spelled(table, "table") != spelled(other, "table") and cell(table) != cell(other)
    assert spelled(Path("a") / "b", "path") == cell(Path("a") / "b")
    assert spelled(pl.metrics.ncp, "metric") == {"member": "ncp", "with": {}}
    assert words({"k": 5, "rule": pl.KAnonymity(2)}) == "k=5, rule=KAnonymity(2)"
