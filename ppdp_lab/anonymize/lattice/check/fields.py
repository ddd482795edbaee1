"""Fields of a packed row, and the look-up tables that generalize them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from operator import itemgetter
from typing import Any

import numpy as np

from ppdp_lab.anonymize.lattice.check._packing import number_combinations, records_in_small_classes
from ppdp_lab.table.keys.grouping import group

_SCRATCH = 2**20


class Lookup:
    """How one field is generalized at some levels of its quasi-identifiers.

    Attributes
    ----------
    number : numpy.ndarray
        Each combination's number at these levels.
    count : int
        How many numbers there are.
    first : numpy.ndarray
        The first combination of each number.
    unsafe : int
        Records in classes that are too small if the table had the quasi-identifiers of this field only.
    """

    __slots__ = ("_stand_in", "count", "first", "number", "radix", "unsafe")

    def __init__(self, number: np.ndarray, count: int, first: np.ndarray, unsafe: int) -> None:
        self.number, self.count, self.first, self.unsafe = number, count, first, unsafe
        self.radix = np.uint64(count)
        self._stand_in: np.ndarray | None = None

    @property
    def stand_in(self) -> np.ndarray:
        """For each combination, the first one with the same number: it stands for all of them."""
        if self._stand_in is None:
            self._stand_in = self.first[self.number]
        return self._stand_in


class Field:
    """Some bits of a word: the number of a combination of values of some quasi-identifiers.

    Parameters
    ----------
    members : sequence of int
        Positions of the quasi-identifiers; none for the field that holds the sensitive values.
    numbers : sequence of arrays, one per member
        Row l of an array holds each combination's number on level l.
    records : array
        How many records have each combination.
    """

    def __init__(self, members: Sequence[int], numbers: Sequence[np.ndarray], records: np.ndarray) -> None:
        self.members = tuple(members)
        # The levels of the members, as a key: what is read from a node most often.
        self.levels_of: Callable[[Sequence[int]], Any] = itemgetter(*members) if len(members) else lambda node: ()
        self.records = records
        self.size = len(records)
        self.bits = max(self.size - 1, 1).bit_length()
        self.dtype: np.dtype[Any] = np.dtype(np.uint32)
        # Rows of `_numbers`: all levels of the first member, then of the second; row _begin[m] + l is level l of member
        # m.
        self._begin = [0, *np.cumsum([len(column) for column in numbers]).tolist()]
        self._numbers = np.concatenate(numbers) if len(numbers) else np.zeros((0, self.size), dtype=np.int32)
        self._distinct = (self._numbers.max(axis=1) + 1).tolist()
        self._scratch = np.empty(0, dtype=np.int32)
        self._keys = np.empty(self.size, dtype=np.int32)

    def numbers_by_member(self) -> list[np.ndarray]:
        """Each member's numbers, as they were given."""
        return [self._numbers[a:b] for a, b in pairwise(self._begin)]

    def lookup(self, levels: tuple[int, ...], least: int) -> Lookup:
        """The look-up table for some levels of the members; classes of fewer than ``least`` records are too small."""
        if not self.members:
            same = np.arange(self.size, dtype=self.dtype)
            return Lookup(same, self.size, same, 0)
        rows = [begin + level for begin, level in zip(self._begin, levels)]
        sizes = [self._distinct[row] for row in rows]
        space = prod(sizes)
        if space > max(_SCRATCH, 2 * self.size):  # only where fields had to be joined
            dense = group(self._numbers[rows], sizes)
            number, count, first = dense.class_of.astype(self.dtype), dense.n_classes, dense.first.astype(self.dtype)
            return Lookup(number, count, first, records_in_small_classes(number, count, self.records, least))
        if space > len(self._scratch):
            self._scratch = np.empty(space, dtype=np.int32)
        number = np.empty(self.size, dtype=self.dtype)
        first = np.empty(min(space, self.size), dtype=self.dtype)
        scratch = self._scratch, self._keys
        count, unsafe = number_combinations(
            self._numbers, np.array(rows), np.array(sizes), *scratch, number, first, self.records, least
        )
        return Lookup(number, count, first[:count], unsafe)
