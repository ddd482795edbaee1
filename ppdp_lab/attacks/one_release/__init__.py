"""Attacks on one release: finding a person's row, or learning a person's value without it."""

from ppdp_lab.attacks.one_release.closeness import similarity, skewness
from ppdp_lab.attacks.one_release.linkage import background_knowledge, homogeneity, record_linkage

__all__ = ["background_knowledge", "homogeneity", "record_linkage", "similarity", "skewness"]
