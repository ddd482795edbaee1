"""The data sets of the k-anonymity benchmarks: the real files of whoever has them, or generated stand-ins."""

from ppdp_lab.datasets.benchmarks.arx import ATTRIBUTES, read_arx
from ppdp_lab.datasets.benchmarks.stand_ins import STAND_INS, generate

__all__ = ["ATTRIBUTES", "STAND_INS", "generate", "read_arx"]
