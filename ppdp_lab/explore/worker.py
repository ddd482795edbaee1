"""The garbage of old pictures is collected after every answer, and the rest of the process is left out of it.

To look through all objects of a process takes a quarter second and would come in the middle of an answer; to look through
those that one picture left takes five thousandths. So whatever is there when somebody begins to ask is set aside
(``gc.freeze``) until nothing was asked for a while.
"""

from __future__ import annotations

import ctypes
import gc
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ppdp_lab.explore.base import Stopped, Work

QUIET = 2.0  # seconds without a question
_NEVER = 1 << 30


class Garbage:
    """Keeps collections short. Settings of the collector belong to the process, so all explorers in it share one."""

    def __init__(self, collector: Any = gc, *, quiet: float = QUIET) -> None:
        self._gc, self._quiet = collector, quiet
        self._lock = threading.Lock()
        self._usual: tuple[int, int, int] | None = None
        self._frozen = False
        self._asked = 0.0

    def asked(self) -> None:
        """Something is asked for: no collection looks through what is there already, from now on."""
        with self._lock:
            self._asked = time.monotonic()
            if self._usual is None:
                self._usual = self._gc.get_threshold()
                self._gc.set_threshold(*self._usual[:2], _NEVER)
                self._frozen = not self._gc.get_freeze_count()  # who set objects aside before us keeps them there
                if self._frozen:
                    self._gc.freeze()

    def answered(self) -> None:
        """An answer is on the screen: what the one before has left can go."""
        self._gc.collect()

    def rest(self) -> None:
        """Wait for some quiet, then leave it to Python again; whoever asked last does it, the others need not."""
        with self._lock:
            mine = self._asked
        time.sleep(self._quiet)
        with self._lock:
            if self._asked != mine or self._usual is None:
                return
            if self._frozen:
                self._gc.unfreeze()
            self._gc.set_threshold(*self._usual)
            self._usual = None


GARBAGE = Garbage()


# --------------------------------------------------------------------
# One thread that does the latest of what was asked for, and tells how far it is.
#
# A slider asks more often than anybody can answer. What was asked for while an answer was made is left out but for the last
# one; an answer that takes longer than :data:`PATIENCE` is given up for a newer question at its next step, and can be stopped
# by hand. While nothing is asked for, what may be asked for next can be made ready.


PATIENCE = 0.5  # seconds


@dataclass(eq=False)
class Job:
    """A thread that answers until nothing is asked for, and what it is at."""

    began: float = 0.0
    working: bool = False
    thread: threading.Thread = field(init=False)


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
    ahead : callable, optional
        Called like ``answer`` once the latest answer was given; it is left at its next step as soon as anything is asked for.
    garbage : Garbage
        Who decides when garbage is collected.
    """

    def __init__(
        self,
        answer: Callable[[Mapping[str, Any], Work], Any],
        done: Callable[[Any], None],
        told: Callable[[float, str], None],
        ahead: Callable[[Mapping[str, Any], Work], None] | None = None,
        garbage: Garbage = GARBAGE,
    ) -> None:
        self._answer, self._done, self._told, self._ahead = answer, done, told, ahead
        self._garbage = garbage
        # The thread that is stopped takes the bare lock, which is had or not had. Entering a Condition is a call in Python: an
        # exception from outside could end it between taking the lock and the block that gives it back.
        self._lock = threading.Lock()
        self._change = threading.Condition(self._lock)
        self._wanted: Mapping[str, Any] | None = None
        self._job: Job | None = None

    # ------------------------------------------------------------------ asking
    def ask(self, state: Mapping[str, Any]) -> None:
        """Ask; the answer comes later, unless something else is asked for before."""
        self._garbage.asked()
        with self._lock:
            self._wanted = state
            if self._job is None:
                self._job = job = Job()
                job.thread = threading.Thread(target=self._run, args=(job,), daemon=True)
                job.thread.start()

    def now(self, state: Mapping[str, Any]) -> None:
        """Ask, and wait for the answer."""
        self.ask(state)
        self.wait()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is asked for; say whether that came within so many seconds."""
        with self._change:
            return self._change.wait_for(lambda: self._job is None, seconds)

    def stop(self) -> None:
        """Give up what is being worked at, wherever it is; the next question need not wait for it."""
        with self._change:
            self._wanted = None
            job = self._job
            if job is None or not job.working or job.thread.ident is None:
                return  # nothing to give up: the answer is there, or nobody has begun with it
            # Raised at the thread's next step in Python: a long computation need not have been written to be stopped. What it
            # was making is thrown away, and nobody else has seen it. A kernel runs to its end before, unheard.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(job.thread.ident), ctypes.py_object(Stopped))
            self._job = None
            self._change.notify_all()
        self._done(Stopped())
        self._told(1.0, "")

    # ------------------------------------------------------------------ answering
    def _run(self, job: Job) -> None:
        try:
            state = self._answer_all(job)
            if state is not None and self._ahead is not None:
                with suppress(Exception):  # whoever asks for it is told
                    self._ahead(state, Work(unwanted=lambda: self._job is not None))
        except Stopped:  # by hand, or for a question that came while another one was made ready
            pass
        finally:
            with self._lock:
                if self._job is job:  # left by an error
                    self._job = None
                self._change.notify_all()
            self._garbage.rest()

    def _answer_all(self, job: Job) -> Mapping[str, Any] | None:
        """Answer until nothing is wanted; returns the state that was answered last, or None for a job that was given up."""
        last = None
        while True:
            with self._lock:
                if self._job is not job:
                    return None
                state, self._wanted = self._wanted, None
                if state is None:
                    self._job = None  # under the lock: whoever asks from now on starts another one
                    self._change.notify_all()
                    return last
                job.working, job.began = True, time.monotonic()
            found = self._one(state, job)
            with self._lock:
                if self._job is not job:
                    return None
                newer = self._wanted is not None
            if not (isinstance(found, Stopped) and newer):
                self._done(found)
            self._told(1.0, "")
            self._garbage.answered()
            last = state

    def _one(self, state: Mapping[str, Any], job: Job) -> Any:
        def unwanted() -> bool:
            """Whether it was stopped, or takes long and something newer is wanted."""
            late = time.monotonic() - job.began > PATIENCE
            return self._job is not job or (self._wanted is not None and late)

        def told(share: float, what: str) -> None:
            with self._lock:  # not after stop has said that nothing is done any more
                if self._job is job:
                    self._told(share, what)

        try:
            return self._answer(state, Work(told, unwanted))
        except BaseException as error:  # the panel says what is wrong; nobody else would
            return error
        finally:
            with self._lock:
                job.working = False
