"""Values side by side: bars on a linear axis, marks on a logarithmic one, where the length of a bar would mean nothing."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ppdp_lab import plotting
from ppdp_lab.datasets.loading import data_name

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


# --------------------------------------------------------------------
# Heat maps that say everything in words, too: each cell prints its number, and one that cannot be says why below.


# From white to one dark hue: darkness alone tells the order, in grey and to colour-blind readers, too.
SHADES = {name: LinearSegmentedColormap.from_list(name, ["#ffffff", middle, dark]) for name, middle, dark in (
    ("leak", "#E69F00", "#7A2E00"),
    ("cost", "#56B4E9", "#00344F"),
)}  # fmt: skip
_VOID = "#f2f2f2"


@dataclass(frozen=True, eq=False)
class Map:
    """One map: darkness between 0 and 1, the text of each cell, and why it, or a part of it, cannot be."""

    title: str
    darkness: pd.DataFrame
    text: pd.DataFrame
    why: pd.DataFrame


def short(value: float) -> str:
    """A number in at most five characters.

    >>> short(0), short(0.01234), short(3.14159), short(37061.0), short(1.2e7), short(0.00002), short(999.6)
    ('0', '0.012', '3.1', '37k', '12M', '2e-05', '1k')
    """
    if value == 0:
        return "0"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * size:
            return f"{value / size:.2g}{letter}" if abs(value) < 99.5 * size else f"{value / size:.0f}{letter}"
    return f"{value:.0f}" if abs(value) >= 99.5 else f"{value:.2g}"


def share(value: float) -> str:
    """A share as a percentage in at most six characters; 0 is exactly 0.

    >>> share(0), share(0.5), share(0.0031), share(0.00002), share(0.9996), share(1)
    ('0', '50 %', '0.3 %', '<0.1 %', '>99 %', '100 %')
    """
    if value in (0, 1):
        return "100 %" if value else "0"
    if value < 0.001:
        return "<0.1 %"
    if 0.99 < value < 1:
        return ">99 %"
    return f"{100 * value:.1f} %" if value < 0.0995 else f"{100 * value:.0f} %"


def root(value: float) -> float:
    """How dark a share is: 1 % is as far from none as 25 % from 49 %, so that a percent is seen, too."""
    return float(np.sqrt(value))


# Ticks at round numbers, where they lie on the scale of roots.
ROOTS = {root(at): f"{100 * at:.0f} %" for at in (0, 0.01, 0.05, 0.1, 0.25, 0.5, 1)}


def reason(why: str) -> str:
    """The first clause of a refusal: what is wrong, without the place and the advice.

    >>> reason("the series is not m-invariant: in release 1, '0' stand among others; use m-invariance")
    'the series is not m-invariant'
    """
    return re.split(r"[:;] ", why, maxsplit=1)[0]


def wrapped(above: str, width: float) -> str:
    """What is written above a figure that is so many inches wide, in lines that fit it."""
    return plotting.wrapped(above, int(12 * width))


def pivoted(rows: pd.DataFrame, index: str, column: str, value: str, how: str) -> pd.DataFrame:
    """A table of one value, its rows and columns in the order in which they come."""
    return rows.pivot_table(
        index=index, columns=column, values=value, aggfunc=how, sort=False, dropna=False, observed=True
    )


def whys(rows: pd.DataFrame, index: str, column: str) -> pd.DataFrame:
    """Why a cell cannot be, or one of its rows; empty elsewhere."""
    return pivoted(rows.assign(why=rows["why"].map(reason)), index, column, "why", "max")  # type: ignore[arg-type]


def draw(
    maps: Sequence[Map], *, shade: str, above: str, bar: str, ticks: Mapping[float, str], across: int = 1
) -> Figure:
    """Maps with the same columns, so many across; then the reasons of the marked cells.

    ``ticks`` says what is written beside the scale, by darkness.
    """
    columns = list(dict.fromkeys(c for one in maps for c in one.text.columns))
    reasons = list(dict.fromkeys(w for one in maps for w in one.why.to_numpy().ravel() if isinstance(w, str) and w))
    marks = dict(zip(reasons, "abcdefghijklmnopqrstuvwxyz"))
    width = (1.9 + 0.52 * len(columns)) * across + 0.5
    said = [line for why, mark in marks.items() for line in textwrap.wrap(f"{mark}  {why}", int(width * 15))]
    lines = -(-len(maps) // across)
    tall = [0.3 * max(len(one.text) for one in maps[i * across : (i + 1) * across]) + 0.25 for i in range(lines)]
    below = 0.16 * len(said) + 0.1
    figure, axes = plotting.figure(
        lines + 1,
        across,
        width=width / across,
        height=(sum(tall) + below + 2.1) / (lines + 1),
        squeeze=False,
        gridspec_kw={"height_ratios": [*tall, below]},
    )
    for i, ax in enumerate(axes[:-1].ravel()):
        if i >= len(maps):
            ax.axis("off")
            continue
        _cells(ax, maps[i], columns, shade, marks)
        ax.set_title(maps[i].title)
        if i >= across:
            ax.set_xticks([])
    figure.suptitle(wrapped(above, width), x=0.01, ha="left", fontsize=9)
    for ax in axes[-1]:
        ax.axis("off")
    foot = axes[-1, 0].text(0, 1, "\n".join(said), fontsize=7.5, va="top", linespacing=1.35)
    foot.set_in_layout(False)  # it is as wide as the figure, not as its column
    drawn = ScalarMappable(cmap=SHADES[shade])
    scale = figure.colorbar(drawn, ax=list(axes[:-1].ravel()), shrink=0.7, aspect=25, pad=0.01)
    scale.set_label(bar, fontsize=8)
    ticks = apart(ticks, 0.14 / (0.7 * sum(tall)))
    scale.set_ticks(list(ticks), labels=list(ticks.values()))
    return figure  # type: ignore[no-any-return]


def apart(ticks: Mapping[float, str], least: float) -> dict[float, str]:
    """Ticks that are at least so far apart: the first, the last, and of the others as many as there is room for.

    >>> apart({0: "a", 0.1: "b", 0.5: "c", 0.9: "d", 1: "e"}, 0.2)
    {0: 'a', 0.5: 'c', 1: 'e'}
    """
    places = sorted(ticks)
    kept = places[:1]
    for at in places[1:-1]:
        if at - kept[-1] >= least and places[-1] - at >= least:
            kept.append(at)
    return {at: ticks[at] for at in dict.fromkeys([*kept, *places[-1:]])}


def _cells(ax: Axes, one: Map, columns: list[str], shade: str, marks: dict[str, str]) -> None:
    rows = list(one.text.index)
    parts = [
        frame.reindex(rows, columns=columns) for frame in (one.darkness.astype(float), one.text, one.why.fillna(""))
    ]
    for (y, x), dark in np.ndenumerate(parts[0].to_numpy()):
        text, why = (frame.iloc[y, x] for frame in parts[1:])
        place, mark = (x + 0.5, y + 0.5), marks.get(why, "")
        if np.isnan(dark):
            void(ax, x, y)
            box = {"facecolor": _VOID, "edgecolor": "none", "pad": 1.0}
            _write(ax, *place, mark, fontsize=8, style="italic", bbox=box)
            continue
        ax.add_patch(Rectangle((x, y), 1, 1, facecolor=SHADES[shade](dark), edgecolor="white", linewidth=1))
        colour = "white" if dark > 0.62 else plotting.INK
        _write(ax, *place, text, fontsize=7.5, color=colour)
        if mark:
            _write(ax, x + 0.97, y + 0.04, mark, ha="right", va="top", fontsize=6.5, style="italic", color=colour)
    frame_of(ax, rows, columns)


def _write(ax: Axes, x: float, y: float, text: str, **look: Any) -> None:
    """A text in a cell; the cells make room for it, so that no layout need be computed."""
    ax.text(x, y, text, **({"ha": "center", "va": "center"} | look)).set_in_layout(False)


def void(ax: Axes, x: float, y: float) -> None:
    """A cell that cannot be."""
    ax.add_patch(Rectangle((x, y), 1, 1, facecolor=_VOID, edgecolor="#c9c9c9", hatch="////", linewidth=0))


def frame_of(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """The names of rows and columns around a map of unit squares, the first row on top."""
    ax.set_xlim(0, len(columns))
    ax.set_ylim(len(rows), 0)
    ax.set_yticks(np.arange(len(rows)) + 0.5, rows)
    ax.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=40, ha="left", rotation_mode="anchor")
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
