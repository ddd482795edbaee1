"""A search as a small drawing within a page: a few kilobytes of SVG, in its colours. Where nodes lie in any picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ppdp_lab import pages, plotting
from ppdp_lab.anonymize.lattice.nodes import SearchResult

MOST_NODES, MOST_NAMES = 200, 60  # of larger lattices the heights are drawn; names stand in nodes while there are few
# state of the frame: (colour, marker of matplotlib, words, letters that look like the marker filled and empty)
LOOKS = {
    "solution": ("#009E73", "o", "satisfies the rule", "\u25cf\u25cb"),
    "fails": ("#D55E00", "s", "does not", "\u25a0\u25a1"),
    "unknown": ("#7f7f7f", "D", "not known", "\u25c6\u25c7"),
}
BAR, TALL, MOST_BARS = 24, 110, 40  # width and height of the bars, in pixels; more of them are narrow


def places(levels: np.ndarray) -> np.ndarray:
    """Where the nodes of a lattice lie, one row of ``levels`` each: x around 0, y the height; more general ones above.

    >>> places(np.array([[0, 0], [1, 0], [0, 1], [1, 1]])).tolist()
    [[0.0, 0.0], [-0.5, 1.0], [0.5, 1.0], [0.0, 2.0]]
    """
    heights = levels.sum(axis=1)
    place = np.empty((len(levels), 2))
    for height in np.unique(heights):
        row = np.flatnonzero(heights == height)
        row = row[np.lexsort(levels[row].T[::-1])[::-1]]  # who generalizes the first column stands to the left
        place[row] = np.c_[np.arange(len(row)) - (len(row) - 1) / 2, np.full(len(row), height)]
    return place


def edges(levels: np.ndarray) -> list[tuple[int, int]]:
    """Which nodes follow upon which: pairs of rows of ``levels`` that differ by one step of one level.

    >>> edges(np.array([[0, 0], [1, 0], [0, 1], [1, 1]]))
    [(0, 1), (0, 2), (1, 3), (2, 3)]
    """
    at = {node: row for row, node in enumerate(map(tuple, levels.tolist()))}
    above = (((*node[:i], node[i] + 1, *node[i + 1 :]), row) for node, row in at.items() for i in range(len(node)))
    return sorted((row, at[higher]) for higher, row in above if higher in at)


def sketch_of(result: SearchResult) -> pages.Html:
    """The lattice, bottom up, or its heights if it is large; the pointer tells what is known of a node."""
    frame = result.to_frame()
    return _sketch_heights(result, frame) if len(frame) > MOST_NODES else _nodes(result, frame)


# ---------------------------------------------------------------------- node by node
def _nodes(result: SearchResult, frame: pd.DataFrame) -> pages.Html:
    levels = frame[list(result.quasi_identifiers)].to_numpy()
    names = [",".join(map(str, node)) for node in levels]
    named = len(names) <= MOST_NAMES
    half = np.array([max(13, round(2.4 * len(names[0]))), 13] if named else [4, 4])  # of a node's width and height
    place = places(levels)
    at = (place - place.min(axis=0)) * (2 * half + [8, 12 if named else 6]) * [1, -1]
    border = np.ceil(1.35 * half + 3)  # room for the ring around the best one
    at += border - [0, at[:, 1].min()]
    width, height = at.max(axis=0) + border
    checks = frame["check"].fillna(0).to_numpy(dtype=int)
    parts: list[object] = [_lines(at, edges(levels), half)]
    for state, (colour, _, words, _) in LOOKS.items():
        for checked in (True, False):
            rows = np.flatnonzero((frame["state"] == state).to_numpy() & ((checks > 0) == checked))
            how = "" if state == "unknown" else ", check {}" if checked else ", without a check"
            marks = [
                _mark(state, at[row], half, f"{names[row]}: {words}{how}".format(checks[row])) for row in rows.tolist()
            ]
            look = {"fill": colour if checked else "none", "stroke": colour, "stroke-width": "1.5"}
            parts += [pages.element("g", *marks, **look)] if marks else []
    if named:
        parts += [_texts(names, checks, at)]
    if result.best is not None:
        ring = {"fill": "none", "stroke": "currentColor", "stroke-width": "1.6"}
        best = at[names.index(",".join(map(str, result.best)))]
        parts.append(pages.element("g", _mark("solution", best, 1.3 * half + 2, "best"), **ring))
    return pages.Html(
        _svg(width, height, f"The lattice: {result.lattice.said()}", parts) + _sketch_key(result, frame, named)
    )


def _mark(state: str, at: np.ndarray, half: np.ndarray, words: str) -> pages.Html:
    """Something round, a box or a diamond, which tells the pointer what it is."""
    title, (x, y), (rx, ry) = pages.element("title", words), at.tolist(), half.tolist()
    if state == "solution":
        return pages.element("ellipse", title, cx=_px(x), cy=_px(y), rx=_px(rx), ry=_px(ry))
    if state == "fails":
        return pages.element("rect", title, x=_px(x - rx), y=_px(y - ry), width=_px(2 * rx), height=_px(2 * ry))
    dx, dy = _px(1.2 * rx), _px(1.2 * ry)
    return pages.element("path", title, d=f"M{_px(x)} {_px(y - 1.2 * ry)}l{dx} {dy}-{dx} {dy}-{dx}-{dy}z")


def _lines(at: np.ndarray, pairs: list[tuple[int, int]], half: np.ndarray) -> pages.Html:
    """All lines as one path; they end where nodes begin, so that nodes need no background."""
    steps = []
    for a, b in pairs:
        way = at[b] - at[a]
        edge = way / (np.abs(way) / half).max()
        (x, y), (dx, dy) = np.round(at[a] + edge), np.round(way - 2 * edge)
        steps.append(f"M{x:.0f} {y:.0f}l{dx:.0f} {dy:.0f}")
    return pages.element("path", d="".join(steps), fill="none", stroke="currentColor", opacity=".25")


def _texts(names: list[str], checks: np.ndarray, at: np.ndarray) -> pages.Html:
    """In every node its name; the number of its check over it, in bold."""
    drawn = []
    for name, check, (x, y) in zip(names, checks.tolist(), at.tolist()):
        white = {"fill": "white"} if check else {}
        if check:
            drawn.append(pages.element("text", check, x=_px(x), y=_px(y - 1.5), **white, **{"font-weight": "bold"}))
        drawn.append(pages.element("text", name, x=_px(x), y=_px(y + (7.5 if check else 3)), **white))
    look = {"text-anchor": "middle", "font-size": "8", "fill": "currentColor", "pointer-events": "none"}
    return pages.element("g", *drawn, **look)


def _sketch_key(result: SearchResult, frame: pd.DataFrame, named: bool) -> pages.Html:
    """What the marks mean, of those that are there."""
    said: list[object] = []
    checked = frame["check"].notna()
    for state, (colour, _, words, letters) in LOOKS.items():
        for was, letter, how in ((True, letters[0], "checked"), (False, letters[1], "without a check")):
            if ((frame["state"] == state) & (checked == was)).any():
                mark = pages.element("span", letter, style=f"color: {colour}")
                said += [mark, f"\u00a0{words if state == 'unknown' else f'{words}, {how}'}\u2003"]
    said += ["\u25ef\u00a0best\u2003"] if result.best is not None else []
    said += ["numbers in bold: order of the checks"] if named and checked.any() else []
    return pages.element("p", pages.element("small", *said))


# ---------------------------------------------------------------------- the heights
def by_height(frame: pd.DataFrame) -> pd.DataFrame:
    """How many nodes of each height are in which state, of the states that there are."""
    counted = pd.crosstab(frame["height"], frame["state"])
    return counted[[state for state in LOOKS if state in counted]]


def _sketch_heights(result: SearchResult, frame: pd.DataFrame) -> pages.Html:
    """Of each height, which share of its nodes satisfies the rule; how many there are stands above."""
    counted = by_height(frame)
    few = len(counted) <= MOST_BARS
    wide, parts = BAR if few else BAR / 4, []
    for i, (height, states) in enumerate(counted.iterrows()):
        nodes, foot, bars = int(states.sum()), TALL + 14.0, []
        for state, count in states[states > 0].items():
            tall = TALL * count / nodes
            foot -= tall
            size = {"width": _px(wide * 0.85), "height": _px(tall), "fill": LOOKS[str(state)][0]}
            bars.append(pages.element("rect", x=_px(i * wide), y=_px(foot), **size))
        middle = (i + 0.42) * wide
        bars += [_label(str(nodes), middle, 10)] if few else []
        bars += [_label(str(height), middle, TALL + 26)] if few or i % 10 == 0 else []
        bars += [_label("best", middle, TALL + 37)] if result.best is not None and sum(result.best) == height else []
        said = ", ".join(f"{count} {LOOKS[str(state)][2]}" for state, count in states[states > 0].items())
        parts.append(pages.element("g", pages.element("title", f"height {height}: {said}"), *bars))
    drawn = _svg(len(counted) * wide + 8, TALL + 40, f"Heights of the lattice: {result.lattice.said()}", parts)
    key: list[object] = ["share of the nodes of each height: sum of the levels below, number of nodes above\u2003"]
    for state in counted:
        colour, _, words, letters = LOOKS[state]
        key += [pages.element("span", letters[0], style=f"color: {colour}"), f"\u00a0{words}\u2003"]
    return pages.Html(drawn + pages.element("p", pages.element("small", *key)))


def _label(words: str, x: float, y: float) -> pages.Html:
    look = {"text-anchor": "middle", "font-size": "8", "fill": "currentColor"}
    return pages.element("text", words, x=_px(x), y=_px(y), **look)


def _svg(width: float, height: float, words: str, parts: Sequence[object]) -> pages.Html:
    size = {"width": _px(width), "height": _px(height), "viewBox": f"0 0 {_px(width)} {_px(height)}"}
    said = {"role": "img", "aria-label": words, "style": "max-width: 100%; height: auto"}
    return pages.element("svg", *parts, **size, **said)


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


# --------------------------------------------------------------------
# Pictures of a search: the lattice node by node while it is small, its heights when it is not.


def picture_of(result: SearchResult) -> Figure:
    """Bottom up: the original table below, everything generalized above."""
    frame = result.to_frame()
    if len(frame) > MOST_NODES:
        _, ax = plotting.figure(width=min(max(5.6, 0.36 * (result.lattice.max_height + 1) + 1.2), 14))
        return _heights(ax, result, frame)
    widest = int(frame.groupby("height").size().max())
    width, height = max(3.4, 0.7 * widest + 1.2), max(2.8, 0.56 * (result.lattice.max_height + 1) + 1.0)
    figure, ax = plotting.figure(width=min(width, 14), height=min(height, 12))
    levels = frame[list(result.quasi_identifiers)].to_numpy()
    order = frame["check"].fillna(0).to_numpy(dtype=int)
    names = [",".join(map(str, node)) for node in levels] if len(levels) <= MOST_NAMES else None
    size = 520 if names else 60
    place = draw_lattice(ax, levels, frame["state"].tolist(), order, names=names, size=size)
    if result.best is not None:
        x, y = place[np.ravel_multi_index(result.best, result.lattice.shape)]
        ax.scatter(x, y, s=size * 2.1, zorder=4, facecolors="none", edgecolors=plotting.INK, linewidths=1.6)
    ax.margins(0.12, 0.1)
    return plotting.legend_above(figure, more=_key(result, frame), columns=3)


def draw_lattice(
    ax: Axes,
    levels: np.ndarray,
    states: Sequence[str],
    order: Sequence[int] | np.ndarray,
    *,
    names: Sequence[str] | None,
    size: float,
) -> np.ndarray:
    """Draw nodes and what follows upon what; returns where they lie.

    Parameters
    ----------
    levels : array
        One row per node; nodes of some of the quasi-identifiers, or some of the nodes, are fine.
    states : sequence of str
        A key of ``LOOKS`` per node: it decides colour and shape.
    order : sequence of int
        The number of each node's check, 0 where there was none: checked ones are filled.
    names : sequence of str or None
        What to write into the nodes, under the number of the check; nothing at all unless given.
    size : float
        Of a node, in points squared.
    """
    place = places(levels)
    lines = LineCollection(
        [place[[a, b]] for a, b in edges(levels)], colors=plotting.FAINT, linewidths=0.8, zorder=1, antialiaseds=(1,)
    )
    ax.add_collection(lines)
    for row in np.lexsort(place.T):  # from the bottom, from the left
        (x, y), (colour, marker) = place[row], LOOKS[states[row]][:2]
        fill = colour if order[row] else "white"
        ax.scatter([x], [y], s=size, c=[fill], edgecolors=colour, linewidths=1.5, marker=marker, zorder=3)
        if names is None:
            continue
        words: dict[str, Any] = {"ha": "center", "fontsize": 6.5, "zorder": 5, "textcoords": "offset points"}
        if order[row]:  # both within the node: the number of the check over the node's name
            bold = words | {"fontweight": "bold"}
            ax.annotate(str(order[row]), (x, y), (0, 0.5), va="bottom", color="white", **bold)
            ax.annotate(names[row], (x, y), (0, 0), va="top", color="white", **words)
        else:
            ax.annotate(names[row], (x, y), (0, 0), va="center", color="black", **words)
    ax.set_axis_off()
    return place


def _key(result: SearchResult, frame: pd.DataFrame) -> list[Line2D]:
    """What the marks mean, of those that are there."""
    checked, marks = frame["check"].notna(), []
    for state, (colour, marker, words, _) in LOOKS.items():
        for was, how in ((True, "checked (number: when)"), (False, "without a check")):
            if ((frame["state"] == state) & (checked == was)).any():
                said = words if state == "unknown" else f"{words}, {how}"
                look: dict[str, Any] = {"markerfacecolor": colour if was else "white", "markeredgecolor": colour}
                marks.append(Line2D([], [], marker=marker, linestyle="", label=said, **look))
    if result.best is not None:
        ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": plotting.INK, "markeredgewidth": 1.6}
        marks.append(Line2D([], [], marker="o", linestyle="", markersize=8, label="best", **ring))
    return marks


def _heights(ax: Axes, result: SearchResult, frame: pd.DataFrame) -> Figure:
    """Of each height, which share of its nodes satisfies the rule; how many there are stands above."""
    counted = by_height(frame)
    nodes = counted.sum(axis=1)
    foot = np.zeros(len(counted))
    for state in counted:
        share = (counted[state] / nodes).to_numpy()
        ax.bar(counted.index, share, bottom=foot, color=LOOKS[state][0], label=LOOKS[state][2], width=0.85)
        foot += share
    for height, count in nodes.items() if len(nodes) <= MOST_BARS else ():
        ax.annotate(str(count), (float(height), 1.02), ha="center", fontsize=6)  # type: ignore[arg-type]
    if result.best is not None:
        best = f"height of the best, {sum(result.best)}"
        ax.axvline(sum(result.best), 0, 1 / 1.1, color=plotting.INK, linewidth=1.2, linestyle=":", label=best)
    ax.set_ylim(0, 1.1)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    plotting.percent(ax.yaxis)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    title = f"{result.lattice.size:,} nodes (above: of this height)"
    figure = plotting.label(ax, x="height (sum of the levels)", y="nodes of this height", title=title, legend=False)
    return plotting.legend_above(figure, ax, columns=4)
