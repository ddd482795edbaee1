"""A ready course for nbgrader: written, and proved by handing in right, wrong, empty and endless answers."""

from ppdp_lab.lab.classroom.course.catalogue import EXERCISES
from ppdp_lab.lab.classroom.course.proving import Proof, prove
from ppdp_lab.lab.classroom.course.writing import write_course

__all__ = ["EXERCISES", "Proof", "prove", "write_course"]
