"""What is anonymized: tables, hierarchies, and the counting that everything shares."""

from ppdp_lab.table.boxes import Boxes, Intervals, Nodes, Sets
from ppdp_lab.table.boxes.labels import split as split_label
from ppdp_lab.table.counts import ClassCounts, Histogram
from ppdp_lab.table.domain import Domain, common_domains
from ppdp_lab.table.from_files import doubtful_columns
from ppdp_lab.table.hierarchies import Hierarchy
from ppdp_lab.table.keys.cells import Cells, value_masks
from ppdp_lab.table.keys.grouping import Grouping, group
from ppdp_lab.table.keys.hashing import mixed, sum_hashes
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
    "doubtful_columns",
    "group",
    "id_order",
    "mixed",
    "plain_index",
    "split_label",
    "sum_hashes",
    "value_masks",
]
