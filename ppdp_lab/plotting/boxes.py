"""The picture of a partition: boxes in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.collections import PathCollection
from matplotlib.path import Path as Outline

from ppdp_lab.plotting.axes import placed
from ppdp_lab.plotting.settings import COLOURS, INK, in_look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHADES = 40  # nobody tells more apart


@in_look
def partition(ax: Axes, boxes: pd.DataFrame, *, points: pd.DataFrame | None = None, shaded: bool = True) -> None:
    """Draw the boxes of a release as rectangles, darker where a class has more records per area.

    Parameters
    ----------
    boxes : DataFrame
        Columns ``x0, x1, y0, y1`` and ``size``, one row per class, as ``lab.box_frame`` makes them of a release;
        ends may be dates.
    points : DataFrame, optional
        Records to put on top: columns ``x`` and ``y``.
    shaded : bool
        False for boxes that are all alike.
    """
    boxes = placed(boxes, ax)
    corners = boxes[["x0", "y0", "x1", "y1"]].to_numpy(dtype=float)
    area = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
    density = np.log(boxes["size"].to_numpy() / area)
    # All boxes of one shade are one outline: ten times fewer things to draw, and nobody tells more shades apart.
    spread = float(np.ptp(density)) / SHADES or 1.0
    shade = np.round(density / spread).astype(int) if shaded else np.zeros(len(boxes), dtype=int)
    shades = np.unique(shade)
    outlines = [_outline(corners[shade == each]) for each in shades]
    drawn = PathCollection(outlines, cmap="Blues", edgecolor=INK, linewidth=0.5, alpha=0.85)
    if shaded:
        drawn.set_array(shades)
        # Neither white nor black: edges stay visible.
        drawn.set_clim(shades[0] - 0.3 * SHADES, shades[-1] + 0.8 * SHADES)
    else:
        drawn.set_facecolor("#f2f2f2")
    ax.add_collection(drawn)
    if points is not None:
        points = placed(points)
        ax.plot(points["x"], points["y"], ".", color=COLOURS[1] if shaded else INK, markersize=2 if shaded else 4)
    ax.set_xlim(corners[:, 0].min(), corners[:, 2].max())
    ax.set_ylim(corners[:, 1].min(), corners[:, 3].max())
    ax.grid(False)


def _outline(corners: np.ndarray) -> Outline:
    """Rectangles, given as rows of ``x0, y0, x1, y1``, as one path."""
    around = corners[:, [0, 1, 2, 1, 2, 3, 0, 3, 0, 1]].reshape(-1, 2)  # four corners, and the first one again
    once = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
    return Outline(around, np.tile(once, len(corners)))
