"""ppdp_lab: a research workbench for privacy-preserving data publishing."""

from ppdp_lab import attacks, datasets, metrics
from ppdp_lab.anonymize import Anatomy, Mondrian
from ppdp_lab.principles import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    MultiAttributeLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)
from ppdp_lab.published import Published
from ppdp_lab.release import Release
from ppdp_lab.republish import Snapshot, UpdateStream
from ppdp_lab.table import ClassCounts, Hierarchy, Microdata, Schema

__version__ = "0.1.0.dev0"

__all__ = [
    "AlphaKAnonymity",
    "Anatomy",
    "ClassCounts",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Hierarchy",
    "KAnonymity",
    "Microdata",
    "Mondrian",
    "MultiAttributeLDiversity",
    "Published",
    "RecursiveCLDiversity",
    "Release",
    "Schema",
    "Snapshot",
    "TCloseness",
    "UpdateStream",
    "attacks",
    "datasets",
    "metrics",
]
