"""A researcher's own table, described by a small TOML file."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.errors import DataFileError, DroppedColumnsWarning, ParameterError, SchemaError, listed
from ppdp_lab.io import OPTIONS, FileReport, Reading, open_table
from ppdp_lab.io.reading import frames_for, made_hierarchy, read_hierarchy, warn_of, warn_of_roles
from ppdp_lab.table import Hierarchy, Microdata, Schema

_ROLES = (
    "title",
    "file",
    "quasi_identifiers",
    "sensitive",
    "identifiers",
    "id",
    "hierarchies",
    "domains",
    "provenance",
    "reading",
)


def is_own(name: object) -> bool:
    """Whether a data set is somebody's own: the path of a TOML file in place of a name."""
    return isinstance(name, Path) or str(name).endswith(".toml")


def describe_first(path: str | Path) -> str:
    """What to do with a file or folder that is not a data set by itself."""
    path = Path(path)
    if path.is_dir():
        return (
            f"{str(path)!r} is a folder, not a data set; describe one of its files in a TOML file (file, quasi_identifiers, "
            f"sensitive) and give that file's path, or read monthly files with snapshots_from_folder"
        )
    return (
        f"{str(path)!r} is not a data set; describe it in a TOML file, such as {path.stem + '.toml'!r} with the keys "
        f'file = "{path.name}", quasi_identifiers = [...] and sensitive = "...", and give that file\'s path'
    )


def own_title(path: str | Path) -> str:
    """What an own table is called: its title, or the name of its TOML file without the suffix."""
    return str(_description(Path(path)).get("title") or Path(path).stem)


def load_own(path: str | Path) -> Microdata:
    """The table that a TOML file describes; such a file is accepted wherever a data set's name is.

    .. code-block:: toml

        title = "Patients"                    # what figures call it; else this file's name
        file = "patients.csv"                 # or .parquet; beside this file, or an absolute path
        quasi_identifiers = ["age", "zip", "job"]
        sensitive = "disease"
        identifiers = ["name"]                # known to the holder, never published
        id = "patient"                        # the column with a unique id per person, if there is one

        [hierarchies]
        job = "job.csv"                       # leaf;level 1;...;*
        age = { widths = [5, 10, 20] }        # ever wider intervals
        zip = { mask = 4 }                    # last characters masked, up to 4 of them

        [domains]                             # all values that a column can have, where they shall not be read off the file
        disease = ["flu", "HIV", "angina"]
        age = { from = 0, to = 120 }          # whole numbers, both ends included

        [reading]                             # only where the reader finds it wrong; all keys may be left out
        separator = ";"                       # comma, semicolon, tab or | is found
        decimal = ","                         # found
        encoding = "cp1252"                   # UTF-8, UTF-16 with a byte order mark, else cp1252
        missing = "refuse"                    # or "value" (published as "(missing)"), "category" (which counts), "drop" (the row)
        missing_values = ["NA", "?"]          # besides the empty cell; else they are values
        text = ["job"]                        # columns that are text, whatever they look like
        numbers = ["age"]                     # columns that are numbers
        guarded = false                       # true if the file was written with a mark before formulas

    The keys of ``[reading]`` may also stand above, without that heading. The file is read as the command line and
    monthly folders read it: see :class:`ppdp_lab.io.Reading`. Numbers that are codes, such as zip 01234, stay text;
    so does a column whose hierarchy comes from a file or masks characters. What the reader was not sure of comes as a
    :class:`~ppdp_lab.io.ReadingWarning`. Columns that no role names are dropped.
    """
    table, report = read_own(path)
    warn_of([report])
    warn_of_roles(table)
    return table


