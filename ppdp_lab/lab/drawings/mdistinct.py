"""Figures of the m-Distinct experiment: Figures 1 to 9 of the paper."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.lab.run import tables

RELEASE, DIAMETER = "release", "internal update diameter d (values per block)"
VULNERABLE = "vulnerable values (share)"


def update_graphs(results: tables.Tables) -> Figure:
    """Figures 1 and 2: update graphs, what is left of them, and the true values."""
    graphs = results["graphs"]
    names = list(dict.fromkeys(graphs["graph"]))
    figure, axes = plotting.figure(1, len(names), width=3.1, height=2.6, squeeze=False)
    for ax, name in zip(axes[0], names):
        rows = tables.rows(graphs, graph=name)
        for edge in rows[rows["to"] != ""].itertuples():
            colour, line = (plotting.INK, "-") if edge.left else (plotting.PAPER, ":")
            ax.plot([edge.level, edge.level + 1], [-edge.place, -edge.to_place], color=colour, linestyle=line, zorder=1)
        for node in rows[rows["to"] == ""].itertuples():
            colour = plotting.COLOURS[0] if node.left else plotting.FAINT
            ring = plotting.COLOURS[1] if node.true else colour
            ax.scatter(node.level, -node.place, s=130, color=colour, edgecolors=ring, linewidths=2, zorder=2)
            text = f"{node.value}\n{node.probability:.2f}" if node.left else str(node.value)
            ax.annotate(text, (node.level, -node.place), (0, 11), textcoords="offset points", ha="center", fontsize=7)
        ax.set_title(name)
        ax.margins(0.25)
        ax.set_axis_off()
    return figure


def vulnerable_over_time(results: tables.Tables) -> Figure:
    """Figure 3(a): values that l-diversity discloses, one panel per algorithm."""
    rows = results["disclosed"]
    rows = rows[rows["over_time"]].assign(of=lambda r: "l = " + r["l"].astype(str))
    names = list(dict.fromkeys(rows["method"]))
    figure, axes = plotting.figure(1, len(names), width=2.7, height=2.9, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        plotting.curves(ax, tables.rows(rows, method=name), x="release", y="share", series="of")
        plotting.dashed(ax, 0.66, "paper, l = 2, release 20")
        plotting.percent(ax.yaxis)
        plotting.label(ax, x=RELEASE, y=VULNERABLE if ax is axes[0][0] else "", title=name, legend=False)
    return plotting.legend_above(figure, axes[0][0])


def vulnerable_by_diameter(results: tables.Tables) -> Figure:
    """Figure 3(b): the same at the last release, by diameter."""
    rows = results["disclosed"]
    at_every_d = rows[~rows["over_time"]]["l"].unique() if not rows["over_time"].all() else rows["l"].unique()
    rows = rows[(rows["release"] == rows["release"].max()) & rows["l"].isin(at_every_d)]
    rows = rows.assign(of="l = " + rows["l"].astype(str))
    names = list(dict.fromkeys(rows["method"]))
    figure, axes = plotting.figure(1, len(names), width=2.7, height=2.9, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        plotting.curves(ax, tables.rows(rows, method=name), x="d", y="share", series="of")
        _at(ax, rows["d"])
        plotting.percent(ax.yaxis)
        plotting.label(ax, x="diameter d", y=VULNERABLE if ax is axes[0][0] else "", title=name, legend=False)
    return plotting.legend_above(figure, axes[0][0])


def invalid_over_time(results: tables.Tables) -> Figure:
    """Figure 4(a): records that m-invariance cannot place."""
    _, ax = plotting.figure()
    rows = results["invalid"]
    plotting.curves(ax, rows[rows["over_time"]], x="release", y="invalid")
    return plotting.label(ax, x=RELEASE, y="records that cannot be placed")


def invalid_by_diameter(results: tables.Tables) -> Figure:
    """Figure 4(b): the same at the last release, by diameter."""
    _, ax = plotting.figure()
    rows = results["invalid"]
    plotting.curves(ax, rows[rows["release"] == rows["release"].max()], x="d", y="invalid")
    plotting.dashed(ax, 0, "paper at d = 1")
    _at(ax, rows["d"])
    return plotting.label(ax, x=DIAMETER, y="records that cannot be placed")


def _at(ax: Any, values: Any) -> None:
    """Ticks where something was measured."""
    ax.set_xticks(sorted(set(values)))


def _named(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    return rows.assign(of=f"{column} = " + rows[column].astype(str))


def error_over_time(results: tables.Tables) -> Figure:
    """Figure 5(a): median query error, by release and m."""
    _, ax = plotting.figure()
    rows = results["errors"]
    plotting.curves(ax, _named(rows[rows["figure"] == "5a"], "m"), x="release", y="error", series="of")
    ax.set_ylim(bottom=0)
    return plotting.label(ax, x=RELEASE, y="median error (share of the estimate)")


def error_by_width(results: tables.Tables) -> Figure:
    """Figure 5(b): median query error, by the width of the ranges."""
    _, ax = plotting.figure()
    rows = results["errors"]
    plotting.curves(ax, rows[rows["figure"] == "5b"], x="theta", y="error")
    return plotting.label(ax, x="theta (share of each domain)", y="median error (share of the estimate)")


def error_by_diameter(results: tables.Tables) -> Figure:
    """Figure 6: median query error, by diameter."""
    _, ax = plotting.figure()
    rows = results["errors"]
    rows = rows[rows["figure"] == "6"]
    plotting.curves(ax, rows, x="d", y="error")
    _at(ax, rows["d"])
    ax.set_ylim(bottom=0)
    return plotting.label(ax, x=DIAMETER, y="median error (share of the estimate)")


def _counterfeits(results: tables.Tables, name: str, x: str) -> tuple[Any, Any]:
    rows = results["counterfeits"]
    rows = rows[rows["figure"].str.contains(name)]
    figure, ax = plotting.figure()
    plotting.curves(ax, rows, x=x, y="per_group", series="way", order=["apart", "scored"])
    if x != "release":
        _at(ax, rows[x])
    return figure, ax


def counterfeits_over_time(results: tables.Tables) -> Figure:
    """Figure 7: counterfeits per group, by release."""
    _, ax = _counterfeits(results, "7", "release")
    plotting.dashed(ax, 7, "paper: largest at release 7", axis="x")
    return plotting.label(ax, x=RELEASE, y="counterfeits per group")


def counterfeits_by_diameter(results: tables.Tables) -> Figure:
    """Figure 8(a): counterfeits per group, by diameter."""
    _, ax = _counterfeits(results, "8a", "d")
    return plotting.label(ax, x=DIAMETER, y="counterfeits per group (mean)")


def counterfeits_by_m(results: tables.Tables) -> Figure:
    """Figure 8(b): counterfeits per group, by m."""
    _, ax = _counterfeits(results, "8b", "m")
    plotting.dashed(ax, 2, "paper: below this at m = 8")
    return plotting.label(ax, x="m", y="counterfeits per group (mean)")


def seconds_by_diameter(results: tables.Tables) -> Figure:
    """Figure 9(a): time for the second release, by diameter."""
    _, ax = plotting.figure()
    rows = results["timing"]
    rows = rows[rows["figure"] == "9a"]
    plotting.curves(ax, rows, x="d", y="seconds")
    ax.set_ylim(0, 1.15 * rows["seconds"].max())
    _at(ax, rows["d"])
    return plotting.label(ax, x=DIAMETER, y="time for the second release (s)")


def seconds_by_m(results: tables.Tables) -> Figure:
    """Figure 9(b): time for the second release, by m."""
    _, ax = plotting.figure()
    rows = results["timing"]
    rows = rows[rows["figure"] == "9b"]
    plotting.curves(ax, rows, x="m", y="seconds")
    ax.set_ylim(0, 1.15 * rows["seconds"].max())
    _at(ax, rows["m"])
    return plotting.label(ax, x="m", y="time for the second release (s)")
