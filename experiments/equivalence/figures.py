"""Figures of the equivalence experiment: Figures 2 to 4 and 6 to 10 of the paper, and two of our own.

m-invariance is filled and solid, and black where nothing else has a colour; e-equivalence is hollow and dashed. A colour is
an e, or, in figures with one e, how many people are replaced or which values they bring.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting
from ppdp_lab.datasets.loading import data_name
from ppdp_lab.lab import runs

# What the paper's text says, section VII-B, and section IV-A of m-invariance's own counterfeits: all of them are drawn.
LAST_COUNTED, FEW, NONE_BELOW, WELL_BELOW = 5, 100, 9, 0.001
OF = "of 200,000"  # how many records the paper's 100 counterfeits stand among
USUAL = 5  # the paper's e, which is blue
PLAIN, MERGED, PROTECTED = "m-invariance", "m-invariance, merged", "e-equivalence"
_BLACK = plotting.style(6) | {"linestyle": "-"}
LOOKS = {
    PLAIN: _BLACK,
    "m-invariance, fine": _BLACK,
    MERGED: _BLACK | {"marker": "P", "linestyle": plotting.LINES[2]},
    PROTECTED: plotting.style_of_two(0, 1),
}

CUT = plotting.COLOURS[1]
# The present in the middle and the releases around it: no two edges cross, and there is room for a label beside each.
_PLACES = {0: (0.0, 0.0), 1: (-2.2, -1.1), 2: (0.0, 1.5), 3: (2.2, -1.1)}


# ---------------------------------------------------------------------- what several figures share
def _panels(rows: pd.DataFrame) -> Iterator[tuple[Any, str, pd.DataFrame]]:
    """One axis per data set, all with the same scale."""
    names = list(dict.fromkeys(rows["dataset"]))
    width = 4.2 if len(names) > 1 else 6.0
    _, axes = plotting.figure(1, len(names), width=width, height=3.1, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        yield ax, name, runs.rows_where(rows, dataset=name)


def _per_dataset(
    rows: pd.DataFrame, x: str, y: str, series: str, labels: tuple[str, str], line: str | None = None, looks: Any = None
) -> Figure:
    order = list(dict.fromkeys(rows[series]))
    for i, (ax, name, chosen) in enumerate(_panels(rows)):
        plotting.curves(ax, chosen, x=x, y=y, series=series, order=order, line=line, looks=looks)
        for curve in ax.lines:
            curve.set_markevery(max(1, len(curve.get_xdata()) // 20))
        figure = plotting.label(ax, x=labels[0], y="" if i else labels[1], title=data_name(name), legend=False)
    return figure


def _counts(ax: Axes, largest: float) -> None:
    """Counts from 0 up to many thousands, as plain numbers."""
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(-0.2, 2 * max(largest, 1))
    ax.set_yticks([0, *10.0 ** np.arange(np.floor(np.log10(2 * max(largest, 1))) + 1)])
    ax.set_yticks([], minor=True)
    ax.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")


# ---------------------------------------------------------------------- figures
def bucket_graphs(results: runs.Tables) -> Figure:
    """Figures 2 to 4 of the equivalence paper: the buckets' graphs after each release, with the smallest cut."""
    graphs = results["graphs"]
    rows = graphs[["figure", "signature"]].drop_duplicates().to_numpy().tolist()
    figure, axes = plotting.figure(len(rows), 3, width=2.9, height=2.3, squeeze=False)
    for line, (name, signature) in zip(axes, rows):
        for ax, after in zip(line, (1, 2, 3)):
            chosen = runs.rows_where(graphs, figure=name, signature=signature, after=after)
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


