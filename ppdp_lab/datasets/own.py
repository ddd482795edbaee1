"""A researcher's own table, described by a small TOML file."""

from __future__ import annotations

import tomllib
import warnings
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.errors import DataFileError, DroppedColumnsWarning, SchemaError, check_separator, listed
from ppdp_lab.table import Hierarchy, Microdata, Schema

_KEYS = ("file", "separator", "quasi_identifiers", "sensitive", "identifiers", "id", "hierarchies", "provenance")


def load_own(path: str | Path) -> Microdata:
    """The table that a TOML file describes; such a file is accepted wherever a data set's name is.

    .. code-block:: toml

        file = "patients.csv"                 # or .parquet; beside this file, or an absolute path
        separator = ";"                       # of the CSV; a comma unless given
        quasi_identifiers = ["age", "zip", "job"]
        sensitive = "disease"
        identifiers = ["name"]                # known to the holder, never published
        id = "patient"                        # the column with a unique id per person, if there is one

        [hierarchies]
        job = "job.csv"                       # leaf;level 1;...;*
        age = { widths = [5, 10, 20] }        # ever wider intervals
        zip = { mask = 4 }                    # last characters masked, up to 4 of them

    Columns that no role names are dropped.
    """
    path = Path(path)
    if not path.is_file():
        raise DataFileError(f"no data set description {str(path)!r}; give the path of a TOML file")
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise DataFileError(f"{str(path)!r} is not UTF-8 text ({error}); save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DataFileError(f"{str(path)!r} is not valid TOML: {error}") from None
    strange = [key for key in said if key not in _KEYS]
    if strange:
        raise DataFileError(f"{str(path)!r} has unknown key(s) {listed(strange)}; known are {listed(_KEYS)}")
    for key in ("file", "quasi_identifiers"):
        if key not in said:
            raise DataFileError(f"{str(path)!r} lacks the key {key!r}")
    for key in ("file", "id", "provenance"):
        if not isinstance(said.get(key, ""), str):
            raise DataFileError(f"{str(path)!r}: {key} must be text in quotes, not {said[key]!r}")
    trees = said.get("hierarchies", {})
    if not isinstance(trees, dict):
        raise DataFileError(
            f"{str(path)!r}: hierarchies must be a table [hierarchies] with one line per column, not {trees!r}"
        )
    separator = check_separator(said.get("separator", ","), f"{str(path)!r}: separator")
    frame = _read(path.parent / said["file"], separator)
    schema = Schema(said["quasi_identifiers"], said.get("sensitive", ()), said.get("identifiers", ()))
    schema.check_columns(frame.columns)
    ids = None
    if "id" in said:
        if said["id"] not in frame.columns:
            raise SchemaError(f"{str(path)!r}: the id column {said['id']!r} is not in {said['file']!r}")
        ids = pd.Index(frame[said["id"]])
    hierarchies = {column: _hierarchy(column, spec, frame, path) for column, spec in trees.items()}
    with warnings.catch_warnings():  # the description says what is wanted; the rest is meant to be left out
        warnings.simplefilter("ignore", DroppedColumnsWarning)
        return Microdata(frame, schema, hierarchies, ids=ids, provenance=said.get("provenance", "own data"))


def _read(path: Path, separator: str) -> pd.DataFrame:
    if not path.is_file():
        raise DataFileError(f"no data file {str(path)!r}")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        header = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype="str", keep_default_na=False).iloc[0]
        frame = pd.read_csv(path, sep=separator)
    except (ValueError, OSError) as error:
        raise DataFileError(f"{str(path)!r} cannot be read: {error}") from None
    doubled = header[header.duplicated() & (header != "")].unique()  # pandas would rename the second one
    if len(doubled):
        raise SchemaError(f"{str(path)!r} has more than one column named {listed(doubled)}; rename or drop them")
    if not isinstance(frame.index, pd.RangeIndex):  # pandas would take the first column for an index
        raise DataFileError(f"{str(path)!r}: the rows have more fields than the header has names; name every column")
    return frame


def _hierarchy(column: str, spec: Any, frame: pd.DataFrame, path: Path) -> Hierarchy:
    if column not in frame.columns:
        raise SchemaError(f"{str(path)!r} gives a hierarchy for {column!r}, which is not a column of the file")
    if isinstance(spec, str):
        return Hierarchy.from_csv(path.parent / spec)
    values = frame[column].dropna().unique()
    if isinstance(spec, dict) and set(spec) == {"widths"}:
        return Hierarchy.intervals(values, spec["widths"])
    if isinstance(spec, dict) and set(spec) == {"mask"}:
        return Hierarchy.mask_suffix(values, spec["mask"])
    raise DataFileError(
        f"{str(path)!r}: the hierarchy of {column!r} must be a file name, {{ widths = [...] }} or {{ mask = n }}, not {spec!r}"
    )
