"""Rows as numbers: grouping by codes, hashes, sparse histograms."""

from ppdp_lab.table.keys._segments import extremes, histogram_segments, mark_bits, sum_hashes
from ppdp_lab.table.keys.cells import Cells, value_masks
from ppdp_lab.table.keys.grouping import Grouping, group
from ppdp_lab.table.keys.hashing import mixed, text_hashes

__all__ = [
    "Cells",
    "Grouping",
    "extremes",
    "group",
    "histogram_segments",
    "mark_bits",
    "mixed",
    "sum_hashes",
    "text_hashes",
    "value_masks",
]
