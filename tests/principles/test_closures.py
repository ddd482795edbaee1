"""What every principle must satisfy; a new one that is not listed here fails."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab import principles
from ppdp_lab.principles import All, Principle
from ppdp_lab.table import ClassCounts, Domain

TREE = pl.Hierarchy.from_dict({"body": {"lung": ["flu", "cough"], "heart": None}, "mind": ["fear"]})
VALUES = TREE.leaves.tolist()
PLACES = ["north", "south"]
SMALL = st.integers(1, 4)
PART = st.sampled_from([0.1, 0.25, 0.4, 0.5, 0.75, 1.0])
L = st.sampled_from([1, 1.5, 2, 2.5, 3])
BOUND = {"attribute": st.just("illness")}

# rule: (superset-closed, union-closed, random instances)
STATED: dict[type[Principle], tuple[bool, bool, st.SearchStrategy]] = {
    pl.KAnonymity: (True, True, st.builds(pl.KAnonymity, SMALL)),
    pl.DistinctLDiversity: (True, True, st.builds(pl.DistinctLDiversity, SMALL, **BOUND)),
    pl.EntropyLDiversity: (False, True, st.builds(pl.EntropyLDiversity, L, **BOUND)),
    pl.RecursiveCLDiversity: (False, True, st.builds(pl.RecursiveCLDiversity, L, SMALL, **BOUND)),
    pl.MultiAttributeLDiversity: (False, True, st.builds(pl.MultiAttributeLDiversity, st.integers(1, 2))),
    pl.AlphaKAnonymity: (
        False,
        True,
        st.builds(
            pl.AlphaKAnonymity,
            PART,
            SMALL,
            values=st.none() | st.lists(st.sampled_from(VALUES), max_size=2),
            **BOUND,
        ),
    ),
    pl.TCloseness: (
        False,
        True,
        st.builds(pl.TCloseness, PART, distance=st.sampled_from(["equal", "ordered", "hierarchical"]), **BOUND),
    ),
}
ANY = st.one_of([instances for _, _, instances in STATED.values()])
RULES = ANY | st.builds(lambda rules: All(*rules), st.lists(ANY, min_size=1, max_size=3))

Record = tuple[str | None, str | None]
RECORDS = st.lists(st.tuples(st.sampled_from([*PLACES, None]), st.sampled_from([*VALUES, None])), max_size=9)
WHOLE = st.lists(st.integers(0, 9), min_size=len(VALUES), max_size=len(VALUES)).filter(any)


def counts(classes: list[list[Record]], whole: list[int]) -> ClassCounts:
    """Counts of some classes of (place, illness), out of a table with these totals of the illnesses."""
    place, _ = Domain.of(pd.Series([*PLACES, None], name="place"), missing="value")
    illness, _ = Domain.of(pd.Series([*VALUES, None], name="illness"), TREE, missing="value")
    rows = [(c, *record) for c, records in enumerate(classes) for record in records]
    codes = [[place.code_of(p) for _, p, _ in rows], [illness.code_of(v) for _, _, v in rows]]
    columns = [np.array(column, dtype=np.int32) for column in codes]
    class_of = np.array([c for c, _, _ in rows], dtype=np.int32)
    return ClassCounts.count(
        class_of, len(classes), columns, [place, illness], [np.ones(3, dtype=int), np.array([*whole, 5])]
    )


def every_principle() -> Iterator[type[Principle]]:
    """All concrete principles of the package: whoever writes a new one cannot keep it from this list."""
    for module in pkgutil.iter_modules(principles.__path__, "ppdp_lab.principles."):
        importlib.import_module(module.name)
    waiting = [Principle]
    while waiting:
        for sub in waiting.pop().__subclasses__():
            waiting.append(sub)
            if sub.__module__.startswith("ppdp_lab.") and not inspect.isabstract(sub):
                yield sub


def test_every_principle_is_classified() -> None:
    found = set(every_principle()) - {All}
    assert found == set(STATED), "state the closures of each principle in STATED, above"
    for rule, (superset_closed, union_closed, _) in STATED.items():
        assert (rule.superset_closed, rule.union_closed) == (superset_closed, union_closed), rule.__name__
        assert union_closed or not superset_closed, "a superset-closed rule is union-closed"


@settings(max_examples=250)
@given(RULES, RECORDS, RECORDS, WHOLE)
def test_stated_closures_hold(rule: Principle, one: list[Record], other: list[Record], whole: list[int]) -> None:
    first, second, both = rule.safe(counts([one, other, one + other], whole))
    assume(one and first)
    if rule.superset_closed:
        assert both
    if rule.union_closed and second:
        assert both


def pairs(values: Iterable[str]) -> list[Record]:
    return [("north", value) for value in values]


SQUARE = [(place, value) for place in PLACES for value in ("flu", "fear")]
COUNTEREXAMPLES: dict[type[Principle], tuple[Principle, list[Record], list[Record]]] = {
    pl.EntropyLDiversity: (pl.EntropyLDiversity(2, attribute="illness"), pairs(["flu", "fear"]), pairs(["flu"] * 3)),
    pl.RecursiveCLDiversity: (
        pl.RecursiveCLDiversity(2, 2, attribute="illness"),
        pairs(["flu", "fear"]),
        pairs(["flu"] * 3),
    ),
    pl.MultiAttributeLDiversity: (pl.MultiAttributeLDiversity(2), SQUARE, pairs(["heart"])),
    pl.AlphaKAnonymity: (pl.AlphaKAnonymity(0.5, 2, attribute="illness"), pairs(["flu", "fear"]), pairs(["flu"])),
    pl.TCloseness: (pl.TCloseness(0.1, attribute="illness"), pairs(VALUES), pairs(["flu"] * 3)),
}


def test_what_is_not_stated_does_not_hold() -> None:
    lacking = {rule for rule, (superset_closed, _, _) in STATED.items() if not superset_closed}
    assert lacking == set(COUNTEREXAMPLES), "show a safe class with an unsafe superset for each of these"
    assert all(union_closed for _, union_closed, _ in STATED.values()), "show two safe classes with an unsafe union"
    for rule, safe, more in COUNTEREXAMPLES.values():
        verdict = rule.safe(counts([safe, safe + more], [1] * len(VALUES)))
        assert verdict.tolist() == [True, False], rule


@given(st.lists(ANY, min_size=1, max_size=4))
def test_a_composition_is_closed_if_its_parts_are(rules: list[Principle]) -> None:
    rule = All(*rules)
    assert rule.superset_closed == all(part.superset_closed for part in rules)
    assert rule.union_closed == all(part.union_closed or part.superset_closed for part in rules)
    assert rule.minimum_size == max(part.minimum_size for part in rules)


@given(RULES, st.lists(RECORDS, min_size=1, max_size=4), WHOLE)
def test_empty_classes_are_safe_and_small_ones_are_not(rule: Principle, classes: list, whole: list[int]) -> None:
    given_counts = counts([*classes, []], whole)
    verdict = rule.check(given_counts)
    assert verdict.safe.shape == (len(classes) + 1,) and verdict.safe.dtype == bool
    assert verdict.safe[given_counts.sizes == 0].all()
    small = (given_counts.sizes > 0) & (given_counts.sizes < rule.minimum_size)
    assert not verdict.safe[small].any()


@given(RULES, st.lists(RECORDS, min_size=1, max_size=4), WHOLE)
def test_a_failing_class_is_explained_in_words(rule: Principle, classes: list, whole: list[int]) -> None:
    verdict = rule.check(counts(classes, whole))
    assert bool(verdict) == verdict.holds == (not len(verdict.failing))
    reasons = verdict.why()
    assert len(reasons) == len(verdict.failing)
    for number, reason in zip(verdict.failing, reasons):
        assert reason.startswith(f"class {number}: ")
        failing = [part for part in rule.parts() if not part.safe(verdict.counts)[number]]
        assert failing and len(reason) > len("class 0: ") + 10 * len(failing)
    words = str(verdict)
    assert str(rule) in words and (" holds in " in words) == verdict.holds


@given(RULES, RULES, st.lists(RECORDS, min_size=1, max_size=4), WHOLE)
def test_and_is_and(one: Principle, other: Principle, classes: list, whole: list[int]) -> None:
    both = one & other
    given_counts = counts(classes, whole)
    assert both.safe(given_counts).tolist() == (one.safe(given_counts) & other.safe(given_counts)).tolist()
    assert both.parts() == one.parts() + other.parts()
    assert (one & other) == both and hash(one & other) == hash(both)
