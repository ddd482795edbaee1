"""Person and value matrices: which persons hold, between them, which sensitive values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import Bounds, LinearConstraint, milp

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.memberships import Memberships, Named
from ppdp_lab.errors import IdError, ParameterError, listed
from ppdp_lab.release.forms import Published
from ppdp_lab.text import OneLine

SOLVER_SLACK = 1e-6  # how far from a whole number, or from 0, a linear solver's answer may be


@dataclass(frozen=True)
class EquivalenceAttack(OneLine):
    """The persons on both sides have, as multisets, the same sensitive values (Definition 10 of [1]_).

    Attributes
    ----------
    weights : tuple of float
        W: how often each row of the matrices is added.
    left, right : tuple of str
        The persons; one who counts twice is named twice.

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
    """

    weights: tuple[float, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def e(self) -> int:
        """Persons on either side; the fewer, the worse."""
        return len(self.left)

    def __str__(self) -> str:
        sides = [", ".join(side) for side in (self.left, self.right)]
        return f"{sides[0]} = {sides[1]}" if self.e == 1 else f"{{{sides[0]}}} = {{{sides[1]}}}"


@dataclass(frozen=True, eq=False)
class Correspondence(OneLine):
    """What the groups of a series say, one row each (Definitions 7 and 9 of [1]_).

    Attributes
    ----------
    persons : array, groups by persons
        Person matrix S: who is in which group.
    values : array, groups by values
        Value matrix U: how often a value occurs in it.
    names, labels : list of str
        The persons (counterfeits and strangers among them), and the values.
    rows : list of (int, int)
        Release and group of each row.

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [35, 49, 45], "disease": ["cancer", "flu", "flu"]}, index=["Alice", "Bob", "Greg"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> releases = [pl.Release(table.select([0, who]), np.array([0, 0])) for who in (1, 2)]
    >>> both = Correspondence.of([r.published() for r in releases], Background.worst_case(releases))
    >>> both.persons.tolist(), both.values.tolist()
    ([[1, 1, 0], [1, 0, 1]], [[1, 1], [1, 1]])
    >>> print(both.attack([1, -1]))
    Bob = Greg
    """

    persons: np.ndarray
    values: np.ndarray
    names: list[str]
    labels: list[str]
    rows: list[tuple[int, int]]

    @classmethod
    def of(
        cls, series: Sequence[Published], background: Background, *, counterfeits: Named | None = None
    ) -> Correspondence:
        """The matrices of a series, for an adversary who knows everybody's group; meant for small series.

        Rows of a group that belong to no person are strangers, each in one release only, unless ``counterfeits``
        (:func:`named_counterfeits`) tells which are the same.
        """
        tuples = Memberships.of(series, background, counterfeits)
        domain = tuples.domain
        sizes = [release.n_groups for release in tuples.series]
        begin = np.r_[0, np.cumsum(sizes)]
        persons = np.zeros((begin[-1], tuples.n), dtype=np.int64)
        values = np.zeros((begin[-1], len(domain)), dtype=np.int64)
        for start, (who, groups), counted in zip(begin, tuples.present, tuples.histograms()):
            persons[start + groups, who] = 1
            values[start + counted.cell_class, counted.values] = counted.counts
        rows = [(number, group) for number, size in enumerate(sizes) for group in range(size)]
        return cls(persons, values, tuples.labels(), domain.labels.tolist(), rows)

    def to_frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """S and U with names."""
        index = pd.MultiIndex.from_tuples(self.rows, names=["release", "group"])
        return (
            pd.DataFrame(self.persons, index=index, columns=self.names),
            pd.DataFrame(self.values, index=index, columns=self.labels),
        )

    def take(self, rows: Sequence[int]) -> Correspondence:
        """Some rows, and the persons that occur in them."""
        rows = list(rows)
        columns = np.flatnonzero((self.persons[rows] != 0).any(axis=0))
        return Correspondence(
            self.persons[rows][:, columns],
            self.values[rows],
            [self.names[c] for c in columns],
            self.labels,
            [self.rows[r] for r in rows],
        )

    def buckets(self) -> list[Correspondence]:
        """P_i and Q_i: the rows whose values are in the same proportions, in the order of the series."""
        unit = np.gcd.reduce(self.values, axis=1)
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, row in enumerate(self.values // np.maximum(unit, 1)[:, None]):
            groups.setdefault(tuple(row.tolist()), []).append(i)
        return [self.take(rows) for rows in groups.values()]

    def delta(self) -> Correspondence:
        """P' and Q': each row less the one before it. For the rows of one merged bucket, one row per release."""
        numbers = [release for release, _ in self.rows]
        if numbers != sorted(set(numbers)):
            raise ParameterError("delta encoding needs one group per release, as merged buckets have; see buckets()")
        first = np.zeros((1, 1), dtype=np.int64)
        persons = np.diff(self.persons, axis=0, prepend=np.broadcast_to(first, (1, self.persons.shape[1])))
        values = np.diff(self.values, axis=0, prepend=np.broadcast_to(first, (1, self.values.shape[1])))
        return Correspondence(persons, values, self.names, self.labels, self.rows)

    def attack(self, weights: Any) -> EquivalenceAttack:
        """What an attack's weights W say; refuses weights that are no attack."""
        w = np.asarray(weights, dtype=float)
        if w.shape != (len(self.rows),):
            raise ParameterError(f"{len(self.rows)} rows need as many weights, not {w.shape}")
        if np.abs(w @ self.values).max(initial=0) > SOLVER_SLACK:
            raise ParameterError("these weights are no attack: the values do not cancel (W U is not zero)")
        times = w @ self.persons
        whole = np.round(times).astype(np.int64)
        if np.abs(times - whole).max(initial=0) > SOLVER_SLACK:
            raise ParameterError("these weights are no attack: a person would count in parts (W S is not whole)")
        if not whole.any():
            raise ParameterError("these weights are no attack: all persons cancel (W S is zero)")
        left, right = (
            tuple(self.names[i] for i in np.flatnonzero(side > 0) for _ in range(side[i])) for side in (whole, -whole)
        )
        return EquivalenceAttack(tuple(float(x) for x in w), left, right)


def plain_weights(delta: Any) -> np.ndarray:
    """Weights for the rows of a bucket from weights for its delta-encoded rows: w_i - w_(i+1), with 0 after the last.

    The running sums that Lemma 4 of [1]_ gives are wrong.

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.

    >>> plain_weights([1, 0, 1]).tolist()
    [1, -1, 1]
    """
    return -np.diff(np.asarray(delta), append=0)


def delta_weights(plain: Any) -> np.ndarray:
    """Weights for the delta-encoded rows from those for the plain ones: sums from each row to the last.

    >>> delta_weights([1, -1, 1]).tolist()
    [1, 0, 1]
    """
    return np.cumsum(np.asarray(plain)[::-1])[::-1]


# --------------------------------------------------------------------
# Integer programs over the person and value matrices: the smallest equivalence, and what a leak exposes.
#
# References
# ----------
# .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.


def minimum_equivalence(both: Correspondence, *, person: str | None = None) -> EquivalenceAttack | None:
    """The equivalence attack with the fewest persons, by integer programming; None if there is no attack at all.

    Minimizes |W S| / 2 over real weights W with W U = 0 and W S whole and not zero (Definition 10 of [1]_), which is
    NP-hard (Theorem 1): for small series.

    Parameters
    ----------
    both : Correspondence
        Person and value matrices.
    person : str, optional
        Only attacks that involve this person.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> from ppdp_lab.attacks import Background
    >>> frame = pd.DataFrame({"age": [35, 49, 45], "disease": ["cancer", "flu", "flu"]}, index=["Alice", "Bob", "Greg"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> releases = [pl.Release(table.select([0, who]), np.array([0, 0])) for who in (1, 2)]
    >>> both = Correspondence.of([r.published() for r in releases], Background.worst_case(releases))
    >>> print(minimum_equivalence(both)), minimum_equivalence(both, person="Alice")
    Bob = Greg
    (None, None)
    """
    columns, inverse, times = np.unique(both.persons, axis=1, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    if person is not None:
        if person not in both.names:
            raise IdError(f"no person {person!r} in these matrices")
        wanted = [int(inverse[both.names.index(person)])]
    else:
        wanted = np.argsort(times, kind="stable").tolist()
    n_rows, n_columns = columns.shape
    # Variables: W, x = W S of each kind of person, and a >= |x|, which is what is paid for.
    eye, none = np.eye(n_columns), np.zeros((n_columns, n_rows))
    persons_agree = LinearConstraint(np.hstack([columns.T, -eye, np.zeros_like(eye)]), 0, 0)
    values_cancel = LinearConstraint(np.hstack([both.values.T, np.zeros((both.values.shape[1], 2 * n_columns))]), 0, 0)
    above = LinearConstraint(np.hstack([none, -eye, eye]), 0, np.inf)
    below = LinearConstraint(np.hstack([none, eye, eye]), 0, np.inf)
    cost = np.r_[np.zeros(n_rows + n_columns), times]
    whole = np.r_[np.zeros(n_rows), np.ones(n_columns), np.zeros(n_columns)]
    best, weights = np.inf, None
    for kind in wanted:
        low = np.r_[np.full(n_rows + n_columns, -np.inf), np.zeros(n_columns)]
        low[n_rows + kind] = 1
        constraints = [persons_agree, values_cancel, above, below]
        if weights is not None:  # both sides are equally large, so a better attack saves two
            constraints.append(LinearConstraint(cost[None, :], -np.inf, best - 2))
        found = _cheapest(cost, whole, low, constraints, len(both.names), best - 2)
        if found is not None:
            best, weights = round(cost @ found), found[:n_rows]
    return None if weights is None else both.attack(_tidy(weights, both.persons))


def _cheapest(
    cost: np.ndarray,
    whole: np.ndarray,
    low: np.ndarray,
    constraints: list[LinearConstraint],
    reach: float,
    limit: float,
) -> np.ndarray | None:
    """The cheapest solution whose ``whole`` variables are whole numbers, none of which costs less than itself.

    The solver may search for ever among numbers without bounds. So they are bounded, ever more widely until there is a
    solution; once it costs no more than the bound, no larger number can be part of a cheaper one. There is one if there
    is one with fractions, as multiples of a solution are solutions, unless ``limit`` bounds the cost.
    """
    if milp(cost, bounds=Bounds(low, np.inf), constraints=constraints).x is None:
        return None
    while True:
        reach = min(reach, limit)
        edge = np.where(whole, reach, np.inf)
        found = milp(cost, integrality=whole, bounds=Bounds(np.maximum(low, -edge), edge), constraints=constraints)
        if found.x is not None and found.fun <= reach + SOLVER_SLACK:
            return found.x
        if reach >= limit:
            return None
        reach = 10 * reach if found.x is None else max(found.fun, 2 * reach)


def _tidy(weights: np.ndarray, persons: np.ndarray) -> np.ndarray:
    """Whole numbers where the solver meant them, and the first person involved on the left."""
    whole = np.round(weights)
    weights = whole if np.abs(whole - weights).max(initial=0) < SOLVER_SLACK else weights
    times = np.round(weights @ persons)
    return weights * np.sign(times[np.flatnonzero(times)[0]]) + 0.0


def exposed_by(both: Correspondence, known: Mapping[str, Any]) -> dict[str, str]:
    """What else is certain once the sensitive values of some persons are known: {person: value}.

    Everybody whose value is the same in all assignments of values to persons that fit the groups and what is known. An
    integer program per person, hence for small series.

    Parameters
    ----------
    both : Correspondence
    known : dict of person to value
        What leaked; empty to ask what the series itself gives away.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> from ppdp_lab.attacks import Background
    >>> frame = pd.DataFrame({"age": [35, 49, 45], "disease": ["cancer", "flu", "flu"]}, index=["Alice", "Bob", "Greg"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> releases = [pl.Release(table.select([0, who]), np.array([0, 0])) for who in (1, 2)]
    >>> both = Correspondence.of([r.published() for r in releases], Background.worst_case(releases))
    >>> exposed_by(both, {}), exposed_by(both, {"Bob": "flu"})
    ({}, {'Alice': 'cancer', 'Greg': 'flu'})
    """
    n, n_values = len(both.names), len(both.labels)
    cost, low, high = np.zeros(n * n_values), np.zeros((n, n_values)), np.ones((n, n_values))
    for person, value in known.items():
        if person not in both.names or str(value) not in both.labels:
            raise IdError(f"no person {person!r} or no value {value!r} in these matrices")
        low[both.names.index(person), both.labels.index(str(value))] = 1
    one_each = LinearConstraint(np.kron(np.eye(n), np.ones((1, n_values))), 1, 1)
    groups = np.kron(both.persons, np.eye(n_values))
    rows = LinearConstraint(groups, both.values.ravel(), both.values.ravel())

    def solve() -> np.ndarray | None:
        found = milp(
            cost, integrality=np.ones(len(cost)), bounds=Bounds(low.ravel(), high.ravel()), constraints=[one_each, rows]
        )
        return None if found.x is None else found.x.reshape(n, n_values).argmax(axis=1)

    first = solve()
    if first is None:
        raise ParameterError(f"no assignment of values fits the series and {listed(known.items())}")
    open_ = {i for i in range(n) if both.names[i] not in known}
    certain = {}
    while open_:
        i = min(open_)
        high[i, first[i]] = 0
        other = solve()
        high[i, first[i]] = 1
        if other is None:
            certain[both.names[i]] = both.labels[first[i]]
            open_.remove(i)
        else:
            open_ = {k for k in open_ if other[k] == first[k]}
    return dict(sorted(certain.items(), key=lambda item: both.names.index(item[0])))
