"""Each principle beside its plain pandas judge, at its borders, and in its words."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import earth_mover, satisfies
from strategies import Case, cases, rules

import ppdp_lab as pl
from ppdp_lab.errors import BrokenRuleError, InfeasibleError, ParameterError, SchemaError
from ppdp_lab.principles import All
from ppdp_lab.release import Release
from ppdp_lab.table import ClassCounts, Microdata, Schema


@settings(max_examples=100)
@given(st.data(), cases(max_sensitive=3))
def test_the_verdict_is_that_of_plain_pandas(data: st.DataObject, case: Case) -> None:
    rule = data.draw(rules(case))
    n = len(case.frame)
    marks = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    class_of = np.unique(marks, return_inverse=True)[1]
    verdict = rule.check(Release(case.table(), class_of))
    expected = [satisfies(rule, members, case) for _, members in case.frame.groupby(class_of)]
    assert verdict.safe.tolist() == expected


@given(st.data(), cases())
def test_distances_are_those_of_plain_pandas(data: st.DataObject, case: Case) -> None:
    column = data.draw(st.sampled_from(case.sensitive))
    n = len(case.frame)
    class_of = np.unique(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), return_inverse=True)[1]
    counts = Release(case.table(), class_of).counts()
    kinds = {"ordered": ["equal", "ordered"], "tree": ["equal", "hierarchical"], "set": ["equal"]}[column.kind]
    for kind in kinds:
        mine = pl.TCloseness(0.5, distance=kind, attribute=column.name).distances(counts)
        cells = case.frame[column.name]
        plain = [earth_mover(members, cells, column, kind) for _, members in cells.groupby(class_of)]
        assert mine == pytest.approx(plain, abs=1e-7)


@given(st.data(), cases())
def test_infeasible_is_what_fails_as_one_class(data: st.DataObject, case: Case) -> None:
    rule = data.draw(rules(case))
    counts = Release(case.table(), np.zeros(len(case.frame), dtype=int)).counts()
    if satisfies(rule, case.frame, case):
        rule.require_feasible(counts)
    else:
        with pytest.raises(InfeasibleError):
            rule.require_feasible(counts)


# ------------------------------------------------------------------ borders
@pytest.mark.parametrize("l", range(1, 60))
def test_l_equal_values_have_entropy_log_l(l: int) -> None:  # noqa: E741
    counts = ClassCounts.of_values([list(range(l)) * 3, list(range(l + 1))[1:]])
    assert pl.EntropyLDiversity(l).check(counts).holds
    assert not pl.EntropyLDiversity(l + 0.001).check(counts).holds


def test_borders() -> None:
    def holds(rule: pl.principles.Principle, *classes: str) -> list[bool]:
        return rule.safe(ClassCounts.of_values(map(list, classes))).tolist()

    assert holds(pl.KAnonymity(3), "aaa", "aa") == [True, False]
    assert holds(pl.DistinctLDiversity(2), "ab", "aa") == [True, False]
    assert holds(pl.RecursiveCLDiversity(2, 2), "aab", "aabb") == [False, True]  # 2 < 2 * 1 is false: strictly less
    assert holds(pl.RecursiveCLDiversity(0.3, 1), "aaabcdefgh", "aaabcdefghi") == [False, True]
    assert holds(pl.RecursiveCLDiversity(5, 3), "aabb", "aabc") == [False, True]
    assert holds(pl.AlphaKAnonymity(1 / 3, 3), "abc", "aab", "ab") == [True, False, False]
    assert holds(pl.AlphaKAnonymity(0.7, 1), "aaaaaaabbb", "aaaaaaaabbb") == [True, False]
    assert holds(pl.AlphaKAnonymity(0.1, 2, values="a"), "bb", "ab", "b") == [True, False, False]
    assert holds(pl.TCloseness(0.25), "ab", "aaab", "abbb") == [True, True, True]
    assert holds(pl.TCloseness(0.24), "ab", "aaab", "abbb") == [True, False, False]


def test_t_closeness_measures_from_the_whole_table_not_from_what_is_published() -> None:
    frame = pd.DataFrame({"age": range(4), "illness": list("aabb")})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    release = Release(table, np.array([0, 0, -1, -1]))
    assert pl.TCloseness(1).distances(release.counts()).tolist() == [0.5]
    assert pl.TCloseness(1).distances(release.published().counts()).tolist() == [0.0]  # all that a reader can know


def test_minimum_sizes() -> None:
    assert [pl.EntropyLDiversity(x).minimum_size for x in (1, 1.5, 3, 3.2)] == [1, 2, 3, 4]
    assert pl.AlphaKAnonymity(1 / 3, 2).minimum_size == 3 and pl.AlphaKAnonymity(0.3, 2).minimum_size == 4
    assert pl.AlphaKAnonymity(0.3, 2, values=["a"]).minimum_size == 2
    assert pl.TCloseness(0.1).minimum_size == 1 and pl.RecursiveCLDiversity(2, 3).minimum_size == 3


def test_equality_sees_every_parameter() -> None:
    different = [
        pl.KAnonymity(2),
        pl.KAnonymity(3),
        pl.TCloseness(0.1234567),
        pl.TCloseness(0.12345678),
        pl.TCloseness(0.1234567, distance="ordered"),
        pl.TCloseness(0.1234567, attribute="illness"),
        pl.AlphaKAnonymity(0.5, 2),
        pl.AlphaKAnonymity(0.5, 2, values=["a"]),
        pl.KAnonymity(2) & pl.KAnonymity(3),
    ]
    for i, one in enumerate(different):
        assert [one == other for other in different] == [i == j for j in range(len(different))]
    assert pl.KAnonymity(2) == pl.KAnonymity(np.int64(2)) and len({*different, pl.KAnonymity(2)}) == len(different)


# ------------------------------------------------------------------ words
def words(rule: pl.principles.Principle, values: list) -> str:
    counts = ClassCounts.of_values([values], name="illness")
    assert not rule.check(counts)
    return rule.explain(counts, 0)


def test_words() -> None:
    flu = ["flu"] * 3 + ["HIV"]
    assert words(pl.KAnonymity(5), flu) == "4 records, fewer than k = 5"
    assert words(pl.DistinctLDiversity(3), flu) == "2 distinct value(s) of illness (flu x 3, HIV x 1), fewer than l = 3"
    assert words(pl.EntropyLDiversity(2), flu) == (
        "entropy 0.562 of illness (flu x 3, HIV x 1) is under log l = 0.693 (l = 2); the most frequent value has a share "
        "of 75.0%"
    )
    assert words(pl.RecursiveCLDiversity(2, 2), flu) == (
        "the most frequent value of illness occurs 3 times (flu x 3, HIV x 1), a share of 75.0%, not less than c = 2 times "
        "the 1 record(s) beyond the l - 1 = 1 most frequent value(s)"
    )
    alpha = pl.AlphaKAnonymity(0.5, 6)
    assert words(alpha, flu) == (
        "4 records, fewer than k = 6; 'flu' has a share of 75.0% of illness, above alpha = 50.0%"
    )
    assert words(pl.KAnonymity(5) & pl.DistinctLDiversity(1) & pl.DistinctLDiversity(3), flu) == (
        "4 records, fewer than k = 5; 2 distinct value(s) of illness (flu x 3, HIV x 1), fewer than l = 3"
    )
    multi = pl.MultiAttributeLDiversity(2)
    assert words(multi, [("A", "flu"), ("A", "HIV"), ("B", "flu")]).startswith(
        "given the other sensitive columns, illness 1 takes 1 value(s) (A x 1), fewer than l = 2"
    )
    counts = ClassCounts.of_values([["a"] * 3, ["b"]], name="illness")
    assert pl.TCloseness(0.5).explain(counts, 1) == (
        "illness (b x 1) is 0.750 away from the whole table, more than t = 0.5"
    )


def test_a_verdict_in_words() -> None:
    counts = ClassCounts.of_values([["a"]] * 5 + [["a", "b"]])
    verdict = pl.KAnonymity(2).check(counts)
    assert verdict.failing.tolist() == [0, 1, 2, 3, 4] and len(verdict.why(2)) == 2
    assert str(verdict) == (
        "KAnonymity(2) fails in 5 of 6 classes; the strongest that holds is KAnonymity(1)\n  "
        "class 0: 1 record, fewer than k = 2\n  class 1: 1 record, fewer than k = 2\n  "
        "class 2: 1 record, fewer than k = 2\n  and 2 more"
    )
    assert str(pl.KAnonymity(1).check(counts)) == "KAnonymity(1) holds in all 6 classes; no stronger one does"
    wide = ClassCounts.of_values([["a", "b", "c"], ["a", "b", "c", "c"]])
    assert str((pl.KAnonymity(2) & pl.DistinctLDiversity(2)).check(wide)) == (
        "KAnonymity(2) & DistinctLDiversity(2) holds in all 2 classes; the strongest that holds is "
        "KAnonymity(3) & DistinctLDiversity(3)"
    )
    assert str(pl.RecursiveCLDiversity(0.5, 2).check(counts)).startswith(
        "RecursiveCLDiversity(0.5, 2) fails in 6 of 6 classes; not even the weakest one does\n"
    )


def test_wrong_parameters() -> None:
    for make, message in [
        (lambda: pl.KAnonymity(0), "k must be at least 1, not 0"),
        (lambda: pl.KAnonymity(2.0), r"k must be a whole number, not 2.0 \(float\)"),
        (lambda: pl.KAnonymity(True), r"k must be a whole number, not True \(bool\)"),
        (lambda: pl.DistinctLDiversity("3"), r"l must be a whole number, not '3' \(str\)"),
        (lambda: pl.EntropyLDiversity(0.5), "l must be at least 1, not 0.5"),
        (lambda: pl.EntropyLDiversity(math.inf), "l must be a finite number, not inf"),
        (lambda: pl.RecursiveCLDiversity(0, 2), "c must be greater than 0, not 0"),
        (lambda: pl.RecursiveCLDiversity(math.nan, 2), "c must be a finite number, not nan"),
        (lambda: pl.MultiAttributeLDiversity(0), "l must be at least 1"),
        (lambda: pl.AlphaKAnonymity(1.5, 2), "alpha must be at most 1, not 1.5"),
        (lambda: pl.AlphaKAnonymity(0, 2), "alpha must be greater than 0, not 0"),
        (lambda: pl.TCloseness(-0.1), "t must be at least 0, not -0.1"),
        (
            lambda: pl.TCloseness(0.1, distance="far"),
            "distance must be one of 'equal', 'ordered', 'hierarchical', not 'far'",
        ),
        (lambda: pl.AlphaKAnonymity(0.5, 2, values=5), "values must be a list, not int"),
        (lambda: All(), "All needs at least one principle"),
        (lambda: All(pl.KAnonymity(2), 5), "All composes principles such as KAnonymity.5., not 5"),
    ]:
        with pytest.raises(ParameterError, match=message):
            make()
    with pytest.raises(TypeError):
        pl.KAnonymity(2) & 5


def test_what_is_no_release_cannot_be_checked() -> None:
    frame = pd.DataFrame({"age": [1, 2], "illness": ["flu", "HIV"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    for thing, name in [(table, "Microdata"), (frame, "DataFrame"), (5, "int"), (None, "NoneType")]:
        with pytest.raises(
            ParameterError, match=rf"KAnonymity\(2\) checks a Release, .* not {name}; anonymize the table first"
        ):
            pl.KAnonymity(2).check(thing)
    assert pl.KAnonymity(2).check(Release(table, [0, 0]).published())


def test_rules_that_do_not_fit_the_table() -> None:
    counts = ClassCounts.of_values([["a", "b"]], name="illness")
    with pytest.raises(ParameterError, match="values of 'illness' have no order; use distance='equal'"):
        pl.TCloseness(0.1, distance="ordered").check(counts)
    with pytest.raises(ParameterError, match="'illness' has no hierarchy; give the Microdata one"):
        pl.TCloseness(0.1, distance="hierarchical").check(counts)
    with pytest.raises(SchemaError, match="needs at least two sensitive columns; use DistinctLDiversity"):
        pl.MultiAttributeLDiversity(2).check(counts)
    with pytest.raises(ParameterError, match="values: 'plague' is not a value of illness; it has 'a', 'b'"):
        pl.AlphaKAnonymity(0.5, 1, values=["plague"]).check(counts)
    with pytest.raises(ParameterError, match="attribute must be one of 'illness', not 'disease'"):
        pl.DistinctLDiversity(2, attribute="disease").check(counts)


# ---------------------------------------------------------------------- missing values
EVERYBODY = ["HIV"] * 29 + [None]
ABOUT_VALUES = [
    pl.DistinctLDiversity(2),
    pl.EntropyLDiversity(1.1),
    pl.RecursiveCLDiversity(100, 2),
    pl.AlphaKAnonymity(0.98, 2),
    pl.TCloseness(0.05),
    pl.TCloseness(0.03, distance="ordered"),
    pl.TCloseness(0.03, distance="hierarchical"),
]


@pytest.mark.parametrize("rule", ABOUT_VALUES, ids=str)
def test_a_missing_value_protects_nobody(rule: pl.principles.Principle) -> None:
    tree = pl.Hierarchy.from_dict({"virus": ["HIV", "flu"], "other": ["cold"]})
    values = [*EVERYBODY, "flu", "HIV", "cold"] * 2
    frame = pd.DataFrame({"age": 1, "ill": values})
    schema = pl.Schema("age", sensitive="ill")
    classes = np.tile([0] * 30 + [1] * 3, 2)
    for missing, safe in (("value", False), ("category", True)):
        table = pl.Microdata(frame, schema, {"ill": tree}, missing=missing)
        verdict = rule.safe(pl.Release(table, classes).counts())[0]
        # A value that counts may still be too rare for the distances; all other rules pass.
        assert verdict == safe or (missing == "category" and isinstance(rule, pl.TCloseness))
        known = pl.Microdata(frame.dropna(), schema, {"ill": tree})
        counts = pl.Release(known, classes[frame["ill"].notna()]).counts()
        if missing == "value":  # as if those records were not there
            assert rule.safe(counts)[0] == verdict
            assert rule.strongest(counts) == rule.strongest(pl.Release(table, classes).counts())


def test_a_class_without_known_values() -> None:
    counts = ClassCounts.of_values([["flu", "HIV"], [None, None]], missing="value")
    for rule in (
        pl.DistinctLDiversity(1),
        pl.EntropyLDiversity(1),
        pl.RecursiveCLDiversity(5, 1),
        pl.AlphaKAnonymity(1, 1),
    ):
        verdict = rule.check(counts)
        assert verdict.safe.tolist() == [True, False] and verdict.strongest is None, rule
        assert "class 1" in verdict.why()[0]
    assert pl.KAnonymity(2).check(counts) and pl.TCloseness(0.5).check(counts)
    both = ClassCounts.of_values([[("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")], [("a", None)]], missing="value")
    assert pl.MultiAttributeLDiversity(1).safe(both).tolist() == [True, False]
    assert pl.MultiAttributeLDiversity(1).strongest(both) is None


def test_the_order_of_t_closeness_does_not_end_with_missing_values() -> None:
    classes = [[1, 1, 2], [2, 3, 3]]
    rule = pl.TCloseness(0.5, distance="ordered")
    whole = rule.distances(ClassCounts.of_values(classes))
    gaps = rule.distances(ClassCounts.of_values([[*values, None] for values in classes], missing="value"))
    assert whole.tolist() == gaps.tolist()


def test_reasons_name_how_many_are_missing() -> None:
    verdict = pl.DistinctLDiversity(2).check(ClassCounts.of_values([["HIV", "HIV", None]], missing="value"))
    assert "1 distinct value(s) of sensitive (HIV x 2, 1 missing), fewer than l = 2" in str(verdict)
    with pytest.raises(InfeasibleError, match="HIV x 29, 1 missing"):
        pl.DistinctLDiversity(2).require_feasible(ClassCounts.of_values([EVERYBODY], missing="value"))


def test_a_failing_class_is_named_by_its_values() -> None:
    frame = pd.DataFrame({"age": [21, 25, 40], "zip": ["a", "b", "c"], "illness": ["flu", "HIV", "flu"]})
    release = Release(Microdata(frame, Schema(["age", "zip"], sensitive="illness")), np.array([0, 0, 1]))
    sentences = [
        "class with age [21, 25], zip {a, b}: 2 records, fewer than k = 3",
        "class with age 40, zip c: 1 record, fewer than k = 3",
    ]
    assert pl.KAnonymity(3).check(release).why() == sentences
    assert pl.KAnonymity(3).check(release.published()).why() == sentences
    assert pl.KAnonymity(3).check(release.counts()).why(1) == ["class 0: 2 records, fewer than k = 3"]
    with pytest.raises(
        BrokenRuleError
    ) as caught:  # such messages are logged, and a class of one shows a person's values
        release.checked(pl.KAnonymity(3))
    assert "class 1: 1 record" in str(caught.value) and "age" not in str(caught.value)


def test_the_name_of_a_class_is_short() -> None:
    many = [f"village number {i}" for i in range(50)]
    table = Microdata(pd.DataFrame({"place": many}), Schema("place"))
    (sentence,) = pl.KAnonymity(99).check(Release(table, np.zeros(50, dtype=int))).why()
    assert sentence.startswith("class with place {village number 0, ") and len(sentence) < 100
