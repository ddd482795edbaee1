"""m-invariance: the counting, the split, and what every series keeps."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from republish.lives import groups_of, judge, publish_all, same_in_any_order, same_release, snapshots, streams

from ppdp_lab.errors import BrokenRuleError, InfeasibleError, ParameterError, SchemaError
from ppdp_lab.republish import UpdateStream
from ppdp_lab.republish import m_invariance as module
from ppdp_lab.republish.buckets._split import counting_sort
from ppdp_lab.republish.buckets.bucketize import assign, eligible_with, excess, first_of, most_takes, spread
from ppdp_lab.republish.buckets.signatures import check_unique, places, split
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.table import Microdata, Schema

small_counts = st.lists(st.integers(0, 4), min_size=2, max_size=4).map(np.array)


# ---------------------------------------------------------------------- counting
@given(small_counts, st.data(), st.integers(2, 4))
def test_most_takes_are_the_most_that_do_not_make_eligibility_worse(counts, data, m):
    needs = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(counts), max_size=len(counts))))
    taken = most_takes(counts, needs, m)
    assert (taken >= 0).all() and (taken <= np.minimum(counts, needs)).all()
    assert excess(counts - taken, m) <= excess(counts, m)
    allowed = (
        sum(takes)
        for takes in product(*(range(min(c, d) + 1) for c, d in zip(counts, needs)))
        if excess(counts - np.array(takes), m) <= excess(counts, m)
    )
    assert taken.sum() == max(allowed)


@given(st.lists(st.integers(0, 30), min_size=2, max_size=12).map(np.array), st.integers(2, 6))
def test_counts_made_eligible_are_divided_into_buckets_of_m_values_or_more(counts, m):
    assume(len(counts) >= m)
    fakes = eligible_with(counts, m)
    assert fakes.sum() == excess(counts, m) and (fakes >= 0).all()
    left = counts + fakes
    for signature, height in assign(left, m):
        assert len(signature) >= m and height >= 1 and (np.diff(signature) > 0).all()
        left[signature] -= height
        assert (left >= 0).all() and excess(left, m) == 0
    assert not left.any()


def test_bucket_matrices_are_filled_bucket_by_bucket_and_written_out():
    matrix = np.array([[1, 2], [3, 0], [0, 2]])
    assert first_of(matrix, np.array([2, 3])).tolist() == [[1, 2], [1, 0], [0, 1]]
    assert spread(matrix).tolist() == [0, 1, 1, 1, 0, 0, 2, 2]
    assert first_of(np.zeros((0, 2), dtype=int), np.array([0, 0])).shape == (0, 2)


@given(st.lists(st.integers(0, 5), max_size=20))
def test_counting_sort_is_a_stable_sort_of_some_rows(keys):
    keys = np.array(keys, dtype=np.int32)
    rows = np.flatnonzero(keys != 3)[::-1]
    expected = sorted(rows.tolist(), key=lambda row: keys[row])
    assert counting_sort(rows, keys, 6).tolist() == expected


# ---------------------------------------------------------------------- split
def plain_split(bucket, values, qi, domains):
    """The recursion as the ruling states it: sets of row numbers of each final class."""
    line = [places(domain) for domain in domains]

    def key(row, column):
        return (qi[column][row], *(codes[row] for codes in qi))

    def extent(rows):
        total = 0.0
        for codes, where in zip(qi, line):
            total += where[max(codes[r] for r in rows)] - where[min(codes[r] for r in rows)]
        return total

    def cut(stacks):
        height = len(stacks[0])
        if height == 1:
            return [frozenset(row for stack in stacks for row in stack)]
        best = None
        for column in range(len(qi)):
            everyone = [row for stack in stacks for row in stack]
            if len({qi[column][row] for row in everyone}) == 1:
                continue
            ordered = [sorted(stack, key=lambda row: key(row, column)) for stack in stacks]
            for p in range(1, height):
                left, right = ([row for stack in ordered for row in stack[part]] for part in (slice(p), slice(p, None)))
                cost = p * extent(left) + (height - p) * extent(right)
                rank = (cost, abs(2 * p - height), column)
                if best is None or rank < best[0]:
                    best = rank, p, ordered
        if best is None:
            best = None, height // 2, [sorted(stack, key=lambda row: key(row, 0)) for stack in stacks]
        _, p, ordered = best
        return cut([stack[:p] for stack in ordered]) + cut([stack[p:] for stack in ordered])

    found = []
    for b in sorted(set(bucket[bucket >= 0])):
        held = sorted(set(values[bucket == b]))
        found += cut([[int(r) for r in np.flatnonzero((bucket == b) & (values == v))] for v in held])
    return found


@given(st.integers(1, 3), st.integers(2, 3), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_split_equals_its_plain_twin(n_buckets, n_values, height, seed):
    rng = np.random.default_rng(seed)
    cells = [(b, v) for b in range(n_buckets) for v in range(n_values) for _ in range(height)]
    cells += [(-1, 0)] * int(rng.integers(0, 3))
    bucket, values = (
        np.array(column, dtype=np.int32) for column in zip(*[cells[i] for i in rng.permutation(len(cells))])
    )
    # Powers of two apart, so that sums of extents are exact and ties are ties in both.
    frame = pd.DataFrame({"a": rng.integers(0, 5, len(cells)) * 4, "b": rng.integers(0, 3, len(cells))})
    frame.loc[0], frame.loc[1] = (0, 0), (16, 2)
    table = Microdata(frame, Schema(["a", "b"]))
    class_of = split(bucket, values, n_values, table.qi_codes, table.qi_domains, rng.permutation(len(bucket)))
    assert ((class_of < 0) == (bucket < 0)).all()
    # Rows with equal codes can stand for each other, so classes are compared by content.
    content = lambda rows: sorted((*table.qi_codes[:, r].tolist(), int(values[r]), int(bucket[r])) for r in rows)  # noqa: E731
    mine = sorted(content(np.flatnonzero(class_of == c)) for c in range(class_of.max() + 1))
    assert mine == sorted(content(rows) for rows in plain_split(bucket, values, table.qi_codes, table.qi_domains))


def test_split_is_better_than_chance():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 2000), "illness": np.arange(2000) % 4})
    table = Microdata(frame, Schema("age", sensitive="illness"))
    release = MInvariance(4).publish(table)
    by_chance = np.ptp(frame["age"].to_numpy().reshape(500, 4), axis=1) + 1
    assert release.n_classes == 500
    assert np.median(release.boxes[0].leaf_counts()) * 5 < np.median(by_chance)


# ---------------------------------------------------------------------- what every series keeps
@given(streams(returning=True), st.integers(2, 3), st.sampled_from(["fine", "merged"]), st.booleans())
def test_every_series_is_m_invariant(tables, m, partition, anatomized):
    style = "anatomized" if anatomized else "generalized"
    releases = publish_all(MInvariance(m, partition=partition, style=style, audit=True), tables)
    judge(releases, m, fine=partition == "fine")
    for release, table in zip(releases, tables):
        assert set(groups_of(release)) == set(table.ids)
        assert release.counterfeit_statistics()["counterfeits"].sum() == release.n_counterfeits
        assert release.counts(counterfeits=False).sizes.min() > 0  # nobody hides among counterfeits alone


@given(streams(returning=True), st.integers(2, 3), st.integers(0, 3))
def test_saving_and_loading_changes_nothing(tmp_path_factory, tables, m, at):
    whole = MInvariance(m, seed=3)
    expected = publish_all(whole, tables)
    parted = MInvariance(m, seed=3)
    path = tmp_path_factory.mktemp("memory") / "m.npz"
    for number, (snapshot, release) in enumerate(zip(snapshots(tables), expected)):
        if number == at:
            parted.save(path)
            parted = MInvariance.load(path)
        same_release(parted.publish(snapshot), release)


@pytest.mark.parametrize("distinct", [False, True])
@given(data=st.data(), partition=st.sampled_from(["fine", "merged"]), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_plays_no_part(distinct, data, partition, seed):
    tables = data.draw(streams(returning=True, distinct=distinct))
    same_in_any_order(lambda: MInvariance(2, partition=partition, seed=4), tables, np.random.default_rng(seed))


@given(streams(max_persons=40, values=(4, 5)), st.integers(0, 3))
def test_counterfeits_stay_while_needed_and_lie_within_their_bucket(tables, seed):
    seen: dict[int, tuple] = {}
    gone: set[int] = set()
    for release in publish_all(MInvariance(2, partition="merged", seed=seed), tables):
        fake = release.counterfeit_codes
        assert not gone & set(fake.ids.tolist())
        shown = release.counterfeits  # by value: codes change as domains grow
        for number, c, row in zip(fake.ids.tolist(), fake.class_of, shown.itertuples(index=False)):
            if number not in seen:
                members = release.table.frame[release.class_of == c]
                assert row.age in members["age"].tolist() and row.town in members["town"].tolist()
            assert seen.setdefault(number, row[1:]) == row[1:]
        gone |= set(seen) - set(fake.ids.tolist())


def test_random_updates_need_few_counterfeits_and_memory_by_person_only():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 6000), "illness": rng.integers(0, 12, 6000)})
    stream = UpdateStream(
        Microdata(frame, Schema("age", sensitive="illness")), initial=3000, deletes=300, inserts=300, updates=10, seed=1
    )
    publisher = MInvariance(5)
    releases = [publisher.publish(snapshot) for snapshot in stream]
    judge(releases, 5, fine=True)
    assert sum(release.n_counterfeits for release in releases) < 0.001 * sum(len(release.table) for release in releases)
    per_person = [name for name, array in publisher.memory.items() if array.shape[-1] == publisher.n_persons]
    assert sum(publisher.memory[name].nbytes for name in per_person) <= 16 * publisher.n_persons
    assert sum(array.nbytes for array in publisher.memory.values()) <= 20 * publisher.n_persons


# ---------------------------------------------------------------------- what is refused
def people(illnesses, ages=None):
    frame = pd.DataFrame({"age": ages or range(20, 20 + len(illnesses)), "illness": illnesses})
    return Microdata(frame, Schema("age", sensitive="illness"))


def test_a_table_that_cannot_be_eligible_is_refused_by_name_and_share():
    with pytest.raises(InfeasibleError, match=r"'flu' has 3 of 5 \(60.0%\) in release 0"):
        MInvariance(2).publish(people(["flu", "flu", "flu", "HIV", "cold"]))
    with pytest.raises(InfeasibleError, match=r"at most 1/3"):
        MInvariance(3).publish(people(["flu", "HIV"] * 5))


def test_a_refused_table_leaves_the_publisher_as_it_was():
    table = people(["flu", "HIV", "flu", "HIV", "flu", "flu", "flu", "HIV"])
    one, other = MInvariance(2), MInvariance(2)
    for publisher in (one, other):
        publisher.publish(table.select([0, 1, 2, 3]))
    with pytest.raises(InfeasibleError):
        one.publish(table.select([0, 1, 2, 3, 4, 5]))
    same_release(one.publish(table.select([0, 1, 4, 7])), other.publish(table.select([0, 1, 4, 7])))


def test_new_records_that_are_not_eligible_may_still_fill_gaps():
    table = people(["flu", "HIV", "cold"] * 4 + ["flu"] * 3)
    publisher = MInvariance(2, partition="merged", audit=True)
    publisher.publish(table.select(range(12)))
    # Two with flu leave and three with flu come: one of these fills no gap, and gets a counterfeit for company.
    release = publisher.publish(table.select([1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]))
    assert release.n_counterfeits == 1
    judge([release], 2, fine=False)


def test_a_changed_value_outside_the_signature_is_refused_or_suppressed():
    table = people(["flu", "HIV", "cold", "cough"], ages=[20, 21, 60, 61])
    first = table.with_codes()
    changed = table.sensitive_codes.copy()
    publishers = [MInvariance(2, seed=1), MInvariance(2, seed=1, on_invalid="suppress", audit=True)]
    published = [groups_of(publisher.publish(first)) for publisher in publishers]
    signatures = {person: values for person, (_, values) in published[0].items()}
    stranger = next(name for name in ("flu", "HIV", "cold", "cough") if name not in dict(signatures[0]))
    changed[0, 0] = table.sensitive_domains[0].code_of(stranger)
    second = table.with_codes(sensitive_codes=changed)
    with pytest.raises(
        InfeasibleError, match=r"^1 record\(s\) changed to a value outside their sig.*on_invalid"
    ) as told:
        publishers[0].publish(second)
    assert list(told.value.ids) == [0] and stranger not in str(told.value)  # nobody is named unless asked for
    release = publishers[1].publish(second)
    assert list(release.suppressed) == [0] and release.n_counterfeits == 1
    back = publishers[1].publish(first)  # the old value fits the old signature
    assert not len(back.suppressed) and groups_of(back)[0][1] == signatures[0]


def test_a_value_that_changes_within_the_signature_is_balanced():
    table = people(["flu", "HIV", "flu", "HIV"])
    publisher = MInvariance(2, partition="merged", audit=True)
    publisher.publish(table)
    changed = table.sensitive_codes.copy()
    changed[0, 1] = table.sensitive_codes[0, 0]
    release = publisher.publish(table.with_codes(sensitive_codes=changed))
    judge([release], 2, fine=False)
    assert release.n_counterfeits == 2


def test_wrong_parameters_and_tables_are_refused():
    for wrong in ({"m": 1}, {"m": 2, "partition": "coarse"}, {"m": 2, "style": "plain"}, {"m": 2, "seed": -1}):
        with pytest.raises(ParameterError):
            MInvariance(**wrong)
    frame = pd.DataFrame({"age": [1, 2], "a": ["x", "y"], "b": ["x", "y"]})
    with pytest.raises(SchemaError, match="exactly one sensitive column"):
        MInvariance(2).publish(Microdata(frame, Schema("age", sensitive=["a", "b"])))


def test_an_empty_month_is_an_empty_release():
    table = people(["flu", "HIV", "flu", "HIV"])
    for partition in ("fine", "merged"):
        publisher = MInvariance(2, partition=partition)
        publisher.publish(table)
        assert len(publisher.publish(table.select([])).to_frame()) == 0
        assert publisher.publish(table).n_counterfeits == 0


# ---------------------------------------------------------------------- the independent check
def test_a_release_that_is_not_m_unique_is_withheld(monkeypatch):
    table = people(["flu", "HIV", "cold", "flu", "HIV", "cold"])
    monkeypatch.setattr(module, "split", lambda bucket, *_: (np.arange(len(bucket)) // 4).astype(np.int32))
    publisher = MInvariance(3)
    with pytest.raises(BrokenRuleError, match="2 class"):
        publisher.publish(table)
    assert publisher.number == 0 and publisher.n_persons == 0


@pytest.mark.parametrize("audit", [False, True])
def test_a_record_among_other_values_is_withheld(audit, monkeypatch):
    table = people(["flu", "HIV", "cold", "cough"])
    publisher = MInvariance(2, partition="merged", audit=audit)
    publisher.publish(table)
    publisher.memory["signature"][:] = 0
    publisher.memory["signature_values"] = np.array([0, 1, 2, 3], dtype=np.int32)
    publisher.memory["signature_begins"] = np.array([0, 4])
    if audit:  # only the auditor is left to see it
        monkeypatch.setattr(MInvariance, "_check", lambda *_: None)
        publisher.memory["audit_masks"][:] = 3
        with pytest.raises(BrokenRuleError, match="intersection leaves"):
            publisher.memory["audit_masks"][0] = 1
            publisher.publish(table)
    else:
        with pytest.raises(BrokenRuleError, match="4 record"):
            publisher.publish(table)


def test_check_unique_counts_the_release_anew():
    table = people(["flu", "HIV", "flu", "HIV", "cold", "cold"])
    release = MInvariance(2, partition="merged").publish(table)
    assert len(check_unique(release, 2, fine=False)) == release.n_classes
    with pytest.raises(BrokenRuleError):
        check_unique(release, 4, fine=False)


@settings(max_examples=5)
@given(st.integers(0, 100))
def test_the_seed_decides_who_meets(seed):
    table = people(["flu", "HIV", "cold", "cough"] * 6)
    one, same, other = (MInvariance(2, seed=s, partition="merged").publish(table) for s in (seed, seed, seed + 1))
    same_release(one, same)
    assert other.n_classes == one.n_classes


def test_more_distinct_values_than_the_tables_of_counts_can_hold_are_an_error(monkeypatch):
    """Neither a hang nor a MemoryError, and the publisher stays as it was."""

    def people(n):
        frame = pd.DataFrame({"age": np.arange(n) % 50, "illness": [f"v{i}" for i in range(n)]})
        return Microdata(frame, Schema("age", sensitive="illness"))

    publisher = MInvariance(2)
    with pytest.raises(
        InfeasibleError, match=r"100,000 distinct values need .* over the limit of 33,554,432 counts; use"
    ):
        publisher.publish(people(100_000))
    assert publisher.number == 0 and not publisher.n_persons
    publisher.publish(people(100))  # 50 buckets of 100 values
    monkeypatch.setattr(module, "MOST_CELLS", 5_000)
    with pytest.raises(
        InfeasibleError, match=r"MInvariance\(2\) counts .* 200 distinct values need 50 buckets or more"
    ):
        publisher.publish(people(200))  # the old buckets alone are too many now
    publisher.publish(people(100))
