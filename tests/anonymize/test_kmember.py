"""Greedy k-member clustering: its kernels beside plain twins, and what every release of it must be."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_clusters import Clustering, k_member, plain_rows, tables
from plain_clusters import Space as PlainSpace
from strategies import Case, cases

import ppdp_lab as pl
from ppdp_lab.anonymize import _kmember as kernels
from ppdp_lab.anonymize._clusters import BLOCK, LIMIT, Clusters, Space, extent, find_best_cluster, take_in, widen
from ppdp_lab.anonymize.kmember import KMember
from ppdp_lab.errors import InfeasibleError, ParameterError
from ppdp_lab.metrics import information_loss


def plain(case: Case) -> PlainSpace:
    return PlainSpace(case.quasi)


def distinct(case: Case) -> tuple[pl.Microdata, Space, np.ndarray, np.ndarray]:
    """A case's table, its space, and its distinct rows as codes with multiplicities."""
    table = case.table()
    rows = table.group_rows()
    return table, Space.of(table), table.qi_codes[:, rows.first].astype(np.uint32), rows.sizes.astype(np.int64)


# ---------------------------------------------------------------------- extents
@given(case=tables(), data=st.data())
def test_extents_are_exact(case: Case, data: st.DataObject) -> None:
    _, space, codes, _ = distinct(case)
    chosen = data.draw(st.lists(st.integers(0, codes.shape[1] - 1), min_size=1, max_size=5))
    part = codes[:, chosen]
    low, high = part.min(axis=1), part.max(axis=1)
    units = [int(extent(space, j, low[j], high[j])) for j in range(len(part))]
    members = plain_rows(case, part)
    for j, cells in enumerate(zip(*members)):
        assert Fraction(units[j], space.scale) == plain(case).column_extent(j, frozenset(cells))
    table = np.zeros(space.offset[-1], dtype=np.int32)
    widen(space, low, high, table)
    for i, row in enumerate(plain_rows(case, codes)):
        widened = sum(int(table[space.offset[j] + codes[j, i]]) for j in range(len(codes)))
        assert Fraction(widened, space.scale) == plain(case).extent([*members, row])


@given(case=cases(max_rows=12))
def test_units_are_fine_where_they_cannot_be_exact(case: Case) -> None:
    space = Space.of(case.table())
    q = len(space.is_tree)
    assert q * space.scale < LIMIT
    for j in range(q):
        place = space.place[space.offset[j] : space.offset[j + 1]].astype(float) / space.scale
        domain = case.table().qi_domains[j]
        if domain.kind == "ordered" and domain.span:
            expected = (domain.coordinates - domain.coordinates[0]) / domain.span
            np.testing.assert_allclose(place, expected, atol=1e-8)


def test_a_chain_above_all_leaves_counts_for_the_height() -> None:
    tree = pl.Hierarchy.from_levels({"a": ["all", "*"], "b": ["all", "*"]})
    table = pl.Microdata(pd.DataFrame({"q": ["a", "b"]}), pl.Schema("q"), {"q": tree})
    space = Space.of(table)
    assert Fraction(int(extent(space, 0, 0, 1)), space.scale) == Fraction(1, 2)


# ---------------------------------------------------------------------- kernels beside twins
@pytest.mark.parametrize("run", ["compiled", "interpreted"])
@given(
    costs=st.lists(st.integers(0, 5), min_size=1, max_size=20),
    left=st.lists(st.integers(0, 2), min_size=20, max_size=20),
)
def test_cheapest_dearest_and_drop(run: str, costs: list[int], left: list[int]) -> None:
    kernel = {k: getattr(kernels, k) for k in ("cheapest", "dearest", "drop_taken", "sum_extents")}
    call = SimpleNamespace(**{k: f if run == "compiled" else f.py_func for k, f in kernel.items()})
    n = len(costs)
    left = left[:n]
    taken = np.array([0 if x else kernels.TAKEN for x in left], dtype=np.int32)
    alive = [i for i in range(n) if left[i]]
    if alive:
        price = np.array(costs, dtype=np.int32)
        assert call.cheapest(price, taken, n) == min(alive, key=lambda i: costs[i])
        assert call.dearest(price, taken, n) == max(alive, key=lambda i: costs[i])
    keys = np.array([range(n), costs], dtype=np.uint32)
    row, remaining = np.arange(n, dtype=np.int32), np.array(left)
    assert call.drop_taken(keys, remaining, taken, row, n) == len(alive)
    assert row[: len(alive)].tolist() == keys[0, : len(alive)].tolist() == alive
    assert remaining[: len(alive)].tolist() == [left[i] for i in alive] and not taken[: len(alive)].any()
    table, out = np.arange(100, 130, dtype=np.int32), np.empty(n, dtype=np.int32)
    call.sum_extents(table, np.array([costs, costs], dtype=np.uint32), n, out)
    assert out.tolist() == [200 + 2 * c for c in costs]


