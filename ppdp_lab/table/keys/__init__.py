"""Rows as numbers: grouping by codes, hashes, sparse histograms.

What is listed here checks what it is given. The kernels behind it do not: they are for callers that have checked, and for
other kernels, which is why three of them can be had from here and are not listed.
"""

from ppdp_lab.table.keys._segments import extremes as extremes
from ppdp_lab.table.keys._segments import histogram_segments as histogram_segments
from ppdp_lab.table.keys._segments import mark_bits as mark_bits
from ppdp_lab.table.keys.cells import Cells, value_masks
from ppdp_lab.table.keys.grouping import Grouping, group
from ppdp_lab.table.keys.hashing import mixed, sum_hashes, text_hashes
from ppdp_lab.table.keys.multipliers import GOLDEN

__all__ = ["GOLDEN", "Cells", "Grouping", "group", "mixed", "sum_hashes", "text_hashes", "value_masks"]
