"""What the lattice searches share: parameters, the search, and the choice among what it finds."""

from __future__ import annotations

import inspect
import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Annotated, Any, Protocol

import numpy as np

from ppdp_lab.anonymize.base import Anonymizer, whole_counts
from ppdp_lab.anonymize.lattice.checker import WHEN_IT_PAYS, Checker, least_size, most_suppressed
from ppdp_lab.anonymize.lattice.nodes import FAILS, HOLDS, Lattice, Node, SearchResult
from ppdp_lab.anonymize.lattice.workers import borrowed
from ppdp_lab.errors import (
    BrokenRuleError,
    DefaultHierarchyWarning,
    HierarchyError,
    InfeasibleError,
    ParameterError,
    check_integer,
    listed,
)
from ppdp_lab.principles import Principle
from ppdp_lab.registry import OneOf, Within
from ppdp_lab.release import Release
from ppdp_lab.table import Boxes, ClassCounts, Domain, Hierarchy, Intervals, Microdata, Nodes
from ppdp_lab.table.grouping import group


def switch(name: str, value: Any) -> bool:
    """A switch, which must be on or off."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def check_metric(metric: object) -> None:
    """Refuse a metric that cannot be called with a Release alone."""
    if not callable(metric):
        raise ParameterError(f"metric must be a function of a Release, such as ppdp_lab.metrics.ncp, not {metric!r}")
    try:
        inspect.signature(metric).bind(None)
    except ValueError:  # a built-in that does not tell what it takes
        pass
    except TypeError as problem:
        raise ParameterError(
            f"the metric must take a Release alone, but {metric!r} does not ({problem}); give it what else it needs "
            f"beforehand, such as functools.partial(ppdp_lab.metrics.c_avg, k=5)"
        ) from None


def searchable(table: Microdata) -> Microdata:
    """The table with a hierarchy for every quasi-identifier: an ordered one that has none gets default intervals.

    An empty table and text without a hierarchy raise an error.
    """
    if not isinstance(table, Microdata):
        raise ParameterError(f"a search needs a ppdp_lab.Microdata, not {type(table).__name__}; wrap the frame first")
    if not len(table):
        raise InfeasibleError("the table has no records; there is nothing to anonymize")
    bare = [domain for domain in table.qi_domains if domain.hierarchy is None and domain.kind != "ordered"]
    if bare:
        name = bare[0].name
        raise HierarchyError(
            f"full-domain generalization needs a hierarchy for text: {listed(domain.name for domain in bare)} "
            f"{'has' if len(bare) == 1 else 'have'} none; pass one to Microdata, for example hierarchies={{{name!r}: "
            f"Hierarchy.from_levels({{value: ['*'] for value in frame[{name!r}].unique()}})}}"
        )
    grown = {d.name: replace(d, kind="hierarchy", hierarchy=default_hierarchy(d)) for d in without_hierarchy(table)}
    return table.recode(table.domains | grown)


def without_hierarchy(table: Microdata) -> list[Domain]:
    """The ordered quasi-identifiers that a search generalizes to default intervals."""
    return [domain for domain in table.qi_domains if domain.hierarchy is None and domain.kind == "ordered"]


def default_hierarchy(domain: Domain) -> Hierarchy:
    """Intervals of an ordered domain, counted from its smallest value, with the widths of :func:`default_widths`.

    >>> import pandas as pd
    >>> default_hierarchy(Domain.of(pd.Series(range(17, 91), name="age"))[0]).levels(39)
    ['39', '[37, 41]', '[37, 46]', '[37, 56]', '[17, 56]', '*']
    """
    names, levels = domain.labels[: domain.known], []
    for interval in _intervals(domain).values():
        low, high = np.searchsorted(interval, interval), np.searchsorted(interval, interval, side="right") - 1
        levels.append([names[a] if a == b else f"[{names[a]}, {names[b]}]" for a, b in zip(low, high)])
    tree = Hierarchy(list(zip(names, *levels, ["*"] * len(names))))
    return tree.with_missing() if domain.missing else tree


def default_widths(domain: Domain) -> list[float]:
    """A sixteenth, an eighth, a quarter and half of the range of an ordered domain, rounded.

    The first width is rounded to a whole number, or to one digit if the values are fractions; each of the others is twice
    the one before. Widths that merge no values, or all of them, are left out. Dates and ordered categories are counted.

    >>> import pandas as pd
    >>> [default_widths(Domain.of(pd.Series(values, name="x"))[0]) for values in (range(17, 91), [0.5, 0.9, 1.7], [4, 4])]
    [[5, 10, 20, 40], [0.56], []]
    """
    return list(_intervals(domain))


def _intervals(domain: Domain) -> dict[float, np.ndarray]:
    """For each default width the number of the interval that each value lies in."""
    values = domain.values[: domain.known]
    places = np.arange(len(values), dtype=float)  # by rank, unless they are numbers whose differences are finite
    if values.dtype.kind in "iuf" and values[-1] / 2 - values[0] / 2 < 2.0**1022:
        places = values.astype(float)
    first = float(places[-1] - places[0]) / 16 or 1.0
    first = float(f"{first:.0e}") if values.dtype.kind == "f" else max(1, round(first))
    narrow = np.floor((places - places[0]) / first + 1e-9)  # 0.3 / 0.1 must not fall below 3
    found: dict[float, np.ndarray] = {}
    groups = len(places)
    for times in (1, 2, 4, 8):
        interval = narrow // times  # so that wide intervals hold narrow ones whole
        fewer = len(np.unique(interval))
        if 1 < fewer < groups:
            found[times * first], groups = interval, fewer
    return found


# --------------------------------------------------------------------
# The size of each node's smallest class, remembered over a sweep of k.


class SmallestClasses:
    """What searches of one table have learnt about the smallest class of each node; the next search starts from it.

    A node is k-anonymous if its smallest class holds k records, whatever k is, so a check for one k may answer for
    another. The smallest class never gets smaller as a node is generalized, so one check also bounds the nodes above and
    below it. Hand the same object to every search of a sweep.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> from ppdp_lab.anonymize.lattice.flash import Flash
    >>> frame = pd.DataFrame({"age": [20, 21, 22, 30, 31, 41]})
    >>> table = pl.Microdata(frame, pl.Schema("age"), {"age": pl.Hierarchy.intervals(range(20, 50), [5, 10])})
    >>> smallest = SmallestClasses()
    >>> [Flash(pl.KAnonymity(k), smallest=smallest).search(table).checked for k in (2, 3, 4, 7)]
    [[(2,), (3,)], [], [], []]
    """

    def __init__(self) -> None:
        self._codes: np.ndarray | None = None
        self._at_least = np.zeros(0, dtype=np.int64)
        self._at_most = np.zeros(0, dtype=np.int64)

    def begin(self, table: Microdata, shape: tuple[int, ...], k: int) -> tuple[np.ndarray, np.ndarray]:
        """Begin a search of a table whose lattice has some shape: which nodes are known to be k-anonymous, which not."""
        if self._codes is None:
            self._codes = table.qi_codes
            self._at_least = np.ones(shape, dtype=np.int64)
            self._at_most = np.full(shape, len(table), dtype=np.int64)
        if self._codes is not table.qi_codes or self._at_least.shape != shape:
            raise ParameterError("these SmallestClasses were learnt from another table; make new ones for this table")
        at_least, at_most = self._at_least, self._at_most
        for axis in range(at_least.ndim):
            at_least = np.maximum.accumulate(at_least, axis=axis)
            at_most = np.flip(np.minimum.accumulate(np.flip(at_most, axis), axis=axis), axis)
        self._at_least, self._at_most = at_least, at_most.copy()
        return at_least >= k, at_most < k

    def note(self, node: Sequence[int], *, below: int, exactly: int = 0) -> None:
        """Remember that a node's smallest class has this size exactly or, if that is 0, fewer than ``below`` records."""
        where = tuple(node)
        if exactly:
            self._at_least[where] = self._at_most[where] = exactly
        else:
            self._at_most[where] = min(self._at_most[where], below - 1)


