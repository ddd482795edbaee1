"""ppdp_lab: a research workbench for privacy-preserving data publishing.

Public names are loaded on first use, so that importing the package, and the command line with it, starts at once.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from ppdp_lab import anonymize, attacks, datasets, holder, io, metrics, principles, release, republish, table
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
    from ppdp_lab.attacks import SensitiveUpdateGraph, UpdateModel
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
    from ppdp_lab.release import Published, Release
    from ppdp_lab.republish import (
        BPG,
        I3M,
        EEquivalence,
        MDistinct,
        MInvariance,
        Snapshot,
        UpdateStream,
        il_optimization,
    )
    from ppdp_lab.table import ClassCounts, Hierarchy, Microdata, Schema
    from ppdp_lab.versions import show_versions

__version__ = "0.1.0.dev0"

_ROOMS = ("anonymize", "attacks", "datasets", "holder", "io", "metrics", "principles", "release", "republish", "table")
_HOME = {
    "anonymize": (
        "Anatomy",
        "Flash",
        "Incognito",
        "KMember",
        "Mondrian",
        "Samarati",
        "SmallestClasses",
        "Speedy",
    ),
    "principles": (
        "AlphaKAnonymity",
        "DistinctLDiversity",
        "EntropyLDiversity",
        "KAnonymity",
        "MultiAttributeLDiversity",
        "RecursiveCLDiversity",
        "TCloseness",
    ),
    "holder": ("snapshots_from_folder",),
    "attacks": ("SensitiveUpdateGraph", "UpdateModel"),
    "release": ("Published", "Release"),
    "republish": (
        "BPG",
        "I3M",
        "EEquivalence",
        "MDistinct",
        "MInvariance",
        "Snapshot",
        "UpdateStream",
        "il_optimization",
    ),
    "table": ("ClassCounts", "Hierarchy", "Microdata", "Schema"),
    "versions": ("show_versions",),
}

__all__ = [
    "BPG",
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
    "MDistinct",
    "MInvariance",
    "Microdata",
    "Mondrian",
    "MultiAttributeLDiversity",
    "Published",
    "RecursiveCLDiversity",
    "Release",
    "Samarati",
    "Schema",
    "SensitiveUpdateGraph",
    "SmallestClasses",
    "Snapshot",
    "Speedy",
    "TCloseness",
    "UpdateModel",
    "UpdateStream",
    "anonymize",
    "attacks",
    "datasets",
    "holder",
    "il_optimization",
    "metrics",
    "principles",
    "release",
    "republish",
    "show_versions",
    "snapshots_from_folder",
    "table",
]


def __getattr__(name: str) -> _Any:
    """A room, or a public name from the room that has it."""
    if name in _ROOMS:
        return _import_module(f"ppdp_lab.{name}")
    for room, names in _HOME.items():
        if name in names:
            return getattr(_import_module(f"ppdp_lab.{room}"), name)
    raise AttributeError(f"module 'ppdp_lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
