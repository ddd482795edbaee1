"""The node check: classes of a node, counted from the table or rolled up from an earlier check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ppdp_lab.anonymize.lattice._check import (
    check_direct,
    check_hashed,
    finish_hashed,
    merge_hashed,
    nearest_below,
    share_direct,
    share_hashed,
)
from ppdp_lab.anonymize.lattice.packing import Lookup, PackedTable
from ppdp_lab.anonymize.lattice.workers import Workers
from ppdp_lab.principles import KAnonymity, Principle
from ppdp_lab.table import ClassCounts, Microdata


class Counted(NamedTuple):
    """The classes of one node: a packed row that stands for each class, and the number of records in it."""

    rows: np.ndarray
    weights: np.ndarray | None


class History:
    """Keeps the snapshots that were used last, as long as their classes together do not exceed a budget.

    The thesis keeps a fixed number of snapshots; snapshots differ in size by orders of magnitude, so a budget of classes
    holds far more of the small ones, which are the ones worth rolling up.

    Parameters
    ----------
    attributes : int
        Number of quasi-identifiers.
    base : Counted
        What every node can be rolled up from; never dropped and not charged.
    budget : int
        Largest number of classes in all other snapshots together. The newest one stays in any case.

    Examples
    --------
    >>> ten, two = (Counted(np.zeros(size, dtype=np.uint64), None) for size in (10, 2))
    >>> history = History(2, ten, budget=5)
    >>> history.add((1, 0), two)
    >>> [len(history.nearest(node).rows) for node in [(0, 1), (1, 1)]]
    [10, 2]
    """

    def __init__(self, attributes: int, base: Counted, budget: int) -> None:
        self.budget = budget
        self.total = 0
        self._snapshots = [base]
        # Row i of each array belongs to snapshot i; row 0 is the base, whose levels are all 0. They grow as needed.
        self._levels = np.zeros((64, attributes), dtype=np.int64)
        self._sizes = np.zeros(64, dtype=np.int64)
        self._used = np.zeros(64, dtype=np.int64)
        self._sizes[0] = len(base.rows)
        self._clock = 0

    def nearest(self, node: Sequence[int]) -> Counted:
        """The smallest snapshot among those of the node's specializations."""
        i = nearest_below(self._levels, self._sizes, len(self._snapshots), np.array(node))
        self._clock += 1
        self._used[i] = self._clock
        return self._snapshots[i]

    def add(self, node: Sequence[int], snapshot: Counted) -> None:
        """Keep a snapshot; those that were not used for the longest time make room."""
        size = len(snapshot.rows)
        while self.total + size > self.budget and len(self._snapshots) > 1:
            self._drop(1 + int(np.argmin(self._used[1 : len(self._snapshots)])))
        i = len(self._snapshots)
        if i == len(self._sizes):
            for name in ("_levels", "_sizes", "_used"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros_like(old)]))
        self._clock += 1
        self._levels[i], self._sizes[i], self._used[i] = node, size, self._clock
        self._snapshots.append(snapshot)
        self.total += size

    def _drop(self, i: int) -> None:
        self.total -= int(self._sizes[i])
        last = len(self._snapshots) - 1
        for column in (self._levels, self._sizes, self._used):
            # The last one takes the place that became free: order plays no part.
            column[i] = column[last]
        self._snapshots[i] = self._snapshots[last]
        self._snapshots.pop()


# --------------------------------------------------------------------
# Counting the classes of a node, by direct or open addressing, in one thread or several.


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


# --------------------------------------------------------------------
# The node check: does the rule hold once the table is generalized to a node's levels?
#
# Where it departs from the thesis is said at the top of :mod:`ppdp_lab.anonymize.lattice`.


KEEP_SHARE = 0.5  # a snapshot of more than that share of what it was made from is not worth its room
STEP_ROWS = 8_000  # what has more rows is first rolled up ...
STEP_SHARE = 4  # ... to at most one in so many


