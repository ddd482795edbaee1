"""What every metric must satisfy. A metric that is not classified here fails the first test."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from metrics.worlds import World, worlds

import ppdp_lab as pl
from ppdp_lab import metrics
from ppdp_lab.errors import ParameterError, PPDPError, PublicationError, SchemaError, UnknownNameError
from ppdp_lab.metrics.base import Metric, metric
from ppdp_lab.metrics.queries import Queries

# a loss is least, an information is greatest where every record is a class of its own
LOSSES = {
    "ail",
    "c_avg",
    "classification_metric",
    "discernibility",
    "gcp",
    "iloss",
    "information_loss",
    "kl_divergence",
    "ncp",
    "non_uniform_entropy",
    "query_error",
}
INFORMATION = {"fem", "precision", "vem"}

# merging two classes, or suppressing a whole one, makes a monotone metric no better
MONOTONE = {
    "ail",
    "c_avg",
    "classification_metric",
    "discernibility",
    "fem",
    "gcp",
    "iloss",
    "information_loss",
    "ncp",
    "non_uniform_entropy",
    "precision",
    "vem",
}
NOT_MONOTONE = {"kl_divergence", "query_error"}

# whether it matters if the same classes are generalized or anatomized
STYLED = {"gcp", "iloss", "kl_divergence", "ncp", "non_uniform_entropy", "precision", "query_error"}
STYLELESS = {"ail", "c_avg", "classification_metric", "discernibility", "fem", "information_loss", "vem"}

NO_METRICS = {
    "METRICS",
    "Metric",
    "Queries",
    "estimates",
    "get",
    "metric",
    "queries_by_selectivity",
    "queries_by_width",
    "query_errors",
    "true_counts",
}

TINY = 1e-9
honest = worlds(counterfeits=False, widened=False, dirty=False)


def parameters(name: str, table: pl.Microdata) -> dict[str, Any]:
    """What a metric needs beside a release."""
    if name == "c_avg":
        return {"k": 2}
    if name == "classification_metric":
        return {"attribute": table.schema.sensitive[0]}
    if name == "query_error":
        return {"queries": metrics.queries_by_width(table, 0.5, n=20, seed=1), "zero": 1}
    return {}


def measure(name: str, release: pl.Release) -> float:
    return metrics.get(name)(release, **parameters(name, release.table))


def no_better(name: str, value: float, than: float) -> bool:
    slack = TINY * max(abs(value), abs(than), 1)
    return value >= than - slack if metrics.get(name).better == "lower" else value <= than + slack


def test_every_metric_is_classified() -> None:
    everything = set(metrics.METRICS)
    assert everything == LOSSES | INFORMATION and not LOSSES & INFORMATION
    assert everything == MONOTONE | NOT_MONOTONE and not MONOTONE & NOT_MONOTONE
    assert everything == STYLED | STYLELESS and not STYLED & STYLELESS
    assert set(metrics.__all__) == everything | NO_METRICS
    for name in everything:
        assert metrics.get(name) is getattr(metrics, name) is metrics.METRICS[name]


@pytest.mark.parametrize("name", sorted(metrics.METRICS))
def test_a_metric_says_what_it_is(name: str) -> None:
    one = metrics.get(name)
    assert one.name == name and one.label and one.reference
    assert one.better == ("lower" if name in LOSSES else "higher")
    assert one.axis == (f"{one.label} ({one.unit})" if one.unit else one.label)
    assert repr(one) == f"<Metric {name}: {one.axis}, {one.better} is better>"
    text = inspect.getdoc(one) or ""
    assert all(part in text for part in ("References\n", "Examples\n", ">>> ", "[1]_"))
    for parameter in list(inspect.signature(one).parameters)[1:]:
        assert parameter in text


@given(worlds())
def test_every_value_lies_within_its_bounds(world: World) -> None:
    release = world.release
    assume(any(not row.dirty for row in world.rows) and (release.class_of >= 0).any())
    for name, one in metrics.METRICS.items():
        given_ = parameters(name, release.table)
        low, high = one.bounds(release, **given_)
        value = one(release, **given_)
        assert math.isfinite(value)
        assert low is None or value >= low - TINY * max(abs(low), 1), name
        assert high is None or value <= high + TINY * max(abs(high), 1), name


@given(honest)
def test_the_original_table_is_best(world: World) -> None:
    table = world.release.table
    for name, one in metrics.METRICS.items():
        original = pl.Release(table, np.arange(len(table)))
        low, high = one.bounds(original, **parameters(name, table))
        reached = low if name in LOSSES else high
        assert measure(name, original) == pytest.approx(reached, abs=TINY), name
        if (world.release.class_of >= 0).any():
            assert no_better(name, measure(name, world.release), measure(name, original)), name


@given(st.data(), honest)
def test_merging_or_suppressing_classes_makes_nothing_better(data: st.DataObject, world: World) -> None:
    release, table = world.release, world.release.table
    assume(release.n_classes >= 2)
    a, b = sorted(data.draw(st.lists(st.integers(0, release.n_classes - 1), min_size=2, max_size=2, unique=True)))
    for number in (a, -1):
        changed = np.where(release.class_of == b, number, release.class_of)
        worse = pl.Release(table, np.where(changed > b, changed - 1, changed), style=release.style)
        for name in MONOTONE:
            assert no_better(name, measure(name, worse), measure(name, release)), name


@given(st.data(), worlds(counterfeits=False, widened=False, dirty=False, anatomized=False))
def test_order_and_numbers_do_not_matter_and_style_only_where_said(data: st.DataObject, world: World) -> None:
    release, table = world.release, world.release.table
    assume(release.n_classes >= 1)
    rows = np.array(data.draw(st.permutations(range(len(table)))))
    number = np.array([*data.draw(st.permutations(range(release.n_classes))), -1])
    shuffled = pl.Release(table.select(rows), number[release.class_of[rows]])
    anatomized = pl.Release(table, release.class_of, style="anatomized")
    for name, one in metrics.METRICS.items():
        given_ = parameters(name, table)
        assert one(shuffled, **given_) == pytest.approx(one(release, **given_), abs=TINY), name
        if name in STYLELESS:
            assert one(anatomized, **given_) == one(release, **given_), name


def table_of_four() -> pl.Microdata:
    frame = pd.DataFrame({"age": [20, 30, 40, 60], "sex": list("FFMM"), "ill": ["flu", "flu", "cold", "flu"]})
    return pl.Microdata(frame, pl.Schema(["age", "sex"], sensitive="ill"))


@pytest.mark.parametrize("name", sorted(metrics.METRICS))
def test_a_metric_refuses_what_is_no_release(name: str) -> None:
    table = table_of_four()
    given_ = parameters(name, table)
    for thing in (table, table.frame, None):
        with pytest.raises(ParameterError, match=f"{name} needs a ppdp_lab.Release"):
            metrics.METRICS[name](thing, **given_)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match=f"{name} needs a ppdp_lab.Release"):
            metrics.METRICS[name].bounds(thing, **given_)  # type: ignore[arg-type]
    nobody = table.select([])
    with pytest.raises(ParameterError, match="table is empty"):
        metrics.METRICS[name](pl.Release(nobody, np.zeros(0, dtype=int)), **given_)


@pytest.mark.parametrize("name", sorted(metrics.METRICS))
def test_styles_matter_where_they_are_said_to(name: str) -> None:
    table = table_of_four()
    classes = np.array([0, 1, 0, 1])
    both = [measure(name, pl.Release(table, classes, style=style)) for style in ("generalized", "anatomized")]
    assert (both[0] != both[1]) == (name in STYLED)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: metrics.ncp(r, weights={"age": 1}), SchemaError, "missing 'sex'"),
        (lambda r: metrics.gcp(r, weights={"age": 1, "sex": 1, "zip": 1}), SchemaError, "unknown 'zip'"),
        (lambda r: metrics.iloss(r, weights={"age": 0, "sex": 1}), ParameterError, "weight of 'age' must be greater"),
        (lambda r: metrics.ncp(r, weights={"age": "1", "sex": 1}), ParameterError, "weight of 'age' must be a number"),
        (lambda r: metrics.c_avg(r, k=0), ParameterError, "k must be greater than 0"),
        (lambda r: metrics.c_avg.bounds(r, k=-1), ParameterError, "k must be greater than 0"),
        (lambda r: metrics.discernibility(r, suppressed="free"), ParameterError, "suppressed must be one of"),
        (lambda r: metrics.classification_metric(r, attribute="age"), ParameterError, "attribute must be one of 'ill'"),
        (lambda r: metrics.ail(r, per="row"), ParameterError, "per must be one of"),
        (lambda r: metrics.query_error(r, "age < 30"), ParameterError, "queries must be metrics.Queries, not str"),
        (lambda r: metrics.get("discernability"), UnknownNameError, "did you mean 'discernibility'"),
        (lambda r: metric("x", better="more", bounds=(0, 1), reference="")(lambda r: 0), ParameterError, "better must"),
    ],
)
def test_wrong_parameters(call: Any, error: type[PPDPError], words: str) -> None:
    with pytest.raises(error, match=words):
        call(pl.Release(table_of_four(), np.array([0, 0, 1, 1])))


def test_averages_over_classes_need_a_class() -> None:
    nothing = pl.Release(table_of_four(), np.full(4, -1))
    with pytest.raises(PublicationError, match="suppresses every record"):
        metrics.c_avg(nothing, k=2)
    with pytest.raises(PublicationError, match="per='record'"):
        metrics.ail(nothing, per="class")
    assert metrics.gcp(nothing) == 1 and metrics.precision(nothing) == 0 and metrics.ail(nothing) == 2
    assert metrics.fem(nothing) == 0 and metrics.vem(nothing) == 0 and metrics.classification_metric(nothing) == 1
    assert metrics.discernibility(nothing) == 16 and math.isfinite(metrics.kl_divergence(nothing))
    queries = Queries.of(nothing.table, [{"age": (20, 30)}])
    assert metrics.query_error(nothing, queries) == 1


def test_a_new_metric_enters_the_list_and_a_wrong_one_does_not() -> None:
    before = dict(metrics.METRICS)
    with metrics.METRICS.trying():

        @metric("rows", unit="rows", better="higher", bounds=(0, None), reference="this test")
        def published_rows(release: pl.Release, *, twice: bool = False) -> float:
            return int(release.sizes.sum()) * (1 + twice)

        assert isinstance(published_rows, Metric) and metrics.get("published_rows") is published_rows
        release = pl.Release(table_of_four(), np.array([0, 0, 1, -1]))
        assert published_rows(release, twice=True) == 6.0 and published_rows.needs == ()
        assert isinstance(published_rows(release), float)
    assert before == dict(metrics.METRICS)
