"""Pictures of worked examples: a decision of BPG, the bucket graphs of e-equivalence, the update graphs of m-Distinct."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ppdp_lab import plotting
from ppdp_lab.lab.run import tables

CUT = plotting.COLOURS[1]
# The present in the middle and the releases around it: no two edges cross, and there is room for a label beside each.
_PLACES = {0: (0.0, 0.0), 1: (-2.2, -1.1), 2: (0.0, 1.5), 3: (2.2, -1.1)}
HOMES = {"A": plotting.COLOURS[0], "B": plotting.COLOURS[2]}  # orange is for dirty records


def meeting(results: tables.Tables) -> Figure:
    """A class that meets two neighbourhoods, step by step."""
    people = results["meeting"]
    figure, axes = plotting.figure(1, 4, width=2.7, height=3.1, sharex=True, sharey=True)
    asked, dirty = people["asked"], people["dirty"]
    titles = ["1. First release:\nneighbourhoods A and B", "2. Six are asked for again:\nthe base makes one class E1"]
    inside = {name: int((asked & (people["home"] == name)).sum()) for name in "AB"}
    outside = {name: int((~asked & (people["home"] == name)).sum()) for name in "AB"}
    tests = [f"E1 & {n}: {inside[n]},  {n} - E1: {outside[n]}" for n in "AB"]
    titles += ["3. With k = 3:\n" + "\n".join(tests), "4. Published: A is pulled in;\nB is divided for good"]
    for number, (ax, title) in enumerate(zip(axes, titles)):
        seen = people if number in (0, 3) else people[asked]
        filled = pd.Series(number == 0, index=people.index) | (asked if number < 3 else people["shown"])
        for name, colour in HOMES.items():
            box = people[people["home"] == name]
            ax.text(box["x"].min() - 0.5, 62.8, name, color=colour, fontsize=9)
            if number < 3:
                _outline(ax, box, colour, dashed=number > 0)
        if number in (1, 2):
            _outline(ax, seen, plotting.INK)
        if number == 3:
            _outline(ax, people[people["shown"]], plotting.INK)
            for _, rows in people.groupby("after"):
                _outline(ax, rows, HOMES[rows["home"].iloc[0]], dashed=True, margin=0.9)
        pulled = dirty & (number == 3)
        for mask, face, marker in (
            (filled & ~pulled, plotting.INK, "o"),
            (~filled, "white", "o"),
            (pulled, plotting.COLOURS[1], "D"),
        ):
            edge = plotting.INK if face == plotting.INK else plotting.PAPER
            ax.scatter(people["x"][mask], people["y"][mask], s=22, c=face, edgecolor=edge, marker=marker, zorder=3)
        plotting.label(ax, x="first attribute", y="" if number else "second attribute", title="", legend=False)
        ax.set_title(title, fontsize=8)
    axes[0].set_xlim(16, 50)
    axes[0].set_ylim(25, 68)
    return figure


def _outline(ax: Axes, rows: pd.DataFrame, colour: str, *, dashed: bool = False, margin: float = 1.6) -> None:
    x, y = rows["x"].min() - margin, rows["y"].min() - margin
    size = rows["x"].max() - x + margin, rows["y"].max() - y + margin
    style = (0, (4, 2)) if dashed else "-"
    ax.add_patch(Rectangle((x, y), *size, fill=False, edgecolor=colour, linestyle=style, linewidth=1.4))


def bucket_graphs(results: tables.Tables) -> Figure:
    """Figures 2 to 4 of the equivalence paper: the buckets' graphs after each release, with the smallest cut."""
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


def update_graphs(results: tables.Tables) -> Figure:
    """Figures 1 and 2 of the m-Distinct paper: update graphs, what is left of them, and the true values."""
    graphs = results["graphs"]
    names = list(dict.fromkeys(graphs["graph"]))
    figure, axes = plotting.figure(1, len(names), width=3.3, height=2.7, squeeze=False)
    for ax, name in zip(axes[0], names):
        rows = tables.rows(graphs, graph=name)
        for edge in rows[rows["to"] != ""].itertuples():
            colour, line = (plotting.INK, "-") if edge.left else (plotting.PAPER, ":")
            ax.plot([edge.level, edge.level + 1], [-edge.place, -edge.to_place], color=colour, linestyle=line, zorder=1)
        last, lowest = rows["level"].max(), -rows["place"].max()
        for node in rows[rows["to"] == ""].itertuples():
            at, colour = (node.level, -node.place), plotting.COLOURS[0] if node.left else plotting.FAINT
            if node.true:  # a ring with a gap: seen in grey, too
                ring = {"facecolor": "white", "edgecolors": plotting.COLOURS[1], "linewidths": 2, "zorder": 2}
                ax.scatter(*at, s=230, **ring)
            ax.scatter(*at, s=90, color=colour, zorder=3)
            text = f"{node.value}\n{node.probability:.2f}" if node.left else f"{node.value}\n(ruled out)"
            # Edges leave the first column to the right and reach the last one from the left: labels stand outside.
            outside = {0: ((-11, 0), "right"), last: ((11, 0), "left")}
            away, across = outside.get(node.level, ((0, 17), "center"))
            ax.annotate(text, at, away, textcoords="offset points", ha=across, va="center", fontsize=7)
        for level in range(last + 1):
            said = {"ha": "center", "va": "top", "fontsize": 7, "color": plotting.PAPER}
            ax.text(level, lowest - 0.3 * (1 - lowest) / 2, f"release {level + 1}", **said)
        ax.set_title(name)
        ax.set_xlim(-0.4 * last - 0.1, 1.4 * last + 0.1)
        ax.set_ylim(lowest - 0.3 * (1 - lowest), 0.22 * (1 - lowest))
        ax.set_axis_off()
    return figure
