"""One person's update graph over a series: values that are left, those ruled out, and the moment of disclosure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting
from ppdp_lab.attacks import SensitiveUpdateGraph
from ppdp_lab.explore.drawings.words import letters
from ppdp_lab.explore.measure.series import disclosed_at, fewest_left

LEFT, GONE, CERTAIN, FAINT = plotting.COLOURS[0], "#9a9a9a", plotting.COLOURS[1], "#c4c4c4"
LOOKS = {  # size, shape, filling and edge of a node
    "left": (90, "o", LEFT, LEFT),
    "gone": (90, "X", "white", GONE),
    "certain": (190, "*", CERTAIN, CERTAIN),
}


def update_graph(graphs: Sequence[SensitiveUpdateGraph | None], *, after: int | None = None) -> Figure:
    """The graph as it stands after a release (counted from 1; the last one unless given), and how many values were left.

    ``graphs`` are those that ``explore.measure.graphs_of`` gives, one after each release.
    """
    after = len(graphs) if after is None else after
    last = graphs[-1]
    assert last is not None  # graphs_of refuses persons who are nowhere
    values = sorted({str(value) for level in last.levels for value in level})
    with plotting.look():
        height = min(8.0, max(2.6, 0.34 * len(values) + 1.0))
        figure, (ax, below) = plotting.figure(2, 1, width=7.6, height=1, height_ratios=[height, 1.5], sharex=True)
        figure.set_size_inches(7.6, height + 2.1)
        _graph(ax, graphs[after - 1], {value: i for i, value in enumerate(values)})
        ax.set_yticks(range(len(values)), [letters(value, 34) for value in values])
        ax.set_ylim(len(values) - 0.4, -0.6)
        ax.grid(axis="x", visible=False)
        ax.set_title(f"what may be true of {letters(last.person, 40)} after release {after}")
        _left(below, graphs, after)
        for part in (ax, below):
            part.axvline(after + 0.5, color=plotting.PAPER, linestyle=":", linewidth=1)
        figure.legend(handles=_key(), loc="outside upper left", ncols=4)
        return figure


def _graph(ax: Axes, graph: SensitiveUpdateGraph | None, row: dict[str, int]) -> None:
    if graph is None:
        return
    alive, edges = graph.alive(), {True: [], False: []}  # type: ignore[var-annotated]
    x = [release + 1 for release in graph.releases]
    for i, matrix in enumerate(graph.chances):
        for j, k in zip(*np.nonzero(matrix)):
            ends = row[str(graph.levels[i][j])], row[str(graph.levels[i + 1][k])]
            edges[bool(alive[i][j] and alive[i + 1][k])].append(list(zip(x[i : i + 2], ends)))
    # All edges and all marks of one look at once: one by one they take most of the time of the picture.
    for left, lines in edges.items():
        style = {"colors": LEFT if left else GONE, "linestyles": "-" if left else ":"}
        ax.add_collection(LineCollection(lines, **style, linewidths=1.4, zorder=2))
    for look, nodes in by_look(graph).items():
        size, shape, fill, edge = LOOKS[look]
        if nodes:
            at, height = [release for release, _ in nodes], [row[value] for _, value in nodes]
            marks = ax.scatter(at, height, s=size, marker=shape, color=fill, edgecolors=edge, zorder=3)
            marks.set_gid(gid(look))


def by_look(graph: SensitiveUpdateGraph) -> dict[str, list[tuple[int, str]]]:
    """The nodes, a release counted from 1 and a value each: those that may be, are certain, or are ruled out."""
    found: dict[str, list[tuple[int, str]]] = {look: [] for look in LOOKS}
    for release, level, mask in zip(graph.releases, graph.levels, graph.alive()):
        for value, left in zip(level, mask):
            look = "gone" if not left else "certain" if mask.sum() == 1 else "left"
            found[look].append((release + 1, str(value)))
    return found


def gid(look: str) -> str:
    """The name of all marks of one look in the drawing."""
    return f"versions-{look}"


def _left(ax: Axes, graphs: Sequence[SensitiveUpdateGraph | None], after: int) -> None:
    """How many values the adversary has left for the person's most exposed version, release by release."""
    counts = [(number, fewest_left(graph)) for number, graph in enumerate(graphs, start=1)]
    known = [(number, count) for number, count in counts if count is not None]
    ax.plot([n for n, _ in known], [c for _, c in known], color=FAINT, marker="o", zorder=1, markersize=4)
    now = [(number, count) for number, count in known if number <= after]
    ax.plot([n for n, _ in now], [c for _, c in now], color=LEFT, marker="o", zorder=2)
    moment = disclosed_at(graphs)
    if moment is not None:
        ax.scatter([moment], [1], marker="*", s=190, color=CERTAIN, zorder=4)
        ax.axvline(moment, color=CERTAIN, linewidth=1, zorder=1)
        side = "right" if moment > len(graphs) * 0.7 and moment > 1 else "left"
        ax.annotate(
            f"disclosed with release {moment}", (moment, 1), (8 if side == "left" else -8, -2), textcoords="offset points",
            xycoords=ax.get_xaxis_transform(), color=CERTAIN, fontsize=8, ha=side, va="top",
        )  # fmt: skip
    ax.set_xlim(0.5, len(graphs) + 0.5)
    ax.set_ylim(0, max((c for _, c in known), default=1) + 1.2)
    ax.set_xticks(range(1, len(graphs) + 1))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    plotting.label(ax, x="release", y="values left\n(fewest)", legend=False)


def _key() -> list[Line2D]:
    words = {"left": "may be", "gone": "ruled out", "certain": "certain"}
    marks = [(*LOOKS[look][1:], said) for look, said in words.items()]
    return [
        Line2D([], [], marker=m, linestyle="", color=c, markeredgecolor=e, markersize=9, label=said)
        for m, c, e, said in marks
    ] + [Line2D([], [], color=LEFT, label="may have become")]
