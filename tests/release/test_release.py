"""Releases: what the holder keeps, what leaves, and what is never returned."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import Parts, parts

import ppdp_lab as pl
from ppdp_lab.errors import BrokenRuleError, ParameterError, PublicationError, SchemaError
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.table import Boxes, Intervals


def people(n: int = 4) -> pl.Microdata:
    frame = pd.DataFrame({"age": range(20, 20 + n), "illness": (["flu", "HIV"] * n)[:n]})
    return pl.Microdata(frame, pl.Schema("age", sensitive="illness"), ids=[f"p{i}" for i in range(n)])


def frames(release: Release) -> list[pd.DataFrame]:
    """All that leaves the house."""
    main = [release.to_frame()] if release.style == "generalized" else list(release.to_frames())
    tracked = [release.to_frame(track=True)] if release.pseudonyms is not None and len(main) == 1 else []
    return [*main, *tracked, release.counterfeit_statistics()]


@given(parts(), st.data())
def test_neither_order_nor_numbers_leave(makings: Parts, data: st.DataObject) -> None:
    rows = list(data.draw(st.permutations(range(len(makings.class_of)))))
    renumber = np.array(data.draw(st.permutations(range(makings.n_classes))), dtype=np.int32)
    first, second = makings.release(), makings.release(rows, renumber)
    for one, other in zip(frames(first), frames(second), strict=True):
        pd.testing.assert_frame_equal(one, other)
        assert isinstance(one.index, pd.RangeIndex)


@given(parts(style="generalized"))
def test_a_generalized_frame_holds_every_row_once(makings: Parts) -> None:
    release = makings.release()
    frame, case, fake = release.to_frame(), makings.case, makings.counterfeits
    names = [*case.schema.quasi_identifiers, *case.schema.sensitive]
    assert list(frame.columns) == (["group", *names] if makings.grouped else names)
    assert len(frame) == (makings.class_of >= 0).sum() + len(fake) == release.sizes.sum()
    shown = makings.class_of >= 0
    every = np.concatenate([makings.class_of[shown], fake.class_of])
    expected = {}
    for name, box in zip(case.schema.quasi_identifiers, release.boxes):
        expected[name] = box.labels()[every]
    for name, codes in zip(case.schema.sensitive, fake.sensitive):
        real = case.frame[name][shown].astype("str").tolist()
        expected[name] = real + list(map(str, release.table.domains[name].decode(codes)))
    assert Counter(zip(*(frame[name].astype("str") for name in names))) == Counter(zip(*expected.values()))
    if makings.grouped:
        assert frame.groupby("group").size().tolist() == release.sizes[np.argsort(release.group_of_class)].tolist()


@given(parts())
def test_sizes_suppressed_and_counts(makings: Parts) -> None:
    release = makings.release()
    real = [int((makings.class_of == c).sum()) for c in range(makings.n_classes)]
    fake = [int((makings.counterfeits.class_of == c).sum()) for c in range(makings.n_classes)]
    assert release.real_sizes.tolist() == real and release.sizes.tolist() == np.add(real, fake).tolist()
    assert release.suppressed.tolist() == np.flatnonzero(makings.class_of < 0).tolist()
    assert release.records.equals(release.table.ids)
    assert release.counts().sizes.tolist() == release.sizes.tolist()
    assert release.counts(counterfeits=False).sizes.tolist() == real
    assert len(release.counterfeits) == release.n_counterfeits == sum(fake)
    statistics = release.counterfeit_statistics()
    assert statistics["counterfeits"].sum() == sum(fake) and (statistics["counterfeits"] > 0).all()


@given(parts())
def test_published_counts_are_the_holders(makings: Parts) -> None:
    release = makings.release()
    published, group_of = release.published(), release.group_of_class
    sizes = np.bincount(group_of, weights=release.sizes, minlength=published.n_groups)
    assert published.counts().sizes.tolist() == published.sizes.tolist() == sizes.tolist()
    for attribute in makings.case.schema.sensitive:
        mine, theirs = release.counts().histogram(attribute), published.counts().histogram(attribute)
        expected: Counter[tuple[int, int]] = Counter()
        for cls, value, count in zip(mine.cell_class, mine.values, mine.counts):
            expected[int(group_of[cls]), int(value)] += int(count)
        cells = zip(theirs.cell_class.tolist(), theirs.values.tolist())
        assert dict(zip(cells, theirs.counts.tolist())) == expected


def test_a_broken_rule_is_never_returned() -> None:
    release = Release(people(), np.array([0, 0, 1, 1]))
    assert release.checked(pl.KAnonymity(2)) is release
    with pytest.raises(BrokenRuleError) as caught:
        release.checked(pl.KAnonymity(3) & pl.DistinctLDiversity(2))
    assert str(caught.value).startswith(
        "the release is withheld, because it breaks its own rule: KAnonymity(3) & Distinct"
    )
    assert "class 0: 2 records, fewer than k = 3" in str(caught.value)


def test_an_algorithm_that_breaks_its_rule_returns_nothing() -> None:
    class Careless(pl.Mondrian):
        def _release(self, table: pl.Microdata) -> Release:
            return Release(table, np.arange(len(table)))

    with pytest.raises(BrokenRuleError, match=r"withheld.*KAnonymity\(2\) fails in 4 of 4 classes"):
        Careless(pl.KAnonymity(2)).anonymize(people())


def test_boxes_that_do_not_cover_are_never_returned() -> None:
    table = people()
    narrow = Boxes((Intervals(table.qi_domains[0], np.array([0]), np.array([2])),), 1)
    with pytest.raises(BrokenRuleError, match="a box does not cover all members of its class; the release is withheld"):
        Release(table, np.zeros(4, dtype=int), narrow)
    assert Release(table, np.array([0, 0, 0, -1]), narrow).to_frame()["age"].unique().tolist() == ["[20, 22]"]
    fake = Counterfeits(np.array([0]), np.array([[0]]), np.array([[3]]))
    with pytest.raises(BrokenRuleError, match="does not cover"):
        Release(table, np.array([0, 0, 0, -1]), narrow, counterfeits=fake)


def test_wider_boxes_are_published_as_they_are() -> None:
    table = people()
    wide = Boxes((Intervals(table.qi_domains[0], np.array([0, 0]), np.array([3, 3])),), 2)
    release = Release(table, np.array([0, 0, 1, 1]), wide)
    assert release.to_frame()["age"].unique().tolist() == ["[20, 23]"]
    assert release.published().n_groups == 1 and release.n_classes == 2  # without numbers a reader sees one class
    assert Release(table, np.array([0, 0, 1, 1]), wide, grouped=True).published().n_groups == 2


def test_counterfeits_stand_among_the_rows_unmarked() -> None:
    fake = Counterfeits(np.array([1]), np.array([[0]]), np.array([[0]]))
    release = Release(people(), np.array([0, 0, 1, 1]), counterfeits=fake, grouped=True)
    frame = release.to_frame()
    assert frame.columns.tolist() == ["group", "age", "illness"] and len(frame) == 5
    assert frame["age"].tolist() == ["[20, 21]"] * 2 + ["[20, 23]"] * 3
    assert release.counterfeit_statistics().to_dict("list") == {"group": [1], "counterfeits": [1]}
    assert release.counterfeits.to_dict("list") == {"class": [1], "illness": ["HIV"], "age": [20]}
    assert repr(release) == "<Release of 4 records in 2 classes, 1 counterfeit>"


def test_a_class_of_counterfeits_alone() -> None:
    fake = Counterfeits(np.array([1, 1]), np.array([[0, 1]]), np.array([[2, 3]]))
    release = Release(people(), np.array([0, 0, -1, -1]), counterfeits=fake)
    assert release.sizes.tolist() == [2, 2] and release.real_sizes.tolist() == [2, 0]
    assert release.to_frame()["age"].tolist() == ["[20, 21]"] * 2 + ["[22, 23]"] * 2


def test_everything_suppressed() -> None:
    release = Release(people(), np.full(4, -1))
    assert release.n_classes == 0 and release.to_frame().columns.tolist() == ["age", "illness"]
    assert len(release.to_frame()) == 0 and len(release.suppressed) == 4 and len(release.published()) == 0
    anatomized = Release(people(), np.full(4, -1), style="anatomized")
    assert [len(frame) for frame in anatomized.to_frames()] == [0, 0]


def test_tracking() -> None:
    release = Release(people(), np.array([0, 0, 1, 1]), pseudonyms=np.array([9, 3, 5, 7]))
    frame = release.to_frame(track=True)
    assert frame["pseudonym"].tolist() == [3, 9, 7, 5] and frame["illness"].tolist() == ["HIV", "flu", "HIV", "flu"]
    assert "pseudonym" not in release.to_frame().columns
    pd.testing.assert_frame_equal(
        Release(people(), [0, 0, 1, 1], pseudonyms=[9, 3, 5, 7], grouped=True)
        .to_frame(track=True)
        .drop(columns="group"),
        frame,
    )
    with pytest.raises(PublicationError, match="stands alone and has no pseudonyms"):
        Release(people(), np.zeros(4, dtype=int)).to_frame(track=True)
    with pytest.raises(PublicationError, match="published without pseudonyms"):
        release.published().to_frame(track=True)
    fake = Counterfeits(np.array([0]), np.array([[0]]), np.array([[0]]))
    with pytest.raises(PublicationError, match="counterfeits have no pseudonyms and would stand out"):
        Release(people(), np.zeros(4, dtype=int), counterfeits=fake, pseudonyms=np.arange(4)).to_frame(track=True)


def test_the_wrong_form_is_refused() -> None:
    with pytest.raises(PublicationError, match=r"published as 1 table.s.; use to_frame\(\)"):
        Release(people(), np.zeros(4, dtype=int)).to_frames()
    anatomized = Release(people(), np.zeros(4, dtype=int), style="anatomized")
    with pytest.raises(PublicationError, match=r"published as 2 table.s.; use to_frames\(\)"):
        anatomized.to_frame()
    with pytest.raises(PublicationError, match=r"use to_frames\(\)"):
        anatomized.published().to_frame()
    bare = pl.Microdata(pd.DataFrame({"age": [1]}), pl.Schema("age"))
    with pytest.raises(SchemaError, match="needs a sensitive column"):
        Release(bare, np.zeros(1, dtype=int), style="anatomized").to_frames()


def test_parts_that_do_not_fit() -> None:
    table = people()
    wide = Boxes((Intervals(table.qi_domains[0], np.array([0, 0]), np.array([3, 3])),), 2)
    one = np.zeros(4, dtype=int)
    for arguments, more, message in [
        ((one[:3],), {}, r"class_of has shape \(3,\); it needs one entry for each of 4 records"),
        (([2**31 - 2] * 4,), {}, "class 2147483646 is too high for 4 rows: number classes 0, 1, ... without gaps"),
        (([2**40] * 4,), {}, "class 1099511627776 is too high for 4 rows"),
        ((np.full(4, 2**64 - 1, dtype=np.uint64),), {}, "class_of must hold whole .*, not 18446744073709551615"),
        (([0.5] * 4,), {}, r"class_of must hold whole numbers, not 0.5, 0.5, 0.5 and 1 more \(float64\)"),
        (([0, 0, 0, -2],), {}, r"class_of must hold whole numbers from -1 to 2\*\*63 - 1, not -2"),
        (([0, [0], 0, 0],), {}, r"class_of must be a plain list, one entry after the other, not \[0, \[0\], 0, 0\]"),
        ((np.array([0, 0, 2, 2]),), {}, r"class\(es\) 1 have no member; number classes 0, 1, \.\.\."),
        ((one, wide), {}, "2 boxes of 1 columns do not fit 1 classes"),
        ((one,), {"style": "pretty"}, "style must be one of 'anatomized', 'generalized', not 'pretty'"),
        ((one,), {"pseudonyms": np.arange(3)}, "3 pseudonyms for 4 records"),
        ((one,), {"pseudonyms": ["a"] * 4}, "pseudonyms must hold whole numbers"),
        ((one,), {"pseudonyms": [2**63] * 4}, "pseudonyms must hold whole .*, not 9223372036854775808"),
        (
            (one,),
            {"counterfeits": Counterfeits(np.array([2**31 - 2]), np.zeros((1, 1), int), np.zeros((1, 1), int))},
            "class 2147483646 is too high for 5 rows",
        ),
        (
            (one,),
            {"counterfeits": Counterfeits(np.array([-1]), np.zeros((1, 1), int), np.zeros((1, 1), int))},
            r"counterfeits: class_of must hold whole numbers from 0 to .*, not -1",
        ),
        (
            (one,),
            {"counterfeits": Counterfeits(np.array([0]), np.zeros((1, 2), int), np.zeros((1, 1), int))},
            r"counterfeits: sensitive must be whole numbers of shape \(1, 1\), not \(1, 2\)",
        ),
        (
            (one,),
            {"counterfeits": Counterfeits(np.array([0]), np.zeros((1, 1), int), np.zeros((2, 1), int))},
            r"counterfeits: qi must be whole numbers of shape \(1, 1\), not \(2, 1\)",
        ),
    ]:
        with pytest.raises(ParameterError, match=message):
            Release(table, *arguments, **more)
    with pytest.raises(ParameterError, match=r"table must be a ppdp_lab\.Microdata, not DataFrame"):
        Release(table.frame, one)
    with pytest.raises(ParameterError, match=r"rule must be a principle such as KAnonymity\(5\), not 5"):
        Release(table, one).checked(5)


def test_a_column_named_class_does_not_hide_the_class_of_a_counterfeit() -> None:
    table = pl.Microdata(pd.DataFrame({"class": [1, 2]}), pl.Schema("class"))
    release = Release(table, np.zeros(2, dtype=int))
    assert release.to_frame()["class"].tolist() == ["[1, 2]"] * 2
    with pytest.raises(SchemaError, match="a column named 'class' would hide"):
        _ = release.counterfeits