# --------------------------------------------------------------------
# What all searches through the lattice share: their switches, the best node, and its release.


CANDIDATES = ("minimal", "solutions")


class Check(Protocol):
    """Asks whether the rule holds at a node; ``shown`` is what the result lists as checked, the node unless given."""

    def __call__(self, node: Node, shown: tuple[int | None, ...] | None = None) -> bool: ...


class LatticeSearch(Anonymizer):
    """Full-domain generalization: all values of a quasi-identifier are generalized to one level of its hierarchy.

    A subclass says in which order nodes are checked (:meth:`_traverse`). What a check says of other nodes is used only
    where it is right. Without suppression, generalizing merges classes, so any union-closed rule that holds at a node
    holds above it. With suppression, the records of unsafe classes are left out. Under a superset-closed rule they become
    ever fewer further up; under a rule that is merely union-closed a safe class may be lost to an unsafe one, so there
    every node is checked.

    Parameters
    ----------
    rule : Principle
        What every published class must satisfy.
    suppression : float
        Share of the records that may be suppressed, in [0, 1).
    metric : callable, optional
        A number that a Release gets, such as those of ``ppdp_lab.metrics``; the node with the best release is chosen. A
        metric that needs more is given it beforehand: ``functools.partial(metrics.c_avg, k=5)``.
        Less is better unless the metric's ``better`` says ``"higher"``. By default the node is chosen whose
        quasi-identifiers are least generalized on average (level as a share of the hierarchy's height), then the one
        that keeps more distinct values.
    candidates : {"minimal", "solutions"}
        Whether the metric looks at the minimal solutions, which suffices if generalizing never improves it, or at all.
    rollup : bool
        Count the classes of a node from the classes of a node below it, not from the rows.
    history : float
        How many classes the snapshots of earlier checks may hold together, in multiples of the number of records; those
        not used for the longest time are dropped. 0 keeps the latest snapshot only.
    projection : bool
        Keep the look-up tables of quasi-identifiers whose levels do not change.
    smallest : SmallestClasses, optional
        What earlier searches of the same table have learnt, for a sweep over k; for k-anonymity without suppression.

    Notes
    -----
    Text needs a hierarchy. A quasi-identifier that is ordered (numbers, dates, ordered categories) and has none is
    generalized to default intervals: about a sixteenth, an eighth, a quarter and half of its range, then all of it. For ages
    from 17 to 90 the widths are 5, 10, 20 and 40. A :class:`~ppdp_lab.errors.DefaultHierarchyWarning` and the release's
    ``method`` state the widths. The release publishes ranges of the table's own values, as Mondrian's does. Pass
    ``Hierarchy.intervals`` to Microdata to choose other intervals.

    :mod:`ppdp_lab.anonymize.lattice` lists where the node check departs from the thesis.
    """

    not_serialized = ("smallest",)

    def __init__(
        self,
        rule: Principle,
        *,
        suppression: Annotated[float, Within(at_least=0, at_most=1)] = 0.0,
        metric: Callable[[Release], float] | None = None,
        candidates: Annotated[str, OneOf(*CANDIDATES)] = "minimal",
        rollup: bool = True,
        history: Annotated[float, Within(at_least=0)] = 8.0,
        projection: bool = True,
        smallest: SmallestClasses | None = None,
    ) -> None:
        if not isinstance(rule, Principle):
            raise ParameterError(f"the rule must be a principle such as KAnonymity(5), not {rule!r}")
        self.rule = rule
        self.suppression = suppression
        if self.suppression == 1:
            raise ParameterError("suppression = 1 would allow to publish nothing at all; choose a share below 1")
        if metric is not None:
            check_metric(metric)
        self.metric = metric
        self.candidates = candidates
        self.rollup = switch("rollup", rollup)
        self.history = history
        self.projection = switch("projection", projection)
        if smallest is not None and not isinstance(smallest, SmallestClasses):
            raise ParameterError(
                f"smallest must be a SmallestClasses, not {smallest!r}; make one with SmallestClasses()"
            )
        self.smallest = smallest
        self.threads, self.divide = 1, WHEN_IT_PAYS
        if smallest is not None and (least_size(rule) is None or self.suppression > 0):
            raise ParameterError(f"smallest helps with k-anonymity without suppression only, not with {self.rule}")

    @property
    def monotone(self) -> bool:
        """Whether the rule, once it holds at a node, holds at all its generalizations."""
        return self.rule.superset_closed or (self.rule.union_closed and self.suppression == 0)

    # ------------------------------------------------------------------ searching
    def search(self, table: Microdata) -> SearchResult:
        """Find the levels to which the table can be generalized."""
        whole = searchable(table)
        _announce(table)
        if least_size(self.rule) is None:
            self.rule.safe(whole_counts(table))  # a rule that does not fit the table says so here
        start = time.perf_counter()
        with borrowed(self.threads) as workers:
            checker = Checker(
                whole,
                self.rule,
                suppression=self.suppression,
                rollup=self.rollup,
                history=self.history,
                projection=self.projection,
                workers=workers,
                divide=self.divide,
                monotone=self.monotone,
                note=None if self.smallest is None else self.smallest.note,
            )
            lattice = Lattice(checker.distinct)
            checked: list[tuple[int | None, ...]] = []

            def check(node: Node, shown: tuple[int | None, ...] | None = None) -> bool:
                checked.append(node if shown is None else shown)
                return checker(node)

            if self.smallest is not None and checker.k is not None:
                holds, fails = self.smallest.begin(table, lattice.shape, checker.k)
                lattice.state[holds], lattice.state[fails] = HOLDS, FAILS
            if self.monotone:
                self._traverse(lattice, check)
            else:
                self._exhaust(lattice, check)
        seconds = time.perf_counter() - start
        cost = checker.checks, checker.rollups, checker.rows, checker.divided, seconds
        return SearchResult(table.schema.quasi_identifiers, lattice, checked, self._best(table, whole, lattice), *cost)

    @abstractmethod
    def _traverse(self, lattice: Lattice, check: Check) -> None:
        """Check nodes and tag the lattice, the rule being monotone."""

    def _exhaust(self, lattice: Lattice, check: Check) -> None:
        """Check every node, as no check says anything about another node."""
        for height in range(lattice.max_height + 1):
            for node in lattice.unknown(height):
                lattice.mark(node, check(node))

    def _best(self, table: Microdata, whole: Microdata, lattice: Lattice) -> Node | None:
        """The solution that the metric prefers; of equally good ones the least generalized, then the first."""
        every = self.metric is not None and self.candidates == "solutions"
        nodes = lattice.nodes(np.flatnonzero(lattice.state == HOLDS)) if every else lattice.minimal()
        nodes.sort(key=lambda node: (lattice.cost(node), sum(node), node))
        if not nodes or self.metric is None:
            return nodes[0] if nodes else None
        named = self.metric.func if isinstance(self.metric, partial) else self.metric
        sign = -1 if getattr(named, "better", "lower") == "higher" else 1
        return min(nodes, key=lambda node: sign * self._measure(table, whole, node))

    def _measure(self, table: Microdata, whole: Microdata, node: Node) -> float:
        """What the metric says of a node's release."""
        assert self.metric is not None
        value = self.metric(self._generalized(table, whole, node))
        if not isinstance(value, Real) or value != value:
            raise ParameterError(
                f"the metric must give a number for every release, but for that of {node} it gave {value!r}; "
                f"choose another metric, or mend this one"
            )
        return value

    # ------------------------------------------------------------------ releasing
    def anonymize(self, table: Microdata) -> Release:
        """The release of the best node; it keeps :attr:`rule`, or an error says why there is none."""
        if self.suppression == 0:
            return super().anonymize(table)
        return self._release(table).checked(self.rule)

    def _release(self, table: Microdata) -> Release:
        best = self.search(table).best
        most = most_suppressed(self.suppression, len(table))
        if best is None:
            raise InfeasibleError(
                f"at no levels does this table satisfy {self.rule} with at most {most} of {len(table)} records suppressed; "
                f"weaken the rule or allow more suppression"
            )
        release = self._generalized(table, searchable(table), best)
        if len(release.suppressed) > most:
            raise BrokenRuleError(
                f"the release is withheld: at {best} it takes {len(release.suppressed)} suppressed records, not {most}, "
                f"to satisfy {self.rule}"
            )
        return release

    def generalize(self, table: Microdata, node: Sequence[int]) -> Release:
        """The table generalized to a node's levels; records in classes that break the rule are suppressed.

        This is how any node can be looked at, whether it is a solution or not.
        """
        whole = searchable(table)
        _announce(table)
        return self._generalized(table, whole, node)

    def _generalized(self, table: Microdata, whole: Microdata, node: Sequence[int]) -> Release:
        """The release of a table at a node, given the same table with all hierarchies."""
        columns, sizes, boxes = [], [], []
        trees = [domain.hierarchy for domain in whole.qi_domains]
        if not isinstance(node, Sequence | np.ndarray):
            raise ParameterError(f"node must be a list of levels, one for each quasi-identifier, not {node!r}")
        if len(node) != len(trees):
            raise ParameterError(
                f"node {tuple(node)} has {len(node)} levels; the table has {len(trees)} quasi-identifiers"
            )
        for name, tree, codes, level in zip(table.schema.quasi_identifiers, trees, table.qi_codes, node):
            assert tree is not None
            check_integer(f"the level of {name!r}", level, at_least=0, at_most=tree.height)
            columns.append(tree.ancestors[level][codes])
            sizes.append(len(tree.labels))
        classes = group(columns, sizes)
        class_of, first = classes.class_of, classes.first
        counts = ClassCounts.count(
            class_of, classes.n_classes, table.sensitive_codes, table.sensitive_domains, table.totals()
        )
        safe = self.rule.safe(counts)
        number = np.where(safe, np.cumsum(safe) - 1, -1).astype(np.int32)
        first = first[safe]
        for domain, tree, column in zip(table.qi_domains, trees, columns):
            found = column[first]
            assert tree is not None
            # Ranges of the table's own values where the intervals are the default: they need no tree to be read or measured.
            own = domain.hierarchy is not None
            boxes.append(Nodes(domain, found) if own else Intervals(domain, tree.low[found], tree.high[found]))
        method = "; ".join(
            filter(None, [f"{self!r} at {tuple(int(level) for level in node)}", default_intervals(table)])
        )
        return Release(table, number[class_of], Boxes(tuple(boxes), len(first)), method=method)


def default_intervals(table: Microdata) -> str:
    """The default interval widths that a search uses for a table; empty if every quasi-identifier has a hierarchy.

    >>> import pandas as pd, ppdp_lab as pl
    >>> default_intervals(pl.Microdata(pd.DataFrame({"age": range(17, 91)}), pl.Schema("age")))
    "default interval widths: 'age' 5, 10, 20, 40"
    """
    widths = {d.name: ", ".join(f"{width:g}" for width in default_widths(d)) for d in without_hierarchy(table)}
    said = "; ".join(f"{name!r} {found or '(all values or one)'}" for name, found in widths.items())
    return f"default interval widths: {said}" if said else ""


def _announce(table: Microdata) -> None:
    """Warn that intervals were chosen by default, and tell how to choose others."""
    chosen = default_intervals(table)
    if chosen:
        warnings.warn(
            f"no hierarchy for {listed(d.name for d in without_hierarchy(table))}; using {chosen}. To choose others, pass "
            f"hierarchies={{column: Hierarchy.intervals(values, widths)}} to Microdata",
            DefaultHierarchyWarning,
            stacklevel=3,
        )
