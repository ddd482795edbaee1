"""The strongest parameters that classes keep: they pass, whatever is a little stronger fails, and plain Python agrees."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from principles.test_closures import RECORDS, RULES, STATED, WHOLE, counts

import ppdp_lab as pl
from ppdp_lab.errors import ParameterError
from ppdp_lab.principles import PRINCIPLES, All, Principle

STEP = 2e-6  # a little more than what rounding may take away


def alpha_k(rule: pl.AlphaKAnonymity) -> list[Principle]:
    more: dict[str, Any] = {"values": rule.values, "attribute": rule.attribute}
    return [pl.AlphaKAnonymity(rule.alpha, rule.k + 1, **more), pl.AlphaKAnonymity(rule.alpha - STEP, rule.k, **more)]


# rule: what is a little stronger than an instance of it, one parameter at a time
STRONGER: dict[type[Principle], Callable[[Any], list[Principle]]] = {
    pl.KAnonymity: lambda r: [pl.KAnonymity(r.k + 1)],
    pl.DistinctLDiversity: lambda r: [pl.DistinctLDiversity(r.l + 1, attribute=r.attribute)],
    pl.EntropyLDiversity: lambda r: [pl.EntropyLDiversity(r.l + STEP, attribute=r.attribute)],
    pl.RecursiveCLDiversity: lambda r: [pl.RecursiveCLDiversity(r.c, r.l + 1, attribute=r.attribute)],
    pl.MultiAttributeLDiversity: lambda r: [pl.MultiAttributeLDiversity(r.l + 1)],
    pl.AlphaKAnonymity: alpha_k,
    pl.TCloseness: lambda r: (
        [pl.TCloseness(r.t - STEP, distance=r.distance, attribute=r.attribute)] if r.t > STEP else []
    ),
}


# rule: the weakest instance of it, of those that some classes do not keep
WEAKEST: dict[type[Principle], Callable[[Any], Principle]] = {
    pl.DistinctLDiversity: lambda r: pl.DistinctLDiversity(1, attribute=r.attribute),
    pl.EntropyLDiversity: lambda r: pl.EntropyLDiversity(1, attribute=r.attribute),
    pl.RecursiveCLDiversity: lambda r: pl.RecursiveCLDiversity(r.c, 1, attribute=r.attribute),
    pl.MultiAttributeLDiversity: lambda r: pl.MultiAttributeLDiversity(1),
    pl.AlphaKAnonymity: lambda r: pl.AlphaKAnonymity(1, 1, values=r.values, attribute=r.attribute),
}


def test_every_principle_is_here() -> None:
    assert {entry.member for entry in PRINCIPLES.entries()} == {*STRONGER, All} and set(STRONGER) == set(STATED)


@given(RULES, st.lists(RECORDS, min_size=1, max_size=4), WHOLE)
def test_the_strongest_passes_and_a_stronger_one_fails(rule: Principle, classes: list, whole: list[int]) -> None:
    found = counts(classes, whole)
    strongest = rule.strongest(found)
    if strongest is None:
        weakest = [WEAKEST[type(part)](part) for part in rule.parts() if type(part) in WEAKEST]
        assert not any(classes) or any(not weak.safe(found).all() for weak in weakest)
        return
    assert strongest.check(found).holds and type(strongest) is type(rule)
    assert rule.check(found).strongest == strongest
    if rule.check(found).holds:
        assert strongest.minimum_size >= rule.minimum_size
    for part in strongest.parts():
        capped = getattr(part, "values", None)
        for stronger in STRONGER[type(part)](part):
            if capped is None or stronger.k > part.k or any(v in capped for c in classes for _, v in c):  # type: ignore[attr-defined]
                assert not stronger.check(found).holds, (stronger, part)


@given(st.lists(RECORDS.filter(bool), min_size=1, max_size=4), WHOLE)
def test_plain_python_agrees(classes: list, whole: list[int]) -> None:
    found = counts(classes, whole)
    held = [Counter(value for _, value in c if value is not None) for c in classes]
    assert pl.KAnonymity(1).strongest(found).k == min(map(len, classes))
    if not all(held):  # of some class no value is known
        for rule in (pl.DistinctLDiversity(1, attribute="illness"), pl.EntropyLDiversity(1, attribute="illness")):
            assert rule.strongest(found) is None
        return
    assert pl.DistinctLDiversity(1, attribute="illness").strongest(found).l == min(map(len, held))

    def entropy(c: Counter) -> float:
        return -sum(n / c.total() * math.log(n / c.total()) for n in c.values())

    assert pl.EntropyLDiversity(1, attribute="illness").strongest(found).l == pytest.approx(
        math.exp(min(map(entropy, held))), abs=STEP
    )
    top = max(max(c.values()) / c.total() for c in held)
    assert pl.AlphaKAnonymity(1, 1, attribute="illness").strongest(found).alpha == pytest.approx(top, abs=STEP)

    def recursive(c: Counter, factor: float) -> int:
        ranked = sorted(c.values(), reverse=True)
        return max(
            (i for i in range(1, len(ranked) + 1) if ranked[0] < factor * sum(ranked[i - 1 :]) - 1e-9), default=0
        )

    for factor in (0.5, 1.5, 3.0):
        best = pl.RecursiveCLDiversity(factor, 1, attribute="illness").strongest(found)
        assert (0 if best is None else best.l) == min(recursive(c, factor) for c in held)


@given(st.lists(RECORDS.filter(bool), min_size=1, max_size=4), WHOLE)
def test_the_strongest_of_all_is_that_of_each(classes: list, whole: list[int]) -> None:
    found = counts(classes, whole)
    rules = [pl.KAnonymity(1), pl.TCloseness(1, attribute="illness"), pl.MultiAttributeLDiversity(1)]
    strongest = [rule.strongest(found) for rule in rules]
    assert All(*rules).strongest(found) == (None if None in strongest else All(*strongest))
    assume(min(map(len, classes)) > 1)
    assert (rules[0] & rules[1]).check(found).strongest != rules[0] & rules[1]


def test_a_verdict_shows_the_strongest_of_every_part_even_where_one_has_none() -> None:
    alone = pl.ClassCounts.of_values([["flu", "flu", "cold"], ["flu", "flu", "flu", "cold"]])
    rule = pl.KAnonymity(9) & pl.RecursiveCLDiversity(0.5, 2) & pl.DistinctLDiversity(1)
    verdict = rule.check(alone)
    kept = "the strongest that holds is KAnonymity(3) & DistinctLDiversity(2)"
    assert verdict.strongest is None
    assert str(verdict).startswith(
        f"{rule} fails in 2 of 2 classes; {kept}; of RecursiveCLDiversity(0.5, 2) not even the weakest one does\n"
    )
    assert kept.replace("&", "&amp;") in verdict._repr_html_() and kept in repr(verdict)
    nothing = rule.check(pl.ClassCounts.of_values([]))
    assert str(nothing) == f"{rule} holds, for there is no class"
    one = pl.ClassCounts.of_values([["flu", "cold"]])
    assert str(pl.KAnonymity(2).check(one)) == "KAnonymity(2) holds in the only class; no stronger one does"


def test_the_line_of_a_long_rule_ends_with_what_holds() -> None:
    rules = [pl.EntropyLDiversity(1), pl.RecursiveCLDiversity(4, 2), pl.AlphaKAnonymity(1, 1)]
    rule = All(pl.KAnonymity(2), pl.DistinctLDiversity(1), *rules)
    verdict = rule.check(pl.ClassCounts.of_values([["flu", "flu", "cold"], ["flu", "flu", "flu", "cold"]]))
    assert len(str(verdict)) > 200 and len(repr(verdict)) <= 200
    assert repr(verdict).startswith("<Verdict: holds in all 2 classes; the strongest that holds is KAnonymity(3) & ")
    assert repr(verdict).endswith(f"{verdict.strongest}>")


def test_where_there_is_no_strongest() -> None:
    nobody = pl.ClassCounts.of_values([])
    assert pl.KAnonymity(3).strongest(nobody) is None and "strongest" not in str(pl.KAnonymity(3).check(nobody))
    alone = pl.ClassCounts.of_values([["flu"]])
    assert pl.RecursiveCLDiversity(0.5, 2).strongest(alone) is None
    capped = pl.AlphaKAnonymity(0.3, 1, values=["HIV"])
    known = pl.ClassCounts.of_values([["flu", "flu"], ["HIV", "flu", "flu", "flu"]])
    assert capped.strongest(known) == pl.AlphaKAnonymity(0.25, 2, values=["HIV"])
    with pytest.raises(ParameterError, match="checks a Release, a Published or a ClassCounts, not list"):
        pl.KAnonymity(3).strongest([[1, 2]])  # type: ignore[arg-type]
