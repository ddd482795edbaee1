"""Figures of the crossover: who leaks what, who pays what, and leak against loss."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting
from ppdp_lab.datasets.loading import data_name
from ppdp_lab.lab import drawing, runs

LOSS = "query_error"
_ACROSS = 2
ORDER = {"release": 0, "pair": 1, "series": 2}


def leaks(results: runs.Tables) -> Figure:
    """Share of people breached, by publisher and attack, at the lowest threshold: who is nearly certain."""
    return _leaks(results, results["leaks"]["least"].min())


def promises(results: runs.Tables) -> Figure:
    """The same at the threshold that all were asked to keep."""
    return _leaks(results, results["leaks"]["least"].max())


def _leaks(results: runs.Tables, least: int) -> Figure:
    rows = runs.rows_where(results["leaks"], least=least)
    maps = []
    for updates in dict.fromkeys(rows["updates"]):
        part = runs.rows_where(rows, updates=updates)
        part = part.sort_values(
            ["followed", "sees"], key=lambda c: c.map(ORDER) if c.name == "sees" else c, kind="stable"
        )
        worst = drawing.pivoted(part, "publisher", "attack", "share", "max")
        text = worst.map(drawing.share)
        whys = drawing.whys(part, "publisher", "attack")
        maps.append(drawing.Map(_where(part, updates, "worst"), worst.map(drawing.root), text, whys))
    above = f"Share of people left hidden among fewer than {least} people or values. {_setting(results)}"
    return drawing.draw(maps, shade="leak", above=above, bar="people breached (share)", ticks=drawing.ROOTS)


def costs(results: runs.Tables) -> Figure:
    """Every cost, by publisher; dark is dear within a column."""
    rows = results["costs"]
    rows["column"] = rows["label"] + rows["unit"].map(lambda unit: f" ({unit})" if unit else "")
    maps = []
    for updates in dict.fromkeys(rows["updates"]):
        part = runs.rows_where(rows, updates=updates)
        values = drawing.pivoted(part, "publisher", "column", "value", "mean")
        sign = part.drop_duplicates("column").set_index("column")["better"].map({"lower": 1, "higher": -1})
        signed = values * sign[values.columns]
        spread = (signed.max() - signed.min()).replace(0, np.nan)
        dark = ((signed - signed.min()) / spread).where(spread.notna() | values.isna(), 0).where(values.notna())
        maps.append(
            drawing.Map(
                _where(part, updates, "mean"),
                dark,
                values.map(drawing.short),
                drawing.whys(part, "publisher", "column"),
            )
        )
    above = f"What a release costs, mean over the series. {_setting(results)}"
    ticks = {0.0: "best", 1.0: "worst"}
    return drawing.draw(maps, shade="cost", above=above, bar="best to worst of the column", ticks=ticks)


def leak_against_loss(results: runs.Tables) -> Figure:
    """The worst attack on each publisher against one loss; filled without pseudonyms, hollow where rows are followed."""
    found = runs.rows_where(results["leaks"], least=results["leaks"]["least"].min())
    paid = runs.rows_where(results["costs"], cost=LOSS)
    names, updates, datasets = (list(dict.fromkeys(found[c])) for c in ("publisher", "updates", "dataset"))
    panels = list(product(updates, datasets))
    lines = -(-len(panels) // _ACROSS)
    figure, axes = plotting.figure(lines, _ACROSS, width=4.2, height=2.9, squeeze=False, sharey=True)
    for ax in axes.ravel()[len(panels) :]:
        ax.axis("off")
    for at, (ax, (what, dataset)) in enumerate(zip(axes.ravel(), panels)):
        here = {"dataset": dataset, "updates": what}
        loss = runs.rows_where(paid, **here).set_index("publisher")["value"]
        worst = drawing.pivoted(runs.rows_where(found, **here), "publisher", "followed", "share", "max")
        for i, name in enumerate(names):
            _point(ax, plotting.style(i), loss[name], worst.loc[name])
        most = 1.0 if loss.isna().all() else loss.max()
        ax.set(ylim=(-0.04, 1.04), xlim=(-0.04 * most, 1.08 * most))
        for axis in (ax.xaxis, ax.yaxis):
            plotting.percent(axis)
        ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))  # in a narrow panel more would touch
        x = paid["label"].iloc[0] if at >= len(panels) - _ACROSS else ""
        plotting.label(
            ax,
            x=x,
            y="" if at % _ACROSS else "people breached (share)",
            title=f"{data_name(dataset)}, {what}",
            legend=False,
        )
    looks = [plotting.style(i) for i in range(len(names))]
    handles = [Line2D([], [], color=s["color"], marker=s["marker"], ls="", label=n) for n, s in zip(names, looks)]
    handles.append(Line2D([], [], color=plotting.INK, marker="o", ls="", label="no pseudonyms"))
    handles.append(
        Line2D([], [], color=plotting.INK, marker="o", ls="", label="rows followed", markerfacecolor="white")
    )
    above = f"People whom the worst attack leaves among fewer than {found['least'].iloc[0]}. {_setting(results)}"
    above = drawing.wrapped(above, figure.get_size_inches()[0])
    legend = figure.legend(handles=handles, loc="outside upper left", ncols=5, fontsize=8, frameon=False, title=above)
    legend.set_alignment("left")
    return figure  # type: ignore[no-any-return]


def _point(ax: Axes, looks: dict[str, Any], loss: float, worst: pd.Series) -> None:
    """A publisher: filled, what is found without pseudonyms; hollow above it, with them; nothing if it published nothing."""
    low, high = worst[False], worst.max()
    ax.plot([loss, loss], [low, high], color=looks["color"], linewidth=1, linestyle=":")
    for y, face in ((high, "white"), (low, looks["color"])):
        ax.plot(loss, y, looks["marker"], color=looks["color"], markersize=7, markerfacecolor=face)


def _where(part: pd.DataFrame, updates: str, how: str) -> str:
    """The title of a panel: what happens to values, and how several data sets are put together."""
    names = [data_name(name) for name in dict.fromkeys(part["dataset"])]
    return f"{updates} ({names[0] if len(names) == 1 else f'{how} of ' + ' and '.join(names)})"


def _setting(results: runs.Tables) -> str:
    """What was given to all publishers, in one line."""
    said = results["setting"].iloc[0]
    return (
        f"k = l = m = {said['k']:.0f}, e = {said['e']:.0f}, d = {said['d']:.0f}; "
        f"{said['releases']:.0f} releases of {said['initial']:,.0f} rows, {said['rate']:,.0f} replaced each time."
    )
