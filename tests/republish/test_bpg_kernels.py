"""The rounds of BPG against one class after the other in plain Python; its kernels and helpers one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from republish.plain_bpg import plain_repair

import ppdp_lab as pl
from ppdp_lab.republish.bpg._bpg import divide, lists_of, meetings, number_classes, rounds
from ppdp_lab.republish.bpg.listing1 import COUNTERFEITS, VARIANTS, Scene, repair
from ppdp_lab.table import Domain


def scene_of(rng: np.random.Generator, n: int, *, tangled: bool) -> tuple[Scene, np.ndarray]:
    """Random units; neighbourhoods that keep k = 2 and l = 2, as a series would leave them."""
    domain, values = Domain.of(pd.Series(rng.choice(["flu", "HIV", "cold"], n), name="illness"))
    n_homes = max(n // int(rng.integers(4, 9)), 1)
    home = rng.integers(-1, n_homes, n)
    for v in range(n_homes):
        members = home == v
        if members.sum() < 2 or len(set(values[members])) < 2:
            home[members] = -1
    kept = np.unique(home[home >= 0])
    home = np.append(np.searchsorted(kept, np.arange(n_homes)), -1)[home].astype(np.int32)
    now = np.where(rng.random(n) < 0.7, rng.integers(0, max(n // 6, 1), n), -1)
    if not tangled:  # classes within neighbourhoods
        now = np.where(now >= 0, home + 1 + (len(kept) + 1) * (now % 2), -1)
    now = now.astype(np.int32)
    count = number_classes(now)
    asked = (now >= 0) | (rng.random(n) < 0.1)
    person = rng.random(n) < 0.9
    person[asked] = True
    whole = rng.random(len(kept)) < 0.1
    totals = [np.bincount(values, minlength=len(domain))]
    return Scene(home, now, asked, person, whole, values[None, :], (domain,), totals), rng.permutation(count)


@pytest.mark.parametrize("variant", VARIANTS)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 80),
    tangled=st.booleans(),
    most=st.none() | st.integers(0, 8),
)
def test_rounds_are_turns(variant: str, seed: int, n: int, tangled: bool, most: int | None) -> None:
    rng = np.random.default_rng(seed)
    scene, order = scene_of(rng, n, tangled=tangled)
    if not len(order):
        return
    tie_order = rng.permutation(n)
    values = scene.sensitive[0]
    completed = rng.random(len(order)) < (0.3 if variant == COUNTERFEITS else 0)
    saved = {u for u in range(n) if scene.home[u] < 0 and scene.now[u] >= 0 and completed[scene.now[u]]}

    def safe(units: set[int]) -> bool:
        return not units or (units <= saved) or (len(units) >= 2 and len({values[u] for u in units}) >= 2)

    absent = set(np.flatnonzero(scene.person & ~scene.asked).tolist())
    expected = plain_repair(
        scene.home.tolist(),
        scene.now.tolist(),
        order.tolist(),
        absent,
        set(np.flatnonzero(scene.whole).tolist()),
        safe,
        variant=variant,
        most_dirty=np.inf if most is None else most,
        tie_order=tie_order.tolist(),
    )
    rule = pl.KAnonymity(2) & pl.DistinctLDiversity(2)
    found = repair(
        scene,
        rule,
        order=order,
        tie_order=tie_order if variant == "one-by-one" else None,
        variant=variant,
        most_dirty=most,
        completed=completed,
    )
    if most is None:
        assert found.final.tolist() == expected[0] and found.why == expected[1]
    else:  # rounds serve a limit in another order than turns do, but keep it, and what was not asked for is never free
        dirty = {u for u in absent if found.final[u] >= 0}
        assert len(dirty) <= most and sum(found.why.values()) == len(order)


@given(st.lists(st.integers(-1, 5), max_size=30))
def test_lists_and_numbers(keys: list[int]) -> None:
    key = np.array(keys, dtype=np.int32)
    begins, units = lists_of(key, 6)
    assert [units[a:b].tolist() for a, b in itertools.pairwise(begins)] == [
        [i for i, k in enumerate(keys) if k == v] for v in range(6)
    ]
    first = list(dict.fromkeys(k for k in keys if k >= 0))
    assert number_classes(key) == len(first)
    assert key.tolist() == [first.index(k) if k >= 0 else -1 for k in keys]


@given(seed=st.integers(0, 2**32), n=st.integers(1, 60))
def test_classes_of_a_round_meet_different_neighbourhoods_and_keep_their_turns(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    home, now = rng.integers(-1, 5, n).astype(np.int32), rng.integers(-1, 8, n).astype(np.int32)
    count = number_classes(now)
    begins, units = lists_of(now, count)
    starts, met = meetings(begins, units, home, 5)
    of = [set(met[a:b].tolist()) for a, b in itertools.pairwise(starts)]
    assert of == [set(home[now == c].tolist()) - {-1} for c in range(count)]
    order = rng.permutation(count)
    round_of = rounds(order, starts, met, 5)
    for place, c in enumerate(order):
        for earlier in order[:place]:
            assert not of[c] & of[earlier] or round_of[earlier] < round_of[c]


def test_a_class_divides_a_neighbourhood_in_three() -> None:
    now = np.array([0, -1, 1, -2, 0, -1], dtype=np.int32)
    units, cuts = np.empty(6, dtype=np.int32), np.empty((1, 4), dtype=np.int64)
    members = np.arange(6, dtype=np.int32)
    n = divide(np.zeros(1, np.int32), np.zeros(1, np.int32), np.array([0, 6]), members, now, units, cuts)
    assert units[:n].tolist() == [0, 4, 1, 5, 2] and cuts.tolist() == [[0, 2, 4, 5]]


@given(seed=st.integers(0, 2**32), strict=st.booleans())
def test_parts_are_anonymized_by_themselves(seed: int, strict: bool) -> None:
    """Mondrian cuts all parts at once as it cuts each alone, if one attribute leaves no choice."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    frame = pd.DataFrame({"age": rng.choice(80, n, replace=n > 80), "illness": rng.choice(["flu", "HIV"], n)})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    rule = pl.KAnonymity(2) & pl.DistinctLDiversity(2)
    part_of = rng.integers(-1, 4, n)
    class_of = pl.Mondrian(rule, strict=strict).anonymize_within(table, part_of)
    assert ((class_of < 0) == (part_of < 0)).all()
    for part in range(4):
        rows = np.flatnonzero(part_of == part)
        mine = class_of[rows]
        assert not set(mine) & set(class_of[part_of != part])
        if len(rows) and strict:
            try:
                alone = pl.Mondrian(rule).anonymize(table.select(rows)).class_of
            except pl.principles.base.InfeasibleError:
                alone = np.zeros(len(rows), dtype=int)
            assert len(set(zip(mine, alone))) == len(set(mine)) == len(set(alone))
