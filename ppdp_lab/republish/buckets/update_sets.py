"""Candidate update sets over a domain, and the buckets that are known by them.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   sections IV and V-A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import InfeasibleError, listed
from ppdp_lab.republish.buckets._filling import slots_of
from ppdp_lab.republish.buckets.bucketize import excess
from ppdp_lab.table import Domain, group
from ppdp_lab.text import OneLine

MOST_PAIRS = 20_000  # pairs of buckets that are tried for an intersection; a bucket less is never a risk


class UpdateSets:
    """Sets of values, numbered as they turn up: candidate update sets (Definition 12 of [1]_) and what is made of them."""

    def __init__(self, model: UpdateModel, domain: Domain) -> None:
        self.model, self.domain = model, domain
        self._rows: list[np.ndarray] = []
        self._holds = np.zeros((0, len(domain)), dtype=bool)
        self._number: dict[bytes, int] = {}
        self._reach: dict[int, np.ndarray] = {}
        self._of: dict[int, np.ndarray] = {}
        self.reach(1)  # refuses a domain with values that the model does not know

    def number(self, members: np.ndarray) -> int:
        """Number of a set, given as a mask over the codes of the domain."""
        key = np.packbits(members).tobytes()
        if key not in self._number:
            self._number[key] = len(self._rows)
            self._rows.append(members.copy())
        return self._number[key]

    def reach(self, steps: int) -> np.ndarray:
        """What each value may have become after so many releases: boolean, codes by codes."""
        if steps not in self._reach:
            self._reach[steps] = self.model.over(self.domain, self.model.reach(steps))
        return self._reach[steps]

    def of_values(self, steps: int) -> np.ndarray:
        """Number of each value's candidate update set after so many releases."""
        if steps not in self._of:
            self._of[steps] = np.array([self.number(row) for row in self.reach(steps)], dtype=np.int64)
        return self._of[steps]

    @property
    def holds(self) -> np.ndarray:
        """Boolean matrix: which set holds which value."""
        if len(self._holds) < len(self._rows):
            self._holds = np.array(self._rows, dtype=bool)
        return self._holds

    def __len__(self) -> int:
        return len(self._rows)

    def apart(self) -> np.ndarray:
        """For m-Distinct*: a number per value; values with different numbers can never become the same value.

        Values whose candidate update sets overlap at any time get the same number, and so do those that are only linked by
        others: stricter than needed for models that are no partition, and never too lax.
        """
        overlap = self.model.over(self.domain, self.model.meeting())
        numbers = np.arange(len(overlap))
        while True:
            least = np.where(overlap, numbers, len(numbers)).min(axis=1, initial=len(numbers))
            if np.array_equal(least, numbers):
                return np.unique(numbers, return_inverse=True)[1]
            numbers = least


