"""Table 1 of the I3M paper: a totally covered cluster, its two breaks, and their information loss."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppdp_lab.datasets.examples.i3m import Clusters as Names
from ppdp_lab.datasets.examples.i3m import table_1
from ppdp_lab.metrics import information_loss
from ppdp_lab.release import Release
from ppdp_lab.republish.optimization import breaks, covering_classes, il_optimization, totally_covered

EXAMPLE = table_1()
NUMBER = {name: i for i, name in enumerate(EXAMPLE.clusters)}
EXACT = {"S": Fraction(397, 30), "S1": Fraction(67, 5), "S2": Fraction(389, 30)}


def release_of(clusters: Names) -> Release:
    class_of = np.empty(len(EXAMPLE.table), dtype=np.int32)
    for number, members in enumerate(clusters.values()):
        class_of[EXAMPLE.table.ids.get_indexer(list(members))] = number
    return Release(EXAMPLE.table, class_of)


S = release_of(EXAMPLE.clusters)


@pytest.mark.parametrize("name", ["S", "S1", "S2"])
def test_information_loss(name: str) -> None:
    clusters = EXAMPLE.clusters if name == "S" else EXAMPLE.breaks[name]
    assert information_loss(release_of(clusters)) == pytest.approx(float(EXACT[name]))
    assert float(EXACT[name]) == pytest.approx(EXAMPLE.printed_loss[name], abs=0.01)


def test_who_covers_whom() -> None:
    expected = {r: [NUMBER[c] for c in clusters] for r, clusters in EXAMPLE.covered_by.items()}
    assert covering_classes(S, NUMBER["cl3"]) == expected
    assert totally_covered(S).tolist() == [NUMBER["cl3"]]


def test_the_two_breaks() -> None:
    found = list(breaks(S, NUMBER["cl3"]))
    assert [b.interesting for b in found] == [True, False]  # the optimal one comes first
    for one, name in zip(found, ("S2", "S1")):
        assert one.loss_before == pytest.approx(397 / 30)
        assert one.loss_after == pytest.approx(float(EXACT[name]))
        after = one.release()
        assert after.class_of.tolist() == release_of(EXAMPLE.breaks[name]).class_of.tolist()
        assert information_loss(after) == pytest.approx(one.loss_after)
    assert list(breaks(S, NUMBER["cl1"])) == []


def test_the_optimization_makes_the_interesting_break() -> None:
    optimized = il_optimization(S)
    assert optimized.class_of.tolist() == release_of(EXAMPLE.breaks["S2"]).class_of.tolist()
    assert information_loss(optimized) == pytest.approx(389 / 30)
    assert il_optimization(optimized).class_of.tolist() == optimized.class_of.tolist()
