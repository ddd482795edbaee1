"""The search and the compiled loops against plain twins."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from attacks.worlds import World, worlds
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from plain_forms import candidates

from ppdp_lab.attacks._difference import multiset_difference, tracked_difference
from ppdp_lab.attacks._intersection import common_counts
from ppdp_lab.attacks._pooling import pool_histograms
from ppdp_lab.attacks.units import Units
from ppdp_lab.release import search as _regions
from ppdp_lab.release.search import Regions, Search, meeting_in_bins
from ppdp_lab.table import Boxes, Cells, value_masks

boxed = worlds(anatomized=False, max_persons=14)
bags = st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=1, max_size=6)


def cells_of(multisets: list[list[int]], n_values: int = 6) -> Cells:
    groups = np.array([i for i, bag in enumerate(multisets) for _ in bag], dtype=np.int32)
    codes = np.array([v for bag in multisets for v in bag], dtype=np.int32)
    return Cells.count(groups, codes, len(multisets), n_values)


def counters(lengths: np.ndarray, values: np.ndarray, counts: np.ndarray) -> list[Counter]:
    """One Counter a multiset; values must ascend within it."""
    found, at = [], 0
    for length in lengths:
        part = values[at : at + length]
        assert (np.diff(part) > 0).all()
        found.append(Counter(dict(zip(part.tolist(), counts[at : at + length].tolist()))))
        at += length
    assert at == len(values)
    return found


def lists(search: Search) -> list[list[int]]:
    pieces = list(search.chunks())
    assert [piece[0] for piece in pieces] == np.cumsum([0, *(len(piece[1]) - 1 for piece in pieces)])[:-1].tolist()
    return [groups[a:b].tolist() for _, offsets, groups in pieces for a, b in pairwise(offsets)]


@given(boxed, st.integers(1, 300), st.sampled_from([1, 3, 2**24]))
def test_points_meet_the_boxes_that_cover_them(world: World, bins: int, at_once: int) -> None:
    published = world.series[0]
    before = _regions._BINS, _regions._PAIRS_AT_ONCE
    try:
        _regions._BINS, _regions._PAIRS_AT_ONCE = bins, at_once
        points = Regions.of_points(world.table.qi_codes, world.table.qi_domains)
        search = Search(Regions.of_boxes(published.boxes), points)
        found = lists(search)
    finally:
        _regions._BINS, _regions._PAIRS_AT_ONCE = before
    assert found == [candidates(published, codes).tolist() for codes in world.table.qi_codes.T]
    masks = value_masks(published.row_group, published.row_sensitive[0], published.n_groups, 80)
    united = search.unite(masks)
    for row, groups in zip(united, found):
        assert (row == np.bitwise_or.reduce(masks[groups], axis=0, initial=0)).all()


@given(boxed, st.integers(1, 3), st.sampled_from([1, 3, 2**24]), st.data())
def test_points_meet_the_boxes_of_their_bins(world: World, n_bins: int, at_once: int, data: st.DataObject) -> None:
    published = world.series[0]
    bin_of = np.array([data.draw(st.integers(0, n_bins - 1)) for _ in range(published.n_groups)])
    listed = [data.draw(st.lists(st.integers(0, n_bins - 1), unique=True)) for _ in range(len(world.table))]
    starts = np.r_[0, np.cumsum([len(bins) for bins in listed])]
    bins = np.array([b for mine in listed for b in mine], dtype=np.int64)
    before = _regions._PAIRS_AT_ONCE
    try:
        _regions._PAIRS_AT_ONCE = at_once
        points = Regions.of_points(world.table.qi_codes, world.table.qi_domains)
        boxes = Regions.of_boxes(published.boxes)
        counts, found = meeting_in_bins(boxes, bin_of, n_bins, points, starts, bins)
    finally:
        _regions._PAIRS_AT_ONCE = before
    expected = [
        [g for b in mine for g in candidates(published, codes).tolist() if bin_of[g] == b]
        for mine, codes in zip(listed, world.table.qi_codes.T)
    ]
    assert counts.tolist() == [len(groups) for groups in expected]
    assert found.tolist() == [g for groups in expected for g in groups]


@given(boxed)
def test_boxes_meet_the_boxes_that_share_a_point(world: World) -> None:
    one, two = world.series[0].boxes, world.series[-1].boxes
    found = lists(Search(Regions.of_boxes(one), Regions.of_boxes(two)))

    def codes(boxes: Boxes, g: int) -> list[set[int]]:
        sets = []
        for column in boxes:
            size = len(column.domain)
            inside = column.take(np.full(size, g)).covers(np.arange(size))
            sets.append(set(np.flatnonzero(inside).tolist()))
        return sets

    for g2, groups in enumerate(found):
        expected = [
            g1 for g1 in range(len(one)) if all(a & b for a, b in zip(codes(one, g1), codes(two, g2), strict=True))
        ]
        assert groups == expected


@given(boxed)
def test_absent_is_met_by_absent_only(world: World) -> None:
    published = world.series[0]
    rows = np.r_[np.arange(published.n_groups), -1]
    codes = np.concatenate([world.table.qi_codes, np.full((len(world.table.qi_codes), 1), -1)], axis=1)
    search = Search(Regions.of_boxes(published.boxes, rows), Regions.of_points(codes, world.table.qi_domains))
    found = lists(search)
    assert found[-1] == [published.n_groups]
    assert found[:-1] == [candidates(published, person).tolist() for person in world.table.qi_codes.T]


@given(worlds(counterfeits=False))
def test_units_of_any_style_agree_with_plain_candidates(world: World) -> None:
    for number, (published, presence) in enumerate(zip(world.series, world.worst.without_groups().releases)):
        units = Units(published, presence, number)
        offsets, groups, matches = units.groups()
        for j, codes in enumerate(presence.qi.T):
            mine = slice(offsets[units.unit_of[j]], offsets[units.unit_of[j] + 1])
            if published.exact:
                same = (published.qi_rows == codes[:, None]).all(axis=0)
                expected = np.bincount(published.qi_group[same], minlength=published.n_groups)
                assert groups[mine].tolist() == np.flatnonzero(expected).tolist()
                assert matches[mine].tolist() == expected[groups[mine]].tolist()
            else:
                covered = [published.boxes.covers(np.array([g]), codes[:, None])[0] for g in range(published.n_groups)]
                assert groups[mine].tolist() == np.flatnonzero(covered).tolist()
                assert matches[mine].tolist() == published.sizes[groups[mine]].tolist()


@given(bags, st.data())
def test_pooled_histograms(multisets: list[list[int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.lists(st.integers(0, len(multisets) - 1), max_size=4), max_size=5))
    flat = np.array([g for groups in chosen for g in groups], dtype=np.int32)
    scale = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(flat), max_size=len(flat))), dtype=float)
    offsets = np.r_[0, np.cumsum([len(groups) for groups in chosen])].astype(np.int64)
    cells = cells_of(multisets)
    found = counters(*pool_histograms(offsets, flat, scale, cells.offsets, cells.values, cells.counts, 6))
    for unit, mine in enumerate(found):
        expected: Counter = Counter()
        for i in range(offsets[unit], offsets[unit + 1]):
            for value in multisets[flat[i]]:
                expected[value] += scale[i]
        assert mine == expected


@given(bags, st.data())
def test_common_counts(multisets: list[list[int]], data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(0, 5), st.integers(1, 4)))
    history = data.draw(hnp.arrays(np.int64, shape, elements=st.integers(-1, len(multisets) - 1)))
    cells = cells_of(multisets)
    found = counters(*common_counts(history, cells.offsets, cells.values, cells.counts, 6))
    for row, mine in zip(history, found, strict=True):
        parts = [Counter(multisets[u]) for u in row if u >= 0]
        expected = parts[0] if parts else Counter()
        for part in parts[1:]:
            expected &= part
        assert mine == expected


@given(bags, bags, st.data())
def test_multiset_difference(one: list[list[int]], two: list[list[int]], data: st.DataObject) -> None:
    overlap = [sorted(data.draw(st.sets(st.integers(0, len(two) - 1)))) for _ in one]
    offsets = np.r_[0, np.cumsum([len(groups) for groups in overlap])].astype(np.int64)
    seconds = np.array([g for groups in overlap for g in groups], dtype=np.int32)
    a, b = cells_of(one), cells_of(two)
    lengths, values, counts, within = multiset_difference(
        offsets, seconds, a.offsets, a.values, a.counts, b.offsets, b.values, b.counts, 6
    )
    found = iter(counters(lengths, values, counts))
    for e1, groups in enumerate(overlap):
        everything = sum((Counter(two[e2]) for e2 in groups), Counter())
        assert within[e1] == (not Counter(one[e1]) - everything)
        for e2 in groups:
            assert next(found) == (everything - Counter(one[e1])) & Counter(two[e2])


@given(bags, st.integers(1, 4), st.data())
def test_tracked_difference(two: list[list[int]], n_first: int, data: st.DataObject) -> None:
    came_from = [[data.draw(st.integers(-1, n_first - 1)) for _ in bag] for bag in two]
    rows = [sorted(zip(bag, where)) for bag, where in zip(two, came_from)]
    flat = [row for bag in rows for row in bag]
    overlap = [sorted(data.draw(st.sets(st.integers(0, len(two) - 1)))) for _ in range(n_first)]
    offsets = np.r_[0, np.cumsum([len(groups) for groups in overlap])].astype(np.int64)
    seconds = np.array([g for groups in overlap for g in groups], dtype=np.int32)
    lengths, values, counts = tracked_difference(
        offsets,
        seconds,
        np.r_[0, np.cumsum([len(bag) for bag in two])].astype(np.int64),
        np.array([value for value, _ in flat], dtype=np.int32),
        np.array([where for _, where in flat], dtype=np.int32),
        6,
    )
    found = iter(counters(lengths, values, counts))
    for e1, groups in enumerate(overlap):
        for e2 in groups:
            assert next(found) == Counter(value for value, where in rows[e2] if where != e1)
