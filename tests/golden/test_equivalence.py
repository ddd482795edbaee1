"""The equivalence paper's Tables I to VII, Examples 1 to 10 and Figures 1 to 4."""

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.attacks import Background, audit_series, intersection
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.equivalence import chains, compromised, equal_values
from ppdp_lab.attacks.matrices import Correspondence, delta_weights, exposed_by, minimum_equivalence, plain_weights
from ppdp_lab.attacks.memberships import named_counterfeits
from ppdp_lab.datasets.examples import equivalence
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.republish.e_equivalence import EEquivalence
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.table import Microdata, Schema


def release_of(example):
    """A printed table as a release; counterfeit c1 has number 1."""
    fake = example.counterfeits
    numbers = np.array([int(name[1:]) for name in fake.ids], dtype=np.int64)
    invented = Counterfeits(example.counterfeit_class, fake.sensitive_codes, fake.qi_codes, numbers)
    style = "anatomized" if example.anatomized else "generalized"
    return Release(example.table, example.class_of, style=style, grouped=True, counterfeits=invented)


class Series:
    """What an adversary has of a printed series who knows everybody's group."""

    def __init__(self, examples):
        self.releases = [release_of(example) for example in examples]
        self.published = [release.published() for release in self.releases]
        self.background = Background.worst_case(self.releases)
        self.named = named_counterfeits(self.releases)

    def matrices(self):
        return Correspondence.of(self.published, self.background, counterfeits=self.named)

    def graphs(self):
        return BucketGraphs.of(self.published, self.background, counterfeits=self.named)


def short(names):
    return tuple(name.replace("counterfeit ", "c") for name in names)


def frames(both):
    """Matrices with the paper's names, columns in the paper's order."""
    persons, values = both.to_frames()
    persons.columns = short(persons.columns)
    return persons, values


def ordered(both, expected):
    """Rows of the matrices in the paper's order: each printed row occurs, and no other."""
    persons, values = frames(both)
    found = []
    rows = persons[expected.persons.columns].to_numpy().tolist()
    for row in expected.persons.to_numpy().tolist():
        at = next(i for i, candidate in enumerate(rows) if candidate == row and i not in found)
        found.append(at)
    assert sorted(found) == list(range(len(rows)))
    return persons[expected.persons.columns].to_numpy()[found], values[expected.values.columns].to_numpy()[found], found


# ---------------------------------------------------------------------- Examples 1 to 3
def test_naive_series_gives_alice_away():
    series = Series(equivalence.naive_series())
    assert intersection(series.published, series.background).values("Alice") == ["cancer"]
    assert exposed_by(series.matrices(), {})["Alice"] == "cancer"


def test_example_1_tables_1b_and_3b_are_2_invariant():
    series = Series(equivalence.invariant_series())
    for published in series.published:
        histogram = published.counts().histogram()
        assert (histogram.distinct == 2).all() and (histogram.counts == 1).all()
    assert audit_series(series.published, series.background, max_confidence=0.5)
    assert not series.graphs().merged  # one signature for life: BucketGraphs refuses anything else


def test_example_3_minimum_equivalence_of_the_2_invariant_series_is_1():
    series = Series(equivalence.invariant_series())
    alone = Series([equivalence.table_1()])
    assert minimum_equivalence(alone.matrices()).e == 2
    assert str(minimum_equivalence(alone.matrices())) == "{Alice, Bob} = {Chris, Dan}"
    assert minimum_equivalence(series.matrices()).e == 1
    equal = [set(short(names)) for names in equal_values(series.matrices())]
    assert {"Bob", "Greg"} in equal and {"Dan", "c1"} in equal and {"Frank", "Harry"} in equal
    assert len(equal) == 3
    found = compromised(series.published, series.background, e=2, counterfeits=series.named)
    assert set(found.ids[found.breached]) == {"Bob", "Greg", "Dan", "Frank", "Harry"} and found.count_is == "at least"


