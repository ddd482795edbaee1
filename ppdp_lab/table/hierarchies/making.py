"""Rows of hierarchies that follow from their leaves: intervals of numbers, codes with masked ends."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np

from ppdp_lab.errors import ParameterError, check_integer, check_list, check_number, listed
from ppdp_lab.table.files.kinds import text_of
from ppdp_lab.table.keys.bounds import check_entries

SHORT = 12  # letters of a number that may be the beginning of an interval
COUNTED = 2**53  # floats beyond leave whole numbers out


def interval_rows(values: Iterable[float], widths: Sequence[float], origin: float | None) -> list[Sequence[Any]]:
    """One row per number: the number, the intervals it lies in, and the root."""
    numbers = check_list("values", check_entries("values", values))
    if len(numbers) == 0 or numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        raise ParameterError("intervals needs at least one value, and finite numbers only")
    numbers = np.unique(numbers)
    widths = [
        check_number("each of widths", width, above=0)
        for width in check_entries("widths", widths, "a list of numbers, narrowest first")
    ]
    start = _start(float(numbers[0]), widths) if origin is None else check_number("origin", origin)
    if start > numbers[0]:
        raise ParameterError(
            f"origin {text_of(start)} lies above the smallest value {text_of(numbers[0])}; choose one at or below it"
        )
    whole = np.issubdtype(numbers.dtype, np.integer) and all(float(w).is_integer() for w in [*widths, start])
    columns: list[Sequence[Any]] = [numbers.tolist()]
    previous: float | None = None
    for width in widths:
        if previous is None:
            with np.errstate(over="ignore"):  # told right below
                steps = np.floor((numbers - start) / width + 1e-9)  # 0.3 / 0.1 must not fall below 3
            if not steps[-1] < COUNTED:
                raise ParameterError(
                    f"width {width:g} is too narrow for numbers from {start:g} to {numbers[-1]:g}: so many intervals cannot be "
                    f"counted; choose a wider one"
                )
            if not whole:  # what counts is what is printed: a number lies in the interval whose text says so
                steps -= numbers < np.array(_ends(start, width, steps), dtype=float)
                steps += numbers >= np.array(_ends(start, width, steps + 1), dtype=float)
        else:
            times = round(width / previous)
            if times < 1 or not np.isclose(times * previous, width, rtol=1e-9, atol=0):
                raise ParameterError(
                    f"width {text_of(width)} is not a multiple of {text_of(previous)}: the intervals would not nest"
                )
            steps = steps // times
        previous = width
        if whole:
            columns.append([f"[{int(low)}, {int(low + width) - 1}]" for low in start + steps * width])
        else:
            ends = zip(_ends(start, width, steps), _ends(start, width, steps + 1))
            columns.append([f"[{low}, {high})" for low, high in ends])
    columns.append(["*"] * len(numbers))
    return list(zip(*columns))


def _ends(start: float, width: float, steps: np.ndarray) -> list[str]:
    """Ends of intervals as they are printed, counted in decimals: floating point would add -2e-14 where zero is meant."""
    first, wide = _decimal(start), _decimal(width)
    return [f"{float(first + int(step) * wide):.12g}" for step in steps]


def _decimal(number: float) -> Decimal:
    """The number that one reads: 0.1, not the binary fraction nearest to it."""
    return Decimal(repr(float(number)))


def _start(smallest: float, widths: Sequence[float]) -> float:
    """Where the first interval begins: at the smallest number, or, if that has many digits, at a round one below it."""
    if not widths or len(text_of(smallest)) <= SHORT or smallest.is_integer():
        return smallest
    wide = _decimal(widths[0])
    return float((_decimal(smallest) / wide).to_integral_value(ROUND_FLOOR) * wide)


def masked_rows(values: Iterable[object], height: int | None, mask: str) -> list[list[Any]]:
    """One row per code: the code, and the code with ever more characters masked."""
    leaves = list(dict.fromkeys(plain(value) for value in check_entries("values", values)))
    texts = [text_of(leaf) for leaf in leaves]
    lengths = {len(text) for text in texts}
    if not texts:
        raise ParameterError("mask_suffix needs at least one value")
    if len(lengths) != 1:
        raise ParameterError(
            f"mask_suffix needs values of one length, not of lengths {sorted(lengths)}; pad them first"
        )
    height = check_integer("height", lengths.pop() if height is None else height, at_least=1, at_most=len(texts[0]))
    rows = [
        [leaf] + [text[: len(text) - i] + mask * i for i in range(1, height + 1)] for leaf, text in zip(leaves, texts)
    ]
    roots = list(dict.fromkeys(row[-1] for row in rows))
    if len(roots) > 1:
        raise ParameterError(f"height = {height} leaves several roots, {listed(roots)}; mask more characters")
    return rows


def plain(value: object) -> Hashable:
    """A value that can be looked up and shown: what cannot be hashed, such as a list, is taken by its text."""
    try:
        hash(value)
    except TypeError:
        return text_of(value)
    return value