class Checker:
    """Checks nodes of one table's lattice under one rule.

    Parameters
    ----------
    table, rule
        What is generalized, and what must hold then.
    suppression : float
        Share of the records that may be suppressed: a node is a solution if at most so many records lie in classes that
        are not safe.
    rollup, history, projection
        See :class:`~ppdp_lab.anonymize.lattice.base.LatticeSearch`.
    workers : Workers, optional
        Threads that share the rows of a check.
    divide : {"when it pays", "always"}
        Which checks they share; see :class:`~ppdp_lab.anonymize.lattice.speedy.Speedy`.
    monotone : bool
        Whether nothing above a node that satisfies the rule will ever be asked for.
    note : callable, optional
        Told of each node's smallest class: :meth:`~ppdp_lab.anonymize.lattice.base.SmallestClasses.note`.

    Attributes
    ----------
    checks : int
        Nodes that were checked.
    rollups : int
        Checks that did not scan the table's rows but classes that were counted before.
    rows : int
        Rows and classes that all checks have scanned.
    divided : int
        Checks whose rows or classes were divided among threads.
    """

    def __init__(
        self,
        table: Microdata,
        rule: Principle,
        *,
        suppression: float = 0.0,
        rollup: bool = True,
        history: float = 8.0,
        projection: bool = True,
        workers: Workers | None = None,
        divide: str = WHEN_IT_PAYS,
        monotone: bool = True,
        note: Callable[..., None] | None = None,
    ) -> None:
        self.table, self.rule, self.monotone, self.note = table, rule, monotone, note
        self.limit = most_suppressed(suppression, len(table))
        k, beyond = least_size(rule), len(table) + 1  # no class holds so many, nor more
        self.k = None if k is None else min(k, beyond)
        self.checks = self.rollups = self.rows = self.divided = 0
        self._sensitive = self.k is None and len(table.schema.sensitive) > 0
        workers = Workers(1) if workers is None else workers
        self.packed = PackedTable(
            table,
            least=min(rule.minimum_size, beyond),
            sensitive=self._sensitive,
            projection=projection,
            workers=workers,
        )
        self._parts = len(self.packed.fields) - self._sensitive if rollup else 0
        self.distinct = [attribute.distinct for attribute in self.packed.attributes]
        self._counter = Counter(self.packed, workers, divide)
        self._raw = Counted(self.packed.words, None)
        self._history: History | None = None
        self._stepwise = history > 0
        if rollup:
            base = self._distinct_rows() if history > 0 else self._raw
            self._history = History(len(self.distinct), base, int(history * len(table)))
        self._totals = table.totals()

    def __call__(self, node: Sequence[int]) -> bool:
        """Whether the rule holds at a node, apart from the records that may be suppressed."""
        self.checks += 1
        lookups = self.packed.lookups(node)
        for lookup in lookups[: self._parts]:
            # What fails for some of the quasi-identifiers fails for all of them (Incognito's subset property), and one
            # field has few classes, so it is cheap to look there first.
            if lookup.unsafe > self.limit:
                self.rollups += 1
                if self.note is not None:
                    self.note(node, below=self.packed.least)
                return False
        before = self._counter.divided
        source = self._source(node)  # which may take a count itself
        holds = (
            self._sizes_hold(node, source, lookups, self.k) if self.k is not None else self._rule_holds(node, source)
        )
        self.divided += self._counter.divided > before
        return holds

    def _sizes_hold(self, node: Sequence[int], source: Counted, lookups: Sequence[Lookup], k: int) -> bool:
        """k-anonymity needs the sizes of classes only."""
        # n records make at most n / k classes of k, and at most one class from each record that may be suppressed.
        most = len(self.table) // k + self.limit
        keep = int(KEEP_SHARE * len(source.rows)) if self._history is not None else 0
        count = self._counter.count(source, lookups, Wanted(k, self.limit, keep, most))
        if len(count.rows):
            self._keep(node, count)
        if self.note is not None:
            self.note(node, exactly=count.smallest, below=k)
        return count.unsafe <= self.limit

    def _rule_holds(self, node: Sequence[int], source: Counted) -> bool:
        """Any other rule sees the sensitive values of each class; snapshots hold them, too."""
        count = self._all_classes(source, node)
        counts = self._class_counts(count)
        holds = int(counts.sizes[~self.rule.safe(counts)].sum()) <= self.limit
        useful = count.classes <= KEEP_SHARE * len(source.rows) and not (holds and self.monotone)
        if self._history is not None and useful:
            self._keep(node, count)
        return holds

    def _class_counts(self, count: Count) -> ClassCounts:
        """Classes with their sensitive values, which lie in the last field."""
        # Sensitive values lie in the lowest bits, so sorting brings the rows of a class together.
        order = np.argsort(count.rows)
        rows, cells = count.rows[order], count.weights[order].astype(np.int64)
        if not self._sensitive:
            return ClassCounts(cells, np.arange(len(cells), dtype=np.int32), [], cells, ())
        classes = rows >> np.uint64(self.packed.fields[-1].bits)
        cell_class = np.cumsum(np.concatenate([[0], classes[1:] != classes[:-1]])).astype(np.int32)
        number = (rows & self.packed.masks[-1]).astype(np.int64)
        sizes = np.bincount(cell_class, weights=cells).astype(np.int64)
        values = [column[number] for column in self.packed.sensitive_values]
        return ClassCounts(sizes, cell_class, values, cells, self.table.sensitive_domains, self._totals)

    # ------------------------------------------------------------------ what to count
    def _distinct_rows(self) -> Counted:
        """The snapshot of the bottom node: every distinct row once, with the number of records that have it."""
        # Counted like any node, which takes a fraction of the time that sorting the rows would.
        count = self._all_classes(self._raw, [0] * len(self.distinct))
        return Counted(count.rows, count.weights)

    def _source(self, node: Sequence[int]) -> Counted:
        """What a node is counted from: the smallest snapshot below it, or the rows."""
        if self._history is None:
            source = self._raw
        else:
            source = self._history.nearest(node)
            if len(source.rows) > STEP_ROWS and self._stepwise:
                source = self._step(node, source)
            self.rollups += source is not self._raw
        self.rows += len(source.rows)
        return source

    def _step(self, node: Sequence[int], source: Counted) -> Counted:
        """Roll a large snapshot up to a node that lies as far below the wanted one as leaves few classes (stepwise check).

        That takes no longer than rolling up to the wanted node, and the nodes checked next will find a small snapshot.
        """
        finer = self._finer(node, len(source.rows) // STEP_SHARE)
        if finer == tuple(node):
            return source
        assert self._history is not None
        source = self._history.nearest(finer)
        self.rows += len(source.rows)
        return self._keep(finer, self._all_classes(source, finer))

    def _finer(self, node: Sequence[int], most: int) -> tuple[int, ...]:
        """A specialization of a node with at most so many classes, by an estimate; or the node itself."""
        classes = 1.0
        for lookup in self.packed.lookups(node):
            classes *= lookup.count
        levels = list(node)
        while any(levels):
            # The quasi-identifier whose values multiply least when it goes one level down; the product of these factors
            # is the estimate, too high where quasi-identifiers depend on each other, so the step is rather too short
            # than too long.
            growth, i = min(
                (self.distinct[i][level - 1] / self.distinct[i][level], i) for i, level in enumerate(levels) if level
            )
            classes *= growth
            if classes > most:
                break
            levels[i] -= 1
        return tuple(levels)

    def _all_classes(self, source: Counted, node: Sequence[int]) -> Count:
        m = len(source.rows)
        return self._counter.count(source, self.packed.lookups(node), Wanted(0, -1, m, m))

    def _keep(self, node: Sequence[int], count: Count) -> Counted:
        assert self._history is not None
        snapshot = Counted(count.rows, count.weights)
        self._history.add(node, snapshot)
        return snapshot


def most_suppressed(share: float, n: int) -> int:
    """How many of n records may be suppressed; at least one is always published."""
    return min(int(np.floor(share * n + 1e-9)), n - 1)


def least_size(rule: Principle) -> int | None:
    """k, if the rule is about class sizes alone; else None."""
    sizes = [part.k for part in rule.parts() if type(part) is KAnonymity]
    return max(sizes) if len(sizes) == len(rule.parts()) else None
