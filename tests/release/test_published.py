"""Published tables can be read back, from memory and from files, and what cannot be read is refused in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import Parts, parts
from strategies import gapped

import ppdp_lab as pl
from ppdp_lab.errors import ParameterError, PublicationError, SchemaError
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Published


def through_file(frame: pd.DataFrame, folder: Path, how: str) -> pd.DataFrame:
    """The frame as somebody reads it who got a CSV."""
    if how == "memory":
        return frame
    frame.to_csv(folder / "published.csv", index=False)
    text = {name: str for name in frame.columns if name not in ("group", "count", "pseudonym", "counterfeits")}
    return pd.read_csv(folder / "published.csv", keep_default_na=False, dtype=text if how == "text" else None)


HOW = st.sampled_from(["memory", "file", "text"])


def assert_same(one: Published, other: Published) -> None:
    assert (one.n_groups, one.numbered, one.schema) == (other.n_groups, other.numbered, other.schema)
    assert type(one) is type(other)
    exact = ("qi_rows", "qi_group") if one.exact else ()
    for name in ("row_group", "row_sensitive", *exact, "counterfeits_per_group", "pseudonyms"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None), name
        assert mine is None or np.array_equal(mine, theirs), name
    if not one.exact:
        for mine, theirs in zip(one.boxes.sort_keys(), other.boxes.sort_keys(), strict=True):
            assert np.array_equal(mine, theirs)


@given(parts(style="generalized"), HOW, st.data())
def test_a_generalized_table_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, makings: Parts, how: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("published")
    release = makings.release()
    track = makings.pseudonyms is not None and data.draw(st.booleans())
    frame = through_file(release.to_frame(track=track), folder, how)
    frame = frame.iloc[data.draw(st.permutations(range(len(frame))))]  # a reader may have sorted it as he liked
    statistics = None if not len(makings.counterfeits) else through_file(release.counterfeit_statistics(), folder, how)
    again = Published.from_frame(frame, release.table, counterfeits=statistics)
    assert_same(again, release.published(track=track))
    pd.testing.assert_frame_equal(again.to_frame(track=track), release.to_frame(track=track))
    pd.testing.assert_frame_equal(again.counterfeit_statistics(), release.counterfeit_statistics())


@given(parts(style="anatomized"), HOW)
def test_anatomized_tables_are_read_back(tmp_path_factory: pytest.TempPathFactory, makings: Parts, how: str) -> None:
    folder = tmp_path_factory.mktemp("published")
    release = makings.release()
    quasi, sensitive = (through_file(frame, folder, how) for frame in release.to_frames())
    statistics = None if not len(makings.counterfeits) else through_file(release.counterfeit_statistics(), folder, how)
    again = Published.from_frames(quasi, sensitive, release.table, counterfeits=statistics)
    assert_same(again, release.published())


@given(parts())
def test_candidates_are_the_groups_that_may_hold_a_person(makings: Parts) -> None:
    release = makings.release()
    published = release.published()
    for row in range(min(len(makings.class_of), 8)):
        person = release.table.qi_codes[:, row]
        _, _, groups, _ = next(published.holders(person[:, None]).chunks())
        found = groups.tolist()
        if makings.class_of[row] >= 0:
            assert int(release.group_of_class[makings.class_of[row]]) in found
        if not published.exact:
            expected = [g for g in range(published.n_groups) if published.boxes.covers(np.array([g]), person[:, None])]
        else:
            same = (published.qi_rows == person[:, None]).all(axis=0)
            expected = sorted(set(published.qi_group[same].tolist()))
        assert found == expected


def test_values_that_look_like_boxes_are_read_back(tmp_path: Path) -> None:
    names = ["a", "b", "a, b", "{a, b}", '"a"', "b, c", "c"]
    frame = pd.DataFrame({"town": names * 2, "illness": (["flu", "x, y"] * 7)})
    table = pl.Microdata(frame, pl.Schema("town", sensitive="illness"))
    for class_of in (np.arange(14) % 7, np.arange(14) % 7 // 2, np.arange(14) % 2, np.arange(14) % 5):
        release = Release(table, class_of)
        release.to_frame().to_csv(tmp_path / "t.csv", index=False)
        again = Published.from_frame(pd.read_csv(tmp_path / "t.csv"), table)
        pd.testing.assert_frame_equal(again.to_frame(), release.to_frame())


def test_dates_and_fractions_are_read_back(tmp_path: Path) -> None:
    times = [pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-01 12:30"), pd.Timestamp("2021-05-05")]
    frame = pd.DataFrame({"height": [1.5, 2.0, 0.1], "seen": times, "score": [0.25, 3.0, 1 / 3]})
    table = pl.Microdata(frame, pl.Schema("height", sensitive=["seen", "score"]))
    for class_of in (np.array([0, 1, 2]), np.array([0, 0, 1])):
        release = Release(table, class_of)
        assert_same(Published.from_frame(release.to_frame(), table), release.published())
        release.to_frame().to_csv(tmp_path / "t.csv", index=False)
        read = pd.read_csv(tmp_path / "t.csv", dtype={"score": str})
        assert_same(Published.from_frame(read, table), release.published())


def test_tables_without_rows_are_read_back(tmp_path: Path) -> None:
    table, _ = people()
    nobody = np.full(4, -1)
    for grouped in (True, False):
        empty = Release(table, nobody, grouped=grouped, pseudonyms=np.arange(4))
        frame = through_file(empty.to_frame(track=True), tmp_path, "file")
        assert_same(Published.from_frame(frame, table), empty.published(track=True))
    empty = Release(table, nobody, style="anatomized")
    quasi, sensitive = (through_file(frame, tmp_path, "file") for frame in empty.to_frames())
    assert_same(Published.from_frames(quasi, sensitive, table), empty.published())


# ------------------------------------------------------------------ refusals
def people() -> tuple[pl.Microdata, Release]:
    frame = pd.DataFrame({"age": [20, 21, 30, 31], "town": list("abab"), "illness": ["flu", "HIV", "flu", "HIV"]})
    table = pl.Microdata(frame, pl.Schema(["age", "town"], sensitive="illness"))
    return table, Release(table, np.array([0, 0, 1, 1]), grouped=True)


@pytest.mark.parametrize(
    "column, cell, words",
    [
        ("age", "[20, 22]", "column 'age': cannot read '\\[20, 22\\]' as a generalized value"),
        ("age", "[21, 20]", "cannot read"),
        ("age", "[20, 21, 30]", "cannot read"),
        ("age", "young", "cannot read 'young'"),
        ("town", "{a, c}", "column 'town': cannot read '{a, c}'"),
        ("town", '{a, "b}', "cannot read"),
        ("town", "{b, a}", "cannot read"),
        ("town", "", "cannot read ''"),
        ("illness", "plague", "column 'illness' shows 'plague', which its domain does not have"),
        ("age", None, r"column 'age' of a published table has an empty cell in row 0 \(counted from 0\)"),
        ("town", None, "column 'town' of a published table has an empty cell in row 0"),
        ("illness", None, "column 'illness' of a published table has an empty cell in row 0"),
        ("age", "20", "group 0 shows two different boxes; rows of one group must agree"),
    ],
)
def test_cells_that_cannot_be_read(column: str, cell: str | None, words: str) -> None:
    table, release = people()
    frame = release.to_frame()
    frame[column] = [cell, *frame[column][1:]]
    with pytest.raises(PublicationError, match=words):
        Published.from_frame(frame, table)


def test_tables_that_lack_something() -> None:
    table, release = people()
    with pytest.raises(SchemaError, match=r"the published frame lacks column\(s\) 'age', 'illness'"):
        Published.from_frame(release.to_frame()[["town"]], table)
    tracked = release.to_frame().assign(pseudonym=["a", "b", "c", "d"])
    with pytest.raises(PublicationError, match="column 'pseudonym' of a published table must hold whole numbers"):
        Published.from_frame(tracked, table)
    groups = release.to_frame().astype({"group": float})
    groups.loc[2, "group"] = np.nan
    with pytest.raises(PublicationError, match="column 'group' of a published table has an empty cell in row 2"):
        Published.from_frame(groups, table)
    for statistics, error, words in [
        (
            pd.DataFrame({"group": [0]}),
            SchemaError,
            r"table of counterfeit statistics lacks column\(s\) 'counterfeits'",
        ),
        (
            pd.DataFrame({"group": [7], "counterfeits": [1]}),
            PublicationError,
            r"group\(s\) 7 of the counterfeit statistics",
        ),
        (
            pd.DataFrame({"group": [1, 1], "counterfeits": [1, 2]}),
            PublicationError,
            r"group\(s\) 1 stand more than once",
        ),
        ([1], ParameterError, "the table of counterfeit statistics must be a pandas DataFrame, not list"),
    ]:
        with pytest.raises(error, match=words):
            Published.from_frame(release.to_frame(), table, counterfeits=statistics)


@pytest.mark.parametrize("style", ["generalized", "anatomized"])
@pytest.mark.parametrize(
    "number, words",
    [
        (3, "name 3 counterfeits in group 1, which has 2 published rows; give a whole number from 0 to 2"),
        (-5, "name -5 counterfeits in group 1, .* from 0 to 2"),
        (1.5, "column 'counterfeits' of a published table must hold whole numbers"),
        ("a", "column 'counterfeits' of a published table must hold whole numbers"),
        (None, "column 'counterfeits' of a published table has an empty cell in row 0"),
    ],
)
def test_counterfeits_are_at_most_the_rows_of_their_group(style: str, number: object, words: str) -> None:
    table, release = people()
    release = Release(table, release.class_of, style=style, grouped=True)
    frames = [release.to_frame()] if style == "generalized" else release.to_frames()
    read = Published.from_frame if style == "generalized" else Published.from_frames
    with pytest.raises(PublicationError, match=words):
        read(*frames, table, counterfeits=pd.DataFrame({"group": [1], "counterfeits": [number]}))
    kept = read(*frames, table, counterfeits=pd.DataFrame({"group": [1], "counterfeits": [2]}))
    assert kept.counterfeits_per_group.tolist() == [0, 2]


def test_anatomized_tables_that_do_not_fit() -> None:
    table, release = people()
    quasi, sensitive = Release(table, release.class_of, style="anatomized").to_frames()
    for q, s, error, words in [
        (quasi.drop(columns="group"), sensitive, SchemaError, r"the quasi-identifier table lacks column\(s\) 'group'"),
        (quasi, sensitive.drop(columns="count"), SchemaError, r"the sensitive table lacks column\(s\) 'count'"),
        (
            quasi.assign(group=9),
            sensitive,
            PublicationError,
            r"group\(s\) 9 of the quasi-identifier table are not in the",
        ),
        (quasi, sensitive.assign(count=0), PublicationError, "must hold whole numbers from 1 on"),
        (
            quasi,
            sensitive.assign(count=0.5),
            PublicationError,
            "column 'count' of a published table must hold whole numbers",
        ),
        (
            quasi,
            sensitive.assign(count=None),
            PublicationError,
            "column 'count' of a published table has an empty cell",
        ),
        (quasi.assign(age=99), sensitive, PublicationError, "column 'age' shows 99, which its domain does not have"),
        (quasi, sensitive.assign(illness=None), PublicationError, "column 'illness' of a published table has an empty"),
    ]:
        with pytest.raises(error, match=words):
            Published.from_frames(q, s, table)


@given(gapped(), HOW, st.sampled_from(["generalized", "anatomized"]), st.data())
def test_tables_with_missing_values_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple, how: str, style: str, data: st.DataObject
) -> None:
    folder, (_, table) = tmp_path_factory.mktemp("published"), drawn
    marks = data.draw(st.lists(st.integers(-1, 3), min_size=len(table), max_size=len(table)))
    class_of = np.unique([*marks, -1], return_inverse=True)[1][:-1] - 1
    release = Release(table, class_of, style=style)
    if style == "anatomized":
        frames = [through_file(frame, folder, how) for frame in release.to_frames()]
        again = Published.from_frames(*frames, table)
    else:
        frames = [through_file(release.to_frame(), folder, how)]
        again = Published.from_frame(frames[0], table)
    assert_same(again, release.published())
    assert not any(frame.isna().any(axis=None) for frame in frames)
