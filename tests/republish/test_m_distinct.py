"""m-Distinct and m-Distinct*: on random streams nothing is ever ruled out; what cannot be kept is refused in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from republish.lives import same_but_for_names, same_release
from republish.updating import NAMES, judge, publish_all, updating

import ppdp_lab as pl
from ppdp_lab.attacks import Background, audit_series, intersection, risks_over_time, update_risks
from ppdp_lab.datasets.examples import mdistinct
from ppdp_lab.errors import BrokenRuleError, InfeasibleError, ParameterError, SchemaError
from ppdp_lab.republish import census_updates
from ppdp_lab.republish.buckets.update_sets import UpdateSets

WAYS = st.sampled_from(["apart", "scored"])


def seen(releases: list[tuple[int, pl.Release]], model: pl.UpdateModel) -> tuple[list[pl.Published], Background]:
    """The published side and the worst-case adversary, who knows how many releases lie between."""
    made = [release for _, release in releases]
    known = Background.worst_case(made)
    times = [number for number, _ in releases]
    known = Background(known.ids, known.releases, known.qi_domains, model=model, times=times)
    return [release.published() for release in made], known


@given(updating(), st.integers(2, 3), WAYS, st.integers(0, 99))
def test_random_streams_stay_m_distinct(world, m: int, way: str, seed: int) -> None:
    """Definition 15 recounted, and Lemma 3: no node is ever pruned, so no version is vulnerable."""
    model, tables = world
    releases = publish_all(pl.MDistinct(m, model=model, seed=seed, new_records=way), tables)
    judge(releases, model, m)
    if releases:
        series, background = seen(releases, model)
        for found in risks_over_time(series, background):
            assert (found.candidates == found.nodes).all() and (found.candidates >= m).all() and not found.succeeds
        assert not intersection(series, background, least=m).succeeds
        assert audit_series(series, background, pl.DistinctLDiversity(m))


@given(updating(), st.integers(2, 3), WAYS, st.integers(0, 99))
def test_lemma_4_the_star_keeps_every_risk_at_1_over_m(world, m: int, way: str, seed: int) -> None:
    model, tables = world
    releases = publish_all(pl.MDistinct(m, model=model, star=True, seed=seed, new_records=way), tables)
    judge(releases, model, m, star=True)
    if releases:
        series, background = seen(releases, model)
        for found in risks_over_time(series, background):
            assert found.republication_risk <= 1 / m + 1e-9


@given(updating(legal=False), st.integers(2, 3), st.integers(0, 99))
def test_updates_that_the_model_does_not_allow(world, m: int, seed: int) -> None:
    model, tables = world
    releases = publish_all(pl.MDistinct(m, model=model, seed=seed, on_invalid="suppress"), tables)
    judge(releases, model, m)
    strict = pl.MDistinct(m, model=model, seed=seed)
    before: pl.Release | None = None
    for table in tables[:2]:
        try:
            before = strict.publish(table)
        except InfeasibleError as error:
            if "cannot become by the update model" not in str(error):
                return
            assert before is not None and len(error.ids)
            then, now = before.table.frame["ill"], table.frame["ill"]
            expected = [who for who in now.index if who in then.index and now[who] not in model.may_become(then[who])]
            assert sorted(error.ids) == sorted(expected)


@given(updating(), st.integers(2, 3), st.booleans(), st.integers(0, 99))
def test_save_and_load_change_nothing(world, m: int, star: bool, seed: int) -> None:
    import tempfile

    model, tables = world
    steady, moved = (pl.MDistinct(m, model=model, star=star, seed=seed) for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        for table in tables:
            results = []
            for one in (steady, moved):
                try:
                    results.append(one.publish(table))
                except InfeasibleError as error:
                    results.append(str(error))
            if isinstance(results[0], str):
                assert results[0] == results[1]
            else:
                same_release(*results)
            moved.save(Path(folder) / "memory.npz")
            moved = pl.MDistinct.load(Path(folder) / "memory.npz")
            assert moved.model == model and moved == steady


@given(updating(), st.integers(0, 99))
def test_the_order_of_rows_decides_nothing(world, seed: int) -> None:
    model, tables = world
    rng = np.random.default_rng(seed)
    shuffled = [table.select(rng.permutation(len(table))) for table in tables]
    both = [publish_all(pl.MDistinct(2, model=model, seed=seed), some) for some in (tables, shuffled)]
    for (_, one), (_, other) in zip(*both, strict=True):
        same_release(one, other)
        classes = [dict(zip(release.records, release.group_of_class[release.class_of])) for release in (one, other)]
        assert classes[0] == classes[1]


def test_the_papers_tables_go_through() -> None:
    model = pl.UpdateModel.blocks(sorted(sorted(block) for block in mdistinct.candidate_update_sets()))
    for seed in range(5):
        publisher = pl.MDistinct(2, model=model, seed=seed)
        releases = [publisher.publish(table) for table in (mdistinct.table_1(), mdistinct.table_2())]
        background = Background.worst_case(releases).with_model(model)
        found = update_risks([release.published() for release in releases], background)
        assert not found.succeeds and (found.candidates == found.nodes).all() and (found.nodes >= 2).all()


def test_without_a_model_it_is_m_invariance() -> None:
    """Section III-C: where no value changes, a legal update instance is the same set of values again."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 90), "ill": np.resize(NAMES[:5], 90)})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    releases = []
    publisher = pl.MDistinct(3, seed=1)
    for snapshot in pl.UpdateStream(table, initial=50, deletes=10, inserts=10, updates=3, seed=2):
        releases.append(publisher.publish(snapshot))
    background = Background.worst_case(releases)
    assert not intersection([r.published() for r in releases], background, least=3).succeeds
    with pytest.raises(InfeasibleError, match="cannot become by the update model"):
        publisher.publish(releases[-1].table.with_codes(sensitive_codes=(releases[-1].table.sensitive_codes + 1) % 5))


