"""Chance: secret unless somebody asks for a seed, and then the release says so."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from adversary.cases import attempt
from adversary.reading import partition
from adversary.worlds import World, world

import ppdp_lab as pl

MAKERS = {
    "Anatomy": lambda **more: pl.Anatomy(2, **more).anonymize,
    "KMember": lambda **more: pl.KMember(2, **more).anonymize,
    "Mondrian(strict=False)": lambda **more: pl.Mondrian(pl.KAnonymity(2), strict=False, **more).anonymize,
    "MInvariance": lambda **more: pl.MInvariance(2, **more).publish,
    "EEquivalence": lambda **more: pl.EEquivalence(2, e=2, **more).publish,
    "I3M": lambda **more: pl.I3M(2, **more).publish,
}
KINDS = [pl.Anatomy, pl.KMember, pl.Mondrian, pl.MInvariance, pl.EEquivalence, pl.I3M]


def tied_table(chance: np.random.Generator, n: int = 40) -> pl.Microdata:
    """Many records that tie, with values that are not equally frequent, so that there are many ways to group them."""
    people = world(chance, least=n, most=n, kinds=("number",), quasi=1)
    people.frame["q0"] = chance.choice([20, 30, 40], n)
    people.frame["ill"] = chance.permutation(np.resize(["flu", "cold", "HIV", "flu", "gout", "cold", "flu", "burn"], n))
    return people.table()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_default_is_no_seed(kind):
    assert inspect.signature(kind.__init__).parameters["seed"].default is None


@pytest.mark.parametrize("name", MAKERS)
def test_a_seeded_release_is_reproducible_and_says_so(name):
    def one(chance):
        table, seed = tied_table(chance, 16), int(chance.integers(2**31))
        first, second = (MAKERS[name](seed=seed)(table) for _ in range(2))
        assert partition(first) == partition(second)
        assert first.seeded is True
        assert "seeded, not private" in repr(first)

    attempt(f"seeded releases say so, {name}", one, share=0.1)


@pytest.mark.parametrize("name", MAKERS)
def test_a_default_release_says_that_it_is_not_seeded(name):
    release = MAKERS[name]()(tied_table(np.random.default_rng(1)))
    assert release.seeded is False
    assert "seeded" not in repr(release)


@pytest.mark.parametrize("name", MAKERS)
def test_default_releases_of_one_table_differ(name):
    """40 tied records can be grouped in so many ways that ten equal groupings are no accident."""

    def one(chance):
        table = tied_table(chance)
        assert len({partition(MAKERS[name]()(table)) for _ in range(10)}) > 1

    attempt(f"default releases differ, {name}", one, share=0.05)


@pytest.mark.parametrize("kind", [pl.MInvariance, pl.EEquivalence, pl.I3M], ids=lambda kind: kind.__name__)
def test_a_memory_remembers_whether_it_was_seeded(kind, tmp_path):
    more = {"e": 2} if kind is pl.EEquivalence else {}
    table = tied_table(np.random.default_rng(2))
    for seed, seeded in ((7, True), (None, False)):
        publisher = kind(2, seed=seed, **more)
        publisher.publish(table)
        publisher.save(tmp_path / "memory")
        assert kind.load(tmp_path / "memory").publish(table).seeded is seeded


@pytest.mark.parametrize("name", ["Anatomy", "MInvariance", "EEquivalence"])
def test_numbers_of_groups_with_equal_contents_are_chance(name):
    """All records alike but for a value that every group holds: a group's number must not tell when it was made."""
    n = 24
    frame = pd.DataFrame({"q0": [30] * n, "ill": ["flu", "cold"] * (n // 2), "name": [str(i) for i in range(n)]})
    table = World(frame, {"q0": "number"}, list(range(n))).table()
    makers = MAKERS | {"MInvariance": lambda: pl.MInvariance(2, style="anatomized").publish}
    releases = [makers[name]()(table) for _ in range(12)]
    if releases[0].n_classes > 1:
        assert len({tuple(release.group_of_class.tolist()) for release in releases}) > 1
    # Row order or id order must not decide either: nobody always has the same group number.
    numbers = {tuple(r.group_of_class[r.class_of].tolist()) for r in releases}
    assert releases[0].n_classes == 1 or len(numbers) > 1
