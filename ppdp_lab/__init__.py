"""ppdp_lab: a research workbench for privacy-preserving data publishing.

Public names are loaded on first use, so that importing the package, and the command line with it, starts at once.
"""

import ast as _ast
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

__version__ = "0.1.0.dev0"

# The one list of public names. Type checkers and editors read it as it is; at run time _homes() reads it from this file.
if _TYPE_CHECKING:
    from ppdp_lab import anonymize as anonymize
    from ppdp_lab import attacks as attacks
    from ppdp_lab import datasets as datasets
    from ppdp_lab import holder as holder
    from ppdp_lab import io as io
    from ppdp_lab import metrics as metrics
    from ppdp_lab import principles as principles
    from ppdp_lab import release as release
    from ppdp_lab import republish as republish
    from ppdp_lab import table as table
    from ppdp_lab.anonymize import Anatomy as Anatomy
    from ppdp_lab.anonymize import Flash as Flash
    from ppdp_lab.anonymize import Incognito as Incognito
    from ppdp_lab.anonymize import KMember as KMember
    from ppdp_lab.anonymize import Mondrian as Mondrian
    from ppdp_lab.anonymize import Samarati as Samarati
    from ppdp_lab.anonymize import SmallestClasses as SmallestClasses
    from ppdp_lab.anonymize import Speedy as Speedy
    from ppdp_lab.attacks import SensitiveUpdateGraph as SensitiveUpdateGraph
    from ppdp_lab.attacks import UpdateModel as UpdateModel
    from ppdp_lab.holder import snapshots_from_folder as snapshots_from_folder
    from ppdp_lab.principles import AlphaKAnonymity as AlphaKAnonymity
    from ppdp_lab.principles import DistinctLDiversity as DistinctLDiversity
    from ppdp_lab.principles import EntropyLDiversity as EntropyLDiversity
    from ppdp_lab.principles import KAnonymity as KAnonymity
    from ppdp_lab.principles import MultiAttributeLDiversity as MultiAttributeLDiversity
    from ppdp_lab.principles import RecursiveCLDiversity as RecursiveCLDiversity
    from ppdp_lab.principles import TCloseness as TCloseness
    from ppdp_lab.release import Published as Published
    from ppdp_lab.release import Release as Release
    from ppdp_lab.republish import BPG as BPG
    from ppdp_lab.republish import I3M as I3M
    from ppdp_lab.republish import EEquivalence as EEquivalence
    from ppdp_lab.republish import MDistinct as MDistinct
    from ppdp_lab.republish import MInvariance as MInvariance
    from ppdp_lab.republish import Snapshot as Snapshot
    from ppdp_lab.republish import UpdateStream as UpdateStream
    from ppdp_lab.republish import il_optimization as il_optimization
    from ppdp_lab.table import ClassCounts as ClassCounts
    from ppdp_lab.table import Hierarchy as Hierarchy
    from ppdp_lab.table import Microdata as Microdata
    from ppdp_lab.table import Schema as Schema
    from ppdp_lab.versions import show_versions as show_versions


def _homes() -> dict[str, str]:
    """The module that each public name is imported from, as the block above says."""
    body = _ast.parse(_Path(__file__).read_text(encoding="utf-8")).body
    block = next(node for node in body if isinstance(node, _ast.If))
    imports = [node for node in block.body if isinstance(node, _ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_HOME = _homes()
_ROOMS = [name for name, home in _HOME.items() if home == "ppdp_lab"]
__all__ = sorted(_HOME)


def __getattr__(name: str) -> _Any:
    """A room, or a public name from the room that has it."""
    if name not in _HOME:
        raise AttributeError(f"module 'ppdp_lab' has no attribute {name!r}")
    return _import_module(f"ppdp_lab.{name}") if name in _ROOMS else getattr(_import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
