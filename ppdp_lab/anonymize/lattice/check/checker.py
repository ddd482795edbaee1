"""The node check: does the rule hold once the table is generalized to a node's levels?

Where it departs from the thesis is said at the top of :mod:`ppdp_lab.anonymize.lattice`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ppdp_lab.anonymize.lattice.check.counting import WHEN_IT_PAYS, Count, Counter, Wanted
from ppdp_lab.anonymize.lattice.check.fields import Lookup
from ppdp_lab.anonymize.lattice.check.history import Counted, History
from ppdp_lab.anonymize.lattice.check.packing import PackedTable
from ppdp_lab.anonymize.lattice.check.workers import Workers
from ppdp_lab.principles import KAnonymity, Principle
from ppdp_lab.table import ClassCounts, Microdata

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
        Told of each node's smallest class: :meth:`~ppdp_lab.anonymize.lattice.smallest.SmallestClasses.note`.

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
