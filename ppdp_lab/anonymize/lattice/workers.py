"""Threads that share one task."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock, Thread
from typing import Any, NamedTuple

import numpy as np

from ppdp_lab.anonymize.lattice._board import (
    APART,
    EACH,
    ITSELF,
    LEADER,
    PEOPLE,
    ROUND,
    TAKEN,
    claim,
    gather,
    listen,
    ring,
)

# Why not concurrent.futures: on two cores, with every check divided between two threads (FARS stand-in, 100,937 rows, k = 5,
# 2 % suppression), a search took 567 to 619 ms with this crew and 830 to 1,215 ms with a ThreadPoolExecutor that did the same
# split; best of 15 runs in each of three processes. One thread alone took 313 to 323 ms: checks of this table are too short to
# be divided always.
ROWS_PER_THREAD = 20_000  # with fewer, calling another thread costs more than it saves
# Starting a thread costs a fifth of a millisecond: worth it for many rows at once, or once there have been many.
START_AT, START_AFTER = 400_000, 2_000_000
NAME = "ppdp_lab lattice check"  # of a thread
# Cores that this process may use, which may be fewer than the machine has; where many processes work side by side, whoever
# started them says by numba's own variable how many threads each may have.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
if os.environ.get("NUMBA_NUM_THREADS", "").isdigit():
    CORES = max(1, min(CORES, int(os.environ["NUMBA_NUM_THREADS"])))


class _Order(NamedTuple):
    """What is to be done in a round, by how many threads, and what came of it; no task lets the threads go."""

    round: int
    task: Callable[[int], Any] | None
    threads: int
    results: list[Any]
    errors: list[BaseException]


def _nothing(number: int) -> None:
    """The task of threads that rest."""


class Workers:
    """The calling thread and some others, which are started when first needed and then wait for tasks.

    A check takes well under a millisecond, and waking a thread would be a noticeable part of that. So the others wait for
    the next round in compiled code, and sleep only if there is none for about a millisecond. The calling thread's part of
    a task should :func:`~ppdp_lab.anonymize.lattice._board.ring` as soon as it has let go of the interpreter's lock; if it
    does not, others that are awake begin after it. Only one thread may call at a time: a search borrows a crew from
    :mod:`ppdp_lab.anonymize.lattice.workers` and has it for itself.

    Parameters
    ----------
    threads : int
        How many threads there are at most, with the calling one.

    Attributes
    ----------
    board : numpy.ndarray
        For compiled tasks: where threads see each other's signals.

    Examples
    --------
    >>> workers = Workers(3)
    >>> workers.each(lambda t: 10 * t, 2), workers.each(lambda t: -t, 3)
    ([0, 10], [0, -1, -2])
    >>> workers.close()
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.board = np.zeros(APART + EACH * threads, dtype=np.int64)
        self._taken = self.board[TAKEN::EACH]
        self._order = _Order(0, None, 0, [], [])
        self._news = Condition()
        self._others: list[Thread] = []
        self._seen = 0

    def _work(self, number: int) -> None:
        heard = 0
        while True:
            if not listen(self.board, number, heard):
                with self._news:
                    while self._order.round == heard:
                        self._news.wait()
            order = self._order
            heard = order.round
            if order.task is None:
                return
            if number < order.threads and claim(self.board, number, heard, ITSELF):
                try:
                    order.results[number] = order.task(number)
                except BaseException as error:
                    order.errors.append(error)
            del order

    def enough_for(self, rows: int) -> int:
        """How many threads should share so many rows for it to pay.

        Threads without a core of their own would only be in the way, and for a search that soon ends none are started.
        """
        if self.threads == 1 or rows < 2 * ROWS_PER_THREAD:
            return 1
        threads = min(self.threads, CORES, rows // ROWS_PER_THREAD)
        running = 1 + len(self._others)
        if threads > running:
            self._seen += rows
            if rows < START_AT and self._seen < START_AFTER:
                return running
        return threads

    def each(self, task: Callable[[int], Any], threads: int) -> list[Any]:
        """Do a task for 0, 1, ..., threads - 1, each number in its own thread.

        The calling thread takes 0, and the number of any thread that has not begun when it is done with that.
        """
        if threads == 1:
            return [task(0)]
        order = self._announce(task, threads)
        try:
            while len(self._others) < threads - 1:
                thread = Thread(target=self._work, args=(1 + len(self._others),), daemon=True, name=NAME)
                thread.start()
                self._others.append(thread)
            order.results[0] = task(0)
            for late in range(1, threads):
                if claim(self.board, late, order.round, LEADER):
                    order.results[late] = task(late)
        finally:
            gather(self.board)
        if order.errors:
            raise order.errors[0]
        return order.results

    def each_slice(self, task: Callable[[slice], Any], rows: int) -> list[Any]:
        """Do a task that takes a millisecond or more on as many slices of some rows as there are threads for them."""
        threads = self.enough_for(rows)
        if threads == 1:
            return [task(slice(0, rows))]

        def part(t: int) -> Any:
            if t == 0:
                ring(self.board)
            return task(slice(t * rows // threads, (t + 1) * rows // threads))

        return self.each(part, threads)

    def rest(self) -> None:
        """Forget the last task, and with it the rows that it held on to; the threads stay, and sleep."""
        with self._news:
            # The same round: nobody is woken up, and who wakes late finds nothing to do.
            self._order = _Order(self._order.round, _nothing, 0, [], [])

    def close(self, patience: float = 0.0) -> None:
        """Let the threads go, and wait for each of them so many seconds at most."""
        self._announce(None, 0)
        for thread in self._others if patience else ():
            thread.join(patience)

    def _announce(self, task: Callable[[int], Any] | None, threads: int) -> _Order:
        with self._news:
            order = _Order(self._order.round + 1, task, threads, [None] * threads, [])
            self.board[ROUND], self.board[PEOPLE] = order.round, threads
            self._taken[:] = 0
            self._order = order  # last: a thread that was left out may be reading it just now
            self._news.notify_all()
        return order


# --------------------------------------------------------------------
# Threads that outlive a search: the next one finds them started.
#
# One crew of each size waits, asleep, for whoever comes next. A search has its crew for itself; a second one at the same time
# gets another crew, which is let go afterwards. Before a process forks, idle crews end and are waited for, as threads do not
# exist in a child; at the interpreter's end they end as well.


PATIENCE = 1.0  # seconds to wait for a thread's end: it needs a millisecond, unless the machine is very busy

_lock = Lock()
_idle: dict[int, Workers] = {}


@contextmanager
def borrowed(threads: int) -> Iterator[Workers]:
    """A crew of so many threads, the calling one included, for the caller alone.

    >>> with borrowed(2) as crew:
    ...     crew.each(lambda t: 10 * t, 2)
    [0, 10]
    >>> with borrowed(2) as again:
    ...     again is crew
    True
    """
    if threads == 1:
        yield Workers(1)
        return
    with _lock:
        crew = _idle.pop(threads, None)
    if crew is None:
        crew = Workers(threads)
    try:
        yield crew
    except BaseException:
        # It may have been interrupted between announcing a task and doing it, so that some thread does it later.
        crew.close()
        raise
    crew.rest()
    with _lock:
        kept = _idle.setdefault(threads, crew)
    if kept is not crew:
        crew.close()


def release() -> None:
    """Let all idle threads go, and wait until they are gone."""
    with _lock:
        crews = list(_idle.values())
        _idle.clear()
    for crew in crews:
        crew.close(PATIENCE)


def _begin_anew() -> None:
    """In a child process: what the parent's threads held is theirs."""
    global _lock
    _lock = Lock()
    _idle.clear()


atexit.register(release)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=release, after_in_child=_begin_anew)
