"""From the tables of single points to tidy ones: swept parameters first, then what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ppdp_lab.lab.sweeping.functions import Swept
from ppdp_lab.lab.sweeping.grid import Point, cell
from ppdp_lab.lab.sweeping.result import described
from ppdp_lab.lab.sweeping.store import Outcome

PREFIX = "swept_"


def tidy(
    swept: Swept, points: Sequence[tuple[Point, Mapping[str, pd.DataFrame]]], provenance: str
) -> dict[str, pd.DataFrame]:
    """One table for each that the points have, with the points' parameters before it.

    A parameter whose name the results have already stands there once if both say the same in every row, and under
    ``swept_<name>`` if they do not.
    """
    names = dict.fromkeys(name for _, tables in points for name in tables)
    return {
        name: _one(swept, [(p, tables[name]) for p, tables in points if name in tables], provenance) for name in names
    }


def _one(swept: Swept, parts: Sequence[tuple[Point, pd.DataFrame]], provenance: str) -> pd.DataFrame:
    measured = pd.concat([table for _, table in parts], ignore_index=True)
    given = dict.fromkeys(name for point, _ in parts for name in point if name not in swept.lists)
    columns: dict[str, Any] = {}
    for name in given:
        values = [cell(point.get(name)) for point, table in parts for _ in range(len(table))]
        column = pd.Series(values, name=name).convert_dtypes() if any(v is None for v in values) else pd.Series(values)
        if name in measured.columns and measured[name].tolist() == values:
            measured = measured.drop(columns=name)
        columns[f"{PREFIX}{name}" if name in measured.columns else name] = column
    frame = pd.concat([pd.DataFrame(columns, index=measured.index), measured], axis=1)
    left = [name for name in measured.columns if name not in swept.counting]
    numbers = [name for name in left if pd.api.types.is_numeric_dtype(measured[name])]
    return described(frame, swept.name, list(columns), numbers, provenance)


def failures_of(failed: Sequence[tuple[Point, Outcome]]) -> pd.DataFrame:
    """One row per point that failed: the point, the error, the end of its traceback."""
    rows = [
        {name: cell(value) for name, value in point.items()} | {"error": one.error, "traceback": one.traceback}
        for point, one in failed
    ]
    return pd.DataFrame(rows, columns=None if rows else ["error", "traceback"])
