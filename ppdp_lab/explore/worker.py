"""One thread that does the latest of what was asked for, and tells how far it is.

A slider asks more often than anybody can answer. What was asked for while an answer was made is left out but for the last
one; an answer that takes longer than :data:`PATIENCE` is given up for a newer question, and can be stopped by hand.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from ppdp_lab.explore.base import Stopped, Work

PATIENCE = 0.5  # seconds


class Worker:
    """Answers the latest question.

    Parameters
    ----------
    answer : callable
        Called with a state and a :class:`Work`; what it returns is handed to ``done``.
    done : callable
        Called with the answer, or with the error that came in its place.
    told : callable
        Called with a share and what is being done, and with 1.0 and "" when nothing is any more.
    """

    def __init__(
        self,
        answer: Callable[[Mapping[str, Any], Work], Any],
        done: Callable[[Any], None],
        told: Callable[[float, str], None],
    ) -> None:
        self._answer, self._done, self._told = answer, done, told
        self._change = threading.Condition()
        self._wanted: Mapping[str, Any] | None = None
        self._thread: threading.Thread | None = None
        self._working = False
        self._halted = False
        self._began = 0.0

    # ------------------------------------------------------------------ asking
    def ask(self, state: Mapping[str, Any]) -> None:
        """Ask; the answer comes later, unless something else is asked for before."""
        with self._change:
            self._wanted = state
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def now(self, state: Mapping[str, Any]) -> None:
        """Ask, and wait for the answer."""
        self.ask(state)
        self.wait()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is asked for; say whether that came within so many seconds."""
        with self._change:
            return self._change.wait_for(lambda: self._thread is None, seconds)

    def stop(self) -> None:
        """Give up what is being worked at, wherever it is."""
        with self._change:
            self._wanted = None
            self._halted = True
            thread = self._thread
            if self._working and thread is not None and thread.ident is not None:
                # Raised at the thread's next step in Python: a long computation need not have been written to be stopped. What
                # it was making is thrown away, and nobody else has seen it.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))

    # ------------------------------------------------------------------ answering
    def _unwanted(self) -> bool:
        """Whether it was stopped, or takes long and something newer is wanted."""
        return self._halted or (self._wanted is not None and time.monotonic() - self._began > PATIENCE)

    def _run(self) -> None:
        try:
            self._answer_all()
        finally:
            with self._change:
                if self._thread is threading.current_thread():  # left by an error
                    self._thread = None
                self._change.notify_all()

    def _answer_all(self) -> None:
        while True:
            with self._change:
                state, self._wanted = self._wanted, None
                if state is None:
                    self._thread = None  # under the lock: whoever asks from now on starts another one
                    return
                self._working, self._halted, self._began = True, False, time.monotonic()
            try:
                found = self._one(state)
            except Stopped:  # came late, after the answer
                found = Stopped()
            if not (isinstance(found, Stopped) and self._wanted is not None):
                self._done(found)
            self._told(1.0, "")

    def _one(self, state: Mapping[str, Any]) -> Any:
        try:
            return self._answer(state, Work(self._told, self._unwanted))
        except BaseException as error:  # the panel says what is wrong; nobody else would
            return error
        finally:
            with self._change:
                self._working = False
