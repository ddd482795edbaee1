"""Explorers: functions that return a widget, to turn the knobs of the package and see what happens.

They are served in a browser by ``ppdp-lab explore``, and stand in notebooks/explore/, one notebook each.
"""

from ppdp_lab.explore.base import EXPLORERS
from ppdp_lab.explore.bucket_graphs import bucket_graph
from ppdp_lab.explore.lattices import lattice
from ppdp_lab.explore.own_tables import own_table
from ppdp_lab.explore.partitions import partition
from ppdp_lab.explore.publications import series
from ppdp_lab.explore.tradeoffs import tradeoff

__all__ = [
    "EXPLORERS",
    "bucket_graph",
    "lattice",
    "own_table",
    "partition",
    "series",
    "tradeoff",
]
