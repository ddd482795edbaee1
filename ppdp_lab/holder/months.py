"""Snapshots from a folder of monthly files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, IdError, ParameterError, SchemaError, listed
from ppdp_lab.registry import OneLine
from ppdp_lab.republish import Snapshot
from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.table.files import FileReport, Reading, open_table
from ppdp_lab.table.files.opening import ParquetFile
from ppdp_lab.table.from_files import frames_for, warn_of


@dataclass(frozen=True)
class Months(OneLine):
    """Snapshots of a folder of monthly files, and how each file was read."""

    snapshots: list[Snapshot]
    reports: list[FileReport]


def snapshots_from_folder(
    folder: str | Path,
    schema: Schema,
    *,
    id: str,
    hierarchies: dict[str, Hierarchy] | None = None,
    pattern: str = "*",
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: str = "refuse",
    missing_values: Sequence[str] = (),
    text: Sequence[str] = (),
    numbers: Sequence[str] = (),
    guarded: bool = False,
) -> list[Snapshot]:
    """Snapshots from a folder of monthly files, in the order of their names.

    Parameters
    ----------
    folder : path
        Holds CSV or parquet files, one per release, all with the same columns.
    schema : Schema
    id : str
        The column that identifies a person over the months; it is dropped, like every column the schema does not name.
        Ids are whole numbers if all files write them so, without needless zeros in front; else they are text in all
        files. Blanks around an id do not count, and 7.0 is 7.
    hierarchies : dict of str to Hierarchy, optional
    pattern : str
        Which files to take, such as ``"2026-*.csv"``.
    separator, decimal, encoding, missing, missing_values, text, numbers, guarded
        How files are read; see :class:`ppdp_lab.table.files.Reading`. What is not said is found in each file. Columns are
        read alike over all months: one that is a number in some files only is text in all.

    Notes
    -----
    What the reader was not sure of comes as a :class:`~ppdp_lab.table.files.ReadingWarning`;
    :func:`ppdp_lab.holder.read_months` gives its reports as well.
    """
    options = Reading(
        separator=separator,
        decimal=decimal,
        encoding=encoding,
        missing=missing,
        missing_values=missing_values,
        text=text,
        numbers=numbers,
        guarded=guarded,
    )
    months = read_months(folder, schema, id=id, hierarchies=hierarchies, pattern=pattern, options=options)
    warn_of(months.reports)
    return months.snapshots


def read_months(
    folder: str | Path,
    schema: Schema,
    *,
    id: str,
    hierarchies: dict[str, Hierarchy] | None = None,
    pattern: str = "*",
    options: Reading | None = None,
) -> Months:
    """The snapshots of :func:`snapshots_from_folder`, and a report per file."""
    folder = Path(folder)
    if not folder.is_dir():
        raise DataFileError(f"no folder {str(folder)!r} with monthly files")
    if not isinstance(schema, Schema):
        raise ParameterError(f"schema must be a ppdp_lab.Schema, not {type(schema).__name__}")
    if not isinstance(id, str):
        raise ParameterError(f"id must be the name of a column, not {id!r}")
    if id in schema.quasi_identifiers + schema.sensitive:
        raise SchemaError(f"the id column {id!r} would be published; leave it out of the schema")
    paths = _matching(folder, pattern)
    files = [open_table(path, options, label=f"file {path.name!r}") for path in paths]
    for file in files:
        lacking = [name for name in (id, *schema.columns) if name not in file.names]
        if lacking:
            raise SchemaError(
                f"{file.label} lacks column(s) {listed(lacking)}; its columns are {listed(file.names, 20)}"
            )
    trees = _checked(hierarchies)
    typed = [isinstance(file, ParquetFile) and file.is_text(id) for file in files]
    read = frames_for(schema, files, trees, id=id, texts=[id])
    ids = _ids_alike([entry.frame[id] for entry in read], [path.name for path in paths], any(typed))
    rows = pd.concat([entry.frame[[*schema.columns]] for entry in read], ignore_index=True)
    gaps = files[0].options.missing
    everything = Microdata(rows, schema, trees, missing=gaps)  # one coding for all months
    return Months(_cut(everything, ids, [path.name for path in paths]), [entry.report for entry in read])


def _checked(hierarchies: Any) -> dict[str, Hierarchy]:
    """The hierarchies, if they are any; Microdata says the rest."""
    if hierarchies is None:
        return {}
    if not isinstance(hierarchies, dict) or not all(isinstance(tree, Hierarchy) for tree in hierarchies.values()):
        raise ParameterError(f"hierarchies must be a dictionary {{column: ppdp_lab.Hierarchy}}, not {hierarchies!r}")
    return hierarchies


def _matching(folder: Path, pattern: str) -> list[Path]:
    if not isinstance(pattern, str) or not pattern:
        raise ParameterError(f"pattern must be text such as '2026-*.csv', not {pattern!r}")
    try:
        paths = sorted(p for p in folder.glob(pattern) if p.suffix in (".csv", ".parquet"))
    except (ValueError, NotImplementedError) as error:  # "/a" or "a**"
        raise ParameterError(f"pattern {pattern!r} cannot name files of a folder: {error}") from None
    if not paths:
        raise DataFileError(f"no CSV or parquet file matches {pattern!r} in {str(folder)!r}")
    return paths


def _ids_alike(columns: Sequence[pd.Series], names: Sequence[str], named: bool) -> list[pd.Series]:
    """The ids of all files, read to the letter, in one form, so that a person who stays is known again.

    ``named`` says that a parquet file holds them as text: then they are text, even if they look like numbers.
    """
    texts = []
    for column, name in zip(columns, names):
        if column.isna().any():
            raise IdError(f"file {name!r}: some ids are missing; every person needs one")
        text = column.str.strip().str.replace(r"^(-?\d+)\.0*$", r"\1", regex=True)  # 7.0 is 7
        doubled = text[text.duplicated()].unique()
        if len(doubled):
            raise IdError(f"file {name!r}: id(s) {listed(doubled)} stand more than once; one row per person and month")
        texts.append(text)
    every = pd.concat(texts, ignore_index=True).drop_duplicates()
    short = every.str.replace(r"^0+(\d+)$", r"\1", regex=True)
    twice = every[short.duplicated(keep=False)]
    if len(twice):
        raise IdError(f"id(s) {listed(twice)} differ only in zeros in front; write each person's id alike in all files")
    if named or not every.str.fullmatch(r"0|-?[1-9]\d{0,17}").all():
        return texts
    return [text.astype("int64") for text in texts]


def _cut(everything: Microdata, ids: Sequence[pd.Series], names: Sequence[str]) -> list[Snapshot]:
    snapshots: list[Snapshot] = []
    start = 0
    previous: Microdata | None = None
    for number, column in enumerate(ids):
        table = everything.select(np.arange(start, start + len(column)))
        table = with_ids(table, column, f"file {names[number]!r}")
        snapshots.append(Snapshot.after(previous, table, number))
        previous = table
        start += len(column)
    return snapshots


def with_ids(table: Microdata, ids: Any, where: str) -> Microdata:
    """The same records under other ids."""
    index = pd.Index(ids).rename(None)
    if index.hasnans:
        raise IdError(f"{where}: some ids are missing; every person needs one")
    renamed = table.with_codes()
    renamed.ids = index
    renamed.identifiers = table.identifiers.set_axis(index)
    return renamed
