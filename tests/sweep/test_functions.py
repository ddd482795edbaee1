"""What can be swept: found by name, checked before anything starts, known by its code."""

from __future__ import annotations

import functools
import math

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.errors import ParameterError, UnknownNameError
from ppdp_lab.sweep.code import code_hash
from ppdp_lab.sweep.functions import anonymize, built_in, make_algorithm, publish, tables_of, what_is_swept
from ppdp_lab.sweep.grid import combinations, values_of

FACTOR = 2


def helper(k):
    return k * FACTOR


def uses(k):
    return helper(k) + 1


def checked(function, **grid):
    """All points of a grid, as a sweep would check them."""
    swept = what_is_swept(function, results=None)
    values = values_of(grid, swept.lists)
    swept.check(values)
    return [swept.refine(point) for point in combinations(values)]


# ---------------------------------------------------------------------- by their code
def test_a_changed_helper_or_constant_is_another_version(monkeypatch):
    before = code_hash(uses)
    monkeypatch.setitem(uses.__globals__, "FACTOR", 3)
    changed = code_hash(uses)
    assert changed != before
    monkeypatch.setitem(uses.__globals__, "FACTOR", 2)
    assert code_hash(uses) == before

    def helper(k):
        return k + FACTOR

    monkeypatch.setitem(uses.__globals__, "helper", helper)
    assert code_hash(uses) not in (before, changed)


def test_what_a_function_holds_and_tables_it_uses_count():
    def made(step):
        return lambda k: k + step

    assert code_hash(made(1)) == code_hash(made(1)) != code_hash(made(2))
    table = pd.DataFrame({"a": [1, 2]})

    def reads(k, data=table, numbers=np.arange(3)):  # noqa: B008
        return k + data["a"].sum() + numbers.sum()

    was = code_hash(reads)
    table.loc[0, "a"] = 5
    assert code_hash(reads) != was

    def again(n):
        return 1 if n == 0 else again(n - 1)

    assert code_hash(again) == code_hash(again)


def made(factor, decorate):
    class Helper:
        @decorate
        def scaled(self):
            return factor

    def loss(k):
        return Helper().scaled

    return loss


@pytest.mark.parametrize("decorate", [functools.cache, functools.lru_cache(maxsize=2), functools.cached_property])
def test_a_changed_method_that_caches_is_another_version(decorate):
    assert code_hash(made(1, decorate)) == code_hash(made(1, decorate)) != code_hash(made(2, decorate))


