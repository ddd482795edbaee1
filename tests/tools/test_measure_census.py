"""The script that measures the census tables: what it withholds, and what it refuses."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tools import measure_census
from tools.census_rows import random_codes, real_codes

from ppdp_lab.datasets import population
from ppdp_lab.datasets.population import LABELS, NETWORK
from ppdp_lab.errors import DataFileError, MissingValueError, SchemaError

ALL_TABLES = [name for attribute in NETWORK for name in population.table_names(attribute)]


@pytest.mark.parametrize("shape", [(5,), (2, 3), (3, 2), (6, 1)], ids=str)
def test_merged_cells_prove_of_no_cell_that_somebody_is_in_it(shape: tuple[int, ...]):
    """Try all small counts: whatever is published, each of the cells behind it may have been empty."""
    size = int(np.prod(shape))
    counts = np.array(list(itertools.product(range(5), repeat=size))).T
    cells, *merged = measure_census.withhold(counts.reshape(*shape, -1))
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
        stored, _ = measure_census.withhold(np.array([[part], [part + rest]]))
        remainders.setdefault((int(stored[0, 0]), int(stored[1, 0])), set()).add(rest)
    assert all(0 in possible or max(possible) >= 5 for possible in remainders.values())


def test_withhold_merges_first_over_the_second_parent():
    counts = np.zeros((4, 4, 1), dtype=np.int64)
    counts[0, :, 0] = [4, 3, 2, 0]
    counts[1, :, 0] = [50, 1, 1, 0]
    counts[2, :, 0] = [0, 2, 0, 1]
    counts[3, :, 0] = [9, 9, 9, 9]
    cells, second, both = measure_census.withhold(counts)
    assert cells[..., 0].tolist() == [[0, 0, 0, 0], [50, 0, 0, 0], [0, 0, 0, 0], [10, 10, 10, 10]]
    assert second.tolist() == [[10], [0], [0], [0]]
    assert both.tolist() == [0], "five people left over in two groups would prove that each has some"


def test_measuring_script_on_a_random_table(tmp_path: Path):
    frame = random_codes(3_000).assign(note="not read")
    frame.to_parquet(tmp_path / "in.parquet")
    measure_census.main([str(tmp_path / "in.parquet"), str(tmp_path / "out.npz")])
    with np.load(tmp_path / "out.npz") as archive:
        tables = {name: archive[name] for name in archive.files}
    assert sorted(tables) == sorted(ALL_TABLES)
    for (age, education), count in frame.value_counts(["age", "education"]).items():
        assert tables["education|age"][age, education] == (5 * round(count / 5) if count >= 5 else 0)
    codes = population.draw(tables, 1_000, seed=3)
    assert all((codes[name] >= 0).all() and (codes[name] < len(LABELS[name])).all() for name in LABELS)


def test_measuring_script_on_the_command_line(tmp_path: Path):
    random_codes(50).drop(columns="salary").to_parquet(tmp_path / "in.parquet")
    done = subprocess.run(
        [sys.executable, measure_census.__file__, tmp_path / "in.parquet", tmp_path / "out.npz"],
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
        measure_census.measure(spoil(random_codes(60)))


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
            measure_census.main(arguments)


def test_script_reproduces_the_bundled_tables():
    tables = measure_census.measure(real_codes())
    assert tables.keys() == population.load_tables().keys()
    for name, table in population.load_tables().items():
        assert table.dtype == tables[name].dtype
        np.testing.assert_array_equal(table, tables[name], err_msg=name)
