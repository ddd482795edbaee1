"""What is anonymized: tables, hierarchies, and the counting that everything shares."""

from ppdp_lab.table.boxes import Boxes, Intervals, Nodes, Sets
from ppdp_lab.table.boxes import split as split_label
from ppdp_lab.table.counts import ClassCounts, Histogram
from ppdp_lab.table.domain import Domain, common_domains
from ppdp_lab.table.grouping import Cells, Grouping, group, mixed, sum_hashes, value_masks
from ppdp_lab.table.hierarchy import Hierarchy
from ppdp_lab.table.microdata import Microdata, id_order, plain_index
from ppdp_lab.table.schema import Schema

__all__ = [
    "Boxes",
    "Cells",
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
    "common_domains",
    "group",
    "id_order",
    "mixed",
    "plain_index",
    "split_label",
    "sum_hashes",
    "value_masks",
]
