"""Figures of the equivalence experiment: Figures 2 to 4 and 6 to 10 of the paper, and two of our own."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting

CUT = plotting.COLOURS[1]


def _part(results: pd.DataFrame, name: str) -> pd.DataFrame:
    return results[results["part"] == name]


def bucket_graphs(results: pd.DataFrame) -> Figure:
    """Figures 2 to 4: the buckets' graphs after each release, with the smallest cut."""
    graphs = _part(results, "graphs")
    rows = graphs[["figure", "signature"]].drop_duplicates().to_numpy().tolist()
    figure, axes = plotting.figure(len(rows), 3, width=2.9, height=2.1, squeeze=False)
    for line, (name, signature) in zip(axes, rows):
        for ax, after in zip(line, (1, 2, 3)):
            chosen = graphs[
                (graphs["figure"] == name) & (graphs["signature"] == signature) & (graphs["after"] == after)
            ]
            ax.set_axis_off()
            if len(chosen):
                _graph(ax, chosen)
                ax.set_title(
                    f"T{after}: {name},\n{{{signature}}}: min-cut {chosen['min_cut'].iloc[0]:.0f}", fontsize=7.5
                )
    return figure


def _graph(ax: Axes, edges: pd.DataFrame) -> None:
    away = {int(node) for node in str(edges["away"].iloc[0]).split(",") if node}
    graph = nx.Graph()
    graph.add_nodes_from(range(int(edges["after"].iloc[0]) + 1))
    places = {0: (0.0, 0.0), 1: (-1.2, 0.45), 2: (1.2, 0.45), 3: (0.0, 1.4)}
    for edge in edges.itertuples():
        graph.add_edge(int(edge.came), int(edge.gone), who=f"{edge.weight:.0f}: {edge.who}")
    crossing = [(a, b) for a, b in graph.edges if (a in away) != (b in away)]
    inside = [edge for edge in graph.edges if edge not in crossing]
    nx.draw_networkx_edges(graph, places, inside, ax=ax, edge_color=plotting.INK)
    nx.draw_networkx_edges(graph, places, crossing, ax=ax, edge_color=CUT, width=2, style="dashed")
    colours = [CUT if node in away else "white" for node in graph]
    nx.draw_networkx_nodes(graph, places, ax=ax, node_color=colours, edgecolors=plotting.INK, node_size=160)
    nx.draw_networkx_labels(graph, places, ax=ax, font_size=7)
    labels = {(a, b): _folded(who) for a, b, who in graph.edges(data="who")}
    nx.draw_networkx_edge_labels(graph, places, labels, ax=ax, font_size=5.5, rotate=False)
    ax.set_xlim(-1.7, 1.7)
    ax.set_ylim(-0.3, 1.7)


def _folded(names: str) -> str:
    words = names.split(", ")
    return ",\n".join(", ".join(words[i : i + 3]) for i in range(0, len(words), 3))


def _per_dataset(
    results: pd.DataFrame, part: str, *, x: str, y: str, series: str, labels: tuple[str, str], logarithmic: bool = False
) -> Figure:
    rows = _part(results, part)
    names = list(dict.fromkeys(rows["dataset"]))
    order = list(dict.fromkeys(rows[series]))
    figure, axes = plotting.figure(1, len(names), width=4.2, height=3.1, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        plotting.curves(ax, rows[rows["dataset"] == name], x=x, y=y, series=series, order=order)
        for line in ax.lines:
            line.set_markevery(max(1, len(line.get_xdata()) // 20))
        first = ax is axes[0, 0]
        plotting.label(ax, x=labels[0], y=labels[1] if first else "", title=name.upper(), legend=False)
    if logarithmic:
        axes[0, 0].set_yscale("symlog", linthresh=1)
        axes[0, 0].set_ylim(-0.2, 2 * max(rows[y].max(), 1))
    return plotting.legend_above(figure, axes[0, 0])


def compromised(results: pd.DataFrame) -> Figure:
    """Figure 6: people compromised by small equivalences."""
    results = results.copy()
    bound = results["count_is"].map({"exact": "exact", "at least": "lower bound", "at most": "upper bound"})
    results["curve"] = results["method"].astype(str) + " (" + bound.astype(str) + ")"
    figure = _per_dataset(
        results,
        "compromised",
        x="release",
        y="compromised",
        series="curve",
        labels=("release", "people compromised"),
        logarithmic=True,
    )
    for ax in figure.axes:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def counterfeits(results: pd.DataFrame) -> Figure:
    """Figure 7: counterfeits per release under random updates."""
    results = results.copy()
    named = "e = " + results["e"].fillna(0).astype(int).astype(str)
    results["curve"] = np.where(results["method"] == "m-invariance", "m-invariance", named)
    return _per_dataset(
        results,
        "counterfeits",
        x="release",
        y="counterfeits",
        series="curve",
        labels=("release", "counterfeits"),
        logarithmic=True,
    )


def skew(results: pd.DataFrame) -> Figure:
    """Figure 8: largest number of counterfeits in a release, by skew."""
    words = ("skew s of the inserted values", "most counterfeits in a release")
    return _per_dataset(results, "skewed", x="skew", y="counterfeits", series="method", labels=words, logarithmic=True)


def query_error(results: pd.DataFrame) -> Figure:
    """Figure 9: query error of the last release by selectivity."""
    words = ("selectivity (share of people selected)", "mean relative error")
    figure = _per_dataset(results, "errors", x="selectivity", y="error", series="method", labels=words)
    for ax in figure.axes:
        ax.set_xscale("log")
        ax.yaxis.set_major_formatter("{x:.0%}")
        ax.set_ylim(bottom=0)
    return figure


def elapsed(results: pd.DataFrame) -> Figure:
    """Figure 10: time of the whole stream by e."""
    timing = _part(results, "timing")
    names = list(dict.fromkeys(timing["dataset"]))
    figure, axes = plotting.figure(1, len(names), width=4.2, height=3.1, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        rows = timing[timing["dataset"] == name]
        plain = rows.loc[rows["method"] == "m-invariance", "seconds"].mean()
        plotting.curves(ax, rows[rows["method"] == "e-equivalence"], x="e", y="seconds", series="method")
        ax.axhline(plain, label="m-invariance, merged", **{**plotting.style(1), "marker": ""})
        ax.set_ylim(0, 1.2 * timing["seconds"].max())
        plotting.label(ax, x="e", y="time of the whole stream (s)" if ax is axes[0, 0] else "", title=name.upper())
    return figure


def few_updates(results: pd.DataFrame) -> Figure:
    """Counterfeits when few people are replaced at a time."""
    results = results.copy()
    results["curve"] = (
        results["method"].astype(str) + ", r = " + results["replaced"].fillna(0).astype(int).map("{:,}".format)
    )
    results["thousands"] = results["time"] / 1000
    words = ("people replaced so far (thousands)", "counterfeits in the release")
    return _per_dataset(results, "few", x="thousands", y="counterfeits", series="curve", labels=words, logarithmic=True)


def common_value(results: pd.DataFrame) -> Figure:
    """Counterfeits against the share of the commonest value."""
    rows = _part(results, "common")
    _, ax = plotting.figure()
    plotting.curves(ax, rows, x="share", y="counterfeits", series="dataset")
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(-0.2, 2 * max(rows["counterfeits"].max(), 1))
    ax.xaxis.set_major_formatter("{x:.1%}")
    return plotting.label(ax, x="share of the commonest value", y="counterfeits per release (mean)")
