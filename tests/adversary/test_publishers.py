"""Random streams against every publisher: guarantees over the series recounted from what is published, ties, row order."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from adversary.cases import Refused, attempt
from adversary.reading import check_places, frames_of, group_of_ids, groups_of, partition
from adversary.recipes import Recipe, accepts, publisher, publishers
from adversary.recount import smallest_equivalence
from adversary.worlds import World, presences, world

import ppdp_lab as pl

ALL = publishers()


def series(
    kind: type,
    people: World,
    recipe: Recipe,
    chance: np.random.Generator,
    *,
    seed: int | None = None,
    moved: bool = False,
) -> list[pl.Release]:
    """The releases of a random stream, as far as the package can publish it.

    ``chance`` decides who is there; with ``moved`` the rows of every table come in another order.
    """
    stream = presences(chance, len(people.frame), 4, returns=not accepts(kind, "e"))
    cut = chance.random() < 0.5  # tables cut from one that knows all values, or read anew every month
    order = np.random.default_rng(chance.integers(2**32))
    made, releases = recipe.make(seed), []
    whole = people.table()
    for rows in stream:
        if moved:
            rows = order.permutation(rows)
        try:
            releases.append(made.publish(whole.select(rows) if cut else people.table(rows)))
        except pl.principles.base.InfeasibleError:
            continue
    if not releases:
        raise Refused
    return releases


def test_there_are_publishers_to_attack():
    assert {"MInvariance", "EEquivalence", "I3M"} <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_the_guarantee_recounted(name):
    def one(chance):
        people, recipe = world(chance, most=24), publisher(ALL[name], chance)
        signature: dict = {}
        for release in series(ALL[name], people, recipe, chance):
            groups = groups_of(release, people.quasi)
            for group in groups.values():
                assert recipe.rule.holds(group.values, Counter()), f"{recipe.words}: {group}"
            check_places(release, people)
            fakes = dict(release.counterfeit_statistics().itertuples(index=False, name=None))
            published = Counter(group_of_ids(release).values())
            by_number = {g: group for g, group in groups.items() if not isinstance(g, tuple)}
            for g, group in by_number.items():
                assert group.size == published[g] + fakes.get(g, 0), "counterfeit statistics do not add up"
            if recipe.rule.name != "m":
                continue
            once = "fine" in recipe.words
            for g, group in groups.items():
                assert not once or set(group.values.values()) == {1}, f"{recipe.words}: {g} holds a value twice"
            for who, g in group_of_ids(release).items():
                shown = frozenset(groups[g].values)
                assert signature.setdefault(who, shown) == shown, f"{recipe.words}: {who} moved to other values"
                value = people.frame["ill"].iloc[people.ids.index(who)]
                assert value in shown, "somebody's own value is not in their group"

    attempt(f"guarantee of {name}", one, share=0.25)


def few_people(chance: np.random.Generator) -> World:
    """A table of a few groups, two values of which are about equally frequent."""
    people = world(chance, least=6, most=12, quasi=1, values=2)
    people.frame["ill"] = chance.permutation(
        np.resize(["flu", "cold", "flu", "cold", "HIV", "gout"], len(people.frame))
    )
    return people


def fewest_equivalent(people: World, releases: list[pl.Release]) -> float:
    """The smallest equivalence in a series, by somebody who knows everybody's group and tells counterfeits apart."""
    seen = []
    for release in releases:
        persons: dict = {}
        for who, g in group_of_ids(release).items():
            persons.setdefault(g, []).append(who)
        fakes = release.counterfeit_codes
        for number, cls in zip(fakes.ids.tolist(), fakes.class_of.tolist()):
            persons.setdefault(int(release.group_of_class[cls]), []).append(f"counterfeit {number}")
        seen.append((persons, {g: group.values for g, group in groups_of(release, people.quasi).items()}))
    fewest = smallest_equivalence(seen)
    if math.isnan(fewest):
        raise Refused
    return fewest


def test_the_search_for_equivalences_finds_some():
    """m-invariance alone does not prevent them, so a search that never finds any is no search."""
    found = []

    def one(chance):
        people = few_people(chance)
        recipe = publisher(pl.MInvariance, chance)
        found.append(fewest_equivalent(people, series(pl.EEquivalence, people, recipe, chance)))

    attempt("equivalences where nothing prevents them", one, share=0.2)
    assert any(fewest <= 1 for fewest in found)


@pytest.mark.parametrize("name", [name for name in ALL if accepts(ALL[name], "e")])
def test_no_small_equivalence(name):
    """All sums of a few groups: no fewer than e persons may turn out to share their values with as many others."""

    def one(chance):
        people, recipe = few_people(chance), publisher(ALL[name], chance)
        fewest = fewest_equivalent(people, series(ALL[name], people, recipe, chance))
        assert fewest >= recipe.make().e, f"{recipe.words}: {fewest:g} persons share their values"

    attempt(f"equivalence, {name}", one, share=0.3)


