"""Figures of the equivalence experiment: Figures 2 to 4 and 6 to 10 of the paper, and two of our own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.lab.report.text import data_name
from ppdp_lab.lab.run import tables

CUT = plotting.COLOURS[1]
# What the paper's text says, section VII-B, and section IV-A of m-invariance's own counterfeits: all of them are drawn.
LAST_COUNTED, FEW, NONE_BELOW, WELL_BELOW = 5, 100, 9, 0.001
# The present in the middle and the releases around it: no two edges cross, and there is room for a label beside each.
_PLACES = {0: (0.0, 0.0), 1: (-2.2, -1.1), 2: (0.0, 1.5), 3: (2.2, -1.1)}


def bucket_graphs(results: tables.Tables) -> Figure:
    """Figures 2 to 4: the buckets' graphs after each release, with the smallest cut."""
    graphs = results["graphs"]
    rows = graphs[["figure", "signature"]].drop_duplicates().to_numpy().tolist()
    figure, axes = plotting.figure(len(rows), 3, width=2.9, height=2.3, squeeze=False)
    for line, (name, signature) in zip(axes, rows):
        for ax, after in zip(line, (1, 2, 3)):
            chosen = tables.rows(graphs, figure=name, signature=signature, after=after)
            ax.set_axis_off()
            if len(chosen):
                _graph(ax, chosen)
                ax.set_title(
                    f"T{after}: {name},\n{{{signature}}}: min-cut {chosen['min_cut'].iloc[0]:.0f}",
                    loc="left",
                    fontsize=7.5,
                )
    return figure


def _graph(ax: Axes, edges: pd.DataFrame) -> None:
    away = {int(node) for node in str(edges["away"].iloc[0]).split(",") if node}
    graph = nx.Graph()
    graph.add_nodes_from(range(int(edges["after"].iloc[0]) + 1))
    for edge in edges.itertuples():
        graph.add_edge(int(edge.came), int(edge.gone), who=_weight(edge.who))
    crossing = [(a, b) for a, b in graph.edges if (a in away) != (b in away)]
    inside = [edge for edge in graph.edges if edge not in crossing]
    nx.draw_networkx_edges(graph, _PLACES, inside, ax=ax, edge_color=plotting.INK)
    nx.draw_networkx_edges(graph, _PLACES, crossing, ax=ax, edge_color=CUT, width=2, style="dashed")
    colours = [CUT if node in away else "white" for node in graph]
    nx.draw_networkx_nodes(graph, _PLACES, ax=ax, node_color=colours, edgecolors=plotting.INK, node_size=160)
    nx.draw_networkx_labels(graph, _PLACES, ax=ax, font_size=7)
    for a, b, who in graph.edges(data="who"):
        _beside(ax, a, b, who)
    ax.set_xlim(-3.1, 3.1)
    ax.set_ylim(-1.6, 1.8)


def _weight(names: str) -> str:
    """The weight of an edge and the initials of who is on it, as the paper writes them.

    >>> _weight("Alice, Greg, c1")
    '3 (A, G, c1)'
    """
    initials = [name if name[1:].isdigit() else name[0] for name in names.split(", ")]
    return f"{len(initials)} ({', '.join(initials)})"


def _beside(ax: Axes, a: int, b: int, text: str) -> None:
    """A label beside an edge: outside the triangle, or, for an edge to the present, to its right or below it."""
    start, end = np.array(_PLACES[a]), np.array(_PLACES[b])
    spoke = 0 in (a, b)
    middle = 0.35 * (start + end) if spoke else (start + end) / 2  # nearer to the present, where there is more room
    along = (end - start) / np.hypot(*(end - start))
    aside = np.array([along[1], -along[0]])
    out = aside @ ((1, -3) if spoke else middle)
    x, y = middle + 0.13 * (aside if out > 0 else -aside)
    upright = abs(along[1]) > 0.99
    across = "left" if upright or (spoke and middle[0] < 0) else "right" if spoke or middle[0] < -0.1 else "left"
    level = abs(along[0]) > 0.99
    height = "center" if upright else "top" if spoke or level else "center"
    paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    ax.text(x, y, text, fontsize=6, ha="center" if level else across, va=height, bbox=paper, zorder=3)


