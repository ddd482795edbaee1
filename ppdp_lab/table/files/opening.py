"""Opening a CSV, parquet or Arrow file: its columns' names first, its columns when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from ppdp_lab.errors import DataFileError
from ppdp_lab.table.files.columns import GUARD, CellColumn, Column, TypedColumn, without
from ppdp_lab.table.files.decoding import ARROW, PARQUET, decode, line_of, read_bytes
from ppdp_lab.table.files.kinds import TEXT, Kind
from ppdp_lab.table.files.options import Reading
from ppdp_lab.table.files.report import FileReport
from ppdp_lab.table.files.scanning import check_header, check_records, find_separator, header_of, records_of


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
