"""Lattices of the worked example, node by node: Figures 5 to 7 of the thesis."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.anonymize.lattice.nodes.pictures import draw_lattice
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
    levels = np.array([list(map(int, node.split(","))) for node in nodes["node"]])
    states = np.where(nodes["holds"], "solution", "fails").tolist()
    names = [f"[{node}]" for node in nodes["node"]]
    draw_lattice(ax, levels, states, nodes["order"].to_numpy(), names=names, size=size)
    ax.set_title(title)
    ax.margins(0.215, 0.182)


def _colour_key(ax: Axes) -> None:
    for colour, marker, holds in ((HOLDS, "o", "2-anonymous"), (FAILS, "s", "not 2-anonymous")):
        for filled, how in ((True, "checked"), (False, "known without a check")):
            ax.scatter(
                [], [], c=[colour if filled else "white"], edgecolors=colour, marker=marker, label=f"{holds}, {how}"
            )
    ax.legend(loc="upper left", fontsize=6.5, bbox_to_anchor=(-0.05, 1.0), framealpha=0.8)
