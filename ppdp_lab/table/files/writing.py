"""Writing frames as CSV files that our reader, and spreadsheets, take as they are meant."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from ppdp_lab.errors import check_separator
from ppdp_lab.table.files.whole import Content, write_all

_FORMULA = r"^'*[=+\-@\t\r]"  # a guarded cell gets one more mark, so that taking one off always gives it back


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
    return write_csvs({path: frame}, separator=separator, guard=guard)[0]


def write_csvs(frames: Mapping[Any, pd.DataFrame], *, separator: str = ",", guard: bool = False) -> list[Path]:
    """Write several frames, each as :func:`write_csv` does, all of them or none."""
    separator = check_separator(separator)
    return write_all({path: _writer(frame, separator, guard) for path, frame in frames.items()})


def _writer(frame: pd.DataFrame, separator: str, guard: bool) -> Content:
    shown = guarded(frame) if guard else frame
    # the csv module leaves a lone carriage return bare, which every reader takes for the end of a line
    bare = any(_is_text(shown[name]) and shown[name].astype("str").str.contains("\r").any() for name in shown.columns)
    quoting = csv.QUOTE_NONNUMERIC if bare else csv.QUOTE_MINIMAL

    def write(file: BinaryIO) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        shown.to_csv(text, index=False, sep=separator, quoting=quoting, lineterminator="\n")
        text.detach()

    return write


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