@dataclass(eq=False)
class UpdateBuckets(OneLine):
    """Buckets by their signatures: ``rows`` holds the numbers of the sets of each, ascending, filled up by -1 in front.

    ``options`` lists the buckets that a record of a bucket may go to: itself, and those that its signature implies.
    """

    rows: np.ndarray
    options: list[list[int]]
    slot_set: np.ndarray = field(init=False)
    places: np.ndarray = field(init=False)
    n_slots: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        n, width = self.rows.shape
        self.slot_set = np.full((n, max(width, 1)), -1, dtype=np.int64)
        self.places = np.zeros((n, max(width, 1)), dtype=np.int64)
        self.n_slots = np.zeros(n, dtype=np.int64)
        slots_of(self.rows, self.slot_set, self.places, self.n_slots)

    @property
    def size(self) -> np.ndarray:
        """Number of entries."""
        return (self.rows >= 0).sum(axis=1)

    def __len__(self) -> int:
        return len(self.rows)

    def shuffled(self, rng: np.random.Generator, home: np.ndarray) -> tuple[UpdateBuckets, np.ndarray]:
        """The same buckets in an order that chance decides, and the new number of each old one of ``home``."""
        order = rng.permutation(len(self))
        place = np.argsort(order)
        options = [sorted(int(place[b]) for b in self.options[old]) for old in order]
        return UpdateBuckets(self.rows[order], options), place[home]

    def overlapping(self, holds: np.ndarray) -> np.ndarray:
        """Buckets two of whose slots have a value in common."""
        often = np.zeros((len(self), holds.shape[1]), dtype=np.int32)
        for t in range(self.slot_set.shape[1]):
            used = t < self.n_slots
            often[used] += holds[self.slot_set[used, t]]
        found: np.ndarray = np.max(often, axis=1, initial=0) > 1
        return found

    def values(self, holds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Per value, the buckets with an entry for it: (begins, buckets)."""
        covers = np.zeros((len(self), holds.shape[1]), dtype=bool)
        for t in range(self.slot_set.shape[1]):
            used = t < self.n_slots
            covers[used] |= holds[self.slot_set[used, t]]
        value, bucket = np.nonzero(covers.T)
        return np.searchsorted(value, np.arange(holds.shape[1] + 1)), bucket


def signature_buckets(
    sets: UpdateSets, begins: np.ndarray, values: np.ndarray, steps: np.ndarray
) -> tuple[UpdateBuckets, np.ndarray]:
    """A bucket for every update set signature (Definition 13), and the bucket of each of the value sets given.

    Value set i is ``values[begins[i] : begins[i + 1]]``, published ``steps[i]`` releases ago.
    """
    sizes = np.diff(begins)
    width = int(sizes.max(initial=0))
    numbers = np.empty(len(values), dtype=np.int64)
    per_value = np.repeat(steps, sizes)
    for gap in np.unique(steps).tolist():
        here = per_value == gap
        numbers[here] = sets.of_values(gap)[values[here]]
    rows = np.full((len(sizes), width), -1, dtype=np.int64)
    rows[np.repeat(np.arange(len(sizes)), sizes), np.arange(len(values)) - np.repeat(begins[:-1], sizes)] = numbers
    rows.sort(axis=1)
    found = group(list((rows + 1).T), [len(sets) + 1] * width)
    rows = rows[found.first]
    return UpdateBuckets(rows, [[b] for b in range(len(rows))]), found.class_of


def with_intersections(buckets: UpdateBuckets, sets: UpdateSets, records: np.ndarray) -> UpdateBuckets:
    """The buckets and the intersections of any two of them (lines 7 to 13 of Algorithm 2 of [1]_).

    Two signatures intersect if their sets can be paired so that each pair has values in common. Of several pairings the one
    with the largest proportion of common values counts. An intersection in which not every entry can have a value of its own
    is of no use and left out. Where all sets are blocks there is none, and nothing is tried; where there are many buckets, the
    ones with most ``records`` are tried first and no more than :data:`MOST_PAIRS` pairs.
    """
    holds = sets.holds
    used = np.unique(buckets.rows[buckets.rows >= 0])
    common = holds[used].astype(np.int64) @ holds[used].T.astype(np.int64)
    alike = (common == 0) | (common == np.diag(common)) & (common == np.diag(common)[:, None])
    if alike.all():
        return buckets
    keys = {tuple(row[row >= 0].tolist()): b for b, row in enumerate(buckets.rows)}
    options = [list(some) for some in buckets.options]
    most = int((1 + np.sqrt(1 + 8 * MOST_PAIRS)) / 2)
    busy = np.argsort(-records, kind="stable")[:most].tolist()
    by_number = list(keys)
    new: dict[tuple[int, ...], int] = {}
    for i, j in combinations(sorted(busy), 2):
        plan = _intersection(by_number[i], by_number[j], sets)
        if plan is None:
            continue
        at = keys.get(plan, new.get(plan, -1))
        if at < 0:
            at = new[plan] = len(by_number) + len(new)
            options.append([at])
        for b in (i, j):
            if at not in options[b]:
                options[b].append(at)
    width = buckets.rows.shape[1]
    more = np.full((len(new), width), -1, dtype=np.int64)
    for row, key in zip(more, new):
        row[width - len(key) :] = key
    return UpdateBuckets(np.concatenate([buckets.rows, more]), options)


def _intersection(one: Sequence[int], other: Sequence[int], sets: UpdateSets) -> tuple[int, ...] | None:
    """The best pairing of two signatures, as the numbers of the common parts; None if there is none."""
    if len(one) != len(other):
        return None
    rows = sets.holds
    mine, theirs = rows[list(one)], rows[list(other)]
    both = (mine[:, None] & theirs[None]).sum(axis=2)
    share = both / (mine[:, None] | theirs[None]).sum(axis=2)
    # A pair with nothing in common costs more than all others can gain together.
    first, second = linear_sum_assignment(np.where(both > 0, -share, len(one) + 1.0))
    if (both[first, second] == 0).any():
        return None
    parts = [mine[a] & theirs[b] for a, b in zip(first, second)]
    if not _has_values_of_its_own(parts):
        return None
    return tuple(sorted(sets.number(part) for part in parts))


def _has_values_of_its_own(parts: Sequence[np.ndarray]) -> bool:
    """Whether every set can have a value that no other one has (Hall's condition, by matching)."""
    first, second = linear_sum_assignment(np.where(np.array(parts), 0.0, 1.0))
    return len(first) == len(parts) and all(parts[a][b] for a, b in zip(first, second))


def require_eligible(publisher: Any, domain: Domain, units: np.ndarray, rest: np.ndarray, whole: np.ndarray) -> None:
    """Refuse a table if neither the records that no bucket takes nor all of its records are m-eligible by unit.

    A unit is a value; for m-Distinct* (``publisher.star``) all values that can ever meet. If only one of the two is not,
    counterfeits can make up for it.
    """
    n, m = int(units.max(initial=-1)) + 1, publisher.m
    left, every = (np.bincount(units[codes], minlength=n) for codes in (rest, whole))
    if not (excess(left, m) and excess(every, m)):
        return
    top = int(np.argmax(every))
    share = f"{every[top]} of {every.sum()} ({every[top] / every.sum():.1%}) in release {publisher.number}"
    if not publisher.star:
        raise InfeasibleError(
            f"{publisher.specification} needs every value of {domain.name!r} in at most 1/{m} of the records, but "
            f"{domain.labels[top]!r} has {share}; lower m or leave out some of these records"
        )
    raise InfeasibleError(
        f"{publisher.specification} needs {m} values in every class that can never become the same one, and {domain.name!r} "
        f"has {n} parts that never meet; {listed(domain.labels[units == top])} have {share}, more than 1/{m}; lower m, use "
        f"star=False or a model with more such parts"
    )
