"""The result tables of a run: one Parquet file each, in the folder ``results`` of the run's folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.errors import ParameterError
from ppdp_lab.lab.experiment.model import check_file_name
from ppdp_lab.table.files import write_whole

Tables = Mapping[str, pd.DataFrame]  # result tables by name: what a drawing gets and a claim is judged on
FOLDER = "results"
ALONE = "results"  # what the table of a notebook that has only one is called


def named(results: Any) -> dict[str, pd.DataFrame]:
    """Result tables by name, from one or several frames; refuses names that no file can have.

    >>> {name: len(table) for name, table in named({"loss": pd.DataFrame({"k": [1, 2]})}).items()}
    {'loss': 2}
    >>> list(named(pd.DataFrame({"k": [1, 2]})))
    ['results']
    """
    tables = dict(results) if isinstance(results, Mapping) else {ALONE: results}
    for name, frame in tables.items():
        which = f"results[{name!r}]" if isinstance(results, Mapping) else "results"
        if not isinstance(frame, pd.DataFrame):
            several = "" if isinstance(results, Mapping) else " or a dict of them"
            raise ParameterError(f"{which} must be a DataFrame{several}, not {type(frame).__name__}")
        try:
            check_file_name(str(name))
        except ValueError as error:
            raise ParameterError(f"{which}: {error}") from None
        bad = [column for column in frame.columns if not isinstance(column, str)]
        if bad:
            raise ParameterError(f"column names of {which} must be text, not {bad[0]!r}; rename it")
    return {str(name): frame.reset_index(drop=True) for name, frame in tables.items()}


def as_given(tables: Tables) -> Any:
    """What a drawing gets: the tables by name, or the one frame that a notebook finished with; copies in any case."""
    copies = {name: table.copy() for name, table in tables.items()}
    return copies[ALONE] if list(copies) == [ALONE] else copies


def rows(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows of a table whose columns have the given values.

    >>> rows(pd.DataFrame({"k": [2, 2, 5], "loss": [1, 3, 7]}), k=2)["loss"].tolist()
    [1, 3]
    """
    return table[(table[list(values)] == pd.Series(values)).all(axis=1)]


def file(name: str) -> str:
    """Where a table lies in a run's folder."""
    return f"{FOLDER}/{name}.parquet"


def write(tables: Tables, folder: Path) -> None:
    """One file per table, into a run's folder."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        try:
            write_whole(folder / file(name), partial(table.to_parquet, index=False))
        except (ValueError, TypeError) as error:  # pyarrow's own errors derive from these
            raise ParameterError(
                f"the table {name!r} cannot be written as Parquet ({error}); give every column values of one plain type"
            ) from None
