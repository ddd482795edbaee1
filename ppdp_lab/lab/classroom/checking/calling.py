"""Calling a function that somebody is still writing: it may raise, print, warn, change its arguments, or never end."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import io
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SECONDS = 2.0
"""A call on a table of a few rows that works longer is taken to be endless."""
PATIENCE = 5
"""How many times as long a call may take that does not work but waits, or shares a busy machine with others."""

STEPS = 100
"""Steps of Python within which an exception that another thread has asked for is there, if it has not been before."""


class TooLong(BaseException):
    """Raised inside a call that takes too long; no ``except Exception`` of the called function catches it."""


@dataclass(frozen=True)
class Returned:
    """What a call gave back."""

    value: Any


@dataclass(frozen=True)
class Raised:
    """What a call ended in instead; None if it was stopped."""

    error: BaseException | None


def call(
    function: Callable[..., Any], arguments: Sequence[Any], *, seconds: float = SECONDS, mute: bool = True
) -> Returned | Raised:
    """Call a function with copies of the arguments; what it prints or warns of is swallowed.

    Muting is not mere tidiness: nbgrader takes points off a cell in which anything is written to stderr, a warning of
    pandas included.

    >>> call(lambda rows: sum(rows) / len(rows), [[1, 2]])
    Returned(value=1.5)
    >>> call(lambda rows: sum(rows) / len(rows), [[]])
    Raised(error=ZeroDivisionError('division by zero'))
    """
    copies = copy.deepcopy(list(arguments))
    with contextlib.ExitStack() as stack:
        if mute:
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        try:
            with at_most(seconds):
                return Returned(function(*copies))
        except TooLong:
            return Raised(None)
        except (Exception, SystemExit) as error:
            return Raised(error)


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise :class:`TooLong` in the block once it has worked for so long, or waited for :data:`PATIENCE` times as long.

    A second thread asks the interpreter to raise it in this one. That needs neither signals, which Windows does not have
    and which work on the main thread only, nor tracing, which slows every line down; it is what a notebook's kernel
    allows on all systems. It takes effect between two steps of Python: one long call of compiled code runs to its end,
    and there the time limit of the cell, set in the course's configuration, is the last resort.
    """
    me, lock, over, asked = threading.get_ident(), threading.Lock(), threading.Event(), threading.Event()
    began, worked = time.monotonic(), time.process_time()

    def watch() -> None:
        while not over.wait(min(seconds / 5, 0.1)):
            # Work is counted, not time: a class that submits at midnight must not be called endless.
            if time.process_time() - worked > seconds or time.monotonic() - began > PATIENCE * seconds:
                with lock:
                    if not over.is_set():
                        asked.set()
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(me), ctypes.py_object(TooLong))
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()
        # Asked for just as the block ended: waited for here, before it hits somebody else. To take it back would leave Python
        # 3.11 looking for it for ever, and hanging in the first call that a debugger traces.
        if asked.is_set():
            with contextlib.suppress(TooLong):
                for _ in range(STEPS):
                    pass
