"""The equivalence attack: exact for small series, and what the bounds for large ones are worth."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from republish.lives import publish_all, streams

from ppdp_lab.attacks import Background
from ppdp_lab.attacks._class_pairs import equal_pairs, give_away, members_of
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.equivalence import chains, compromised, compromised_over_time, equal_values
from ppdp_lab.attacks.matrices import Correspondence, delta_weights, exposed_by, minimum_equivalence, plain_weights
from ppdp_lab.attacks.memberships import Memberships, named_counterfeits, proportions
from ppdp_lab.errors import IdError, ParameterError, SchemaError
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.table import ClassCounts, Microdata, Schema

small = streams(max_persons=12, max_releases=4, values=(3, 4))


class Attacked:
    """A published series and the adversary who knows everybody's group."""

    def __init__(self, releases):
        self.releases = releases
        self.series = [release.published() for release in releases]
        self.background = Background.worst_case(releases)
        self.named = named_counterfeits(releases)

    @property
    def known(self):
        return self.series, self.background

    def matrices(self):
        return Correspondence.of(*self.known, counterfeits=self.named)


def attacked(tables, m, partition="merged"):
    releases = publish_all(MInvariance(m, partition=partition), tables)
    assume(releases)
    return Attacked(releases)


def table_of(illnesses, ids=None):
    frame = pd.DataFrame({"age": range(20, 20 + len(illnesses)), "illness": illnesses}, index=ids)
    return Microdata(frame, Schema("age", sensitive="illness"))


# ---------------------------------------------------------------------- the integer program
def plain_minimum(both, reach=2):
    """Smallest equivalence over all weights up to ``reach``."""
    best = None
    for weights in product(range(-reach, reach + 1), repeat=len(both.rows)):
        w = np.array(weights)
        if not (w @ both.values).any() and (w @ both.persons).any():
            e = int(np.abs(w @ both.persons).sum()) // 2
            best = e if best is None else min(best, e)
    return best


@settings(max_examples=25)
@given(streams(max_persons=10, max_releases=3, values=(3, 3)), st.sampled_from(["fine", "merged"]))
def test_the_integer_program_is_as_good_as_trying_all_small_weights(tables, partition):
    both = attacked(tables, 2, partition).matrices()
    both = both.take(range(min(len(both.rows), 6)))
    found, plain = minimum_equivalence(both), plain_minimum(both)
    if found is None:
        assert plain is None
    else:
        assert both.attack(found.weights) == found  # it is one
        assert found.e == len(found.left) == len(found.right)
        assert plain is None or found.e <= plain


@settings(max_examples=20)
@given(small, st.sampled_from(["fine", "merged"]))
def test_equal_persons_are_those_with_an_equivalence_of_one(tables, partition):
    both = attacked(tables, 2, partition).matrices()
    sets = equal_values(both)
    together = {frozenset(pair) for names in sets for pair in combinations(names, 2)}
    for person in both.names:
        found = minimum_equivalence(both, person=person)
        alone = found is not None and found.e == 1
        assert alone == any(person in names for names in sets)
        if alone:
            assert frozenset((*found.left, *found.right)) in together


@settings(max_examples=25)
@given(small, st.sampled_from(["fine", "merged"]))
def test_equal_persons_have_equal_values(tables, partition):
    series = attacked(tables, 2, partition)
    truth = {person: value for r in series.releases for person, value in r.table.frame["illness"].items()}
    for names in equal_values(series.matrices()):
        assert len({truth[name] for name in names if name in truth}) <= 1


def test_weights_in_parts_are_found_too():
    # {a, b} and {a, c} less {b, c} are a twice, and d has the same value: half of it says a = d. Whole weights say only
    # that a and d, each counted twice, agree, so Lemma 2 of the paper does not hold for tables of any kind.
    persons = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 0, 1]])
    values = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]])
    both = Correspondence(persons, values, list("abcd"), ["x", "y", "z"], [(i, 0) for i in range(4)])
    assert str(minimum_equivalence(both)) == "a = d" and equal_values(both) == [("a", "d")]
    assert plain_minimum(both, reach=3) == 2


