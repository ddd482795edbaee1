"""The equivalence attack: persons who provably share one sensitive value, over a series of releases.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ppdp_lab.attacks._class_pairs import equal_pairs, give_away
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.base import ATTRIBUTE, SERIES, AttackResult, attack
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.inputs import check_series
from ppdp_lab.attacks.matrices import Correspondence
from ppdp_lab.attacks.memberships import Memberships, Named
from ppdp_lab.errors import check_choice, check_integer
from ppdp_lab.release.forms import Published


@dataclass(frozen=True, eq=False)
class Chains(AttackResult):
    """Who provably shares a value with whom.

    Attributes
    ----------
    ids : pandas.Index
    set_of : array of int
        Number of each person's set; persons of one set have the same value.
    complete : bool
        Whether these are all the equalities that the series implies.
    """

    ids: pd.Index
    set_of: np.ndarray
    complete: bool

    unit = "person"

    @property
    def sizes(self) -> np.ndarray:
        """Persons in each person's set: so many values are known once one of them leaks."""
        return np.bincount(self.set_of)[self.set_of] if len(self.set_of) else self.set_of

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Persons who are not alone in their set."""
        return self.sizes > 1

    def sets(self) -> list[tuple[str, ...]]:
        """The sets of two or more persons."""
        found: dict[int, list[str]] = {}
        for i in np.flatnonzero(self.breached):
            found.setdefault(int(self.set_of[i]), []).append(str(self.ids[i]))
        return [tuple(names) for names in found.values()]

    def picture(self) -> tuple[str, np.ndarray]:
        """How many persons share a value with each."""
        return "persons known to share the value", self.sizes

    def to_frame(self) -> pd.DataFrame:
        """One row per person."""
        return self._per_person(self.ids, set=self.set_of, size=self.sizes)

    def __str__(self) -> str:
        at_least = "" if self.complete else "at least "
        largest = int(self.sizes.max(initial=0))
        return (
            f"equivalence: {at_least}{self._tally()} provably share their value with somebody; one leak in the largest set "
            f"exposes {largest} persons."
        )


def chains(
    series: Sequence[Published],
    background: Background,
    *,
    counterfeits: Named | None = None,
    method: str = "exact",
) -> Chains:
    """Sets of persons who provably share one value: all attacks with e = 1, chained over the series (section I of [1]_).

    Parameters
    ----------
    series : sequence of Published
    background : Background
        With known groups: ``Background.worst_case(releases)``.
    counterfeits : optional
        Which counterfeits are the same over the series, from ``named_counterfeits(releases)``.
    method : {"exact", "pairs"}
        All equalities that the groups imply, by linear algebra, for up to some hundreds of persons; or those that two
        classes with equal values tell which differ in one person, for series of any size.

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.

    Examples
    --------
    Bob leaves and Greg takes his place beside Alice, then Kate takes Greg's.

    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [35, 49, 45, 40], "disease": ["cancer", "flu", "flu", "flu"]},
    ...                      index=["Alice", "Bob", "Greg", "Kate"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> releases = [pl.Release(table.select([0, who]), np.array([0, 0])) for who in (1, 2, 3)]
    >>> series = [release.published() for release in releases]
    >>> chains(series, Background.worst_case(releases)).sets()
    [('Bob', 'Greg', 'Kate')]
    """
    check_choice("method", method, ("exact", "pairs"))
    tuples = Memberships.of(series, background, counterfeits)
    if method == "exact":
        set_of = equality(Correspondence.of(series, background, counterfeits=counterfeits))
    else:
        one, other = _all_pairs(tuples)
        graph = coo_array((np.ones(len(one), dtype=bool), (one, other)), shape=(tuples.n, tuples.n))
        _, set_of = connected_components(graph, directed=False)
    _, set_of = np.unique(set_of[: background.n_persons], return_inverse=True)
    return Chains(background.ids, set_of, method == "exact")


def equality(both: Correspondence) -> np.ndarray:
    """Number of each person's set of provably equal values.

    Two persons are equal exactly if the difference of their unit vectors is some W S with W U = 0, hence if no vector that
    is orthogonal to all these tells them apart. So one decomposition of the matrices finds all sets at once.
    """
    cancels = _kernel(both.values.T.astype(float))
    free = _kernel(cancels.T @ both.persons)
    projection = np.round(free @ free.T, 6) + 0.0  # unlike a basis, it is unique
    return np.unique(projection, axis=0, return_inverse=True)[1].ravel()


def equal_values(both: Correspondence) -> list[tuple[str, ...]]:
    """Persons who provably share one value, in sets of two or more: all attacks with e = 1, chained.

    As :func:`chains`, from matrices, with counterfeits and strangers among the persons.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> from ppdp_lab.attacks import Background
    >>> frame = pd.DataFrame({"age": [35, 49, 45], "disease": ["cancer", "flu", "flu"]}, index=["Alice", "Bob", "Greg"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> releases = [pl.Release(table.select([0, who]), np.array([0, 0])) for who in (1, 2)]
    >>> equal_values(Correspondence.of([r.published() for r in releases], Background.worst_case(releases)))
    [('Bob', 'Greg')]
    """
    sets: dict[int, list[str]] = {}
    for name, number in zip(both.names, equality(both).tolist()):
        sets.setdefault(number, []).append(name)
    return [tuple(names) for names in sets.values() if len(names) > 1]


def _kernel(matrix: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span what a matrix maps to zero."""
    _, sizes, rows = np.linalg.svd(matrix, full_matrices=True)
    rank = int((sizes > 1e-9 * max(1.0, sizes.max(initial=0.0))).sum())
    return rows[rank:].T


def _all_pairs(tuples: Memberships) -> tuple[np.ndarray, np.ndarray]:
    """Equal tuples from the composition of any two releases."""
    found: list[np.ndarray] = [np.zeros((2, 0), dtype=np.int64)]
    for compared in (one for release in tuples.composed() for one in release):
        pair = np.empty((2, 2 * len(compared[2])), dtype=np.int64)
        found.append(pair[:, : equal_pairs(*compared, *pair)])
    one, other = np.concatenate(found, axis=1)
    return one, other


# --------------------------------------------------------------------
# Counting the persons that small equivalences compromise, in series of any size.


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
        "matrices.exposed_by",
        "matrices.minimum_equivalence",
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
