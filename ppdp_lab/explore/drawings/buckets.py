"""A bucket's history as a graph: a node for each snapshot, an arc for those who came and left together, and the cut."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Arc

from ppdp_lab import plotting
from ppdp_lab.attacks.equivalence import BucketGraphs
from ppdp_lab.explore.drawings.words import letters
from ppdp_lab.explore.measure.buckets import bucket_edges

KEPT, CUT = plotting.COLOURS[0], plotting.COLOURS[1]
NAMED = 30  # edges whose weights can be written beside them


def bucket_graph(graphs: BucketGraphs, bucket: int) -> Figure:
    """The graph of one bucket; what the smallest cut severs is dashed, and the side away from the present is marked."""
    edges = bucket_edges(graphs, bucket)
    weight, away = graphs.cut(bucket)
    now = graphs.releases + 1
    with plotting.look():
        figure, ax = plotting.figure(width=8.4, height=4.4)
        widest = max(int(edges["weight"].max()), 1)
        tops = [0.5]
        for row in edges.itertuples():
            ends = sorted((row.came, row.gone or now))
            tops.append(_edge(ax, ends, row, widest, named=len(edges) <= NAMED))
        for node in range(graphs.releases + 1):
            off = node in away
            at = node or now
            ax.scatter(
                at, 0, s=430, marker="s" if off else "o", color=CUT if off else "white", edgecolors=CUT if off else KEPT,
                linewidths=2, zorder=4,
            )  # fmt: skip
            ax.annotate(
                str(node) if node else "now", (at, 0), ha="center", va="center", fontsize=8, zorder=5,
                color="white" if off else "black",
            )  # fmt: skip
        ax.set_xlim(0.4, now + 0.6)
        ax.set_ylim(-0.45, max(tops) + 0.5)
        ax.set_yticks([])
        ax.set_xticks([])
        ax.set_xlabel("releases, and the present")
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        ax.grid(False)
        signature = ", ".join(map(str, graphs.signatures[bucket]))
        ax.set_title(f"bucket of {letters(signature, 70)}: smallest cut {weight}")
        figure.legend(handles=_key(), loc="outside upper left", ncols=4)
        return figure


def gid(came: int, gone: int) -> str:
    """The name of an edge in the drawing."""
    return f"edge-{came}-{gone}"


def _edge(ax: Axes, ends: list[int], row: object, widest: int, *, named: bool) -> float:
    """An arc between two nodes of the line; returns how high it goes."""
    came, gone, weight, cut = int(row.came), int(row.gone), int(row.weight), bool(row.cut)  # type: ignore[attr-defined]
    left, right = ends
    span = max(right - left, 0.5)
    high = 0.55 * span
    arc = Arc(
        ((left + right) / 2, 0), span, 2 * high, theta1=0, theta2=180, color=CUT if cut else KEPT,
        linestyle=(0, (4, 2)) if cut else "-", linewidth=1 + 4 * np.sqrt(weight / widest), zorder=2,
    )  # fmt: skip
    arc.set_gid(gid(came, gone))
    ax.add_patch(arc)
    if named:
        ax.annotate(
            str(weight), ((left + right) / 2, high), ha="center", va="center", fontsize=8, zorder=3,
            color=CUT if cut else KEPT, fontweight="bold",
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
        )  # fmt: skip
    return high


def _key() -> list[Line2D]:
    return [
        Line2D([], [], color=KEPT, linewidth=3, label="came and left together (number)"),
        Line2D([], [], color=CUT, linewidth=3, linestyle=(0, (3, 1.5)), label="severed by the smallest cut"),
        Line2D([], [], marker="s", linestyle="", color=CUT, markersize=9, label="side away from the present"),
    ]