def compromised(results: runs.Tables) -> Figure:
    """Figure 6 and what it costs to prevent it: people compromised, of all ever published, and counterfeits."""
    rows = results["compromised"]
    bound = rows["count_is"].map({"exact": "exact", "at least": "lower bound", "at most": "upper bound"})
    rows["curve"] = rows["method"] + " (" + bound + ")"
    rows["share"] = rows["compromised"] / rows["people"]
    names, looks = list(dict.fromkeys(rows["dataset"])), dict(zip(rows["curve"], rows["method"].map(LOOKS)))
    height = 2.9 if len(names) > 1 else 3.5  # one row has to hold the words beside its axes, too
    figure, axes = plotting.figure(len(names), 2, width=4.4, height=height, squeeze=False, sharex=True)
    for (left, right), name in zip(axes, names):
        chosen = runs.rows_where(rows, dataset=name)
        people, shown = chosen["people"].iloc[0], name == names[-1]
        for ax, y in ((left, "share"), (right, "counterfeits")):
            plotting.curves(ax, chosen, x="release", y=y, series="curve", order=list(looks), looks=looks)
        if chosen["release"].max() >= LAST_COUNTED:
            words = f"paper: fine partitions counted up to release {LAST_COUNTED}"
            plotting.dashed(left, LAST_COUNTED, words, axis="x")
        plotting.dashed(right, FEW, f"paper: well under {FEW} {OF}")
        left.set_yscale("symlog", linthresh=1e-5)
        left.set_yticks([0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1])
        left.set_yticks([], minor=True)
        plotting.percent(left.yaxis)
        left.set_ylim(-2e-6, 1)
        _counts(right, max(FEW, rows["counterfeits"].max()))
        x, title = "release" if shown else "", f"{data_name(name)}: of {people:,} people published"
        plotting.label(left, x=x, y="people compromised (share)", title=title, legend=False)
        plotting.label(right, x=x, y="counterfeits in the release", title=f"{data_name(name)}: the price", legend=False)
    return plotting.legend_above(figure, rows=3)


def counterfeits(results: runs.Tables) -> Figure:
    """Figure 7: counterfeits per release under random updates."""
    rows = results["counterfeits"]
    rows["curve"] = np.where(rows["method"] == PLAIN, PLAIN, "e = " + rows["e"].astype(str))
    usual_first = sorted(set(rows["e"]), key=lambda e: (e != USUAL, e))
    looks = {f"e = {e}": plotting.style_of_two(i, 1) for i, e in enumerate(usual_first)} | {PLAIN: _BLACK}
    words = ("release", "counterfeits in the release")
    figure = _per_dataset(rows, "release", "counterfeits", "curve", words, looks=looks)
    for ax in figure.axes:
        plotting.dashed(ax, FEW, f"paper: well under {FEW} {OF}")
        _counts(ax, max(FEW, rows["counterfeits"].max()))
    return plotting.legend_above(figure)


def skew(results: runs.Tables) -> Figure:
    """Figure 8: counterfeits by skew, their mean over releases and seeds, and the most in any release."""
    rows, methods = results["skewed"], list(dict.fromkeys(results["skewed"]["method"]))
    for i, (ax, name, chosen) in enumerate(_panels(rows)):
        for what, column, how in (("mean", "mean", "mean"), ("most", "counterfeits", "max")):
            for method in methods:
                at = runs.rows_where(chosen, method=method).groupby("skew")[column].agg(how)
                faint = {"linestyle": ":", "linewidth": 1, "markersize": 3.5} if what == "most" else {}
                ax.plot(at.index, at, label=f"{method}: {what}", **LOOKS[method] | faint)
        if rows["skew"].max() >= NONE_BELOW:
            plotting.dashed(ax, NONE_BELOW, f"paper: none below s = {NONE_BELOW}", axis="x")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        if len(skews := rows["skew"].unique()) == 1:
            ax.set_xticks(skews)
        _counts(ax, rows["counterfeits"].max())
        words = "" if i else "counterfeits in a release"
        figure = plotting.label(ax, x="skew s of the inserted values", y=words, title=data_name(name), legend=False)
    return plotting.legend_above(figure, rows=len(methods))


