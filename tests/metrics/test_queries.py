"""Count queries as they are written, drawn and refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Case, cases

import ppdp_lab as pl
from ppdp_lab.errors import ParameterError, PPDPError, SchemaError
from ppdp_lab.metrics.accuracy import query_error, query_errors
from ppdp_lab.metrics.queries import Queries, estimates, queries_by_selectivity, queries_by_width, true_counts


def small_table() -> pl.Microdata:
    frame = pd.DataFrame(
        {
            "age": [20, 30, 40, 60],
            "born": pd.to_datetime(["2000-01-01", "1990-06-01", "1980-06-01", "1960-06-01"]),
            "school": pd.Categorical(
                ["none", "high", "basic", "high"], categories=["none", "basic", "high"], ordered=True
            ),
            "place": ["Rome", "Turin", "Paris", "Paris"],
            "height": [160, 170, 180, 190],
            "sex": ["F", "M", "F", "M"],
            "illness": ["flu", "flu", "cold", "HIV"],
        }
    )
    trees = {
        "place": pl.Hierarchy.from_dict({"Italy": ["Rome", "Turin"], "France": ["Paris"]}),
        "height": pl.Hierarchy.intervals(range(160, 191, 10), widths=[20]),
    }
    return pl.Microdata(frame, pl.Schema(list(frame.columns[:-1]), sensitive="illness"), trees)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 4),
        ({"age": (25, 45)}, 2),
        ({"age": (30, 30)}, 1),
        ({"age": 30}, 1),
        ({"age": [20, 60.0]}, 2),
        ({"born": ("1980-01-01", "1995-01-01")}, 2),
        ({"born": "1990-06-01"}, 1),
        ({"school": ("basic", "high")}, 3),
        ({"school": {"none", "high"}}, 3),
        ({"place": "Italy"}, 2),
        ({"place": ["Rome", "France"]}, 3),
        ({"place": "*"}, 4),
        ({"height": (165, 185)}, 2),
        ({"sex": "F", "illness": ["flu", "HIV"]}, 1),
        ({"age": (25, 99), "place": "Paris", "illness": "cold"}, 1),
        ({"age": (35, 45), "sex": "M"}, 0),
    ],
)
def test_written_queries(query: dict[str, Any], count: int) -> None:
    table = small_table()
    assert true_counts(table, Queries.of(table, [query])).tolist() == [count]


def test_durations_and_moments_with_a_zone_are_ranges_too() -> None:
    frame = pd.DataFrame(
        {
            "stay": pd.to_timedelta([1, 5, 9], unit="D"),
            "seen": pd.to_datetime(["2020-01-01", "2020-06-01", "2021-01-01"]).tz_localize("UTC"),
        }
    )
    table = pl.Microdata(frame, pl.Schema(["stay", "seen"]))
    march = pd.Timestamp("2020-03-01", tz="UTC")
    queries = Queries.of(table, [{"stay": ("2D", "9D")}, {"seen": (march, pd.Timestamp("2022-01-01", tz="UTC"))}])
    assert true_counts(table, queries).tolist() == [2, 2]
    with pytest.raises(ParameterError, match="is no range of 'seen'"):
        Queries.of(table, [{"seen": ("2020-03-01", "2022-01-01")}])


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        ({"agee": 3}, SchemaError, "query 0 asks for 'agee'; the table has 'age', 'born'"),
        ({"age": (1, 2, 3)}, ParameterError, "a range of 'age' is a pair"),
        ({"age": (61, 99)}, ParameterError, "query 0 selects no value of 'age'"),
        ({"age": ("a", "b")}, ParameterError, "end of a range of 'age' must be a number"),
        ({"age": 31}, ParameterError, "31 is no value of 'age'"),
        ({"age": []}, ParameterError, "selects no value of 'age'"),
        ({"sex": ("F", "M")}, ParameterError, "'sex' is not ordered"),
        ({"place": ("Rome", "Turin")}, ParameterError, "'place' is not ordered"),
        ({"place": "Spain"}, ParameterError, "'Spain' is no value of 'place'"),
        ({"school": ("basic", "phd")}, ParameterError, "is no range of 'school'"),
        ({"born": (["x"], "1990-06-01")}, ParameterError, "is no range of 'born'"),
    ],
)
def test_refused_queries(query: dict[str, Any], error: type[PPDPError], words: str) -> None:
    with pytest.raises(error, match=words):
        Queries.of(small_table(), [query])


def test_queries_in_words_and_in_part() -> None:
    table = small_table()
    queries = Queries.of(table, [{"age": (25, 45), "sex": "F"}, {}, {"place": "Italy"}])
    assert [queries.words(i) for i in range(3)] == [
        "age in {30, 40} and sex in {F}",
        "every record",
        "place in {Rome, Turin}",
    ]
    assert repr(queries) == "<3 count queries on age, born, school, place, height, sex, illness>"
    assert true_counts(table, queries.take([2, 0])).tolist() == true_counts(table, queries)[[2, 0]].tolist() == [2, 1]
    with pytest.raises(ParameterError, match="no queries"):
        Queries.of(table, [])


def test_queries_are_asked_of_the_table_they_were_made_for() -> None:
    table = small_table()
    queries = Queries.of(table, [{"age": (25, 45)}])
    fewer = table.select([0, 1])
    assert true_counts(fewer, queries).tolist() == [1]
    ages = pl.Schema("age")
    other = pl.Microdata(pd.DataFrame({"age": [20, 30]}), ages)
    alike = pl.Microdata(pd.DataFrame({"age": [30, 20, 20]}), ages)
    with pytest.raises(SchemaError, match="the table has 'age'"):
        true_counts(other, queries)
    with pytest.raises(SchemaError, match="other values of 'age'"):
        true_counts(pl.Microdata(pd.DataFrame({"age": [20, 31]}), ages), Queries.of(other, [{}]))
    assert true_counts(alike, Queries.of(other, [{"age": 20}])).tolist() == [2]
    with pytest.raises(SchemaError, match="the table has 'age'"):
        estimates(pl.Release(other, np.array([0, 0])), queries)
    with pytest.raises(ParameterError, match="a Release or what it published, not Microdata"):
        estimates(table, queries)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="queries must be metrics"):
        true_counts(table, [{"age": 20}])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"true counts come from a ppdp_lab.Microdata, not DataFrame"):
        true_counts(table.frame, queries)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"age": (1, 2)}, "queries are a list of dictionaries, not dict; put a single one into a list"),
        (5, "a list of dictionaries, not int"),
        ([{"age": 20}, "age"], "query 1 must be a dictionary of attribute to condition, not 'age'"),
    ],
)
def test_conditions_of_the_wrong_kind(conditions: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Queries.of(small_table(), conditions)
    with pytest.raises(ParameterError, match=r"queries are about a ppdp_lab.Microdata, not DataFrame"):
        Queries.of(small_table().frame, conditions)  # type: ignore[arg-type]


def test_members_must_fit_the_table() -> None:
    table = pl.Microdata(pd.DataFrame({"age": range(70), "illness": ["flu", "HIV"] * 35}), pl.Schema("age", "illness"))
    whole = {"age": np.ones((2, 70), dtype=bool), "illness": np.ones((2, 2), dtype=bool)}
    assert true_counts(table, Queries.of_members(table, whole)).tolist() == [70, 70]
    with pytest.raises(ParameterError, match=r"members of 'age' have shape \(2, 3\), not \(2, 70\)"):
        Queries.of_members(table, whole | {"age": np.ones((2, 3), dtype=bool)})
    with pytest.raises(ParameterError, match=r"members of 'illness' have shape \(1, 2\), not \(2, 2\)"):
        Queries.of_members(table, whole | {"illness": np.ones((1, 2), dtype=bool)})
    with pytest.raises(SchemaError, match="members are given for 'age'; the table has 'age', 'illness'"):
        Queries.of_members(table, {"age": whole["age"]})


# ---------------------------------------------------------------------- workloads
def held(queries: Queries) -> dict[str, np.ndarray]:
    return {column.domain.name: column.leaf_counts() for column in queries.columns}


@given(cases(), st.floats(0.01, 1), st.sampled_from(["range", "value", "any"]), st.integers(0, 5))
def test_ranges_have_the_width_that_was_asked_for(case: Case, theta: float, sensitive: str, seed: int) -> None:
    table = case.table()
    queries = queries_by_width(table, theta, n=15, sensitive=sensitive, seed=seed)
    assert len(queries) == 15
    for column, width in zip(queries.columns, held(queries).values()):
        domain = column.domain
        expected = max(1, int(theta * len(domain) + 0.5))
        if domain.name in case.schema.sensitive:
            expected = {"range": expected, "value": 1, "any": len(domain)}[sensitive]
        assert (width == expected).all()
        if domain.kind != "set":  # a range, not a scattered set
            codes = [np.flatnonzero(row) for row in column.members()]
            assert all(row[-1] - row[0] + 1 == len(row) for row in codes)


@given(cases(), st.integers(0, 5))
def test_a_seed_decides_the_queries(case: Case, seed: int) -> None:
    table = case.table()
    for make in (
        lambda s: queries_by_width(table, 0.4, n=20, seed=s),
        lambda s: queries_by_selectivity(table, 0.3, n=20, seed=s),
        lambda s: queries_by_selectivity(table, 0.01, n=20, seed=s, aim="domain", sensitive="range"),
    ):
        once, again = make(seed), make(seed)
        assert all((a.bits == b.bits).all() for a, b in zip(once.columns, again.columns))


def uniform_table(n: int = 4000) -> pl.Microdata:
    chance = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": chance.integers(0, 60, n),
            "zip": chance.integers(0, 40, n),
            "ill": chance.integers(0, 10, n).astype(str),
        }
    )
    return pl.Microdata(frame, pl.Schema(["age", "zip"], sensitive="ill"))


def test_another_seed_gives_other_queries_and_ranges_lie_everywhere() -> None:
    table = uniform_table()
    one, two = (queries_by_width(table, 0.1, n=2000, seed=seed) for seed in (1, 2))
    assert not (one.qi[0].bits == two.qi[0].bits).all()
    first = one.qi[0].members().argmax(axis=1)
    seen = np.bincount(first, minlength=55)
    assert len(seen) == 55 and seen.min() > 10 and seen.max() < 80  # 2000 over 55 places


@pytest.mark.parametrize("selectivity", [0.002, 0.01, 0.05])
def test_queries_reach_their_selectivity(selectivity: float) -> None:
    table = uniform_table()
    exact = true_counts(table, queries_by_selectivity(table, selectivity, n=200, seed=3)) / len(table)
    assert (exact > 0).all()
    assert abs(np.median(exact) - selectivity) <= 0.2 * selectivity
    spread = queries_by_selectivity(table, selectivity, n=400, seed=3, aim="domain", sensitive="range")
    mean = (true_counts(table, spread) / len(table)).mean()
    assert abs(mean - selectivity) <= 0.5 * selectivity
    assert held(queries_by_selectivity(table, selectivity, n=5))["ill"].tolist() == [1] * 5


def test_no_nearer_query_was_passed_over() -> None:
    table = uniform_table(500)
    wide = queries_by_selectivity(table, 1.0, n=10, sensitive="any")
    assert true_counts(table, wide).tolist() == [500] * 10
    narrow = queries_by_selectivity(table, 1e-9, n=10)
    assert all((width == 1).all() for width in held(narrow).values())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: queries_by_width(t, 0), "theta must be greater than 0"),
        (lambda t: queries_by_width(t, 1.5), "theta must be at most 1"),
        (lambda t: queries_by_width(t, 0.5, n=0), "n must be at least 1"),
        (lambda t: queries_by_width(t, 0.5, n=2.5), "n must be a whole number"),
        (lambda t: queries_by_width(t, 0.5, sensitive="all"), "sensitive must be one of"),
        (lambda t: queries_by_width(t, 0.5, seed=-1), "seed must be at least 0"),
        (lambda t: queries_by_width(t.frame, 0.5), "queries are made from a ppdp_lab.Microdata"),
        (lambda t: queries_by_width(t.select([]), 0.5), "with records"),
        (lambda t: queries_by_selectivity(t, 0), "selectivity must be greater than 0"),
        (lambda t: queries_by_selectivity(t, 0.1, aim="data"), "aim must be one of"),
        (lambda t: queries_by_selectivity(t, 0.9, aim="domain"), "33.33% of evenly spread records"),
    ],
)
def test_refused_workloads(call: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call(small_table())


# ---------------------------------------------------------------------- errors
def test_the_rule_for_a_denominator_of_zero() -> None:
    table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    shown = table.select([0, 1, 3])
    release = pl.Release(shown, np.array([0, 1, 1]))  # [20], [30, 60]: 40 is in the box, but not in the table
    queries = Queries.of(table, [{"age": 20}, {"age": 40}, {"age": 60}])
    assert true_counts(shown, queries).tolist() == [1, 0, 1]
    assert estimates(release, queries) == pytest.approx([1, 2 / 3, 2 / 3])
    assert query_errors(release, queries) == pytest.approx([0, np.nan, 1 / 3], nan_ok=True)
    assert query_errors(release, queries, zero="count") == pytest.approx([0, np.inf, 1 / 3])
    assert query_errors(release, queries, zero=2) == pytest.approx([0, 1 / 3, 1 / 6])
    assert query_errors(release, queries, denominator="estimate") == pytest.approx([0, 1, 1 / 2])
    assert query_errors(release, queries, truth=table) == pytest.approx([0, 1 / 3, 1 / 3])
    assert query_error(release, queries, statistic="mean") == pytest.approx(1 / 6)
    assert query_error(release, queries, denominator="estimate") == pytest.approx(1 / 2)
    with pytest.raises(ParameterError, match="all 1 queries have a denominator of 0"):
        query_error(release, queries.take([1]))
    agreeing = pl.Release(shown, np.array([0, 1, 2]))
    assert query_errors(agreeing, queries, zero="count").tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"denominator": "truth"}, "denominator must be one of"),
        ({"statistic": "max"}, "statistic must be one of"),
        ({"zero": "skip"}, "zero must be one of"),
        ({"zero": 0}, "zero must be greater than 0"),
    ],
)
def test_refused_errors(how: dict[str, Any], words: str) -> None:
    table = small_table()
    with pytest.raises(ParameterError, match=words):
        query_error(pl.Release(table, np.zeros(4, dtype=int)), Queries.of(table, [{}]), **how)


def test_errors_need_the_truth() -> None:
    table = small_table()
    release, queries = pl.Release(table, np.zeros(4, dtype=int)), Queries.of(table, [{}])
    with pytest.raises(
        ParameterError, match=r"query errors need a ppdp_lab.Release, .* not Generalized; .* estimates\(\)"
    ):
        query_errors(release.published(), queries)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"true counts come from a ppdp_lab.Microdata, not DataFrame"):
        query_errors(release, queries, truth=table.frame)  # type: ignore[arg-type]


def test_estimates_know_only_what_was_published() -> None:
    table = uniform_table(600)
    queries = queries_by_width(table, 0.3, n=50)
    for release in (
        pl.Mondrian(pl.KAnonymity(5)).anonymize(table),
        pl.Anatomy(2).anonymize(table),
    ):
        if release.style == "anatomized":
            read = pl.Published.from_frames(*release.to_frames(), table)
        else:
            read = pl.Published.from_frame(release.to_frame(), table)
        assert estimates(read, queries) == pytest.approx(estimates(release, queries))
