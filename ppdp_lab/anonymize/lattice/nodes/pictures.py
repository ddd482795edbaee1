"""Pictures of a search: the lattice node by node while it is small, its heights when it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ppdp_lab import pages, plotting
from ppdp_lab.anonymize.lattice.nodes.result import SearchResult

MOST_NODES, MOST_NAMES = 250, 60
# state of the frame: (colour, marker, words)
LOOKS = {
    "solution": (plotting.COLOURS[2], "o", "satisfies the rule"),
    "fails": (plotting.COLOURS[1], "s", "does not"),
    "unknown": (plotting.PAPER, "D", "not known"),
}


def picture_of(result: SearchResult) -> Figure:
    """Bottom up: the original table below, everything generalized above."""
    frame = result.to_frame()
    if len(frame) > MOST_NODES:
        figure, ax = plotting.figure(width=5.6)
        return _heights(ax, result)
    widest = int(frame.groupby("height").size().max())
    width, height = max(3.4, 0.62 * widest + 1.2), max(2.8, 0.52 * (result.lattice.max_height + 1) + 1.0)
    figure, ax = plotting.figure(width=min(width, 14), height=min(height, 12))
    _nodes(ax, result, names=len(frame) <= MOST_NAMES)
    return plotting.legend_above(figure, ax, columns=3)


def small_picture_of(result: SearchResult) -> pages.Html:
    """The picture as part of a page, small."""
    figure = picture_of(result)
    width, height = figure.get_size_inches()
    return pages.picture(plotting.image(figure), width=round(min(width * 80, 340 * width / height, 560)))


def _nodes(ax: Axes, result: SearchResult, *, names: bool) -> None:
    frame, shape = result.to_frame(), result.lattice.shape
    levels = np.array(np.unravel_index(np.arange(len(frame)), shape)).T
    heights = levels.sum(axis=1)
    place = np.empty((len(frame), 2))
    for height in range(heights.max() + 1):
        row = np.flatnonzero(heights == height)[::-1]
        place[row] = np.c_[np.arange(len(row)) - (len(row) - 1) / 2, np.full(len(row), height)]
    lines = []
    for axis, size in enumerate(shape):
        below = np.flatnonzero(levels[:, axis] < size - 1)
        above = np.ravel_multi_index((levels[below] + np.eye(len(shape), dtype=int)[axis]).T, shape)
        lines += [(place[a], place[b]) for a, b in zip(below, above)]
    ax.add_collection(LineCollection(lines, colors=plotting.FAINT, linewidths=0.6, zorder=1))
    checked = frame["check"].notna().to_numpy()
    size = 420 if names else 60
    for state, (colour, marker, words) in LOOKS.items():
        for was, how in ((True, "checked"), (False, "without a check")):
            chosen = (frame["state"] == state).to_numpy() & (checked == was)
            look: dict[str, Any] = {"c": colour if was else "white", "edgecolors": colour, "marker": marker}
            if chosen.any():
                ax.scatter(place[chosen, 0], place[chosen, 1], s=size, zorder=3, **look)
                ax.scatter([], [], s=30, label=words if state == "unknown" else f"{words}, {how}", **look)
    if result.best is not None:
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": plotting.INK, "linewidths": 1.6}
        at = place[np.ravel_multi_index(result.best, shape)]
        ax.scatter(at[0], at[1], s=size * 2.1, zorder=4, **ring)
        ax.scatter([], [], s=50, label="best", **ring)
    for i in np.flatnonzero(np.full(len(frame), names)):
        light = checked[i] and frame["state"].iloc[i] != "unknown"
        text = ",".join(map(str, levels[i]))
        ax.text(
            place[i, 0],
            place[i, 1],
            text,
            ha="center",
            va="center",
            fontsize=6.5,
            color="white" if light else "black",
            zorder=5,
        )
    ax.margins(0.12, 0.1)
    ax.set_axis_off()


def _heights(ax: Axes, result: SearchResult) -> Figure:
    """How many nodes of each height satisfy the rule."""
    counted = result.to_frame().groupby(["height", "state"]).size().unstack(fill_value=0)
    foot = np.zeros(len(counted))
    for state, (colour, _, words) in LOOKS.items():
        if state in counted:
            ax.bar(counted.index, counted[state], bottom=foot, color=colour, label=words, width=0.85)
            foot += counted[state].to_numpy()
    if result.best is not None:
        best = f"height of the best, {sum(result.best)}"
        ax.axvline(sum(result.best), color=plotting.INK, linewidth=1.2, linestyle=":", label=best)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return plotting.label(ax, x="height (sum of the levels)", y="nodes", title=f"{result.lattice.size:,} nodes")
