"""Mondrian: multidimensional partitioning, top down.

References
----------
.. [1] K. LeFevre, D. DeWitt, R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
.. [2] K. LeFevre, D. DeWitt, R. Ramakrishnan, "Workload-aware anonymization", KDD 2006 (hierarchies, entropy).
.. [3] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
   CIKM 2012: "degeneracy", read as one of the choices of attribute below.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ppdp_lab.anonymize._mondrian import (
    BELOW,
    MEDIAN,
    RELAXED,
    arrange,
    distinct_values,
    extents,
    gather,
    halve,
    specialize,
)
from ppdp_lab.anonymize.base import ANONYMIZERS, Anonymizer, check_rule
from ppdp_lab.errors import ParameterError
from ppdp_lab.principles import Principle
from ppdp_lab.registry import OneOf, Seed
from ppdp_lab.release import Release
from ppdp_lab.table import ClassCounts, Microdata
from ppdp_lab.table.checks import check_codes

CUTS = {"median": (MEDIAN,), "median-or-below": (MEDIAN, BELOW)}
CHOICES = ("widest", "distinct", "balanced")


@ANONYMIZERS.add(
    accepts="any table; any superset-closed or union-closed rule",
    promises="classes that keep the rule, each in a box of its own",
    paper="LeFevre et al., ICDE 2006",
)
class Mondrian(Anonymizer):
    """Greedy top-down partitioning of the quasi-identifier space [1]_.

    The table is one partition; each partition is cut along one attribute as long as every part keeps the rule. The cuts
    of different partitions do not touch each other, so all partitions of one level are cut together, which is the same
    recursion, breadth first.

    Parameters
    ----------
    rule : Principle
        Any superset-closed or union-closed principle; every part of every cut must satisfy it.
    strict : bool
        Strict: records that agree on the cut attribute stay together. Relaxed (False): those that share the median are
        divided, so both halves are equally large ([1]_, section 3.2). Hierarchies are always cut strictly.
    cut : {"median", "median-or-below"}
        Where an ordered attribute or a set is cut: after the median value ([1]_, figure 4), or, where that cut is not
        allowed, before it. A median that is also the largest value can be cut off in the second way only.
        A relaxed cut has both halves fixed by their size, so it makes no use of this choice.
    choose : {"widest", "distinct", "balanced"}
        Which attribute is tried first: the one with the widest normalized range ([1]_), with the most distinct values,
        or whose cut is the most balanced one (readings of the "degeneracy" in [3]_). If a cut breaks the rule the next
        attribute is tried; a partition that cannot be cut at all becomes a class.

    seed : int, optional
        For relaxed cuts: which of the records that share the median go to which half. The system's entropy unless given; a
        seeded release is reproducible and not private. Strict cuts leave nothing to chance.

    Notes
    -----
    An attribute with a hierarchy is cut into the children of the lowest node that covers the partition [2]_; text
    without one is cut in the order of its values and published as the set of values that occur.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 25, 38, 43, 57, 60], "illness": ["flu", "flu", "HIV", "flu", "flu", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> pl.Mondrian(pl.KAnonymity(2)).anonymize(table).to_frame()["age"].unique().tolist()
    ['[21, 38]', '[43, 60]']
    """

    def __init__(
        self,
        rule: Principle,
        *,
        strict: bool = True,
        cut: Annotated[str, OneOf(*CUTS)] = "median-or-below",
        choose: Annotated[str, OneOf(*CHOICES)] = "widest",
        seed: Seed = None,
    ) -> None:
        self.rule = check_rule(rule)
        if not isinstance(strict, bool):
            raise ParameterError(f"strict must be True or False, not {strict!r}")
        self.strict = strict
        self.cut = cut
        self.choose = choose
        self.seed = seed

    def _release(self, table: Microdata) -> Release:
        class_of = self.anonymize_within(table, np.zeros(len(table), dtype=np.int32))
        return Release(table, class_of, **self._said(seeded=not self.strict))

    def anonymize_within(self, table: Microdata, part_of: np.ndarray) -> np.ndarray:
        """As of any anonymizer, but all parts are cut together; ranges are shares of the whole table's."""
        self._require_table(table)
        part_of = check_codes("part_of", part_of, len(table) + 1, low=-1, n=len(table))
        # Relaxed cuts divide records that agree on one attribute: which of them go left is chance, not their values' or order.
        rng = np.random.default_rng(self.seed)
        rows = np.arange(len(table)) if self.strict else table.shuffled_order(rng)
        class_of = np.full(len(table), -1, dtype=np.int32)
        n_classes = 0
        level = _Level(table, rows, np.array([0, len(table)]))
        widest = level.ranges()
        if part_of.any():
            mine = part_of[rows]
            begins = np.flatnonzero(np.bincount(mine[mine >= 0]))  # numbers of the parts that have records
            order = np.argsort(mine, kind="stable")[int((mine < 0).sum()) :]
            level = level.children(order, np.r_[np.searchsorted(mine[order], begins), len(order)])
        while level.n:
            children, finished = self._cut_all(level, widest)
            sizes = np.diff(level.offsets)[finished]
            stay = np.repeat(finished, np.diff(level.offsets))
            class_of[level.rows[stay]] = n_classes + np.repeat(np.arange(len(sizes)), sizes)
            n_classes += len(sizes)
            level = children
        return class_of

    def _cut_all(self, level: _Level, widest: np.ndarray) -> tuple[_Level, np.ndarray]:
        """Cut every partition along the first attribute that allows it; also say which partitions cannot be cut."""
        score = self._scores(level, widest)
        ranking = np.argsort(-score, axis=0, kind="stable")
        # A cut leaves two parts or more, and no part below the minimum can be safe.
        large = np.diff(level.offsets) >= 2 * self.rule.minimum_size
        uncut = np.ones(level.n, dtype=bool)
        orders, begins, shift = [], [np.zeros(1, dtype=np.int64)], 0
        # choice[p] is the attribute that partition p tries next; all partitions that are still whole try theirs at once.
        for choice in ranking:
            for how in CUTS[self.cut] if self.strict else (RELAXED,):
                pending = np.flatnonzero(uncut & large & (score[choice, np.arange(level.n)] > 0))
                if how == BELOW:  # a hierarchy has no second way to cut
                    pending = pending[~level.is_tree[choice[pending]]]
                if not len(pending):
                    continue
                done, order, begin = self._try(level, pending, choice, how)
                uncut[done] = False
                orders.append(order)
                begins.append(begin[1:] + shift)
                shift += len(order)
        order = np.concatenate(orders) if orders else np.zeros(0, dtype=np.int64)
        return level.children(order, np.concatenate(begins)), uncut

    def _try(
        self, level: _Level, pending: np.ndarray, choice: np.ndarray, how: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cut the pending partitions along their chosen attribute; keep the cuts all of whose parts are safe."""
        n_parts = level.propose(pending, choice, how)
        possible = pending[n_parts[pending] > 1]
        order, begins = arrange(level.offsets, possible, level.part, n_parts)
        sensitive = gather(level.sensitive, order)
        safe = self.rule.safe(ClassCounts.count_segments(begins, sensitive, level.domains, level.totals))
        owner = np.repeat(np.arange(len(possible)), n_parts[possible])
        # One unsafe part undoes the cut of its partition, and no other.
        kept = np.bincount(owner, weights=~safe, minlength=len(possible)) == 0
        if not kept.all():
            order, begins = arrange(level.offsets, possible[kept], level.part, n_parts)
        return possible[kept], order, begins

    def _scores(self, level: _Level, widest: np.ndarray) -> np.ndarray:
        """How much each attribute deserves to be cut, per partition; 0 where it cannot be."""
        ranges = level.ranges()
        varies = level.low < level.high
        if self.choose == "widest":
            share = ranges / np.where(widest > 0, widest, 1)
            return np.where(varies, np.maximum(share, np.finfo(float).tiny), 0.0)  # close numbers may differ by 0.0
        if self.choose == "distinct":
            return np.where(varies, level.distinct(), 0).astype(float)
        everyone = np.arange(level.n)
        score = np.zeros((len(level.qi), level.n))
        for attribute in range(len(level.qi)):
            pending = everyone[varies[attribute]]
            n_parts = level.propose(pending, np.full(level.n, attribute), RELAXED if not self.strict else MEDIAN)
            possible = pending[n_parts[pending] > 1]
            _, begins = arrange(level.offsets, possible, level.part, n_parts)
            first = np.r_[0, np.cumsum(n_parts[possible])][:-1]
            least = np.minimum.reduceat(np.diff(begins), first) if len(possible) else np.zeros(0)
            score[attribute, pending] = 0.5  # can perhaps be cut below the median
            score[attribute, possible] = least
        return score


class _Level:
    """The partitions of one level of the recursion, their records lying one partition after the other."""

    def __init__(self, table: Microdata, rows: np.ndarray, offsets: np.ndarray) -> None:
        self.table = table
        self.rows = rows
        self.offsets = offsets
        self.qi = table.qi_codes[:, rows]
        self.sensitive = table.sensitive_codes[:, rows]
        self.domains, self.totals = table.sensitive_domains, table.totals()
        self.qi_domains = table.qi_domains
        self.trees = [domain.hierarchy for domain in self.qi_domains]
        self._look()

    def _look(self) -> None:
        self.is_tree = np.array([tree is not None for tree in self.trees])
        self.n = len(self.offsets) - 1
        self.low = np.empty((len(self.qi), self.n), dtype=np.int32)
        self.high = np.empty_like(self.low)
        for codes, low, high in zip(self.qi, self.low, self.high):
            extents(self.offsets, codes, low, high)
        self.part = np.empty(len(self.rows), dtype=np.int32)
        # Node of each partition per attribute with a hierarchy: asked for at every try to cut, and looked up once.
        self.nodes = [None if tree is None else tree.lca(*ends) for tree, *ends in zip(self.trees, self.low, self.high)]

    def children(self, order: np.ndarray, offsets: np.ndarray) -> _Level:
        """The next level: the parts that ``order`` arranges."""
        # Not by the constructor: the parent's codes are already gathered, and lie closer together than the table's.
        child = object.__new__(_Level)
        child.table, child.domains, child.totals = self.table, self.domains, self.totals
        child.qi_domains, child.trees = self.qi_domains, self.trees
        child.rows, child.offsets = self.rows[order], offsets
        child.qi, child.sensitive = gather(self.qi, order), gather(self.sensitive, order)
        child._look()
        return child

    def distinct(self) -> np.ndarray:
        """Distinct values per attribute and partition."""
        out = np.empty((len(self.qi), self.n), dtype=np.int64)
        for codes, domain, row in zip(self.qi, self.qi_domains, out):
            distinct_values(self.offsets, codes, len(domain), row)
        return out

    def ranges(self) -> np.ndarray:
        """Width per attribute and partition: by coordinate for ordered attributes, by leaves or values for others."""
        out = np.empty((len(self.qi), self.n))
        for i, domain in enumerate(self.qi_domains):
            low, high = self.low[i], self.high[i]
            if domain.hierarchy is not None:
                out[i] = domain.hierarchy.leaf_counts[self.nodes[i]] - 1
            elif domain.kind == "ordered":
                out[i] = domain.coordinates[high] - domain.coordinates[low]
            else:
                count = np.empty(self.n, dtype=np.int64)
                distinct_values(self.offsets, self.qi[i], len(domain), count)
                out[i] = count - 1
        return out

    def propose(self, pending: np.ndarray, choice: np.ndarray, how: int) -> np.ndarray:
        """Divide each pending partition along its chosen attribute into :attr:`part`; return the number of parts."""
        n_parts = np.zeros(self.n, dtype=np.int64)
        for i, domain in enumerate(self.qi_domains):
            chosen = pending[choice[pending] == i]
            if not len(chosen):
                continue
            if domain.hierarchy is not None:
                tree = domain.hierarchy
                level = tree.node_level[self.nodes[i]]
                specialize(
                    self.offsets, chosen, self.qi[i], tree.ancestors, level, len(tree.labels), self.part, n_parts
                )
            else:
                halve(self.offsets, chosen, self.qi[i], self.low[i], self.high[i], how, len(domain), self.part, n_parts)
        return n_parts
