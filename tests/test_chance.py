"""What is left to chance is left to nothing else: not to a seed by default, not to values, not to the order of rows."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from members import make

import ppdp_lab as pl
from ppdp_lab.anonymize import ANONYMIZERS
from ppdp_lab.registry import Entry
from ppdp_lab.release.forms import FORMS, Tables
from ppdp_lab.republish import PUBLISHERS

MAKERS = [*ANONYMIZERS.entries(), *PUBLISHERS.entries()]
EVERYBODY = pytest.mark.parametrize("entry", MAKERS, ids=lambda entry: entry.name)
LOOK_AT_VALUES = {"Anatomy", "MInvariance", "EEquivalence", "MDistinct"}  # their rule is about sensitive values
TREES = {
    "age": pl.Hierarchy.intervals(range(20, 40), [5, 10, 20]),
    "town": pl.Hierarchy.from_dict({"north": ["Ulm", "Jena"], "south": ["Rome", "Bari"]}),
}


def people(n: int, seed: int) -> pd.DataFrame:
    """Many records with equal quasi-identifiers, and values equally often."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 24, n), "town": rng.choice(["Ulm", "Rome"], n)})
    frame["illness"] = rng.permutation(np.resize(["flu", "HIV", "cold", "angina"], n))
    return frame.set_axis(rng.permutation(1000)[:n])


def table_of(frame: pd.DataFrame, trees: bool = True) -> pl.Microdata:
    return pl.Microdata(frame, pl.Schema(["age", "town"], sensitive="illness"), TREES if trees else None)


def releases(entry: Entry, frame: pd.DataFrame, **said: Any) -> list[pl.Release]:
    """One release, or two of a series in which a tenth of the people come later."""
    maker = make(entry, **said)
    if entry in ANONYMIZERS.entries():
        return [maker.anonymize(table_of(frame, entry.name != "Mondrian"))]  # hierarchies are always cut strictly
    later = frame.index % 10 == 0
    return [maker.publish(table_of(frame[~later])), maker.publish(table_of(frame))]


def classes(release: pl.Release) -> set[frozenset[Any]]:
    """Who shares a class with whom."""
    return {frozenset(release.records[release.class_of == c]) for c in range(release.n_classes)}


def chancy(entry: Entry) -> dict[str, Any]:
    """Parameters under which something is left to chance; relaxed cuts for Mondrian, another base for BPG."""
    return {"Mondrian": {"strict": False}, "BPG": {"base": pl.KMember(2)}}.get(entry.name, {})


def takes_a_seed(entry: Entry) -> bool:
    return any(p.name == "seed" for p in entry.parameters)


@EVERYBODY
@given(seed=st.integers(0, 2**16))
def test_neither_values_nor_rows_decide_who_shares_a_class(entry: Entry, seed: int) -> None:
    """For a fixed seed: shuffle values among records with equal quasi-identifiers, or rows with their ids."""
    frame = people(40, seed)
    rng = np.random.default_rng(seed)
    fixed = {"seed": 5} | chancy(entry) if takes_a_seed(entry) else {}
    first = [classes(release) for release in releases(entry, frame, **fixed)]
    assert [classes(r) for r in releases(entry, frame.iloc[rng.permutation(40)], **fixed)] == first
    if entry.name not in LOOK_AT_VALUES:
        shuffled = frame.copy()
        shuffled["illness"] = frame.groupby(["age", "town"])["illness"].transform(
            lambda c: rng.permutation(c.to_numpy())
        )
        assert [classes(r) for r in releases(entry, shuffled, **fixed)] == first


@EVERYBODY
def test_without_a_seed_nothing_can_be_replayed(entry: Entry) -> None:
    frame = people(60, 1)
    if not takes_a_seed(entry):
        assert not releases(entry, frame)[0].seeded  # deterministic: classes follow from quasi-identifiers alone
        return
    assert next(p for p in entry.parameters if p.name == "seed").default is None
    said = chancy(entry)
    found = {frozenset(classes(releases(entry, frame, **said)[0])) for _ in range(6)}
    assert len(found) > 1, "six releases without a seed, and all of them alike"
    again = {frozenset(classes(releases(entry, frame, seed=3, **said)[0])) for _ in range(3)}
    assert len(again) == 1


@EVERYBODY
def test_a_seeded_release_says_that_it_is_not_private(entry: Entry) -> None:
    if takes_a_seed(entry):
        said = chancy(entry)
        for release in releases(entry, people(60, 2), seed=3, **said):
            assert release.seeded and "seeded, not private" in repr(release)
        for release in releases(entry, people(60, 2), **said):
            assert not release.seeded and "private" not in repr(release)


def test_a_strict_mondrian_leaves_nothing_to_a_seed() -> None:
    frame = people(60, 3)
    one, other = (pl.Mondrian(pl.KAnonymity(2), seed=seed).anonymize(table_of(frame, False)) for seed in (1, None))
    assert classes(one) == classes(other) and not one.seeded


@EVERYBODY
def test_what_leaves_holds_what_is_shown_and_nothing_more(entry: Entry, tmp_path) -> None:
    secret = ["a rare disease", "another one"]
    frame = people(48, 4)
    kinds = pd.CategoricalDtype([secret[0], "flu", "HIV", "cold", "angina", secret[1]], ordered=True)
    frame["illness"] = frame["illness"].astype(kinds)
    for release in releases(entry, frame):
        published = release.published()
        for name, part in published.frames().items():
            for column in part.columns:
                if isinstance(part[column].dtype, pd.CategoricalDtype):
                    assert set(part[column].cat.categories) == set(part[column])
            part.to_parquet(tmp_path / f"t{name}.parquet")
            assert b"rare disease" not in (tmp_path / f"t{name}.parquet").read_bytes()
        written = pickle.dumps(published)
        assert b"rare disease" not in written and b"another one" not in written and b"Jena" not in written
        assert b"illness" in written  # the names of columns are shown
        tables = pickle.loads(written)
        assert isinstance(tables, Tables) and tables.form == published.form
        again = tables.over(release.table)
        for mine, theirs in zip(again.frames().values(), published.frames().values()):
            pd.testing.assert_frame_equal(mine, theirs)


def test_groups_that_look_alike_are_numbered_by_chance() -> None:
    """Six pairs of twins: over many series, the first pair's number is spread over all numbers."""
    frame = pd.DataFrame({"age": [30] * 12, "illness": ["flu", "HIV"] * 6}, index=[f"p{i:02}" for i in range(12)])
    table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    seen: list[int] = []
    for _ in range(60):
        release = pl.MInvariance(2).publish(table)
        seen.append(int(release.group_of_class[release.class_of[0]]))
    assert set(seen) == set(range(6))


def test_a_release_that_is_read_back_from_a_file_is_the_same() -> None:
    release = pl.Anatomy(2, seed=1).anonymize(table_of(people(24, 5)))
    quasi, sensitive = (pd.read_csv(io.StringIO(f.to_csv(index=False))) for f in release.to_frames())
    again = pl.Published.from_frames(quasi, sensitive, release.table)
    assert again.sizes.tolist() == release.published().sizes.tolist() and set(FORMS) == {"anatomized", "generalized"}
