"""Figures of the equivalence experiment: Figures 2 to 4 and 6 to 10 of the paper, and two of our own."""

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
from ppdp_lab.lab.run import tables

CUT = plotting.COLOURS[1]


def bucket_graphs(results: tables.Tables) -> Figure:
    """Figures 2 to 4: the buckets' graphs after each release, with the smallest cut."""
    graphs = results["graphs"]
    rows = graphs[["figure", "signature"]].drop_duplicates().to_numpy().tolist()
    figure, axes = plotting.figure(len(rows), 3, width=2.9, height=2.1, squeeze=False)
    for line, (name, signature) in zip(axes, rows):
        for ax, after in zip(line, (1, 2, 3)):
            chosen = tables.rows(graphs, figure=name, signature=signature, after=after)
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


def _panels(rows: pd.DataFrame) -> Iterator[tuple[Any, str, pd.DataFrame]]:
    """One axis per data set, all with the same scale."""
    names = list(dict.fromkeys(rows["dataset"]))
    _, axes = plotting.figure(1, len(names), width=4.2, height=3.1, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        yield ax, name, tables.rows(rows, dataset=name)


def _per_dataset(rows: pd.DataFrame, x: str, y: str, series: str, labels: tuple[str, str]) -> Figure:
    order = list(dict.fromkeys(rows[series]))
    for i, (ax, name, chosen) in enumerate(_panels(rows)):
        plotting.curves(ax, chosen, x=x, y=y, series=series, order=order)
        for line in ax.lines:
            line.set_markevery(max(1, len(line.get_xdata()) // 20))
        figure = plotting.label(ax, x=labels[0], y="" if i else labels[1], title=name.upper(), legend=False)
    return plotting.legend_above(figure, figure.axes[0])


def _logarithmic(figure: Figure, largest: float) -> Figure:
    """Counts from 0 up to many thousands."""
    figure.axes[0].set_yscale("symlog", linthresh=1)
    figure.axes[0].set_ylim(-0.2, 2 * max(largest, 1))
    return figure


def compromised(results: tables.Tables) -> Figure:
    """Figure 6: people compromised by small equivalences."""
    rows = results["compromised"]
    bound = rows["count_is"].map({"exact": "exact", "at least": "lower bound", "at most": "upper bound"})
    rows["curve"] = rows["method"] + " (" + bound + ")"
    figure = _per_dataset(rows, "release", "compromised", "curve", ("release", "people compromised"))
    for ax in figure.axes:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return _logarithmic(figure, rows["compromised"].max())


def counterfeits(results: tables.Tables) -> Figure:
    """Figure 7: counterfeits per release under random updates."""
    rows = results["counterfeits"]
    rows["curve"] = np.where(rows["method"] == "m-invariance", "m-invariance", "e = " + rows["e"].astype(str))
    figure = _per_dataset(rows, "release", "counterfeits", "curve", ("release", "counterfeits"))
    return _logarithmic(figure, rows["counterfeits"].max())


def skew(results: tables.Tables) -> Figure:
    """Figure 8: largest number of counterfeits in a release, by skew."""
    rows = results["skewed"]
    words = ("skew s of the inserted values", "most counterfeits in a release")
    return _logarithmic(_per_dataset(rows, "skew", "counterfeits", "method", words), rows["counterfeits"].max())


def query_error(results: tables.Tables) -> Figure:
    """Figure 9: query error of the last release by selectivity."""
    words = ("selectivity (share of people selected)", "mean relative error")
    figure = _per_dataset(results["errors"], "selectivity", "error", "method", words)
    for ax in figure.axes:
        ax.set_xscale("log")
        ax.yaxis.set_major_formatter("{x:.0%}")
        ax.set_ylim(bottom=0)
    return figure


def elapsed(results: tables.Tables) -> Figure:
    """Figure 10: time of the whole stream by e."""
    timing = results["timing"]
    for i, (ax, name, chosen) in enumerate(_panels(timing)):
        plain = tables.rows(chosen, method="m-invariance")["seconds"].mean()
        plotting.curves(ax, tables.rows(chosen, method="e-equivalence"), x="e", y="seconds", series="method")
        ax.axhline(plain, label="m-invariance, merged", **{**plotting.style(1), "marker": ""})
        ax.set_ylim(0, 1.2 * timing["seconds"].max())
        figure = plotting.label(ax, x="e", y="" if i else "time of the whole stream (s)", title=name.upper())
    return figure


def few_updates(results: tables.Tables) -> Figure:
    """Counterfeits when few people are replaced at a time."""
    rows = results["few"]
    rows["curve"] = rows["method"] + ", r = " + rows["replaced"].map("{:,}".format)
    rows["thousands"] = rows["time"] / 1000
    words = ("people replaced so far (thousands)", "counterfeits in the release")
    return _logarithmic(_per_dataset(rows, "thousands", "counterfeits", "curve", words), rows["counterfeits"].max())


def common_value(results: tables.Tables) -> Figure:
    """Counterfeits against the share of the commonest value."""
    rows = results["common"]
    figure, ax = plotting.figure()
    plotting.curves(ax, rows, x="share", y="counterfeits", series="dataset")
    ax.xaxis.set_major_formatter("{x:.1%}")
    plotting.label(ax, x="share of the commonest value", y="counterfeits per release (mean)")
    return _logarithmic(figure, rows["counterfeits"].max())
