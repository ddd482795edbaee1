"""One column of a file, before it becomes a column of a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ppdp_lab.registry import OneLine
from ppdp_lab.table.files.kinds import (
    DATE,
    DECIMAL,
    EMPTY,
    MARKS,
    MOMENT,
    TEXT,
    WHOLE,
    Kind,
    converted,
    declared_numbers,
    kind_of,
    quick_kind,
    text_of,
)  # fmt: skip
from ppdp_lab.table.files.options import Reading
from ppdp_lab.table.schema import CATEGORY, MISSING, VALUE

CATEGORIES, OTHER = "categories", "other"
_LONGEST_MARK = max(map(len, MARKS))
_BLANK = r"^[ \t]*$"
GUARD = r"^'('*[=+\-@\t\r])"


@dataclass
class CellColumn(OneLine):
    """Cells as they stand, None where one is missing; what they are is decided on the distinct ones."""

    texts: pa.ChunkedArray
    kind: Kind = field(default_factory=lambda: Kind(TEXT))
    decimal: str = "."
    _converted: pa.ChunkedArray | None = None

    @classmethod
    def of(cls, texts: pa.ChunkedArray, options: Reading) -> CellColumn:
        """The column of an Arrow column of texts."""
        if options.guarded:
            texts = pc.replace_substring_regex(texts, GUARD, r"\1")
        marks = [*options.missing_values, *([MISSING] if options.missing in (VALUE, CATEGORY) else [])]
        if marks:
            texts = without(texts, pc.is_in(texts, pa.array(marks, pa.string())))
        return cls(texts)

    def drop_blanks(self) -> None:
        """Take cells of nothing but blanks for missing."""
        if any(pc.any(pc.starts_with(self.texts, blank)).as_py() for blank in (" ", "\t")):
            self.texts = without(self.texts, pc.match_substring_regex(self.texts, _BLANK))

    @property
    def missing(self) -> np.ndarray:
        """Which rows have no cell."""
        if not self.texts.null_count:
            return np.zeros(len(self.texts), dtype=bool)
        return np.asarray(self.texts.is_null())

    @cached_property
    def sample(self) -> pa.Array:
        """Some distinct cells."""
        cells = self.texts.slice(0, 2_000).drop_null().unique()[:100]
        return cells.filter(pc.invert(pc.match_substring_regex(cells, _BLANK)))

    @cached_property
    def distinct(self) -> pa.Array:
        """All distinct cells but blank ones."""
        self.drop_blanks()
        return self.texts.drop_null().unique()

    def decide(self, decimal: str, *, numbers: bool) -> None:
        """Find out what the column is."""
        self.decimal = decimal
        quick = None if numbers else quick_kind(self.texts, self.sample, decimal)
        if quick is not None:
            self.kind, self._converted = quick
        if self._converted is None:  # what Arrow has converted holds no blanks
            self.drop_blanks()
        if quick is not None:
            return
        self.kind = (declared_numbers if numbers else kind_of)(self.distinct, decimal)
        if self.kind.refused is None and self.kind.name == DECIMAL:
            values = np.asarray(converted(self.distinct, DECIMAL, decimal))
            if not np.isfinite(values).all():  # 1e400
                stray = self.distinct[int(np.argmin(np.isfinite(values)))].as_py()
                self.kind = Kind(DECIMAL, self.kind.why, refused=stray)

    def first_row(self, cell: str) -> int:
        """The first row that holds a cell."""
        return int(pc.index(self.texts, cell).as_py())

    @cached_property
    def marks(self) -> dict[str, int]:
        """Cells that look like marks for a missing value, and how many there are."""
        if self.kind.name != TEXT:
            return {}
        short = pc.less_equal(pc.binary_length(self.texts), _LONGEST_MARK)
        if not pc.any(short).as_py():
            return {}
        alike = pc.is_in(self.texts, pa.array(MARKS))
        if not pc.any(alike).as_py():
            return {}
        return {entry["values"]: entry["counts"] for entry in self.texts.filter(alike).value_counts().to_pylist()}

    def series(self, kind: str) -> pd.Series:
        """The column as values of a kind; what is missing stays missing."""
        if kind == self.kind.name and self._converted is not None:
            return _to_pandas(self._converted)
        if kind in (TEXT, EMPTY):
            return _to_pandas(self.texts)
        coded = pa.concat_arrays(self.texts.chunks).dictionary_encode()
        layout = self.kind.layouts[0] if self.kind.name == DATE and self.kind.layouts else ""
        return _to_pandas(pc.take(converted(coded.dictionary, kind, self.decimal, layout), coded.indices))


@dataclass
class TypedColumn(OneLine):
    """A column of a parquet file that is not text: the file says what it is."""

    values: pa.ChunkedArray
    kind: Kind
    missing: np.ndarray

    @classmethod
    def of(cls, values: pa.ChunkedArray, options: Reading) -> TypedColumn:
        """The column of an Arrow column, with as few kinds as the rest of the package knows."""
        form = values.type
        if pa.types.is_date(form):
            values, name = values.cast(pa.timestamp("s")), DATE
        elif pa.types.is_timestamp(form):
            name = MOMENT
        elif pa.types.is_integer(form):
            name = WHOLE
        elif pa.types.is_floating(form) or pa.types.is_decimal(form):
            values, name = values.cast(pa.float64()), DECIMAL
        elif pa.types.is_null(form):
            name = EMPTY
        elif pa.types.is_dictionary(form):
            name = CATEGORIES
        else:
            name = OTHER
        missing = np.asarray(values.is_null())
        if name == DECIMAL and any(word.lower() == "nan" for word in options.missing_values):
            missing = missing | np.asarray(pc.fill_null(pc.is_nan(values), False))
            values = pc.if_else(pa.chunked_array([pa.array(missing)]), pa.scalar(None, pa.float64()), values)
        column = cls(values, Kind(name, str(form) if name == OTHER else ""), missing)
        if name == DECIMAL:
            finite = np.asarray(pc.fill_null(pc.is_finite(values), True))
            if not finite.all():
                column.kind = Kind(DECIMAL, refused=str(values[int(np.argmin(finite))].as_py()))
        return column

    def first_row(self, cell: str) -> int:
        """The first row whose value reads so."""
        finite = np.asarray(pc.fill_null(pc.is_finite(self.values), True))
        return int(np.argmin(finite))

    @property
    def marks(self) -> dict[str, int]:
        """What has a type holds no marks."""
        return {}

    def series(self, kind: str) -> pd.Series:
        """The column as it is, or as text."""
        plain = _to_pandas(self.values)
        if kind != TEXT:
            return plain
        if isinstance(plain.dtype, pd.CategoricalDtype):
            plain = plain.astype(plain.dtype.categories.dtype)
        texts = [None if gone else _words(value) for gone, value in zip(self.missing, plain)]
        return pd.Series(texts, dtype="str")


Column = CellColumn | TypedColumn


def without(texts: pa.ChunkedArray, gone: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells, with some of them missing."""
    gone = pc.fill_null(gone, False)
    return pc.if_else(gone, pa.scalar(None, pa.string()), texts) if pc.any(gone).as_py() else texts


def _words(value: Any) -> str:
    if isinstance(value, pd.Timestamp):
        return value.isoformat().removesuffix("T00:00:00")
    return text_of(value)


def _to_pandas(values: pa.Array | pa.ChunkedArray) -> pd.Series:
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return pd.Series(values.to_pandas(), dtype="str")
    # Whole numbers some of which are missing would become floats, and long ones others than they are.
    whole = {pa.uint64(): pd.UInt64Dtype()} if values.type == pa.uint64() else {values.type: pd.Int64Dtype()}
    gaps = pa.types.is_integer(values.type) and values.null_count
    series: pd.Series = values.to_pandas(types_mapper=whole.get if gaps else None)
    return series
