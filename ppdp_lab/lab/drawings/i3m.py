"""Figures of the I3M experiment."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting


def events(results: pd.DataFrame) -> Figure:
    """A cluster being split, and one being dispersed."""
    pictures = results[results["part"] == "pictures"]
    figure, axes = plotting.figure(1, 4, width=2.6, height=2.6, sharey=True, sharex=True)
    stages = [("split", "before"), ("split", "after"), ("dispersed", "before"), ("dispersed", "after")]
    for ax, (event, stage) in zip(axes, stages):
        chosen = pictures[(pictures["event"] == event) & (pictures["stage"] == stage)]
        boxes, points = chosen[chosen["what"] == "box"], chosen[chosen["what"] == "point"]
        other = pictures[(pictures["event"] == event) & (pictures["stage"] != stage) & (pictures["what"] == "box")]
        plotting.partition(ax, boxes, points=points.rename(columns={"x0": "x", "y0": "y"}))
        ends = ["x0", "x1", "y0", "y1"]
        moved = boxes.merge(other[ends].assign(stays=True), on=ends, how="left")["stays"].isna()
        for box in boxes[moved.to_numpy()].itertuples():
            ax.add_patch(
                plotting.Rectangle(
                    (box.x0, box.y0), box.x1 - box.x0, box.y1 - box.y0, fill=False, edgecolor=plotting.COLOURS[1], lw=2
                )
            )
        name = "I3M+: a cluster is split" if event == "split" else "I3M-: a cluster is dispersed"
        title = f"{name}\n" if stage == "before" else "\n"
        plotting.label(ax, x="age (years)", y="education (years)" if ax is axes[0] else "", title=title + stage)
    every = pictures[pictures["what"] == "box"]
    axes[0].set_xlim(every["x0"].min() - 1, every["x1"].max() + 1)
    axes[0].set_ylim(every["y0"].min() - 0.5, every["y1"].max() + 0.5)
    return figure


def insert(results: pd.DataFrame) -> Figure:
    """Figure 4 for every k: loss and time against the number of inserted records."""
    return _loss_and_time(results, "insert", "inserted records")


def delete(results: pd.DataFrame) -> Figure:
    """Figure 5 for every k: loss and time against the number of deleted records."""
    return _loss_and_time(results, "delete", "deleted records")


def _loss_and_time(results: pd.DataFrame, direction: str, x: str) -> Figure:
    runs = results[(results["part"] == "runs") & (results["direction"] == direction)]
    ks = sorted(runs["k"].unique())
    figure, axes = plotting.figure(2, len(ks), width=3.2, height=2.6, squeeze=False, sharex=True)
    for column, k in enumerate(ks):
        chosen = runs[runs["k"] == k]
        for ax, y, words in zip(axes[:, column], ("loss", "seconds"), ("information loss", "time (s)")):
            plotting.curves(ax, chosen, x="change", y=y, series="method", order=["I3M", "static"])
            ax.set_ylim(0, 1.1 * chosen[y].max())
            plotting.label(
                ax,
                x=x if y == "seconds" else "",
                y=words if column == 0 else "",
                title=f"k = {k:.0f}" if y == "loss" else "",
            )
    return figure


def optimization(results: pd.DataFrame) -> Figure:
    """Figure 6: loss before and after the optimization, and its time beside the clustering's."""
    runs = results[results["part"] == "runs"]
    figure, axes = plotting.figure(1, 2, width=4.6, height=3.2)
    labels, before, after, clustering, optimizing = [], [], [], [], []
    for direction, method in (("insert", "static"), ("insert", "I3M"), ("delete", "I3M")):
        for k in sorted(runs["k"].unique()):
            mean = runs[(runs["direction"] == direction) & (runs["method"] == method) & (runs["k"] == k)].mean(
                numeric_only=True
            )
            sign = {"insert": "+", "delete": "-"}[direction] if method == "I3M" else ""
            labels.append(f"{method}{sign}\nk={k:.0f}")
            before.append(mean["loss_before"])
            after.append(mean["loss"])
            clustering.append(mean["clustering_seconds"])
            optimizing.append(mean["optimizing_seconds"])
    places = list(range(len(labels)))
    left, right = [p - 0.2 for p in places], [p + 0.2 for p in places]
    axes[0].bar(left, before, 0.4, label="before", color=plotting.COLOURS[0])
    axes[0].bar(right, after, 0.4, label="after", color=plotting.COLOURS[1], hatch="//", edgecolor="white")
    axes[1].bar(left, clustering, 0.4, label="clustering", color=plotting.COLOURS[0])
    axes[1].bar(right, optimizing, 0.4, label="optimization", color=plotting.COLOURS[1], hatch="//", edgecolor="white")
    axes[1].set_yscale("log")
    axes[0].set_ylim(0, 1.25 * max(before))
    for ax, y in zip(axes, ("information loss (mean)", "time (s, mean)")):
        ax.set_xticks(places, labels, fontsize=7)
        plotting.label(ax, x="", y=y)
    return figure


def leaks(results: pd.DataFrame) -> Figure:
    """What two attacks learn from the series."""
    found = results[results["part"] == "leaks"].copy()
    found["curve"] = found["method"] + ", k = " + found["k"].astype(int).astype(str)
    figure, axes = plotting.figure(1, 2, width=4.4, height=3.2)
    who = {"difference": "newcomers among fewer than k", "intersection": "people whose value is certain"}
    for ax, attack in zip(axes, who):
        plotting.curves(ax, found[found["attack"] == attack], x="release", y="exposed", series="curve")
        ax.yaxis.set_major_formatter("{x:.0%}")
        ax.set_ylim(0, max(0.01, 1.15 * found.loc[found["attack"] == attack, "exposed"].max()))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        plotting.label(ax, x="release", y=f"{who[attack]} (share)", title=f"{attack} attack", legend=False)
    return plotting.legend_above(figure, axes[0])
