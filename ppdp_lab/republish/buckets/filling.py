"""Phases 2 and 3 of m-Distinct: records to buckets, counterfeits to what is missing, buckets to groups.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   sections V-B and V-C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import BrokenRuleError
from ppdp_lab.release import Release
from ppdp_lab.republish.buckets._filling import fill, name_counterfeits, part_by_colours
from ppdp_lab.republish.buckets._peel import split_by_peeling
from ppdp_lab.republish.buckets._split import counting_sort
from ppdp_lab.republish.buckets.bucketize import assign, eligible_with, first_of, spread
from ppdp_lab.republish.buckets.signatures import canonical, places
from ppdp_lab.republish.buckets.update_sets import UpdateBuckets, UpdateSets
from ppdp_lab.table import Domain, group
from ppdp_lab.text import OneLine


@dataclass(eq=False)
class Filled(OneLine):
    """Records in buckets: bucket and slot of each (-1: in none), and what each bucket has per slot and in height."""

    buckets: UpdateBuckets
    bucket: np.ndarray
    slot: np.ndarray
    counts: np.ndarray
    height: np.ndarray

    def lacking(self) -> tuple[np.ndarray, np.ndarray]:
        """Bucket and slot of every counterfeit that balancing needs."""
        missing = self.buckets.places * self.height[:, None] - self.counts
        bucket, slot = np.nonzero(missing)
        return np.repeat(bucket, missing[bucket, slot]), np.repeat(slot, missing[bucket, slot])


def fill_buckets(
    buckets: UpdateBuckets,
    sets: UpdateSets,
    order: np.ndarray,
    home: np.ndarray,
    values: np.ndarray,
    qi: np.ndarray,
    *,
    spare: bool,
) -> Filled:
    """Every record to the bucket and entry with the highest score (Algorithm 3 of [1]_).

    ``order`` lists the records in an order that chance has drawn; those with fewer buckets to go to are assigned first.
    ``home`` is the bucket of each record's own signature, -1 for one that was never published. A new record for which no
    bucket has an entry stays in none; with ``spare``, so does one that would cost a counterfeit everywhere.
    """
    n, width = buckets.slot_set.shape
    holds = sets.holds
    value_begins, value_options = buckets.values(holds)
    begins = np.cumsum([0, *map(len, buckets.options)])
    options = np.array([b for some in buckets.options for b in some], dtype=np.int64)
    filled = Filled(
        buckets,
        np.full(len(values), -1, dtype=np.int64),
        np.full(len(values), -1, dtype=np.int64),
        np.zeros((n, width), dtype=np.int64),
        np.zeros(n, dtype=np.int64),
    )
    if not n:
        return filled
    choices = np.append(np.diff(value_begins), 0)[values]  # a record whose value is missing has none
    covers = np.zeros((n, holds.shape[1]), dtype=np.int64)
    covers[value_options, np.repeat(np.arange(holds.shape[1]), np.diff(value_begins))] = 1
    old = home >= 0
    choices[old] = np.add.reduceat(covers[options], begins[:-1], axis=0)[home[old], values[old]]
    order = order[np.argsort(choices[order], kind="stable")]
    fill(
        order, values, home, qi, begins, options, value_begins, value_options, buckets.slot_set, buckets.places,
        buckets.n_slots, buckets.size, holds, filled.counts, np.zeros((n, holds.shape[1]), dtype=np.int64),
        np.zeros(n, dtype=np.int64), filled.height, np.full((n, len(qi)), 2**31, dtype=np.int64),
        np.full((n, len(qi)), -1, dtype=np.int64), spare, filled.bucket, filled.slot,
    )  # fmt: skip
    return filled


def new_buckets(
    filled: Filled, sets: UpdateSets, rows: np.ndarray, values: np.ndarray, unit_of: np.ndarray, m: int
) -> Filled:
    """Divide records that no bucket takes into buckets of their own, of m or more different units each.

    ``rows`` come in an order that chance has drawn. A unit is a value; for m-Distinct* all values that can ever meet. Where
    the units are not m-eligible, counterfeits are to make up for it.
    """
    n_units = int(unit_of.max(initial=-1)) + 1
    counts = np.bincount(unit_of[values[rows]], minlength=n_units)
    steps: dict[tuple[int, ...], int] = {}
    for units, height in assign(counts + eligible_with(counts, m), m):
        steps[tuple(units.tolist())] = steps.get(tuple(units.tolist()), 0) + height
    wanted = np.zeros((len(steps), n_units), dtype=np.int64)
    for row, (key, height) in zip(wanted, steps.items()):
        row[list(key)] = height
    set_of_unit = np.array([sets.number(unit_of == unit) for unit in range(n_units)], dtype=np.int64)
    old = len(filled.buckets)
    width = max([filled.buckets.rows.shape[1], *map(len, steps)])
    every = np.full((old + len(steps), width), -1, dtype=np.int64)
    every[:old, width - filled.buckets.rows.shape[1] :] = filled.buckets.rows
    for row, key in zip(every[old:], steps):
        row[width - len(key) :] = np.sort(set_of_unit[list(key)])
    buckets = UpdateBuckets(every, [*filled.buckets.options, *([old + i] for i in range(len(steps)))])
    by_unit = rows[np.argsort(unit_of[values[rows]], kind="stable")]
    bucket, slot = filled.bucket.copy(), filled.slot.copy()
    bucket[by_unit] = old + spread(first_of(wanted, counts))
    mine = set_of_unit[unit_of[values[by_unit]]]
    slot[by_unit] = (buckets.slot_set[bucket[by_unit]] == mine[:, None]).argmax(axis=1)
    per_slot = np.zeros(buckets.places.shape, dtype=np.int64)
    per_slot[:old, : filled.counts.shape[1]] = filled.counts
    np.add.at(per_slot, (bucket[by_unit], slot[by_unit]), 1)
    heights = np.array([*filled.height.tolist(), *steps.values()], dtype=np.int64)
    return Filled(buckets, bucket, slot, per_slot, heights)


def split_groups(
    filled: Filled,
    sets: UpdateSets,
    bucket: np.ndarray,
    slot: np.ndarray,
    values: np.ndarray,
    qi: np.ndarray,
    domains: Sequence[Domain],
    tie_order: np.ndarray,
) -> np.ndarray:
    """Class of each record, counterfeits among them (value -1), after every bucket was cut into groups; bucket -1 stays -1.

    ``tie_order`` holds all positions in an order that chance has drawn: it decides between records that are equal here.
    """
    rows = tie_order[bucket[tie_order] >= 0]
    class_of = np.full(len(bucket), -1, dtype=np.int64)
    width = filled.buckets.places.shape[1]
    n_values = len(sets.domain)
    place = bucket * width + slot
    # Counterfeits come last in their slot: they are a value of their own, the largest.
    named = np.where(values < 0, n_values, values)
    cells = group([np.maximum(place, 0), named], [len(filled.buckets) * width, n_values + 1])
    base = canonical(rows, list(qi), [len(domain) for domain in domains])
    orders = np.empty((len(domains), len(rows)), dtype=np.int64)
    ranks = np.zeros((len(domains), len(bucket)), dtype=np.int64)
    where = np.zeros((len(domains), max(map(len, domains))))
    for b, domain in enumerate(domains):
        sorted_here = counting_sort(base, qi[b], len(domain))
        ranks[b, sorted_here] = np.arange(len(rows))
        orders[b] = counting_sort(sorted_here, cells.class_of, cells.n_classes)
        where[b, : len(domain)] = places(domain)
    sizes = np.bincount(bucket[rows], minlength=len(filled.buckets))
    begins = np.r_[0, np.cumsum(sizes)]
    heights = np.where(sizes > 0, filled.height, 0)
    apart = filled.buckets.overlapping(sets.holds)
    peeled = np.where(apart, 0, heights)
    wild = values < 0
    # A bucket of height 0 is passed over: its positions are left to the colouring below.
    keep = ~apart[bucket[orders[0]]]
    n_classes = split_by_peeling(
        np.ascontiguousarray(orders[:, keep]),
        np.r_[0, np.cumsum(np.where(apart, 0, sizes))],
        peeled,
        place,
        cells.class_of,
        wild,
        filled.buckets.places.ravel(),
        ranks,
        np.ascontiguousarray(qi.T),
        where,
        class_of,
        0,
    )
    for b in np.flatnonzero(apart & (sizes > 0)).tolist():
        mine = orders[0, begins[b] : begins[b + 1]]
        mine = mine[np.argsort(ranks[0, mine], kind="stable")]
        entry = _entries(slot[mine], filled.buckets.places[b])
        local = np.arange(len(mine))
        found = np.full(len(mine), -1, dtype=np.int64)
        part_by_colours(
            local,
            entry,
            values[mine],
            int(filled.buckets.size[b]),
            n_values,
            int(heights[b]),
            found,
            n_classes,
            wild[mine],
        )
        class_of[mine] = found
        n_classes += int(heights[b])
    return class_of


def _entries(slot: np.ndarray, n_places: np.ndarray) -> np.ndarray:
    """Entry of each record: those of one slot are dealt out to its places in turn."""
    order = np.argsort(slot, kind="stable")
    turn = np.empty(len(slot), dtype=np.int64)
    turn[order] = np.arange(len(slot)) - np.searchsorted(slot[order], slot[order])
    return (np.cumsum(n_places) - n_places)[slot] + turn % n_places[slot]


def name_all(
    filled: Filled,
    sets: UpdateSets,
    class_of: np.ndarray,
    bucket: np.ndarray,
    slot: np.ndarray,
    values: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Values of all records, counterfeits (-1) having got theirs: random ones of their entry, none twice in a group."""
    values = values.copy()
    wild = values < 0
    if not wild.any():
        return values
    shown = np.flatnonzero(class_of >= 0)
    members = shown[np.argsort(class_of[shown], kind="stable")]
    begins = np.r_[0, np.cumsum(np.bincount(class_of[shown]))]
    set_of = filled.buckets.slot_set[bucket, slot]
    turn = rng.permutation(len(sets.domain))
    rotation = np.zeros(len(values), dtype=np.int64)
    rotation[wild] = rng.integers(len(sets.domain), size=int(wild.sum()))
    if not name_counterfeits(begins, members, set_of, values, wild, sets.holds, turn, rotation):
        raise BrokenRuleError(
            "the release is withheld: a counterfeit of some class can have no value of its own; the memory does not fit "
            "what was published"
        )
    return values


