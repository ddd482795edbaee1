"""What a column of cells is: numbers, dates, or text, decided on its distinct cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ppdp_lab.io.options import Reading
from ppdp_lab.table.schema import CATEGORY, MISSING, VALUE
from ppdp_lab.text import OneLine, text_of

TEXT, WHOLE, DECIMAL, DATE, MOMENT, EMPTY = "text", "whole numbers", "numbers", "dates", "dates with times", "empty"
NUMBERS = (WHOLE, DECIMAL)

# cells that many programs write for "missing"; here they are values until the user says otherwise
_MARKS = (
    "na", "n/a", "n.a.", "#n/a", "<na>", "null", "none", "nan", "nil", "nat", "?", "??", "-", "--", ".", "..", "missing",
    "unknown",
)  # fmt: skip
MARKS = tuple(dict.fromkeys(form for mark in _MARKS for form in (mark, mark.upper(), mark.capitalize(), "NaN", "NaT")))

_INTEGER = r"^\s*[+-]?\d+\s*$"
_CODE = r"^\s*[+-]?0\d"
_LONG = r"^\s*[+-]?\d{16,}\s*$"
_NOT_FINITE = r"(?i)^\s*[+-]?(inf|infinity|nan)\s*$"
_THOUSANDS = r"^\s*[+-]?\d{1,3}(,\d{3})+\s*$"
_DATE = r"^\s*\d{4}-\d\d-\d\d\s*$"
_MOMENT = r"^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?\s*$"
_OTHER_DATE = r"^\s*(\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d\d)|\d{4}[./]\d{1,2}[./]\d{1,2})\s*$"
# How else dates are written: a pattern, and the places of year, month and day in it. Years have four digits.
WRITTEN = {
    f"{layout}".replace("-", sign): (rf"^(\d+){escaped}(\d+){escaped}(\d+)$", places)
    for sign, escaped in ((".", r"\."), ("/", "/"), ("-", "-"))
    for layout, places in (("DD-MM-YYYY", r"\3-\2-\1"), ("MM-DD-YYYY", r"\3-\1-\2"), ("YYYY-MM-DD", r"\1-\2-\3"))
}


@dataclass(frozen=True)
class Kind:
    """What a column is taken for, why if that may surprise, and a note for the reader's report.

    ``refused`` is a cell that does not belong to a column of numbers, where there is one. ``other_decimal`` is the decimal
    sign with which a column of texts would be numbers. ``layouts`` are the ways to read dates that are not written as
    2020-12-31: one of dates, several of texts that may be dates.
    """

    name: str
    why: str = ""
    note: str = ""
    refused: str | None = None
    other_decimal: str = ""
    layouts: tuple[str, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return f"{self.name} ({self.why})" if self.why else self.name


_CODES = Kind(TEXT, "codes: some begin with 0")


def matches(cells: pa.Array, pattern: str) -> np.ndarray:
    """Which cells a regular expression matches."""
    return np.asarray(pc.match_substring_regex(cells, pattern))


def number_pattern(decimal: str) -> str:
    """A regular expression for numbers as people and programs write them."""
    sign = "," if decimal == "," else r"\."
    return rf"^\s*[+-]?(\d+({sign}\d*)?|{sign}\d+)([eE][+-]?\d+)?\s*$"


def decimal_signs(sample: pa.Array, cells: Callable[[], pa.Array]) -> str:
    """Which decimal signs the numbers of a column have: ``","``, ``"."``, or none that is sure.

    A comma is sure if some number has one that cannot part thousands. ``cells`` gives all distinct cells, which are asked
    for only if the sample looks like numbers.

    >>> [decimal_signs(pa.array(c), lambda: pa.array(c)) for c in (["71,5", "80"], ["1,234", "80,123"], ["7.5"], ["x"])]
    [',', '', '.', '']
    """
    for sign in (",", "."):
        pattern = number_pattern(sign)
        if len(sample) and matches(sample, pattern).all() and matches(cells(), pattern).all():
            if sign == ".":
                return sign
            sure = matches(cells(), ",") & ~matches(cells(), _THOUSANDS)
            return sign if sure.any() else ""
    return ""


def quick_kind(texts: pa.ChunkedArray, sample: pa.Array, decimal: str) -> tuple[Kind, pa.ChunkedArray | None] | None:
    """What :func:`kind_of` would say, by a sample and Arrow's own parsers; None where only every distinct cell tells.

    Comes with the converted column where there is one. ``sample`` must hold no blanks.
    """
    other = "." if decimal == "," else ","
    number = matches(sample, number_pattern(decimal))
    if (number & matches(sample, _CODE)).any():
        return _CODES, None
    special = (_NOT_FINITE, _DATE, _MOMENT, _OTHER_DATE, number_pattern(other))
    if not len(sample) or not number.all():
        usual = np.logical_or.reduce([number, *(matches(sample, pattern) for pattern in special)])
        return None if usual.all() or number.any() else (Kind(TEXT), None)  # one plain word makes the column text
    if not matches(sample, _INTEGER).all():
        return None if decimal == "," else _quick_decimals(texts)
    try:
        values = pc.cast(texts, pa.int64())
    except pa.ArrowInvalid:  # a decimal further on, or what Arrow does not read, such as +4
        return None
    span = pc.min_max(values)
    low, high = span["min"].as_py(), span["max"].as_py()
    if max(high, -low) >= 10**15 or _led_by_zero(texts, ("0", "-0") if low <= 0 else ("0",)):
        return None
    return Kind(WHOLE), values


def _quick_decimals(texts: pa.ChunkedArray) -> tuple[Kind, pa.ChunkedArray] | None:
    try:
        values = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        return None
    # a sum is finite only if all of its terms are; a text of 15 signs is no whole number of 16 digits
    if not np.isfinite(pc.sum(values).as_py()) or pc.max(pc.binary_length(texts)).as_py() > 15:
        return None
    starts = ("0", "+0", "-0") if pc.min(values).as_py() <= 0 else ("0", "+0")
    return None if _led_by_zero(texts, starts) else (Kind(DECIMAL), values)


def _led_by_zero(texts: pa.ChunkedArray, starts: tuple[str, ...]) -> bool:
    """Whether some number is a code, or what Arrow takes for hexadecimal."""
    for start in starts:
        led = pc.starts_with(texts, start)
        if pc.any(led).as_py() and matches(texts.filter(led).unique(), r"^[+-]?0[\dxX]").any():
            return True
    return False


def kind_of(cells: pa.Array, decimal: str) -> Kind:
    """What distinct cells are; texts that numbers or dates would change stay text."""
    if not len(cells):
        return Kind(EMPTY)
    number = matches(cells, number_pattern(decimal))
    if (number & matches(cells, _CODE)).any():
        return _CODES
    if number.all():
        if matches(cells, _LONG).any():
            return Kind(TEXT, "codes: some have more than 15 digits")
        return Kind(WHOLE if matches(cells, _INTEGER).all() else DECIMAL)
    if number.any():
        stray = ~number
        if matches(cells.filter(pa.array(stray)), _NOT_FINITE).all():
            return Kind(DECIMAL, refused=cells[int(np.argmax(stray))].as_py())
        return Kind(TEXT, other_decimal=_other_decimal(cells, decimal))
    return _dates_or_text(cells, decimal)


def declared_numbers(cells: pa.Array, decimal: str) -> Kind:
    """The kind of a column that the user says holds numbers."""
    if not len(cells):
        return Kind(EMPTY)
    stray = ~matches(cells, number_pattern(decimal))
    if stray.any():
        return Kind(DECIMAL, refused=cells[int(np.argmax(stray))].as_py())
    beyond = matches(cells, r"^\s*[+-]?0*[1-9]\d{18,}\s*$")  # an int64 has 18 digits and a bit
    if beyond.any():
        return Kind(DECIMAL, refused=cells[int(np.argmax(beyond))].as_py())
    return Kind(WHOLE if matches(cells, _INTEGER).all() else DECIMAL, "as said")


def _dates_or_text(cells: pa.Array, decimal: str) -> Kind:
    head = cells[:20]
    if matches(head, _OTHER_DATE).all() and matches(cells, _OTHER_DATE).all():
        return dates_written(layouts_of(cells))
    plain, timed = matches(head, _DATE), matches(head, _MOMENT)
    if not (plain | timed).all():
        return Kind(TEXT, other_decimal=_other_decimal(cells, decimal))
    plain, timed = matches(cells, _DATE), matches(cells, _MOMENT)
    if not (plain | timed).all():
        return Kind(TEXT)
    kind = Kind(DATE if plain.all() else MOMENT)
    try:
        converted(cells, kind.name, decimal)
    except pa.ArrowInvalid:
        return Kind(
            TEXT, "dates, but some do not exist", "looks like dates, but some of them do not exist: it stays text"
        )
    return kind


def layouts_of(cells: pa.Array) -> tuple[str, ...]:
    """The layouts in which every cell is a date that exists.

    >>> layouts_of(pa.array(["17.07.2005", "1.2.2006"])), layouts_of(pa.array(["7/17/2005"])), layouts_of(pa.array(["7/6/2005"]))
    (('DD.MM.YYYY',), ('MM/DD/YYYY',), ('DD/MM/YYYY', 'MM/DD/YYYY'))
    """
    found = []
    for layout in WRITTEN:
        try:
            converted(cells, DATE, ".", layout)
        except pa.ArrowInvalid:
            continue
        found.append(layout)
    return tuple(found)


def dates_written(layouts: tuple[str, ...]) -> Kind:
    """The kind of a column whose cells are dates in each of these layouts: text unless there is exactly one."""
    if len(layouts) == 1:
        return Kind(DATE, f"written as {layouts[0]}", layouts=layouts)
    if not layouts:
        return Kind(
            TEXT, "dates, but not in one layout", "looks like dates, but some of them do not exist, are not written like the "
            "others, or have no four-digit year: it stays text; write dates as 2020-12-31 to have them ordered",
        )  # fmt: skip
    return Kind(
        TEXT, "dates, but day and month may be confused", f"looks like dates, but every one could be {' or '.join(layouts)}: "
        "it stays text; write dates as 2020-12-31 to have them ordered", layouts=layouts,
    )  # fmt: skip


def _other_decimal(cells: pa.Array, decimal: str) -> str:
    """The other decimal sign, if all cells would be numbers with it."""
    other = "," if decimal == "." else "."
    every = matches(cells[:20], number_pattern(other)).all() and matches(cells, number_pattern(other)).all()
    return other if every else ""


def converted(cells: pa.Array, kind: str, decimal: str, layout: str = "") -> pa.Array:
    """Distinct cells as values of their kind; texts as they stand. ``layout`` says how dates are written."""
    if kind in (TEXT, EMPTY):
        return cells
    cells = pc.utf8_trim_whitespace(cells)
    if kind in (DATE, MOMENT):
        if layout:
            pattern, places = WRITTEN[layout]
            padded = pc.replace_substring_regex(cells, r"\b(\d)\b", r"0\1")
            cells = pc.replace_substring_regex(padded, pattern, places)
        return pc.cast(cells, pa.timestamp("s" if kind == DATE else "us"))
    if decimal == ",":
        cells = pc.replace_substring(cells, ",", ".")
    if kind == DECIMAL:
        return pc.cast(cells, pa.float64())
    return pc.cast(pc.utf8_ltrim(cells, "+"), pa.int64())


# --------------------------------------------------------------------
# One column of a file, before it becomes a column of a frame.


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
