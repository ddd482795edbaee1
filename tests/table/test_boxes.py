"""Boxes: the smallest cover, text and back, groups of equal boxes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import smallest_box
from strategies import WORDS, Case, cases, gapped

import ppdp_lab as pl
from ppdp_lab.errors import PPDPError, SchemaError
from ppdp_lab.release.reading import read_labels
from ppdp_lab.release.search import Regions
from ppdp_lab.table import Boxes, Domain, Intervals, Nodes, Sets
from ppdp_lab.table import boxes as columns
from ppdp_lab.table.boxes import join, split


@st.composite
def boxed(draw: st.DrawFn) -> tuple[Case, np.ndarray]:
    """A table and some classes, none empty, of its records."""
    case = draw(cases(max_sensitive=1))
    n = len(case.frame)
    marks = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return case, np.unique(marks, return_inverse=True)[1].astype(np.int32)


def around(case: Case, class_of: np.ndarray) -> Boxes:
    table = case.table()
    return Boxes.around(table.qi_codes, table.qi_domains, class_of, class_of.max() + 1)


@given(boxed())
def test_covers_exactly_what_the_smallest_box_holds(drawn: tuple[Case, np.ndarray]) -> None:
    case, class_of = drawn
    for column, box in zip(case.quasi, around(case, class_of)):
        everything = np.arange(len(box.domain))
        for cls in range(class_of.max() + 1):
            one = box.take(np.full(len(everything), cls))
            covered = box.domain.decode(everything[one.covers(everything)])
            expected = smallest_box(column, case.frame[column.name][class_of == cls])
            assert sorted(map(str, covered)) == sorted(map(str, expected))
            assert one.leaf_counts().tolist() == [len(expected)] * len(everything)


@given(boxed())
def test_extents_go_from_nothing_to_all(drawn: tuple[Case, np.ndarray]) -> None:
    case, class_of = drawn
    for box in around(case, class_of):
        extents = box.extents()
        assert ((extents >= 0) & (extents <= 1)).all()
        for extent, leaves in zip(extents, box.leaf_counts()):
            assert (leaves == 1) == (extent == 0)
            assert extent == pytest.approx(1) if 1 < leaves == len(box.domain) else True


@given(boxed())
def test_text_can_be_read_back(drawn: tuple[Case, np.ndarray]) -> None:
    case, class_of = drawn
    for box in around(case, class_of):
        again = read_labels(pd.Series(box.labels(), name=box.domain.name), box.domain)
        assert type(again) is type(box)
        for mine, theirs in zip(again.sort_keys(), box.sort_keys()):
            assert mine.tolist() == theirs.tolist()


@given(boxed())
def test_equal_boxes_are_one_group(drawn: tuple[Case, np.ndarray]) -> None:
    case, class_of = drawn
    boxes = around(case, class_of)
    group_of, one_of = boxes.groups()
    keys = [tuple(int(key[i]) for key in boxes.sort_keys()) for i in range(len(boxes))]
    distinct = sorted(set(keys))
    assert group_of.tolist() == [distinct.index(key) for key in keys]
    assert [keys[i] for i in one_of] == distinct
    texts = list(zip(*(box.labels() for box in boxes)))
    assert len(set(texts)) == len(distinct)


@given(
    st.lists(st.sampled_from(WORDS) | st.text(alphabet='a,"{}[]. ', max_size=6), min_size=1, max_size=5, unique=True)
)
def test_any_names_can_be_joined_and_split(names: list[str]) -> None:
    for dtype in (pd.CategoricalDtype(names), pd.CategoricalDtype(names, ordered=True)):
        domain, _ = Domain.of(pd.Series(names, dtype=dtype))
        for chosen in ([names[0]], names[:2], names) if not dtype.ordered else ([names[0]], names[:2]):
            assert split(join(chosen, domain), domain) == chosen


def test_no_two_sets_share_a_text() -> None:
    names = ["a", "b", "a, b", "{a, b}", '"a, b"', "{a", "b}"]
    domain, _ = Domain.of(pd.Series(names))
    subsets = [[n for i, n in enumerate(names) if bits >> i & 1] for bits in range(1, 2 ** len(names))]
    assert len({join(subset, domain) for subset in subsets}) == len(subsets)


def test_labels_read_well() -> None:
    ages, _ = Domain.of(pd.Series([20, 30, 40]))
    assert Intervals(ages, np.array([0, 1]), np.array([2, 1])).labels().tolist() == ["[20, 40]", "30"]
    grades, _ = Domain.of(pd.Series(["low", "high"], dtype=pd.CategoricalDtype(["low", "high"], ordered=True)))
    assert Intervals(grades, np.array([0]), np.array([1])).labels().tolist() == ["[low .. high]"]
    towns, _ = Domain.of(pd.Series(["Rome", "Paris, France", "Oslo"]))
    sets = Sets(towns, np.array([[0b110], [0b010], [0b101]], dtype=np.uint64))
    assert sets.labels().tolist() == ['{"Paris, France", Rome}', "Paris, France", "{Oslo, Rome}"]
    tree = pl.Hierarchy.from_dict({"USA": ["USA", "Guam"], "Peru": ["Lima"]})
    places, _ = Domain.of(pd.Series(["USA"]), tree)
    assert Nodes(places, np.arange(6)).labels().tolist() == ["USA", "Guam", "Lima", "USA (level 1)", "Peru", "*"]


def test_sets_of_more_than_64_values() -> None:
    domain, codes = Domain.of(pd.Series([f"{i:03}" for i in range(150)]))
    boxes = Boxes.around(codes[None], [domain], (codes % 2).astype(np.int32), 2)
    assert boxes[0].leaf_counts().tolist() == [75, 75]
    assert boxes.covers(codes % 2, codes[None]).all() and not boxes.covers(1 - codes % 2, codes[None]).any()
    assert split(boxes[0].labels()[1], domain) == [f"{i:03}" for i in range(1, 150, 2)]


def test_a_class_without_members_has_no_box() -> None:
    domain, codes = Domain.of(pd.Series([1, 2]))
    with pytest.raises(PPDPError, match="class 1 has no member, so it has no box"):
        Boxes.around(codes[None], [domain], np.array([0, 2], dtype=np.int32), 3)


# ---------------------------------------------------------------------- missing values
@st.composite
def gapped_boxes(draw: st.DrawFn) -> tuple[Case, pl.Microdata, Boxes, np.ndarray]:
    case, table = draw(gapped(max_sensitive=1))
    marks = draw(st.lists(st.integers(0, 4), min_size=len(table), max_size=len(table)))
    class_of = np.unique(marks, return_inverse=True)[1].astype(np.int32)
    return case, table, Boxes.around(table.qi_codes, table.qi_domains, class_of, class_of.max() + 1), class_of


@given(gapped_boxes())
def test_boxes_that_hold_missing_values_are_read_back(drawn: tuple) -> None:
    _, table, boxes, class_of = drawn
    assert boxes.covers(class_of, table.qi_codes).all()
    for codes, column in zip(table.qi_codes, boxes):
        text = pd.Series(column.labels(), name=column.domain.name)
        again = read_labels(text, column.domain)
        for one, other in zip(column.sort_keys(), again.sort_keys()):
            assert one.tolist() == other.tolist()
        held = np.bincount(class_of, weights=codes == (column.domain.known if column.domain.missing else -1)) > 0
        if column.domain.hierarchy is None:
            assert [("(missing)" in label) for label in text] == held.tolist()


@given(gapped_boxes())
def test_a_gap_makes_no_other_box_seem_smaller(drawn: tuple) -> None:
    case, table, boxes, class_of = drawn
    before = case.table()
    tight = Boxes.around(before.qi_codes, before.qi_domains, class_of, class_of.max() + 1)
    for codes, mine, whole in zip(table.qi_codes, boxes, tight):
        assert ((mine.extents() >= 0) & (mine.extents() <= 1)).all()
        if mine.domain.missing and mine.domain.known == whole.domain.known:  # no value is gone
            gap = np.bincount(class_of, weights=codes == mine.domain.known) > 0
            same = ~gap
            assert (mine.extents()[same] >= whole.extents()[same] - 1e-12).all()


def test_how_missing_values_read() -> None:
    def labels(values: list, classes: list[int], **how: object) -> list[str]:
        domain, codes = Domain.of(pd.Series(values, name="x", **how), missing="value")
        column = Boxes.around(codes[None], [domain], np.array(classes, dtype=np.int32), max(classes) + 1)[0]
        return column.labels().tolist()

    assert labels([30, 78, None, None], [0, 0, 0, 1]) == ["[30, 78] or (missing)", "(missing)"]
    assert labels([30, 78, None, 30], [0, 1, 1, 0]) == ["30", "78 or (missing)"]
    assert labels([30, 78, None], [0, 1, 0]) == ["[30, 78] or (missing)", "78"]
    assert labels([1 / 3, 2 / 3, None, None], [0, 0, 0, 1]) == ["[0.3333, 0.6667] or (missing)", "(missing)"]
    sizes = pd.CategoricalDtype(["s", "m", "l"], ordered=True)
    assert labels(["s", None], [0, 0], dtype=sizes) == ["[s .. l] or (missing)"]
    assert labels(["a", None, "b"], [0, 0, 1]) == ["{a, (missing)}", "b"]


def test_a_text_that_ends_like_a_box_of_missing_values_is_quoted() -> None:
    names = ["s or (missing)", "s"]
    dtype = pd.CategoricalDtype(names, ordered=True)
    domain, codes = Domain.of(pd.Series(["s", names[0], None], name="x", dtype=dtype), missing="value")
    column = Boxes.around(codes[None], [domain], np.arange(3, dtype=np.int32), 3)[0]
    assert column.labels().tolist() == ["s", '"s or (missing)"', "(missing)"]
    assert read_labels(pd.Series(column.labels(), name="x"), domain).low.tolist() == [1, 0, 2]


@given(gapped_boxes())
def test_boxes_move_to_domains_that_know_missing_values(drawn: tuple) -> None:
    case, table, _, class_of = drawn
    before = case.table()
    tight = Boxes.around(before.qi_codes, before.qi_domains, class_of, class_of.max() + 1)
    grown = [old.grown(new) for old, new in zip(before.qi_domains, table.qi_domains)]
    moved = tight.recode(grown)
    codes = np.array([old.map_to(new)[c] for old, new, c in zip(before.qi_domains, grown, before.qi_codes)])
    assert moved.covers(class_of, codes).all()
    assert [column.labels().tolist() for column in moved] == [column.labels().tolist() for column in tight]
    back = moved.recode(before.qi_domains)
    assert [key.tolist() for key in back.sort_keys()] == [key.tolist() for key in tight.sort_keys()]


def test_sets_of_too_many_values_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_BYTES", 10_000)
    monkeypatch.setattr(columns, "AT_ONCE", 4_000)
    texts = pd.DataFrame({"name": [f"person {i}" for i in range(400)]})
    table = pl.Microdata(texts, pl.Schema("name"))
    words = r"column 'name' has 400 different values and no hierarchy: sets of them for 400 rows .* such as Hierarchy.mask_suffix"
    with pytest.raises(SchemaError, match=words):
        pl.Release(table, np.arange(400))
    with pytest.raises(SchemaError, match=words):
        read_labels(texts["name"], table.domains["name"])
    with pytest.raises(SchemaError, match=words):
        Regions.of_points(table.qi_codes, table.qi_domains)
    few = pl.Release(table, np.arange(400) // 4)  # 5,000 bytes
    assert len(few.to_frame()) == 400 and len(Regions.of_boxes(few.boxes)) == 100
    other, _ = Domain.of(pd.Series([f"person {i}" for i in range(900)], name="name"))
    with pytest.raises(SchemaError, match=r"900 different values .* for 100 rows"):
        few.boxes.recode([other])
    with pytest.raises(SchemaError, match="for 100 rows"):
        few.boxes[0].members()  # type: ignore[union-attr]