# ---------------------------------------------------------------------- by their names
def test_functions_are_found_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDP_LAB_ROOT", str(tmp_path))
    assert what_is_swept("Anonymize", results=tmp_path).name == "anonymize"
    (tmp_path / "mine.py").write_text("def loss(k):\n    return k\n")
    assert what_is_swept(f"{tmp_path / 'mine.py'}:loss", results=tmp_path).call(3) == 3
    with pytest.raises(ParameterError, match=r"unknown function of .*'los'; did you mean 'loss'"):
        what_is_swept(f"{tmp_path / 'mine.py'}:los", results=tmp_path)
    with pytest.raises(ParameterError, match="cannot import 'no_such_module'"):
        what_is_swept("no_such_module:f", results=tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean 'publish'"):
        what_is_swept("publsh", results=tmp_path)
    with pytest.raises(ParameterError, match="a sweep calls a function"):
        what_is_swept(5, results=tmp_path)


def test_a_function_of_ones_own_is_checked_by_its_signature():
    def loss(k: int, *, share: float = 0.5, name: str = "x", exact: bool = False):
        return k

    assert checked(loss, k=[1, 2], share=0.1) == [({"k": 1, "share": 0.1}, []), ({"k": 2, "share": 0.1}, [])]
    for grid, said in (
        ({"k": [1], "shar": [0.1]}, "did you mean 'share'"),
        ({"share": [0.1]}, "loss needs 'k'"),
        ({"k": [1, "two"]}, "k must be a whole number, not 'two'"),
        ({"k": [1], "share": ["a"]}, "share must be a number"),
        ({"k": [1], "name": [3]}, "name must be text"),
        ({"k": [1], "exact": [1]}, "exact must be True or False"),
    ):
        with pytest.raises(ParameterError, match=said):
            checked(loss, **grid)
    assert checked(lambda **anything: 1, whatever=[1])[0] == ({"whatever": 1}, [])
    with pytest.raises(ParameterError, match="by position only"):
        what_is_swept(math.sqrt, results=None)


# ---------------------------------------------------------------------- against the registries
GOOD = {"dataset": "adult", "algorithm": "mondrian", "k": 5}
ONLY = "value equivalence"
SERIES = {"dataset": "occ", "publisher": ["m_invariance", "e_equivalence"], "m": [2, 4], "e": 2}


@pytest.mark.parametrize(
    ("function", "grid", "said"),
    [
        ("anonymize", GOOD | {"dataset": "adlt"}, "unknown data set 'adlt'; did you mean 'adult'"),
        ("anonymize", GOOD | {"algorithm": "mondrain"}, "unknown anonymizer 'mondrain'; did you mean 'Mondrian'"),
        ("anonymize", GOOD | {"algorithm": ["mondrian", "Mondrian"]}, "algorithm names Mondrian more than once"),
        ("anonymize", GOOD | {"metrics": ["nvp"]}, "unknown metric 'nvp'; did you mean 'ncp'"),
        ("anonymize", GOOD | {"attacks": "homogenity"}, "unknown attack 'homogenity'; did you mean 'homogeneity'"),
        ("anonymize", GOOD | {"attacks": "intersection"}, "intersection sees a series .* sweep publish"),
        ("anonymize", GOOD | {"k": [5, 0]}, "k must be at least 1, not 0"),
        ("anonymize", GOOD | {"rows": [0]}, "rows must be at least 1"),
        ("anonymize", GOOD | {"cut": ["medin"]}, "cut must be one of 'median'"),
        ("anonymize", GOOD | {"sed": [1]}, "unknown parameter of anonymize: 'sed'; did you mean 'seed'"),
        ("anonymize", GOOD | {"m": [2]}, "unknown parameter of anonymize: 'm'"),
        ("anonymize", {"dataset": "adult", "algorithm": "mondrian"}, "Mondrian needs a rule, made of k, l, t or rule"),
        ("anonymize", {"dataset": "adult", "k": 5}, "anonymize needs 'algorithm'"),
        ("anonymize", {"dataset": "adult", "algorithm": "flash", "rule": "KAnonimity(5)"}, "did you mean 'KAnonymity'"),
        ("anonymize", {"dataset": "occ", "algorithm": "anatomy", "l": 3, "metrics": ["c_avg"]}, "c_avg needs k"),
        ("publish", SERIES | {"publisher": "m_invariance"}, "e is a parameter of EEquivalence, and of none"),
        ("publish", SERIES | {"m": [1]}, "m must be at least 2"),
        ("publish", {"dataset": "occ", "publisher": "e_equivalence", "m": 2}, "EEquivalence needs 'e'"),
    ],
)
def test_a_grid_of_names_is_refused_before_anything_starts(function, grid, said):
    with pytest.raises((ParameterError, UnknownNameError), match=said):
        checked(function, **grid)


def test_what_a_member_does_not_have_is_left_out_and_said():
    points = checked("publish", **SERIES)
    assert [words for _, words in points] == [["MInvariance has no e"]] * 2 + [[]] * 2
    assert [point.get("e") for point, _ in points] == [None, None, 2, 2]
    points = checked("anonymize", dataset="occ", algorithm=["mondrian", "anatomy"], k=[2], l=[3])
    assert [words for _, words in points] == [[], ["Anatomy has no k"]]


@pytest.mark.parametrize("name", built_in())
def test_every_member_of_its_family_can_be_named(name):
    """A newcomer to the registry is found by sweeps without a word about it here."""
    swept = built_in()[name]
    for entry in swept.family.entries():
        said = {p.name: 2 for p in entry.parameters if p.required and p.name != "rule"}
        said |= {"rule": "KAnonymity(2)"} if any(p.name == "rule" for p in entry.parameters) else {}
        ((point, words),) = checked(name, **{"dataset": "occ", swept.chooser: entry.name, **said})
        assert not words and point[swept.chooser] == entry.name


def test_points_that_run_side_by_side_have_one_thread_each():
    assert make_algorithm("speedy", {"k": 2}).threads == 1


# ---------------------------------------------------------------------- what they measure
def test_a_release_is_measured_by_name():
    found = anonymize(
        dataset="adult",
        rows=300,
        algorithm="mondrian",
        rule="KAnonymity(5) & DistinctLDiversity(2)",
        metrics=["ncp", "c_avg", "query_error"],
        attacks=["record linkage", "homogeneity"],
        queries=20,
        k=3,
    )
    assert found["ncp"] > 0 and found["c_avg"] >= 1 and 0 <= found["record linkage"] <= 1 and found["homogeneity"] == 0
    apart = anonymize(dataset="occ", rows=300, algorithm="anatomy", l=3, metrics=["kl_divergence", "precision"])
    assert apart["kl_divergence"] >= 0 and (math.isnan(apart["precision"]) or apart["precision"] <= 1)


@pytest.mark.slow
def test_a_series_is_measured_release_by_release():
    attacks = ["intersection", "difference", "homogeneity", "record tracing"]
    found = publish(
        dataset="occ", rows=200, releases=3, r=20, publisher="i3m", k=3, attacks=[*attacks, ONLY], metrics=["fem"]
    )
    frame = pd.DataFrame(found)
    assert frame["release"].tolist() == [1, 2, 3] and frame[attacks].iloc[1:].notna().all().all()
    assert frame[ONLY].isna().iloc[-1]  # it refuses a series that is not m-invariant
    assert math.isnan(frame["difference"][0]) and frame["intersection"].iloc[-1] > 0
    changing = publish(
        dataset="occ-mdistinct", rows=200, releases=2, d=5, publisher="m_distinct", m=2, attacks=["update graph"]
    )
    assert len(changing) == 2 and changing[1]["update graph"] == 0


def test_what_a_point_returns_becomes_a_table():
    assert tables_of(True, "f")["results"].to_dict("records") == [{"f": True}]
    assert tables_of(np.float64(2), "<lambda>")["results"].columns.tolist() == ["value"]
    assert list(tables_of({"a": pd.DataFrame({"x": [1]}), "b": pd.DataFrame({"y": [2]})}, "f")) == ["a", "b"]
    for bad, said in (
        (None, "returned nothing"),
        ({}, "an empty dict"),
        ([], "an empty list"),
        ("text", "returned str"),
    ):
        with pytest.raises(ParameterError, match=said):
            tables_of(bad, "f")
