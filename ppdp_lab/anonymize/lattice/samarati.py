"""Samarati's search: halving the height of the lattice."""

from __future__ import annotations

from ppdp_lab.anonymize.base import ANONYMIZERS
from ppdp_lab.anonymize.lattice.base import Check, LatticeSearch
from ppdp_lab.anonymize.lattice.nodes import Lattice


@ANONYMIZERS.add(
    accepts="a table with a hierarchy for every quasi-identifier that is text; any rule",
    promises="the lowest full-domain generalizations that keep the rule",
    paper="Samarati, TKDE 2001",
)
class Samarati(LatticeSearch):
    """Binary search for the least height at which some node satisfies the rule [1]_, [2]_.

    If no node of some height satisfies the rule, none below does; so the least height with a solution is found by
    halving, and all its nodes are checked then. The minimal solutions that this finds are those of least height; there
    may be others further up, of which the search says nothing, so a result need not be complete.

    Parameters
    ----------
    rule, suppression, metric, candidates, rollup, history, projection, smallest
        See :class:`~ppdp_lab.anonymize.lattice.base.LatticeSearch`. The paper's MaxSup is ``suppression`` in records.

    References
    ----------
    .. [1] P. Samarati, "Protecting respondents' identities in microdata release", IEEE TKDE 13(6), 2001.
    .. [2] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015,
       section 5.1.1.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 24, 38, 33], "zip": ["4370", "4371", "4378", "4352"]})
    >>> trees = {"age": pl.Hierarchy.intervals(range(20, 40), [10]), "zip": pl.Hierarchy.mask_suffix(frame["zip"], 2)}
    >>> found = Samarati(pl.KAnonymity(2)).search(pl.Microdata(frame, pl.Schema(["age", "zip"]), trees))
    >>> found.minimal, sum(found.best)
    ([(1, 2)], 3)
    """

    def _traverse(self, lattice: Lattice, check: Check) -> None:
        low, high = 0, lattice.max_height
        while low < high:
            middle = (low + high) // 2
            if self._some_node_holds(lattice, middle, check):
                high = middle
            else:
                low = middle + 1
        for node in lattice.unknown(low):
            lattice.tag(node, check(node))
        least = lattice.solutions(low)
        lattice.forget_solutions()  # further up, of some it is known and of others not
        for node in least:
            lattice.tag(node, True)

    def _some_node_holds(self, lattice: Lattice, height: int, check: Check) -> bool:
        """Check the nodes of one height until one satisfies the rule."""
        if lattice.solutions(height):
            return True
        for node in lattice.unknown(height):
            holds = check(node)
            lattice.tag(node, holds)
            if holds:
                return True
        return False

    def _exhaust(self, lattice: Lattice, check: Check) -> None:
        """Without monotonicity a height without solutions says nothing about lower ones: search from below."""
        for height in range(lattice.max_height + 1):
            for node in lattice.unknown(height):
                lattice.mark(node, check(node))
            if lattice.solutions(height):
                return
