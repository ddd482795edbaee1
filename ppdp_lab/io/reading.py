"""Opening a CSV, parquet or Arrow file: its columns' names first, its columns when they are asked for."""

from __future__ import annotations

import csv
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from ppdp_lab.errors import (
    DataFileError,
    HierarchyError,
    MissingValueError,
    ParameterError,
    PPDPError,
    RoleWarning,
    SchemaError,
    check_separator,
    listed,
)
from ppdp_lab.io.columns import (
    CATEGORIES,
    DATE,
    DECIMAL,
    EMPTY,
    GUARD,
    MOMENT,
    NUMBERS,
    OTHER,
    TEXT,
    WHOLE,
    WRITTEN,
    CellColumn,
    Column,
    Kind,
    TypedColumn,
    dates_written,
    decimal_signs,
    without,
)
from ppdp_lab.io.csv_files import (
    ARROW,
    PARQUET,
    check_header,
    check_records,
    decode,
    find_separator,
    header_of,
    line_of,
    read_bytes,
    records_of,
    rows_of,
)
from ppdp_lab.io.options import FileReport, Reading, ReadingWarning
from ppdp_lab.io.writing import atomic_write
from ppdp_lab.table.domain import MANY_VALUES, ORDERED, TREE
from ppdp_lab.table.hierarchy import Hierarchy
from ppdp_lab.table.schema import CATEGORY, DROP, MISSING, REFUSE, VALUE, Schema
from ppdp_lab.text import OneLine

if TYPE_CHECKING:
    from ppdp_lab.table.microdata import Microdata


class CsvFile:
    """A CSV file whose header was read; see :func:`open_table`."""

    def __init__(self, data: bytes, options: Reading, label: str, file: str) -> None:
        decoded = decode(data, options.encoding, label)
        self.label, self.options, self._data = label, options, decoded.data
        if not re.search(rb"\S", self._data):
            raise DataFileError(f"{label} cannot be read as CSV: it is empty; its first line must name the columns")
        self.separator = options.separator or find_separator(self._data)
        names, self._start = header_of(self._data, self.separator)
        line = line_of(self._data[: self._start].rstrip(b"\r\n")) - "".join(names).count("\n")
        if options.guarded:
            names = [re.sub(GUARD, r"\1", name) for name in names]
        self._quoted = b'"' in self._data
        if self._quoted:
            self._check(names)
        self.names = check_header(names, label, line)
        given = tuple(name for name in ("separator", "decimal", "encoding") if getattr(options, name) is not None)
        self.report = FileReport(file, "CSV", options, separator=self.separator, encoding=decoded.encoding, given=given)
        if decoded.note:
            self.report.notes.append(decoded.note)

    def _check(self, names: list[str]) -> None:
        how = "given" if self.options.separator else "found"
        check_records(self._data, self.separator, names, self.label, how)

    def columns(self, names: Sequence[str]) -> list[Column]:
        """Columns by name, as they stand in the file."""
        if not re.compile(rb"[^\r\n]").search(self._data, self._start):
            raise DataFileError(f"{self.label} has a header but no rows; there is nothing to read")
        try:
            table = self._parsed(names, 1 << 20)
        except pa.ArrowInvalid:
            self._check(self.names)
            try:  # nothing is wrong with the file, so a row may be longer than a block
                table = self._parsed(names, len(self._data) + 1)
            except pa.ArrowInvalid as error:
                raise DataFileError(
                    f"{self.label} cannot be read as CSV: its rows have the right number of fields, but: {error}"
                ) from None
        return [CellColumn.of(table.column(name), self.options) for name in names]

    def _parsed(self, names: Sequence[str], block_size: int) -> pa.Table:
        # from the header's line end on, an empty line to Arrow, which would take a byte order mark off the first cell
        rows = pa.py_buffer(self._data)[max(self._start - 1, 0) :]
        return pyarrow.csv.read_csv(
            pa.BufferReader(rows),
            read_options=pyarrow.csv.ReadOptions(column_names=self.names, block_size=block_size),
            parse_options=pyarrow.csv.ParseOptions(delimiter=self.separator, newlines_in_values=self._quoted),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=list(names),
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=True,
                null_values=[""],
                check_utf8=False,  # the decoder has
            ),
        )

    def place(self, row: int) -> str:
        """Where a row, counted from 0, stands in the file."""
        return f"line {int(records_of(self._data, self.separator).lines[row + 1])}"