def test_bob_learns_the_disease_of_greg_and_kate():
    frame = pd.DataFrame(
        {"age": [35, 49, 45, 40], "disease": ["cancer", "flu", "flu", "flu"]}, index=["Alice", "Bob", "Greg", "Kate"]
    )
    table = Microdata(frame, Schema("age", sensitive="disease"))
    releases = [Release(table.select([0, other]), np.array([0, 0]), grouped=True) for other in (1, 2, 3)]
    both = Correspondence.of([r.published() for r in releases], Background.worst_case(releases))
    assert equal_values(both) == [("Bob", "Greg", "Kate")]
    for method in ("exact", "pairs"):
        found = chains([r.published() for r in releases], Background.worst_case(releases), method=method)
        assert found.sets() == [("Bob", "Greg", "Kate")]
    assert exposed_by(both, {}) == {}
    assert exposed_by(both, {"Bob": "flu"}) == {"Alice": "cancer", "Greg": "flu", "Kate": "flu"}


# ---------------------------------------------------------------------- Examples 4 to 8
def test_tables_4_to_6_allow_no_attack_then_2_then_1():
    examples = equivalence.merged_series()
    assert minimum_equivalence(Series(examples[:1]).matrices()) is None
    second, third = (minimum_equivalence(Series(examples[:n]).matrices()) for n in (2, 3))
    assert second.e == 2 and third.e == 1
    assert str(third) == "Frank = Harry"


@pytest.mark.parametrize("anatomized", [True, False])
def test_generalized_and_anatomized_buckets_are_attacked_alike(anatomized):
    series = Series([equivalence.table_4(anatomized=anatomized), equivalence.table_5(anatomized=anatomized)])
    assert minimum_equivalence(series.matrices()).e == 2


def test_examples_5_and_6_matrices_and_weights():
    expected = equivalence.example_6()
    both = Series(equivalence.merged_series()).matrices()
    persons, values, order = ordered(both, expected)
    assert (persons == expected.persons.to_numpy()).all() and (values == expected.values.to_numpy()).all()
    for attack in expected.attacks:
        weights = np.zeros(6)
        weights[order] = attack.weights
        found = both.attack(weights)
        assert (short(found.left), short(found.right)) == (attack.left, attack.right)
        assert found.e == len(attack.left)


def bucket_of(buckets, expected):
    return next(b for b in buckets if set(short(b.names)) == set(expected.persons.columns))


def test_example_7_matrices_by_bucket():
    buckets = Series(equivalence.merged_series()).matrices().buckets()
    assert len(buckets) == 2
    for expected in equivalence.example_7().values():
        bucket = bucket_of(buckets, expected)
        persons, values = frames(bucket)
        assert (persons[expected.persons.columns].to_numpy() == expected.persons.to_numpy()).all()
        assert (values[expected.values.columns].to_numpy() == expected.values.to_numpy()).all()
        for attack in expected.attacks:
            found = bucket.attack(attack.weights)
            assert (short(found.left), short(found.right)) == (attack.left, attack.right)


def test_example_8_delta_encoding_and_the_weights_between():
    buckets = Series(equivalence.merged_series()).matrices().buckets()
    for name, expected in equivalence.example_8().items():
        plain = bucket_of(buckets, expected)
        delta = plain.delta()
        persons, values = frames(delta)
        assert (persons[expected.persons.columns].to_numpy() == expected.persons.to_numpy()).all()
        assert (values[expected.values.columns].to_numpy() == expected.values.to_numpy()).all()
        for attack in expected.attacks:
            found, same = delta.attack(attack.weights), plain.attack(plain_weights(attack.weights))
            assert (short(found.left), short(found.right)) == (attack.left, attack.right)
            assert (found.left, found.right) == (same.left, same.right)
            assert delta_weights(plain_weights(attack.weights)).tolist() == list(attack.weights)
        running_sums = np.cumsum(expected.attacks[-1].weights)
        if name == "cancer, measles":  # what the paper prints for Lemma 4 is no attack at all
            with pytest.raises(ValueError, match="no attack"):
                plain.attack(running_sums)
        assert minimum_equivalence(delta).e == minimum_equivalence(plain).e


