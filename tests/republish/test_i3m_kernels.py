"""The compiled steps of I3M+ and I3M- beside the plain procedures of the paper's Figures 1 and 2."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_clusters import Clustering, plain_rows, tables
from plain_clusters import Space as PlainSpace
from strategies import Case

from ppdp_lab.anonymize._clusters import Clusters, Space
from ppdp_lab.republish import _i3m as kernels
from ppdp_lab.republish._i3m import Records


class State:
    """A random clustering of some of a table's records, for the kernels and for the plain twin."""

    def __init__(self, case: Case, cluster_of: np.ndarray, turn: list[int], k: int) -> None:
        table = case.table()
        self.n = int(cluster_of.max(initial=-1)) + 1
        room = self.n + len(table)
        self.space = Space.of(table)
        self.clusters = Clusters.around(self.space, table.qi_codes, cluster_of, room)
        self.records = Records(
            table.qi_codes.view(np.uint32),
            np.array(turn),
            cluster_of.astype(np.int32),
            np.full(room, -1, dtype=np.int32),
            np.full(len(table), -1, dtype=np.int32),
        )
        kernels.link(self.records)
        rows = dict(enumerate(plain_rows(case, table.qi_codes)))
        lists = [np.flatnonzero(cluster_of == c).tolist() for c in range(self.n)]
        self.twin = Clustering(PlainSpace(case.quasi), k, rows, dict(enumerate(turn)), lists)

    def members(self, c: int) -> list[int]:
        return kernels.members_of(self.records, c, self.clusters.size[c]).tolist()

    def require_equal(self, n: int) -> None:
        """Kernels and twin hold the same clusters, in the same order; extents and lists are those of a fresh start."""
        assert n == len(self.twin.clusters)
        for c, members in enumerate(self.twin.clusters):
            assert self.members(c) == sorted(members, key=self.twin.turn.__getitem__)
            assert (self.records.cluster_of[members] == c).all()
            assert self.clusters.size[c] == len(members)
            if members:
                extent = Fraction(int(self.clusters.extent[c]), self.space.scale)
                assert extent == self.twin.space.extent(self.twin.values(c))
                assert self.clusters.extents[:, c].sum() == self.clusters.extent[c]
        assert Fraction(self.clusters.loss(), self.space.scale) == self.twin.loss()


@st.composite
def states(draw: st.DrawFn, lowest: int = -1) -> tuple[State, int]:
    """A state with clusters of any size, large ones included, and a k."""
    case = draw(tables(min_rows=2, max_rows=20))
    n = len(case.frame)
    raw = np.array(draw(st.lists(st.integers(lowest, 3), min_size=n, max_size=n)))
    assume((raw >= 0).any())
    cluster_of = np.full(n, -1)
    cluster_of[raw >= 0] = np.unique(raw[raw >= 0], return_inverse=True)[1]
    k = draw(st.integers(1, 4))
    return State(case, cluster_of, list(draw(st.permutations(range(n)))), k), k


@given(drawn=states())
def test_lists_of_members(drawn: tuple[State, int]) -> None:
    state, _ = drawn
    state.require_equal(state.n)


@given(drawn=states(lowest=0))
def test_what_the_loss_of_a_member_leaves(drawn: tuple[State, int]) -> None:
    state, _ = drawn
    codes = state.records.codes
    members = np.array(state.members(0))
    assume(len(members) >= 2)
    q = len(codes)
    ends, without = np.empty((q, 2), dtype=np.int64), np.empty((q, 4), dtype=np.int64)
    kernels.extents_without(state.space, codes, members, ends, without)
    for r in members.tolist():
        left = [state.twin.rows[x] for x in members.tolist() if x != r]
        for j in range(q):
            which = int(codes[j, r] == ends[j, 0]) + 2 * int(codes[j, r] == ends[j, 1])
            expected = state.twin.space.column_extent(j, frozenset(row[j] for row in left))
            assert Fraction(int(without[j, which]), state.space.scale) == expected


@given(drawn=states(lowest=0))
def test_split_2k_cluster(drawn: tuple[State, int]) -> None:
    state, k = drawn
    assume(len(state.twin.clusters[0]) >= 2 * k)
    kernels.split_2k_cluster(state.space, state.records, state.clusters, 0, state.n, k)
    state.twin.split(0)
    state.require_equal(state.n + 1)
    assert state.clusters.size[state.n] == k and state.clusters.size[0] >= k


@given(drawn=states())
def test_insert_is_i3m_plus(drawn: tuple[State, int]) -> None:
    state, k = drawn
    coming = np.flatnonzero(state.records.cluster_of < 0)[::-1].astype(np.int64)
    n = kernels.insert(state.space, state.records, state.clusters, state.n, coming, k)
    for record in coming.tolist():
        state.twin.insert(record)
    state.require_equal(n)
    touched = set(state.records.cluster_of[coming].tolist()) | set(range(state.n, n))
    assert all(state.clusters.size[c] < 2 * k for c in touched)


@given(drawn=states(), data=st.data())
def test_delete_is_i3m_minus(drawn: tuple[State, int], data: st.DataObject) -> None:
    state, k = drawn
    present = np.flatnonzero(state.records.cluster_of >= 0).tolist()
    assume(len(present) >= k)
    going = data.draw(st.lists(st.sampled_from(present), unique=True, max_size=len(present) - k))
    before = [len(members) for members in state.twin.clusters]
    n, dispersed = kernels.delete(
        state.space, state.records, state.clusters, state.n, np.array(going, dtype=np.int64), k
    )
    state.twin.delete(going)
    state.require_equal(n)
    sizes = state.clusters.size[:n]
    assert ((sizes == 0) | (sizes >= k)).all() and sizes.sum() == len(present) - len(going)
    assert dispersed <= sum(size > 0 for size in before)
    assert (state.records.cluster_of[going] == -1).all()
