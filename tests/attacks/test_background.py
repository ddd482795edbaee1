"""Backgrounds: what they name, how they are cut, what they refuse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, worlds
from hypothesis import given

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background, Presence
from ppdp_lab.errors import IdError, ParameterError, SchemaError


def people() -> pl.Microdata:
    frame = pd.DataFrame(
        {"age": [34, 51, 29, 33], "sex": ["f", "m", "f", "m"], "ill": ["flu", "flu", "HIV", "flu"]}, index=list("abcd")
    )
    return pl.Microdata(frame, pl.Schema(["age", "sex"], sensitive="ill"))


def test_persons_are_matched_by_id() -> None:
    table = people()
    background = Background.of_series([table.select([1, 0]), table.select([2, 1]), table.select([3])])
    assert background.ids.tolist() == ["b", "a", "c", "d"]
    assert background.present().tolist() == [
        [True, True, False],
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert background.to_frame(1).to_dict("index") == {"c": {"age": 29, "sex": "f"}, "b": {"age": 51, "sex": "m"}}
    assert (len(background), background.n_persons, background.knows_groups) == (3, 4, False)


def test_of_one_table_is_everybody() -> None:
    background = Background.of(people())
    assert background.ids.tolist() == list("abcd") and len(background) == 1
    assert (background.releases[0].qi == people().qi_codes).all()


@given(worlds())
def test_the_worst_case_knows_the_published_groups(world: World) -> None:
    background = world.worst
    assert background.knows_groups and not background.without_groups().knows_groups
    for release, published, presence in zip(world.releases, world.series, background.releases):
        shown = release.table.ids[release.class_of >= 0]
        assert background.ids[presence.persons].tolist() == shown.tolist()
        for group in range(published.n_groups):
            mine = background.ids[presence.persons[presence.groups == group]]
            values = release.table.sensitive_codes[0][release.table.ids.get_indexer(mine)]
            rows = published.row_sensitive[0][published.row_group == group]
            fakes = published.counterfeits_per_group
            left = np.bincount(rows, minlength=99) - np.bincount(values, minlength=99)
            assert (left >= 0).all() and left.sum() == (0 if fakes is None else fakes[group])


def test_slices_keep_those_who_are_present() -> None:
    table = people()
    background = Background.of_series([table.select([0, 1]), table.select([1, 2]), table.select([3])])
    assert background[1:].ids.tolist() == ["b", "c", "d"] and len(background[1:]) == 2
    assert background[1].ids.tolist() == ["b", "c"]
    assert background[[2, 0]].to_frame(0).index.tolist() == ["d"]
    assert background.about(["c", "a"]).ids.tolist() == ["a", "c"]


def test_groups_given_by_hand() -> None:
    table = people()
    background = Background.of_series([table, table.select([0, 1])]).with_groups([[0, 0, 1, -1], [0, 0]])
    assert background.ids.tolist() == ["a", "b", "c"]
    assert background.to_frame(0)["group"].tolist() == [0, 0, 1]
    assert repr(background) == "<Background on 3 persons in 2 releases: quasi-identifiers and groups known>"


def test_bad_input_is_refused_in_words() -> None:
    table = people()
    good = Background.of(table)
    presence = good.releases[0]
    with pytest.raises(ParameterError, match="made of Microdata, one per release, not DataFrame"):
        Background.of(table.frame)
    with pytest.raises(ParameterError, match="at least one table"):
        Background.of_series([])
    with pytest.raises(ParameterError, match="at least one release"):
        Background(good.ids, [], table.qi_domains)
    other = pl.Microdata(table.frame.iloc[:3], table.schema)  # other codes, but values are matched by their text
    for mine, theirs in zip(
        Background.of_series([other, table]), Background.of_series([table.select([0, 1, 2]), table])
    ):
        pd.testing.assert_frame_equal(mine.to_frame(), theirs.to_frame())
    text = pl.Microdata(table.frame.astype({"age": "str"}), table.schema)
    with pytest.raises(SchemaError, match="table 1 does not fit the tables before it: column 'age' held numbers"):
        Background.of_series([table, text])
    fewer = pl.Microdata(table.frame[["age", "ill"]], pl.Schema("age", sensitive="ill"))
    with pytest.raises(SchemaError, match="table 1 has the columns 'age', not 'age', 'sex'"):
        Background.of_series([table, fewer])
    with pytest.raises(ParameterError, match=r"releases on the holder's side, not Generalized; .* with_groups"):
        Background.worst_case([pl.Release(table, np.zeros(4, int)).published()])
    with pytest.raises(ParameterError, match="groups for 2 releases do not fit a background of 1"):
        good.with_groups([[0, 0, 0, 0], [0]])
    for wrong in ([[0, 0, 0]], [[0.5, 0, 0, 0]], [list("aabb")]):
        with pytest.raises(ParameterError, match="one group number for each of its 4 persons"):
            good.with_groups(wrong)
    with pytest.raises(IdError, match="does not name 'x', 'y'"):
        good.about(["a", "x", "y"])
    with pytest.raises(IdError, match="names 'a' more than once"):
        Background(["a", "a"], [presence], table.qi_domains)
    with pytest.raises(IdError, match="1 persons of the background are in no release"):
        Background(list("abcde"), [presence], table.qi_domains)
    with pytest.raises(IdError, match="positions 0 to 2 in the ids"):
        Background(list("abc"), [presence], table.qi_domains)
    with pytest.raises(IdError, match="more than once; a release holds each person once"):
        Background(["a"], [Presence(np.array([0, 0]), presence.qi[:, :2])], table.qi_domains)
    with pytest.raises(ParameterError, match="have shape"):
        Background(good.ids, [Presence(presence.persons, presence.qi[:1])], table.qi_domains)
    with pytest.raises(ParameterError, match="codes of 'age' must lie in 0 to 3"):
        Background(good.ids, [Presence(presence.persons, presence.qi + 5)], table.qi_domains)
    with pytest.raises(ParameterError, match="groups must be 4 numbers from 0 on"):
        Background(good.ids, [Presence(presence.persons, presence.qi, np.array([0, -1, 0, 0]))], table.qi_domains)


def test_a_single_thing_is_no_list() -> None:
    table = people()
    release = pl.Release(table, np.zeros(4, int))
    background = Background.worst_case([release, release])
    with pytest.raises(ParameterError, match="tables must be a list, not Microdata; put a single one into a list"):
        Background.of_series(table)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="tables must be a list, not DataFrame"):
        Background.of_series(table.frame)
    with pytest.raises(ParameterError, match="releases must be a list, not Release"):
        Background.worst_case(release)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="groups must be a list, not int"):
        background.with_groups(5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="release 1: give one group number"):
        background.with_groups([[0] * 4, [[0], 0]])
    with pytest.raises(ParameterError, match="ids must be a list, not str"):
        background.about("a")
    with pytest.raises(ParameterError, match="ids must be a plain list of ids"):
        background.about([["a"]])
    assert background.about({"a"}).ids.tolist() == ["a"]


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (9, "the number of a release must be at most 1, not 9"),
        (-3, "must be at least -2, not -3"),
        ([0, 2], "must be at most 1, not 2"),
        ([True, False], "must be a whole number, not True"),
        ("x", "must be a list, not str"),
        (None, "must be a whole number, not None"),
        (slice("a", None), "no slice of releases; use whole numbers"),
        (slice(5, None), "at least one release"),
    ],
)
def test_releases_that_are_not_there(which: object, words: str) -> None:
    background = Background.of_series([people(), people()])
    with pytest.raises(ParameterError, match=words):
        background[which]  # type: ignore[index]
    if isinstance(which, int):
        with pytest.raises(ParameterError, match=words):
            background.to_frame(which)
    assert [len(one) for one in background] == [1, 1]