def _panels(rows: pd.DataFrame) -> Iterator[tuple[Any, str, pd.DataFrame]]:
    """One axis per data set, all with the same scale."""
    names = list(dict.fromkeys(rows["dataset"]))
    _, axes = plotting.figure(
        1, len(names), width=4.2 if len(names) > 1 else 6.0, height=3.1, squeeze=False, sharey=True
    )
    for ax, name in zip(axes[0], names):
        yield ax, name, tables.rows(rows, dataset=name)


def _per_dataset(
    rows: pd.DataFrame, x: str, y: str, series: str, labels: tuple[str, str], line: str | None = None
) -> Figure:
    order = list(dict.fromkeys(rows[series]))
    for i, (ax, name, chosen) in enumerate(_panels(rows)):
        plotting.curves(ax, chosen, x=x, y=y, series=series, order=order, line=line)
        for curve in ax.lines:
            curve.set_markevery(max(1, len(curve.get_xdata()) // 20))
        figure = plotting.label(ax, x=labels[0], y="" if i else labels[1], title=data_name(name), legend=False)
    return figure


def _counts(ax: Axes, largest: float) -> None:
    """Counts from 0 up to many thousands."""
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(-0.2, 2 * max(largest, 1))


def compromised(results: tables.Tables) -> Figure:
    """Figure 6 and what it costs to prevent it: people compromised, of all ever published, and counterfeits."""
    rows = results["compromised"]
    bound = rows["count_is"].map({"exact": "exact", "at least": "lower bound", "at most": "upper bound"})
    rows["curve"] = rows["method"] + " (" + bound + ")"
    rows["share"] = rows["compromised"] / rows["people"]
    names, curves = list(dict.fromkeys(rows["dataset"])), list(dict.fromkeys(rows["curve"]))
    figure, axes = plotting.figure(len(names), 2, width=4.4, height=2.9, squeeze=False, sharex=True)
    for (left, right), name in zip(axes, names):
        chosen = tables.rows(rows, dataset=name)
        people, shown = chosen["people"].iloc[0], name == names[-1]
        for ax, y in ((left, "share"), (right, "counterfeits")):
            plotting.curves(ax, chosen, x="release", y=y, series="curve", order=curves)
        if chosen["release"].max() >= LAST_COUNTED:
            plotting.dashed(left, LAST_COUNTED, "the paper's count of fine partitions ends", axis="x")
        plotting.dashed(right, FEW, "paper: well under 100 counterfeits")
        left.set_yscale("symlog", linthresh=1e-5)
        left.set_yticks([0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1])
        left.set_yticks([], minor=True)
        plotting.percent(left.yaxis)
        left.set_ylim(-2e-6, 1)
        _counts(right, max(FEW, rows["counterfeits"].max()))
        x, title = "release" if shown else "", f"{data_name(name)}: of {people:,} people published"
        plotting.label(left, x=x, y="people compromised (share)", title=title, legend=False)
        plotting.label(right, x=x, y="counterfeits in the release", title="the price", legend=False)
    return plotting.legend_above(figure)


def counterfeits(results: tables.Tables) -> Figure:
    """Figure 7: counterfeits per release under random updates."""
    rows = results["counterfeits"]
    plain = rows["method"] == "m-invariance"
    rows["curve"] = np.where(plain, "m-invariance", "e = " + rows["e"].astype(str))
    figure = _per_dataset(rows, "release", "counterfeits", "curve", ("release", "counterfeits in the release"))
    for ax in figure.axes:
        plotting.dashed(ax, FEW, "paper: well under 100")
        _counts(ax, max(FEW, rows["counterfeits"].max()))
    return plotting.legend_above(figure)


def skew(results: tables.Tables) -> Figure:
    """Figure 8: counterfeits by skew, their mean over releases and seeds, and the most in any release."""
    rows = results["skewed"]
    figure = _per_dataset(
        rows, "skew", "mean", "method", ("skew s of the inserted values", "counterfeits in a release")
    )
    methods = list(dict.fromkeys(rows["method"]))
    for ax, name in zip(figure.axes, dict.fromkeys(rows["dataset"])):
        for patch in list(ax.collections):
            patch.remove()  # the range of the means over seeds; the most in any release lies above it
        for i, method in enumerate(methods):
            most = tables.rows(rows, dataset=name, method=method).groupby("skew")["counterfeits"].max()
            colour = plotting.style(i)["color"]
            ax.plot(most.index, most, color=colour, linestyle=":", linewidth=1, label=f"{method}: most")
        if rows["skew"].max() >= NONE_BELOW:
            plotting.band(ax, rows["skew"].min(), NONE_BELOW, f"paper: none below s = {NONE_BELOW}", axis="x")
        _counts(ax, rows["counterfeits"].max())
    for line in (line for ax in figure.axes for line in ax.lines[: len(methods)]):
        line.set_label(f"{line.get_label()}: mean")
    return plotting.legend_above(figure)


def query_error(results: tables.Tables) -> Figure:
    """Figure 9: query error of the last release by selectivity, for both readings of a query and kinds of updates."""
    rows = results["errors"]
    rows["updates"] = rows["updates"] + " updates"
    order = list(dict.fromkeys(rows["updates"]))
    names, readings = list(dict.fromkeys(rows["dataset"])), list(dict.fromkeys(rows["reading"]))
    width = 4.2 if len(names) > 1 else 6.0
    figure, axes = plotting.figure(len(readings), len(names), width=width, height=2.7, squeeze=False, sharex=True)
    for line, reading in zip(axes, readings):
        for ax, name in zip(line, names):
            chosen = tables.rows(rows, dataset=name, reading=reading)
            plotting.curves(ax, chosen, x="selectivity", y="error", series="updates", order=order, line="method")
            ax.set_xscale("log")
            ax.set_xticks(sorted(rows["selectivity"].unique()))
            ax.minorticks_off()
            plotting.percent(ax.xaxis)
            plotting.percent(ax.yaxis)
            ax.set_ylim(bottom=0)
            below, first = reading == readings[-1], name == names[0]
            x, y = "selectivity (share of people)" if below else "", "mean relative error" if first else ""
            plotting.label(ax, x=x, y=y, title=f"{data_name(name)}: {reading}", legend=False)
    return plotting.legend_above(figure)


def elapsed(results: tables.Tables) -> Figure:
    """Figure 10: time of the whole stream by e."""
    timing = results["timing"]
    for i, (ax, name, chosen) in enumerate(_panels(timing)):
        order = ["m-invariance", "e-equivalence"]
        plotting.curves(ax, chosen, x="e", y="seconds", series="method", order=order)
        ax.set_ylim(0, 1.2 * timing["seconds"].max())
        words = "" if i else "time of the whole stream (s)"
        figure = plotting.label(ax, x="e", y=words, title=data_name(name), legend=False)
    return plotting.legend_above(figure)


def few_updates(results: tables.Tables) -> Figure:
    """Counterfeits when few people are replaced at a time."""
    rows = results["few"]
    rows["of"] = "r = " + rows["replaced"].map("{:,}".format)
    rows["thousands"] = rows["time"] / 1000
    words = ("people replaced so far (thousands)", "counterfeits in the release")
    figure = _per_dataset(rows, "thousands", "counterfeits", "of", words, "method")
    for ax in figure.axes:
        plotting.dashed(ax, FEW, "paper: under 100 at r = 20,000")
        _counts(ax, max(FEW, rows["counterfeits"].max()))
    return plotting.legend_above(figure)


def common_value(results: tables.Tables) -> Figure:
    """Counterfeits against the share of the commonest value."""
    rows = results["common"]
    rows["dataset"] = rows["dataset"].map(data_name)
    figure, ax = plotting.figure()
    plotting.curves(ax, rows, x="share", y="counterfeits", series="dataset")
    plotting.band(ax, 0, WELL_BELOW * rows["people"].max(), "m-invariance's authors, as the paper quotes: below 0.1 %")
    plotting.percent(ax.xaxis)
    plotting.label(ax, x="commonest value (share of people)", y="counterfeits per release (mean)", legend=False)
    _counts(ax, rows["counterfeits"].max())
    return plotting.legend_above(figure)
