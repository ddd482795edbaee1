"""When is a class safe? One file per family of principles."""

from ppdp_lab.principles.alpha_k import AlphaKAnonymity
from ppdp_lab.principles.base import PRINCIPLES, All, Principle, Verdict
from ppdp_lab.principles.k_anonymity import KAnonymity
from ppdp_lab.principles.l_diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    MultiAttributeLDiversity,
    RecursiveCLDiversity,
)
from ppdp_lab.principles.t_closeness import TCloseness

__all__ = [
    "PRINCIPLES",
    "All",
    "AlphaKAnonymity",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "KAnonymity",
    "MultiAttributeLDiversity",
    "Principle",
    "RecursiveCLDiversity",
    "TCloseness",
    "Verdict",
]
