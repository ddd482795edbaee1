"""The pictures of the explorers, each a function of what it shows."""

from ppdp_lab.explore.drawings.boxes import partition
from ppdp_lab.explore.drawings.buckets import bucket_graph
from ppdp_lab.explore.drawings.lattices import lattice
from ppdp_lab.explore.drawings.risks import before_and_after
from ppdp_lab.explore.drawings.series import update_graph
from ppdp_lab.explore.drawings.tradeoffs import tradeoff

__all__ = ["before_and_after", "bucket_graph", "lattice", "partition", "tradeoff", "update_graph"]
