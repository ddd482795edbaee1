"""Figures of the m-Distinct experiment: Figures 1 to 9 of the paper.

A colour is an l or an m; what has one curve only, or one per way of placing new records, has none of these colours.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.lab import runs

RELEASE, DIAMETER = "release", "internal update diameter d (values per block)"
VULNERABLE, ERROR = "vulnerable values (share)", "median error (share of the estimate)"
TWO_THIRDS, TOP, MOST = 0.66, 7, 2  # what the paper says of Figures 3(a), 7 and 8(b)
ALONE = plotting.style(6) | {"marker": "o", "linestyle": "-"}
WAYS = {  # of placing new records: what the results call them, what a reader does, and how they look
    "apart": ("new records kept apart", plotting.style(4) | {"linestyle": "-"}),
    "scored": ("scored as printed", plotting.style(5) | {"linestyle": plotting.LINES[1], "markerfacecolor": "white"}),
}


def update_graphs(results: runs.Tables) -> Figure:
    """Figures 1 and 2 of the m-Distinct paper: update graphs, what is left of them, and the true values."""
    graphs = results["graphs"]
    names = list(dict.fromkeys(graphs["graph"]))
    figure, axes = plotting.figure(1, len(names), width=3.3, height=2.7, squeeze=False)
    for ax, name in zip(axes[0], names):
        rows = runs.rows_where(graphs, graph=name)
        for edge in rows[rows["to"] != ""].itertuples():
            colour, line = (plotting.INK, "-") if edge.left else (plotting.PAPER, ":")
            ax.plot([edge.level, edge.level + 1], [-edge.place, -edge.to_place], color=colour, linestyle=line, zorder=1)
        last, lowest = rows["level"].max(), -rows["place"].max()
        for node in rows[rows["to"] == ""].itertuples():
            at, colour = (node.level, -node.place), plotting.COLOURS[0] if node.left else plotting.FAINT
            if node.true:  # a ring with a gap: seen in grey, too
                ring = {"facecolor": "white", "edgecolors": plotting.COLOURS[1], "linewidths": 2, "zorder": 2}
                ax.scatter(*at, s=230, **ring)
            ax.scatter(*at, s=90, color=colour, zorder=3)
            text = f"{node.value}\n{node.probability:.2f}" if node.left else f"{node.value}\n(ruled out)"
            # Edges leave the first column to the right and reach the last one from the left: labels stand outside.
            outside = {0: ((-11, 0), "right"), last: ((11, 0), "left")}
            away, across = outside.get(node.level, ((0, 17), "center"))
            ax.annotate(text, at, away, textcoords="offset points", ha=across, va="center", fontsize=7)
        for level in range(last + 1):
            said = {"ha": "center", "va": "top", "fontsize": 7, "color": plotting.PAPER}
            ax.text(level, lowest - 0.3 * (1 - lowest) / 2, f"release {level + 1}", **said)
        ax.set_title(name)
        ax.set_xlim(-0.4 * last - 0.1, 1.4 * last + 0.1)
        ax.set_ylim(lowest - 0.3 * (1 - lowest), 0.22 * (1 - lowest))
        ax.set_axis_off()
    return figure


def _curve(
    rows: pd.DataFrame, x: str, y: str, labels: tuple[str, str], *, series: str | None = None
) -> tuple[Figure, Any]:
    """One curve, or one for each value of a column, from 0 on; ticks where something was measured."""
    figure, ax = plotting.figure()
    rows = rows if series is None else _named(rows, series)
    looks = {None: ALONE} if series is None else None
    plotting.curves(ax, rows, x=x, y=y, series="of" if series else None, looks=looks)
    plotting.from_zero(ax, rows[y].max() or 1)
    _at(ax, rows[x])
    plotting.label(ax, x=labels[0], y=labels[1], legend=False)
    return figure, ax


def _named(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    return rows.assign(of=f"{column} = " + rows[column].astype(str))


def _at(ax: Any, values: Any) -> None:
    """Ticks where something was measured, unless that is at too many places."""
    places = sorted(set(values))
    if len(places) <= 8:
        ax.set_xticks(places)


# ---------------------------------------------------------------------- what others give away
def _vulnerable(rows: pd.DataFrame, x: str, words: str) -> tuple[Figure, Any]:
    """One panel per algorithm, one curve per l."""
    rows, names = _named(rows, "l"), list(dict.fromkeys(rows["method"]))
    figure, axes = plotting.figure(1, len(names), width=2.7, height=2.9, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        plotting.curves(ax, runs.rows_where(rows, method=name), x=x, y="share", series="of")
        _at(ax, rows[x])
        plotting.percent(ax.yaxis)
        plotting.label(ax, x=words, y=VULNERABLE if ax is axes[0][0] else "", title=name, legend=False)
    return figure, axes[0]


def vulnerable_over_time(results: runs.Tables) -> Figure:
    """Figure 3(a): values that l-diversity discloses, one panel per algorithm."""
    rows = results["disclosed"]
    figure, axes = _vulnerable(rows[rows["over_time"]], "release", RELEASE)
    for ax in axes:
        plotting.dashed(ax, TWO_THIRDS, "paper: 66 % for l = 2 at release 20")
    return plotting.legend_above(figure, axes[0])


def vulnerable_by_diameter(results: runs.Tables) -> Figure:
    """Figure 3(b): the same at the last release, by diameter."""
    rows = results["disclosed"]
    at_every_d = rows[~rows["over_time"]]["l"].unique() if not rows["over_time"].all() else rows["l"].unique()
    rows = rows[(rows["release"] == rows["release"].max()) & rows["l"].isin(at_every_d)]
    figure, axes = _vulnerable(rows, "d", "diameter d")
    return plotting.legend_above(figure, axes[0])


def invalid_over_time(results: runs.Tables) -> Figure:
    """Figure 4(a): records that m-invariance cannot place."""
    rows = results["invalid"]
    figure, ax = _curve(rows[rows["over_time"]], "release", "invalid", (RELEASE, "records that cannot be placed"))
    plotting.counted(ax.yaxis)
    return figure


def invalid_by_diameter(results: runs.Tables) -> Figure:
    """Figure 4(b): the same at the last release, by diameter."""
    rows = results["invalid"]
    rows = rows[rows["release"] == rows["release"].max()]
    figure, ax = _curve(rows, "d", "invalid", (DIAMETER, "records that cannot be placed"))
    ax.plot(
        1,
        0,
        "s",
        markersize=9,
        color=plotting.PAPER,
        markerfacecolor="none",
        label="paper: none at d = 1",
        clip_on=False,
    )
    plotting.counted(ax.yaxis)
    return plotting.legend_above(figure)


# ---------------------------------------------------------------------- what m-Distinct costs
def _error(results: runs.Tables, name: str, x: str, words: str, *, series: str | None = None) -> Figure:
    rows = runs.rows_where(results["errors"], figure=name)
    figure, ax = _curve(rows, x, "error", (words, ERROR), series=series)
    plotting.percent(ax.yaxis)
    return figure if series is None else plotting.legend_above(figure)


def error_over_time(results: runs.Tables) -> Figure:
    """Figure 5(a): median query error, by release and m."""
    return _error(results, "5a", "release", RELEASE, series="m")


def error_by_width(results: runs.Tables) -> Figure:
    """Figure 5(b): median query error, by the width of the ranges."""
    return _error(results, "5b", "theta", "theta (share of each domain)")


def error_by_diameter(results: runs.Tables) -> Figure:
    """Figure 6: median query error, by diameter."""
    return _error(results, "6", "d", DIAMETER)


def _counterfeits(results: runs.Tables, name: str, x: str, labels: tuple[str, str]) -> tuple[Figure, Any]:
    rows = results["counterfeits"]
    rows = rows[rows["figure"].str.contains(name)]
    rows = rows.assign(way=rows["way"].map(lambda way: WAYS[way][0]))
    figure, ax = plotting.figure()
    plotting.curves(
        ax, rows, x=x, y="per_group", series="way", order=list(dict(WAYS.values())), looks=dict(WAYS.values())
    )
    _at(ax, rows[x])
    title = f"{rows['deletes'].iloc[0]:,} deletions per release"
    plotting.label(ax, x=labels[0], y=labels[1], title=title, legend=False)
    return figure, ax


def counterfeits_over_time(results: runs.Tables) -> Figure:
    """Figure 7: counterfeits per group, by release."""
    figure, ax = _counterfeits(results, "7", "release", (RELEASE, "counterfeits per group"))
    if results["counterfeits"]["release"].max() >= TOP:
        plotting.dashed(ax, TOP, f"paper: largest at release {TOP}", axis="x")
    return plotting.legend_above(figure, rows=2)


def counterfeits_by_diameter(results: runs.Tables) -> Figure:
    """Figure 8(a): counterfeits per group, by diameter."""
    figure, _ = _counterfeits(results, "8a", "d", (DIAMETER, "counterfeits per group (mean)"))
    return plotting.legend_above(figure)


def counterfeits_by_m(results: runs.Tables) -> Figure:
    """Figure 8(b): counterfeits per group, by m."""
    figure, ax = _counterfeits(results, "8b", "m", ("m", "counterfeits per group (mean)"))
    plotting.dashed(ax, MOST, f"paper: below {MOST} at m = 8")
    return plotting.legend_above(figure, rows=2)


def seconds_by_diameter(results: runs.Tables) -> Figure:
    """Figure 9(a): time for the second release, by diameter."""
    rows = runs.rows_where(results["timing"], figure="9a")
    return _curve(rows, "d", "seconds", (DIAMETER, "time for the second release (s)"))[0]


def seconds_by_m(results: runs.Tables) -> Figure:
    """Figure 9(b): time for the second release, by m."""
    rows = runs.rows_where(results["timing"], figure="9b")
    return _curve(rows, "m", "seconds", ("m", "time for the second release (s)"))[0]
