"""Measure the count tables of the census stand-in on a table of real people.

Usage: ``python tests/tools/measure_census.py IN.parquet OUT.npz``, where OUT.npz is to become
``ppdp_lab/datasets/data/census_tables.npz``. Only who makes the bundled tables anew needs this, so it is no part of the
package.

The table has the integer columns age, gender, marital, education, birthplace, occupation and salary, coded
from 0 in the order of ``population.LABELS`` (age 0 is 17 years); other columns are not read. What is stored, and what is
left out so that nobody stands alone in the tables, is said at the top of ``ppdp_lab/datasets/population.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ppdp_lab.datasets.population import LABELS, NETWORK, table_names
from ppdp_lab.errors import DataFileError, MissingValueError, PPDPError, SchemaError, listed

FEWEST = 5
"""Fewer people than this are never a cell of their own; stored counts are multiples of it."""


def _codes(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Take the coded columns out of the frame, or say what is wrong with them."""
    absent = [name for name in LABELS if name not in frame.columns]
    if absent:
        raise SchemaError(
            f"the table lacks {listed(absent)}; it has {listed(frame.columns)}. "
            f"Rename or add columns so that it has {listed(LABELS)}."
        )
    if len(frame) == 0:
        raise DataFileError("the table has no rows; there is nothing to measure.")
    codes = {}
    for name, labels in LABELS.items():
        column = frame[name]
        if isinstance(column, pd.DataFrame):
            raise SchemaError(f"the table has {column.shape[1]} columns named {name!r}; keep one of them.")
        if column.isna().any():
            row = int(column.isna().argmax())
            raise MissingValueError(
                f"column {name!r} has {int(column.isna().sum())} empty cells, the first in row {row}; "
                "drop these rows or fill them in."
            )
        if not pd.api.types.is_integer_dtype(column.dtype):
            raise SchemaError(
                f"column {name!r} is of type {column.dtype}; it must hold integer codes from 0 to {len(labels) - 1}."
            )
        wrong = column[(column < 0) | (column >= len(labels))]
        if len(wrong):
            raise DataFileError(
                f"column {name!r} has {len(wrong)} values outside 0 to {len(labels) - 1}: "
                f"{listed(np.unique(wrong))}. Code its values from 0"
                + (" (17 years is 0, 95 and over is 78)." if name == "age" else ".")
            )
        codes[name] = column.to_numpy(dtype=np.int64)
    return codes


def _rounded(counts: np.ndarray) -> np.ndarray:
    return (counts + FEWEST // 2) // FEWEST * FEWEST


def withhold(counts: np.ndarray) -> list[np.ndarray]:
    """Leave small cells out of a count table and merge them over one axis after the other, except the last.

    Returns the table of the cells that stand alone, then those of merged cells, with one axis less each time;
    0 where nothing is stored.

    Examples
    --------
    Twelve people of the second value, all in small cells, are merged; two of the first are left out.

    >>> cells, merged = withhold(np.array([[8, 3], [2, 3], [9, 3], [7, 3]]))
    >>> cells.tolist(), merged.tolist()
    ([[10, 0], [0, 0], [10, 0], [5, 0]], [0, 10])
    """
    stored = np.where(counts >= FEWEST, _rounded(counts), 0)
    levels = [stored]
    left = np.where(stored > 0, 0, counts)
    small = stored == 0
    for axis in range(counts.ndim - 2, -1, -1):
        left, merged = left.sum(axis=axis), small.sum(axis=axis)
        # Were there more people than the other cells can hold, somebody would have to be in each single one.
        room = (FEWEST - 1) * (merged - 1)
        stored = np.where((left >= FEWEST) & (_rounded(left) <= room), _rounded(left), 0)
        levels.append(stored)
        left = np.where(stored > 0, 0, left)
        small = (stored == 0) & (merged > 0)
    return levels


def measure(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Count the tables of the stand-in's network on a frame of codes.

    Examples
    --------
    >>> people = pd.DataFrame({name: [0] * 8 for name in LABELS})
    >>> tables = measure(people)
    >>> int(tables["education|age"][0, 0]), int(tables["education"].sum())
    (10, 0)
    """
    codes = _codes(frame)
    tables = {}
    for attribute, parents in NETWORK.items():
        axes = [*parents, attribute]
        shape = tuple(len(LABELS[name]) for name in axes)
        cell = np.ravel_multi_index([codes[name] for name in axes], shape)
        counts = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
        for name, stored in zip(table_names(attribute), withhold(counts), strict=True):
            tables[name] = stored.astype(np.uint32)
    return tables


def main(arguments: Sequence[str]) -> None:
    """Measure the table in the first file, write the counts to the second."""
    if len(arguments) != 2:
        raise SystemExit("usage: python tests/tools/measure_census.py IN.parquet OUT.npz")
    source, target = map(Path, arguments)
    try:
        if not source.is_file():
            raise DataFileError(f"there is no file {source}; the first argument is the parquet file to measure.")
        if not target.absolute().parent.is_dir():
            raise DataFileError(
                f"there is no folder {target.absolute().parent}; create it, or name another {target.name}."
            )
        try:
            frame = pd.read_parquet(source)
        except (OSError, ValueError) as error:
            raise DataFileError(f"{source} cannot be read as parquet ({error}); convert the table first.") from error
        try:
            tables = measure(frame)
        except PPDPError as error:
            raise DataFileError(f"{source}: {error}") from error
    except PPDPError as error:
        raise SystemExit(f"error: {error}") from error
    with target.open("wb") as file:
        np.savez_compressed(file, **tables)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1:])
