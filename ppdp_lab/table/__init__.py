"""What is anonymized: tables, hierarchies, and the counting that everything shares."""

from ppdp_lab.table.boxes import Boxes, Intervals, Nodes, Sets
from ppdp_lab.table.counts import ClassCounts, Histogram
from ppdp_lab.table.domain import Domain
from ppdp_lab.table.grouping import Grouping, group
from ppdp_lab.table.hierarchy import Hierarchy
from ppdp_lab.table.microdata import Microdata
from ppdp_lab.table.schema import Schema

__all__ = [
    "Boxes",
    "ClassCounts",
    "Domain",
    "Grouping",
    "Hierarchy",
    "Histogram",
    "Intervals",
    "Microdata",
    "Nodes",
    "Schema",
    "Sets",
    "group",
]
