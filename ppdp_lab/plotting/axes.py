"""What is drawn on axes: curves, the papers' ranges and values, ticks and labels."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib import dates
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ppdp_lab.errors import ParameterError, listed
from ppdp_lab.plotting.settings import FAINT, PAPER, in_look, style, style_of_two

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@in_look
def curves(
    ax: Axes,
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    series: str | None = None,
    order: Sequence[Any] | None = None,
    line: str | None = None,
    lines: Sequence[Any] | None = None,
    looks: Mapping[Any, Mapping[str, Any]] | None = None,
) -> None:
    """One line per value of ``series``; repetitions at the same x are averaged, and their range is shaded.

    ``order`` fixes which series comes first, and so which gets which style. With a second column, ``line`` (and ``lines``,
    its order), the series decides colour and marker, and that column the line style: the legend names it first. ``looks``
    says how a series looks that is drawn in other figures, too. Whole numbers on the x axis have ticks at whole numbers only.
    """
    for column in [name for name in (x, y, series, line) if name]:
        if column not in frame.columns:
            raise ParameterError(f"no column {column!r} to draw; there are {listed(frame.columns, 30)}")
    names, kinds = (
        [None] if column is None else list(dict.fromkeys(frame[column])) if said is None else list(said)
        for column, said in ((series, order), (line, lines))
    )
    for (second, kind), (first, name) in product(enumerate(kinds), enumerate(names)):
        chosen = {c: v for c, v in ((series, name), (line, kind)) if c is not None}
        rows = frame[np.logical_and.reduce([frame[c] == v for c, v in chosen.items()])] if chosen else frame
        at = rows.groupby(x, sort=True)[y].agg(["mean", "min", "max"])
        if len(at) == 0:
            continue
        look = (looks or {}).get(name) or (style(first) if line is None else style_of_two(first, second))
        label = ", ".join(str(part) for part in (kind, name) if part is not None) or None
        ax.plot(at.index.to_numpy(), at["mean"].to_numpy(), label=label, **look)
        if (at["min"] < at["max"]).any():
            ax.fill_between(at.index.to_numpy(), at["min"], at["max"], color=look["color"], alpha=0.15, linewidth=0)
    if frame[x].dtype.kind in "iu":
        ax.xaxis.set_major_locator(
            MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1)
        )  # 0, 5, 10, never 0, 3, 6
    if len(values := frame[x].unique()) == 1:
        ax.set_xticks(values)  # of one release there is one tick


def logarithmic(axis: Axis) -> None:
    """A logarithmic axis with plain numbers at 1, 2 and 5 of every power of ten, or at each digit if the range is narrow."""
    set_scale = axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale  # type: ignore[attr-defined]
    set_scale("log")
    low, high = axis.get_view_interval() if axis.get_view_interval()[0] > 0 else (1.0, 10.0)
    narrow = high / low < 4  # it may hold but one of 1, 2 and 5
    axis.set_major_locator(LogLocator(subs=range(1, 10) if narrow else (1.0, 2.0, 5.0) if high / low < 1e3 else (1.0,)))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:.6g}")


def percent(axis: Axis) -> None:
    """Ticks of shares in percent, with as many digits as they need: 2.5 %, not 2 %.

    >>> from ppdp_lab.plotting import figure
    >>> _, ax = figure()
    >>> percent(ax.yaxis)
    >>> ax.yaxis.get_major_formatter()(0.025)
    '2.5 %'
    """
    axis.set_major_formatter(lambda share, _: f"{100 * share:.6g} %")


def counted(axis: Axis) -> None:
    """Ticks of counts: whole numbers with their thousands separated, few enough to stand apart.

    >>> from ppdp_lab.plotting import figure
    >>> _, ax = figure()
    >>> counted(ax.xaxis)
    >>> ax.xaxis.get_major_formatter()(15000)
    '15,000'
    """
    axis.set_major_locator(MaxNLocator(7, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def placed(frame: pd.DataFrame, *axes: Axes) -> pd.DataFrame:
    """Places ``x0, x1, y0, y1`` as the numbers that are drawn; where they are dates, the ticks of the axes read as dates.

    >>> from ppdp_lab.plotting import figure
    >>> _, ax = figure()
    >>> placed(pd.DataFrame({"x0": pd.to_datetime(["1970-01-02"]), "y0": [7]}), ax).values.tolist()
    [[1.0, 7.0]]
    """
    times = [name for name in frame.columns if pd.api.types.is_datetime64_any_dtype(frame[name])]
    for which, ax in product(dict.fromkeys(name[0] for name in times), axes):
        axis = ax.xaxis if which == "x" else ax.yaxis
        axis.set_major_locator(dates.AutoDateLocator(minticks=2, maxticks=5))
        axis.set_major_formatter(dates.AutoDateFormatter(axis.get_major_locator(), defaultfmt="%Y-%m-%d"))
        if which == "x":  # side by side they would run into each other
            axis.set_tick_params(rotation=20)
    return frame.assign(**{name: dates.date2num(frame[name]) for name in times})


def from_zero(ax: Axes, most: float) -> None:
    """A y axis from zero to ``most``, with room for whole marks at either end."""
    ax.set_ylim(-0.03 * most, 1.1 * most)


def band(ax: Axes, low: float, high: float, label: str = "paper", *, axis: str = "y") -> None:
    """The range that a paper gives, as a light band."""
    span = ax.axhspan if axis == "y" else ax.axvspan
    span(low, high, color=FAINT, alpha=0.6, zorder=0, linewidth=0, label=label)


def dashed(ax: Axes, value: float, label: str = "paper", *, axis: str = "y") -> None:
    """The value that a paper gives, as a dashed line."""
    line = ax.axhline if axis == "y" else ax.axvline
    line(value, color=PAPER, linestyle=(0, (6, 3)), linewidth=1, zorder=1, label=label)


@in_look
def label(ax: Axes, *, x: str, y: str, title: str = "", legend: bool | None = None) -> Figure:
    """Axis labels (units in round brackets), title, and a legend if there is something to tell apart; returns the figure."""
    ax.set(xlabel=x, ylabel=y, title=title)
    handles, _ = ax.get_legend_handles_labels()
    if legend if legend is not None else bool(handles):
        ax.legend()
    fig = ax.get_figure(root=True)
    assert isinstance(fig, Figure)
    return fig


# --------------------------------------------------------------------
# What is read around the axes: legends and captions.


@in_look
def legend_above(fig: Figure, *axes: Axes, columns: int = 6, rows: int = 0, more: Sequence[Any] = ()) -> Figure:
    """One legend for all axes of a figure, above them, where it hides no curve; returns the figure.

    It names whatever any of the given axes (of all, unless given) shows, each label once, and ``more`` handles that no axis
    has; in so many columns at most, in fewer if the figure is not wide enough for them, and in lines of about equal length.
    With ``rows`` every column but the last has so many entries, so that what belongs together stands in one.
    """
    shown: dict[str, Any] = {}
    for ax in axes or fig.axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            shown.setdefault(label, handle)
    shown |= {handle.get_label(): handle for handle in more}
    if rows:
        columns = -(-len(shown) // rows)
        for blank in range(columns * rows - len(shown)):
            shown[" " * (blank + 1)] = Rectangle((0, 0), 0, 0, visible=False)  # a place that stays empty
    wide = fig.get_size_inches()[0] * fig.dpi
    for several in range(min(len(shown), columns), 0, -1):
        lines = -(-len(shown) // several)
        legend = fig.legend(shown.values(), shown.keys(), loc="outside upper left", ncols=-(-len(shown) // lines))
        if several == 1 or legend.get_window_extent().width <= 0.98 * wide:
            break
        legend.remove()
    return fig


def wrapped(text: str, letters: int) -> str:
    """A text in lines of so many letters; no line ends within "k = 3", "5 %", "seed: 1" or "stand-in".

    >>> wrapped("for k = 3 and l = 2", 8).splitlines()
    ['for', 'k = 3', 'and', 'l = 2']
    """
    whole = re.sub(r" (?=[=%])|(?<=[=:]) ", "\N{NO-BREAK SPACE}", text)
    return textwrap.fill(whole, letters, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")


@in_look
def caption(fig: Figure, text: str = "", *, provenance: str = "", scale: str = "", seed: object = None) -> Figure:
    """A line below the figure: what it shows, and from which data, scale and seed it was made."""
    made = [f"data: {provenance}"] if provenance else []
    made += [f"scale: {scale}"] if scale else []
    made += [f"seed: {seed}"] if seed is not None else []
    line = " ".join(part for part in (text, f"({'; '.join(made)})" if made else "") if part)
    letters = max(30, int(fig.get_size_inches()[0] * 19))
    fig.supxlabel(wrapped(line, letters), x=0.01, ha="left", fontsize=7, color="#555555")
    return fig
