"""Snapshots from a folder of monthly files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, IdError, ParameterError, SchemaError, listed
from ppdp_lab.io import FileReport, Reading, open_table
from ppdp_lab.io.reading import ParquetFile, frames_for, warn_of, warn_of_roles
from ppdp_lab.republish import Snapshot
from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.text import OneLine

_MONTHLY = re.compile(r"\.(csv|tsv|parquet|arrow|feather)(\.(gz|bz2|xz))?$", re.IGNORECASE)


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
    order: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: str = "refuse",
    missing_values: Sequence[str] = (),
    text: Sequence[str] = (),
    numbers: Sequence[str] = (),
    guarded: bool = False,
) -> list[Snapshot]:
    """Snapshots from a folder of monthly files, in the order of the numbers or dates in their names.

    A folder may hold only the months that have not been published yet: a publisher that continues from its memory compares
    the first of them with what it published last.

    Parameters
    ----------
    folder : path
        Holds CSV, parquet or Arrow files, one per release, all with the same columns.
    schema : Schema
    id : str
        The column that identifies a person over the months; it is dropped, like every column the schema does not name.
        Ids are whole numbers if all files write them so, without needless zeros in front; else they are text in all
        files. Blanks around an id do not count, and 7.0 is 7.
    hierarchies : dict of str to Hierarchy, optional
    pattern : str
        Which files to take, such as ``"2026-*.csv"``.
    order : list of str, optional
        The names of all these files, first month first. Needed only where names such as ``jan.csv`` and ``feb.csv`` do not
        decide the order: ``month-2`` comes before ``month-10``, and ``12-2025`` before ``01-2026``.
    separator, decimal, encoding, missing, missing_values, text, numbers, guarded
        How files are read; see :class:`ppdp_lab.io.Reading`. What is not said is found in each file. Columns are
        read alike over all months: one that is a number in some files only is text in all.

    Notes
    -----
    What the reader was not sure of comes as a :class:`~ppdp_lab.io.ReadingWarning`;
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
    months = read_months(folder, schema, id=id, hierarchies=hierarchies, pattern=pattern, order=order, options=options)
    warn_of(months.reports)
    warn_of_roles(months.snapshots[-1].table)
    return months.snapshots


