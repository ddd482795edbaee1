"""Proposition 1 of the equivalence paper: what merging the partitions of one signature changes in the answers to queries.

Tables are made here, not by a publisher: groups that hold every value of their signature once, some of their rows
counterfeits. Answers are counted by hand, in fractions, from plain rows. A row of a group in which f of n rows are counterfeit,
as the published statistics say, counts (n - f) / n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.release import Counterfeits

AGES, VALUES = range(20, 26), "abcd"


@dataclass(frozen=True)
class Row:
    age: int
    value: str
    group: int
    signature: str
    fake: bool


@st.composite
def partitions(draw, fakes: bool):
    """The rows of an m-invariant table: one list, its groups numbered."""
    signatures = draw(st.lists(st.sampled_from(["ab", "bc", "abc", "cd", "abcd"]), min_size=1, max_size=6))
    rows = []
    for number, signature in enumerate(signatures):
        for value in signature:
            fake = fakes and draw(st.integers(0, 3)) == 0
            rows.append(Row(draw(st.sampled_from(AGES)), value, number, signature, fake))
        if all(row.fake for row in rows[-len(signature) :]):  # nobody would be in it
            rows[-1] = Row(rows[-1].age, rows[-1].value, number, signature, False)
    return rows


queries = st.tuples(st.sampled_from(AGES), st.sampled_from(AGES), st.sampled_from(VALUES)).map(
    lambda asked: (min(asked[:2]), max(asked[:2]), asked[2])
)


def merged(rows: list[Row]) -> list[Row]:
    """Partitions of one signature made into one."""
    numbers = {signature: i for i, signature in enumerate(dict.fromkeys(row.signature for row in rows))}
    return [Row(row.age, row.value, numbers[row.signature], row.signature, row.fake) for row in rows]


def answer(rows: list[Row], query: tuple[int, int, str], *, statistics: bool = True) -> Fraction:
    """The expected count: rows in range, times the share of the value in their group, times that of real rows in it."""
    low, high, value = query
    total = Fraction(0)
    for row in rows:
        if low <= row.age <= high:
            group = [other for other in rows if other.group == row.group]
            real = sum(not other.fake for other in group) if statistics else len(group)
            total += Fraction(sum(other.value == value for other in group), len(group)) * Fraction(real, len(group))
    return total


def share_of_fakes(rows: list[Row]) -> Fraction:
    """p_b: the largest share of counterfeits in any bucket."""
    buckets = [[row for row in rows if row.signature == name] for name in {row.signature for row in rows}]
    return max(Fraction(sum(row.fake for row in bucket), len(bucket)) for bucket in buckets)


def release_of(rows: list[Row]) -> pl.Release:
    real, fake = [row for row in rows if not row.fake], [row for row in rows if row.fake]
    frame = pd.DataFrame({"age": [row.age for row in real], "illness": [row.value for row in real]})
    domains = {"age": list(AGES), "illness": list(VALUES)}
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness", domains=domains))
    invented = Counterfeits(
        np.array([row.group for row in fake], dtype=np.int32),
        np.array([[VALUES.index(row.value) for row in fake]], dtype=np.int32).reshape(1, -1),
        np.array([[AGES.index(row.age) for row in fake]], dtype=np.int32).reshape(1, -1),
    )
    return pl.Release(table, np.array([row.group for row in real]), style="anatomized", counterfeits=invented)


def estimated(rows: list[Row], query: tuple[int, int, str]) -> float:
    low, high, value = query
    release = release_of(rows)
    asked = pl.metrics.Queries.of(release.table, [{"age": (low, high), "illness": [value]}])
    return float(pl.metrics.estimates(release.published(), asked)[0])


@given(partitions(fakes=False), queries)
def test_proposition_1_without_counterfeits_merging_changes_no_answer(rows, query):
    assert answer(rows, query) == answer(merged(rows), query)
    assert estimated(rows, query) == pytest.approx(float(answer(rows, query)))
    assert estimated(merged(rows), query) == pytest.approx(estimated(rows, query))


@given(partitions(fakes=True), queries)
def test_proposition_1_with_counterfeits_the_difference_is_bounded_by_their_shares(rows, query):
    """p_q is the share of counterfeits in what the query selects, as the published statistics let one expect it."""
    fine, whole = answer(rows, query), answer(merged(rows), query)
    assert estimated(rows, query) == pytest.approx(float(fine))
    assert estimated(merged(rows), query) == pytest.approx(float(whole))
    with_fakes = answer(rows, query, statistics=False)
    assert with_fakes == answer(merged(rows), query, statistics=False)  # counterfeits counted: nothing changes at all
    if fine:
        p_q = 1 - fine / with_fakes
        assert abs(fine - whole) / fine <= max(share_of_fakes(rows), p_q / (1 - p_q))


def test_proposition_1_is_not_true_of_the_counterfeits_that_are_really_in_the_query_region():
    """Which rows are counterfeit nobody outside knows; with their true share p_q the bound would not hold."""
    rows = [
        Row(20, "a", 0, "ab", False), Row(25, "b", 0, "ab", True), Row(24, "a", 1, "ab", False), Row(25, "b", 1, "ab", False)
    ]  # fmt: skip
    query = (20, 20, "a")  # selects the first row alone: no counterfeit is in its region
    fine, whole = answer(rows, query), answer(merged(rows), query)
    assert (fine, whole, share_of_fakes(rows)) == (Fraction(1, 4), Fraction(3, 8), Fraction(1, 4))
    assert abs(fine - whole) / fine == Fraction(1, 2) > max(share_of_fakes(rows), 0)
