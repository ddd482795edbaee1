"""The arrays of a publisher's memory: what each holds, how it grows, what may stand in it.

A publisher declares its arrays once. From that follow: the empty arrays of a new publisher, the entries of persons who come
later, new code numbers after a domain has grown, and what a file must hold before anything in it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdp_lab.errors import DataFileError
from ppdp_lab.republish.memory.vocabulary import Renumbering

PERSON, QI, SENSITIVE = "person", "qi", "sensitive"
ALL_ONES = ~np.uint64(0)


@dataclass(frozen=True)
class Stored:
    """One array of a memory.

    Attributes
    ----------
    dtype : numpy dtype
    per : str
        What one entry stands for: "person" for arrays that hold one per person ever seen, any other word for arrays that
        belong together and are equally long; "" for an array of :attr:`length` entries.
    rows : str or int
        "" for a plain list; "qi" for one row per quasi-identifier; a number for so many rows. Entries lie along the last axis,
        except with "words": then the array has one row per entry, of 64-bit words.
    codes : str
        "qi" or "sensitive": it holds codes of these columns, which change their number when a domain grows. With rows "words"
        it holds one bit per code.
    empty : int
        What stands for a person of whom nothing is known yet.
    low, high : int, str or None
        Least and largest number that may stand in it; a name stands for a number that the publisher knows.
    more : int
        Entries beyond one per :attr:`per`, such as 1 for a list of ends.
    optional : bool
        Whether it may be missing.
    """

    dtype: Any
    per: str = ""
    rows: str | int = ""
    codes: str = ""
    empty: int = 0
    low: int | None = None
    high: int | str | None = None
    more: int = 0
    length: int = 0
    optional: bool = False

    def shape(self, n: int, n_qi: int, words: int = 1) -> tuple[int, ...]:
        """Shape for n entries."""
        n = n + self.more if self.per else self.length
        if self.rows == "words":
            return (n, words)
        if self.rows == "":
            return (n,)
        return (n_qi if self.rows == QI else int(self.rows), n)


Layout = Mapping[str, Stored]


def arrays_of(layout: Layout, n_qi: int = 0) -> dict[str, np.ndarray]:
    """The arrays of a publisher that has not published yet."""
    return {
        name: np.zeros(stored.shape(0, n_qi), dtype=stored.dtype)
        for name, stored in layout.items()
        if not stored.optional
    }


def lengthen(memory: dict[str, np.ndarray], layout: Layout, n_persons: int, n_qi: int) -> None:
    """Give persons who were never seen before their entries."""
    for name, stored in layout.items():
        array = memory.get(name)
        if array is None:
            continue
        if stored.rows == QI and len(array) != n_qi:  # nothing was published yet, and now the columns are known
            array = np.zeros((n_qi, array.shape[-1]), dtype=array.dtype)
        if stored.per == PERSON:
            axis = 0 if stored.rows == "words" else array.ndim - 1
            more = list(array.shape)
            more[axis] = n_persons - array.shape[axis]
            fill = ALL_ONES if stored.rows == "words" else stored.empty
            array = np.concatenate([array, np.full(more, fill, dtype=array.dtype)], axis=axis)
        memory[name] = array


def renumber(memory: dict[str, np.ndarray], layout: Layout, new: Renumbering) -> None:
    """Give every code its number in the domains as they are now."""
    for name, stored in layout.items():
        array = memory.get(name)
        if array is None or not stored.codes:
            continue
        if stored.rows == "words":
            memory[name] = _renumber_bits(array, new.sensitive[0], new.sizes[0])
        elif stored.codes == SENSITIVE:
            memory[name] = new.of_sensitive(0, array).astype(array.dtype)
        else:
            memory[name] = np.stack([new.of_qi(i, row) for i, row in enumerate(array)]).astype(array.dtype)


def _renumber_bits(words: np.ndarray, new: np.ndarray | None, size: int) -> np.ndarray:
    """Move bit v to bit ``new[v]``; whoever has no value ruled out yet keeps all bits, beyond the domain, too."""
    wide = max((size + 63) // 64, 1)
    if new is None:
        return words
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    moved = np.zeros((len(words), wide * 64), dtype=np.uint8)
    moved[:, new] = bits[:, : len(new)]
    out = np.packbits(moved, axis=1, bitorder="little").view(np.uint64)
    out[(words == ALL_ONES).all(axis=1)] = ALL_ONES
    return out


def check_arrays(
    memory: Mapping[str, np.ndarray],
    layout: Layout,
    *,
    n_persons: int,
    qi_sizes: list[int],
    sensitive_sizes: list[int],
    limits: Mapping[str, int],
) -> None:
    """Refuse arrays that a kernel must not see: of another shape or type, or with numbers out of range."""
    lengths: dict[str, int] = {PERSON: n_persons}
    stray = [name for name in memory if name not in layout]
    missing = [name for name, stored in layout.items() if name not in memory and not stored.optional]
    if stray or missing:
        raise DataFileError(f"its arrays are not those of its publisher: {', '.join(map(repr, stray or missing))}")
    for name, stored in layout.items():
        if name not in memory:
            continue
        array = memory[name]
        if array.dtype != np.dtype(stored.dtype):
            raise DataFileError(f"array {name!r} holds {array.dtype}, not {np.dtype(stored.dtype)}")
        entries = array.shape[0 if stored.rows == "words" else -1] - stored.more if array.ndim else -1
        n = lengths.setdefault(stored.per, entries) if stored.per else stored.length
        words = array.shape[1] if stored.rows == "words" and array.ndim == 2 else 1
        shape = stored.shape(n, len(qi_sizes), words)
        if array.shape != shape or n < 0:
            raise DataFileError(f"array {name!r} has shape {array.shape}, not {shape}")
        if not array.size or stored.rows == "words":
            continue
        if stored.codes == QI:
            ranges = [(row, 0, size - 1) for row, size in zip(array, qi_sizes)]
        else:
            high: int | None = sensitive_sizes[0] - 1 if stored.codes == SENSITIVE else None
            if isinstance(stored.high, str):
                high = limits[stored.high]
            elif stored.high is not None:
                high = stored.high
            low = 0 if stored.codes else stored.low
            ranges = [(array, low, high)]  # type: ignore[list-item]
        for part, low, high in ranges:
            if (low is not None and part.min() < low) or (high is not None and part.max() > high):
                raise DataFileError(f"array {name!r} holds numbers outside {low} to {high}")