def test_a_search_without_bounds_ends():
    """Persons of ten groups in four releases; the solver goes on for ever if the numbers of persons have no bounds."""
    groups = ["jkl", "hi", "fg", "ekl", "di", "cg", "BQ", "bel", "di", "AP"]
    held = ["xyz", "xz", "yz", "xyz", "xz", "yz", "xy", "xyz", "xz", "xy"]
    names = sorted({person for group in groups for person in group})
    persons = np.array([[person in group for person in names] for group in groups], dtype=int)
    values = np.array([[value in some for value in "xyz"] for some in held], dtype=int)
    both = Correspondence(persons, values, names, list("xyz"), [(i, 0) for i in range(10)])
    found = minimum_equivalence(both, person="l")
    assert found is not None and found.e == 6 and "l" in {*found.left, *found.right}


def test_weights_that_are_no_attack_are_refused():
    table = table_of(["flu", "HIV", "flu", "HIV"], ids=list("abcd"))
    releases = [Release(table.select(rows), np.array([0, 0])) for rows in ([0, 1], [2, 3], [0, 1])]
    both = Attacked(releases).matrices()
    for weights, reason in (
        ([1, 0, 0], "do not cancel"),
        ([1, 0, -1], "is zero"),
        ([0.5, -0.5, 0], "not whole"),
        ([1, -1], "3 rows"),
    ):
        with pytest.raises(ParameterError, match=reason):
            both.attack(weights)
    assert str(both.attack([1, -1, 0])) == "{a, b} = {c, d}"
    with pytest.raises(IdError, match="'z'"):
        minimum_equivalence(both, person="z")
    with pytest.raises(ParameterError, match="one group per release"):
        Attacked([Release(table, np.array([0, 0, 1, 1]), grouped=True)]).matrices().delta()


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
def test_plain_and_delta_weights_are_inverse_and_say_the_same(weights, seed):
    assert delta_weights(plain_weights(weights)).tolist() == weights
    assert plain_weights(delta_weights(weights)).tolist() == weights
    rows = np.random.default_rng(seed).integers(0, 2, (len(weights), 4))
    steps = np.diff(rows, axis=0, prepend=np.zeros((1, 4), dtype=int))
    assert (np.array(weights) @ steps == plain_weights(weights) @ rows).all()


@settings(max_examples=25)
@given(small, st.sampled_from(["fine", "merged"]))
def test_chains_are_the_equal_persons_or_some_of_them(tables, partition):
    series = attacked(tables, 2, partition)
    exact = chains(*series.known, counterfeits=series.named)
    named = {frozenset(n for n in names if "counterfeit" not in n) for names in equal_values(series.matrices())}
    assert set(map(frozenset, exact.sets())) == {names for names in named if len(names) > 1} and exact.complete
    some = chains(*series.known, counterfeits=series.named, method="pairs")
    assert not some.complete
    for names in some.sets():
        assert any(set(names) <= set(whole) for whole in exact.sets())
    assert some.n_breached <= exact.n_breached == exact.to_frame()["breached"].sum()
    assert "provably share" in str(some)


# ---------------------------------------------------------------------- what a leak exposes
def plain_exposed(both, known):
    """Values that are the same in all assignments, by trying them all."""
    n, labels = len(both.names), both.labels
    fits = []
    for values in product(range(len(labels)), repeat=n):
        chosen = np.eye(len(labels), dtype=int)[list(values)]
        if (both.persons @ chosen == both.values).all() and all(
            labels[values[both.names.index(person)]] == value for person, value in known.items()
        ):
            fits.append(values)
    assert fits
    return {
        name: labels[fits[0][i]]
        for i, name in enumerate(both.names)
        if name not in known and len({values[i] for values in fits}) == 1
    }


@settings(max_examples=20)
@given(streams(max_persons=6, max_releases=3, values=(2, 3)), st.sampled_from(["fine", "merged"]), st.booleans())
def test_exposed_persons_are_certain_in_every_assignment(tables, partition, leak):
    both = attacked(tables, 2, partition).matrices()
    assume(len(both.names) <= 8)
    truth = {person: value for table in tables for person, value in table.frame["illness"].items()}
    person = both.names[0]
    known = {person: truth[person]} if leak else {}
    assert exposed_by(both, known) == plain_exposed(both, known)


