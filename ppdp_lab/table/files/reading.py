"""From opened files to frames: types, missing cells, and a report of what was decided."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, MissingValueError, SchemaError, listed
from ppdp_lab.registry import OneLine
from ppdp_lab.table.files.columns import CATEGORIES, OTHER, CellColumn, Column
from ppdp_lab.table.files.decoding import decode, read_bytes
from ppdp_lab.table.files.kinds import (
    DATE,
    DECIMAL,
    EMPTY,
    MOMENT,
    NUMBERS,
    TEXT,
    WHOLE,
    WRITTEN,
    Kind,
    dates_written,
    decimal_signs,
)  # fmt: skip
from ppdp_lab.table.files.opening import CsvFile, TableFile, open_table
from ppdp_lab.table.files.options import Reading
from ppdp_lab.table.files.report import FileReport, ReadingWarning
from ppdp_lab.table.files.scanning import rows_of
from ppdp_lab.table.schema import CATEGORY, DROP, MISSING, REFUSE, VALUE


@dataclass
class FileFrame(OneLine):
    """The rows of a file as a frame, and how they were read."""

    frame: pd.DataFrame
    report: FileReport


def read_file(path: str | Path, options: Reading | None = None) -> FileFrame:
    """All columns of a CSV or parquet file; see :class:`Reading` for what may be said about it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip;weight\\n01234;71,5\\n01235;80,25\\n")
    >>> found = read_file(path)
    >>> print(found.report)
    read people.csv as CSV: 2 rows
      separator semicolon (found), decimal comma (found), UTF-8 (found)
      text (codes: some begin with 0): zip
      numbers: weight
      missing: nothing (an empty cell would be)
    >>> found.frame["weight"].tolist()
    [71.5, 80.25]
    """
    file = open_table(path, options)
    return read_frames([file], file.names)[0]


def read_frames(
    files: Sequence[TableFile], names: Sequence[str], *, coded: Collection[str] | None = None, texts: Iterable[str] = ()
) -> list[FileFrame]:
    """Columns of one or several files, read alike: what is a number in some of them only is text in all.

    Parameters
    ----------
    files : list of opened files
    names : list of str
        The columns to read; all files must have them.
    coded : collection of str, optional
        The columns in which a missing cell matters: those that get published. All of them unless given.
    texts : iterable of str
        Columns to be read to the letter.
    """
    coded = set(names if coded is None else coded)
    texts = set(texts)
    read = [_decided(file, names, texts) for file in files]
    for name in names:
        _agree_on_dates([columns[name] for columns in read])
    for file, columns in zip(files, read):
        for name in names:
            _remark(file, name, columns[name])
    for file, columns in zip(files, read):
        if file.options.missing == REFUSE:
            _refuse_missing(file, {name: columns[name] for name in names if name in coded})
    kinds = {name: _common([columns[name].kind.name for columns in read]) for name in names}
    out = []
    for file, columns in zip(files, read):
        for name in names:
            if columns[name].kind.name != kinds[name] and kinds[name] == TEXT and len(files) > 1:
                file.report.notes.append(
                    f"column {name!r} is text, as not all of its cells in all files are of one type"
                )
        out.append(_frame(file, columns, kinds, coded))
    return out


def _decided(file: TableFile, names: Sequence[str], texts: Collection[str]) -> dict[str, Column]:
    """The columns of a file, each with its kind."""
    options = file.options
    for role in ("text", "numbers"):
        strange = [name for name in getattr(options, role) if name not in set(file.names)]
        if strange:
            raise SchemaError(
                f"{options.spelled(role)} names {listed(strange)}, which {file.label} does not have; its columns are "
                f"{listed(file.names, 20)}"
            )
    columns = dict(zip(names, file.columns(names)))
    letters = {*options.text, *texts}
    open_ = {}  # columns whose cells tell what they are
    for name, column in columns.items():
        if name in letters:
            column.kind = Kind(TEXT, "as said" if name in options.text else "to the letter")
        elif isinstance(column, CellColumn) and (isinstance(file, CsvFile) or name in options.numbers):
            open_[name] = column
        if isinstance(column, CellColumn) and name not in open_:
            column.drop_blanks()
    decimal = options.decimal or _find_decimal(open_.values(), file.separator)
    file.report.decimal = decimal

    def decide(name: str) -> None:
        if name in open_:
            open_[name].decide(decimal, numbers=name in options.numbers)
        columns[name].marks  # noqa: B018 (looked for here, since this is done for several columns at a time)

    _each(decide, columns)
    for name, column in columns.items():
        if name in options.numbers and name not in letters and column.kind.name not in (*NUMBERS, EMPTY):
            raise DataFileError(f"{file.label}: column {name!r} cannot be read as numbers, it holds {column.kind}")
    return columns


def _agree_on_dates(columns: Sequence[Column]) -> None:
    """Read a column's dates alike in all files: where some files tell day and month apart, the others follow them.

    Layouts are compared among files with the same sign between day and month. Files that contradict each other stay text.
    """
    dated = [column for column in columns if column.kind.layouts]
    for sign in "./-":
        alike = [column for column in dated if column.kind.layouts and sign in column.kind.layouts[0]]
        common = [name for name in WRITTEN if all(name in column.kind.layouts for column in alike)]
        for column in alike if len(alike) > 1 else []:
            column.kind = dates_written(tuple(common))


def _remark(file: TableFile, name: str, column: Column) -> None:
    """Refuse a cell that does not belong to its column; note what a person should look at."""
    kind, options = column.kind, file.options
    if kind.refused is not None:
        raise DataFileError(
            f"{file.label}, {file.place(column.first_row(kind.refused))}, column {name!r}: {kind.refused!r} is no number that "
            f"can be used among numbers; correct the cell, list it in {options.spelled('missing_values')}, or list the column "
            f"in {options.spelled('text')}"
        )
    if kind.note:
        file.report.notes.append(f"column {name!r} {kind.note}")
    if kind.other_decimal:
        file.report.notes.append(
            f"column {name!r} would be numbers if {kind.other_decimal!r} were the decimal sign: it stays text; if it is, use "
            f"{options.spelled('decimal', kind.other_decimal)}"
        )
    for mark, count in column.marks.items():
        file.report.notes.append(
            f"column {name!r} has {count:,} cell(s) {mark!r}, which look like a mark for a missing value but count as "
            f"a value; list the mark in {options.spelled('missing_values')} if it is one"
        )


def _find_decimal(columns: Iterable[CellColumn], separator: str | None) -> str:
    """The decimal sign of a file: a comma if some column is sure to have it and none has a point."""
    if separator == ",":  # then 1,234 in quotes is rather an English thousand
        return "."
    signs = {decimal_signs(column.sample, partial(getattr, column, "distinct")) for column in columns}
    return "," if "," in signs and "." not in signs else "."


def _each(work: Callable[[str], None], names: Iterable[str]) -> None:
    """Do something for every column; Arrow works outside Python's lock, so several at a time."""
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        list(pool.map(work, names))