def query_error(results: runs.Tables) -> Figure:
    """Figure 9: query error of the last release by selectivity, for both readings of a query and kinds of updates."""
    rows = results["errors"]
    rows["updates"] = np.where(
        rows["updates"] == "random", "random updates", rows["updates"].str.replace("skew", "updates of skew s =")
    )
    rows["method"] = rows["method"].replace("m-invariance, fine", "m-invariance (fine)")
    order = list(dict.fromkeys(rows["updates"]))
    names, readings = list(dict.fromkeys(rows["dataset"])), list(dict.fromkeys(rows["reading"]))
    size = {"width": 4.2 if len(names) > 1 else 6.0, "height": 2.7}
    figure, axes = plotting.figure(len(readings), len(names), **size, squeeze=False, sharex=True, sharey="row")
    for line, reading in zip(axes, readings):
        for ax, name in zip(line, names):
            chosen = runs.rows_where(rows, dataset=name, reading=reading)
            plotting.curves(ax, chosen, x="selectivity", y="error", series="updates", order=order, line="method")
            for curve in ax.lines[len(order) :]:  # rings: the marks of the other method lie within
                curve.set(markersize=8, markerfacecolor="none")
            ax.set_xscale("log")
            ax.set_xticks(sorted(rows["selectivity"].unique()))
            ax.minorticks_off()
            plotting.percent(ax.xaxis)
            plotting.percent(ax.yaxis)
            below, first = reading == readings[-1], name == names[0]
            x, y = "selectivity (share of people)" if below else "", "mean relative error" if first else ""
            plotting.label(ax, x=x, y=y, title=f"{data_name(name)}: {reading}", legend=False)
        plotting.from_zero(line[0], runs.rows_where(rows, reading=reading)["error"].max() or 1)
    return plotting.legend_above(figure, rows=len(order))


def elapsed(results: runs.Tables) -> Figure:
    """Figure 10: time of the whole stream by e."""
    timing = results["timing"]
    for i, (ax, name, chosen) in enumerate(_panels(timing)):
        plotting.curves(ax, chosen, x="e", y="seconds", series="method", order=[PLAIN, PROTECTED], looks=LOOKS)
        ax.set_ylim(0, 1.2 * timing["seconds"].max())
        ax.set_xticks(sorted(timing["e"].unique()))
        words = "" if i else "time of the whole stream (s)"
        figure = plotting.label(
            ax, x="e (least people of an equivalence)", y=words, title=data_name(name), legend=False
        )
    return plotting.legend_above(figure)


def few_updates(results: runs.Tables) -> Figure:
    """Counterfeits when few people are replaced at a time."""
    rows = results["few"]
    rows["of"] = "r = " + rows["replaced"].map("{:,}".format)
    rows["thousands"] = rows["time"] / 1000
    words = ("people replaced so far (thousands)", "counterfeits in the release")
    figure = _per_dataset(rows, "thousands", "counterfeits", "of", words, "method")
    for ax in figure.axes:
        plotting.dashed(ax, FEW, f"paper: under {FEW} {OF}\nat r = 20,000")
        _counts(ax, max(FEW, rows["counterfeits"].max()))
    return plotting.legend_above(figure, rows=rows["replaced"].nunique())


def common_value(results: runs.Tables) -> Figure:
    """Counterfeits against the share of the commonest value."""
    rows = results["common"]
    rows["dataset"] = rows["dataset"].map(data_name)
    looks = {name: plotting.style_of_two(i, 0) for i, name in enumerate(dict.fromkeys(rows["dataset"]))}
    figure, ax = plotting.figure()
    plotting.curves(ax, rows, x="share", y="counterfeits", series="dataset", looks=looks)
    plotting.band(ax, 0, WELL_BELOW * rows["people"].max(), "m-invariance's authors, as the paper quotes: below 0.1 %")
    plotting.percent(ax.xaxis)
    plotting.label(ax, x="commonest value (share of people)", y="counterfeits per release (mean)", legend=False)
    _counts(ax, rows["counterfeits"].max())
    return plotting.legend_above(figure, rows=len(looks))
