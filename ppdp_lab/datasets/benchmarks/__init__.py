"""The data sets of the k-anonymity benchmarks: the real files of whoever has them, or generated stand-ins."""

from ppdp_lab.datasets.benchmarks.arx import ATTRIBUTES, STAND_INS, generate, read_arx

__all__ = ["ATTRIBUTES", "STAND_INS", "generate", "read_arx"]
