"""Data sets that can be had anywhere: bundled, generated, or the real ones of whoever has them."""

from ppdp_lab.datasets import examples as examples
from ppdp_lab.datasets.loading import called, catalogue, census, data_folder, describe, load, names, sampled
from ppdp_lab.datasets.own import is_own, load_own

__all__ = [
    "called",
    "catalogue",
    "census",
    "data_folder",
    "describe",
    "examples",
    "is_own",
    "load",
    "load_own",
    "names",
    "sampled",
]
