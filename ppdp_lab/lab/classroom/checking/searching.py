"""Looking for a small table on which an answer is wrong, and for the mistake that explains it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from ppdp_lab.lab.classroom.checking.answers import Unreadable
from ppdp_lab.lab.classroom.checking.calling import Raised, call
from ppdp_lab.lab.classroom.checking.task import Case, Mistake, Task

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
    chance = Random(f"{task.name}, {step}, {seed}")
    began = time.process_time()
    met: list[tuple[Case, Outcome]] = []
    for _ in range(tables):
        case = task.steps[step](chance)
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
