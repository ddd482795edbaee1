"""The values of one column and their integer codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import MissingValueError, SchemaError, listed
from ppdp_lab.table.hierarchy import Hierarchy, _text

ORDERED, TREE, SET = "ordered", "hierarchy", "set"


@dataclass(frozen=True, eq=False)
class Domain:
    """All values of a column, in code order, and how they are generalized.

    ``kind`` is ``"ordered"`` (to a low and a high value: numbers, dates, ordered categories), ``"hierarchy"`` (to a node
    of ``hierarchy``) or ``"set"`` (to the set of values: text without a hierarchy).

    >>> domain, codes = Domain.of(pd.Series([30, 20, 30], name="age"))
    >>> domain.kind, domain.values.tolist(), codes.tolist()
    ('ordered', [20, 30], [1, 0, 1])
    """

    name: str
    values: np.ndarray
    kind: str
    hierarchy: Hierarchy | None = None
    positions: np.ndarray | None = None
    dtype: Any = None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def labels(self) -> np.ndarray:
        """The values as text."""
        if self.hierarchy is not None:
            return np.array(self.hierarchy.labels[: len(self)], dtype=object)
        if self._dated or self.values.dtype.kind == "m":
            return np.array([_moment(v) for v in self.values], dtype=object)
        return np.array([_text(v) for v in self.values.tolist()], dtype=object)

    @cached_property
    def coordinates(self) -> np.ndarray:
        """Where each value lies on a line: its number if it has one, else its code."""
        return np.arange(len(self), dtype=float) if self.positions is None else self.positions

    @cached_property
    def span(self) -> float:
        """Length of the line that holds all values."""
        return float(self.coordinates[-1] - self.coordinates[0]) if len(self) else 0.0

    def decode(self, codes: np.ndarray) -> Any:
        """Values of codes, with the dtype the column came with."""
        if isinstance(self.dtype, pd.CategoricalDtype) and len(self.dtype.categories) == len(self):
            return pd.Categorical.from_codes(codes, dtype=self.dtype)
        return pd.array(self.values[codes], dtype=self.dtype) if self.dtype is not None else self.values[codes]

    def code_of(self, value: object) -> int:
        """Code of one value, or of its text as a file may hold it (39.0 for 39); KeyError if it does not occur."""
        known = self._code_by_text
        text = str(value) if str(value) in known else _text(value)
        if text not in known and self.hierarchy is None:
            try:
                if self.values.dtype.kind in "iuf":
                    text = _text(float(text))
                elif self._dated:
                    text = _moment(text)
            except ValueError:
                pass
        return known[text]

    @property
    def _dated(self) -> bool:
        return self.values.dtype.kind == "M" or pd.api.types.is_datetime64_any_dtype(self.dtype)

    @cached_property
    def _code_by_text(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    @staticmethod
    def of(column: pd.Series, hierarchy: Hierarchy | None = None) -> tuple[Domain, np.ndarray]:
        """The domain of a column and the column's codes (int32)."""
        name = str(column.name)
        _refuse_missing(column, name)
        dtype: Any = column.dtype
        if isinstance(dtype, pd.CategoricalDtype) and hierarchy is None:
            categories = dtype.categories
            numeric = pd.api.types.is_numeric_dtype(categories.dtype) and not _boolean(categories.dtype)
            if dtype.ordered or not numeric:
                kind = ORDERED if dtype.ordered else SET
                positions = categories.to_numpy(dtype=float) if numeric else None
                if positions is not None and np.any(np.diff(positions) <= 0):
                    positions = None
                values = categories.to_numpy()
                codes = column.cat.codes.to_numpy().astype(np.int32)
                return Domain(name, values, kind, positions=positions, dtype=dtype), codes
            column = column.astype(categories.dtype)
            dtype = column.dtype
        try:
            raw, uniques = pd.factorize(column)
        except TypeError as error:
            raise SchemaError(f"column {name!r} holds values that cannot be compared ({error}); make it text") from None
        if hierarchy is not None:
            codes = hierarchy.encode(list(uniques), column=f"column {name!r}")
            values = hierarchy.leaves.copy()
            values[codes] = list(uniques)  # a leaf read from a file is text; the column knows better
            return Domain(name, values, TREE, hierarchy=hierarchy, dtype=_plain(dtype)), codes[raw]
        values, where = _line(uniques, dtype)
        sort_by = np.array([_text(v) for v in values.tolist()], dtype=object) if where is None else where
        order = np.argsort(sort_by, kind="stable")
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order))
        positions = None if where is None else where[order].astype(float)
        domain = Domain(name, values[order], SET if where is None else ORDERED, positions=positions, dtype=dtype)
        if len(domain._code_by_text) < len(domain):
            twice = [label for code, label in enumerate(domain.labels) if domain._code_by_text[label] != code]
            raise SchemaError(
                f"column {name!r} holds different values that read alike: {listed(twice)}; give it one type"
            )
        return domain, rank[raw]


def _line(values: Any, dtype: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Values as an array, and where they lie on a line if they are numbers, dates or durations."""
    if pd.api.types.is_datetime64_any_dtype(dtype):
        moments = pd.DatetimeIndex(values)
        return moments.to_numpy(), moments.asi8
    array = np.asarray(values)
    if array.dtype.kind == "m":
        return array, array.astype(np.int64)
    ordered = pd.api.types.is_numeric_dtype(dtype) and not _boolean(dtype)
    return array, array if ordered else None


def _moment(value: Any) -> str:
    """A date as text, without a time if it is midnight; a duration as pandas writes it."""
    if isinstance(value, np.timedelta64):
        return str(pd.Timedelta(value))
    return pd.Timestamp(value).isoformat().removesuffix("T00:00:00")


def _boolean(dtype: Any) -> bool:
    return bool(pd.api.types.is_bool_dtype(dtype))


def _plain(dtype: Any) -> Any:
    """A dtype that any hierarchy leaf can be decoded to: none for categories, which list other values."""
    return None if isinstance(dtype, pd.CategoricalDtype) else dtype


def _refuse_missing(column: pd.Series, name: str) -> None:
    missing = column.isna().to_numpy()
    what = "missing"
    if not missing.any() and pd.api.types.is_float_dtype(column.dtype):
        missing = np.isinf(column.to_numpy(dtype=float))
        what = "infinite"
    if missing.any():
        rows = np.flatnonzero(missing)
        raise MissingValueError(
            f"column {name!r} has {len(rows)} {what} value(s), first in row(s) {listed(rows.tolist(), 5)} (counted from 0); "
            f"drop these rows or fill them in before anonymizing"
        )
