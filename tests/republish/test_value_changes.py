"""Streams in which values change: ages up to the top of their domain, columns by their meaning, sensitive values in blocks."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab.errors import ParameterError, PPDPError, SchemaError
from ppdp_lab.republish import Snapshot, ageing, census_updates

SIZES = {"initial": 400, "deletes": 40, "inserts": 100, "updates": 4, "seed": 3}


@pytest.fixture(scope="module")
def census() -> pl.Microdata:
    return pl.datasets.load("occ-mdistinct", rows=1_000)


def test_everything_changes_as_its_model_says(census: pl.Microdata) -> None:
    models = census_updates(census, 10)
    tables = [snapshot.table for snapshot in pl.UpdateStream(census, **SIZES, model=models, changes=100)]
    top = len(census.domains["age"]) - 1
    moved = 0
    for before, after in itertools.pairwise(tables):
        stayed = before.ids.intersection(after.ids)
        rows = [table.ids.get_indexer(stayed) for table in (before, after)]
        then, now = (table.codes("age")[at] for table, at in zip((before, after), rows))
        assert (now == np.minimum(then + 1, top)).all()
        assert (before.codes("gender")[rows[0]] == after.codes("gender")[rows[1]]).all()
        for name in ("marital", "education", "occupation"):
            domain = census.domains[name]
            then, now = (table.codes(name)[at] for table, at in zip((before, after), rows))
            assert models[name].over(domain, models[name].reach(1))[then, now].all()
            moved += int((then != now).sum()) if name == "occupation" else 0
            assert (then // 10 == now // 10).all() if name == "occupation" else True
            assert (now >= then).all() if name == "education" else True
    assert 4 * 60 < moved <= 4 * 100  # nine in ten of those drawn anew get another value


def test_updated_ids_are_those_whose_codes_changed(census: pl.Microdata) -> None:
    for model in (census_updates(census, 5), census_updates(census, 5)["occupation"]):
        before = None
        for snapshot in pl.UpdateStream(census, **SIZES, model=model, changes=50):
            found = Snapshot.after(before, snapshot.table, snapshot.number)
            assert sorted(found.updated) == sorted(snapshot.updated)
            assert sorted(found.inserted) == sorted(snapshot.inserted) and sorted(found.deleted) == sorted(
                snapshot.deleted
            )
            before = snapshot.table
        assert len(snapshot.updated) > 0


def test_who_comes_and_goes_does_not_depend_on_the_model(census: pl.Microdata) -> None:
    still, moving = (list(pl.UpdateStream(census, **SIZES, **more)) for more in ({}, {"model": census_updates(census)}))
    assert [s.table.ids.tolist() for s in still] == [s.table.ids.tolist() for s in moving]
    again = list(pl.UpdateStream(census, **SIZES, model=census_updates(census)))
    assert [s.table.fingerprint() for s in again] == [s.table.fingerprint() for s in moving]
    assert "values change" in repr(pl.UpdateStream(census, **SIZES, model=census_updates(census)))
    everybody = pl.UpdateStream(census, **SIZES, model=census_updates(census, 50)["occupation"])
    assert len(list(everybody)[1].updated) > 0.9 * 360


def test_the_table_itself_is_left_alone(census: pl.Microdata) -> None:
    before = census.fingerprint()
    list(pl.UpdateStream(census, **SIZES, model=census_updates(census)))
    assert census.fingerprint() == before


def test_learned_models_come_back(census: pl.Microdata) -> None:
    """What a stream does can be learned from its tables."""
    tables = [s.table for s in pl.UpdateStream(census, **SIZES, model=census_updates(census, 2)["occupation"])]
    learned, blocks = pl.UpdateModel.learned(tables), census_updates(census, 2)["occupation"]
    assert all(set(learned.may_become(v)) <= set(blocks.may_become(v)) for v in learned.values)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"changes": 5}, "changes without a model"),
        ({"model": 3}, "model must be an UpdateModel or a dict"),
        ({"model": {"age": 3}}, "the update model of 'age' must be a ppdp_lab.UpdateModel"),
        ({"model": {"job": pl.UpdateModel.constant(["a"])}}, "'job', which are no columns"),
        ({"model": pl.UpdateModel.constant(["a"])}, "does not say what"),
        ({"model": {}, "changes": -1}, "changes must be at least 0"),
    ],
)
def test_what_is_no_model_is_refused(census: pl.Microdata, more: dict, words: str) -> None:
    with pytest.raises(PPDPError, match=words):
        pl.UpdateStream(census, **SIZES, **more)


def test_models_and_tables_that_do_not_fit() -> None:
    frame = pd.DataFrame({"age": [30, 31, 40], "ill": ["a", "b", "a"], "pay": [1, 2, 1]})
    table = pl.Microdata(frame[["age", "ill"]], pl.Schema("age", sensitive="ill"))
    assert ageing(table.qi_domains[0]).absorbing == ["40"]  # the top stays
    away = pl.UpdateModel(["a", "b", "c"], [[2], [1], [2]])
    with pytest.raises(SchemaError, match="'a' of 'ill' can only become what the table does not have"):
        pl.UpdateStream(table, initial=2, deletes=0, inserts=0, updates=1, model=away)
    two = pl.Microdata(frame, pl.Schema("age", sensitive=["ill", "pay"]))
    with pytest.raises(SchemaError, match="a single update model needs one sensitive column"):
        pl.UpdateStream(two, initial=2, deletes=0, inserts=0, updates=1, model=pl.UpdateModel.constant(["a", "b"]))
    with pytest.raises(SchemaError, match="internal updates need one sensitive column"):
        census_updates(two)
    with pytest.raises(ParameterError, match=r"needs a ppdp_lab\.Microdata"):
        census_updates(frame)  # type: ignore[arg-type]
    assert ageing(table.qi_domains[0]).may_become(31) == ["40"]  # the next value there is
    both = pl.UpdateStream(
        two, initial=3, deletes=0, inserts=0, updates=1, model={"pay": pl.UpdateModel([1, 2], [[1], [0]])}
    )
    assert list(both)[1].table.codes("pay").tolist() == [1, 0, 1]
