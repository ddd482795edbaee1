"""Threads that outlive a search: the next one finds them started.

One crew of each size waits, asleep, for whoever comes next. A search has its crew for itself; a second one at the same time
gets another crew, which is let go afterwards. Before a process forks, idle crews end and are waited for, as threads do not
exist in a child; at the interpreter's end they end as well.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from ppdp_lab.anonymize.lattice.check.workers import Workers

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
