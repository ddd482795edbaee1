"""Fields of a packed row, and the look-up tables that generalize them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ppdp_lab.anonymize.lattice._packing import (
    append_column,
    append_field,
    look_up,
    mark_present,
    number_combinations,
    number_nodes,
    records_in_small_classes,
    tally,
)
from ppdp_lab.anonymize.lattice.workers import Workers
from ppdp_lab.table import Domain, Microdata
from ppdp_lab.table.grouping import group

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


# --------------------------------------------------------------------
# Rows packed into one 64-bit word each.
#
# Quasi-identifiers are merged into few fields of a word. A field numbers the combinations of its quasi-identifiers' values
# that occur, so whatever the number of quasi-identifiers, a field never needs more numbers than there are records, and the
# fields of a word always fit into 64 bits: where they would not, fields are joined. Generalizing a row to a node then takes
# one look-up per field, and the same look-up tables serve every snapshot, because a snapshot keeps one packed row of each
# class to stand for it.


WORD_BITS = 64
KEPT_ENTRIES = 2**24  # of the look-up tables of one field; only joined fields reach that
# Quasi-identifiers are merged while their combinations fit into so many bits: a look-up table should be small beside the
# rows (a sixteenth of them) and beside a processor's cache.
LEAST_MERGE_BITS, MOST_MERGE_BITS = 8, 13


class Attribute:
    """One quasi-identifier: the values that occur, and their numbers on every level of the hierarchy."""

    def __init__(self, codes: np.ndarray, domain: Domain) -> None:
        tree = domain.hierarchy
        assert tree is not None
        self.codes = codes
        present = np.zeros(len(domain), dtype=np.uint8)
        mark_present(codes, present)
        leaves = np.flatnonzero(present)
        self.rank = np.zeros(len(domain), dtype=np.uint32)
        self.rank[leaves] = _all(len(leaves))
        self.numbers = np.empty((len(tree.ancestors), len(leaves)), dtype=np.int32)
        number_nodes(tree.ancestors, leaves, self.numbers)
        self.distinct: list[int] = (self.numbers[:, -1] + 1).tolist()

    @property
    def size(self) -> int:
        """Number of values that occur."""
        return self.distinct[0]


class _Part(NamedTuple):
    """A field that is not packed yet: a key per row, and the combination's number of each key."""

    field: Field
    keys: np.ndarray
    rank: np.ndarray


