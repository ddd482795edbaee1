"""Calling a function that somebody is still writing: it may raise, print, warn, change its arguments, or never end."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import io
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from ppdp_lab.classroom.answers import Unreadable, same

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


# --------------------------------------------------------------------
# What an exercise asks for: a function to write, how its answers are read, and the mistakes that people make.


Case = tuple[Any, ...]
"""The arguments of one call."""


@dataclass(frozen=True)
class Mistake:
    """A wrong way that people take: a function that takes it, and the sentence for whoever does the same."""

    answer: Callable[..., Any]
    sentence: str

    @property
    def name(self) -> str:
        """As its function is called."""
        return self.answer.__name__


@dataclass(frozen=True)
class Concern:
    """Whom a wrong answer is about, and what an adversary knows of that person; never what the answer should be.

    ``shown`` is one more table, where the case itself has no rows of people.
    """

    person: str
    sentence: str
    shown: str = ""


@dataclass(frozen=True, eq=False)
class Task:
    """One function that students write.

    Attributes
    ----------
    name : str
        The function's name, ``certain``.
    returns : str
        What it returns, in words: said when an answer is of another kind.
    answer : callable
        The reference.
    read : callable
        Brings an answer into one form, so that sets, lists and Series compare; raises
        ``Unreadable`` of ``ppdp_lab.classroom.answers``.
    steps : dict of str to callable
        What is marked by itself: each step draws random cases (from a ``random.Random``) that ask for one thing more. Who
        misses the last thing keeps the points of the first.
    smaller : callable
        All cases that are one little thing simpler than a given one.
    show : callable
        A case as text, called with its arguments.
    concern : callable
        ``concern(case, given, right)``, both answers read: the person, and what an adversary knows.
    mistakes : tuple of Mistake
    right_too : tuple of callable
        Right answers written otherwise than the reference: they must earn all points.
    agree : callable
        ``agree(case, one, other)``, both answers read: whether they come to the same; equality unless given.
    """

    name: str
    returns: str
    answer: Callable[..., Any]
    read: Callable[[Any], Any]
    steps: Mapping[str, Callable[[Random], Case]]
    smaller: Callable[..., Iterable[Case]]
    show: Callable[..., str]
    concern: Callable[[Case, Any, Any], Concern]
    mistakes: tuple[Mistake, ...]
    right_too: tuple[Callable[..., Any], ...]
    agree: Callable[[Case, Any, Any], bool] = lambda case, one, other: same(one, other)


# --------------------------------------------------------------------
# Looking for a small table on which an answer is wrong, and for the mistake that explains it.


TABLES = 80  # random cases per check: the rarest mistake shows on one in twenty; 80 calls of pandas take half a second
LONGEST = 12.0  # seconds of work for all of them together: an answer that is slow on six rows is of no use
CALLS = 300  # calls that simplifying a case may cost

RIGHT, WRONG, KIND, ERROR, ENDLESS = "right", "wrong", "kind", "error", "endless"


@dataclass(frozen=True)
class Outcome:
    """What became of one call: right, or in which way not; ``detail`` is the answer, read, or what is the matter."""

    how: str
    detail: Any = None

    def like(self, other: Outcome) -> bool:
        """Whether it went wrong in the same way."""
        return self.how == other.how and (self.how != ERROR or type(self.detail) is type(other.detail))


@dataclass(frozen=True)
class Finding:
    """A case on which an answer goes wrong, made as simple as it gets."""

    case: Case
    outcome: Outcome
    mistake: Mistake | None = None


def outcome_of(task: Task, function: Callable[..., Any], case: Case) -> Outcome:
    """Call a function with a case and compare its answer with the reference's."""
    called = call(function, case)
    if isinstance(called, Raised):
        return Outcome(ENDLESS) if called.error is None else Outcome(ERROR, called.error)
    try:
        given = task.read(called.value)
    except Unreadable as problem:
        return Outcome(KIND, str(problem))
    except (TypeError, ValueError):  # not hashable, not a number: of a kind that nobody thought of
        return Outcome(KIND, "something that cannot be compared")
    return Outcome(RIGHT if task.agree(case, given, right_answer(task, case)) else WRONG, given)


def right_answer(task: Task, case: Case) -> Any:
    """The reference's answer, read."""
    return task.read(task.answer(*case))


def search(task: Task, step: str, function: Callable[..., Any], *, seed: int, tables: int = TABLES) -> Finding | None:
    """The simplest case found on which a function goes wrong; None if it went right on all of them.

    The number of cases is fixed and they depend on the seed only: what a machine's speed decides is at most whether an
    answer is called too slow.
    """
    rng = Random(f"{task.name}, {step}, {seed}")
    began = time.process_time()
    met: list[tuple[Case, Outcome]] = []
    for _ in range(tables):
        case = task.steps[step](rng)
        outcome = outcome_of(task, function, case)
        if time.process_time() - began > LONGEST:
            outcome = Outcome(ENDLESS)
        met.append((case, outcome))
        if outcome.how not in (RIGHT, WRONG):
            return Finding(case if outcome.how == ENDLESS else simplified(task, function, case, outcome), outcome)
    failed = [(case, outcome) for case, outcome in met if outcome.how == WRONG]
    if not failed:
        return None
    case, outcome = min(failed, key=lambda pair: len(task.show(*pair[0])))
    case = simplified(task, function, case, outcome)
    return Finding(case, outcome_of(task, function, case), recognized(task, met))


def recognized(task: Task, met: list[tuple[Case, Outcome]]) -> Mistake | None:
    """The mistake that gives the same answers on all cases, right ones and wrong ones, if there is one."""
    for mistake in task.mistakes:
        if all(_agrees(task, mistake, case, outcome) for case, outcome in met):
            return mistake
    return None


def _agrees(task: Task, mistake: Mistake, case: Case, outcome: Outcome) -> bool:
    try:
        return task.agree(case, outcome.detail, task.read(mistake.answer(*case)))
    except Exception:  # a mistake may well stumble where the examined answer does not
        return False


def simplified(task: Task, function: Callable[..., Any], case: Case, outcome: Outcome) -> Case:
    """Take the first simpler case that goes wrong in the same way, again and again."""
    calls, found = 0, True
    while found:
        found = False
        for simpler in task.smaller(*case):
            calls += 1
            if calls > CALLS:
                return case
            if outcome_of(task, function, simpler).like(outcome):
                case, found = simpler, True
                break
    return case
