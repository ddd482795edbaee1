"""Values side by side: bars on a linear axis, marks on a logarithmic one, where the length of a bar would mean nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ppdp_lab import plotting
from ppdp_lab.lab.report.text import data_name

HATCHES = ("", "//", "..", "xx", "--", "++", "oo")


def grouped(ax: Axes, groups: Mapping[str, pd.Series], names: Sequence[str], colours: Sequence[str]) -> None:
    """Bars side by side for each name, which has its colour; groups are told apart by hatch, which the legend shows in grey."""
    for i, (label, values) in enumerate(groups.items()):
        heights = [values.get(name, np.nan) for name in names]
        where, looks = np.arange(len(names)) + offset(i, len(groups)), look(i)
        ax.bar(where, heights, 0.8 / len(groups), **looks | {"facecolor": colours})
        ax.bar([0], [np.nan], label=label, **looks | {"facecolor": plotting.PAPER})
    _named(ax, names)


def marks(
    ax: Axes,
    groups: Mapping[str, pd.Series],
    names: Sequence[str],
    colours: Sequence[str],
    *,
    markers: Sequence[str] = plotting.MARKERS,
    hollow: Mapping[str, set[str]] | None = None,
) -> None:
    """Marks side by side for each name, which has its colour, on a logarithmic axis; groups are told apart by marker.

    Marks that ``hollow`` names are not filled.
    """
    for i, ((label, values), marker) in enumerate(zip(groups.items(), markers)):
        looks: dict[str, Any] = {"marker": marker, "linestyle": "none", "markersize": 6}
        for x, (name, colour) in enumerate(zip(names, colours)):
            empty = {"markerfacecolor": "white"} if name in (hollow or {}).get(label, ()) else {}
            ax.plot(x + offset(i, len(groups)), values.get(name, np.nan), color=colour, **looks | empty)
        ax.plot([], [], color=plotting.INK, label=label, **looks)
    _named(ax, names)
    room(ax)


def room(*axes: Axes) -> None:
    """Logarithmic y axes with room for whole marks, and for two ticks at least even if there is one mark only."""
    low, high = min(ax.dataLim.minposy for ax in axes), max(ax.dataLim.y1 for ax in axes)
    half = max(1.3 * np.sqrt(high / low), 2.6)  # of 1, 2, 5, 10, ... two at least lie within a factor of 6.25
    for ax in axes:
        ax.set_ylim(np.sqrt(low * high) / half, np.sqrt(low * high) * half)
        plotting.logarithmic(ax.yaxis)


def look(i: int) -> dict[str, Any]:
    """Colour and hatch of the i-th group of bars."""
    colour, hatch = plotting.COLOURS[i % len(plotting.COLOURS)], HATCHES[i % len(HATCHES)]
    return {"facecolor": colour, "hatch": hatch, "edgecolor": "white"}


def offset(i: int, of: int) -> float:
    """Where the i-th of some bars side by side lies, seen from their middle."""
    return (i - (of - 1) / 2) * 0.8 / of


def _named(ax: Axes, names: Sequence[str]) -> None:
    ax.set_xticks(range(len(names)), [data_name(name) for name in names])
    ax.set_xlim(-0.6, len(names) - 0.4)
    ax.grid(visible=False, axis="x")
