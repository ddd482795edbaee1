"""Writing frames as CSV, parquet or Arrow files that our reader, and spreadsheets, take as they are meant."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from ppdp_lab.errors import DataFileError, ParameterError, check_separator
from ppdp_lab.table.files.whole import Content, write_all

CSV, PARQUET, ARROW = "CSV", "parquet", "Arrow"
FORMATS = {".csv": CSV, ".tsv": CSV, ".txt": CSV, ".parquet": PARQUET, ".arrow": ARROW, ".feather": ARROW}
_FORMULA = r"^'*[=+\-@\t\r]"  # a guarded cell gets one more mark, so that taking one off always gives it back
_NUMBER = r"^[+-]?\d+(?:[.,]\d+)?$"  # begins like a formula, but a spreadsheet reads it as the number that it is


def write_csv(frame: pd.DataFrame, path: str | Path, *, separator: str = ",", guard: bool = False) -> Path:
    """Write a frame without its index, as UTF-8, all of it or nothing.

    Parameters
    ----------
    frame : pandas.DataFrame
    path : path
    separator : str
    guard : bool
        To a spreadsheet, a text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return is a formula, which
        it may run. With ``guard`` such texts, and names of columns, get a single quote in front; our reader takes it off
        again with ``guarded=True``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.csv"
    >>> write_csv(pd.DataFrame({"note": ["=1+1", "fine"], "change": [-1, 2]}), path, guard=True).read_text()
    "note,change\\n'=1+1,-1\\nfine,2\\n"
    """
    return write_all({path: _csv_writer(frame, check_separator(separator), guard)})[0]


def format_of(path: str | Path) -> str:
    """The format that a file name stands for, by its extension; a name without one stands for CSV.

    >>> format_of("out.parquet"), format_of("out.tsv"), format_of("out")
    ('parquet', 'CSV', 'CSV')
    """
    suffix = Path(path).suffix
    if suffix and suffix.lower() not in FORMATS:
        raise ParameterError(
            f"cannot write {str(path)!r}: {suffix!r} is not a known format; use one of {', '.join(FORMATS)}"
        )
    return FORMATS[suffix.lower()] if suffix else CSV


def write_tables(frames: Mapping[Any, pd.DataFrame], *, separator: str = ",", guard: bool = False) -> list[Path]:
    """Write frames without their index, each in the format of its file's extension, all of them or none.

    Parameters
    ----------
    frames : mapping of path to pandas.DataFrame
    separator : str
        Field separator of ``.csv`` and ``.txt`` files; ``.tsv`` files always use tabs.
    guard : bool
        See :func:`write_csv`. Only CSV files have guarded cells.

    Notes
    -----
    Parquet and Arrow files carry no index, no categories beyond those that occur, and no metadata of the frame. The same
    frame gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.tsv"
    >>> write_tables({path: pd.DataFrame({"age": [30], "zip": ["01067"]})})[0].read_text()
    'age\\tzip\\n30\\t01067\\n'
    """
    separator = check_separator(separator)
    contents: dict[Any, Content] = {}
    for path, frame in frames.items():
        form = format_of(path)
        if form == CSV:
            sign = "\t" if Path(path).suffix.lower() == ".tsv" else separator
            contents[path] = _csv_writer(frame, sign, guard)
        elif guard:
            raise ParameterError(
                f"only CSV files have guarded cells, and {str(path)!r} is a {form} file; omit the guard"
            )
        else:
            contents[path] = _arrow_writer(frame, form)
    return write_all(contents)


def _csv_writer(frame: pd.DataFrame, separator: str, guard: bool) -> Content:
    try:
        shown = guarded(frame) if guard else frame
        # the csv module leaves a lone carriage return bare, which every reader takes for the end of a line
        texts = [shown[name].astype("str") for name in shown.columns if _is_text(shown[name])]
    except UnicodeEncodeError:
        raise _no_unicode() from None
    bare = any(text.str.contains("\r").any() for text in texts)
    quoting = csv.QUOTE_NONNUMERIC if bare else csv.QUOTE_MINIMAL

    def write(file: BinaryIO) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        shown.to_csv(text, index=False, sep=separator, quoting=quoting, lineterminator="\n")
        text.detach()

    return write


def _arrow_writer(frame: pd.DataFrame, form: str) -> Content:
    table = pa.table({str(name): _arrow_column(frame.iloc[:, i]) for i, name in enumerate(frame.columns)})
    if form == PARQUET:
        return lambda file: pyarrow.parquet.write_table(table, file)
    return lambda file: pyarrow.feather.write_feather(table, file, compression="uncompressed")


def _arrow_column(column: pd.Series) -> pa.Array:
    """A column as numbers, dates or text; values of several types or of one that Arrow lacks become text, as in a CSV file."""
    try:
        values = pa.Array.from_pandas(column)
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()  # a dictionary may list values that no row shows
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        values = None
    if values is not None and not (pa.types.is_nested(values.type) or isinstance(values.type, pa.BaseExtensionType)):
        return values
    try:
        return pa.array([None if pd.isna(value) else str(value) for value in column], pa.string())
    except UnicodeEncodeError:
        raise _no_unicode() from None


def _no_unicode() -> DataFileError:
    return DataFileError(
        "a text holds half of a surrogate pair, which is not valid Unicode and cannot be written; replace such characters"
    )


def formula_cells(frame: pd.DataFrame) -> int:
    """How many cells and column names a spreadsheet would take for formulas; plain numbers such as -5 are none.

    >>> formula_cells(pd.DataFrame({"note": ["=1+1", "fine"], "change": ["-1", "+"], "=x": [-1, 2]}))
    3
    """
    count = 0
    columns = [frame.iloc[:, position] for position in range(len(frame.columns)) if _is_text(frame.iloc[:, position])]
    for texts in [*columns, pd.Series([str(name) for name in frame.columns])]:
        values = pd.Series(texts.dropna().astype("str"), dtype="str")
        count += int((values.str.contains(r"^[=+\-@\t\r]") & ~values.str.contains(_NUMBER)).sum())
    return count


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a single quote before each text that a spreadsheet would take for a formula."""
    out = frame.copy(deep=False)
    for position in range(len(frame.columns)):
        column = frame.iloc[:, position]
        if _is_text(column):
            out.isetitem(position, column.astype("str").str.replace(f"({_FORMULA})", r"'\1", regex=True))
    names = pd.Series([str(name) for name in frame.columns], dtype="str")
    return out.set_axis(names.str.replace(f"({_FORMULA})", r"'\1", regex=True).tolist(), axis=1)


def _is_text(column: pd.Series) -> bool:
    kinds = pd.api.types
    dtype = column.dtype.categories.dtype if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
    return not (
        kinds.is_numeric_dtype(dtype) or kinds.is_datetime64_any_dtype(dtype) or kinds.is_timedelta64_dtype(dtype)
    )