def changing(people: World, chance: np.random.Generator) -> tuple[dict, dict[str, set[str]]]:
    """What every value of a table may become, as the package wants it and in plain Python: any sets with the value in them."""
    names = sorted(set(people.frame["ill"]))
    once = {a: {a, *(b for b in names if chance.random() < 0.35)} for a in names}
    targets = [[names.index(b) for b in sorted(once[a])] for a in names]
    return {"model": pl.UpdateModel(names, targets)}, once


@pytest.mark.parametrize("name", [name for name in ALL if accepts(ALL[name], "model")])
def test_updates_rule_nothing_out(name):
    """Values change as a model says: every path through everybody's groups is tried, and each value lies on one."""

    def one(chance):
        people = world(chance, least=6, most=20)
        more, once = changing(people, chance)
        recipe = publisher(ALL[name], chance)
        m, made = int(recipe.rule.number), ALL[name](int(recipe.rule.number), **more)
        lives: dict = {}
        for _number in range(4):
            rows = chance.permutation(len(people.frame))[: chance.integers(3, len(people.frame) + 1)]
            try:
                release = made.publish(people.table(rows))
            except pl.principles.base.InfeasibleError:
                continue
            finally:
                ill = people.frame["ill"].tolist()
                people.frame["ill"] = [str(chance.choice(sorted(once[v]))) if chance.random() < 0.5 else v for v in ill]
            groups = groups_of(release, people.quasi)
            for who, g in group_of_ids(release).items():
                assert len(groups[g].values) >= m and set(groups[g].values.values()) == {1}
                lives.setdefault(who, []).append((made.number - 1, set(groups[g].values)))
        if not lives:
            raise Refused
        for versions in lives.values():
            left = [set(values) for _, values in versions]
            for i in [*range(1, len(left)), *range(len(left) - 1, 0, -1)]:
                after = {a: {a} for a in left[i - 1]}
                for _ in range(versions[i][0] - versions[i - 1][0]):
                    after = {a: set().union(*(once[b] for b in now)) for a, now in after.items()}
                left[i] &= set().union(*after.values())
                left[i - 1] = {a for a in left[i - 1] if after[a] & left[i]}
            assert left == [values for _, values in versions], f"{recipe.words}: a value is ruled out"

    attempt(f"updates, {name}", one, share=0.25)


@pytest.mark.parametrize("name", ALL)
def test_the_order_of_rows_decides_nothing(name):
    def one(chance):
        people, recipe = world(chance, most=24), publisher(ALL[name], chance)
        seed, state = int(chance.integers(1000)), int(chance.integers(2**32))
        both = [
            series(ALL[name], people, recipe, np.random.default_rng(state), seed=seed, moved=moved)
            for moved in (False, True)
        ]
        assert len(both[0]) == len(both[1])
        for first, second in zip(*both):
            assert partition(first) == partition(second), recipe.words
            assert group_of_ids(first) == group_of_ids(second), f"{recipe.words}: other group numbers"
            for a, b in zip(frames_of(first), frames_of(second), strict=True):
                pd.testing.assert_frame_equal(a, b)
            pd.testing.assert_frame_equal(first.counterfeit_statistics(), second.counterfeit_statistics())

    attempt(f"row order, {name}", one, share=0.2)


@pytest.mark.parametrize("name", [name for name in ALL if not accepts(ALL[name], "m")])
def test_sensitive_values_break_no_ties(name):
    def one(chance):
        people, recipe = world(chance, most=24), publisher(ALL[name], chance, plain=True)
        others = people.shuffled_values(chance)
        seed, state = int(chance.integers(1000)), int(chance.integers(2**32))
        both = [series(ALL[name], w, recipe, np.random.default_rng(state), seed=seed) for w in (people, others)]
        assert len(both[0]) == len(both[1])
        for first, second in zip(*both):
            assert partition(first) == partition(second), recipe.words

    attempt(f"ties, {name}", one, share=0.2)


@pytest.mark.parametrize("name", ALL)
def test_nothing_identifies_anybody(name):
    def one(chance):
        people, recipe = world(chance, most=20), publisher(ALL[name], chance)
        for release in series(ALL[name], people, recipe, chance):
            for frame in frames_of(release):
                assert isinstance(frame.index, pd.RangeIndex) and frame.index.start == 0
                assert set(frame.columns) <= {*people.quasi, "ill", "group", "count"}
                text = frame.to_csv()
                assert not any(str(who) in text for who in [*people.ids, *people.frame["name"]])

    attempt(f"identifiers, {name}", one, share=0.1)
