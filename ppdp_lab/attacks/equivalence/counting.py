"""Counting the persons that small equivalences compromise, in series of any size.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.equivalence._class_pairs import give_away
from ppdp_lab.attacks.equivalence.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.equivalence.memberships import Memberships, Named
from ppdp_lab.attacks.inputs import check_series
from ppdp_lab.attacks.registry import ATTRIBUTE, SERIES, attack
from ppdp_lab.attacks.results import AttackResult
from ppdp_lab.errors import check_integer
from ppdp_lab.forms import Published

EXACT, AT_LEAST, AT_MOST = "exact", "at least", "at most"


@dataclass(frozen=True, eq=False)
class Compromised(AttackResult):
    """Persons that are part of an equivalence attack with fewer than e persons per side.

    Attributes
    ----------
    ids : pandas.Index
    breached : array of bool
    e : int
    count_is : {"exact", "at least", "at most"}
        How the number of breached persons relates to the true one.
    """

    ids: pd.Index
    breached: np.ndarray
    e: int
    count_is: str

    unit = "person"

    def to_frame(self) -> pd.DataFrame:
        """One row per person."""
        return self._per_person(self.ids)

    def __str__(self) -> str:
        how = "" if self.count_is == EXACT else f"{self.count_is} "
        return f"equivalence: {how}{self._tally()} are part of an equivalence of fewer than {self.e} persons per side."


@attack(
    "value equivalence",
    sees=SERIES,
    discloses=ATTRIBUTE,
    knows="everybody's group in each release; then the value of one person gives away that of others",
    breaks="m-invariance; e-equivalence closes it",
    paper="He et al., ICDE 2011",
    needs_background=True,
    needs_groups=True,
    settings={"e": 2},
    variants=(
        "equivalence.chains",
        "equivalence.compromised_over_time",
        "equivalence.equal_values",
        "equivalence.exposed_by",
        "equivalence.minimum_equivalence",
    ),
)
def compromised(
    series: Sequence[Published], background: Background, *, e: int, counterfeits: Named | None = None
) -> Compromised:
    """Persons that some equivalence of fewer than e persons a side involves, in an m-invariant series.

    For merged buckets a person whose edge is (i, j) is compromised if nodes i and j of the bucket graph are separated by a
    cut of at most 2 (e - 1). That is exact while 2 (e - 1) < m, since no bucket then changes its height across the cut,
    and else an upper bound. For fine partitions an exact count is out of reach; persons are counted whom the composition
    of two classes with equal values gives away, or a cut of the merged buckets: a lower bound. Somebody who left and
    came back counts as compromised in merged buckets, and makes the count an upper bound.

    Parameters
    ----------
    series : sequence of Published
    background : Background
        With known groups: ``Background.worst_case(releases)``.
    e : int
    counterfeits : optional
        Which counterfeits are the same over the series, from ``named_counterfeits(releases)``; else each row that is no
        person's counts as a stranger of its own.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [35, 49, 45], "disease": ["cancer", "flu", "flu"]}, index=["Alice", "Bob", "Greg"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> releases = [pl.Release(table.select([0, who]), np.array([0, 0])) for who in (1, 2)]
    >>> print(compromised([r.published() for r in releases], Background.worst_case(releases), e=2))
    equivalence: at most 3 of 3 persons are part of an equivalence of fewer than 2 persons per side.
    """
    *_, last = _over_time(series, background, e, counterfeits)
    return last


def compromised_over_time(
    series: Sequence[Published], background: Background, *, e: int, counterfeits: Named | None = None
) -> pd.DataFrame:
    """Number of compromised persons after each release, counted over the releases up to it (Figure 6 of [1]_).

    Columns: ``release`` (counted from 0), ``compromised``, ``count_is`` ("exact", "at least" or "at most").
    """
    rows = [
        {"release": number, "compromised": found.n_breached, "count_is": found.count_is}
        for number, found in enumerate(_over_time(series, background, e, counterfeits))
    ]
    return pd.DataFrame(rows)


def _over_time(
    series: Sequence[Published], background: Background, e: int, counterfeits: Named | None
) -> Iterator[Compromised]:
    check_integer("e", e, at_least=2)
    series, background = check_series(series, background)
    graphs = BucketGraphs.of(series, background, counterfeits=counterfeits)
    limit = 2 * (e - 1)
    persons = slice(background.n_persons)
    returned = graphs.bucket[persons] < 0
    sharp = limit < graphs.fewest_values and not (graphs.bucket < 0).any()
    tuples = Memberships.of(series, background, counterfeits)
    found = np.zeros(tuples.n, dtype=bool)
    fewer_than = min(e, tuples.n + 1)  # no two classes differ in more than everybody
    for number, compositions in enumerate(tuples.composed()):
        cut = graphs.after(number + 1).cut_of_tuples()[persons]
        by_cut = (cut >= 0) & (cut <= limit)
        if graphs.merged:
            here = returned & (graphs.came[persons] <= number + 1)
            yield Compromised(background.ids, by_cut | here, e, EXACT if sharp else AT_MOST)
        else:
            for compared in compositions:
                give_away(*[*compared, fewer_than, found])
            by_pair = found[persons]
            yield Compromised(background.ids, by_pair | by_cut if sharp else by_pair.copy(), e, AT_LEAST)
