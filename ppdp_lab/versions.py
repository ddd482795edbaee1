"""What a bug report needs: versions, machine, where data come from, what is registered."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

PACKAGES = (
    "numpy",
    "pandas",
    "pyarrow",
    "numba",
    "llvmlite",
    "scipy",
    "matplotlib",
    "networkx",
    "pydantic",
    "papermill",
    "ipykernel",
    "jupyterlab",
    "ipywidgets",
)


def show_versions() -> None:
    """Print versions of the package, of Python and of what it stands on, and the machine.

    >>> show_versions()  # doctest: +ELLIPSIS
    ppdp_lab    ...
    python      ...
    """
    rows = [
        ("ppdp_lab", importlib.metadata.version("ppdp_lab")),
        ("python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("system", platform.platform()),
        ("cores", str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())),
        ("encoding", f"{sys.getfilesystemencoding()}, {sys.stdout.encoding}"),
        ("data folder", "set" if os.environ.get("PPDP_LAB_DATA") else "not set"),
    ]
    for name in PACKAGES:
        try:
            rows.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            rows.append((name, "not installed"))
    for name, value in rows:
        print(f"{name:<12}{value}")
