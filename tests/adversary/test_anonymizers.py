"""Random tables against every anonymizer: the guarantee recounted from what is published, ties, row order, identifiers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from adversary.cases import attempt
from adversary.reading import check_places, frames_of, groups_of, partition
from adversary.recipes import Recipe, accepts, anonymizer, anonymizers, kinds_for, share_of
from adversary.worlds import World, world

ALL = anonymizers()


def case(kind: type, chance: np.random.Generator, *, plain: bool = False) -> tuple[World, Recipe]:
    return world(chance, **kinds_for(kind)), anonymizer(kind, chance, plain=plain)


def test_there_are_anonymizers_to_attack():
    assert {"Mondrian", "Anatomy", "KMember", "Samarati", "Incognito", "Flash", "Speedy"} <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_the_guarantee_recounted(name):
    def one(chance):
        people, recipe = case(ALL[name], chance)
        release = recipe.make().anonymize(people.table())
        groups = groups_of(release, people.quasi)
        totals = Counter(people.frame["ill"])
        for group in groups.values():
            assert recipe.rule.holds(group.values, totals), f"{recipe.words}: {group}"
        assert sum(group.size for group in groups.values()) + len(release.suppressed) == len(people.frame)
        left_out = Counter(people.frame["ill"].set_axis(people.ids)[release.suppressed.tolist()])
        assert sum((group.values for group in groups.values()), left_out) == totals, "values were changed"
        check_places(release, people)

    attempt(f"guarantee of {name}", one, share=0.4 * share_of(ALL[name]))


@pytest.mark.parametrize("name", ALL)
def test_the_order_of_rows_decides_nothing(name):
    """For one seed: the same classes and the same published tables, whatever the order of the rows; ids move along."""

    def one(chance):
        people, recipe = case(ALL[name], chance)
        table = people.table()
        moved = people.table(chance.permutation(len(people.frame)))
        seed = int(chance.integers(1000))
        first, second = (recipe.make(seed).anonymize(t) for t in (table, moved))
        assert partition(first) == partition(second), recipe.words
        for a, b in zip(frames_of(first), frames_of(second), strict=True):
            pd.testing.assert_frame_equal(a, b)

    attempt(f"row order, {name}", one, share=0.3 * share_of(ALL[name]))


@pytest.mark.parametrize("name", [name for name in ALL if not accepts(ALL[name], "l")])
def test_sensitive_values_break_no_ties(name):
    """Under k-anonymity, for one seed: the same classes after values were shuffled among equal quasi-identifiers."""

    def one(chance):
        people, recipe = case(ALL[name], chance, plain=True)
        seed = int(chance.integers(1000))
        first = recipe.make(seed).anonymize(people.table())
        second = recipe.make(seed).anonymize(people.shuffled_values(chance).table())
        assert partition(first) == partition(second), recipe.words

    attempt(f"ties, {name}", one, share=0.4 * share_of(ALL[name]))


@pytest.mark.parametrize("name", ALL)
def test_nothing_identifies_anybody(name):
    """No id, name or index in what is published; rows sorted by what they show."""

    def one(chance):
        people, recipe = case(ALL[name], chance)
        release = recipe.make().anonymize(people.table())
        for frame in frames_of(release):
            assert isinstance(frame.index, pd.RangeIndex) and frame.index.start == 0 and frame.index.step == 1
            assert set(frame.columns) <= {*people.quasi, "ill", "group", "count"}
            text = frame.to_csv()
            if any(str(who) in text for who in [*people.ids, *people.frame["name"]]):
                raise AssertionError(f"an id or a name stands in the published table of {recipe.words}")

    attempt(f"identifiers, {name}", one, share=0.1)
