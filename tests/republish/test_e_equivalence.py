"""e-equivalence: no small equivalence can be found by whoever reads what is published."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from republish.lives import groups_of, judge, publish_all, same_in_any_order, same_release, snapshots, streams

from ppdp_lab.attacks import Background
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.equivalence import compromised
from ppdp_lab.attacks.matrices import Correspondence, minimum_equivalence
from ppdp_lab.attacks.memberships import named_counterfeits
from ppdp_lab.errors import BrokenRuleError, InfeasibleError, ParameterError
from ppdp_lab.republish import UpdateStream
from ppdp_lab.republish import e_equivalence as module
from ppdp_lab.republish.e_equivalence import EEquivalence
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.table import Microdata, Schema


def plain_graphs(releases):
    """Bucket graphs by networkx, from published groups, the holder's ids and the numbers of counterfeits."""
    stays = {}
    for number, release in enumerate(releases, 1):
        here = {person: frozenset(value for value, _ in values) for person, (_, values) in groups_of(release).items()}
        fake = release.counterfeit_codes
        of_class = {c: here[person] for person, c in zip(release.records, release.class_of) if c >= 0}
        here |= {("counterfeit", i): of_class[c] for i, c in zip(fake.ids.tolist(), fake.class_of)}
        for who, signature in here.items():
            stay = stays.setdefault(who, [signature, number, number])
            assert stay[0] == signature and stay[2] >= number - 1  # one bucket, one stay
            stay[2] = number
    graphs = {}
    for signature, came, last in stays.values():
        gone = 0 if last == len(releases) else last + 1
        graph = graphs.setdefault(signature, nx.Graph())
        weight = graph.get_edge_data(came, gone, {"weight": 0})["weight"]
        graph.add_edge(came, gone, weight=weight + 1)
    return graphs


def smallest_cut(graph):
    return min(nx.stoer_wagner(graph.subgraph(part))[0] for part in nx.connected_components(graph))


def attack(releases):
    return minimum_equivalence(
        Correspondence.of(
            [r.published() for r in releases],
            Background.worst_case(releases),
            counterfeits=named_counterfeits(releases),
        )
    )


@given(streams(max_releases=6), st.integers(2, 3), st.integers(1, 5), st.sampled_from(["anatomized", "generalized"]))
def test_every_cut_of_every_series_is_large_enough(tables, m, e, style):
    releases = publish_all(EEquivalence(m, e=e, style=style, audit=True), tables)
    judge(releases, m, fine=False)
    for number in range(1, len(releases) + 1):
        for graph in plain_graphs(releases[:number]).values():
            assert smallest_cut(graph) > 2 * (e - 1)


@settings(max_examples=25)
@given(streams(max_persons=12, max_releases=4, values=(3, 4)), st.integers(2, 3), st.integers(2, 4))
def test_the_integer_program_finds_no_smaller_equivalence(tables, m, e):
    releases = publish_all(EEquivalence(m, e=e), tables)
    found = attack(releases) if releases else None
    assert found is None or found.e >= e


@settings(max_examples=25)
@given(streams(max_persons=14, max_releases=4, values=(3, 4)), st.integers(2, 3))
def test_no_attack_on_merged_buckets_is_below_half_the_smallest_cut(tables, m):
    releases = publish_all(MInvariance(m, partition="merged"), tables)
    if releases:
        cut = min(map(smallest_cut, plain_graphs(releases).values()))
        found = attack(releases)
        assert found is None or 2 * found.e >= cut
        graphs = BucketGraphs.of(
            [r.published() for r in releases],
            Background.worst_case(releases),
            counterfeits=named_counterfeits(releases),
        )
        assert 2 * graphs.least_equivalence() == cut


