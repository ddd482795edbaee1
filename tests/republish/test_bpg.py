"""BPG keeps its rule over any series, whatever the stream, the queries, the variant, the base and the rule."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from republish.histories import Follower, invariant

import ppdp_lab as pl
from ppdp_lab.errors import BrokenRuleError, DirtyRecordsWarning, InfeasibleError, ParameterError, SchemaError
from ppdp_lab.republish.bpg.listing1 import VARIANTS
from ppdp_lab.republish.bpg.publisher import DIVISIONS

TOWNS = pl.Hierarchy.from_dict({"north": ["Ulm", "Jena"], "south": ["Rome", "Bari"]})
AGES = pl.Hierarchy.intervals(range(20, 60), widths=[10, 20])
BASES = {
    "Mondrian": lambda rule: None,
    "relaxed": lambda rule: pl.Mondrian(rule, strict=False),
    "Flash": lambda rule: pl.Flash(rule),
    "suppressing": lambda rule: pl.Flash(rule, suppression=0.3),
    "KMember": lambda rule: pl.KMember(3),
    "Anatomy": lambda rule: pl.Anatomy(2),
}
RULES = {"k": (3, 1), "l": (1, 2), "k and l": (3, 2)}


def rule_of(name: str) -> pl.principles.Principle:
    k, l = RULES[name]  # noqa: E741
    parts = ([pl.KAnonymity(k)] if k > 1 else []) + ([pl.DistinctLDiversity(l)] if l > 1 else [])
    return parts[0] if len(parts) == 1 else parts[0] & parts[1]


def people(n: int, seed: int, *, trees: bool = False) -> pl.Microdata:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "town": rng.choice(["Ulm", "Jena", "Rome", "Bari"], n),
            "illness": rng.choice(["flu", "HIV", "cold", "angina"], n, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )
    hierarchies = {"town": TOWNS, "age": AGES} if trees else {"town": TOWNS}
    return pl.Microdata(frame, pl.Schema(["age", "town"], sensitive="illness"), hierarchies)


def lives(n: int, rng: np.random.Generator, releases: int) -> list[np.ndarray]:
    """Who is there: some leave, some come, some come back."""
    here = rng.random(n) < 0.6
    out = []
    for _ in range(releases):
        if here.any():
            out.append(np.flatnonzero(here))
        here = np.where(here, rng.random(n) > 0.25, rng.random(n) < 0.3)
    return out


def queries(table: pl.Microdata, rng: np.random.Generator, releases: int) -> list[np.ndarray]:
    """Random questions to a static table: ranges of ages, sets of towns, samples."""
    out = []
    for _ in range(releases):
        low = rng.integers(20, 50)
        ages = table.frame["age"].between(low, low + rng.integers(5, 35)).to_numpy()
        towns = table.frame["town"].isin(rng.choice(["Ulm", "Jena", "Rome", "Bari"], 3, replace=False)).to_numpy()
        mask = [ages, towns, ages & towns, rng.random(len(table)) < 0.5][rng.integers(4)]
        if mask.any():
            out.append(np.flatnonzero(mask))
    return out


def publish_all(publisher: pl.BPG, table: pl.Microdata, stream: list[np.ndarray], follower: Follower) -> int:
    """Publish what can be; the follower and the invariant look on. How many releases there were."""
    for rows in stream:
        try:
            release = publisher.publish(table.select(rows))
        except InfeasibleError:
            continue
        follower.see(release)
        asked = set(table.ids[rows])
        assert set(release.dirty) == set(release.records) - asked and asked <= set(release.records)
        if publisher.repairs:
            invariant(publisher, follower)
    return len(follower.releases)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 2**32), divide_by=st.sampled_from(DIVISIONS), asked=st.booleans())
def test_no_cell_difference_or_intersection_breaks_the_rule(
    variant: str, rule: str, seed: int, divide_by: str, asked: bool
) -> None:
    rng = np.random.default_rng(seed)
    table = people(int(rng.integers(12, 60)), seed)
    stream = queries(table, rng, 5) if asked else lives(len(table), rng, 5)
    k, l = RULES[rule]  # noqa: E741
    follower = Follower(k, l)
    publisher = pl.BPG(rule_of(rule), variant=variant, divide_by=divide_by)
    publish_all(publisher, table, stream, follower)
    assert follower.broken() == [] and follower.broken_sets() == []


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 2**32), variant=st.sampled_from(VARIANTS), divide_by=st.sampled_from(DIVISIONS))
def test_every_base_will_do(base: str, rule: str, seed: int, variant: str, divide_by: str) -> None:
    rng = np.random.default_rng(seed)
    table = people(int(rng.integers(12, 60)), seed, trees=base in ("Flash", "suppressing"))
    k, l = RULES[rule]  # noqa: E741
    follower = Follower(k, l)
    publisher = pl.BPG(rule_of(rule), base=BASES[base](rule_of(rule)), variant=variant, divide_by=divide_by)
    publish_all(publisher, table, lives(len(table), rng, 4), follower)
    assert follower.broken() == [] and follower.broken_sets() == []


@given(seed=st.integers(0, 2**32), variant=st.sampled_from(VARIANTS), divide_by=st.sampled_from(DIVISIONS))
def test_values_may_change(seed: int, variant: str, divide_by: str) -> None:
    """The follower counts every cell with the values of every release that shows it."""
    rng = np.random.default_rng(seed)
    table = people(40, seed)
    publisher, follower = pl.BPG(rule_of("k and l"), variant=variant, divide_by=divide_by), Follower(3, 2)
    for rows in lives(40, rng, 5):
        codes = table.sensitive_codes.copy()
        moved = rng.random(40) < 0.1
        codes[0, moved] = rng.integers(0, len(table.sensitive_domains[0]), int(moved.sum()))
        table = table.with_codes(sensitive_codes=codes)
        publish_all(publisher, table, [rows], follower)
    assert follower.broken() == []


@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(["dirty", "with-counterfeits", "one-by-one"]),
    most=st.integers(0, 6),
)
def test_a_limit_of_dirty_records_is_kept(seed: int, variant: str, most: int) -> None:
    rng = np.random.default_rng(seed)
    table = people(50, seed)
    publisher, follower = pl.BPG(pl.KAnonymity(3), variant=variant, max_dirty=most, divide_by="none"), Follower(3)
    for rows in lives(50, rng, 5):
        publish_all(publisher, table, [rows], follower)
        assert publisher.tally["dirty"] <= most
    assert follower.broken() == []


def test_no_dirty_is_true_to_its_name_and_others_are_told() -> None:
    table = people(60, 1)
    for variant in VARIANTS:
        publisher = pl.BPG(pl.KAnonymity(3), variant=variant)
        publisher.publish(table)
        if variant == "no-dirty":
            release = publisher.publish(table.select(range(40)))
            assert not len(release.dirty) and len(release.suppressed)
            continue
        with pytest.warns(DirtyRecordsWarning, match="deleted ones, are put back into print"):
            release = publisher.publish(table.select(range(40)))
        assert set(release.dirty) <= set(range(40, 60)) and len(release.dirty) == publisher.tally["dirty"] > 0
        per_class = release.per_class()
        assert per_class["dirty"].sum() == len(release.dirty) and per_class["suppressed"].sum() == len(
            release.suppressed
        )
        assert per_class["records"].sum() == 40 - len(release.suppressed)


def test_one_by_one_needs_fewer_dirty_records() -> None:
    """Six in one neighbourhood, two stay: the default brings four back, one by one brings one."""
    frame = pd.DataFrame({"age": [30] * 6, "illness": ["flu"] * 6})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    dirty = {}
    for variant in ("dirty", "one-by-one"):
        publisher = pl.BPG(pl.KAnonymity(3), variant=variant)
        publisher.publish(table)
        dirty[variant] = len(publisher.publish(table.select([0, 1])).dirty)
    assert dirty == {"dirty": 4, "one-by-one": 1}


def test_a_counterfeit_is_a_person_from_then_on() -> None:
    table = people(40, 3)
    publisher = pl.BPG(rule_of("k and l"), variant="with-counterfeits")
    follower = Follower(3, 2)
    releases = []
    for rows in (range(30), range(31), range(32), range(31)):
        releases.append(publisher.publish(table.select(rows)))
        follower.see(releases[-1])
        invariant(publisher, follower)
    first = set(releases[1].counterfeit_codes.pseudonyms.tolist())
    assert len(first) >= 2  # one newcomer needs two at least
    assert first <= set(releases[2].counterfeit_codes.pseudonyms.tolist())
    assert not first & set(releases[1].pseudonyms.tolist()) and follower.broken() == []
    shown = releases[1].to_frame(track=True)
    assert first <= set(shown["pseudonym"])


def test_whatever_cannot_be_published_is_suppressed_and_counted() -> None:
    table = people(40, 5)
    publisher = pl.BPG(pl.KAnonymity(4), variant="no-dirty")
    publisher.publish(table.select(range(30)))
    release = publisher.publish(table.select(range(32)))  # two newcomers are too few
    assert list(release.suppressed) == [30, 31]
    assert publisher.tally["newcomers"] == 1 and publisher.tally["suppressed"] == 2
    with pytest.raises(InfeasibleError, match="k = 4 is larger than the table of 2 records"):
        publisher.publish(table.select([35, 36]))
    with pytest.raises(InfeasibleError, match="nothing of this snapshot can be published"):
        publisher.publish(table.select(range(0, 30, 4)))
    assert publisher.number == 2


@given(seed=st.integers(0, 2**32), variant=st.sampled_from(VARIANTS), divide_by=st.sampled_from(DIVISIONS))
def test_the_packages_auditor_agrees(seed: int, variant: str, divide_by: str) -> None:
    rng = np.random.default_rng(seed)
    table = people(40, seed)
    audited = pl.BPG(rule_of("k and l"), variant=variant, divide_by=divide_by, audit=True, seed=4)
    plain = pl.BPG(rule_of("k and l"), variant=variant, divide_by=divide_by, seed=4)
    releases = []
    for rows in lives(40, rng, 4):
        try:
            releases.append(audited.publish(table.select(rows)))
        except InfeasibleError:
            continue
        pd.testing.assert_frame_equal(releases[-1].to_frame(), plain.publish(table.select(rows)).to_frame())
    if releases:
        whole = pl.attacks.audit_series(
            [r.published(track=True) for r in releases], pl.attacks.Background.worst_case(releases), audited.rule
        )
        assert whole.tracked and whole


def test_the_auditor_withholds_what_the_printed_listing_leaks() -> None:
    table = people(200, 2)
    stream = lives(200, np.random.default_rng(2), 6)
    publisher = pl.BPG(rule_of("k and l"), divide_by="none", repairs=False, audit=True, seed=1)
    with pytest.raises(BrokenRuleError, match=r"withheld: audit: over 2 releases \(rows tracked\)"):
        for rows in stream:
            publisher.publish(table.select(rows))


@pytest.mark.parametrize("divide_by", ["signature", "none"])
def test_the_printed_listing_leaks_on_this_stream(divide_by: str) -> None:
    """200 persons, six releases, a quarter leaves each time: the same follower finds broken cells."""
    table = people(200, 2)
    follower, mended = Follower(3, 2), Follower(3, 2)
    stream = lives(200, np.random.default_rng(2), 6)
    publish_all(pl.BPG(rule_of("k and l"), divide_by=divide_by, repairs=False, seed=1), table, stream, follower)
    publish_all(pl.BPG(rule_of("k and l"), divide_by=divide_by, seed=1), table, stream, mended)
    assert len(follower.broken()) >= 5 and len(mended.releases) == 6 and mended.broken() == []


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("audit", [False, True])
def test_save_and_load_change_nothing(variant: str, audit: bool, tmp_path: Path) -> None:
    table = people(80, 7)
    stream = lives(80, np.random.default_rng(7), 5)
    steady = pl.BPG(rule_of("k and l"), variant=variant, seed=3, audit=audit)
    saved = pl.BPG(rule_of("k and l"), variant=variant, seed=3, audit=audit)
    for rows in stream:
        expected, release = steady.publish(table.select(rows)), saved.publish(table.select(rows))
        pd.testing.assert_frame_equal(expected.to_frame(), release.to_frame())
        assert expected.class_of.tolist() == release.class_of.tolist() and saved.tally == steady.tally
        saved.save(tmp_path / "memory.npz")
        saved = pl.republish.Publisher.load(tmp_path / "memory.npz")
        assert saved == steady and saved.tally == steady.tally


def test_memory_grows_with_persons_and_not_with_releases_while_people_come_and_go() -> None:
    table = people(300, 8)
    publisher = pl.BPG(pl.KAnonymity(3))
    publisher.publish(table)
    rng = np.random.default_rng(8)
    for _ in range(12):
        publisher.publish(table.select(rng.random(300) < 0.7))
        held = sum(array.nbytes for array in publisher.memory.values())
        assert held <= 300 * (4 + 4 + 8 + 1) + publisher.memory["tally"].nbytes


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (dict(rule=pl.EntropyLDiversity(2)), "not superset-closed"),
        (dict(rule=pl.KAnonymity(2) & pl.TCloseness(0.3)), "not superset-closed"),
        (dict(rule=5), "must be a principle"),
        (dict(base="Mondrian"), "base must be an anonymizer"),
        (dict(base=pl.KMember(3, seed=1)), "give BPG the seed instead"),
        (dict(variant="clean"), "variant"),
        (dict(divide_by="age"), "divide_by"),
        (dict(max_dirty=-1), "max_dirty"),
        (dict(repairs=0), "repairs must be True or False"),
        (dict(repairs=False, variant="no-dirty"), "knows no variants"),
    ],
)
def test_what_is_refused(wrong: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        pl.BPG(**{"rule": pl.KAnonymity(2), **wrong})


def test_counterfeits_need_one_sensitive_column() -> None:
    table = pl.Microdata(pd.DataFrame({"age": range(20)}), pl.Schema("age"))
    with pytest.raises(SchemaError, match="exactly one sensitive column; this table has 0"):
        pl.BPG(pl.KAnonymity(2), variant="with-counterfeits").publish(table)
    assert pl.BPG(pl.KAnonymity(2)).publish(table).n_classes == 8  # others need none


@pytest.mark.parametrize("base", BASES)
def test_a_base_is_saved_along(base: str, tmp_path: Path) -> None:
    made = pl.BPG(rule_of("l"), base=BASES[base](rule_of("l")), max_dirty=5, seed=2)
    assert pl.BPG.from_text(made.specification) == made
    table = people(60, 4, trees=base in ("Flash", "suppressing"))
    made.publish(table.select(range(40)))
    made.save(tmp_path / "memory.npz")
    loaded = pl.BPG.load(tmp_path / "memory.npz")
    one, other = (publisher.publish(table.select(range(10, 60))) for publisher in (made, loaded))
    assert loaded == made and one.class_of.tolist() == other.class_of.tolist() and one.style == made._base.style


def test_queries_that_share_nobody_are_no_surprise_once_everybody_was_seen() -> None:
    table = people(200, 6)
    publisher = pl.BPG(pl.KAnonymity(3), variant="no-dirty")
    publisher.publish(table)
    for mask in (np.arange(200) < 100, np.arange(200) >= 100):  # a warning would be an error here
        with suppress(InfeasibleError):
            publisher.publish(table.select(mask))
