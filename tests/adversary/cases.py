"""How many random cases are tried, which chance each of them gets, and what became of them.

``PPDP_LAB_ADVERSARY`` says how many cases every family tries (200 unless given), ``PPDP_LAB_ADVERSARY_SEED`` moves all of
them to other random cases. A family that is slow takes a share of that number; the shares stand in README.md.
"""

from __future__ import annotations

import os
import time
import traceback
import zlib
from collections.abc import Callable

import numpy as np

from ppdp_lab.errors import InfeasibleError

CASES = int(os.environ.get("PPDP_LAB_ADVERSARY", 200))
SHIFT = int(os.environ.get("PPDP_LAB_ADVERSARY_SEED", 0))

TALLY: dict[str, list[float]] = {}
"""Per family: cases tried, refused by right, failed; and the seconds of processor time that they took."""
NOTES: list[str] = []
"""Rates that were measured, for the end of the run."""


class Refused(Exception):
    """The case says nothing: there is no release to attack."""


def chance_of(what: str, number: int) -> np.random.Generator:
    """The same chance for the same case in every run and on every machine."""
    return np.random.default_rng([zlib.crc32(what.encode()), number, SHIFT])


def how_many(share: float, least: int = 4) -> int:
    """Number of cases of a family that takes a share of them."""
    return max(round(CASES * share), least)


def attempt(what: str, one: Callable[[np.random.Generator], object], *, share: float = 1.0) -> None:
    """Try one family; every case is tried before the failures are shown, so that their number is known."""
    refused, failures = 0, []
    n, start = how_many(share), time.process_time()
    for number in range(n):
        try:
            one(chance_of(what, number))
        except (Refused, InfeasibleError):
            refused += 1
        except Exception as error:
            failures.append((number, error))
    count(what, n, refused, len(failures), time.process_time() - start)
    if failures:
        shown = "\n".join(f"case {number}: {''.join(traceback.format_exception(e)[-4:])}" for number, e in failures[:3])
        raise AssertionError(f"{what}: {len(failures)} of {n} cases failed\n{shown}")
    assert refused < n, f"{what}: all {n} cases were refused, so nothing was tried"


def count(what: str, tried: float, refused: float, failed: float, seconds: float) -> None:
    """Add to the tally."""
    row = TALLY.setdefault(what, [0, 0, 0, 0])
    for i, number in enumerate((tried, refused, failed, seconds)):
        row[i] += number
