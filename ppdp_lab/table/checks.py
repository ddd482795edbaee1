"""Bounds at the door: what a compiled kernel may index with, and a refusal in words of everything else.

A kernel does not look where it reads. So whoever hands arrays to one passes them through here first; the price is the
smallest and the largest entry of each.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ppdp_lab.errors import ParameterError, check_list

_UNSIGNED = {np.dtype(np.int32): np.uint32, np.dtype(np.int64): np.uint64}


def check_codes(name: str, values: Any, end: int, *, low: int = 0, n: int | None = None) -> np.ndarray:
    """Return ``values`` as a list of whole numbers from ``low`` to ``end - 1``, or refuse it in words.

    ``n`` says how many there must be. What is such an array already is not copied.

    >>> check_codes("codes", [2, 0], 3)
    array([2, 0])
    """
    unsigned = _UNSIGNED.get(values.dtype) if type(values) is np.ndarray and values.ndim == 1 else None
    # One pass for both bounds: read as an unsigned number, a negative one lies beyond every domain.
    if (
        unsigned is not None
        and low == 0
        and n in (None, len(values))
        and int(np.max(values.view(unsigned), initial=0)) < min(end, 2 ** (8 * values.itemsize - 1))
    ):
        return values
    array = check_list(name, values)
    if n is not None and len(array) != n:
        raise ParameterError(f"{name} has {len(array)} entries where {n} are needed; give one for each")
    if len(array) == 0:
        return array if array.dtype.kind in "iu" else array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise ParameterError(f"{name} must hold whole numbers, not {reprlib.repr(array[0])} ({array.dtype})")
    smallest, largest = int(array.min()), int(array.max())
    if smallest < low or largest >= end:
        wrong = smallest if smallest < low else largest
        raise ParameterError(f"{name} must lie in {low} .. {end - 1}, not be {wrong}; give codes of the domain")
    # Kernels are compiled for the byte order of the machine, and differences of narrow codes would run over.
    return array if array.dtype.isnative and array.dtype.itemsize >= 4 else array.astype(np.int64)


def check_columns(name: str, columns: Any, sizes: Sequence[int], *, n: int | None = None) -> list[np.ndarray]:
    """Return one list of codes for each of ``sizes``, all equally long, or refuse them in words.

    >>> check_columns("columns", [[0, 1], [2, 2]], [2, 3])
    [array([0, 1]), array([2, 2])]
    """
    columns = check_entries(name, columns)
    if len(columns) != len(sizes):
        raise ParameterError(f"{name}: {len(columns)} list(s) of codes for {len(sizes)} domain(s); give one for each")
    checked: list[np.ndarray] = []
    for i, (column, size) in enumerate(zip(columns, sizes)):
        checked.append(check_codes(f"{name}[{i}]", column, size, n=n))
        n = len(checked[0])
    return checked


def check_entries(name: str, values: Any, what: str = "a plain list, one entry after the other") -> list[Any]:
    """Return the entries of anything that can be gone through but a text, or refuse it in words.

    >>> check_entries("values", (1, "a"))
    [1, 'a']
    """
    # an array without dimensions says that it can be iterated, and then cannot
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        raise ParameterError(f"{name} must be {what}, not {reprlib.repr(values)}")
    return list(values)


def check_offsets(name: str, values: Any, n: int) -> np.ndarray:
    """Return where segments of ``n`` entries begin and the last one ends, or refuse it in words.

    >>> check_offsets("offsets", np.array([0, 2, 3]), 3)
    array([0, 2, 3])
    """
    offsets = check_codes(name, values, n + 1)
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != n or (offsets[1:] < offsets[:-1]).any():
        raise ParameterError(f"{name} must ascend from 0 to {n}, the number of entries; give where each segment begins")
    return offsets
