"""What a student is told: the table, the person, what an adversary knows, and which mistake it looks like."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ppdp_lab.classroom.answers import kind_of
from ppdp_lab.classroom.checking import ENDLESS, ERROR, KIND, TABLES, Case, Finding, Task, right_answer, search
from ppdp_lab.errors import ParameterError, PPDPError, check_integer, unknown

WIDTH = 80  # what feedback pages show without cutting lines off
SHORT = 300  # characters of a student's own answer


class NotYet(PPDPError, AssertionError):
    """An answer is not right yet. In a notebook it shows what it has to say instead of a traceback.

    ``sentence`` says what is wrong, ``case`` on which arguments; it is empty for a hidden one.
    """

    def __init__(self, text: str, sentence: str, case: Case = ()) -> None:
        super().__init__(text)
        self.sentence, self.case = sentence, case

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


def not_written(name: str) -> NotYet:
    """For a function that still raises NotImplementedError, as the student version does."""
    sentence = f"{name} is not written yet."
    return NotYet(sentence, sentence)


def not_yet(task: Task, step: str, finding: Finding, *, hidden: bool) -> NotYet:
    """The message for a finding; of a hidden case it tells the sentence alone, never the table."""
    if isinstance(finding.outcome.detail, NotImplementedError):
        return not_written(task.name)
    sentence = sentence_of(task, finding, hidden=hidden)
    if hidden:
        return NotYet(_wrapped(f"{task.name} is not right yet, step {step!r}, on a hidden table. {sentence}"), sentence)
    parts = [f"{task.name} is not right yet, step {step!r}. A small case that shows it:", task.show(*finding.case)]
    if finding.outcome.how == ERROR:
        parts.append(_wrapped(f"It ended in {_error(finding.outcome.detail)}."))
    elif finding.outcome.how not in (KIND, ENDLESS):
        given, right = finding.outcome.detail, right_answer(task, finding.case)
        concern = task.concern(finding.case, given, right)
        parts.append(f"Your answer: {textwrap.shorten(_spelled(given), SHORT)}")
        parts.append(_wrapped(f"Concerned: {concern.person}. {concern.sentence}"))
        parts += [concern.shown] if concern.shown else []
    parts.append(_wrapped(sentence))
    return NotYet("\n\n".join(parts), sentence, finding.case)


def sentence_of(task: Task, finding: Finding, *, hidden: bool = False) -> str:
    """One sentence on what is wrong: the mistake's own where it is one that people make."""
    how, detail = finding.outcome.how, finding.outcome.detail
    if how == ENDLESS:
        return f"{task.name} did not come to an end in time: is there a loop whose condition never changes?"
    if how == ERROR:
        said = type(detail).__name__ if hidden else _error(detail)  # a message may name a value of a hidden table
        return f"{task.name} ended in an error ({said}) instead of an answer."
    if how == KIND:
        forgot = " Is the return missing?" if detail == "nothing" else ""
        return f"{task.name} must return {task.returns}; yours returned {detail}.{forgot}"
    if finding.mistake is not None:
        return f"Your answers agree with {finding.mistake.sentence}"
    advice = "try it on more tables of your own" if hidden else "compare what it does with the case above, row by row"
    return f"{task.name} must return {task.returns}: {advice}."


def _error(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {textwrap.shorten(said, 160)}" if said else type(error).__name__


def _spelled(given: Any) -> str:
    """An answer as its writer would type it; sets in order."""
    if isinstance(given, frozenset):
        return "{" + ", ".join(sorted(map(_spelled, given))) + "}" if given else "set()"
    if isinstance(given, dict):
        return "{" + ", ".join(f"{key!r}: {_spelled(value)}" for key, value in sorted(given.items(), key=str)) + "}"
    if isinstance(given, (list, tuple)):
        return ", ".join(map(_spelled, given)).join("[]" if isinstance(given, list) else "()")
    return f"{given:.6g}" if isinstance(given, float) else repr(given)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False)


# --------------------------------------------------------------------
# An exercise: its tasks, and the one function that its notebook calls.


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise: the name of its notebook, its title, and the functions to write.

    ``minutes`` is how long it takes; ``explorer`` names the notebook in ``notebooks/explore`` on the same topic, if any.
    """

    name: str
    title: str
    minutes: int
    tasks: tuple[Task, ...]
    explorer: str | None = None

    def check(
        self, function: Callable[..., Any], step: str | None = None, *, seed: int = 0, hidden: bool = False
    ) -> None:
        """Say whether a function is right; if it is not, raise :class:`NotYet`, which says why.

        Parameters
        ----------
        function : callable
            The student's own.
        step : str, optional
            One step of the exercise; all of its function's unless named.
        seed : int
            Other seeds draw other tables.
        hidden : bool
            Tell of a wrong answer what kind it is, and no table.
        """
        task = self.task_of(function, step)
        seed = check_integer("seed", seed, at_least=0)
        for name in task.steps if step is None else [step]:
            finding = search(task, name, function, seed=seed)
            if finding is not None:
                # None: the traceback of the search would only hide what is said.
                raise not_yet(task, name, finding, hidden=hidden) from None
            if not hidden:
                print(f"{task.name}, step {name!r}: right on {TABLES} random cases.")

    def task_of(self, function: Callable[..., Any], step: str | None = None) -> Task:
        """The task that a function answers: the step's, else the one of the function's own name."""
        named = {task.name: task for task in self.tasks}
        if not callable(function):
            raise ParameterError(
                f"check the function itself, {' or '.join(named)}, without calling it; this is {kind_of(function)}"
            )
        if step is not None:
            for task in self.tasks:
                if step in task.steps:
                    return task
            raise unknown("step", step, [name for task in self.tasks for name in task.steps])
        if len(named) == 1:
            return self.tasks[0]
        name = getattr(function, "__name__", "")
        if name not in named:
            raise unknown("function of this exercise", name, named)
        return named[name]
