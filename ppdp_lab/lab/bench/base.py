"""How speed is measured here: the best of several warm runs, beside reference operations timed in the same process.

Machines differ and are noisy; the ratio to a reference operation is what compares. **One lexsort** is ``np.lexsort`` of
five int64 columns of 200,000 census rows; **one bincount of n** is ``np.bincount`` of n int64 keys uniform over 4,096
values.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from ppdp_lab.datasets import census
from ppdp_lab.registry import OneLine
from ppdp_lab.table import Microdata


@dataclass(frozen=True)
class Measurement(OneLine):
    """One line of a benchmark: seconds, the unit they are divided by, and the most units that are allowed."""

    name: str
    seconds: float
    unit: str
    unit_seconds: float
    target: float | None = None

    @property
    def ratio(self) -> float:
        """Seconds in units of the reference operation."""
        return self.seconds / self.unit_seconds

    @property
    def verdict(self) -> str:
        """Within the target or not; blank without one."""
        if self.target is None:
            return ""
        return "ok" if self.ratio <= self.target else "over"


def suites() -> dict[str, Callable[[], list[Measurement]]]:
    """Every suite that can be imported, by name.

    >>> "core" in suites()
    True
    """
    found = {}
    for module in pkgutil.iter_modules(importlib.import_module("ppdp_lab.lab.bench").__path__):
        with contextlib.suppress(ImportError):  # it measures something that this installation does not have
            suite = importlib.import_module(f"ppdp_lab.lab.bench.{module.name}")
            if callable(getattr(suite, "run", None)):
                found[module.name] = suite.run
    return found


def best(function: Callable[[], object], *, repeat: int = 5, warm: int = 1) -> float:
    """Seconds of the best of ``repeat`` runs, after ``warm`` runs that do not count."""
    return best_in_turn(function, repeat=repeat, warm=warm)[0]


def best_in_turn(*functions: Callable[[], object], repeat: int = 5, warm: int = 1) -> list[float]:
    """The best of each of several functions that are run in turn, so that a busy machine is busy for all of them."""
    times: list[list[float]] = [[] for _ in functions]
    for run in range(-warm, repeat):
        for function, mine in zip(functions, times):
            start = time.perf_counter()
            function()
            if run >= 0:
                mine.append(time.perf_counter() - start)
    return [min(mine) for mine in times]


@cache
def occ_rows(rows: int) -> Microdata:
    """Rows of the census stand-in with occupation as the sensitive value, whatever the data folder holds."""
    return census("occ", rows=rows, seed=1)


def one_lexsort(repeat: int = 7) -> float:
    """Seconds of one lexsort, measured now."""
    table = occ_rows(200_000)
    columns = [column.astype(np.int64) for column in (*table.sensitive_codes, *table.qi_codes[::-1])]
    return best(lambda: np.lexsort(columns), repeat=repeat)


def one_bincount(n: int, repeat: int = 7) -> float:
    """Seconds of one bincount of n keys, measured now."""
    keys = np.random.default_rng(0).integers(0, 4096, n)
    return best(lambda: np.bincount(keys, minlength=4096), repeat=repeat)
