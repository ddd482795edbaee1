"""The release of the best node, and what is refused."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from ppdp_lab import metrics
from ppdp_lab.anonymize.lattice import Flash, Incognito, Samarati, SmallestClasses, Speedy
from ppdp_lab.anonymize.lattice.base import default_hierarchy, default_widths
from ppdp_lab.errors import (
    BrokenRuleError,
    DefaultHierarchyWarning,
    HierarchyError,
    InfeasibleError,
    ParameterError,
    SchemaError,
)
from ppdp_lab.principles import DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness
from ppdp_lab.table import Domain, Hierarchy, Microdata, Schema

SEARCHES = [Samarati, Incognito, Flash, Speedy]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("suppression", [0.0, 0.2])
def test_release_keeps_the_rule_and_shows_the_best_node(search, suppression, make_table, classes_at):
    for seed in range(5):
        table = make_table(seed, rows=60)
        algorithm = search(KAnonymity(4) & DistinctLDiversity(2), suppression=suppression)
        best = algorithm.search(table).best
        release = algorithm.anonymize(table)
        assert len(release.suppressed) <= suppression * len(table)
        names = list(table.schema.quasi_identifiers)
        published = release.to_frame()
        parts = published.groupby(names)["s0"]
        assert (parts.size() >= 4).all() and (parts.nunique() >= 2).all()
        expected = pd.concat(
            part.assign(**{n: table.hierarchies[n].generalize(part[n], level) for n, level in zip(names, best)})
            for part in classes_at(table, best)
            if len(part) >= 4 and part["s0"].nunique() >= 2
        )
        assert published.value_counts().to_dict() == expected.value_counts().to_dict()


def test_suppressed_records_are_those_of_unsafe_classes(make_table, classes_at):
    table = make_table(0, rows=60)
    algorithm = Flash(KAnonymity(4), suppression=0.3)
    release = algorithm.anonymize(table)
    node = algorithm.search(table).best
    small = [part.index for part in classes_at(table, node) if len(part) < 4]
    assert sorted(release.suppressed) == sorted(index for part in small for index in part) != []


def test_suppression_allows_less_generalization(make_table):
    table = make_table(1, rows=60)
    with_, without = (Flash(KAnonymity(4), suppression=share).search(table) for share in (0.3, 0.0))
    assert set(without.solutions) < set(with_.solutions)
    assert with_.lattice.cost(with_.best) < without.lattice.cost(without.best)


def test_metric_chooses_among_candidates(make_table):
    table = make_table(2, rows=60)

    def classes(release):
        return release.n_classes

    def fewer(release):
        return -release.n_classes

    rule = KAnonymity(3)
    plain = Flash(rule).search(table)
    sizes = {node: Flash(rule).generalize(table, node).n_classes for node in plain.solutions}
    least = Flash(rule, metric=classes, candidates="solutions").search(table).best
    assert sizes[least] == min(sizes.values()) == 1
    most = Flash(rule, metric=fewer).search(table).best
    assert most in plain.minimal and sizes[most] == max(sizes[node] for node in plain.minimal)
    classes.better = "higher"
    assert Flash(rule, metric=classes).search(table).best == most


def test_default_metric_is_average_generalization(make_table):
    table = make_table(3, rows=60, heights=(2, 3, 1))
    found = Flash(KAnonymity(3)).search(table)

    def generalization(node):
        return sum(level / height for level, height in zip(node, (2, 3, 1)))

    assert generalization(found.best) == pytest.approx(min(map(generalization, found.solutions)))


# ---------------------------------------------------------------------- refusals
@pytest.fixture
def table(make_table):
    return make_table(0)


def test_text_without_a_hierarchy_is_named_and_the_message_mends_it():
    frame = pd.DataFrame({"town": ["a", "b"], "sex": ["f", "m"], "zip": ["1", "2"]})
    schema, zips = Schema(["town", "sex", "zip"]), {"zip": Hierarchy.mask_suffix(["1", "2"])}
    for search in SEARCHES:
        with pytest.raises(HierarchyError, match="hierarchy for text: 'town', 'sex' have none; pass one to Microdata"):
            search(KAnonymity(2)).search(Microdata(frame, schema, zips))
        with pytest.raises(HierarchyError, match="'sex' has none") as caught:
            town = {"town": Hierarchy.from_levels({value: ["*"] for value in frame["town"]})}
            search(KAnonymity(2), suppression=0.5).anonymize(Microdata(frame, schema, zips | town))
        trees = eval(str(caught.value).partition("hierarchies=")[2], {"frame": frame, "Hierarchy": Hierarchy})
        assert search(KAnonymity(2)).anonymize(Microdata(frame, schema, zips | town | trees)).n_classes == 1


# ---------------------------------------------------------------------- default intervals of ordered columns
@pytest.mark.parametrize("search", SEARCHES)
def test_ordered_columns_without_a_hierarchy_get_the_intervals_that_are_announced(search):
    chance = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": [17, 90, *chance.integers(17, 91, 198)],
            "born": pd.date_range("1950-01-01", periods=200, freq="90D"),
            "pain": pd.Categorical(chance.choice(["low", "mid", "high"], 200), ["low", "mid", "high"], ordered=True),
        }
    )
    table = Microdata(frame, Schema(["age", "born", "pain"]))
    words = "default interval widths: 'age' 5, 10, 20, 40; 'born' 12, 24, 48, 96; 'pain' 2"
    with pytest.warns(DefaultHierarchyWarning, match=f"no hierarchy for 'age', 'born', 'pain'; using {words}") as said:
        release = search(KAnonymity(20)).anonymize(table)
    assert len(said) == 1 and release.method.endswith(f"; {words}") and release.table is table
    with pytest.warns(DefaultHierarchyWarning):
        released = search(KAnonymity(1)).generalize(table, (2, 5, 1))
    assert set(released.to_frame()["pain"]) == {"[low .. mid]", "high"}
    ends = {text for text in released.to_frame()["age"]}
    assert ends <= {"[17, 26]", "[27, 36]", "[37, 46]", "[47, 56]", "[57, 66]", "[67, 76]", "[77, 86]", "[87, 90]"}
    # The same ages with these intervals as a hierarchy fall into the same classes, and need no announcement.
    alone = table.project(["age"])
    tree = Hierarchy.intervals(range(17, 91), [5, 10, 20, 40])
    given = Microdata(frame[["age"]], Schema("age"), {"age": tree})
    with pytest.warns(DefaultHierarchyWarning):
        found = search(KAnonymity(20)).anonymize(alone)
    assert np.array_equal(found.class_of, search(KAnonymity(20)).anonymize(given).class_of)


def test_default_intervals_fit_any_numbers():
    """Wide intervals hold narrow ones whole, none is empty of effect, and nothing overflows."""
    columns = [
        [4], [0, 1], [1, 2, 3], [0.1 * i for i in range(50)], [1e9 + 0.001 * i for i in range(16)],
        [-1.5e308, 5.5, 1.5e308], [5e-324, 1e-323], [-(2**62), 2**62, 2**62 + 1], range(1000),
    ]  # fmt: skip
    for values in columns:
        domain, _ = Domain.of(pd.Series(values, name="x"))
        sizes = default_hierarchy(domain).level_sizes()
        assert sizes[0] == len(domain) and sizes[-1] == 1 and len(sizes) == len(default_widths(domain)) + 2
        assert all(a > b for a, b in pairwise(sizes)) or len(domain) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"suppression": -0.1}, "suppression must be at least 0"),
        ({"suppression": 1.5}, "suppression must be at most 1"),
        ({"suppression": 1}, "publish nothing at all"),
        ({"suppression": "10 %"}, "suppression must be a number"),
        ({"metric": "ncp"}, "metric must be a function of a Release"),
        ({"candidates": "best"}, "candidates must be one of 'minimal', 'solutions'"),
        ({"rollup": 1}, "rollup must be True or False"),
        ({"projection": None}, "projection must be True or False"),
        ({"history": -1}, "history must be at least 0"),
        ({"metric": metrics.c_avg}, r"take a Release alone, .* argument: 'k'.*functools.partial\("),
        ({"metric": metrics.query_error}, r"take a Release alone, .* argument: 'queries'"),
        ({"metric": lambda: 1}, "take a Release alone"),
        ({"smallest": 5}, "smallest must be a SmallestClasses, not 5"),
        ({"smallest": SmallestClasses(), "suppression": 0.1}, "k-anonymity without suppression only"),
    ],
)
def test_wrong_parameters(arguments, words):
    with pytest.raises(ParameterError, match=words):
        Flash(KAnonymity(2), **arguments)


@pytest.mark.parametrize("value", [None, float("nan"), "small"])
def test_a_metric_must_give_a_number(value, table):
    with pytest.raises(ParameterError, match=rf"must give a number for every release, .* it gave {value!r}"):
        Flash(KAnonymity(2), metric=lambda release: value).search(table)


def test_a_metric_with_its_parameters_given_keeps_its_direction(make_table):
    table = make_table(2, rows=60)

    class Classes:
        better = "higher"

        def __call__(self, release, times):
            return times * release.n_classes

    many = partial(Classes(), times=2)
    chosen = Flash(KAnonymity(4), metric=many, candidates="solutions")
    found = chosen.search(table)
    assert many(chosen.generalize(table, found.best)) == max(many(chosen.generalize(table, n)) for n in found.solutions)
    assert len({many(chosen.generalize(table, n)) for n in found.solutions}) > 1
    assert Flash(KAnonymity(4), metric=partial(metrics.c_avg, k=4)).search(table).best is not None


def test_wrong_rule_and_threads():
    with pytest.raises(ParameterError, match="the rule must be a principle"):
        Flash(5)
    with pytest.raises(ParameterError, match="threads must be at least 1"):
        Speedy(KAnonymity(2), threads=0)
    with pytest.raises(ParameterError, match="divide must be one of 'when it pays', 'always', not 'never'"):
        Speedy(KAnonymity(2), divide="never")
    with pytest.raises(ParameterError, match="k-anonymity without suppression only"):
        Flash(DistinctLDiversity(2), smallest=SmallestClasses())


@pytest.mark.parametrize("search", SEARCHES)
def test_infeasible(search, table):
    with pytest.raises(InfeasibleError, match="k = 41 is larger than the table of 40 records"):
        search(KAnonymity(41)).anonymize(table)
    with pytest.raises(InfeasibleError, match=r"at no levels .* with at most 4 of 40 records suppressed"):
        search(KAnonymity(41), suppression=0.1).anonymize(table)
    found = search(KAnonymity(41)).search(table)
    assert found.solutions == [] and found.minimal == [] and found.best is None


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("rule", [KAnonymity, DistinctLDiversity, lambda k: KAnonymity(k) & DistinctLDiversity(2)])
def test_more_than_the_table_holds_is_never_met_however_much(search, rule, table):
    for most in (41, 2**31, 2**63, 10**30):
        with pytest.raises(InfeasibleError, match=r"at no levels .* with at most 20 of 40 records suppressed"):
            search(rule(most), suppression=0.5).anonymize(table)
        assert search(rule(most)).search(table).solutions == []


def test_a_whole_that_fails_may_have_parts_that_hold():
    """Entropy l-diversity fails for all records as one class, but not for those that are left after suppression."""
    frame = pd.DataFrame({"q": ["a"] * 4 + ["b"] * 6, "s": ["x", "y"] * 2 + ["x"] * 6})
    table = Microdata(frame, Schema("q", sensitive="s"), {"q": Hierarchy.from_levels({"a": ["*"], "b": ["*"]})})
    rule = EntropyLDiversity(1.9)
    with pytest.raises(InfeasibleError, match="even as one single class it fails"):
        Flash(rule).anonymize(table)
    release = Flash(rule, suppression=0.6).anonymize(table)
    assert release.n_classes == 1 and len(release.suppressed) == 6


def test_not_a_table_and_not_a_node(table):
    with pytest.raises(ParameterError, match=r"a search needs a ppdp_lab.Microdata, not DataFrame"):
        Flash(KAnonymity(2)).search(table.frame)
    with pytest.raises(ParameterError, match="has 2 levels; the table has 3"):
        Flash(KAnonymity(2)).generalize(table, (0, 0))
    with pytest.raises(ParameterError, match="node must be a list of levels, one for each quasi-identifier, not 5"):
        Flash(KAnonymity(2)).generalize(table, 5)
    with pytest.raises(ParameterError, match="the level of 'q0' must be at most 1"):
        Flash(KAnonymity(2)).generalize(table, (2, 0, 0))


def test_a_table_without_records(table):
    for suppression in (0.0, 0.1):
        with pytest.raises(InfeasibleError, match="no records"):
            Flash(KAnonymity(2), suppression=suppression).anonymize(table.select([False] * len(table)))


def test_rule_that_does_not_fit_the_table(make_table):
    with pytest.raises(SchemaError, match="names no sensitive column"):
        Flash(DistinctLDiversity(2)).search(make_table(0, sensitive=0))
    with pytest.raises(SchemaError, match="several sensitive columns"):
        Flash(TCloseness(0.2)).search(make_table(0, sensitive=2))


def test_a_release_that_breaks_its_rule_is_withheld(table, monkeypatch):
    """Were a check wrong, anonymize would not hand out what it let through."""
    from ppdp_lab.anonymize.lattice import base

    monkeypatch.setattr(base.Checker, "__call__", lambda self, node: True)
    for suppression in (0.0, 0.1):
        with pytest.raises(BrokenRuleError, match=r"the release is withheld: at .* it takes 40 suppressed records"):
            Flash(KAnonymity(30), suppression=suppression).anonymize(table)
