"""Every search finds what checking every node finds, whatever the rule, the switches, the threads and the suppression."""

from __future__ import annotations

import itertools
from functools import partial

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdp_lab.anonymize.lattice import Flash, Incognito, Samarati, Speedy
from ppdp_lab.anonymize.lattice.checker import Checker, most_suppressed
from ppdp_lab.principles import AlphaKAnonymity, DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness
from ppdp_lab.table import Hierarchy, Microdata, Schema

COMPLETE = {
    "flash": Flash,
    "incognito": Incognito,
    "speedy 1": lambda rule, **switches: Speedy(rule, threads=1, **switches),
    "speedy 2": lambda rule, **switches: Speedy(rule, threads=2, **switches),
    "speedy 3": lambda rule, **switches: Speedy(rule, threads=3, **switches),
    "speedy 3, always": lambda rule, **switches: Speedy(rule, threads=3, divide="always", **switches),
}
RULES = {
    "k = 3": (KAnonymity(3), [("k", 3)]),
    "k = 1": (KAnonymity(1), [("k", 1)]),
    "k = 2 and 4": (KAnonymity(2) & KAnonymity(4), [("k", 2), ("k", 4)]),
    "distinct l": (DistinctLDiversity(3), [("distinct", 3)]),
    "entropy l": (EntropyLDiversity(2.2), [("entropy", 2.2)]),
    "t-closeness": (TCloseness(0.35), [("t", 0.35)]),
    "alpha-k": (AlphaKAnonymity(0.6, 2), [("alpha-k", 0.6, 2)]),
    "k and l": (KAnonymity(4) & DistinctLDiversity(2), [("k", 4), ("distinct", 2)]),
    "k and t": (KAnonymity(3) & TCloseness(0.5), [("k", 3), ("t", 0.5)]),
}
SWITCHES = [
    {"rollup": rollup, "history": history, "projection": projection}
    for rollup, history, projection in [(True, 8.0, True), (True, 0.0, True), (True, 0.5, False), (False, 8.0, False)]
]
SUPPRESSION = [0.0, 0.1, 0.33]


def minimal(solutions: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    below = lambda a, b: a != b and all(x <= y for x, y in zip(a, b))  # noqa: E731
    return {node for node in solutions if not any(below(other, node) for other in solutions)}


@pytest.mark.parametrize("way", ["direct", "hashed"])
@pytest.mark.parametrize("rule_name", RULES)
def test_equals_brute_force(rule_name, way, make_table, brute_force, every_path_taken):
    every_path_taken(way)
    rule, plain = RULES[rule_name]
    for seed, suppression in itertools.product(range(2), SUPPRESSION):
        table = make_table(seed)
        expected = brute_force(table, plain, int(suppression * len(table) + 1e-9))
        for (name, search), switches in itertools.product(COMPLETE.items(), SWITCHES):
            found = search(rule, suppression=suppression, **switches).search(table)
            assert set(found.solutions) == expected, (name, switches)
            assert set(found.minimal) == minimal(expected)
            assert found.complete
            assert (found.best is None) == (not expected)
            assert len(found.checked) == found.checks


@pytest.mark.parametrize("rule_name", RULES)
def test_samarati_finds_all_solutions_of_least_height(rule_name, make_table, brute_force, every_path_taken):
    every_path_taken("direct")
    rule, plain = RULES[rule_name]
    for seed, suppression in itertools.product(range(4), SUPPRESSION):
        table = make_table(seed)
        expected = brute_force(table, plain, int(suppression * len(table) + 1e-9))
        least = {node for node in expected if sum(node) == min(map(sum, expected))}
        for switches in SWITCHES:
            found = Samarati(rule, suppression=suppression, **switches).search(table)
            assert set(found.minimal) == least
            assert set(found.solutions) <= expected
            assert found.best in least if least else found.best is None


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 60),
    heights=st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple),
    k=st.integers(1, 12),
    suppression=st.floats(0, 0.9),
)
def test_any_table(seed, rows, heights, k, suppression, make_table, brute_force):
    table = make_table(seed, rows=rows, heights=heights)
    expected = brute_force(table, [("k", k)], most_suppressed(suppression, rows))
    for search in (Flash, Incognito):
        assert set(search(KAnonymity(k), suppression=suppression).search(table).solutions) == expected


def test_exhaustive_search_where_tagging_would_be_wrong(make_table, brute_force):
    """t-closeness with suppression: some node holds though not everything above it does, so nothing may be tagged."""
    seen = False
    for seed in range(12):
        table = make_table(seed, rows=30)
        expected = brute_force(table, [("t", 0.2)], 9)
        lattice_size = 2 * 3 * 4
        for search in (Flash, Incognito):
            found = search(TCloseness(0.2), suppression=0.3).search(table)
            assert set(found.solutions) == expected
            assert found.checks == lattice_size
        above = {tuple(level + (i == j) for j, level in enumerate(node)) for node in expected for i in range(len(node))}
        seen |= any(node not in expected for node in above if all(x <= h for x, h in zip(node, (1, 2, 3))))
    assert seen


