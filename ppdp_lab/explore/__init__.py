"""Explorers: functions that return a widget, to turn the knobs of the package and see what happens.

They are served in a browser by ``ppdp-lab explore``, and stand in notebooks/explore/, one notebook each.
"""

from ppdp_lab.explore import drawings
from ppdp_lab.explore.base import EXPLORERS
from ppdp_lab.explore.kinds.partitions import partition

__all__ = ["EXPLORERS", "drawings", "partition"]
