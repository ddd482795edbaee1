"""Generalization hierarchies: trees over the values of a column."""

from ppdp_lab.table.hierarchies.hierarchy import ROOT, Hierarchy
from ppdp_lab.table.hierarchies.levels import check_tree, level_columns

__all__ = ["ROOT", "Hierarchy", "check_tree", "level_columns"]
