"""Benchmarks: one module per suite, each with ``run() -> list[Measurement]``; a module put here is found by itself."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from ppdp_lab.lab.bench.base import Measurement

__all__ = ["Measurement", "suites"]


def suites() -> dict[str, Callable[[], list[Measurement]]]:
    """Every suite that can be imported, by name.

    >>> "core" in suites()
    True
    """
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name == "base" or module.name.startswith("_"):
            continue
        try:
            suite = importlib.import_module(f"{__name__}.{module.name}")
        except ImportError:  # it measures something that this installation does not have
            continue
        if callable(getattr(suite, "run", None)):
            found[module.name] = suite.run
    return found
