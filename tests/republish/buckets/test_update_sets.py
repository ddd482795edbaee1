"""Buckets of m-Distinct: intersections of nested sets, kernels against plain Python."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from republish.updating import judge

import ppdp_lab as pl
from ppdp_lab.republish.buckets._filling import fill, name_counterfeits, part_by_colours
from ppdp_lab.republish.buckets._peel import peel, split_by_peeling
from ppdp_lab.republish.buckets.update_sets import UpdateBuckets, UpdateSets, signature_buckets, with_intersections
from ppdp_lab.table import Domain


def domain_of(names: str) -> Domain:
    return Domain.of(pd.Series([*names], name="ill"))[0]


# a may become a, b or c; b only b or c; c only c; d and e stay in their block: nested sets of unequal size.
NESTED = pl.UpdateModel([*"abcde"], [[0, 1, 2], [1, 2], [2], [3, 4], [3, 4]])


def buckets_of(*signatures: str, model: pl.UpdateModel = NESTED) -> tuple[UpdateBuckets, UpdateSets, np.ndarray]:
    sets = UpdateSets(model, domain_of("abcde"))
    codes = [["abcde".index(v) for v in values] for values in signatures]
    begins = np.cumsum([0, *map(len, codes)])
    values = np.array([v for some in codes for v in some])
    buckets, of = signature_buckets(sets, begins, values, np.ones(len(codes), dtype=np.int64))
    return buckets, sets, of


def readable(buckets: UpdateBuckets, sets: UpdateSets) -> list[list[str]]:
    names = np.array([*"abcde"])
    return [sorted("".join(names[sets.holds[n]]) for n in row[row >= 0]) for row in buckets.rows]


def test_signatures_that_allow_the_same_are_one_bucket() -> None:
    buckets, sets, of = buckets_of("ad", "ae", "bd", "ab")
    assert of[0] == of[1] and len(set(of.tolist())) == 3
    assert readable(buckets, sets)[of[0]] == ["abc", "de"] and readable(buckets, sets)[of[3]] == ["abc", "bc"]
    assert buckets.size.tolist() == [2, 2, 2] and buckets.overlapping(sets.holds)[of[3]]


def test_nested_sets_of_unequal_size_intersect() -> None:
    buckets, sets, of = buckets_of("ad", "bd", "cd")
    more = with_intersections(buckets, sets, np.ones(len(buckets)))
    # {abc, de} implies {bc, de} implies {c, de}: their intersections are there already, so there are new options only.
    assert len(more) == 3
    assert [sorted(more.options[b]) for b in of] == [sorted(of.tolist()), sorted(of[1:].tolist()), [of[2]]]


def test_an_intersection_that_is_new() -> None:
    model = pl.UpdateModel([*"abcde"], [[0, 2], [1, 2], [2], [3, 4], [3, 4]])  # a and b share what they may become: c
    buckets, sets, _ = buckets_of("ad", "be", model=model)
    more = with_intersections(buckets, sets, np.ones(2))
    assert readable(more, sets)[2] == ["c", "de"] and more.options == [[0, 2], [1, 2], [2]]
    # Nothing is left where two entries would have to share one value.
    buckets, sets, _of = buckets_of("ab", "ba", "cd", model=model)
    assert len(with_intersections(buckets, sets, np.ones(2))) == 2
    pairs, sets, _ = buckets_of("ade", "bd", model=model)
    assert len(with_intersections(pairs, sets, np.ones(2))) == 2  # unequal numbers of entries do not intersect


def test_blocks_never_intersect_and_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    buckets, sets, _ = buckets_of("ad", "bd", "ab", model=pl.UpdateModel.in_blocks([*"abcde"], 2))
    monkeypatch.setattr("ppdp_lab.republish.buckets.update_sets._intersection", lambda *a: 1 / 0)
    assert with_intersections(buckets, sets, np.ones(len(buckets))) is buckets


def test_records_meet_in_an_intersection() -> None:
    """Ann was among {a, d}, Eve among {b, e}; their signatures have {c, de} in common, where Ann and Eve can meet."""
    model = pl.UpdateModel([*"abcde"], [[0, 2], [1, 2], [2], [3, 4], [3, 4]])

    def table(**ill: str) -> pl.Microdata:
        frame = pd.DataFrame({"age": 30, "town": 1, "ill": list(ill.values())}, index=list(ill))
        return pl.Microdata(frame, pl.Schema(["age", "town"], sensitive="ill", domains={"ill": [*"abcde"]}))

    fakes = set()
    for seed in range(20):  # whether the first of the two goes there is chance, as it costs the same
        publisher = pl.MDistinct(2, model=model, seed=seed)
        first = [publisher.publish(table(Ann="a", Dan="d")), publisher.publish(table(Bob="b", Eve="e"))]
        third = publisher.publish(table(Ann="c", Eve="d"))
        judge([*enumerate(first), (2, third)], model, 2)
        fakes.add(len(third.counterfeits))
    assert fakes == {0, 2}


def test_values_that_never_meet() -> None:
    sets = UpdateSets(NESTED, domain_of("abcde"))
    assert sets.apart().tolist() == [0, 0, 0, 1, 1]
    linked = pl.UpdateModel([*"abcde"], [[0, 1], [1], [1, 2, 3], [3], [4]])  # a meets c in b, c meets d
    assert UpdateSets(linked, domain_of("abcde")).apart().tolist() == [0, 0, 0, 0, 1]
    unmet = pl.UpdateModel(
        [*"abcdef"], [[0, 5], [1, 5], [2], [3], [4], [5]]
    )  # f does not occur yet, but a and b meet in it
    assert UpdateSets(unmet, domain_of("abcde")).apart().tolist() == [0, 0, 1, 2, 3]


# ------------------------------------------------------------------ kernels and their twins
def plain_fill(order, value, home, qi, options, fresh, slots, holds, spare):
    """Algorithm 3 in plain Python: ``slots[b]`` lists (set, places) of bucket b."""
    inside = [[] for _ in slots]
    where = {}

    def books(b):
        values = [value[i] for i, _ in inside[b]]
        loads = [sum(t == s for _, s in inside[b]) for t in range(len(slots[b]))]
        often = {v: values.count(v) for v in values}
        height = max([*often.values(), *(-(-load // p) for load, (_, p) in zip(loads, slots[b])), 0])
        return loads, often, height

    for i in order:
        best = None
        for b in options[home[i]] if home[i] >= 0 else fresh[value[i]]:
            loads, often, height = books(b)
            lack = sum(p for _, p in slots[b]) * height - len(inside[b])
            times = 1.0
            for column in qi if inside[b] else []:
                held = [column[j] for j, _ in inside[b]]
                both = [*held, column[i]]
                times *= (max(both) - min(both) + 1) / (max(held) - min(held) + 1)
            for t, (number, p) in enumerate(slots[b]):
                if holds[number, value[i]]:
                    full = often.get(value[i], 0) == height or loads[t] == p * height
                    score = -times if full else 1 / times
                    key = (score, -lack)
                    same = best is not None and best[1] == b
                    if best is None or key > best[0] or (key == best[0] and same and loads[t] // p < best[3]):
                        best = (key, b, t, loads[t] // p)
        if best is not None and not (spare and best[0][0] < 0 and home[i] < 0):
            inside[best[1]].append((i, best[2]))
            where[i] = best[1:3]
    return where


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_fill_equals_its_plain_twin(seed: int, spare: bool) -> None:
    rng = np.random.default_rng(seed)
    n_values, n = 5, int(rng.integers(1, 25))
    holds = np.array(
        [[True, True, False, False, False], [False, False, True, True, False], [False, True, True, False, True]]
    )
    slots = [
        [(int(s), int(rng.integers(1, 3))) for s in sorted(rng.permutation(3)[: rng.integers(1, 4)])] for _ in range(3)
    ]
    options = [[0], [1, 0], [2]]
    fresh = [[b for b in range(3) if any(holds[s, v] for s, _ in slots[b])] for v in range(n_values)]
    value = rng.integers(0, n_values, n)
    home = rng.integers(-1, 3, n)
    qi = rng.integers(0, 9, (2, n))
    order = rng.permutation(n)
    expected = plain_fill(
        order.tolist(), value.tolist(), home.tolist(), qi.tolist(), options, fresh, slots, holds, spare
    )
    slot_set, places = np.full((3, 3), -1), np.zeros((3, 3), dtype=np.int64)
    for b, some in enumerate(slots):
        for t, (s, p) in enumerate(some):
            slot_set[b, t], places[b, t] = s, p
    bucket, slot = np.full(n, -1), np.full(n, -1)
    fill(
        order, value, home, qi, np.array([0, 1, 3, 4]), np.array([0, 1, 0, 2]),
        np.cumsum([0, *map(len, fresh)]), np.array([b for some in fresh for b in some]), slot_set, places,
        np.array([len(some) for some in slots]), places.sum(axis=1), holds, np.zeros((3, 3), dtype=np.int64),
        np.zeros((3, n_values), dtype=np.int64), np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64),
        np.full((3, 2), 2**31), np.full((3, 2), -1), spare, bucket, slot,
    )  # fmt: skip
    assert {i: (int(bucket[i]), int(slot[i])) for i in range(n) if bucket[i] >= 0} == expected


def balanced(rng: np.random.Generator):
    """A bucket that can be split: slots of some places, values of their own, counterfeits where records are missing."""
    height = int(rng.integers(1, 7))
    places = rng.integers(1, 4, int(rng.integers(1, 4)))
    slot, value = [], []
    for t, p in enumerate(places.tolist()):
        room = p * height
        for v in range(4):
            many = min(int(rng.integers(0, height + 1)), room)
            room -= many
            slot += [t] * many
            value += [10 * t + v] * many
        slot += [t] * room
        value += [-1] * room
    return height, places, np.array(slot), np.array(value)


def plain_peel(records, height, slot, value, places, rank):
    """Group after group: first what must be taken, then what comes first."""
    left, groups = list(records), []
    for done in range(height):
        group = []
        for t, p in enumerate(places):
            mine = [i for i in left if slot[i] == t]
            often = {v: [value[i] for i in mine].count(v) for v in {value[i] for i in mine} - {-1}}
            must = [
                min((i for i in mine if value[i] == v), key=lambda i: rank[i])
                for v in sorted(often)
                if often[v] == height - done
            ]
            rest = sorted((i for i in mine if i not in must), key=lambda i: rank[i])
            for i in rest:
                if len(must) < p and (value[i] < 0 or value[i] not in {value[j] for j in must}):
                    must.append(i)
            group += must
        left = [i for i in left if i not in group]
        groups.append(group)
    return groups


@given(st.integers(0, 2**32 - 1))
def test_peeling_equals_its_plain_twin_and_every_split_is_sound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, places, slot, value = balanced(rng)
    n = len(slot)
    qi = rng.integers(0, 6, (2, n)).astype(np.int32)
    ranks = np.array([np.argsort(np.lexsort((rng.permutation(n), column))) for column in qi])
    cell = slot * 100 + np.where(value < 0, 99, value)
    orders = np.array([np.lexsort((rank, cell)) for rank in ranks])
    wild = value < 0
    taken = np.empty(n, dtype=np.int64)
    peel(orders[0], 0, n, height, slot, cell, wild, places, ranks[0], np.empty((5, n), dtype=np.int64), taken)
    groups = plain_peel(range(n), height, slot.tolist(), value.tolist(), places.tolist(), ranks[0].tolist())
    size = int(places.sum())
    assert [set(taken[g * size : (g + 1) * size].tolist()) for g in range(height)] == [set(group) for group in groups]
    class_of = np.full(n, -1, dtype=np.int64)
    where = np.tile(np.arange(6) / 5.0, (2, 1))
    made = split_by_peeling(
        orders.copy(), np.array([0, n]), np.array([height]), slot, cell, wild, places, ranks, np.ascontiguousarray(qi.T),
        where, class_of, 3,
    )  # fmt: skip
    assert made == height + 3 and set(class_of.tolist()) == set(range(3, made))
    for c in range(3, made):
        mine = np.flatnonzero(class_of == c)
        assert np.bincount(slot[mine], minlength=len(places)).tolist() == places.tolist()
        real = value[mine][~wild[mine]]
        assert len(set(real.tolist())) == len(real)


@given(st.integers(0, 2**32 - 1))
def test_colours_part_any_overlapping_bucket(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_entries, n_values, height = int(rng.integers(1, 6)), int(rng.integers(1, 7)), int(rng.integers(1, 8))
    entry, value = [], []
    for _ in range(int(rng.integers(0, 60))):
        e, v = int(rng.integers(n_entries)), int(rng.integers(n_values))
        if entry.count(e) < height and value.count(v) < height:
            entry.append(e)
            value.append(v)
    for e in range(n_entries):
        missing = height - entry.count(e)
        entry += [e] * missing
        value += [-1] * missing
    entry, value = np.array(entry), np.array(value)
    class_of = np.full(len(entry), -1, dtype=np.int64)
    part_by_colours(rng.permutation(len(entry)), entry, value, n_entries, n_values, height, class_of, 5, value < 0)
    for c in range(5, 5 + height):
        mine = np.flatnonzero(class_of == c)
        assert sorted(entry[mine].tolist()) == list(range(n_entries))
        real = value[mine][value[mine] >= 0]
        assert len(set(real.tolist())) == len(real)


@given(st.integers(0, 2**32 - 1))
def test_counterfeits_are_named_whenever_they_can_be(seed: int) -> None:
    """Brute force: some choice of different values, one per entry, must have the real ones among them."""
    rng = np.random.default_rng(seed)
    n_values, n = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    holds = rng.random((4, n_values)) < 0.5
    set_of = rng.integers(0, 4, n)
    wild = rng.random(n) < 0.5
    value = np.full(n, -1)
    for i in np.flatnonzero(~wild):
        free = [v for v in np.flatnonzero(holds[set_of[i]]) if v not in value]
        if not free:
            return
        value[i] = rng.choice(free)
    real = set(value[~wild].tolist())
    ways = product(*(np.flatnonzero(holds[s]).tolist() for s in set_of))
    possible = [set(way) for way in ways if len(set(way)) == n and real <= set(way)]
    named = value.copy()
    done = name_counterfeits(
        np.array([0, n]), np.arange(n), set_of, named, wild, holds, rng.permutation(n_values), rng.integers(0, 99, n)
    )
    assert done == bool(possible)
    if done:
        assert set(named.tolist()) in possible and (named[~wild] == value[~wild]).all()
        assert any(all(holds[s, v] for s, v in zip(set_of, way)) for way in permutations(named.tolist()))
