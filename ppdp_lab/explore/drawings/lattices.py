"""A lattice, bottom up: colour is loss, shape is what a search knows, and numbers are the order of its checks."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from ppdp_lab import plotting
from ppdp_lab.anonymize.lattice.nodes.sketches import edges, places
from ppdp_lab.explore.drawings.words import letters
from ppdp_lab.explore.measure.lattices import COLUMNS

SHAPES = {"holds": ("o", "rule holds"), "fails": ("s", "rule fails"), "unknown": ("D", "not known yet")}
ROOM = 12  # nodes side by side whose names can be read
COLOURS = mpl.colormaps["cividis_r"]  # alike for colour-blind readers, and dark means much in grey, too


def lattice(nodes: pd.DataFrame) -> Figure:
    """The nodes of a lattice as ``explore.measure.lattice_nodes`` gives them; each has its name as ``gid``."""
    with plotting.look():
        figure, ax = plotting.figure(width=8.4, height=5.6)
        levels = np.array([list(map(int, name.split(","))) for name in nodes["node"]])
        place = places(levels)
        widest = int(nodes["height"].value_counts().max())
        size = 620 if widest <= ROOM else max(40, 620 * ROOM**2 / widest**2)
        lines = LineCollection(
            [place[[a, b]] for a, b in edges(levels)], colors=plotting.FAINT, linewidths=0.8, zorder=1
        )
        ax.add_collection(lines)
        latest = int(nodes["check"].max())
        for row, (x, y) in zip(nodes.itertuples(), place.tolist()):
            _node(ax, row, (x, y), size, latest, named=widest <= ROOM)
        ax.set_ylabel("height: sum of the levels")
        if columns := nodes.attrs.get(COLUMNS):
            ax.set_xlabel(letters(f"a node: the levels of {', '.join(columns)}"))
        ax.set_yticks(range(int(nodes["height"].max()) + 1))
        ax.set_xticks([])
        ax.spines["bottom"].set_visible(False)
        ax.grid(False)
        ax.margins(0.06, 0.09)
        shades = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 1), COLOURS.resampled(50))  # each is drawn by itself
        figure.colorbar(shades, ax=ax, label="loss of the levels (GCP, share)", fraction=0.035, pad=0.02)
        figure.legend(handles=_key(), loc="outside upper left", ncols=5)
        return figure


def gid(node: str) -> str:
    """The name of a node's mark in the drawing."""
    return f"node-{node.replace(',', '-')}"


def _node(ax: Axes, row: object, at: tuple[float, float], size: float, latest: int, *, named: bool) -> None:
    loss, check, state = float(row.loss), int(row.check), str(row.state)  # type: ignore[attr-defined]
    fill = COLOURS(loss)
    now = check and check == latest
    scale = 0.55 if state == "unknown" and not check else 1.0
    x, y = at
    (mark,) = ax.plot(  # a scatter for each node would take several times as long
        [x], [y], marker=SHAPES[state][0], markersize=(size * scale) ** 0.5, linestyle="none", color=fill, zorder=3,
        markeredgecolor=plotting.INK if check else "#999999", markeredgewidth=1.8 if check else 0.8,
    )  # fmt: skip
    if now:  # a second ring: the colour alone is lost on a node of like lightness
        ax.plot(
            [x], [y], marker=SHAPES[state][0], markersize=(1.8 * size) ** 0.5, linestyle="none", color="none", zorder=2,
            markeredgecolor=plotting.COLOURS[1], markeredgewidth=2.2,
        )  # fmt: skip
    name = str(row.node)  # type: ignore[attr-defined]
    mark.set_gid(gid(name))
    if named:
        dark = np.dot(fill[:3], (0.299, 0.587, 0.114)) < 0.55
        ax.text(
            x, y, name, ha="center", va="center", fontsize=7, zorder=4, color="white" if dark else "black"
        ).set_in_layout(False)
        if check:
            beside = ScaledTranslation(19 / 72, 11 / 72, ax.figure.dpi_scale_trans)
            ax.text(
                x, y, str(check), transform=ax.transData + beside, fontsize=8, fontweight="bold", zorder=5,
                ha="center", va="baseline",
            ).set_in_layout(False)  # fmt: skip


def _key() -> list[Line2D]:
    marks = [
        Line2D(
            [], [], marker=shape, linestyle="", color="#bbbbbb", markeredgecolor="#999999", markersize=8, label=words
        )
        for shape, words in SHAPES.values()
    ]
    rings = ((plotting.INK, 6, "checked (number)"), (plotting.COLOURS[1], 11, "checked last (outer ring)"))
    for colour, size, words in rings:
        marks.append(
            Line2D(
                [], [], marker="o", linestyle="", color="white", markeredgecolor=colour, markeredgewidth=2,
                markersize=size, label=words,
            )
        )  # fmt: skip
    return marks
