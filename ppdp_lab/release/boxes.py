"""The boxes of a release as numbers: what the picture of a partition is drawn from, and part of a run's results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ppdp_lab.errors import SchemaError
from ppdp_lab.table.boxes import BoxColumn, Sets

if TYPE_CHECKING:
    from ppdp_lab.release.release import Release


def box_frame(release: Release) -> pd.DataFrame:
    """The boxes of a release with two quasi-identifiers: ``x0, x1, y0, y1`` and ``size``, one row per class.

    Ends are coordinates of values, widened by half a step on each side, so that the box of a single value has an area.
    """
    domains = release.table.qi_domains
    if len(domains) != 2:
        raise SchemaError(
            f"a picture has two axes, but this release has {len(domains)} quasi-identifiers; use two of them"
        )
    columns: dict[str, np.ndarray] = {}
    for axis, column in zip("xy", release.boxes):
        columns[f"{axis}0"], columns[f"{axis}1"] = axis_ends(column)
    return pd.DataFrame(columns | {"size": release.sizes})


def axis_ends(column: BoxColumn) -> tuple[np.ndarray, np.ndarray]:
    """Where each box begins and ends on an axis, half a step beyond its first and last value."""
    if isinstance(column, Sets):
        raise SchemaError(f"{column.domain.name!r} is generalized to sets of values, which have no place on an axis")
    where = column.domain.coordinates
    half = float(np.diff(where).min()) / 2 if len(where) > 1 else 0.5
    return where[column.low] - half, where[column.high] + half