def _common(kinds: Sequence[str]) -> str:
    """What a column is in all files.

    >>> _common(["whole numbers", "numbers"]), _common(["numbers", "text"])
    ('numbers', 'text')
    """
    found = {kind for kind in kinds if kind != EMPTY} or {TEXT}
    if len(found) == 1:
        return found.pop()
    if found <= {WHOLE, DECIMAL}:
        return DECIMAL
    return MOMENT if found <= {DATE, MOMENT} else TEXT


def _refuse_missing(file: TableFile, columns: dict[str, Column]) -> None:
    for name, column in columns.items():
        rows = np.flatnonzero(column.missing)
        if len(rows):
            places = ", ".join(file.place(row).split()[1] for row in rows[:5].tolist())
            what = file.place(0).split()[0]
            raise MissingValueError(
                f"{file.label}: column {name!r} has {len(rows)} missing value(s), first in {what}(s) {places}; fill them in, "
                f"or use {file.options.spelled('missing', DROP)} (leave such rows out), {file.options.spelled('missing', VALUE)} "
                f"(publish them as {MISSING}, which protects nobody) or {file.options.spelled('missing', CATEGORY)} (count them "
                f"as any other value)"
            )


def _frame(file: TableFile, columns: dict[str, Column], kinds: dict[str, str], coded: set[str]) -> FileFrame:
    report, missing = file.report, file.options.missing
    series: dict[str, pd.Series] = {}

    def convert(name: str) -> None:
        kind = columns[name].kind.name if kinds[name] in (CATEGORIES, OTHER) else kinds[name]
        series[name] = columns[name].series(kind)

    _each(convert, columns)
    gone = np.zeros(len(next(iter(series.values()))) if series else 0, dtype=bool)
    for name, column in columns.items():
        count = int(column.missing.sum())
        if count:
            report.missing[name] = count
        if count and name in coded and missing == DROP:
            gone |= column.missing
        report.columns[name] = str(column.kind) if column.kind.name == kinds[name] else kinds[name]
    frame = pd.DataFrame({name: series[name] for name in columns}, copy=False)
    if gone.any():
        report.rows_dropped = int(gone.sum())
        frame = frame[~gone].reset_index(drop=True)
        if not len(frame):
            raise MissingValueError(f"{file.label}: every row has a missing value, so that none is left; fill some in")
    report.rows = len(frame)
    return FileFrame(frame, report)


def read_rows(path: Path, separator: str, label: str) -> list[list[str]]:
    """The fields of a small CSV file without a header, to the letter; empty lines are skipped."""
    decoded = decode(read_bytes(path, label), None, label)
    if decoded.note:
        warnings.warn(f"{label}: {decoded.note}", ReadingWarning, stacklevel=3)
    return rows_of(decoded.data, separator, label)
