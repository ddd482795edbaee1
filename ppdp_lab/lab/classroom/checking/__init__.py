"""How an answer is examined: called safely, compared on random tables, and told why it is wrong."""

from ppdp_lab.lab.classroom.checking.exercise import Exercise
from ppdp_lab.lab.classroom.checking.task import Case, Concern, Mistake, Task
from ppdp_lab.lab.classroom.checking.told import NotYet

__all__ = ["Case", "Concern", "Exercise", "Mistake", "NotYet", "Task"]
