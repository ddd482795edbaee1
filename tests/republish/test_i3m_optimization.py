"""IL_Optimization on arbitrary clusterings, beside the plain procedure of the paper's Figure 3."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_clusters import Clustering, Space, plain_rows, tables
from strategies import Case, cases

import ppdp_lab as pl
from ppdp_lab.anonymize._clusters import Clusters
from ppdp_lab.errors import ParameterError
from ppdp_lab.metrics import information_loss
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.republish import _il_optimization as kernels
from ppdp_lab.republish.optimization import (
    breaks,
    clustering_of,
    covering_classes,
    il_optimization,
    optimize_clusters,
    totally_covered,
)


@st.composite
def clusterings(draw: st.DrawFn, exact: bool = True) -> tuple[Case, Release]:
    """A table in classes that overlap a good deal; some records may be suppressed."""
    case = draw(tables(min_rows=2) if exact else cases(max_rows=24))
    n = len(case.frame)
    raw = np.array(draw(st.lists(st.integers(-1, 5), min_size=n, max_size=n)))
    class_of = np.full(n, -1)
    class_of[raw >= 0] = np.unique(raw[raw >= 0], return_inverse=True)[1]
    return case, Release(case.table(), class_of)


def twin(case: Case, release: Release) -> Clustering:
    rows = dict(enumerate(plain_rows(case, release.table.qi_codes)))
    clusters = [np.flatnonzero(release.class_of == c).tolist() for c in range(release.n_classes)]
    return Clustering(Space(case.quasi), 1, rows, {i: i for i in rows}, clusters)


def _spans_its_domains(table: pl.Microdata) -> bool:
    """Whether the smallest and largest value of every number's domain occur: ordered categories may go unused."""
    return all(
        domain.kind != "ordered" or (codes.min() == 0 and codes.max() == len(domain) - 1)
        for codes, domain in zip(table.qi_codes, table.qi_domains)
    )


@given(clustering=clusterings())
def test_it_does_what_figure_3_says(clustering: tuple[Case, Release]) -> None:
    case, release = clustering
    plain = twin(case, release)
    assert totally_covered(release).tolist() == sorted(
        (c for c in range(release.n_classes) if all(plain.coverers(c, r) for r in plain.clusters[c])),
        key=lambda c: -plain.space.loss(plain.values(c)),
    )
    plain.optimize()
    plain.close_gaps()
    optimized = il_optimization(release)
    expected = np.full(len(release.class_of), -1)
    for c, members in enumerate(plain.clusters):
        expected[members] = c
    assert optimized.class_of.tolist() == expected.tolist()


@given(clustering=clusterings())
def test_what_it_leaves_is_what_a_fresh_count_finds(clustering: tuple[Case, Release]) -> None:
    space, clusters, records = clustering_of(clustering[1])
    broken = optimize_clusters(space, records, clusters)
    fresh = Clusters.around(space, records.codes.view(np.int32), records.cluster_of, len(clusters.size))
    alive = fresh.size > 0
    assert broken == np.sum(~alive) and not clusters.size[~alive].any()
    for name, kept, found in zip(Clusters._fields, clusters, fresh):
        np.testing.assert_array_equal(kept[..., alive], found[..., alive], err_msg=name)


def test_a_record_may_come_from_elsewhere_below_the_same_node() -> None:
    """Bari lies outside the leaves Pisa and Rome, and still Italy, the node above them, covers it."""
    tree = pl.Hierarchy.from_dict({"Italy": ["Bari", "Pisa", "Rome"], "Peru": ["Lima"]})
    frame = pd.DataFrame({"city": ["Pisa", "Rome", "Bari", "Lima", "Lima", "Lima"]})
    release = Release(pl.Microdata(frame, pl.Schema("city"), {"city": tree}), np.array([0, 0, 1, 1, 2, 2]))
    assert il_optimization(release).class_of.tolist() == [0, 0, 0, 1, 1, 1]
    space, clusters, records = clustering_of(release)
    optimize_clusters(space, records, clusters)
    assert clusters.low[0].tolist() == [0, 0, 3] and clusters.high[0, 0] == 2