class ParquetFile:
    """A parquet or Arrow file, whose columns have types; see :func:`open_table`."""

    def __init__(self, data: bytes, options: Reading, label: str, file: str, form: str = "parquet") -> None:
        self.label, self.options, self._form = label, options, form
        with self._readable():
            self._rows, self._schema, self._read = _OPENERS[form](data)
        names = list(self._schema.names)
        self.names = check_header(names, label, 1) if names else []
        self.separator: str | None = None
        self.report = FileReport(file, form, options)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError, ValueError) as error:
            words = " ".join(str(error).split())
            raise DataFileError(f"{self.label} cannot be read as {self._form}: {words}; write the file again") from None

    def columns(self, names: Sequence[str]) -> list[Column]:
        """Columns by name; texts as in a CSV file, everything else as the file types it."""
        if not self._rows:
            raise DataFileError(f"{self.label} has columns but no rows; there is nothing to read")
        for name in names:
            form = self._schema.field(name).type
            if pa.types.is_dictionary(form):
                form = form.value_type
            holds = next((words for test, words in _UNREADABLE if test(form)), None)
            if holds is not None:
                raise DataFileError(
                    f"{self.label}, column {name!r} holds {holds}; convert it to one number, date or text per row"
                )
        with self._readable():
            table = self._read(list(names))
            table.validate(full=True)  # texts that are not UTF-8 would otherwise fail later, one row at a time
        return [self._column(table.column(name)) for name in names]

    def is_text(self, name: str) -> bool:
        """Whether the file types a column as text, or as anything but numbers."""
        form = self._schema.field(name).type
        return not (pa.types.is_integer(form) or pa.types.is_floating(form) or pa.types.is_decimal(form))

    def _column(self, values: pa.ChunkedArray) -> Column:
        form = values.type
        if pa.types.is_string(form) or pa.types.is_large_string(form) or pa.types.is_string_view(form):
            texts = values.cast(pa.string())
            return CellColumn.of(without(texts, pc.equal(texts, "")), self.options)
        if pa.types.is_decimal(form) and _beyond_floats(values):
            return CellColumn(values.cast(pa.string()), Kind(TEXT, "codes: some have more than 15 digits"))
        return TypedColumn.of(values, self.options)

    def place(self, row: int) -> str:
        """Where a row, counted from 0, stands in the file."""
        return f"row {row + 1}"


def _beyond_floats(values: pa.ChunkedArray) -> bool:
    """Whether decimal numbers would lose digits as floats, so that some become equal or are shown as other numbers."""
    largest = pc.max(pc.abs(values)).as_py()
    distinct = [pc.count_distinct(array).as_py() for array in (values, values.cast(pa.float64()))]
    return distinct[0] != distinct[1] or (largest is not None and largest >= 10**15)


def _open_parquet(data: bytes) -> Opened:
    file = pyarrow.parquet.ParquetFile(pa.BufferReader(data))
    return file.metadata.num_rows, file.schema_arrow, lambda names: file.read(columns=names)


def _open_arrow(data: bytes) -> Opened:
    opened = (pa.ipc.open_file if data.startswith(ARROW) else pa.ipc.open_stream)(pa.BufferReader(data))
    table = opened.read_all()
    return table.num_rows, table.schema, table.select


Opened = tuple[int, pa.Schema, Callable[[list[str]], pa.Table]]
"""Number of rows, schema, and a function that reads columns by name."""
TableFile = CsvFile | ParquetFile
_OPENERS: dict[str, Callable[[bytes], Opened]] = {"parquet": _open_parquet, "Arrow": _open_arrow}
_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)
_UNREADABLE: list[tuple[Callable[[pa.DataType], bool], str]] = [
    (pa.types.is_nested, "lists or records"),
    (lambda form: any(test(form) for test in _BYTES), "bytes"),
    (lambda form: isinstance(form, pa.BaseExtensionType), "values of an extension type"),
]


