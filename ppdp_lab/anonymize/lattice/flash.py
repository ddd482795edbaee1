"""Flash: paths through the lattice, each one searched by halving."""

from __future__ import annotations

from ppdp_lab.anonymize.base import ANONYMIZERS
from ppdp_lab.anonymize.lattice.base import Check, LatticeSearch
from ppdp_lab.anonymize.lattice.nodes import Lattice


@ANONYMIZERS.add(
    accepts="a table with a hierarchy for every quasi-identifier that is text; any rule",
    promises="all full-domain generalizations that keep the rule",
    paper="Kohlmayer et al., PASSAT 2012",
)
class Flash(LatticeSearch):
    """Bottom-up, breadth-first start nodes, and a binary search on a path from each one to the top [1]_, [2]_.

    Nodes are taken height by height. From each node that is not tagged yet a path is built: always on to the preferred
    successor that is not tagged, until there is none. Of two nodes the one is preferred that (a) is lower, (b) generalizes
    its quasi-identifiers less on average, (c) keeps more distinct values on average. Along a path the rule fails up to
    some node and holds from there on, so a binary search finds the border; every check tags the whole lattice.

    Parameters
    ----------
    rule, suppression, metric, candidates, rollup, history, projection, smallest
        See :class:`~ppdp_lab.anonymize.lattice.base.LatticeSearch`.

    References
    ----------
    .. [1] F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. Kuhn, "Flash: efficient, stable and optimal k-anonymity",
       PASSAT 2012.
    .. [2] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015,
       section 6.1.2.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 24, 38, 33], "zip": ["4370", "4371", "4378", "4352"], "ill": list("abab")})
    >>> trees = {"age": pl.Hierarchy.intervals(range(20, 40), [10]), "zip": pl.Hierarchy.mask_suffix(frame["zip"], 3)}
    >>> table = pl.Microdata(frame, pl.Schema(["age", "zip"], sensitive="ill"), trees)
    >>> found = Flash(pl.KAnonymity(2)).search(table)
    >>> found.minimal, found.best, found.checks
    ([(1, 2)], (1, 2), 6)
    >>> Flash(pl.KAnonymity(2), suppression=0.5).anonymize(table).to_frame()
            age   zip ill
    0  [20, 29]  437*   a
    1  [20, 29]  437*   b
    """

    def _traverse(self, lattice: Lattice, check: Check) -> None:
        for height in range(lattice.max_height + 1):
            for node in lattice.unknown(height):
                path = lattice.path(node)
                low, high = 0, len(path) - 1
                while low <= high:
                    # The thesis rounds up: of the eight nodes on its first path it checks the fifth first.
                    middle = (low + high + 1) // 2
                    holds = check(path[middle])
                    lattice.tag(path[middle], holds)
                    if holds:
                        high = middle - 1
                    else:
                        low = middle + 1