@given(case=tables(), k=st.integers(1, 6), data=st.data())
def test_greedy_clustering_is_the_plain_one(case: Case, k: int, data: st.DataObject) -> None:
    _, space, codes, sizes = distinct(case)
    start = data.draw(st.integers(0, codes.shape[1] - 1))
    members = np.empty(int(sizes.sum()) // k * k, dtype=np.int32)
    keys = codes + space.offset[:-1, None].astype(np.uint32)
    expected = k_member(plain(case), plain_rows(case, codes), sizes.tolist(), k, start)
    kernels.k_member(space, keys, sizes.copy(), k, start, members)
    assert members.reshape(-1, k).tolist() == expected


@given(case=tables(min_rows=2), data=st.data())
def test_the_best_cluster_is_the_plain_one(case: Case, data: st.DataObject) -> None:
    table = case.table()
    space = Space.of(table)
    n = data.draw(st.integers(1, 5))
    cluster_of = np.array(data.draw(st.lists(st.integers(-1, n - 1), min_size=len(table), max_size=len(table))))
    clusters = Clusters.around(space, table.qi_codes, cluster_of, n)
    rows = plain_rows(case, table.qi_codes)
    lists = [[rows[i] for i in np.flatnonzero(cluster_of == c)] for c in range(n)]
    twin = plain(case)
    assert [Fraction(int(e), space.scale) for e, x in zip(clusters.extent, lists) if x] == [
        twin.extent(x) for x in lists if x
    ]
    record = data.draw(st.integers(0, len(table) - 1))
    codes = table.qi_codes[:, record].astype(np.uint32)
    best = find_best_cluster(space, clusters, n, codes)
    alive = [c for c in range(n) if lists[c]]
    if not alive:
        assert best == -1
        return
    assert best == min(alive, key=lambda c: twin.increase(lists[c], rows[record]))
    take_in(space, clusters, best, codes)
    assert Fraction(int(clusters.extent[best]), space.scale) == twin.extent([*lists[best], rows[record]])
    assert clusters.size[best] == len(lists[best]) + 1


def test_the_first_of_many_equal_clusters_is_found() -> None:
    """More clusters than one block of the kernel holds."""
    n = 2 * BLOCK + 10
    table = pl.Microdata(pd.DataFrame({"age": np.r_[np.arange(n) % 7, 100]}), pl.Schema("age"))
    space = Space.of(table)
    cluster_of = np.r_[np.arange(n), -1].astype(np.int32)
    clusters = Clusters.around(space, table.qi_codes, cluster_of, n)
    assert find_best_cluster(space, clusters, n, np.array([6], dtype=np.uint32)) == 6
    clusters.size[: BLOCK + 3] = 0
    first = next(c for c in range(BLOCK + 3, n) if c % 7 == 6)
    assert find_best_cluster(space, clusters, n, np.array([6], dtype=np.uint32)) == first


# ---------------------------------------------------------------------- releases
@given(case=cases(max_rows=30), k=st.integers(1, 5), seed=st.integers(0, 3))
def test_every_release_is_k_anonymous_and_tight(case: Case, k: int, seed: int) -> None:
    table = case.table()
    if len(table) < k:
        with pytest.raises(InfeasibleError, match=f"k = {k} is larger than the table of {len(table)} records"):
            KMember(k, seed=seed).anonymize(table)
        return
    release = KMember(k, seed=seed).anonymize(table)
    assert release.sizes.min() >= k and release.sizes.max() < 2 * k
    assert release.n_classes == len(table) // k and len(release.suppressed) == 0
    frame = release.to_frame()
    assert len(frame) == len(table)
    published = frame.groupby(list(case.schema.quasi_identifiers), observed=True).size()
    assert published.min() >= k
    kept = frame[list(case.schema.sensitive)].astype(str).value_counts()
    assert kept.to_dict() == case.frame[list(case.schema.sensitive)].astype(str).value_counts().to_dict()


@given(case=tables(min_rows=4), k=st.integers(2, 4), seed=st.integers(0, 3), data=st.data())
def test_the_order_of_rows_plays_no_part(case: Case, k: int, seed: int, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(case.frame))))
    one = KMember(k, seed=seed).anonymize(case.table())
    other = KMember(k, seed=seed).anonymize(case.table(order))
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())


