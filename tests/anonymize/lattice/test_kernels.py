"""Each compiled kernel against a plain twin."""

from __future__ import annotations

from collections import Counter as Tally
from itertools import product

import numpy as np
import pytest

from ppdp_lab.anonymize.lattice import _check, _lattice, _packing, workers
from ppdp_lab.anonymize.lattice import _check as _history
from ppdp_lab.anonymize.lattice.checker import Counted, Counter, Wanted
from ppdp_lab.anonymize.lattice.packing import PackedTable
from ppdp_lab.anonymize.lattice.workers import Workers

SHIFTS = (np.uint64(5), np.uint64(2), np.uint64(0))
MASKS = (np.uint64(7), np.uint64(7), np.uint64(3))


def some_rows(seed: int, rows: int = 300):
    """Rows of fields of 3, 3 and 2 bits, weights, and for each field a table that merges its values."""
    chance = np.random.default_rng(seed)
    words = chance.integers(0, 256, rows).astype(np.uint64)
    weights = chance.integers(1, 5, rows).astype(np.uint32)
    numbers, firsts = [], []
    for mask in MASKS:
        raw = chance.integers(0, 3, int(mask) + 1)
        first, number = np.unique(raw, return_index=True, return_inverse=True)[1:]
        numbers.append(number.astype(np.uint16))
        firsts.append(first.astype(np.uint16))
    return words, weights, tuple(numbers), tuple(firsts)


@pytest.fixture
def crew():
    """So many threads, which are let go after the test."""
    made = []

    def make(threads: int) -> Workers:
        made.append(Workers(threads))
        return made[-1]

    yield make
    for each in made:
        each.close()


def plain_counts(words, weights, numbers) -> Tally:
    counts: Tally = Tally()
    for i, word in enumerate(words.tolist()):
        key = tuple(int(t[(word >> int(s)) & int(m)]) for t, s, m in zip(numbers, SHIFTS, MASKS))
        counts[key] += 1 if weights is None else int(weights[i])
    return counts


def plain_summary(counts: list[int], k: int) -> tuple[int, int, int]:
    filled = [count for count in counts if count]
    return len(filled), min(filled), sum(count for count in filled if count < k)


def class_of(word: int, numbers) -> tuple[int, ...]:
    return tuple(int(t[(word >> int(s)) & int(m)]) for t, s, m in zip(numbers, SHIFTS, MASKS))


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_direct(seed, weighted):
    words, weights, numbers, firsts = some_rows(seed)
    weights = weights if weighted else None
    expected = plain_counts(words, weights, numbers)
    radices = tuple(np.uint64(len(first)) for first in firsts)
    counts = np.full(int(np.prod([len(first) for first in firsts])), 7, dtype=np.uint32)
    for k, limit, keep in [(20, 0, 1000), (20, 10**6, 1000), (1, 0, 1000), (20, 0, 2), (0, -1, 1000)]:
        classes, least, unsafe, rows, sizes = _check.check_direct(
            words, weights, numbers, firsts, SHIFTS, MASKS, radices, counts, k, limit, keep
        )
        assert (classes, least, unsafe) == plain_summary(list(expected.values()), k)
        if classes <= keep and unsafe > limit:
            assert {class_of(row, numbers): size for row, size in zip(rows.tolist(), sizes.tolist())} == expected
            assert [class_of(row, numbers) for row in rows.tolist()] == sorted(expected)
        else:
            assert len(rows) == len(sizes) == 0


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_hashed(seed, weighted):
    words, weights, numbers, firsts = some_rows(seed)
    weights = weights if weighted else None
    expected = plain_counts(words, weights, numbers)
    stand_ins = tuple(first[number] for first, number in zip(firsts, numbers))
    slots, counts = np.empty(64, dtype=np.uint64), np.full(64, 9, dtype=np.uint32)
    arguments = (words, weights, stand_ins, SHIFTS, MASKS, slots, counts, np.uint64(58), 20, -1, 1000)
    stopped = _check.check_hashed(*arguments, 3)
    assert stopped[:3] == (4, 0, 0) and len(stopped[3]) == len(stopped[4]) == 0 < 4 < len(expected)
    classes, least, unsafe, rows, sizes = _check.check_hashed(*arguments, 30)
    assert (classes, least, unsafe) == plain_summary(list(expected.values()), 20)
    assert {class_of(row, numbers): size for row, size in zip(rows.tolist(), sizes.tolist())} == expected


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_merged_tables_of_threads(threads):
    chance = np.random.default_rng(threads)
    size = 64
    slots, counts = np.zeros((threads, size), dtype=np.uint64), np.zeros((threads, size), dtype=np.uint32)
    expected: Tally = Tally()
    for t in range(threads):
        for key in chance.integers(0, 40, 60).tolist():  # tables so full that displaced keys cross every border
            _check.add_hashed(np.uint64(key), np.uint32(1), slots[t], counts[t], np.uint64(58), _check.GOLDEN)
            expected[key] += 1
    merged: Tally = Tally()
    board = Workers(threads).board
    for part in range(threads):
        table, sums = np.empty(size, dtype=np.uint64), np.full(size, 3, dtype=np.uint32)
        here = _check.merge_hashed(board, part, slots, counts, table, sums, np.uint64(58), 60)
        found = dict(zip(table[sums > 0].tolist(), sums[sums > 0].tolist()))
        assert here == len(found) and not set(found) & set(merged)
        merged.update(found)
    assert merged == expected
    assert _check.merge_hashed(board, 0, slots, counts, table, sums, np.uint64(58), 1) == 2