def read_months(
    folder: str | Path,
    schema: Schema,
    *,
    id: str,
    hierarchies: dict[str, Hierarchy] | None = None,
    pattern: str = "*",
    order: Sequence[str] | None = None,
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
    paths = in_order(paths) if order is None else _as_listed(paths, order)
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
    named = any(typed) or any(id in file.options.text for file in files)
    ids = _ids_alike([entry.frame[id] for entry in read], [path.name for path in paths], named)
    rows = pd.concat([entry.frame[[*schema.columns]] for entry in read], ignore_index=True)
    gaps = files[0].options.missing
    everything = Microdata(rows, schema, trees, missing=gaps)  # one coding for all months
    snapshots = _cut(everything, ids, [path.name for path in paths])
    for before, month, entry in zip(paths, snapshots[1:], read[1:]):
        if not len(month.inserted) + len(month.deleted) + len(month.updated):
            entry.report.notes.append(
                f"has the same persons and values as {before.name!r}; check that it is not a copy"
            )
    return Months(snapshots, [entry.report for entry in read])


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
        paths = [path for path in folder.glob(pattern) if path.is_file() and _MONTHLY.search(path.name)]
    except (ValueError, NotImplementedError) as error:  # "/a" or "a**"
        raise ParameterError(f"pattern {pattern!r} cannot name files of a folder: {error}") from None
    if not paths:
        raise DataFileError(f"no CSV, parquet or Arrow file matches {pattern!r} in {str(folder)!r}")
    return paths


def _as_listed(paths: Sequence[Path], order: Any) -> list[Path]:
    """The files in the order that the caller lists."""
    if isinstance(order, str) or not all(isinstance(name, str) for name in order):
        raise ParameterError(f"order must be a list of file names, first month first, not {order!r}")
    by_name = {path.name: path for path in paths}
    for names, words in (
        ([name for name in order if name not in by_name], "is not among the files of the folder"),
        ([name for name in by_name if name not in order], "is missing; list all files, or narrow the pattern"),
        ([name for name, times in Counter(order).items() if times > 1], "is listed twice"),
    ):
        if names:
            raise ParameterError(f"order: {listed(names)} {words}; the folder has {listed(sorted(by_name), 20)}")
    return [by_name[name] for name in order]


def in_order(paths: Sequence[Path]) -> list[Path]:
    """Monthly files, first month first, by the numbers or dates in their names; an error if these do not decide it.

    >>> [path.name for path in in_order([Path("month-10.csv"), Path("month-2.csv"), Path("month-1.csv")])]
    ['month-1.csv', 'month-2.csv', 'month-10.csv']
    >>> [path.name for path in in_order([Path("01-2026.csv"), Path("12-2025.csv")])]
    ['12-2025.csv', '01-2026.csv']
    """
    stems = [_MONTHLY.sub("", path.name) for path in paths]
    shapes = {re.sub(r"[\W_]", "", re.sub(r"\d+", "#", stem, flags=re.ASCII)).casefold() for stem in stems}
    if len(shapes) > 1:
        raise _undecided(paths, "they differ in more than their numbers")
    digits = [re.findall(r"\d+", stem, flags=re.ASCII) for stem in stems]
    orders = {
        tuple(sorted(range(len(paths)), key=keys.__getitem__))
        for keys in _readings(digits)
        if len(set(keys)) == len(keys)
    }
    if len(orders) != 1:
        why = "their numbers can be read in several ways" if orders else "some have the same numbers"
        raise _undecided(paths, why)
    return [paths[i] for i in orders.pop()]


def _readings(names: Sequence[Sequence[str]]) -> list[list[tuple[int, ...]]]:
    """Sort keys of names, given as the groups of digits in each, for every way in which the names may be meant."""
    names = _split_dates(names)
    places = range(len(names[0]))
    years = [place for place in places if all(_is_year(parts[place]) for parts in names)][:1]
    rest = [place for place in places if place not in years and len({int(parts[place]) for parts in names}) > 1]
    orders = {(*years, *rest)}
    if rest and not (years and years[0] < rest[0]):  # 2026-01-31 is clear; in 01-31-2026 or 01-26 a part may be any
        orders |= {(*years, *reversed(rest))} | ({(*years, rest[2], *rest[:2])} if len(rest) == 3 else set())
    if years and len(rest) == 2:
        orders = {order for order in orders if all(1 <= int(parts[order[1]]) <= 12 for parts in names)} or orders
    return [[tuple(int(parts[place]) for place in order) for parts in names] for order in orders]


def _split_dates(names: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Names that are one number, cut into day, month and year where all may be dates such as 31122025, 122025 or 311225."""
    for width in (8, 6):
        if not all(len(parts) == 1 and len(parts[0]) == width for parts in names):
            continue
        numbers = [parts[0] for parts in names]
        if all(map(_is_year, (number[:4] for number in numbers))):
            break
        if all(map(_is_year, (number[-4:] for number in numbers))):
            return [[number[:2], *([number[2:4]] if width == 8 else []), number[-4:]] for number in numbers]
        cut = [[number[start : start + 2] for start in (0, 2, 4)] for number in numbers]
        if width == 6 and all(1 <= int(part) <= 31 for parts in cut for part in parts[:2]):
            return cut
    return names


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits[:2] in ("19", "20")


def _undecided(paths: Sequence[Path], why: str) -> DataFileError:
    names = listed(sorted(path.name for path in paths), 6)
    return DataFileError(
        f"the names of the files {names} do not tell which month comes first: {why}; name them like 2026-01.csv and 2026-02.csv, "
        f"or list them in order=[...]"
    )


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