def test_impossible_knowledge_is_refused():
    release = Release(table_of(["flu", "HIV"], ids=["a", "b"]), np.array([0, 0]))
    both = Attacked([release]).matrices()
    with pytest.raises(ParameterError, match="no assignment"):
        exposed_by(both, {"a": "flu", "b": "flu"})
    with pytest.raises(IdError):
        exposed_by(both, {"a": "cold"})


# ---------------------------------------------------------------------- counting compromised persons
def truly_compromised(series, e):
    """Persons for whom the integer program finds an equivalence of fewer than e."""
    both = series.matrices()
    found = {person: minimum_equivalence(both, person=person) for person in map(str, series.background.ids)}
    return {person for person, attack in found.items() if attack is not None and attack.e < e}


@settings(max_examples=15)
@given(streams(max_persons=14, max_releases=4, values=(4, 5)), st.sampled_from([(3, 2), (2, 2), (3, 3), (3, 4)]))
def test_cuts_count_exactly_or_from_above(tables, which):
    m, e = which
    series = attacked(tables, m)
    found = compromised(*series.known, e=e, counterfeits=series.named)
    counted, truth = set(found.ids[found.breached]), truly_compromised(series, e)
    assert truth <= counted
    if found.count_is == "exact":
        assert counted == truth
    else:
        assert found.count_is == "at most" and 2 * (e - 1) >= m


@settings(max_examples=15)
@given(streams(max_persons=14, max_releases=3, values=(3, 5)), st.sampled_from([(2, 2), (3, 2), (3, 3)]))
def test_compositions_of_fine_classes_count_from_below(tables, which):
    m, e = which
    series = attacked(tables, m, "fine")
    found = compromised(*series.known, e=e, counterfeits=series.named)
    counted, truth = set(found.ids[found.breached]), truly_compromised(series, e)
    assert counted <= truth or (found.count_is == "at most" and truth <= counted)


def plain_given_away(then, now, e, buckets):
    """Who is in one only of two classes with equal values that differ in few."""
    found = set()
    for a, b in product(set(then) - {-1}, set(now) - {-1}):
        one, other = set(np.flatnonzero(then == a)), set(np.flatnonzero(now == b))
        if one & other and len(one) == len(other) and buckets[0][a] == buckets[1][b] and 0 < len(one - other) < e:
            found |= one ^ other
    return found


def plain_pairs(then, now, buckets):
    """The two tuples that two classes with equal values differ in, where it is only these."""
    found = set()
    for a, b in product(set(then) - {-1}, set(now) - {-1}):
        one, other = set(np.flatnonzero(then == a)), set(np.flatnonzero(now == b))
        if one & other and buckets[0][a] == buckets[1][b] and len(one - other) == len(other - one) == 1:
            found.add((*(one - other), *(other - one)))
    return found


