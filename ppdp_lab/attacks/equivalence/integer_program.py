"""Integer programs over the person and value matrices: the smallest equivalence, and what a leak exposes.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ppdp_lab.attacks.equivalence.matrices import SOLVER_SLACK, Correspondence, EquivalenceAttack
from ppdp_lab.errors import IdError, ParameterError, listed


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
