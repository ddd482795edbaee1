"""Threads that share tasks: nothing is done twice, nothing is left out, nobody waits for ever."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from ppdp_lab.anonymize.lattice import _board, _check
from ppdp_lab.anonymize.lattice import workers as crew
from ppdp_lab.anonymize.lattice.packing import PackedTable
from ppdp_lab.anonymize.lattice.workers import Workers


@pytest.fixture
def workers():
    made = Workers(5)
    yield made
    made.close()


def test_an_error_in_a_thread_is_not_lost(workers):
    for bad in range(3):
        with pytest.raises(ZeroDivisionError):
            workers.each(lambda t: 1 // (t - bad), 3)  # noqa: B023
    assert workers.each(lambda t: t, 3) == [0, 1, 2]


def test_rounds_of_changing_size(workers):
    """Every part is done once, by its own thread or else by the caller; threads left out of a round stay out of it."""
    chance = np.random.default_rng(0)
    by: dict[int, set[int]] = {}
    for number in range(600):
        threads, calls = int(chance.integers(1, 6)), []

        def task(t, calls=calls, number=number):
            calls.append(t)
            return number, t, threading.get_ident()

        here = workers.each(task, threads)
        assert [result[:2] for result in here] == [(number, t) for t in range(threads)]
        assert sorted(calls) == list(range(threads))
        for _, t, who in here:
            by.setdefault(t, set()).add(who)
    me = threading.get_ident()
    assert by[0] == {me} and all(len(who - {me}) <= 1 for who in by.values())


def test_threads_do_run_side_by_side(workers):
    """Three parts that wait for each other can only end if each one has a thread of its own."""
    meeting = threading.Barrier(3)

    def task(t):
        if t == 0:
            _board.ring(workers.board)
        meeting.wait(timeout=60)
        return threading.get_ident()

    for _ in range(5):
        assert len(set(workers.each(task, 3))) == 3


@pytest.mark.parametrize("pause", [0.0, 0.02])
@pytest.mark.parametrize("rings", [True, False])
def test_threads_asleep_or_awake(workers, pause, rings):
    """After a pause the others sleep; without a bell those awake begin when the caller is done. All come in the end."""

    def task(t: int) -> int:
        if rings and t == 0:
            _board.ring(workers.board)
        return t * t

    for _ in range(8):
        assert workers.each(task, 4) == [0, 1, 4, 9]
        time.sleep(pause)


def test_threads_end():
    before = set(threading.enumerate())
    workers = Workers(4)
    workers.each(lambda t: t, 4)
    ours = set(threading.enumerate()) - before
    assert len(ours) == 3
    workers.close()
    for thread in ours:
        thread.join(30)
    assert not any(thread.is_alive() for thread in ours)


def test_nobody_is_started_for_one():
    before = set(threading.enumerate())
    workers = Workers(8)
    assert workers.each(lambda t: t + 1, 1) == [1]
    assert set(threading.enumerate()) <= before
    workers.close()


def test_as_many_threads_as_rows_and_cores_allow(workers, monkeypatch):
    monkeypatch.setattr(crew, "ROWS_PER_THREAD", 100)
    monkeypatch.setattr(crew, "CORES", 4)
    monkeypatch.setattr(crew, "START_AT", 0)
    assert [workers.enough_for(rows) for rows in (0, 199, 200, 399, 10**6)] == [1, 1, 2, 3, 4]
    assert Workers(2).enough_for(10**6) == 2


def test_threads_are_started_when_it_is_worth_it(workers, monkeypatch):
    monkeypatch.setattr(crew, "ROWS_PER_THREAD", 100)
    monkeypatch.setattr(crew, "CORES", 4)
    monkeypatch.setattr(crew, "START_AT", 1000)
    monkeypatch.setattr(crew, "START_AFTER", 1500)
    assert [Workers(2).enough_for(rows) for rows in (999, 1000)] == [1, 2]  # many rows at once
    assert [workers.enough_for(rows) for rows in (600, 150, 600, 300)] == [1, 1, 1, 3]  # or many by and by
    workers.each(lambda t: t, 3)
    assert [workers.enough_for(rows) for rows in (150, 200, 300)] == [1, 2, 3]  # these are there already


@pytest.mark.parametrize("people", [1, 2, 3, 7])
@pytest.mark.parametrize("n", [0, 1, 6, _board.PIECE, 5 * _board.PIECE + 3, 20 * _board.PIECE])
def test_every_row_is_in_one_piece(people, n):
    chance = np.random.default_rng(n)
    board = np.zeros(_board.APART + _board.EACH * people, dtype=np.int64)
    board[_board.PEOPLE] = people
    size = -(-n // people)
    rows: list[int] = []
    own: list[list[bool]] = [[] for _ in range(people)]
    idle: set[int] = set()
    while len(idle) < people:
        me = int(chance.integers(people))
        begin, end = _board.next_piece(board, me, n)
        assert end - begin <= _board.PIECE
        if begin == end:
            idle.add(me)
            continue
        assert me not in idle
        rows += range(begin, end)
        own[me].append(begin // size == me)
    assert sorted(rows) == list(range(n))
    assert all(mine == sorted(mine, reverse=True) for mine in own)  # first one's own slice, then the others'


def test_listening_ends():
    board = np.zeros(_board.APART + 2 * _board.EACH, dtype=np.int64)
    assert not _board.listen(board, 1, 3)
    assert board[_board.LISTENS + _board.EACH] == board[_board.COUNTED + _board.EACH] == 3
    board[_board.RUNG] = 4
    assert _board.listen(board, 1, 3) and not _board.listen(board, 1, 4)


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_slices_of_many_pieces_are_counted_once(workers, threads):
    """Round after round, with rows for several pieces each: what one takes of another's slice is not counted twice."""
    chance = np.random.default_rng(threads)
    rows = chance.integers(0, 50, 12 * _board.PIECE + 5).astype(np.uint64)
    same, by = (np.arange(50, dtype=np.uint16),), ((np.uint64(0),), (np.uint64(63),))
    board = workers.board
    for n in (len(rows), 3 * _board.PIECE, 7, len(rows)):
        expected = np.bincount(rows[:n].astype(np.int64), minlength=50)
        counts = np.empty((threads, 128), dtype=np.uint32)
        direct = (rows[:n], None, same, same, *by, (np.uint64(50),), counts, 50, 5, -1, 100)
        first = workers.each(lambda t, direct=direct: _check.share_direct(board, t, *direct), threads)[0]
        assert first[0] == np.count_nonzero(expected)
        assert dict(zip(first[3].tolist(), first[4].tolist())) == {v: c for v, c in enumerate(expected.tolist()) if c}

        hashed, slots = (rows[:n], None, same, *by), np.empty((threads, 128), dtype=np.uint64)

        def count(t, hashed=hashed, slots=slots, counts=counts):
            return _check.share_hashed(board, t, *hashed, slots[t], counts[t], np.uint64(57), 60)

        assert sum(workers.each(count, threads)) == np.count_nonzero(counts)
        found = np.zeros(50, dtype=np.int64)
        np.add.at(found, slots[counts > 0].astype(np.int64), counts[counts > 0])
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("other", ["fails", "comes late"])
def test_the_leader_does_not_wait_for_nothing(workers, other):
    """Thread 0 counts all rows alone if the other one has begun and failed, or has not begun."""
    counts, same = np.empty((2, 64), dtype=np.uint32), (np.zeros(4, dtype=np.uint16),)
    arguments = (np.zeros(9, dtype=np.uint64), None, same, same, (np.uint64(0),), (np.uint64(3),), (np.uint64(1),))

    for _ in range(3):
        begun = threading.Event()

        def task(t, begun=begun):
            if t == 1:
                begun.set()
                raise MemoryError("no room")
            if other == "fails":
                _board.ring(workers.board)
                assert begun.wait(60)
            else:  # as if the other one had been kept waiting by a busy machine
                assert _board.claim(workers.board, 1, int(workers.board[_board.ROUND]), _board.LEADER)
            return _check.share_direct(workers.board, t, *arguments, counts, 1, 5, -1, 100)

        if other == "fails":
            with pytest.raises(MemoryError, match="no room"):
                workers.each(task, 2)
        else:
            check, nothing = workers.each(task, 2)
            assert check[:3] == (1, 9, 0) and nothing is None and not begun.is_set()


def test_a_part_is_claimed_once():
    board = np.zeros(_board.APART + 3 * _board.EACH, dtype=np.int64)
    assert _board.claim(board, 1, 4, _board.ITSELF) and not _board.claim(board, 1, 4, _board.LEADER)
    assert _board.claim(board, 2, 4, _board.LEADER) and not _board.claim(board, 2, 4, _board.ITSELF)
    assert not _board.claim(board, 1, 3, _board.ITSELF)  # too late for a round that is over
    assert _board.claim(board, 1, 6, _board.LEADER)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_pack_alike(threads, make_table, every_path_taken):
    every_path_taken("direct")
    table = make_table(0, rows=500, heights=(2, 2, 2))
    workers = Workers(threads)
    alone, shared = PackedTable(table, sensitive=True), PackedTable(table, sensitive=True, workers=workers)
    workers.close()
    assert alone.words.tolist() == shared.words.tolist()
    for a, b in zip(alone.fields, shared.fields):
        assert a.members == b.members and a.records.tolist() == b.records.tolist()
