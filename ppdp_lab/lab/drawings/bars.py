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


def grouped(ax: Axes, groups: Mapping[str, pd.Series], names: Sequence[str]) -> None:
    """Bars side by side for each name, one group per label, told apart by colour and hatch."""
    for i, (label, values) in enumerate(groups.items()):
        heights = [values.get(name, np.nan) for name in names]
        where = np.arange(len(names)) + offset(i, len(groups))
        ax.bar(where, heights, 0.8 / len(groups), label=label, **look(i))
    _named(ax, names)


def marks(
    ax: Axes,
    groups: Mapping[str, pd.Series],
    names: Sequence[str],
    *,
    looks: Sequence[Mapping[str, Any]] = (),
    hollow: Mapping[str, set[str]] | None = None,
) -> None:
    """Marks side by side for each name on a logarithmic axis; those that ``hollow`` names are not filled."""
    for i, (label, values) in enumerate(groups.items()):
        where = np.arange(len(names)) + offset(i, len(groups))
        heights = np.array([values.get(name, np.nan) for name in names])
        empty = np.array([name in (hollow or {}).get(label, ()) for name in names])
        mark: dict[str, Any] = {**(looks[i] if looks else plotting.style(i)), "linestyle": "none", "markersize": 6}
        ax.plot(where[~empty], heights[~empty], label=label, **mark)
        ax.plot(where[empty], heights[empty], **mark | {"markerfacecolor": "white"})
    _named(ax, names)
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