@given(streams(max_releases=6), st.integers(2, 4))
def test_withdrawn_counterfeits_are_gone(tables, e):
    gone: set[int] = set()
    before: dict[int, frozenset] = {}
    left: set = set()
    releases = publish_all(EEquivalence(2, e=e), tables)
    for number, release in enumerate(releases):
        groups = groups_of(release)
        of_class = {c: groups[person][1] for person, c in zip(release.records, release.class_of)}
        fake = release.counterfeit_codes
        now = {i: frozenset(v for v, _ in of_class[c]) for i, c in zip(fake.ids.tolist(), fake.class_of)}
        if number:
            earlier = groups_of(releases[number - 1])
            left = {frozenset(v for v, _ in values) for p, (_, values) in earlier.items() if p not in groups}
        gone |= set(before) - set(now)
        assert not gone & set(now)
        # A bucket that somebody left has lost all its counterfeits; any other has kept them.
        assert all((i in now) == (signature not in left) for i, signature in before.items())
        before = now


@given(streams(max_releases=6), st.integers(1, 4), st.integers(0, 4))
def test_saving_and_loading_changes_nothing(tmp_path_factory, tables, e, at):
    expected = publish_all(EEquivalence(2, e=e, seed=7), tables)
    parted = EEquivalence(2, e=e, seed=7)
    path = tmp_path_factory.mktemp("memory") / "e.npz"
    for number, (snapshot, release) in enumerate(zip(snapshots(tables), expected)):
        if number == at:
            parted.save(path)
            parted = EEquivalence.load(path)
            assert parted.e == e
        same_release(parted.publish(snapshot), release)