def test_order_of_checks_does_not_depend_on_switches_or_threads(make_table, every_path_taken):
    every_path_taken("hashed")
    table = make_table(5, rows=80, heights=(2, 2, 3, 1))
    searches = [Flash(KAnonymity(4), **switches) for switches in SWITCHES]
    searches += [Speedy(KAnonymity(4), threads=threads, rollup=False) for threads in (1, 2, 3)]
    orders = [search.search(table).checked for search in searches]
    assert all(order == orders[0] for order in orders)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 60),
    heights=st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple),
    rule=st.sampled_from([rule for rule, _ in RULES.values()]),
    rollup=st.booleans(),
    threads=st.integers(2, 5),
)
def test_the_same_release_whatever_the_threads_and_what_they_share(
    seed, rows, heights, rule, rollup, threads, make_table
):
    table = make_table(seed, rows=rows, heights=heights)
    alone = Flash(rule, suppression=0.2, rollup=rollup)
    expected = alone.search(table)
    for divide in ("when it pays", "always"):
        search = Speedy(rule, suppression=0.2, rollup=rollup, threads=threads, divide=divide)
        found = search.search(table)
        assert (found.checked, found.best, found.rows) == (expected.checked, expected.best, expected.rows)
        assert (found.lattice.state == expected.lattice.state).all()
        if found.best is not None:
            made, plain = search.anonymize(table), alone.anonymize(table)
            assert made.to_frame().equals(plain.to_frame())
            assert made.class_of.tolist() == plain.class_of.tolist()


def test_always_divides_every_check_that_has_a_row_for_each_thread(make_table):
    table = make_table(1, rows=60, heights=(2, 3, 2))
    search = partial(Speedy, KAnonymity(4), threads=2)
    every = search(divide="always", rollup=False).search(table)
    assert every.divided == every.checks > 1
    assert search(rollup=False).search(table).divided == 0  # 60 rows: it does not pay
    assert search(threads=1, divide="always", rollup=False).search(table).divided == 0
    assert search(threads=61, divide="always", rollup=False).search(table).divided == 0  # fewer rows than threads
    # With roll-up, what one field says needs no count, so there is nothing to divide; the rest is divided.
    rolled = search(divide="always").search(table)
    assert 0 < rolled.divided <= rolled.checks
    one = search(divide="always").search(make_table(1, rows=60, heights=(3,)))
    assert one.divided < one.checks


def test_a_check_tags_so_that_few_nodes_are_checked(make_table):
    table = make_table(1, rows=60, heights=(3, 3, 3))
    found = Flash(KAnonymity(3)).search(table)
    assert len(set(found.checked)) == found.checks < 64 / 2


def test_counters_show_what_each_switch_saves(make_table):
    table = make_table(2, rows=200, heights=(3, 3, 2))
    with_, without = Flash(KAnonymity(3)).search(table), Flash(KAnonymity(3), rollup=False).search(table)
    assert with_.checks == without.checks
    assert without.rollups == 0 and without.rows == without.checks * len(table)
    assert with_.rollups == with_.checks and with_.rows < without.rows
    assert with_.seconds > 0


def test_single_quasi_identifier_and_hierarchy_without_levels(make_table, brute_force):
    for heights in [(3,), (0, 2), (0,)]:
        table = make_table(3, heights=heights)
        for search in COMPLETE.values():
            assert set(search(KAnonymity(3)).search(table).solutions) == brute_force(table, [("k", 3)])


def test_two_sensitive_columns(make_table):
    table = make_table(4, rows=60, sensitive=2)
    rule = DistinctLDiversity(3, attribute="s0") & DistinctLDiversity(2, attribute="s1")
    found = Flash(rule).search(table)
    expected = set(Incognito(rule, rollup=False).search(table).solutions)
    assert set(found.solutions) == expected and 0 < len(expected) < 24
    for node in itertools.product(range(2), range(3), range(4)):
        kept = Flash(rule).generalize(table, node)
        assert (len(kept.suppressed) == 0) == (node in expected)


@pytest.mark.parametrize("rollup", [True, False])
def test_as_many_classes_as_k_allows(rollup, every_path_taken):
    """Every class holds exactly k records: counting must not stop too early."""
    every_path_taken("hashed")
    frame = pd.DataFrame({"a": [i % 4 for i in range(24)], "b": [i % 2 for i in range(24)]})
    trees = {"a": Hierarchy([[i, "*"] for i in range(4)]), "b": Hierarchy([[i, "*"] for i in range(2)])}
    table = Microdata(frame, Schema(["a", "b"]), trees)
    for k, least in [(6, [(0, 0)]), (7, [(1, 0)])]:
        assert Flash(KAnonymity(k), rollup=rollup).search(table).minimal == least


def test_records_that_may_be_suppressed():
    assert [most_suppressed(share, n) for share, n in [(0.33, 40), (0.1, 30), (0.29, 100), (0, 9), (1 - 1e-12, 9)]] == [
        13,
        3,
        29,
        0,
        8,
    ]


def test_a_large_scan_leaves_a_small_snapshot_for_its_neighbours(make_table, every_path_taken):
    every_path_taken("direct")
    table = make_table(0, rows=2000, heights=(3, 3, 3), leaves=12)
    checker = Checker(table, KAnonymity(2))
    base = len(table.group_rows().first)
    node = (3, 3, 3)
    finer = checker._finer(node, base // 4)
    assert finer != node and all(a <= b for a, b in zip(finer, node))
    checker(node)
    scanned = checker.rows
    assert scanned > base
    checker(tuple(min(level + 1, 3) for level in finer))  # lies above the finer node, but not above the one checked
    assert checker.rows - scanned < base / 2