def open_table(path: str | Path, options: Reading | None = None, *, label: str | None = None) -> TableFile:
    """Open a CSV, parquet or Arrow file and read the names of its columns.

    A file is parquet or Arrow if its name or its first bytes say so; any other file is read as CSV, unpacked first if its
    name ends in .gz, .bz2 or .xz. ``label`` is what error messages call it.
    """
    path = Path(path)
    label = label or f"file {str(path)!r}"
    data = read_bytes(path, label)
    suffix, options = path.suffix.lower(), options or Reading()
    if suffix == ".parquet" or data.startswith(PARQUET):
        return ParquetFile(data, options, label, path.name)
    if suffix in (".arrow", ".feather") or data.startswith(ARROW):
        return ParquetFile(data, options, label, path.name, "Arrow")
    return CsvFile(data, options, label, path.name)


# --------------------------------------------------------------------
# From opened files to frames: types, missing cells, and a report of what was decided.


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


# --------------------------------------------------------------------
# Own files read for a schema: every door of the package reads through here, so that a file gives one table.


NEARLY = 0.8  # different values per record from which a column names people rather than describes them
FEW = 5  # of fewer different texts nothing can be said
MANY_NUMBERS = 100  # of fewer different numbers or dates neither: all ages of a small table may well differ
FREE_TEXT = 5  # words in a text, on average
EXACT_SETS = "sets of exact values are published"


def frames_for(
    schema: Schema,
    files: Sequence[TableFile],
    hierarchies: Mapping[str, Hierarchy],
    *,
    id: str | None = None,
    texts: Iterable[str] = (),
) -> list[FileFrame]:
    """The columns that a schema names, and the column of ids, of one or several files, read alike.

    A column whose hierarchy has texts for leaves is read to the letter, since the leaves were; so are those of ``texts``.
    In identifiers and ids a missing cell is not dealt with: they are never published.
    """
    names = list(dict.fromkeys([*schema.columns, *([id] if id is not None else [])]))
    worded = [name for name, tree in hierarchies.items() if all(isinstance(leaf, str) for leaf in tree.leaves)]
    coded = {*schema.quasi_identifiers, *schema.sensitive}
    declared = [name for name in worded if any(name in file.options.numbers for file in files)]
    if declared:
        raise ParameterError(
            f"{files[0].options.spelled('numbers')} names {listed(declared)}, whose hierarchy has texts for leaves; leave them "
            f"out of it"
        )
    return read_frames(files, names, coded=coded, texts=[*worded, *texts])


def made_hierarchy(column: str, spec: Mapping[str, object], frame: FileFrame, where: str) -> Hierarchy:
    """A hierarchy made of a column's own values: ``{"widths": [5, 10]}`` or ``{"mask": 4}``."""
    values = np.asarray(frame.frame[column].dropna().unique())
    if "widths" in spec and values.dtype.kind not in "iuf":
        raise SchemaError(f"{where}: column {column!r} is {frame.report.columns[column]}; widths need numbers")
    try:
        if "widths" in spec:
            return Hierarchy.intervals(values, spec["widths"])  # type: ignore[arg-type]
        return Hierarchy.mask_suffix(values, spec["mask"])  # type: ignore[arg-type]
    except PPDPError as error:
        ((how, much),) = spec.items()
        raise type(error)(f"{where}: the hierarchy {{ {how} = {much} }} of column {column!r}: {error}") from None