def test_summary_of_counts_over_31_bits():
    assert _check.summarize(np.array([0, 2**32 - 1, 5], dtype=np.uint32), 6) == (2, 5, 5)


@pytest.mark.parametrize("way", ["direct", "hashed"])
@pytest.mark.parametrize("weighted", [True, False])
def test_threads_count_alike(way, weighted, make_table, every_path_taken, crew):
    every_path_taken(way)
    packed = PackedTable(make_table(0, rows=500, heights=(2, 2, 2)))
    weights = np.random.default_rng(0).integers(1, 9, 500).astype(np.uint32) if weighted else None
    source = Counted(packed.words, weights)
    for node, (k, limit, keep, most) in product(
        [(0, 0, 0), (1, 0, 2), (1, 1, 1), (2, 2, 2)],
        [(5, 0, 400, 500), (5, 3, 10, 500), (0, -1, 500, 500), (5, 0, 400, 9)],
    ):
        lookups = packed.lookups(node)
        one, *others = (
            Counter(packed, crew(t)).count(source, lookups, Wanted(k, limit, keep, most)) for t in (1, 2, 3, 7)
        )
        for other in others:
            if way == "hashed" and one.classes > most:
                assert other.classes > most and other.smallest == 0 and other.unsafe > limit and len(other.rows) == 0
                continue
            assert one[:3] == other[:3]
            assert sorted(zip(one.rows, one.weights)) == sorted(zip(other.rows, other.weights))


