"""What a holder says on the command line, and the table that comes of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppdp_lab.errors import ParameterError, SchemaError, listed
from ppdp_lab.registry import OneLine
from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.table.files import FileReport, Reading, ReadingWarning, open_table
from ppdp_lab.table.from_files import frames_for


@dataclass(frozen=True)
class OwnTable(OneLine):
    """A table from a file, how the file was read, and the columns that no role names."""

    table: Microdata
    report: FileReport
    left_out: list[str]


def read_own_file(
    path: str | Path, schema: Schema, hierarchies: Mapping[str, str | Path], options: Reading | None = None
) -> OwnTable:
    """A CSV or parquet file as a table; ``hierarchies`` names a file per column.

    It is read as TOML tables and monthly folders are: see :class:`ppdp_lab.table.files.Reading`.
    """
    file = open_table(path, options)
    lacking = [name for name in schema.columns if name not in file.names]
    if lacking:
        raise SchemaError(f"{file.label} lacks column(s) {listed(lacking)}; its columns are {listed(file.names, 20)}")
    left_out = schema.check_columns(file.names)
    with warnings.catch_warnings(record=True) as doubts:  # of the hierarchies' encodings; the report says them
        warnings.simplefilter("always", ReadingWarning)
        trees = {name: Hierarchy.from_csv(tree) for name, tree in hierarchies.items()}
    (read,) = frames_for(schema, [file], trees)
    read.report.notes += [str(doubt.message) for doubt in doubts]
    table = Microdata(read.frame, schema, trees, provenance=Path(path).name, missing=file.options.missing)
    return OwnTable(table, read.report, left_out)


def reading_options(**given: Any) -> Reading:
    """The reader's options from those of a command line: None is left to the reader, names stand between commas.

    >>> reading_options(separator=None, missing="drop", missing_values="NA,?").missing_values
    ('NA', '?')
    """
    said = {name: value for name, value in given.items() if value is not None}
    if said.get("separator") == "\\t":  # a shell has no other word for it
        said["separator"] = "\t"
    for name in ("missing_values", "text", "numbers"):
        said[name] = split_names(f"--{name.replace('_', '-')}", said[name]) if said.get(name) else ()
    both = [name for name in said["text"] if name in said["numbers"]]
    if both:
        raise ParameterError(f"--text and --numbers both name {listed(both)}; choose one")
    return Reading.of(said, "--")


def parse_hierarchies(texts: Iterable[str]) -> dict[str, str]:
    """``column=file.csv`` from the command line.

    >>> parse_hierarchies(["zip=zip.csv"])
    {'zip': 'zip.csv'}
    """
    out: dict[str, str] = {}
    for text in texts:
        column, equals, file = text.partition("=")
        if not equals or not column or not file:
            raise ParameterError(f"--hierarchy needs column=file.csv, not {text!r}")
        if column in out:
            raise ParameterError(f"--hierarchy gives {column!r} two files; give it one")
        out[column] = file
    return out


def split_names(option: str, text: str) -> list[str]:
    """``a,b`` from the command line.

    >>> split_names("--qi", "age, zip")
    ['age', 'zip']
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise SchemaError(
            f"{option} {text!r} has an empty name; write column names between commas, found {listed(names)}"
        )
    return names