def doubtful_columns(table: Microdata) -> list[str]:
    """One sentence per column whose published values may identify people; no sentence quotes a value.

    Doubtful are quasi-identifiers in which nearly every record has a value of its own; texts without a hierarchy that are
    long or have many different values, since sets of exact values are published of them; and sensitive columns in which
    nearly every record has a value of its own. The command line prints these sentences, the own-table explorer shows them,
    and monthly folders and TOML tables warn of them. :meth:`Anonymizer.anonymize` does not: call this function first.

    >>> import pandas as pd
    >>> from ppdp_lab import Microdata
    >>> frame = pd.DataFrame({"name": [f"Person {i}" for i in range(9)], "sex": list("mffmmffmf")})
    >>> (sentence,) = doubtful_columns(Microdata(frame, Schema(["name", "sex"])))
    >>> print(sentence.partition(",")[0])
    quasi-identifier 'name': nearly every record has a value of its own (9 different texts in 9 records)
    """
    return [sentence for name in table.domains if (sentence := _doubt(table, name))]


def _doubt(table: Microdata, name: str) -> str:
    domain, codes = table.domains[name], table.codes(name)
    occurring = np.unique(codes)
    quasi, ordered = name in table.schema.quasi_identifiers, domain.positions is not None
    column = f"{'quasi-identifier' if quasi else 'sensitive column'} {name!r}"
    unique = len(occurring) >= max(NEARLY * len(table), MANY_NUMBERS if ordered else FEW)
    own = (
        f"nearly every record has a value of its own ({len(occurring):,} different {'values' if ordered else 'texts'} in "
        f"{len(table):,} records)"
    )
    if not quasi:
        return f"{column}: {own}, and it is published as it is; leave it out, or round it" if unique else ""
    if domain.kind == TREE:
        return ""
    if domain.kind == ORDERED:
        return (
            f"{column}: {own}, and the ends of published ranges are exact values; if it identifies people, leave it out, else "
            f"round it"
            if unique
            else ""
        )
    words = np.char.count(domain.labels[occurring].astype(str), " ") + 1
    if unique:
        return f"{column}: {own}, and {EXACT_SETS}; if it identifies people, leave it out, else give it a hierarchy"
    if len(occurring) and words.mean() >= FREE_TEXT:
        return f"{column} looks like free text, and {EXACT_SETS}; leave it out, or give it a hierarchy"
    if len(occurring) > MANY_VALUES:
        return f"{column} has {len(occurring):,} different texts and no hierarchy, so {EXACT_SETS}; give it a hierarchy"
    return ""


def warn_of_roles(table: Microdata) -> None:
    """Warn, once, of columns that may identify people."""
    doubts = doubtful_columns(table)
    if doubts:
        warnings.warn("; ".join(doubts), RoleWarning, stacklevel=3)


def warn_of(reports: Iterable[FileReport]) -> None:
    """Point out, once, what the reader was not sure of."""
    notes = [f"{report.file}: {note}" for report in reports for note in report.notes]
    if notes:
        warnings.warn("; ".join(notes), ReadingWarning, stacklevel=3)


def read_hierarchy(path: str | Path, *, separator: str = ";") -> Hierarchy:
    """Read a hierarchy file in ARX's format: one line per leaf, ``leaf;level 1;...;*``, no header.

    The encoding is detected as for tables; see :class:`ppdp_lab.io.Reading`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "zip.csv"
    >>> write_hierarchy(Hierarchy.mask_suffix(["4370", "4352"], height=2), path)
    >>> read_hierarchy(path).levels("4352")
    ['4352', '435*', '43**']
    """
    path, separator = Path(path), check_separator(separator)
    if not path.is_file():
        raise DataFileError(
            f"no hierarchy file {str(path)!r}; a hierarchy is a CSV of lines leaf{separator}level 1{separator}...{separator}*"
        )
    rows = read_rows(path, separator, f"hierarchy file {str(path)!r}")
    if not rows:
        raise DataFileError(f"hierarchy file {str(path)!r} is empty")
    try:
        return Hierarchy(rows)
    except HierarchyError as error:
        raise HierarchyError(f"hierarchy file {str(path)!r}: {error}") from None


def write_hierarchy(hierarchy: Hierarchy, path: str | Path, *, separator: str = ";") -> None:
    """Write a hierarchy in the format that :func:`read_hierarchy` reads."""
    separator = check_separator(separator)
    text = StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(hierarchy.to_table())
    atomic_write(path, text.getvalue())
