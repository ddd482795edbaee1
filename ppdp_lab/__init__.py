"""ppdp_lab: a research workbench for privacy-preserving data publishing."""

from ppdp_lab import attacks, datasets, metrics
from ppdp_lab.anonymize import (
    Anatomy,
    Flash,
    Incognito,
    KMember,
    Mondrian,
    Samarati,
    SmallestClasses,
    Speedy,
)
from ppdp_lab.holder import snapshots_from_folder
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
from ppdp_lab.republish import (
    I3M,
    EEquivalence,
    MInvariance,
    Snapshot,
    UpdateStream,
    il_optimization,
)
from ppdp_lab.table import ClassCounts, Hierarchy, Microdata, Schema

__version__ = "0.1.0.dev0"

__all__ = [
    "I3M",
    "AlphaKAnonymity",
    "Anatomy",
    "ClassCounts",
    "DistinctLDiversity",
    "EEquivalence",
    "EntropyLDiversity",
    "Flash",
    "Hierarchy",
    "Incognito",
    "KAnonymity",
    "KMember",
    "MInvariance",
    "Microdata",
    "Mondrian",
    "MultiAttributeLDiversity",
    "Published",
    "RecursiveCLDiversity",
    "Release",
    "Samarati",
    "Schema",
    "SmallestClasses",
    "Snapshot",
    "Speedy",
    "TCloseness",
    "UpdateStream",
    "attacks",
    "datasets",
    "il_optimization",
    "metrics",
    "snapshots_from_folder",
]
