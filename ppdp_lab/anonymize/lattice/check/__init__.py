"""The node check: counting the classes of a node from packed rows, or from classes that were counted before."""

from ppdp_lab.anonymize.lattice.check.checker import Checker, least_size, most_suppressed
from ppdp_lab.anonymize.lattice.check.counting import ALWAYS, DIVIDE, WHEN_IT_PAYS
from ppdp_lab.anonymize.lattice.check.pool import borrowed
from ppdp_lab.anonymize.lattice.check.workers import CORES

__all__ = [
    "ALWAYS",
    "CORES",
    "DIVIDE",
    "WHEN_IT_PAYS",
    "Checker",
    "borrowed",
    "least_size",
    "most_suppressed",
]
