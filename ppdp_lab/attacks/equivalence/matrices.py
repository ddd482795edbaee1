"""Person and value matrices: which persons hold, between them, which sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.equivalence.memberships import Memberships, Named
from ppdp_lab.errors import ParameterError
from ppdp_lab.forms import Published
from ppdp_lab.registry import OneLine

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
