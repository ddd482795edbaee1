"""Clusters of records and the space they lie in: what k-member clustering and its incremental maintenance share.

Apart from :class:`Space` and :class:`Clusters` these are kernels, for other kernels: they do not check what they are given.
"""

from ppdp_lab.anonymize.clusters._clusters import Clusters, find_best_cluster, measure, take_in
from ppdp_lab.anonymize.clusters._extents import LIMIT, Space, extent, widen

__all__ = ["LIMIT", "Clusters", "Space", "extent", "find_best_cluster", "measure", "take_in", "widen"]
