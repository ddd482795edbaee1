"""Incognito: lattices of ever larger subsets of the quasi-identifiers."""

from __future__ import annotations

from itertools import combinations

from ppdp_lab.anonymize.base import ANONYMIZERS
from ppdp_lab.anonymize.lattice.base import Check, LatticeSearch
from ppdp_lab.anonymize.lattice.nodes import FAILS, Lattice


@ANONYMIZERS.add(
    accepts="a table with a hierarchy for every quasi-identifier that is text; any rule",
    promises="all full-domain generalizations that keep the rule",
    paper="LeFevre et al., SIGMOD 2005",
)
class Incognito(LatticeSearch):
    """Breadth-first search of the lattice of every subset of quasi-identifiers, the smallest subsets first [1]_, [2]_.

    Leaving out a quasi-identifier merges classes, just as generalizing it to the top does, so levels at which the rule
    fails for some of the quasi-identifiers fail for all supersets (subset property): these nodes of larger lattices are
    excluded without a check. Within a lattice, what is above a node that satisfies the rule is tagged. With rules other
    than k-anonymity this is l-diversity Incognito, t-closeness Incognito and the (alpha, k) variant eIncognito.

    Parameters
    ----------
    rule, suppression, metric, candidates, rollup, history, projection, smallest
        See :class:`~ppdp_lab.anonymize.lattice.base.LatticeSearch`.

    References
    ----------
    .. [1] K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005.
    .. [2] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015,
       sections 5.1.2, 5.2.1, 6.1.1.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 24, 38, 33], "zip": ["4370", "4371", "4378", "4352"]})
    >>> trees = {"age": pl.Hierarchy.intervals(range(20, 40), [10]), "zip": pl.Hierarchy.mask_suffix(frame["zip"], 2)}
    >>> found = Incognito(pl.KAnonymity(2)).search(pl.Microdata(frame, pl.Schema(["age", "zip"]), trees))
    >>> found.checked
    [(0, None), (1, None), (None, 0), (None, 1), (None, 2), (1, 2)]
    >>> found.solutions
    [(1, 2), (2, 2)]
    """

    def _traverse(self, lattice: Lattice, check: Check) -> None:
        everything = tuple(range(len(lattice.shape)))
        smaller: dict[tuple[int, ...], Lattice] = {}
        for size in range(1, len(everything) + 1):
            searched = {}
            for subset in combinations(everything, size):
                part = lattice if subset == everything else Lattice([lattice.distinct[i] for i in subset])
                for axis in range(size):
                    without = smaller.get(subset[:axis] + subset[axis + 1 :])
                    if without is not None:
                        part.exclude(without.state == FAILS, axis)
                self._breadth_first(part, subset, lattice, check)
                searched[subset] = part
            smaller = searched

    def _breadth_first(self, part: Lattice, subset: tuple[int, ...], whole: Lattice, check: Check) -> None:
        """Search the lattice of a subset; the quasi-identifiers left out are generalized to the top."""
        for height in range(part.max_height + 1):
            for levels in part.unknown(height):
                at = dict(zip(subset, levels))
                node = tuple(at.get(i, top) for i, top in enumerate(whole.top))
                shown = tuple(at.get(i) for i in range(len(whole.top)))
                part.tag(levels, check(node, shown))
