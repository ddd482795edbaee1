"""Reading published tables back: codes of plain values, regions from their text, counterfeit statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, PublicationError, SchemaError, listed
from ppdp_lab.release.forms import COUNTERFEITS, GROUP
from ppdp_lab.table import Domain, Intervals, Nodes, Sets, split_label
from ppdp_lab.table.boxes import OR_MISSING, BoxColumn, check_room, codes_within, has_digits, no_sets
from ppdp_lab.table.schema import MISSING
from ppdp_lab.text import text_of


def require_columns(what: str, frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse what is no frame, or lacks a column."""
    if not isinstance(frame, pd.DataFrame):
        raise ParameterError(f"the {what} must be a pandas DataFrame, not {type(frame).__name__}")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise SchemaError(f"the {what} lacks column(s) {listed(missing)}")


def read_statistics(frame: pd.DataFrame | None, numbers: Any, row_group: np.ndarray) -> np.ndarray | None:
    """Counterfeits per group: each group once, and no more of them than it has rows."""
    if frame is None:
        return None
    require_columns("table of counterfeit statistics", frame, (GROUP, COUNTERFEITS))
    where = pd.Index(numbers).get_indexer(frame[GROUP])
    if (where < 0).any():
        raise PublicationError(
            f"group(s) {listed(frame[GROUP][where < 0])} of the counterfeit statistics are not published"
        )
    if frame[GROUP].duplicated().any():
        doubled = frame[GROUP][frame[GROUP].duplicated()].unique()
        raise PublicationError(f"group(s) {listed(doubled)} stand more than once in the counterfeit statistics")
    per_group = np.zeros(len(numbers), dtype=np.int64)
    per_group[where] = whole_numbers(frame[COUNTERFEITS])
    sizes = np.bincount(row_group, minlength=len(numbers))
    wrong = np.flatnonzero((per_group < 0) | (per_group > sizes))
    if len(wrong):
        g = wrong[0]
        raise PublicationError(
            f"the counterfeit statistics name {per_group[g]} counterfeits in group {listed(numbers[[g]])}, "
            f"which has {sizes[g]} published rows; give a whole number from 0 to {sizes[g]}"
        )
    return per_group


def refuse_empty_cells(column: pd.Series) -> None:
    """Refuse a column with a missing value."""
    if column.isna().any():
        row = int(np.argmax(column.isna()))
        raise PublicationError(
            f"column {column.name!r} of a published table has an empty cell in row {row} (counted from 0)"
        )


def distinct_cells(column: pd.Series, *, sort: bool = False) -> tuple[np.ndarray, Any]:
    """Which of the distinct cells of a column each cell is, and these; refuses cells that cannot be told apart."""
    try:
        return pd.factorize(column, sort=sort)
    except TypeError:
        raise PublicationError(
            f"column {column.name!r} of a published table has cells that are lists or the like; give numbers or texts"
        ) from None


def whole_numbers(column: pd.Series) -> np.ndarray:
    """A column of whole numbers."""
    refuse_empty_cells(column)
    numbers = column.to_numpy()
    if len(numbers) and numbers.dtype.kind not in "iu":
        raise PublicationError(f"column {column.name!r} of a published table must hold whole numbers")
    return numbers.astype(np.int64)


def read_codes(column: pd.Series, domain: Domain) -> np.ndarray:
    """Codes of plain values."""
    refuse_empty_cells(column)
    raw, uniques = distinct_cells(column)
    codes, absent = [], []
    for value in uniques:
        try:
            codes.append(domain.code_of(value))
        except KeyError:
            absent.append(value)
    if absent:
        raise PublicationError(f"column {domain.name!r} shows {listed(absent)}, which its domain does not have")
    return np.array(codes, dtype=np.int32)[raw]


def read_labels(column: pd.Series, domain: Domain) -> BoxColumn:
    """Boxes from their published text."""
    refuse_empty_cells(column)
    raw, uniques = distinct_cells(column)
    parsed = [_parse(text_of(value), domain) for value in uniques]
    if domain.kind == "hierarchy":
        return Nodes(domain, np.array([p[0] for p in parsed], dtype=np.int32)[raw])
    if domain.kind == "ordered":
        pairs = np.array([(p[0], p[-1]) for p in parsed], dtype=np.int32).reshape(-1, 2)
        return Intervals(domain, pairs[raw, 0], pairs[raw, 1])
    check_room(domain, len(raw))
    bits = no_sets(domain, len(uniques))
    for i, codes in enumerate(parsed):
        for code in codes:
            bits[i, code >> 6] |= np.uint64(1) << np.uint64(code & 63)
    return Sets(domain, bits[raw])


def _parse(text: str, domain: Domain) -> list[int]:
    """Codes that a box's text names: a node, a value, the two ends of an interval, or the members of a set."""
    try:
        if domain.hierarchy is not None:
            return [domain.hierarchy.box_labels.index(text)]
        if domain.kind == "ordered" and domain.missing:
            if text == MISSING:
                return [domain.known]
            if text.endswith(OR_MISSING):  # known values, which must be, up to the largest one
                return [_parse(text.removesuffix(OR_MISSING), domain)[0], domain.known]
        names = split_label(text, domain)
        codes = codes_within(names, domain) if has_digits(domain) else [domain.code_of(name) for name in names]
        if sorted(set(codes)) != codes or (domain.kind == "ordered" and len(codes) > 2):
            raise ValueError(text)
        return codes
    except (KeyError, ValueError):
        raise PublicationError(f"column {domain.name!r}: cannot read {text!r} as a generalized value") from None
