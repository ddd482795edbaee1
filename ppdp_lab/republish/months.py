"""Snapshots from a folder of monthly files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, IdError, ParameterError, SchemaError, listed
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Hierarchy, Microdata, Schema


def snapshots_from_folder(
    folder: str | Path,
    schema: Schema,
    *,
    id: str,
    hierarchies: dict[str, Hierarchy] | None = None,
    pattern: str = "*",
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
    """
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
    frames = [_read_month(path, schema, id, [id]) for path in paths]
    mixed = _mixed([frame for frame, path in zip(frames, paths) if path.suffix == ".csv"], schema)
    if mixed:
        frames = [_read_month(path, schema, id, [id, *mixed]) for path in paths]
    ids = _ids_alike([frame[id] for frame in frames], paths)
    rows = pd.concat([frame[[*schema.columns]] for frame in frames], ignore_index=True)
    everything = Microdata(rows, schema, hierarchies)  # one coding for all months
    return _cut(everything, ids, [path.name for path in paths])


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


def _read_month(path: Path, schema: Schema, id: str, texts: Sequence[str]) -> pd.DataFrame:
    """One file; of a CSV, the columns ``texts`` are read to the letter."""
    try:
        frame, names = _read_csv(path, texts) if path.suffix == ".csv" else _read_parquet(path)
    except (ValueError, OSError) as error:  # empty, undecodable, ragged, or something else under that name
        kind = "CSV" if path.suffix == ".csv" else "parquet"
        raise DataFileError(
            f"file {path.name!r} cannot be read as {kind}: {' '.join(str(error).split())}; mend it, or leave it out by pattern"
        ) from None
    doubled = names[names.duplicated()].unique()
    if len(doubled):
        raise SchemaError(f"file {path.name!r} has more than one column {listed(doubled)}; rename or drop them")
    missing = [name for name in (id, *schema.columns) if name not in frame.columns]
    if missing:
        raise SchemaError(f"file {path.name!r} lacks column(s) {listed(missing)}")
    if not len(frame):
        raise DataFileError(f"file {path.name!r} has no rows; leave it out by pattern")
    return frame


def _read_csv(path: Path, texts: Sequence[str]) -> tuple[pd.DataFrame, pd.Index]:
    """The rows, and the header as it stands.

    The header is read as a row first: pandas would rename doubled columns, and take a surplus one for an index, unasked.
    """
    head = pd.read_csv(path, header=None, nrows=2, dtype="str", keep_default_na=False, encoding="utf-8-sig")
    names = pd.Index([name for name in head.iloc[0] if name])
    dtype: dict[Any, Any] = dict.fromkeys(texts, "str")
    return pd.read_csv(path, dtype=dtype, low_memory=False, encoding="utf-8-sig"), names


def _read_parquet(path: Path) -> tuple[pd.DataFrame, pd.Index]:
    frame = pd.read_parquet(path)
    return frame, frame.columns


def _mixed(frames: Sequence[pd.DataFrame], schema: Schema) -> list[str]:
    """Columns that were taken for numbers in some files only, so that 01 is 1 here and text there."""
    return [
        name
        for name in schema.columns
        if len({pd.api.types.is_numeric_dtype(frame[name].dtype) for frame in frames}) > 1
    ]


def _ids_alike(columns: Sequence[pd.Series], paths: Sequence[Path]) -> list[pd.Series]:
    """The ids of all files in one form, so that a person who stays is known again."""
    texts = []
    for column, path in zip(columns, paths):
        if column.isna().any():
            raise IdError(f"file {path.name!r}: some ids are missing; every person needs one")
        text = column.astype("str").str.strip().str.replace(r"^(-?\d+)\.0*$", r"\1", regex=True)  # 7.0 is 7
        doubled = text[text.duplicated()].unique()
        if len(doubled):
            raise IdError(
                f"file {path.name!r}: id(s) {listed(doubled)} stand more than once; one row per person and month"
            )
        texts.append(text)
    every = pd.concat(texts, ignore_index=True).drop_duplicates()
    short = every.str.replace(r"^0+(\d+)$", r"\1", regex=True)
    twice = every[short.duplicated(keep=False)]
    if len(twice):
        raise IdError(f"id(s) {listed(twice)} differ only in zeros in front; write each person's id alike in all files")
    named = any(p.suffix == ".parquet" and not pd.api.types.is_numeric_dtype(c.dtype) for c, p in zip(columns, paths))
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