@given(clustering=clusterings(exact=False))
def test_it_never_raises_loss_nor_shrinks_a_class(clustering: tuple[Case, Release]) -> None:
    _, release = clustering
    optimized = il_optimization(release)
    if _spans_its_domains(release.table):  # the metric's lengths are shares of the table's, ours of the domain's
        assert information_loss(optimized) <= information_loss(release) + 1e-6
    assert clustering_of(optimized)[1].loss() <= clustering_of(release)[1].loss()
    assert ((optimized.class_of < 0) == (release.class_of < 0)).all()
    if release.n_classes:
        assert optimized.sizes.min() >= release.sizes.min()
        # a class that is left holds all its old members
        for c in range(optimized.n_classes):
            old = release.class_of[optimized.class_of == c]
            assert any((optimized.class_of[release.class_of == o] == c).all() for o in set(old))


@given(clustering=clusterings())
def test_breaks_are_all_breaks_and_the_first_is_optimal(clustering: tuple[Case, Release]) -> None:
    case, release = clustering
    plain = twin(case, release)
    for cls in range(release.n_classes):
        found = covering_classes(release, cls)
        assert {r: sorted(c) for r, c in found.items()} == {
            r: sorted(plain.coverers(cls, r)) for r in plain.clusters[cls]
        }
        ways = int(np.prod([len(c) for c in found.values()]))
        some = list(islice(breaks(release, cls), 50))
        assert len(some) == min(ways, 50)
        if not some:
            assert cls not in totally_covered(release)
            continue
        assert some[0].loss_after == min(b.loss_after for b in some)
        if some[0].interesting:  # Property 1: then so is every optimal break
            assert all(b.interesting for b in some if b.loss_after == some[0].loss_after)
        for one in some[:3]:
            after = one.release()
            assert after.n_classes == release.n_classes - 1
            if not len(release.suppressed) and _spans_its_domains(release.table):
                assert information_loss(release) == pytest.approx(one.loss_before)
                assert information_loss(after) == pytest.approx(one.loss_after)


@given(clustering=clusterings())
def test_the_list_of_all_clusters_finds_the_same(clustering: tuple[Case, Release]) -> None:
    """Where no column's lists fit in memory, one list of all clusters serves."""
    _, release = clustering
    expected = il_optimization(release).class_of.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_MOST_LISTED", 0)
        assert il_optimization(release).class_of.tolist() == expected


def test_it_takes_what_others_made_and_keeps_what_belongs_to_it() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 60), "height": rng.integers(150, 190, 60), "illness": "flu"})
    table = pl.Microdata(frame, pl.Schema(["age", "height"], sensitive="illness"))
    release = pl.Mondrian(pl.KAnonymity(3)).anonymize(table)
    optimized = il_optimization(release)
    assert optimized.checked(pl.KAnonymity(3)) is optimized
    assert optimized.method.startswith("il_optimization of Mondrian(")
    numbered = Release(table, release.class_of, grouped=True, pseudonyms=np.arange(60))
    again = il_optimization(numbered)
    assert again.grouped and again.pseudonyms is numbered.pseudonyms


def test_it_keeps_rows_and_rule_and_loses_no_more() -> None:
    table = pl.datasets.load("adult-i3m", rows=400)
    rule = pl.KAnonymity(4)
    release = pl.KMember(4, seed=1).anonymize(table)
    better = il_optimization(release)
    assert better.checked(rule) is better and better.table is release.table
    assert ((better.class_of < 0) == (release.class_of < 0)).all()
    assert information_loss(better) <= information_loss(release)


def test_bad_input_is_refused_in_words() -> None:
    frame = pd.DataFrame({"age": [20, 30, 40, 50], "illness": ["flu", "HIV"] * 2})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    release = Release(table, np.array([0, 0, 1, 1]))
    with pytest.raises(ParameterError, match=r"given as a ppdp_lab\.Release, not as DataFrame"):
        il_optimization(frame)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="exact quasi-identifiers; only a generalized one"):
        il_optimization(pl.Anatomy(2).anonymize(table))
    fake = Counterfeits(np.array([0], dtype=np.int32), *(np.zeros((1, 1), dtype=np.int32) for _ in range(2)))
    with pytest.raises(ParameterError, match="publishes counterfeits"):
        totally_covered(Release(table, release.class_of, counterfeits=fake))
    for call in (covering_classes, lambda r, c: next(breaks(r, c))):
        with pytest.raises(ParameterError, match="cls must be at most 1, not 2"):
            call(release, 2)