class PackedTable:
    """A table's rows as 64-bit words.

    Parameters
    ----------
    table : Microdata
        Every quasi-identifier has a hierarchy.
    least : int
        A class of fewer records is too small, whatever it holds.
    sensitive : bool
        Whether a last field holds the sensitive values, for rules that look at them.
    projection : bool
        Whether look-up tables are kept, so that only fields whose levels have changed are transformed anew.
    workers : Workers, optional
        Threads that share the packing.

    Attributes
    ----------
    words : numpy.ndarray of uint64
        A row's fields, the first one in the highest bits.
    fields : tuple of Field
    shifts, masks : tuples of uint64
        Where each field lies in a word.
    sensitive_values : list of numpy.ndarray
        Per sensitive column, the code that each number of the last field stands for.
    """

    def __init__(
        self,
        table: Microdata,
        *,
        least: int = 1,
        sensitive: bool = False,
        projection: bool = True,
        workers: Workers | None = None,
    ) -> None:
        self.n = len(table)
        self.least = least
        self._workers = Workers(1) if workers is None else workers
        self.attributes = [Attribute(codes, domain) for codes, domain in zip(table.qi_codes, table.qi_domains)]
        merge_bits = min(max(self.n.bit_length() - 4, LEAST_MERGE_BITS), MOST_MERGE_BITS)
        parts = [self._merged(members) for members in self._bins(2**merge_bits)]
        last: list[_Part] = []
        self.sensitive_values: list[np.ndarray] = []
        if sensitive:
            cells = group(table.sensitive_codes, [len(domain) for domain in table.sensitive_domains])
            self.sensitive_values = [codes[cells.first] for codes in table.sensitive_codes]
            last.append(_Part(Field((), (), cells.sizes.astype(np.uint32)), cells.class_of, _all(cells.n_classes)))
        # The two smallest are joined: a joined field has at most as many numbers as there are records, so in the end
        # one field of log2(records) bits is left beside the sensitive values.
        while sum(part.field.bits for part in parts + last) > WORD_BITS:
            parts.sort(key=lambda part: part.field.size)
            parts = [_joined(parts[0], parts[1]), *parts[2:]]
        parts += last
        self.words = np.empty(self.n, dtype=np.uint64)

        def append(rows: slice) -> None:
            # The first field ends up in the highest bits, as the others push it upwards.
            look_up(self.words[rows], parts[0].keys[rows], parts[0].rank)
            for part in parts[1:]:
                append_field(self.words[rows], part.keys[rows], part.rank, part.field.bits)

        self._workers.each_slice(append, self.n)
        self.fields = tuple(part.field for part in parts)
        after = [sum(field.bits for field in self.fields[i + 1 :]) for i in range(len(self.fields))]
        self.shifts = tuple(np.uint64(bits) for bits in after)
        self.masks = tuple(np.uint64(2**field.bits - 1) for field in self.fields)
        small = all(field.size <= 2**16 for field in self.fields)
        for field in self.fields:  # tables of one type: compiled code sees a tuple of equal things
            field.dtype = np.dtype(np.uint16 if small else np.uint32)
        self.projection = projection
        self._known: list[dict[Any, Lookup]] = [{} for _ in self.fields]

    def lookups(self, node: Sequence[int]) -> list[Lookup]:
        """The look-up tables of all fields for one node."""
        found = []
        for field, known in zip(self.fields, self._known):
            levels = field.levels_of(node)
            lookup = known.get(levels)
            if lookup is None:
                lookup = field.lookup(tuple([node[i] for i in field.members]), self.least)
                if self.projection:
                    # All at once: which levels will come back is not known, and refilling takes one pass over a field
                    # per node.
                    if field.size * len(known) > KEPT_ENTRIES:
                        known.clear()
                    known[levels] = lookup
            found.append(lookup)
        return found

    def _bins(self, limit: int) -> list[list[int]]:
        """Which quasi-identifiers share a field: each joins the first field that has room, large ones first."""
        bins: list[list[int]] = []
        taken: list[int] = []
        for i in sorted(range(len(self.attributes)), key=lambda i: -self.attributes[i].size):
            size = self.attributes[i].size
            for b in range(len(bins)):
                if taken[b] * size <= limit:
                    bins[b].append(i)
                    taken[b] *= size
                    break
            else:
                bins.append([i])
                taken.append(size)
        return bins

    def _merged(self, members: list[int]) -> _Part:
        """A field of some quasi-identifiers."""
        chosen = [self.attributes[i] for i in members]
        sizes = [attribute.size for attribute in chosen]
        keys = np.empty(self.n, dtype=np.uint32)

        def append(rows: slice) -> np.ndarray:
            look_up(keys[rows], chosen[0].codes[rows], chosen[0].rank)
            for attribute in chosen[1:]:
                append_column(keys[rows], attribute.codes[rows], attribute.rank, attribute.size)
            records = np.zeros(prod(sizes), dtype=np.uint32)
            tally(keys[rows], records)
            return records

        records = sum(self._workers.each_slice(append, self.n))
        occur = np.flatnonzero(records)
        rank = np.zeros(len(records), dtype=np.uint32)
        rank[occur] = _all(len(occur))
        numbers = [attribute.numbers[:, of] for attribute, of in zip(chosen, np.unravel_index(occur, sizes))]
        return _Part(Field(members, numbers, records[occur]), keys, rank)


def _joined(a: _Part, b: _Part) -> _Part:
    """Two fields made one, which numbers the combinations of both that occur."""
    columns = [part.rank[part.keys] for part in (a, b)]
    both = group(columns, [a.field.size, b.field.size])
    numbers = [
        rows[:, column[both.first]] for part, column in zip((a, b), columns) for rows in part.field.numbers_by_member()
    ]
    field = Field(a.field.members + b.field.members, numbers, both.sizes.astype(np.uint32))
    return _Part(field, both.class_of, _all(both.n_classes))


def _all(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.uint32)