def test_merging_stops_with_too_many_classes(make_table, every_path_taken, crew):
    """Two slices without a common class, each within the limit: only their union has too many classes."""
    every_path_taken("hashed")
    packed = PackedTable(make_table(0, rows=500, heights=(2, 2, 2)))
    rows = np.unique(packed.words)
    rows = rows[: len(rows) // 2 * 2]
    counts = {}
    for most in (len(rows), len(rows) // 2):
        wanted = Wanted(5, 0, 10**6, most)
        counts[most] = Counter(packed, crew(2)).count(Counted(rows, None), packed.lookups((0, 0, 0)), wanted)
    whole, stopped = counts.values()
    assert whole.classes == len(whole.rows) == whole.unsafe == len(rows) and whole.smallest == 1
    assert stopped.classes > len(rows) // 2 and stopped.unsafe > 0 == stopped.smallest == len(stopped.rows)


def test_small_inputs_are_not_split(make_table, monkeypatch, crew):
    monkeypatch.setattr(Workers, "each", lambda *_: pytest.fail("40 rows were divided among threads"))
    packed = PackedTable(make_table(0), workers=crew(4))
    assert len(packed.words) < 2 * workers.ROWS_PER_THREAD
    Counter(packed, crew(4)).count(Counted(packed.words, None), packed.lookups((0, 0, 0)), Wanted(2, 0, 0, 40))


# ---------------------------------------------------------------------- packing
def test_packing_kernels():
    chance = np.random.default_rng(0)
    codes, rank = chance.integers(0, 8, 50).astype(np.int32), chance.permutation(9).astype(np.uint32)
    records = np.zeros(9, dtype=np.uint32)
    _packing.tally(codes, records)
    assert records.tolist() == np.bincount(codes, minlength=9).tolist()
    present = np.zeros(9, dtype=np.uint8)
    _packing.mark_present(codes, present)
    assert present.tolist() == (records > 0).tolist()
    found = np.full(50, 77, dtype=np.uint64)
    _packing.look_up(found, codes, rank)
    assert found.tolist() == [int(rank[c]) for c in codes]
    keys = chance.integers(0, 100, 50).astype(np.uint32)
    longer = keys.copy()
    _packing.append_column(longer, codes, rank, 9)
    assert longer.tolist() == [k * 9 + int(rank[c]) for k, c in zip(keys.tolist(), codes)]
    words = chance.integers(0, 2**50, 50).astype(np.uint64)
    longer = words.copy()
    _packing.append_field(longer, codes, rank, 4)
    assert longer.tolist() == [w * 16 + int(rank[c]) for w, c in zip(words.tolist(), codes)]


def test_number_nodes(make_table):
    for domain in make_table(0, heights=(1, 2, 3, 4), leaves=9).qi_domains:
        ancestors = domain.hierarchy.ancestors
        leaves = np.array([0, 2, 3, 7])
        numbers = np.empty((len(ancestors), 4), dtype=np.int32)
        _packing.number_nodes(ancestors, leaves, numbers)
        for row, found in zip(ancestors[:, leaves].tolist(), numbers.tolist()):
            assert found == [list(dict.fromkeys(row)).index(node) for node in row]


@pytest.mark.parametrize("seed", range(5))
def test_number_combinations(seed):
    chance = np.random.default_rng(seed)
    ids = chance.integers(0, 4, (5, 30)).astype(np.int32)
    rows, sizes = np.array([3, 0, 4]), np.array([4, 4, 4])
    number, first = np.empty(30, dtype=np.uint32), np.empty(30, dtype=np.uint32)
    records = chance.integers(1, 9, 30).astype(np.uint32)
    scratch = np.empty(64, dtype=np.int32), np.empty(30, dtype=np.int32)
    count, unsafe = _packing.number_combinations(ids, rows, sizes, *scratch, number, first, records, 8)
    columns = [tuple(column) for column in ids[rows].T.tolist()]
    distinct = sorted(set(columns))
    assert count == len(distinct)
    assert [distinct[n] for n in number] == columns
    assert first[:count].tolist() == [columns.index(combination) for combination in distinct]
    assert unsafe == _packing.records_in_small_classes(number, count, records, 8)


def test_records_in_small_classes():
    chance = np.random.default_rng(0)
    number, records = chance.integers(0, 6, 40).astype(np.uint16), chance.integers(1, 4, 40).astype(np.uint32)
    sizes = [int(records[number == c].sum()) for c in range(6)]
    for k in range(0, 30, 3):
        expected = sum(size for size in sizes if size < k)
        assert _packing.records_in_small_classes(number, 6, records, k) == expected


# ---------------------------------------------------------------------- the lattice
def test_greedy_path():
    chance = np.random.default_rng(0)
    shape = (3, 4, 2)
    costs = np.sort(chance.integers(0, 50, (3, 4)), axis=1)
    for _ in range(30):
        state = (chance.random(shape) < 0.3).astype(np.int8)
        node = tuple(int(chance.integers(size)) for size in shape)
        path = [node]
        while True:
            steps = [tuple(level + (i == j) for j, level in enumerate(path[-1])) for i in range(3)]
            free = [i for i, s in enumerate(steps) if all(x < n for x, n in zip(s, shape)) and state[s] == 0]
            if not free:
                break
            path.append(steps[min(free, key=lambda i: costs[i, path[-1][i] + 1] - costs[i, path[-1][i]])])
        top = np.array(shape) - 1
        found = _lattice.greedy_path(state.reshape(-1), np.array([8, 2, 1]), top, costs, np.array(node))
        assert [tuple(row) for row in found.tolist()] == path


def test_nearest_below():
    chance = np.random.default_rng(0)
    levels = chance.integers(0, 4, (20, 3))
    levels[0] = 0
    sizes = chance.integers(1, 100, 20)
    for node in product(range(4), repeat=3):
        below = [i for i in range(15) if (levels[i] <= node).all()]
        assert sizes[_history.nearest_below(levels, sizes, 15, np.array(node))] == min(sizes[below])
