"""Figures of the tour."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import metrics, plotting
from ppdp_lab.lab import runs

_K = "k (least people per class)"


def idea(results: runs.Tables) -> Figure:
    """A dozen people: the bare table, k-anonymity, l-diversity, and what somebody finds who looks for one of them."""
    rows = results["idea"]
    rules = list(dict.fromkeys(rows["rule"]))
    figure, axes = plotting.figure(1, 1 + len(rules), width=3.4, height=3.3, sharex=True, sharey=True)
    persons = runs.rows_where(rows, what="person", rule=rules[0])
    wanted = persons[persons["known"]].iloc[0]
    for i, value in enumerate(dict.fromkeys(persons["shows"])):
        chosen, looks = runs.rows_where(persons, shows=value), plotting.style(i)
        axes[0].plot(chosen["x0"], chosen["y0"], looks["marker"], color=looks["color"], label=value)
    found = [f"the table without names\nlearned: {wanted['shows']}"]
    for ax, rule in zip(axes[1:], rules):
        boxes = runs.rows_where(rows, what="box", rule=rule)
        plotting.partition(ax, boxes, shaded=False)
        for box in boxes.itertuples():
            top = (box.x0 + box.x1) / 2, box.y1 - 0.25  # the circle may be below
            ax.text(*top, box.shows.replace(", ", "\n"), ha="center", va="top", fontsize=6.5)
            if box.x0 <= wanted["x0"] <= box.x1 and box.y0 <= wanted["y0"] <= box.y1:
                found.append(f"{rule}\nlearned: {' or '.join(dict.fromkeys(box.shows.split(', ')))}")
    for ax, title in zip(axes, found):
        ax.plot(wanted["x0"], wanted["y0"], "o", markersize=13, markerfacecolor="none", color=plotting.INK)
        ax.set(xlim=(20, 64), ylim=(7, 17))
        ax.grid(False)
        y = "education (years)" if ax is axes[0] else ""
        plotting.label(ax, x="age (years)", y=y, title=title, legend=False)
    return plotting.legend_above(figure, axes[0])


def partition(results: runs.Tables) -> Figure:
    """Mondrian's boxes over two attributes, for three k."""
    boxes = results["boxes"]
    ks = sorted(boxes["k"].unique())
    figure, axes = plotting.figure(1, len(ks), width=3.3, height=3.0, squeeze=False, sharey=True)
    for ax, k in zip(axes[0], ks):
        chosen = runs.rows_where(boxes, k=k)
        plotting.partition(ax, chosen)
        x, y = chosen[["x", "y"]].iloc[0]
        plotting.label(ax, x=x, y=y if k == ks[0] else "", title=f"k = {k:.0f}: {len(chosen):,} boxes")
    return figure


def _over_k(ax: Axes, results: runs.Tables, y: str) -> None:
    grid = results["grid"]
    plotting.curves(ax, grid, x="k", y=y, series="rule")
    for curve in ax.lines[1::2]:  # curves that coincide are both seen: the one through the other's marks
        curve.set(markerfacecolor="none", markersize=6.5)
    ax.set_xscale("log")
    ticks = sorted(grid["k"].unique())
    ax.set_xticks(ticks, [f"{k:.0f}" for k in ticks])
    ax.minorticks_off()


def utility(results: runs.Tables) -> Figure:
    """Two measures of loss against k."""
    figure, axes = plotting.figure(1, 2, width=4.2)
    for ax, name in zip(axes, ("gcp", "discernibility")):
        metric = metrics.get(name)
        _over_k(ax, results, metric.name)
        plotting.label(ax, x=_K, y=metric.axis, title=f"{metric.better} is better")
    plotting.logarithmic(axes[1].yaxis)
    return figure


def attacks(results: runs.Tables) -> Figure:
    """What the homogeneity and the skewness attack find."""
    figure, axes = plotting.figure(1, 2, width=4.2)
    for ax, column, title in zip(axes, ("homogeneous", "skewed"), ("homogeneity attack", "skewness attack")):
        _over_k(ax, results, column)
        plotting.from_zero(ax, max(0.01, results["grid"][column].max()))
        plotting.percent(ax.yaxis)
        plotting.label(ax, x=_K, y="people exposed (share)", title=title)
    return figure


def query_error(results: runs.Tables) -> Figure:
    """Error of count queries against k."""
    _, ax = plotting.figure()
    _over_k(ax, results, "query_error")
    plotting.from_zero(ax, results["grid"]["query_error"].max() or 1)
    plotting.percent(ax.yaxis)
    return plotting.label(ax, x=_K, y="median relative error of counts")