# ---------------------------------------------------------------------- Figures 2 to 4, Example 9
def check_graphs(examples, signature, figures, cuts):
    graphs = Series(examples).graphs()
    bucket = graphs.signatures.index(signature)
    for number, (figure, cut) in enumerate(zip(figures, cuts), 1):
        after = graphs.after(number)
        found = {edge: set(short(names)) for edge, names in after.edges(bucket).items()}
        assert found == {edge: set(names) for edge, names in figure.edges.items()}
        assert after.smallest_cuts()[bucket] == cut == after.cut(bucket)[0]
        assert set(after.graph(bucket).nodes) == set(figure.nodes)
    return graphs, bucket


def test_figure_2():
    check_graphs(equivalence.merged_series(), ("cancer", "flu"), equivalence.figure_2(), [4, 4, 4])


def test_figure_3_and_its_cuts():
    examples = equivalence.merged_series()
    graphs, bucket = check_graphs(examples, ("cancer", "measles"), equivalence.figure_3(), [2, 2, 2])
    weights = graphs.weights(bucket)
    for nodes, weight in (([2, 3], 4), ([1, 3], 2)):  # the two dashed lines of Example 9
        others = [node for node in range(4) if node not in nodes]
        assert weights[np.ix_(nodes, others)].sum() == weight
    assert graphs.least_equivalence() == 1.0


def test_figure_4_and_table_7():
    examples = equivalence.table_7()
    graphs, _ = check_graphs(examples, ("cancer", "measles"), equivalence.figure_4(), [4, 4, 4])
    assert graphs.least_equivalence() == 2.0
    assert minimum_equivalence(Series(examples).matrices()).e == 2


# ---------------------------------------------------------------------- Examples 2 and 10: the publishers
def members(release):
    """Persons and number of counterfeits per published bucket, by its values."""
    labels = release.table.sensitive_domains[0].labels
    fakes = np.bincount(release.counterfeit_codes.class_of, minlength=release.n_classes)
    found = {}
    for c in range(release.n_classes):
        rows = release.class_of == c
        fake = release.counterfeit_codes.class_of == c
        codes = [*release.table.sensitive_codes[0, rows], *release.counterfeit_codes.sensitive[0, fake]]
        found[tuple(sorted(set(labels[codes])))] = set(release.records[rows]), int(fakes[c])
    return found


def expected_members(groups):
    return {
        signature: ({n for n in names if not n.startswith("c")}, sum(n.startswith("c") for n in names))
        for signature, names in groups.items()
    }


def snapshots():
    return [example.table for example in equivalence.merged_series()]


def test_example_2_bucketization_at_t1_and_t2():
    publisher = MInvariance(2, partition="merged", audit=True, seed=1)  # who meets whom is chance: as printed
    first, second, third = map(publisher.publish, snapshots())
    figure = equivalence.figure_1()
    assert members(first) == expected_members(figure["before"])
    assert members(second) == expected_members(figure["assignment"])
    assert members(third)["cancer", "flu"] == ({"Alice", "Greg", "Chris"}, 1)
    kept = [release.counterfeit_codes.ids.tolist() for release in (second, third)]
    assert kept == [[0], [0]]  # c1 of Table V is still there in Table VI
    fine = MInvariance(2, audit=True)
    assert [fine.publish(table).n_classes for table in snapshots()] == [3, 4, 3]


def test_example_10_gives_table_7():
    publisher = EEquivalence(2, e=2, audit=True, seed=1)  # who meets whom is chance: as printed
    signatures = ("cancer", "flu"), ("cancer", "measles")
    for table, printed in zip(snapshots(), equivalence.table_7()):
        release = publisher.publish(table)
        assert members(release) == expected_members(dict(zip(signatures, printed.groups())))
        assert release.n_counterfeits == len(printed.counterfeits)


def test_example_4_merged_m_invariance_is_open_to_the_attack_and_e_equivalence_is_not():
    for publisher, least in ((MInvariance(2, partition="merged", seed=1), 1), (EEquivalence(2, e=2, seed=1), 2)):
        releases = [publisher.publish(table) for table in snapshots()]
        background, named = Background.worst_case(releases), named_counterfeits(releases)
        both = Correspondence.of([r.published() for r in releases], background, counterfeits=named)
        assert minimum_equivalence(both).e == least
