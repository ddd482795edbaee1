"""Opening a CSV or parquet file: its columns' names first, its columns when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from ppdp_lab.errors import DataFileError
from ppdp_lab.table.files.columns import GUARD, CellColumn, Column, TypedColumn, without
from ppdp_lab.table.files.decoding import PARQUET, decode, line_of, read_bytes
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
    """A parquet file; see :func:`open_table`."""

    def __init__(self, data: bytes, options: Reading, label: str, file: str) -> None:
        self.label, self.options = label, options
        try:
            self._file = pyarrow.parquet.ParquetFile(pa.BufferReader(data))
            names = list(self._file.schema_arrow.names)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataFileError(
                f"{label} cannot be read as parquet: {' '.join(str(error).split())}; write the file anew"
            ) from None
        self.names = check_header(names, label, 1) if names else []
        self.separator: str | None = None
        self.report = FileReport(file, "parquet", options)

    def columns(self, names: Sequence[str]) -> list[Column]:
        """Columns by name; texts as in a CSV file, everything else as the file types it."""
        if not self._file.metadata.num_rows:
            raise DataFileError(f"{self.label} has columns but no rows; there is nothing to read")
        nested = [name for name in names if pa.types.is_nested(self._file.schema_arrow.field(name).type)]
        if nested:
            raise DataFileError(
                f"{self.label}, column {nested[0]!r}: it holds lists or records; give it one value per row"
            )
        try:
            table = self._file.read(columns=list(names))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataFileError(
                f"{self.label} cannot be read as parquet: {' '.join(str(error).split())}; write the file anew"
            ) from None
        return [self._column(table.column(name)) for name in names]

    def is_text(self, name: str) -> bool:
        """Whether the file types a column as text, or as anything but numbers."""
        form = self._file.schema_arrow.field(name).type
        return not (pa.types.is_integer(form) or pa.types.is_floating(form) or pa.types.is_decimal(form))

    def _column(self, values: pa.ChunkedArray) -> Column:
        form = values.type
        if pa.types.is_string(form) or pa.types.is_large_string(form) or pa.types.is_string_view(form):
            texts = values.cast(pa.string())
            return CellColumn.of(without(texts, pc.equal(texts, "")), self.options)
        return TypedColumn.of(values, self.options)

    def place(self, row: int) -> str:
        """Where a row, counted from 0, stands in the file."""
        return f"row {row + 1}"


TableFile = CsvFile | ParquetFile


def open_table(path: str | Path, options: Reading | None = None, *, label: str | None = None) -> TableFile:
    """Open a CSV or parquet file and read the names of its columns.

    A file is parquet if it is called so or begins like one; else it is CSV, unpacked first if its name ends in .gz, .bz2
    or .xz. ``label`` is what refusals call it.
    """
    path = Path(path)
    label = label or f"file {str(path)!r}"
    data = read_bytes(path, label)
    kind = ParquetFile if path.suffix.lower() == ".parquet" or data.startswith(PARQUET) else CsvFile
    return kind(data, options or Reading(), label, path.name)