def read_own(path: str | Path) -> tuple[Microdata, FileReport]:
    """The table that a TOML file describes, and how its file was read."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path must be the path of a TOML file that describes a data set, not {path!r}")
    path = Path(path)
    said = _description(path)
    where = repr(str(path))
    options = Reading.of(_reading(said, where), f"{where}: ")
    data = path.parent / said["file"]
    if not data.is_file():
        raise DataFileError(f"{where}: no data file {str(data)!r}")
    file = open_table(data, options)
    domains = {column: _values(column, spec, where) for column, spec in said.get("domains", {}).items()}
    schema = Schema(said["quasi_identifiers"], said.get("sensitive", ()), said.get("identifiers", ()), domains)
    schema.check_columns(file.names)
    name = said.get("id")
    if name is not None and name not in file.names:
        raise SchemaError(f"{where}: the id column {name!r} is not in {said['file']!r}")
    specs = said.get("hierarchies", {})
    trees = {column: _from_file(column, spec, file.names, path) for column, spec in specs.items()}
    ready = {column: tree for column, tree in trees.items() if tree is not None}
    masked = [column for column, spec in specs.items() if isinstance(spec, dict) and "mask" in spec]
    (read,) = frames_for(schema, [file], ready, id=name, texts=masked)
    for column, spec in specs.items():
        if column not in ready:
            ready[column] = made_hierarchy(column, spec, read, where)
    provenance = said.get("provenance", "own data")
    if read.report.rows_dropped:
        provenance += f", {read.report.rows_dropped:,} rows with missing values left out"
    ids = None if name is None else pd.Index(read.frame[name])
    hierarchies = {column: ready[column] for column in specs}
    with warnings.catch_warnings():  # the description says what is wanted; the rest is meant to be left out
        warnings.simplefilter("ignore", DroppedColumnsWarning)
        table = Microdata(read.frame, schema, hierarchies, ids=ids, provenance=provenance, missing=file.options.missing)
        return table, read.report


def _values(column: str, spec: Any, where: str) -> list[Any] | range:
    """A declared domain: a list of values, or the whole numbers of a range."""
    if isinstance(spec, list) and spec:
        return spec
    ends = (
        (spec.get("from"), spec.get("to")) if isinstance(spec, dict) and set(spec) == {"from", "to"} else (None, None)
    )
    low, high = ends
    if isinstance(low, int) and isinstance(high, int) and low <= high < low + 10**6:
        return range(low, high + 1)
    raise DataFileError(
        f"{where}: the domain of {column!r} must be a list of values or {{ from = 0, to = 120 }}, not {spec!r}"
    )


def _description(path: Path) -> dict[str, Any]:
    """What the TOML file says, if all of it makes sense."""
    if path.suffix.lower() != ".toml":
        raise DataFileError(describe_first(path))
    if not path.is_file():
        raise DataFileError(f"no data set description {str(path)!r}; give the path of a TOML file")
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataFileError(f"{str(path)!r} is not UTF-8 text ({error}); save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DataFileError(f"{str(path)!r} is not valid TOML: {error}") from None
    known = (*_ROLES, *OPTIONS)
    strange = [key for key in said if key not in known]
    if strange:
        raise DataFileError(
            f"{str(path)!r} has unknown key(s) {listed(strange)}; known are {listed(known, len(known))}"
        )
    for key in ("file", "quasi_identifiers"):
        if key not in said:
            raise DataFileError(f"{str(path)!r} lacks the key {key!r}")
    for key in ("title", "file", "id", "provenance"):
        if not isinstance(said.get(key, ""), str):
            raise DataFileError(f"{str(path)!r}: {key} must be text in quotes, not {said[key]!r}")
    for key, what in (("hierarchies", "column"), ("domains", "column"), ("reading", "option")):
        if not isinstance(said.get(key, {}), dict):
            raise DataFileError(
                f"{str(path)!r}: {key} must be a table [{key}] with one line per {what}, not {said[key]!r}"
            )
    return said


def _reading(said: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The reader's options, under their heading or without one."""
    above = {key: said[key] for key in OPTIONS if key in said}
    below = dict(said.get("reading", {}))
    both = [key for key in below if key in above]
    if both:
        raise DataFileError(f"{where}: {listed(both)} stand(s) both above and under [reading]; say it once")
    return above | below


def _from_file(column: str, spec: Any, names: list[str], path: Path) -> Hierarchy | None:
    """The hierarchy of a column if it comes from a file; None if it is made of the column's values."""
    if column not in names:
        raise SchemaError(f"{str(path)!r} gives a hierarchy for {column!r}, which is not a column of the file")
    if isinstance(spec, str):
        return read_hierarchy(path.parent / spec)
    if isinstance(spec, dict) and set(spec) in ({"widths"}, {"mask"}):
        return None
    raise DataFileError(
        f"{str(path)!r}: the hierarchy of {column!r} must be a file name, {{ widths = [...] }} or {{ mask = n }}, not {spec!r}"
    )
