"""Boxes: the generalized region of each class, and what each quasi-identifier is generalized to."""

from ppdp_lab.table.boxes.columns import BoxColumn, Intervals, Nodes, Sets
from ppdp_lab.table.boxes.regions import Boxes

__all__ = ["BoxColumn", "Boxes", "Intervals", "Nodes", "Sets"]
