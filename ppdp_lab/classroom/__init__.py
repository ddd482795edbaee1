"""The classroom: exercises whose checks say why an answer is wrong, one file each, and the course that they make up."""

from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise, NotYet

__all__ = ["Case", "Concern", "Exercise", "Mistake", "NotYet", "Task"]