def test_counterfeits_are_counted_and_named_from_their_entries() -> None:
    model = pl.UpdateModel.blocks([["flu", "cold", "cough"], ["gout", "rash"]])

    def table(**ill: str) -> pl.Microdata:
        frame = pd.DataFrame({"age": np.arange(len(ill)) + 30, "ill": list(ill.values())}, index=list(ill))
        domains = {"ill": ["flu", "cold", "cough", "gout", "rash"]}
        return pl.Microdata(frame, pl.Schema("age", sensitive="ill", domains=domains))

    names = set()
    for seed in range(20):
        publisher = pl.MDistinct(2, model=model, seed=seed)
        publisher.publish(table(Ann="flu", Bob="gout"))
        release = publisher.publish(table(Ann="cold"))
        assert release.counterfeit_statistics().iloc[:, 1].tolist() == [1] and len(release.counterfeits) == 1
        names.add(release.counterfeits["ill"].iloc[0])
    assert names == {"gout", "rash"}


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="'a' cannot stay; MDistinct needs values that may stay"):
        pl.MDistinct(2, model=pl.UpdateModel(["a", "b"], [[1], [1]]))
    with pytest.raises(ParameterError, match=r"model must be a ppdp_lab\.UpdateModel"):
        pl.MDistinct(2, model=[["a"]])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="star must be True or False"):
        pl.MDistinct(2, star=1)  # type: ignore[arg-type]
    frame = pd.DataFrame({"age": range(8), "ill": [*"abcdabcd"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    with pytest.raises(SchemaError, match="does not say what 'c', 'd' of column 'ill' may become"):
        pl.MDistinct(2, model=pl.UpdateModel.blocks([["a", "b"]])).publish(table)
    with pytest.raises(InfeasibleError, match="has 2 parts that never meet; 'a', 'b' have 4 of 8"):
        pl.MDistinct(3, model=pl.UpdateModel.in_blocks([*"abcd"], 2), star=True).publish(table)
    with pytest.raises(InfeasibleError, match=r"'a' has 2 of 8 \(25.0%\) in release 0; lower m"):
        pl.MDistinct(5, model=pl.UpdateModel.in_blocks([*"abcd"], 2)).publish(table)
    both = pl.Schema("age", sensitive=["ill", "pay"])
    with pytest.raises(SchemaError, match="exactly one sensitive column; this table has 2"):
        pl.MDistinct(2).publish(pl.Microdata(frame.assign(pay=1), both))


def test_a_release_that_is_not_m_distinct_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check shares nothing with the algorithm: one that takes every update to be possible does not get past it."""
    frame = pd.DataFrame({"age": range(24), "ill": np.resize([*"abcd"], 24)})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    publisher = pl.MDistinct(2, seed=1)
    publisher.publish(table)
    with monkeypatch.context() as patch:
        patch.setattr(UpdateSets, "reach", lambda self, steps: np.ones((4, 4), dtype=bool))
        with pytest.raises(BrokenRuleError, match="no legal update instance"):
            publisher.publish(table.select(np.r_[1:24, 0]).with_codes(qi_codes=table.qi_codes[:, np.r_[12:24, 0:12]]))
    assert publisher.number == 1 and publisher.publish(table).n_classes == 12
    star = pl.MDistinct(2, model=pl.UpdateModel.in_blocks([*"abcd"], 2), star=True, seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(UpdateSets, "apart", lambda self: np.arange(4))
        with pytest.raises(BrokenRuleError, match="hold values that can become the same"):
            star.publish(table.select(table.frame["ill"].isin(["a", "b"]).to_numpy()))


def test_the_papers_stream_at_small_scale() -> None:
    """Census rows, all columns changing: no counterfeit where new records are kept apart, and names are chance."""
    table = pl.datasets.load("occ-mdistinct", rows=6_000)
    models = census_updates(table, 10)
    said = dict(initial=2_000, deletes=200, inserts=500, updates=3, model=models, changes=500, seed=1)
    stream = list(pl.UpdateStream(table, **said))
    publishers = [pl.MDistinct(4, model=models["occupation"], seed=2) for _ in range(2)]
    series = [[publisher.publish(snapshot) for snapshot in stream] for publisher in publishers]
    assert all(len(release.counterfeits) == 0 for release in series[0])
    names: dict[int, int] = {}
    for one, other in zip(*series):
        same_but_for_names(one, other, names)
    background = Background.worst_case(series[0]).with_model(models["occupation"])
    found = update_risks([r.published() for r in series[0]], background, truth=[r.table for r in series[0]])
    assert not found.succeeds and (found.candidates >= 4).all() and found.risk is not None
    bare = pl.MDistinct(4, model=models["occupation"], seed=2)  # a bare Microdata finds its updated records by itself
    for snapshot, release in zip(stream, series[0]):
        same_release(bare.publish(snapshot.table), release)


def test_more_values_than_an_update_model_can_compare_are_an_error() -> None:
    n = 100_000
    frame = pd.DataFrame({"age": np.arange(n) % 50, "illness": [f"v{i}" for i in range(n)]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    for model in (None, pl.UpdateModel.in_blocks(table.sensitive_domains[0].labels, 2)):
        publisher = pl.MDistinct(2, model=model)
        with pytest.raises(
            ParameterError, match="100,000 values are more than the limit of 5,000; use a column with fewer"
        ):
            publisher.publish(table)
        assert publisher.number == 0
