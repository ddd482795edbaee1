"""Bars side by side, told apart by colour and hatch, filled or hollow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ppdp_lab import plotting

HATCHES = ("", "//", "..", "xx", "--", "++", "oo")


def grouped(
    ax: Axes, groups: dict[str, pd.Series], names: list[str], hollow: dict[str, set[str]] | None = None
) -> None:
    """Bars side by side for each name, one group per label. Those that ``hollow`` names are not filled."""
    width, hollow = 0.8 / len(groups), hollow or {}
    for i, (label, values) in enumerate(groups.items()):
        heights = [values.get(name, np.nan) for name in names]
        where = np.arange(len(names)) + offset(i, len(groups))
        for name, bar in zip(names, ax.bar(where, heights, width, label=label, **look(i))):
            if name in hollow.get(label, ()):
                bar.set(facecolor="white", edgecolor=look(i)["facecolor"], hatch="", linewidth=1.2)
    ax.set_xticks(range(len(names)), names)


def look(i: int) -> dict[str, Any]:
    """Colour and hatch of the i-th group of bars."""
    colour, hatch = plotting.COLOURS[i % len(plotting.COLOURS)], HATCHES[i % len(HATCHES)]
    return {"facecolor": colour, "hatch": hatch, "edgecolor": "white"}


def logarithmic(ax: Axes, values: pd.Series) -> None:
    """A logarithmic axis that begins at a power of ten, so that the shortest bar has a height, too."""
    ax.set_yscale("log")
    ax.set_ylim(bottom=10 ** np.floor(np.log10(values.min() / 1.2)))


def offset(i: int, of: int) -> float:
    """Where the i-th of some bars side by side lies, seen from their middle."""
    return (i - (of - 1) / 2) * 0.8 / of
