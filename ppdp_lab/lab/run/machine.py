"""What a run was made with: versions, hardware, commit."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import ppdp_lab
from ppdp_lab.anonymize.lattice.check import CORES
from ppdp_lab.errors import comes_with

PACKAGE = Path(ppdp_lab.__file__).parent
COMPUTING = ("numpy", "numba", "scipy", "pandas")
DEPENDENCIES = (*COMPUTING, "pyarrow", "matplotlib", "papermill", "ipykernel")


def describe() -> dict[str, Any]:
    """Package, dependencies, interpreter, processor and commit, for ``environment.json``."""
    return {
        "ppdp_lab": ppdp_lab.__version__,
        "commit": commit(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "dependencies": _versions(DEPENDENCIES),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "cores_available": CORES,
        "memory_gb": round(memory_gb(), 1),
    }


def computing() -> dict[str, str]:
    """What may change a number though no line of this package changes: the Python minor version, and versions of libraries."""
    return {"python": ".".join(platform.python_version_tuple()[:2]), **_versions(COMPUTING)}


def _versions(names: Iterable[str]) -> dict[str, str]:
    return {name: metadata.version(name) for name in names}


def commit() -> str | None:
    """The commit of the source tree that the package lies in, with ``+changes`` if it is not clean; None outside git."""
    try:
        head = _git("rev-parse", "HEAD")
        return head + ("+changes" if _git("status", "--porcelain", "--", str(PACKAGE)) else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(PACKAGE), *arguments], capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout.strip()


def cpu_model() -> str:
    """The processor's name."""
    known = Path("/proc/cpuinfo")  # on Linux only
    named = re.search("^model name.*: (.*)$", known.read_text() if known.is_file() else "", re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def memory_gb() -> float:
    """Memory of the machine in GB."""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    with comes_with("lab"):
        import psutil
    return float(psutil.virtual_memory().total) / 1e9
