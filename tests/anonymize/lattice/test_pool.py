"""Threads that outlive a search: one search after the other, two at once, asleep, in a forked process, and at the end."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ppdp_lab.anonymize.lattice import Flash, Speedy, workers
from ppdp_lab.anonymize.lattice.workers import NAME
from ppdp_lab.principles import KAnonymity


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == NAME]


@pytest.fixture(autouse=True)
def from_nothing():
    workers.release()
    assert not workers._idle
    yield
    workers.release()


def test_the_next_search_finds_the_threads_of_the_last(make_table):
    table = make_table(0, rows=50)
    before = set(ours())
    seen = []
    for k in (2, 3, 4):
        assert Speedy(KAnonymity(k), threads=3, divide="always", rollup=False).search(table).divided
        seen.append(set(ours()) - before)
    assert seen[0] == seen[1] == seen[2] and len(seen[0]) == 2
    Speedy(KAnonymity(2), threads=2, divide="always", rollup=False).search(table)
    assert len(set(ours()) - before) == 3  # a crew of its own size
    workers.release()
    for thread in set(ours()) - before:
        thread.join(30)  # on a busy machine they take a moment to end
    assert set(ours()) <= before


def test_a_search_with_one_thread_leaves_nothing(make_table):
    before = set(ours())
    Flash(KAnonymity(2)).search(make_table(0))
    assert not workers._idle and set(ours()) <= before


def test_idle_threads_sleep():
    with workers.borrowed(3) as crew:
        crew.each(lambda t: t, 3)
    deadline = time.monotonic() + 60
    while len(crew._news._waiters) < 2:  # both wait for news, which takes no processor time
        assert time.monotonic() < deadline
        time.sleep(0.005)
    with workers.borrowed(3) as again:
        assert again is crew and again.each(lambda t: t, 3) == [0, 1, 2]


def test_an_idle_crew_holds_on_to_no_rows():
    class Rows(np.ndarray):
        """An array that a weak reference may point to."""

    with workers.borrowed(2) as crew:
        rows = np.zeros(10).view(Rows)
        crew.each(lambda t, rows=rows: rows[t], 2)
        gone = weakref.ref(rows)
        del rows
    deadline = time.monotonic() + 60
    while gone() is not None:  # the other thread may be leaving the task just now
        assert time.monotonic() < deadline
        gc.collect()
        time.sleep(0.005)


def test_two_searches_at_once_are_both_right(make_table):
    tables = [make_table(seed, rows=70, heights=(2, 3, 2)) for seed in range(4)]
    expected = [Flash(KAnonymity(3), rollup=False).search(table).solutions for table in tables]
    together = threading.Barrier(2)

    def many(first: int) -> list[bool]:
        together.wait(60)
        search = Speedy(KAnonymity(3), threads=2, divide="always", rollup=False)
        return [search.search(tables[i % 4]).solutions == expected[i % 4] for i in range(first, first + 60)]

    with ThreadPoolExecutor(2) as users:
        assert all(map(all, users.map(many, (0, 1))))
    assert list(workers._idle) == [2]


def test_a_crew_is_lent_once_at_a_time():
    with workers.borrowed(2) as one, workers.borrowed(2) as other:
        assert one is not other
        one.each(lambda t: t, 2)
        other.each(lambda t: t, 2)
    assert workers._idle[2] is other  # given back first; of each size one crew is enough
    deadline = time.monotonic() + 60
    while any(thread.is_alive() for thread in one._others):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_crew_that_was_interrupted_is_not_lent_again():
    with pytest.raises(KeyboardInterrupt), workers.borrowed(2) as crew:
        crew.each(lambda t: t, 2)
        raise KeyboardInterrupt
    assert not workers._idle
    with workers.borrowed(2) as another:
        assert another is not crew


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_its_own_threads(make_table):
    """In a process of its own: pytest's has threads that a fork would not carry along."""
    code = """
import os, sys, warnings
warnings.simplefilter("error")  # Python warns of a fork while threads run
import ppdp_lab as pl
search = pl.Speedy(pl.KAnonymity(2), threads=3, divide="always", rollup=False)
table = pl.datasets.examples.speedy.table_16()
expected = search.search(table).solutions
child = os.fork()
found = search.search(table)
right = found.solutions == expected and found.divided == found.checks > 0
if child == 0:
    os._exit(0 if right else 1)
ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(right, ended)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.split() == ["True", "0"], done.stderr


def test_the_interpreter_ends_with_threads_asleep_or_awake():
    code = """
import sys, time, ppdp_lab as pl
search = pl.Speedy(pl.KAnonymity(2), threads=3, divide="always", rollup=False)
search.search(pl.datasets.examples.speedy.table_16())
time.sleep(float(sys.argv[1]))
"""
    for pause in ("0", "0.2"):
        done = subprocess.run([sys.executable, "-c", code, pause], capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")
