"""What releases cost: every metric of the registry, and the records that were invented, left out or added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, PPDPError, listed
from ppdp_lab.lab.measure.comparing.members import Settings
from ppdp_lab.metrics import ALL
from ppdp_lab.release import Release

COUNTED = ("counterfeits", "suppressed", "dirty")
TIME = "time"


def columns() -> list[dict[str, Any]]:
    """Every cost with its label, its unit and which way is better, its value as yet unknown.

    >>> [row["label"] for row in columns()][-4:]
    ['counterfeits', 'suppressed', 'dirty', 'time']
    """
    said = [(m.name, m.label, m.unit, m.better) for m in ALL.values()]
    said += [(name, name, "records per release", "lower") for name in COUNTED]
    said.append((TIME, TIME, "seconds per release", "lower"))
    rows = [dict(zip(("cost", "label", "unit", "better"), one)) for one in said]
    return [row | {"value": np.nan, "why": ""} for row in rows]


def of_releases(
    releases: Sequence[Release], given: Mapping[str, Any], settings: Settings, *, seconds: float
) -> Iterator[dict[str, Any]]:
    """One row per cost, the mean over the releases; or why it cannot be said. ``seconds`` is the time of one release."""
    counts = pd.DataFrame([release.per_class()[list(COUNTED)].sum() for release in releases]).mean()
    known = {name: float(counts[name]) for name in COUNTED} | {TIME: seconds}
    for row in columns():
        name = row["cost"]
        try:
            value = known[name] if name in known else mean_of(name, releases, given, settings)
            yield row | {"value": value}
        except PPDPError as error:
            yield row | {"why": str(error)}


def mean_of(name: str, releases: Sequence[Release], given: Mapping[str, Any], settings: Settings) -> float:
    """The mean of a metric, which takes of what is given the parameters that it needs, and those that settings name."""
    metric = ALL[name]
    said = {needed: given[needed] for needed in metric.needs if needed in given} | dict(settings.get(name, {}))
    missing = [needed for needed in metric.needs if needed not in said]
    if missing:
        raise ParameterError(f"{name} needs {listed(missing)}, which the comparison does not give; say it in settings")
    return float(np.mean([metric(release, **said) for release in releases]))


def unpaid(why: str) -> list[dict[str, Any]]:
    """The rows where there is no release, and why."""
    return [row | {"why": why} for row in columns()]