@given(st.integers(1, 20), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_composition_equals_its_plain_twin(n, n_classes, e, seed):
    rng = np.random.default_rng(seed)
    then, now = (rng.integers(-1, n_classes, n).astype(np.int32) for _ in range(2))
    kept = rng.random(n) < 0.6
    now[kept] = then[kept]
    buckets = [rng.integers(0, 2, n_classes) for _ in range(2)]
    lists = [members_of(c, n_classes) for c in (then, now)]
    for (begins, members), class_of in zip(lists, (then, now)):
        for c in range(n_classes):
            assert members[begins[c] : begins[c + 1]].tolist() == np.flatnonzero(class_of == c).tolist()
    found = np.zeros(n, dtype=bool)
    give_away(then, now, *lists[0], *lists[1], *buckets, e, found)
    assert set(np.flatnonzero(found)) == plain_given_away(then, now, e, buckets)
    pairs = np.empty((2, 2 * n_classes + 2), dtype=np.int64)
    count = equal_pairs(then, now, *lists[0], *lists[1], *buckets, *pairs)
    assert {tuple(pair) for pair in pairs[:, :count].T.tolist()} == plain_pairs(then, now, buckets)


@settings(max_examples=20)
@given(streams(values=(4, 5)), st.sampled_from(["fine", "merged"]))
def test_counts_over_time_are_those_of_the_shorter_series(tables, partition):
    series = attacked(tables, 3, partition)
    table = compromised_over_time(*series.known, e=2, counterfeits=series.named)
    assert table["release"].tolist() == list(range(len(series.series)))
    assume(len(set(table["count_is"])) == 1)
    for n in range(1, len(series.series) + 1):
        part = Attacked(series.releases[:n])
        alone = compromised(*part.known, e=2, counterfeits=part.named)
        if alone.count_is == table["count_is"][n - 1]:
            assert alone.n_breached == table["compromised"][n - 1]
    assert "fewer than 2 persons per side" in str(alone) and alone.to_frame()["breached"].sum() == alone.n_breached


# ---------------------------------------------------------------------- counts in fine partitions, worked out by hand
# Every group below holds the same ten values once each, so weights W cancel the values exactly if they add up to 0.
# Both sides of an attack are equally large: ten persons on one side make it an attack of 10 or more.
def ten(name):
    """A group of ten; the number in a person's name is the value."""
    return [f"{name}{value}" for value in range(10)]


def replaced(group, *values):
    """The group with newcomers in the place of the persons of some values."""
    return [f"{person}*" if value in values else person for value, person in enumerate(group)]


def fine_series(*releases):
    """A series from the lists of groups of its releases."""
    everybody = list(dict.fromkeys(person for groups in releases for group in groups for person in group))
    table = table_of([f"illness {person.strip('*')[-1]}" for person in everybody], ids=everybody)
    rows = {person: row for row, person in enumerate(everybody)}
    return Attacked(
        [
            Release(table.select([rows[p] for g in groups for p in g]), np.repeat(range(len(groups)), 10), grouped=True)
            for groups in releases
        ]
    )


def counted_below(series, e):
    found = compromised(*series.known, e=e)
    assert found.count_is == "at least"
    return set(found.ids[found.breached])


def test_groups_that_differ_in_fewer_than_e_give_these_persons_away_and_nobody_else():
    # Groups a to e lose k = 1 to 5 persons. If a group and its successor have weights x and y, those who stay have
    # x + y, those who leave x, newcomers y. With x = -y all who stay drop out, and k leavers equal k newcomers. With
    # another x and y the group costs k |x| + k |y| + (10 - k) |x + y| >= 10, and so does another group, since all
    # weights add up to 0: an attack of 10 or more. Cuts find nothing: 15 leave and 15 come, and the newcomers' node
    # has 30 edges.
    before = [ten(name) for name in "abcde"]
    after = [replaced(group, *range(k)) for k, group in enumerate(before, start=1)]
    series = fine_series(before, after)
    apart = [
        "a0 a0*",
        "b0 b1 b0* b1*",
        "c0 c1 c2 c0* c1* c2*",
        "d0 d1 d2 d3 d0* d1* d2* d3*",
        "e0 e1 e2 e3 e4 e0* e1* e2* e3* e4*",
    ]
    for e in (2, 3, 4, 5, 6):
        assert counted_below(series, e) == set(" ".join(apart[: e - 1]).split()), e
    assert truly_compromised(series, 5) == counted_below(series, 5)


def test_groups_are_composed_with_all_releases_before():
    # Release 1 swaps halves of a and b, and its two mixed groups differ from all before and after in 5 or more. In
    # release 2 all of a and b are back but a0 and a1: release 0 less release 2 says {a0, a1} = {a0*, a1*}. Any other
    # attack without c involves a half of b, whose five persons have one weight, hence 5 or more a side. The ten of c
    # leave together, so an attack with any of them has 10 or more; they also hide the two leavers from the cut, now 24.
    a, b, c = ten("a"), ten("b"), ten("c")
    series = fine_series([a, b, c], [a[:5] + b[5:], b[:5] + a[5:], c], [replaced(a, 0, 1), b, replaced(c, *range(10))])
    assert counted_below(series, 5) == {"a0", "a1", "a0*", "a1*"} == truly_compromised(series, 5)
    assert counted_below(series, 3) == {"a0", "a1", "a0*", "a1*"} and counted_below(series, 2) == set()
    assert compromised_over_time(*series.known, e=5)["compromised"].tolist() == [0, 0, 4]


def test_the_cut_finds_an_attack_that_no_two_groups_make():
    # a and b swap halves while a0 and b0 are replaced. Two groups differ in 5 (a and the new one that kept a5 to a9) or
    # in 6 (a and the one that kept a1 to a4), too many for e = 5. Yet both groups less both new ones say
    # {a0, b0} = {a0*, b0*}, and nothing smaller: a cut of 4, the edges of the newcomers' node.
    # Nobody else: a and b weigh x and y, the new ones v (with a1 to a4) and w, and y + w = -(x + v), y + v = -(x + w).
    # If x + w is not 0, a5 to a9 stand against b5 to b9. If x + v is not 0, a1 to a4 stand against b1 to b4, and a0 or
    # a0* joins the former, b0 or b0* the latter: 5 or more a side either way. Else x = y = -v = -w.
    a, b = ten("a"), ten("b")
    new_a, new_b = replaced(a, 0), replaced(b, 0)
    series = fine_series([a, b], [new_a[:5] + b[5:], new_b[:5] + a[5:]])
    for e in (3, 4, 5):
        assert counted_below(series, e) == {"a0", "b0", "a0*", "b0*"}, e
    assert counted_below(series, 2) == set()
    assert truly_compromised(series, 5) == {"a0", "b0", "a0*", "b0*"}
    assert compromised_over_time(*series.known, e=5)["compromised"].tolist() == [0, 4]


def test_a_cut_as_wide_as_a_group_compromises_nobody():
    # Group c comes whole. It is a cut of 10 = 2 (6 - 1), and no attack of fewer than 6: its ten persons are one side.
    a, b, c = ten("a"), ten("b"), ten("c")
    series = fine_series([a, b], [a, b, c])
    assert counted_below(series, 6) == set() == truly_compromised(series, 6)


# ---------------------------------------------------------------------- who is in the matrices
def test_rows_of_nobody_are_strangers_or_named_counterfeits():
    table = table_of(["flu", "HIV", "flu"], ids=["a", "b", "c"])
    fake = Counterfeits(np.array([0]), np.array([[0]], dtype=np.int32), np.array([[1]], dtype=np.int32))
    releases = [Release(table, np.array([0, 0, 0]), counterfeits=fake, grouped=True)] * 2
    background, series = Background.worst_case(releases), [r.published() for r in releases]
    assert Correspondence.of(series, background).names == ["a", "b", "c", "stranger 0", "stranger 1"]
    with pytest.raises(ParameterError, match="without numbers"):
        named_counterfeits(releases)
    named = [(np.array([7]), np.array([0]))] * 2
    assert Correspondence.of(series, background, counterfeits=named).names == ["a", "b", "c", "counterfeit 7"]
    persons, values = Correspondence.of(series, background.about(["a"]), counterfeits=named).to_frames()
    assert persons.columns.tolist() == ["a", "counterfeit 7", *(f"stranger {i}" for i in range(4))]
    assert persons.sum(axis=1).tolist() == values.sum(axis=1).tolist() == [4, 4]
    crowded = [(np.array([7, 8]), np.array([0, 0]))] * 2
    with pytest.raises(ParameterError, match="more persons and counterfeits"):
        Memberships.of(series, background, crowded)
    with pytest.raises(ParameterError, match="do not fit"):
        Memberships.of(series, background, named[:1])


def test_counterfeits_that_do_not_fit_are_refused_in_words():
    release = Release(table_of(["flu", "HIV"]), np.array([0, 0]))
    background, series = Background.worst_case([release]), [release.published()]
    with pytest.raises(ParameterError, match="releases must be a list, not Release"):
        named_counterfeits(release)
    with pytest.raises(ParameterError, match=r"the release must be a ppdp_lab.Release, not Generalized"):
        named_counterfeits(series)
    with pytest.raises(ParameterError, match="counterfeits must be a list, not int"):
        Memberships.of(series, background, 5)
    for beyond in (-1, 1):
        with pytest.raises(ParameterError, match="the release: counterfeits stand in groups beyond 0 to 0"):
            Memberships.of(series, background, [(np.array([7]), np.array([beyond]))])


def test_a_series_and_a_background_are_needed():
    release = Release(table_of(["flu", "HIV"]), np.array([0, 0]))
    background, series = Background.worst_case([release]), [release.published()]
    for attack in (compromised, compromised_over_time):
        with pytest.raises(ParameterError, match="the background must be a ppdp_lab Background, not NoneType"):
            attack(series, None, e=2)
        with pytest.raises(ParameterError, match="put the single one into a list"):
            attack(series[0], background, e=2)
        with pytest.raises(ParameterError, match="a series of published tables must be a list, not NoneType"):
            attack(None, background, e=2)
    for attack in (chains, Correspondence.of, BucketGraphs.of):
        with pytest.raises(ParameterError, match="the background must be a ppdp_lab Background, not NoneType"):
            attack(series, None)


@pytest.mark.parametrize("classes", [[0] * 6, [0, 0, 1, 1, 2, 2]])
def test_more_than_everybody_is_everybody(classes):
    table = table_of(["flu", "HIV"] * 4)
    rows = [[0, 1, 2, 3, 4, 5], [0, 7, 2, 3, 6, 5]]
    series = Attacked([Release(table.select(r), np.array(classes), grouped=True) for r in rows])
    most = compromised(*series.known, e=len(table) + 1)
    assert most.breached.any()
    for e in (10**10, 2**62):  # the largest whole number that is accepted
        found = compromised(*series.known, e=e)
        assert found.e == e and found.count_is == most.count_is
        assert found.breached.tolist() == most.breached.tolist()


def test_the_attack_needs_groups_and_one_sensitive_column():
    table = table_of(["flu", "HIV"])
    release = Release(table, np.array([0, 0]), grouped=True)
    with pytest.raises(ParameterError, match="everybody's group"):
        Correspondence.of([release.published()], Background.of(table))
    frame = pd.DataFrame({"age": [1, 2], "a": ["x", "y"], "b": ["x", "y"]})
    release = Release(Microdata(frame, Schema("age", sensitive=["a", "b"])), np.array([0, 0]), grouped=True)
    with pytest.raises(SchemaError, match="one sensitive column"):
        Correspondence.of([release.published()], Background.worst_case([release]))


def test_bucket_graphs_refuse_a_series_that_is_not_m_invariant():
    table = table_of(["flu", "HIV", "cold"], ids=["a", "b", "c"])
    series = Attacked([Release(table.select(rows), np.array([0, 0])) for rows in ([0, 1], [0, 2])])
    with pytest.raises(ParameterError, match="not m-invariant: in release 1, 'a'"):
        BucketGraphs.of(*series.known)


def test_whoever_comes_back_has_no_edge_and_makes_the_count_a_bound():
    table = table_of(["flu", "HIV"] * 3, ids=list("abcdef"))
    rows = [range(6), range(2, 6), range(6)]
    series = Attacked([Release(table.select(r), np.zeros(len(r), dtype=int)) for r in rows])
    graphs = BucketGraphs.of(*series.known)
    assert graphs.bucket.tolist() == [-1, -1, 0, 0, 0, 0] and graphs.cut_of_tuples().tolist()[:2] == [-1, -1]
    found = compromised(*series.known, e=2)
    assert found.count_is == "at most" and found.breached.tolist() == [True, True] + [False] * 4


def test_the_bound_is_for_merged_buckets_only():
    table = table_of(["flu", "HIV"] * 2)
    series = Attacked([Release(table, np.array([0, 0, 1, 1]), grouped=True)])
    graphs = BucketGraphs.of(*series.known)
    assert not graphs.merged
    with pytest.raises(ParameterError, match="merged buckets"):
        graphs.least_equivalence()
    with pytest.raises(ParameterError, match="no edge"):
        graphs.after(0).cut(0)
    with pytest.raises(ParameterError, match="releases must be at most 1, not 2"):
        graphs.after(2)


def test_proportions_do_not_depend_on_height_or_release():
    counts = ClassCounts.of_values([["flu", "HIV"], ["flu", "HIV", "HIV", "flu"], ["flu", "HIV", "HIV"], ["flu"]])
    keys = proportions(counts.histogram())
    assert keys[0] == keys[1] and len(set(keys.tolist())) == 3
