"""Figures of the I3M experiment: in all of them colour and marker stand for k, line and filling for the method."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from ppdp_lab import plotting
from ppdp_lab.lab import drawing
from ppdp_lab.lab import runs as tables


def events(results: tables.Tables) -> Figure:
    """A cluster being split, and one being dispersed."""
    figure, axes = plotting.figure(1, 4, width=2.6, height=2.6, sharey=True, sharex=True)
    pictures = plotting.placed(results["pictures"], *axes)
    stages = [("split", "before"), ("split", "after"), ("dispersed", "before"), ("dispersed", "after")]
    boxes = {stage: tables.rows_where(pictures, event=stage[0], stage=stage[1], what="box") for stage in stages}
    points = {stage: tables.rows_where(pictures, event=stage[0], stage=stage[1], what="point") for stage in stages}
    for ax, (event, stage) in zip(axes, stages):
        there = event, "after" if stage == "before" else "before"
        here, other = boxes[event, stage], boxes[there]
        people = points[event, stage][["x0", "y0"]].set_axis(["x", "y"], axis=1)
        plotting.partition(ax, here, points=people, shaded=False)
        for place in _only_here(points[event, stage], points[there]):
            ax.plot(*place, "o", markersize=9, markerfacecolor="none", color=plotting.INK)
        ends = ["x0", "x1", "y0", "y1"]
        moved = here.merge(other[ends].assign(stays=True), on=ends, how="left")["stays"].isna()
        for box in here[moved.to_numpy()].itertuples():
            size = box.x1 - box.x0, box.y1 - box.y0
            ax.add_patch(Rectangle((box.x0, box.y0), *size, fill=False, edgecolor=plotting.COLOURS[1], lw=2.5))
        name = "I3M+: a cluster is split" if event == "split" else "I3M-: a cluster is dispersed"
        title = f"{name}\n" if stage == "before" else "\n"
        x, y = here[["x", "y"]].iloc[0]
        plotting.label(ax, x=x, y=y if ax is axes[0] else "", title=title + stage)
    every = pd.concat(boxes.values())
    for axis, ends in (("x", axes[0].set_xlim), ("y", axes[0].set_ylim)):
        low, high = every[f"{axis}0"].min(), every[f"{axis}1"].max()
        ends(low - 0.02 * (high - low), high + 0.02 * (high - low))  # room for thick lines, whatever the unit
    return figure


def _only_here(here: pd.DataFrame, there: pd.DataFrame) -> list[tuple[float, float]]:
    """Places of people who are in one picture and not in the other."""
    some, others = (Counter(zip(points["x0"], points["y0"])) for points in (here, there))
    return list((some - others).elements())


def insert(results: tables.Tables) -> Figure:
    """Figure 4, which has k = 3, and the other k: loss and time against the number of inserted records."""
    return _loss_and_time(results, "insert", "inserted records", "I3M+", paper=3)


def delete(results: tables.Tables) -> Figure:
    """Figure 5, which has k = 5, and the other k: loss and time against the number of deleted records."""
    return _loss_and_time(results, "delete", "deleted records", "I3M-", paper=5)


def _loss_and_time(results: tables.Tables, direction: str, x: str, name: str, *, paper: int) -> Figure:
    runs = tables.rows_where(results["runs"], direction=direction)
    ks = sorted(runs["k"].unique())
    figure, axes = plotting.figure(2, len(ks), width=3.2, height=2.6, squeeze=False, sharex=True)
    methods = {"I3M": name, "static": "static"}
    for column, k in enumerate(ks):
        chosen = tables.rows_where(runs, k=k)
        for ax, y, words in zip(axes[:, column], ("loss", "seconds"), ("information loss", "time (s)")):
            plotting.curves(ax, chosen, x="change", y=y, series="k", order=ks, line="method", lines=list(methods))
            for curve in ax.lines:
                curve.set_label("")  # k is in the title; the legend names the methods alone
            plotting.from_zero(ax, chosen[y].max())
            below = y == "seconds"
            plotting.counted(ax.xaxis)
            if not below:
                plotting.counted(ax.yaxis)
            title = f"k = {k} (the paper's)" if k == paper else f"k = {k}"
            plotting.label(
                ax, x=x if below else "", y="" if column else words, title="" if below else title, legend=False
            )
    looks = [plotting.style_of_two(0, line) | {"color": plotting.INK} for line in range(len(methods))]
    keys = [Line2D([], [], label=label, **look) for label, look in zip(methods.values(), looks)]
    return plotting.legend_above(figure, more=keys)


def optimization(results: tables.Tables) -> Figure:
    """Figure 6: loss before and after the optimization, and its time beside the clustering's."""
    runs = results["runs"]
    ks = sorted(runs["k"].unique())
    means, colours = {}, []
    for direction, method, sign in (("insert", "static", ""), ("insert", "I3M", "+"), ("delete", "I3M", "-")):
        for i, k in enumerate(ks):
            chosen = tables.rows_where(runs, direction=direction, method=method, k=k)
            means[f"{method}{sign}\nk = {k}"] = chosen.mean(numeric_only=True)
            colours.append(plotting.style(i)["color"])
    mean = pd.DataFrame(means).T
    names = list(mean.index)
    figure, axes = plotting.figure(1, 2, width=4.8, height=3.2)
    drawing.grouped(axes[0], {"before": mean["loss_before"], "after": mean["loss"]}, names, colours)
    seconds = {"clustering": mean["clustering_seconds"], "optimization": mean["optimizing_seconds"]}
    drawing.marks(axes[1], seconds, names, colours, markers=["^", "D"])
    axes[0].set_ylim(0, 1.05 * mean["loss_before"].max())
    plotting.counted(axes[0].yaxis)
    for ax, y in zip(axes, ("mean information loss", "mean time (s)")):
        ax.tick_params(axis="x", labelsize=7)
        plotting.label(ax, x="", y=y, legend=False)
        ax.legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
    return figure


def leaks(results: tables.Tables) -> Figure:
    """What two attacks learn from the series."""
    found = results["leaks"]
    found["of"] = "k = " + found["k"].astype(str)
    order = list(dict.fromkeys(found.sort_values("k")["of"]))
    figure, axes = plotting.figure(1, 2, width=4.4, height=3.2)
    who = {"difference": "newcomers exposed", "intersection": "people exposed"}
    for ax, attack in zip(axes, who):
        chosen = tables.rows_where(found, attack=attack)
        plotting.curves(ax, chosen, x="release", y="exposed", series="of", order=order, line="method")
        plotting.percent(ax.yaxis)
        plotting.from_zero(ax, max(0.01, chosen["exposed"].max()))
        plotting.label(ax, x="release", y=f"{who[attack]} (share)", title=f"{attack} attack", legend=False)
    return plotting.legend_above(figure, axes[0])
