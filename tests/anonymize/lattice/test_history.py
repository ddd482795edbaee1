"""The history of snapshots: what is kept, and what a node is rolled up from."""

from __future__ import annotations

import numpy as np

from ppdp_lab.anonymize.lattice.checker import Counted, History


def snapshot(size: int) -> Counted:
    return Counted(np.arange(size, dtype=np.uint64), np.ones(size, dtype=np.uint32))


def test_history_keeps_what_was_used_last_within_its_budget():
    history = History(2, snapshot(100), budget=50)
    history.add((1, 0), snapshot(30))
    history.add((0, 1), snapshot(20))
    assert len(history.nearest((1, 0)).rows) == 30
    history.add((0, 2), snapshot(15))  # 65 classes are too many: (0, 1) was not used for the longest time
    assert history.total == 45
    assert [len(history.nearest(node).rows) for node in [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]] == [
        100,
        15,
        30,
        30,
        15,
    ]


def test_history_without_a_budget_keeps_the_latest():
    history = History(1, snapshot(100), budget=0)
    for level in (1, 2, 3):
        history.add((level,), snapshot(40 - level))
        assert history.total == len(history.nearest((3,)).rows) == 40 - level
    assert len(history.nearest((0,)).rows) == 100


def test_history_grows():
    history = History(1, snapshot(1000), budget=10**6)
    for level in range(1, 201):
        history.add((level,), snapshot(500 - level))
    assert history.total == sum(500 - level for level in range(1, 201))
    assert all(len(history.nearest((level,)).rows) == 500 - level for level in range(1, 201))
