"""The compiled counting loops against plain twins, over several blocks of records."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdp_lab.metrics.queries import pack
from ppdp_lab.release import _bitmaps as kernels
from ppdp_lab.release.answers import Cuts
from ppdp_lab.table import Domain, Hierarchy, Intervals, Nodes, Sets

SIZES = (70, 3, 12)


@given(st.integers(0, 2**64 - 1))
def test_popcount(x: int) -> None:
    assert kernels.popcount(np.uint64(x)) == x.bit_count()


def plain_cuts(members: list[bool]) -> list[int]:
    """Where a run of selected codes begins or has just ended; nothing if all are selected, [0] if none is."""
    if all(members):
        return []
    cuts = [i for i, (here, before) in enumerate(zip([*members, False], [False, *members])) if here != before]
    return cuts or [0]


def domains() -> list[Domain]:
    return [Domain.of(pd.Series([f"{i:03}" for i in range(size)], name=f"q{size}"))[0] for size in SIZES]


@given(st.integers(1, 130).flatmap(lambda d: st.lists(st.lists(st.booleans(), min_size=d, max_size=d), min_size=1)))
def test_cuts(rows: list[list[bool]]) -> None:
    domain = Domain.of(pd.Series([f"{i:03}" for i in range(len(rows[0]))], name="q"))[0]
    regions = Cuts.of([Sets(domain, pack(np.array(rows)))])
    found = [regions.cuts[a:b].tolist() for a, b in zip(regions.offsets[0], regions.offsets[0][1:])]
    assert found == [plain_cuts(row) for row in rows]


def test_cuts_of_intervals_and_nodes_are_those_of_the_same_sets() -> None:
    numbers = Domain.of(pd.Series(range(10), name="age"))[0]
    low, high = np.array([0, 3, 9, 0]), np.array([9, 5, 9, 0])
    tree = Hierarchy.intervals(range(10), widths=[2, 6])
    leaves = Domain.of(pd.Series(range(10), name="age"), tree)[0]
    node = np.arange(len(tree.labels), dtype=np.int32)
    code = np.arange(10)
    for column in (Intervals(numbers, low, high), Nodes(leaves, node)):
        members = (column.low[:, None] <= code) & (code <= column.high[:, None])
        mine, twin = Cuts.of([column]), Cuts.of([Sets(column.domain, pack(members))])
        assert mine.cuts.tolist() == twin.cuts.tolist() and mine.offsets.tolist() == twin.offsets.tolist()


class Scene:
    """Random records, regions and groups, over more than two blocks, and who lies in which region."""

    def __init__(self, n: int, n_regions: int = 25, seed: int = 0) -> None:
        chance = np.random.default_rng(seed)
        self.codes = np.array([chance.integers(0, size, n) for size in SIZES], dtype=np.int32)
        self.members = [chance.random((n_regions, size)) < chance.random((n_regions, 1)) for size in SIZES]
        for chosen in self.members:
            chosen[0] = True
            chosen[1] = False
        self.regions = Cuts.of([Sets(d, pack(chosen)) for d, chosen in zip(domains(), self.members)])
        self.inside = np.ones((n_regions, n), dtype=bool)
        for codes, chosen in zip(self.codes, self.members):
            self.inside &= chosen[:, codes]
        self.n_groups, self.n_values = max(n // 7, n_regions), 5
        self.row_group = np.sort(chance.integers(0, self.n_groups, n)).astype(np.int32)
        self.held = chance.integers(0, 3, (self.n_groups, self.n_values))
        cell_group, values = np.nonzero(self.held)
        self.cells = (
            np.r_[0, np.cumsum(np.bincount(cell_group, minlength=self.n_groups))],
            values.astype(np.int32),
            self.held[cell_group, values],
        )
        self.weights = chance.random(self.n_groups)
        self.wanted = (chance.random((self.n_values, n_regions)) < 0.5) * 1.0
        self.value = chance.integers(0, self.n_values, n).astype(np.int32)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, kernels.BLOCK, 2 * kernels.BLOCK + 100])
def test_counting_records_in_regions(n: int) -> None:
    scene = Scene(n)
    out = np.zeros(len(scene.inside), dtype=np.int64)
    kernels.count_inside(scene.codes, *scene.regions.arrays, out)
    assert out.tolist() == scene.inside.sum(axis=1).tolist()
    assert out[0] == n and out[1] == 0


@pytest.mark.parametrize("n", [1, 65, 2 * kernels.BLOCK + 100])
def test_summing_shares_of_groups_over_records(n: int) -> None:
    scene = Scene(n)
    out = np.zeros(len(scene.inside))
    kernels.share_inside(
        scene.codes, *scene.regions.arrays, scene.row_group, *scene.cells, scene.weights, scene.wanted, out
    )
    share = (scene.held @ scene.wanted) * scene.weights[:, None]  # groups by regions
    expected = [share[scene.row_group[chosen], region].sum() for region, chosen in enumerate(scene.inside)]
    assert out == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 65, 2 * kernels.BLOCK + 100])
def test_adding_densities_to_records(n: int) -> None:
    scene = Scene(n)
    n_regions = len(scene.inside)
    begin, values, counts = scene.cells
    out = np.zeros(n)
    kernels.density_inside(
        scene.codes,
        *scene.regions.arrays,
        scene.value,
        begin[: n_regions + 1],
        values,
        counts,
        scene.weights[:n_regions],
        scene.n_values,
        out,
    )
    density = scene.held[:n_regions] * scene.weights[:n_regions, None]  # regions by values
    expected = (scene.inside * density[:, scene.value]).sum(axis=0)
    assert out == pytest.approx(expected)


def test_spreading_boxes() -> None:
    scene = Scene(200)
    chance = np.random.default_rng(1)
    n_queries, n_kinds = scene.wanted.shape[1], 12
    shares = np.where(chance.random((n_kinds, n_queries)) < 0.4, 0, chance.random((n_kinds, n_queries)))
    box = chance.integers(0, n_kinds, (3, scene.n_groups))
    out = np.zeros(n_queries)
    kernels.spread_boxes(shares, box, *scene.cells, scene.weights, scene.wanted, out)
    expected = np.zeros(n_queries)
    for g in range(scene.n_groups):
        for query in range(n_queries):
            part = shares[box[0, g], query] * shares[box[1, g], query] * shares[box[2, g], query]
            held = sum(scene.held[g, v] * scene.wanted[v, query] for v in range(scene.n_values))
            expected[query] += part * held * scene.weights[g]
    assert out == pytest.approx(expected)
