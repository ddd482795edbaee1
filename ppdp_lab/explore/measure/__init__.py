"""What the explorers calculate before they draw, each a function of tables, rules and releases."""

from ppdp_lab.explore.measure import buckets, lattices, series, tradeoffs
from ppdp_lab.explore.measure.lattices import checks_of, lattice_nodes
from ppdp_lab.explore.measure.series import Series

__all__ = ["Series", "buckets", "checks_of", "lattice_nodes", "lattices", "series", "tradeoffs"]
