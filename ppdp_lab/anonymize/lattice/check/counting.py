"""Counting the classes of a node, by direct or open addressing, in one thread or several."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ppdp_lab.anonymize.lattice.check._check import (
    check_direct,
    check_hashed,
    finish_hashed,
    merge_hashed,
    share_direct,
    share_hashed,
)
from ppdp_lab.anonymize.lattice.check.fields import Lookup
from ppdp_lab.anonymize.lattice.check.history import Counted
from ppdp_lab.anonymize.lattice.check.packing import PackedTable
from ppdp_lab.anonymize.lattice.check.workers import Workers

DIRECT_FACTOR = 4  # direct addressing while there are at most this many keys per row
DIRECT_ALWAYS = 1024
DIVIDE = WHEN_IT_PAYS, ALWAYS = "when it pays", "always"  # when rows are divided among threads
GAP = 64  # counts of different threads must not share a cache line

_Direct = tuple[Any, Any, Any, Any, Any]  # numbers, firsts, shifts, masks and radices of the fields
_Hashed = tuple[Any, Any, Any]  # stand-ins, shifts and masks


class Count(NamedTuple):
    """The classes of a node: how many, the smallest, records in classes of fewer than k; and a snapshot if kept."""

    classes: int
    smallest: int
    unsafe: int
    rows: np.ndarray
    weights: np.ndarray


class Wanted(NamedTuple):
    """What a count is for.

    Records in classes of fewer than ``k`` are unsafe. If there are more of them than ``limit`` and at most ``keep``
    classes, a snapshot is kept. With more than ``most`` classes more than ``limit`` records must be unsafe, so that
    counting may stop.
    """

    k: int
    limit: int
    keep: int
    most: int


class Counter:
    """Counts classes of packed rows; keeps its memory and its threads from one count to the next.

    Parameters
    ----------
    packed : PackedTable
        Where the rows come from.
    workers : Workers
        Rows are cut into one slice per thread; each thread counts its slice, and whoever is done helps the others; then
        the counts are merged.
    divide : {"when it pays", "always"}
        Whether they are so if they are many enough only, or whenever there is a row for each thread.

    Attributes
    ----------
    divided : int
        How many counts were divided among threads so far.
    """

    def __init__(self, packed: PackedTable, workers: Workers, divide: str = WHEN_IT_PAYS) -> None:
        self.packed = packed
        self.divided = 0
        self._workers = workers
        self._always = divide == ALWAYS
        self._counts = np.empty(0, dtype=np.uint32)
        self._slots = np.empty(0, dtype=np.uint64)

    def count(self, source: Counted, lookups: Sequence[Lookup], wanted: Wanted) -> Count:
        """The classes of rows, or of a snapshot's classes, generalized by one look-up table per field."""
        shifts, masks = self.packed.shifts, self.packed.masks
        telling = [j for j, lookup in enumerate(lookups) if lookup.count > 1] or [0]
        if len(telling) < len(lookups):  # a field that is generalized to a single value need not be looked at
            shifts, masks = tuple([shifts[j] for j in telling]), tuple([masks[j] for j in telling])
            lookups = [lookups[j] for j in telling]
        m = len(source.rows)
        # Direct addressing needs a count per key of each thread, so what is left for one thread shrinks with their
        # number.
        space = prod([lookup.count for lookup in lookups])
        threads = self._people(m)
        self.divided += threads > 1
        if space <= max(DIRECT_FACTOR * m // threads, DIRECT_ALWAYS):
            numbers = tuple([lookup.number for lookup in lookups])
            firsts = tuple([lookup.first for lookup in lookups])
            radices = tuple([lookup.radix for lookup in lookups])
            direct: _Direct = numbers, firsts, shifts, masks, radices
            if threads > 1:
                return self._direct_in_threads(threads, source, direct, space, wanted)
            return Count(*check_direct(*source, *direct, self._room(space), *wanted[:3]))
        hashed: _Hashed = tuple([lookup.stand_in for lookup in lookups]), shifts, masks
        wanted = wanted._replace(most=min(wanted.most, m))
        if threads > 1:
            return self._hashed_in_threads(threads, source, hashed, wanted)
        return self._hashed(source, hashed, wanted)

    def _people(self, rows: int) -> int:
        """How many threads share so many rows."""
        if self._always:
            return self._workers.threads if rows >= self._workers.threads else 1
        return self._workers.enough_for(rows)

    def _hashed(self, source: Counted, by: _Hashed, wanted: Wanted) -> Count:
        slots, counts, shift = self._tables(1, wanted.most)
        return Count(*check_hashed(*source, *by, slots[0], counts[0], shift, *wanted))

    # ------------------------------------------------------------------ memory
    def _room(self, size: int) -> np.ndarray:
        """Memory for counts. Fresh memory would take longer than the counting, so it is kept."""
        if size > len(self._counts):
            self._counts = np.empty(2 * size, dtype=np.uint32)
        return self._counts[:size]

    def _tables(self, number: int, most: int) -> tuple[np.ndarray, np.ndarray, np.uint64]:
        """Memory for some hash tables that stay at most half full, and how a hash is shifted to find its slot."""
        # Counting stops at most + 1 classes; the next power of two above twice that leaves every second slot free.
        bits = max((2 * (most + 1) - 1).bit_length(), 4)
        size = number << bits
        if size > len(self._slots):
            self._slots = np.empty(size, dtype=np.uint64)
        shape = (number, 1 << bits)
        return self._slots[:size].reshape(shape), self._room(size).reshape(shape), np.uint64(64 - bits)

    # ------------------------------------------------------------------ several threads
    def _direct_in_threads(self, threads: int, source: Counted, by: _Direct, space: int, wanted: Wanted) -> Count:
        counts = self._room(threads * (space + GAP)).reshape(threads, -1)
        board = self._workers.board
        checks = self._workers.each(lambda t: share_direct(board, t, *source, *by, counts, space, *wanted[:3]), threads)
        return Count(*checks[0])

    def _hashed_in_threads(self, threads: int, source: Counted, by: _Hashed, wanted: Wanted) -> Count:
        # The first half for what each thread counts, the second for what each one merges: one thread's keys are in all
        # tables, so each merges one part of all of them.
        slots, counts, shift = self._tables(2 * threads, wanted.most)
        board = self._workers.board

        def count(t: int) -> int:
            return share_hashed(board, t, *source, *by, slots[t], counts[t], shift, wanted.most)

        classes = self._workers.each(count, threads)
        if max(classes) > wanted.most:
            return _stopped(max(classes), wanted)

        def merge(t: int) -> Count:
            merged = slots[threads + t], counts[threads + t]
            here = merge_hashed(board, t, slots[:threads], counts[:threads], *merged, shift, wanted.most)
            if here > wanted.most:
                return _stopped(here, wanted)
            # -1: whether a snapshot is kept depends on all parts together, and is decided in `_together`.
            return Count(*finish_hashed(*merged, wanted.k, -1, wanted.keep))

        return _together(self._workers.each(merge, threads), wanted)


def _stopped(classes: int, wanted: Wanted) -> Count:
    """What is known if counting stopped: that too many records are unsafe."""
    return Count(classes, 0, wanted.limit + 1, np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32))


def _together(parts: Sequence[Count], wanted: Wanted) -> Count:
    """Counts of different classes as one."""
    classes = sum(part.classes for part in parts)
    if any(part.smallest == 0 for part in parts):
        return _stopped(classes, wanted)
    unsafe = sum(part.unsafe for part in parts)
    kept = parts if unsafe > wanted.limit and classes <= wanted.keep else [_stopped(0, wanted)]
    rows, weights = (np.concatenate([part[i] for part in kept]) for i in (3, 4))
    return Count(classes, min(part.smallest for part in parts), unsafe, rows, weights)