@given(case=tables(), k=st.integers(1, 5), seed=st.integers(0, 3))
def test_all_clusters_are_the_plain_ones(case: Case, k: int, seed: int) -> None:
    """With the start and the order that the seed gives, leftovers included."""
    table, _, codes, sizes = distinct(case)
    k = min(k, len(table))
    row_of = table.group_rows().class_of
    shuffled = np.random.default_rng(seed).permutation(len(table)).tolist()
    rows = plain_rows(case, codes)
    made = k_member(plain(case), rows, sizes.tolist(), k, int(row_of[shuffled[0]]))
    stacks = {row: [i for i in shuffled if row_of[i] == row] for row in range(len(sizes))}
    clusters = [[stacks[row].pop(0) for row in cluster] for cluster in made]
    twin = Clustering(plain(case), len(table), dict(enumerate(plain_rows(case, table.qi_codes))), {}, clusters)
    for record in [i for i in shuffled if i in stacks[row_of[i]]]:
        twin.insert(record)  # with so large a k no cluster is ever split
    cluster_of = KMember(k, seed=seed).clusters(table)
    assert [sorted(c) for c in clusters] == [np.flatnonzero(cluster_of == c).tolist() for c in range(len(clusters))]


@given(case=tables(min_rows=3), k=st.integers(1, 4))
def test_loss_agrees_with_the_metric(case: Case, k: int) -> None:
    table = case.table()
    k = min(k, len(table))
    release = KMember(k).anonymize(table)
    space = Space.of(table)
    loss = Clusters.around(space, table.qi_codes, release.class_of, release.n_classes).loss()
    rows = plain_rows(case, table.qi_codes)
    members = [[rows[i] for i in np.flatnonzero(release.class_of == c)] for c in range(release.n_classes)]
    assert Fraction(loss, space.scale) == sum(plain(case).loss(x) for x in members)
    if all(len(column.values) == len(set(column.series)) for column in case.quasi if column.kind == "ordered"):
        assert information_loss(release) == pytest.approx(loss / space.scale)
    if k == 1:
        assert loss == 0


def test_equal_records_are_clustered_without_loss() -> None:
    frame = pd.DataFrame({"age": [20] * 6 + [40] * 6 + [60] * 6, "illness": ["flu", "HIV", "cold"] * 6})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    assert information_loss(KMember(3).anonymize(table)) == 0
    assert information_loss(KMember(6).anonymize(table)) == 0
    assert repr(KMember(6, seed=2)) == "KMember(6, seed=2)"


def test_which_of_equal_records_meet_is_chance() -> None:
    """Sorted by their sensitive values, they would fill whole clusters with one value."""
    frame = pd.DataFrame({"age": [20] * 40, "illness": ["flu"] * 20 + ["HIV"] * 20})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    cluster_of = KMember(2).clusters(table)
    mixed = frame.groupby(cluster_of)["illness"].nunique()
    assert (mixed == 2).any()
    assert not np.array_equal(cluster_of, KMember(2, seed=1).clusters(table))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: KMember(0), "k must be at least 1, not 0"),
        (lambda: KMember(2.5), "k must be a whole number, not 2.5"),  # type: ignore[arg-type]
        (lambda: KMember(2, seed=-1), "seed must be at least 0"),
        (lambda: KMember(2).anonymize(pd.DataFrame({"age": [1, 2]})), "needs a ppdp_lab.Microdata, not DataFrame"),
    ],
)
def test_bad_input_is_refused_in_words(make, words) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=words):
        make()


@pytest.mark.parametrize("k", [5, 20, 10**18])
def test_clusters_refuse_what_anonymize_refuses(k: int) -> None:
    frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "HIV"] * 2})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    with pytest.raises(InfeasibleError, match=f"k = {k} is larger than the table of 4 records"):
        KMember(k).clusters(table)
    with pytest.raises(InfeasibleError, match="the table has no records"):
        KMember(k).clusters(table.select([]))
    with pytest.raises(ParameterError, match=r"KMember needs a ppdp_lab.Microdata, not DataFrame"):
        KMember(k).clusters(frame)  # type: ignore[arg-type]
    assert KMember(4).clusters(table).tolist() == [0] * 4
