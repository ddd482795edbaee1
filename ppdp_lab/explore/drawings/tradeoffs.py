"""What a privacy parameter costs: loss and query error against it, point by point."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import metrics, plotting
from ppdp_lab.explore.drawings.words import letters
from ppdp_lab.explore.measure.tradeoffs import names_of

RING = plotting.INK


def tradeoff(points: pd.DataFrame, *, x: str, loss: str, error: str, point: int | None = None) -> Figure:
    """Two measures against one parameter, a line for each combination of the others; one point may be marked."""
    names = names_of(points, x)
    lines = by_name(points, names)
    with plotting.look():
        figure, axes = plotting.figure(1, 2, width=4.4, height=3.6)
        for ax, column, part in zip(axes, (loss, error), ("loss", "error")):
            _curves(ax, lines, x, column, part)
            if point is not None:
                at = points.iloc[point]
                ax.plot(at[x], at[column], "o", markersize=14, markerfacecolor="none", color=RING, markeredgewidth=1.8)
            values = sorted(points[x].unique())
            if min(values) > 0 and max(values) / min(values) >= 20:
                ax.set_xscale("log")
                ax.set_xticks(values, [f"{value:g}" for value in values])
                ax.minorticks_off()
            plotting.label(ax, x=letters(x), y=letters(label_of(column)), legend=False)
        if len(lines) > 1:
            plotting.legend_above(figure, axes[0], columns=3)
        return figure


def _curves(ax: Axes, lines: dict[str, pd.DataFrame], x: str, y: str, part: str) -> None:
    for index, (name, chosen) in enumerate(lines.items()):
        looks = plotting.style(index)
        means = chosen.groupby(x)[y].mean()
        ax.plot(means.index, means, color=looks["color"], linestyle=looks["linestyle"])
        ax.plot([], [], label=letters(name), **looks)
        # All marks at once: one by one they took a third of the time of the picture.
        marks = ax.scatter(chosen[x], chosen[y], s=49, marker=looks["marker"], color=looks["color"], zorder=2.1)
        marks.set_gid(gid(part, index))


def by_name(points: pd.DataFrame, names: pd.Series) -> dict[str, pd.DataFrame]:
    """The points of each line, in the order in which the lines are drawn."""
    bare = points.copy(deep=False)
    bare.attrs = {}  # pandas copies them, in depth, at every look into a frame
    return {str(name): chosen for name, chosen in bare.groupby(names, sort=False)}


def gid(part: str, line: int) -> str:
    """The name of the marks of a line in the drawing."""
    return f"points-{part}-{line}"


def label_of(column: str) -> str:
    """A measure's label: that of the metric, where it is one."""
    return metrics.get(column).axis if column in metrics.ALL else column.replace("_", " ")
