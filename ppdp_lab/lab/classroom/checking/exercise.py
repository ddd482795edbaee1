"""An exercise: its tasks, and the one function that its notebook calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ppdp_lab.errors import ParameterError, check_integer, unknown
from ppdp_lab.lab.classroom.checking.answers import kind_of
from ppdp_lab.lab.classroom.checking.searching import TABLES, search
from ppdp_lab.lab.classroom.checking.task import Task
from ppdp_lab.lab.classroom.checking.told import not_yet


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
