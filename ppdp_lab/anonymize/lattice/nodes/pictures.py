"""Pictures of a search: the lattice node by node while it is small, its heights when it is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting
from ppdp_lab.anonymize.lattice.nodes.result import SearchResult
from ppdp_lab.anonymize.lattice.nodes.sketches import LOOKS, MOST_BARS, MOST_NAMES, MOST_NODES, by_height, edges, places


def picture_of(result: SearchResult) -> Figure:
    """Bottom up: the original table below, everything generalized above."""
    frame = result.to_frame()
    if len(frame) > MOST_NODES:
        _, ax = plotting.figure(width=min(max(5.6, 0.36 * (result.lattice.max_height + 1) + 1.2), 14))
        return _heights(ax, result, frame)
    widest = int(frame.groupby("height").size().max())
    width, height = max(3.4, 0.7 * widest + 1.2), max(2.8, 0.56 * (result.lattice.max_height + 1) + 1.0)
    figure, ax = plotting.figure(width=min(width, 14), height=min(height, 12))
    levels = frame[list(result.quasi_identifiers)].to_numpy()
    order = frame["check"].fillna(0).to_numpy(dtype=int)
    names = [",".join(map(str, node)) for node in levels] if len(levels) <= MOST_NAMES else None
    size = 520 if names else 60
    place = draw_lattice(ax, levels, frame["state"].tolist(), order, names=names, size=size)
    if result.best is not None:
        x, y = place[np.ravel_multi_index(result.best, result.lattice.shape)]
        ax.scatter(x, y, s=size * 2.1, zorder=4, facecolors="none", edgecolors=plotting.INK, linewidths=1.6)
    ax.margins(0.12, 0.1)
    return plotting.legend_above(figure, more=_key(result, frame), columns=3)


def draw_lattice(
    ax: Axes,
    levels: np.ndarray,
    states: Sequence[str],
    order: Sequence[int] | np.ndarray,
    *,
    names: Sequence[str] | None,
    size: float,
) -> np.ndarray:
    """Draw nodes and what follows upon what; returns where they lie.

    Parameters
    ----------
    levels : array
        One row per node; nodes of some of the quasi-identifiers, or some of the nodes, are fine.
    states : sequence of str
        A key of ``LOOKS`` per node: it decides colour and shape.
    order : sequence of int
        The number of each node's check, 0 where there was none: checked ones are filled.
    names : sequence of str or None
        What to write into the nodes, under the number of the check; nothing at all unless given.
    size : float
        Of a node, in points squared.
    """
    place = places(levels)
    lines = LineCollection(
        [place[[a, b]] for a, b in edges(levels)], colors=plotting.FAINT, linewidths=0.8, zorder=1, antialiaseds=(1,)
    )
    ax.add_collection(lines)
    for row in np.lexsort(place.T):  # from the bottom, from the left
        (x, y), (colour, marker) = place[row], LOOKS[states[row]][:2]
        fill = colour if order[row] else "white"
        ax.scatter([x], [y], s=size, c=[fill], edgecolors=colour, linewidths=1.5, marker=marker, zorder=3)
        if names is None:
            continue
        words: dict[str, Any] = {"ha": "center", "fontsize": 6.5, "zorder": 5, "textcoords": "offset points"}
        if order[row]:  # both within the node: the number of the check over the node's name
            bold = words | {"fontweight": "bold"}
            ax.annotate(str(order[row]), (x, y), (0, 0.5), va="bottom", color="white", **bold)
            ax.annotate(names[row], (x, y), (0, 0), va="top", color="white", **words)
        else:
            ax.annotate(names[row], (x, y), (0, 0), va="center", color="black", **words)
    ax.set_axis_off()
    return place


def _key(result: SearchResult, frame: pd.DataFrame) -> list[Line2D]:
    """What the marks mean, of those that are there."""
    checked, marks = frame["check"].notna(), []
    for state, (colour, marker, words, _) in LOOKS.items():
        for was, how in ((True, "checked (number: when)"), (False, "without a check")):
            if ((frame["state"] == state) & (checked == was)).any():
                said = words if state == "unknown" else f"{words}, {how}"
                look: dict[str, Any] = {"markerfacecolor": colour if was else "white", "markeredgecolor": colour}
                marks.append(Line2D([], [], marker=marker, linestyle="", label=said, **look))
    if result.best is not None:
        ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": plotting.INK, "markeredgewidth": 1.6}
        marks.append(Line2D([], [], marker="o", linestyle="", markersize=8, label="best", **ring))
    return marks


def _heights(ax: Axes, result: SearchResult, frame: pd.DataFrame) -> Figure:
    """Of each height, which share of its nodes satisfies the rule; how many there are stands above."""
    counted = by_height(frame)
    nodes = counted.sum(axis=1)
    foot = np.zeros(len(counted))
    for state in counted:
        share = (counted[state] / nodes).to_numpy()
        ax.bar(counted.index, share, bottom=foot, color=LOOKS[state][0], label=LOOKS[state][2], width=0.85)
        foot += share
    for height, count in nodes.items() if len(nodes) <= MOST_BARS else ():
        ax.annotate(str(count), (float(height), 1.02), ha="center", fontsize=6)  # type: ignore[arg-type]
    if result.best is not None:
        best = f"height of the best, {sum(result.best)}"
        ax.axvline(sum(result.best), 0, 1 / 1.1, color=plotting.INK, linewidth=1.2, linestyle=":", label=best)
    ax.set_ylim(0, 1.1)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    plotting.percent(ax.yaxis)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    title = f"{result.lattice.size:,} nodes (above: of this height)"
    figure = plotting.label(ax, x="height (sum of the levels)", y="nodes of this height", title=title, legend=False)
    return plotting.legend_above(figure, ax, columns=4)
