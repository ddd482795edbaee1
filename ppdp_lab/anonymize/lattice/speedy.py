"""Speedy: Flash whose node check is split over threads."""

from __future__ import annotations

from typing import Annotated, Any

from ppdp_lab.anonymize.base import ANONYMIZERS
from ppdp_lab.anonymize.lattice.checker import DIVIDE, WHEN_IT_PAYS
from ppdp_lab.anonymize.lattice.flash import Flash
from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.principles import Principle
from ppdp_lab.registry import OneOf, Within


@ANONYMIZERS.add(
    accepts="a table with a hierarchy for every quasi-identifier that is text; any rule",
    promises="what Flash finds, the rows of every check being divided among threads",
    paper="Chatzopoulos, thesis 2015",
)
class Speedy(Flash):
    """Flash with the rows of every check divided among threads [1]_.

    Nodes are checked in Flash's order. For a check the rows, or the classes that are rolled up, are cut into one slice per
    thread; each thread generalizes its slice and counts the combinations in it; then the counts are merged. The result does
    not depend on the number of threads, nor on which checks are divided. Threads outlive a search: the next one finds them
    started, asleep.

    The thesis divides every check into n equal parts. Here that is ``divide="always"``, with two departures: whoever is done
    early helps the others, so that nobody waits for a thread that a busy machine keeps from its core; and with roll-up a
    check that one field decides has nothing to divide. By default small inputs are counted by one thread, as calling others
    would take longer: with roll-up most checks are small, so the gain is largest without. ``divided`` of a search's result
    says how many checks were divided. :mod:`ppdp_lab.anonymize.lattice` names the other departures from the thesis.

    Parameters
    ----------
    rule
        What every published class must satisfy.
    threads : int, optional
        The thesis's n; as many as the machine has cores unless given.
    divide : {"when it pays", "always"}
        Whether a check is divided if it has rows, or classes, enough to make it faster, among no more threads than there
        are cores; or, as in the thesis, whenever there is at least one for each of the ``threads``, whatever it costs.
    **switches
        suppression, metric, candidates, rollup, history, projection, smallest: see
        :class:`~ppdp_lab.anonymize.lattice.base.LatticeSearch`.

    References
    ----------
    .. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015,
       section 6.2.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 24, 38, 33]})
    >>> table = pl.Microdata(frame, pl.Schema("age"), {"age": pl.Hierarchy.intervals(range(20, 40), [5, 10])})
    >>> Speedy(pl.KAnonymity(2), threads=2).search(table).solutions
    [(2,), (3,)]
    >>> found = Speedy(pl.KAnonymity(2), threads=2, divide="always", rollup=False).search(table)
    >>> found.solutions, found.checks, found.divided
    ([(2,), (3,)], 2, 2)
    """

    def __init__(
        self,
        rule: Principle,
        *,
        threads: Annotated[int, Within(at_least=1, at_most=1024)] | None = None,
        divide: Annotated[str, OneOf(*DIVIDE)] = WHEN_IT_PAYS,
        **switches: Any,
    ) -> None:
        super().__init__(rule, **switches)
        self.threads = CORES if threads is None else threads
        self.divide = divide