# --------------------------------------------------------------------
# Is a finished release m-Distinct? Counted anew from the release and from what was noted of those before, and nothing else.
#
# References
# ----------
# .. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008:
# Definitions 14 and 15.


def value_sets(memory: Mapping[str, np.ndarray], which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some of the value sets of a memory, one after the other: (begins, values)."""
    begins, values = memory["signature_begins"], memory["signature_values"]
    sizes = (begins[1:] - begins[:-1])[which]
    ends = np.cumsum(sizes)
    at = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(begins[which] - ends + sizes, sizes)
    return np.r_[0, ends].astype(np.int64), values[at].astype(np.int64)


def remember_classes(
    memory: dict[str, np.ndarray], release: Release, persons: np.ndarray, values: np.ndarray, number: int
) -> None:
    """Note everybody's class as it was published; of persons who are not in the release, what was noted before stays."""
    histogram = release.counts().histogram()
    shown = release.class_of >= 0
    away = memory["signature"] >= 0
    away[persons[shown]] = False
    kept, again = np.unique(memory["signature"][away], return_inverse=True)
    begins, held = value_sets(memory, kept)
    memory["signature"][away] = again
    memory["signature"][persons[shown]] = len(kept) + release.class_of[shown]
    memory["signature_begins"] = np.concatenate([begins, begins[-1] + histogram.offsets[1:]]).astype(np.int64)
    memory["signature_values"] = np.concatenate([held, histogram.values]).astype(np.int32)
    memory["published"][persons[shown]] = number
    memory["value"][persons[shown]] = values[shown]


def check_legal(
    release: Release, model: UpdateModel, memory: Mapping[str, np.ndarray], signature: np.ndarray, steps: np.ndarray
) -> None:
    """BrokenRuleError unless everybody's class is a legal update instance of the class they were last published in.

    ``signature`` is the number of that class's value set in memory, per record, and ``steps`` how many releases ago it was; 0
    for whoever is new. Three conditions (Definition 14): as many values as before; every one of them is what some value of
    before may have become; every value of before may have become one of them.
    """
    domain = release.table.sensitive_domains[0].counted
    histogram = release.counts().histogram()
    now = np.zeros((release.n_classes, len(domain)), dtype=np.float32)
    now[np.repeat(np.arange(release.n_classes), np.diff(histogram.offsets)), histogram.values] = 1
    for gap in np.unique(steps[steps > 0]).tolist():
        rows = np.flatnonzero((steps == gap) & (release.class_of >= 0))
        used, which = np.unique(signature[rows], return_inverse=True)
        begins, values = value_sets(memory, used)
        then = np.zeros((len(used), len(domain)), dtype=np.float32)
        then[np.repeat(np.arange(len(used)), np.diff(begins)), values] = 1
        reach = model.over(domain, model.reach(gap)).astype(np.float32)
        explained, went_on = _bits(then @ reach > 0), _bits(now @ reach.T > 0)
        c = release.class_of[rows]
        wrong = then.sum(axis=1)[which] != now.sum(axis=1)[c]
        wrong |= (_bits(then > 0)[which] & ~went_on[c]).any(axis=1)
        wrong |= (_bits(now > 0)[c] & ~explained[which]).any(axis=1)
        if wrong.any():
            raise BrokenRuleError(
                f"the release is withheld: for {int(wrong.sum())} record(s) the values of their class are no legal update "
                f"instance of those that they were published among before"
            )


def _bits(matrix: np.ndarray) -> np.ndarray:
    """The rows of a boolean matrix as 64-bit words."""
    packed = np.packbits(matrix, axis=1)
    wide = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    wide[:, : packed.shape[1]] = packed
    return wide.view(np.uint64)


def check_apart(release: Release, model: UpdateModel, new: np.ndarray) -> None:
    """BrokenRuleError if two values of a class that holds a new record can ever become the same (m-Distinct*)."""
    domain = release.table.sensitive_domains[0].counted
    meet = model.over(domain, model.meeting())
    np.fill_diagonal(meet, False)
    histogram = release.counts().histogram()
    now = np.zeros((release.n_classes, len(domain)), dtype=np.float32)
    now[np.repeat(np.arange(release.n_classes), np.diff(histogram.offsets)), histogram.values] = 1
    clash = np.max((now @ meet.astype(np.float32)) * now, axis=1, initial=0) > 0
    classes = np.unique(release.class_of[new & (release.class_of >= 0)])
    if clash[classes].any():
        raise BrokenRuleError(
            f"the release is withheld: {int(clash[classes].sum())} class(es) with new records hold values that can become "
            f"the same"
        )
