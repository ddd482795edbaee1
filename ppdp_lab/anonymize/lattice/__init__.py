"""Full-domain search: all values of a quasi-identifier are generalized to one level of its hierarchy.

The switches ``projection``, ``rollup`` and ``history`` are the optimizations of section 6.3 of [1]_. The node check departs
from the thesis in five ways, none of which changes what is found:

*Distinct rows as base.* The thesis rolls up from an earlier check, and where there is none it scans the rows. Here every
distinct row is counted once before the search, and a node with no snapshot below it is rolled up from these; they are never
dropped and not charged to the history. Not with ``history=0``, which leaves the thesis's bare roll-up.

*A check of one field first.* Rows are packed into a few fields of one or more quasi-identifiers. Before anything is
scanned, the classes that each field would form alone are looked at, which are few and were counted with the field's look-up
table: if too many records lie in small ones the node fails, as what fails for some quasi-identifiers fails for all (the
subset property of Incognito). With ``rollup`` only; such a check counts as rolled up and adds nothing to the rows scanned.

*Stepwise check.* If the nearest snapshot is large, it is first rolled up to a node as far below the wanted one as leaves,
by an estimate, a quarter of its classes at most; that snapshot is kept, and the wanted node counted from it. The nodes
that are checked next lie near by and find it. Not with ``history=0`` either.

*History measured in classes.* The thesis keeps a fixed number of snapshots, whatever their size, and drops the one that was
not used for the longest time. Here the budget is a number of classes, so that many small snapshots may take the place of
a large one. A checked node's snapshot is kept only if it has at most half as many classes as what it was counted from
and, under a monotone rule, only if the node fails: nothing above a solution is checked any more.

*Checks divided when it pays.* Speedy of the thesis divides every check into as many equal parts as there are threads. Here
a check with few rows or classes is counted by one thread, unless :class:`Speedy` is told to ``divide="always"``; and a
thread that is done with its part takes pieces of the others'.

References
----------
.. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
   algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015,
   section 6.3.
"""

from ppdp_lab.anonymize.lattice.base import LatticeSearch, SmallestClasses
from ppdp_lab.anonymize.lattice.flash import Flash
from ppdp_lab.anonymize.lattice.incognito import Incognito
from ppdp_lab.anonymize.lattice.nodes import Lattice, SearchResult
from ppdp_lab.anonymize.lattice.samarati import Samarati
from ppdp_lab.anonymize.lattice.speedy import Speedy

__all__ = ["Flash", "Incognito", "Lattice", "LatticeSearch", "Samarati", "SearchResult", "SmallestClasses", "Speedy"]
