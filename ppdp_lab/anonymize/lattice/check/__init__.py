"""The node check: counting the classes of a node from packed rows, or from classes that were counted before."""

from ppdp_lab.anonymize.lattice.check.checker import Checker, least_size, most_suppressed
from ppdp_lab.anonymize.lattice.check.workers import CORES, Workers

__all__ = ["CORES", "Checker", "Workers", "least_size", "most_suppressed"]