@pytest.mark.parametrize("distinct", [False, True])
@given(data=st.data(), style=st.sampled_from(["anatomized", "generalized"]), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_plays_no_part(distinct, data, style, seed):
    tables = data.draw(streams(max_releases=6, distinct=distinct))
    same_in_any_order(lambda: EEquivalence(2, e=3, style=style, seed=4), tables, np.random.default_rng(seed))


# ---------------------------------------------------------------------- larger streams
def census(n=12_000, values=40):
    rng = np.random.default_rng(3)
    weights = np.linspace(1, 2, values)
    frame = pd.DataFrame({"age": rng.integers(17, 96, n), "illness": rng.choice(values, n, p=weights / weights.sum())})
    return Microdata(frame, Schema("age", sensitive="illness"))


@pytest.mark.parametrize(("m", "e"), [(10, 5), (10, 8), (4, 7)])
def test_streams_end_whatever_m_and_e(m, e):
    stream = UpdateStream(census(), initial=4000, deletes=400, inserts=400, updates=12, seed=2)
    publisher = EEquivalence(m, e=e, audit=True)
    releases = [publisher.publish(snapshot) for snapshot in stream]
    judge([releases[0], releases[-1]], m, fine=False)
    found = compromised(
        [r.published() for r in releases],
        Background.worst_case(releases),
        e=e,
        counterfeits=named_counterfeits(releases),
    )
    assert found.n_breached == 0
    plain = MInvariance(m, partition="merged")
    careless = [plain.publish(snapshot) for snapshot in stream]
    more = sum(r.n_counterfeits for r in releases) - sum(r.n_counterfeits for r in careless)
    assert more > 0
    found = compromised([r.published() for r in careless], Background.worst_case(careless), e=e)
    assert found.n_breached > 0


def test_memory_grows_with_persons_not_with_releases():
    stream = UpdateStream(census(), initial=4000, deletes=400, inserts=400, updates=12, seed=2)
    publisher = EEquivalence(5, e=3)
    made = sum(publisher.publish(snapshot).n_counterfeits for snapshot in stream)
    assert sum(array.nbytes for array in publisher.memory.values()) < 40 * (publisher.n_persons + made)


# ---------------------------------------------------------------------- what cannot be placed
def people(illnesses):
    frame = pd.DataFrame({"age": range(20, 20 + len(illnesses)), "illness": illnesses})
    return Microdata(frame, Schema("age", sensitive="illness"))


def test_whoever_comes_back_is_refused_or_suppressed():
    table = people(["flu", "HIV"] * 4)
    publishers = [EEquivalence(2, e=2), EEquivalence(2, e=2, on_invalid="suppress", audit=True)]
    for publisher in publishers:
        publisher.publish(table)
        publisher.publish(table.select(range(2, 8)))
    with pytest.raises(InfeasibleError, match=r"^2 record\(s\) come back.*new ids") as told:
        publishers[0].publish(table)
    assert list(told.value.ids) == [0, 1]
    release = publishers[1].publish(table)
    assert list(release.suppressed) == [0, 1]
    assert len(publishers[1].publish(table).suppressed) == 2


def test_a_changed_value_outside_the_signature_leaves_the_series_for_good():
    table = people(["flu", "HIV", "cold", "cough"])
    publisher = EEquivalence(2, e=2, on_invalid="suppress", audit=True)
    signature = {value for value, _ in groups_of(publisher.publish(table))[0][1]}
    changed = table.sensitive_codes.copy()
    domain = table.sensitive_domains[0]
    changed[0, 0] = next(code for code, name in enumerate(domain.labels) if name not in signature)
    assert list(publisher.publish(table.with_codes(sensitive_codes=changed)).suppressed) == [0]
    assert list(publisher.publish(table).suppressed) == [0]


def test_a_value_that_changes_within_the_signature_is_balanced():
    table = people(["flu", "HIV"])
    publisher = EEquivalence(2, e=2, audit=True)
    publisher.publish(table)
    changed = table.sensitive_codes.copy()
    changed[0, 1] = changed[0, 0]
    release = publisher.publish(table.with_codes(sensitive_codes=changed))
    judge([release], 2, fine=False)
    assert not len(release.suppressed)


def test_a_bucket_that_empties_and_fills_again():
    table = people(["flu", "HIV"] * 8)
    publisher = EEquivalence(2, e=3, audit=True)
    releases = [publisher.publish(table.select(range(a, b))) for a, b in ((0, 8), (8, 8), (8, 16), (10, 16), (10, 16))]
    assert len(releases[1].to_frames()[0]) == 0
    judge(releases, 2, fine=False)
    assert min(map(smallest_cut, plain_graphs(releases).values())) > 4


def test_a_month_without_changes_changes_nothing():
    table = people(["flu", "HIV", "cold"] * 3)
    publisher = EEquivalence(2, e=4)
    first, second = publisher.publish(table), publisher.publish(table)
    same_release(first, second)


def test_wrong_parameters_are_refused():
    for wrong in ({"m": 2, "e": 0}, {"m": 1, "e": 2}, {"m": 2, "e": 2.5}, {"m": 2, "e": 2, "style": "plain"}):
        with pytest.raises(ParameterError):
            EEquivalence(**wrong)
    with pytest.raises(TypeError):
        EEquivalence(2)


# ---------------------------------------------------------------------- the independent checks
@pytest.mark.parametrize("audit", [False, True])
def test_a_publisher_that_miscounts_its_flows_is_stopped(audit, monkeypatch):
    def generous(begins, *_):
        return np.full(len(begins) - 1, 1000)

    monkeypatch.setattr(module, "flows_to_present", generous)
    if audit:  # only the auditor is left to see it
        monkeypatch.setattr(EEquivalence, "_check", MInvariance._check)
    table = people(["flu", "HIV"] * 6)
    publisher = EEquivalence(2, e=3, audit=audit)
    publisher.publish(table.select(range(10)))
    with pytest.raises(BrokenRuleError, match="cut of"):
        publisher.publish(table.select(range(2, 12)))


def test_more_counterfeits_than_anybody_wants_are_an_error():
    frame = pd.DataFrame({"age": range(8), "illness": [*"abcd"] * 2})
    table = Microdata(frame, Schema("age", sensitive="illness"))
    assert (
        len(EEquivalence(2, e=200, seed=1).publish(table).counterfeits) == 792
    )  # two buckets of 400 rows: just allowed
    for e in (250, 10**6, 2**31 - 1):
        publisher = EEquivalence(2, e=e)
        with pytest.raises(
            InfeasibleError, match=r"would add [\d,]+ counterfeits to 8 records, more than 100 for each"
        ):
            publisher.publish(table)
        assert publisher.number == 0 and not len(publisher.memory["fake_bucket"])
