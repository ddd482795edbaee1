"""Data sets that can be had anywhere: bundled, generated, or the real ones of whoever has them."""

from ppdp_lab.datasets import examples as examples
from ppdp_lab.datasets.loading import catalogue, census, data_folder, describe, load, names
from ppdp_lab.datasets.own import load_own

__all__ = ["catalogue", "census", "data_folder", "describe", "examples", "load", "load_own", "names"]
