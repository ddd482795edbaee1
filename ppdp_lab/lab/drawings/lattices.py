"""Lattices of the worked example, node by node: Figures 5 to 7 of the thesis."""

from __future__ import annotations

import itertools
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.lab.run import tables

HOLDS, FAILS = plotting.COLOURS[2], plotting.COLOURS[1]


def incognito_subsets(results: tables.Tables) -> Figure:
    """Figure 5: Incognito in the lattices of one and of two quasi-identifiers."""
    nodes = _nodes(results, "Incognito")
    subsets = [a for a in nodes["attributes"].unique() if a.count(",") < 2]
    figure, axes = plotting.figure(2, (len(subsets) + 1) // 2, width=2.9, height=2.9)
    for ax, attributes in zip(axes.ravel(), subsets):
        _lattice(ax, nodes[nodes["attributes"] == attributes], attributes, size=520)
    return figure


def incognito(results: tables.Tables) -> Figure:
    """Figure 6: Incognito in the lattice of all three quasi-identifiers."""
    return _whole(results, "Incognito", "Incognito, all three quasi-identifiers")


def flash(results: tables.Tables) -> Figure:
    """Figure 7: Flash, whose first three checks are those of its first path."""
    return _whole(results, "Flash", "Flash: numbers are the order of the checks")


def _whole(results: tables.Tables, algorithm: str, title: str) -> Figure:
    nodes = _nodes(results, algorithm)
    nodes = nodes[nodes["attributes"].str.count(",") == 2]
    figure, ax = plotting.figure(width=7.2, height=5.4)
    _lattice(ax, nodes, title, size=900)
    _colour_key(ax)
    return figure


def _nodes(results: tables.Tables, algorithm: str) -> pd.DataFrame:
    return tables.rows(results["nodes"], algorithm=algorithm)


def _lattice(ax: Axes, nodes: pd.DataFrame, title: str, *, size: int) -> None:
    """A lattice, bottom up: coloured by whether the rule holds, filled where checked, with the order of the checks."""
    levels = {node: tuple(map(int, node.split(","))) for node in nodes["node"]}
    pairs = [(a, b) for a, b in itertools.permutations(levels, 2) if sum(levels[b]) == sum(levels[a]) + 1]
    graph = nx.DiGraph()
    graph.add_nodes_from(levels)
    graph.add_edges_from((a, b) for a, b in pairs if min(np.subtract(levels[b], levels[a])) >= 0)
    place: dict[str, tuple[float, float]] = {}
    for height in {sum(node) for node in levels.values()}:
        row = sorted((name for name in levels if sum(levels[name]) == height), key=lambda n: levels[n], reverse=True)
        place |= {name: (i - (len(row) - 1) / 2, height) for i, name in enumerate(row)}
    nx.draw_networkx_edges(graph, place, ax=ax, arrows=False, edge_color=plotting.FAINT, width=0.8)
    rows = nodes.set_index("node")
    for name, (x, y) in place.items():
        holds, order = bool(rows.loc[name, "holds"]), int(rows.loc[name, "order"])
        colour = HOLDS if holds else FAILS
        shape = "o" if holds else "s"
        fill = colour if order else "white"
        ax.scatter([x], [y], s=size, c=[fill], edgecolors=colour, linewidths=1.5, marker=shape, zorder=3)
        words: dict[str, Any] = {"ha": "center", "fontsize": 6.5, "zorder": 4, "textcoords": "offset points"}
        if order:  # both within the node: the number of the check over the node's name
            ax.annotate(str(order), (x, y), (0, 0.5), va="bottom", color="white", **words | {"fontweight": "bold"})
        ax.annotate(
            f"[{name}]", (x, y), (0, 0), va="top" if order else "center", color="white" if order else "black", **words
        )
    ax.set_title(title)
    ax.margins(0.15, 0.12)
    ax.set_axis_off()


def _colour_key(ax: Axes) -> None:
    for colour, marker, holds in ((HOLDS, "o", "2-anonymous"), (FAILS, "s", "not 2-anonymous")):
        for filled, how in ((True, "checked"), (False, "known without a check")):
            ax.scatter(
                [], [], c=[colour if filled else "white"], edgecolors=colour, marker=marker, label=f"{holds}, {how}"
            )
    ax.legend(loc="upper left", fontsize=6.5, bbox_to_anchor=(-0.05, 1.0), framealpha=0.8)
