"""Figures of the BPG experiment: Figures 1 to 3 and Table 4 of the paper, and what its readings, variants and listing do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from ppdp_lab import plotting
from ppdp_lab.lab.drawings import bars
from ppdp_lab.lab.report.text import data_name
from ppdp_lab.lab.run import tables

OURS, RIVAL = "BPG with Mondrian", "m-invariance"
TABLE_4 = {0: 0.22, 1: 0.23, 2: 0.24, 3: 0.25}  # by rate, the largest first
RATE = "records replaced per release"
HOMES = {"A": plotting.COLOURS[0], "B": plotting.COLOURS[2]}  # neighbourhoods; orange is for dirty records


def meeting(results: tables.Tables) -> Figure:
    """A class that meets two neighbourhoods, step by step."""
    people = results["meeting"]
    figure, axes = plotting.figure(1, 4, width=2.7, height=3.1, sharex=True, sharey=True)
    asked, dirty = people["asked"], people["dirty"]
    titles = ["1. First release:\nneighbourhoods A and B", "2. Six are asked for again:\nthe base makes one class E1"]
    inside = {name: int((asked & (people["home"] == name)).sum()) for name in "AB"}
    outside = {name: int((~asked & (people["home"] == name)).sum()) for name in "AB"}
    tests = [f"E1 & {n}: {inside[n]},  {n} - E1: {outside[n]}" for n in "AB"]
    titles += ["3. With k = 3:\n" + "\n".join(tests), "4. Published: A is pulled in;\nB is divided for good"]
    for number, (ax, title) in enumerate(zip(axes, titles)):
        seen = people if number in (0, 3) else people[asked]
        filled = pd.Series(number == 0, index=people.index) | (asked if number < 3 else people["shown"])
        for name, colour in HOMES.items():
            if number < 3:
                box = people[people["home"] == name]
                _outline(ax, box, colour, dashed=number > 0)
                ax.text(box["x"].min() - 0.5, 62.8, name, color=colour, fontsize=9)
        if number in (1, 2):
            _outline(ax, seen, plotting.INK)
        if number == 3:
            _outline(ax, people[people["shown"]], plotting.INK)
            for _, rows in people.groupby("after"):
                _outline(ax, rows, HOMES[rows["home"].iloc[0]], dashed=True, margin=0.9)
        pulled = dirty & (number == 3)
        for mask, face, marker in (
            (filled & ~pulled, plotting.INK, "o"),
            (~filled, "white", "o"),
            (pulled, plotting.COLOURS[1], "D"),
        ):
            edge = plotting.INK if face == plotting.INK else plotting.PAPER
            ax.scatter(people["x"][mask], people["y"][mask], s=22, c=face, edgecolor=edge, marker=marker, zorder=3)
        plotting.label(ax, x="first attribute", y="" if number else "second attribute", title="", legend=False)
        ax.set_title(title, fontsize=8)
    axes[0].set_xlim(16, 50)
    axes[0].set_ylim(25, 68)
    return figure


def _outline(ax: Axes, rows: pd.DataFrame, colour: str, *, dashed: bool = False, margin: float = 1.6) -> None:
    x, y = rows["x"].min() - margin, rows["y"].min() - margin
    size = rows["x"].max() - x + margin, rows["y"].max() - y + margin
    style = (0, (4, 2)) if dashed else "-"
    ax.add_patch(Rectangle((x, y), *size, fill=False, edgecolor=colour, linestyle=style, linewidth=1.4))


def _panels(rows: pd.DataFrame, *, height: float = 3.1, lines: int = 1) -> tuple[Figure, Any, list[str]]:
    names = list(dict.fromkeys(rows["dataset"]))
    width = 4.2 if len(names) > 1 else 6.0
    figure, axes = plotting.figure(lines, len(names), width=width, height=height, squeeze=False, sharex="col")
    return figure, axes, names


def _bars(ax: Axes, rows: pd.DataFrame, value: str, series: str, order: list[str]) -> list[int]:
    """Grouped bars by rate, the largest first, with the range of the repetitions; the rates in their order."""
    rates = sorted(rows["rate"].unique(), reverse=True)
    width = 0.8 / len(order)
    for index, name in enumerate(order):
        at = rows[rows[series] == name].groupby("rate")[value].agg(["mean", "min", "max"]).reindex(rates)
        place = np.arange(len(rates)) + (index - (len(order) - 1) / 2) * width
        ends = np.stack([at["mean"] - at["min"], at["max"] - at["mean"]])
        ax.bar(place, at["mean"], width, yerr=ends, label=name, capsize=2, **bars.look(index))
    ax.set_xticks(range(len(rates)), [f"{rate:,}" for rate in rates])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.grid(visible=False, axis="x")
    return rates


def _times(results: tables.Tables, value: str, words: str, paper: bool = False) -> Figure:
    rows = results["times"]
    figure, axes, names = _panels(rows)
    for i, (ax, name) in enumerate(zip(axes[0], names)):
        chosen = tables.rows(rows, dataset=name)
        rates = _bars(ax, chosen, value, "method", [OURS, RIVAL])
        if paper:  # 20 to 40 % faster: where the bars of BPG should end
            rival = chosen[chosen["method"] == RIVAL].groupby("rate")[value].mean().reindex(rates).to_numpy()
            for place, height in enumerate(rival):
                band = Rectangle(
                    (place - 0.42, 0.6 * height), 0.42, 0.2 * height, color=plotting.FAINT, alpha=0.8, zorder=4
                )
                band.set_label("paper: 20 to 40 % less than m-invariance" if not place else "_")
                ax.add_patch(band)
        plotting.label(ax, x=RATE, y="" if i else words, title=data_name(name), legend=False)
    return plotting.legend_above(figure, axes[0][0])


def total_time(results: tables.Tables) -> Figure:
    """Figure 1: time of the whole series."""
    return _times(results, "seconds", "time of the whole series (s)", paper=True)


def time_per_release(results: tables.Tables) -> Figure:
    """Figure 2: time per release."""
    return _times(results, "per_release", "time per release (s)", paper=True)


def share(results: tables.Tables) -> Figure:
    """Table 4: BPG's share of the time of BPG and Mondrian together."""
    rows = results["times"]
    rows = rows[rows["method"] == OURS]
    figure, axes, names = _panels(rows)
    for i, (ax, name) in enumerate(zip(axes[0], names)):
        rates = _bars(ax, tables.rows(rows, dataset=name), "share", "method", [OURS])
        for place in range(len(rates)):
            value = TABLE_4.get(place, 0.25)
            ax.plot([place - 0.47, place + 0.47], [value] * 2, color=plotting.INK, linestyle=(0, (3, 1.5)))
        ax.plot([], [], color=plotting.INK, linestyle=(0, (3, 1.5)), label="paper: 22 to 25 %")
        ax.set_ylim(0, 1)
        plotting.percent(ax.yaxis)
        plotting.label(ax, x=RATE, y="" if i else "BPG's time (share)", title=data_name(name), legend=False)
    return plotting.legend_above(figure, axes[0][0])


def quality(results: tables.Tables) -> Figure:
    """Figure 3: FEM and VEM by release, for the largest and the smallest rate; dirty records are free."""
    rows = tables.rows(results["quality"], convention="free")
    return _by_release(_with_rate(rows), [("fem", "FEM (nats)"), ("vem", "VEM (nats)")], "of", "method")


def ratios(results: tables.Tables) -> Figure:
    """BPG over m-invariance, in both conventions, with the paper's bounds."""
    rows = results["quality"]
    keys = ["dataset", "rate", "convention", "repetition", "release"]
    wide = rows.pivot_table(index=keys, columns="method", values=["fem", "vem"])
    both = pd.DataFrame({m: wide[m][OURS] / wide[m][RIVAL] for m in ("fem", "vem")}).reset_index()
    both["how"] = "dirty records " + both["convention"]
    both = both.sort_values("convention", ascending=False, kind="stable")  # free ones first
    figure = _by_release(
        _with_rate(both), [("fem", "ratio of FEM"), ("vem", "ratio of VEM")], "of", "how", legend=False
    )
    half = len(figure.axes) // 2
    for ax in figure.axes[:half]:
        plotting.dashed(ax, 0.83, "paper: never under 0.83")
    for ax in figure.axes[half:]:
        plotting.band(ax, 1.62, 2.2, "paper: 1.62 to 2.2")
    return plotting.legend_above(figure, columns=2)


def _with_rate(rows: pd.DataFrame) -> pd.DataFrame:
    """Named by the rate, and in its order, the largest first: a rate has the same colour in every figure."""
    rows = rows.sort_values("rate", ascending=False, kind="stable")
    return rows.assign(of="r = " + rows["rate"].map("{:,}".format))


def _by_release(
    rows: pd.DataFrame, values: list[tuple[str, str]], series: str, line: str | None = None, *, legend: bool = True
) -> Figure:
    """One panel per data set and value, against the share of the series, so that long and short ones can be compared."""
    figure, axes, names = _panels(rows, height=2.6 if len(values) > 1 else 3.1, lines=len(values))
    order = list(dict.fromkeys(rows[series]))
    many = "rate" in rows
    for row, (across, (value, words)) in enumerate(zip(axes, values)):
        for i, (ax, name) in enumerate(zip(across, names)):
            chosen = tables.rows(rows, dataset=name)
            if many:
                chosen = chosen.assign(thousands=chosen["release"] * chosen["rate"] / 1000)
            plotting.curves(
                ax, chosen, x="thousands" if many else "release", y=value, series=series, order=order, line=line
            )
            for curve in ax.lines:
                curve.set_markevery(max(1, len(curve.get_xdata()) // 12))
            ax.set_ylim(bottom=min(0, chosen[value].min()))
            x = "records replaced so far (thousands)" if many else "release"
            x = x if row == len(values) - 1 else ""
            plotting.label(ax, x=x, y="" if i else words, title="" if row else data_name(name), legend=False)
    return plotting.legend_above(figure, axes[0][0], columns=2 if line else 6) if legend else figure


def readings(results: tables.Tables) -> Figure:
    """The three readings of what Mondrian is given, beside m-invariance."""
    rows = tables.rows(results["readings"], convention="free")
    words = [("published", "published (share)"), ("fem", "FEM (nats)"), ("vem", "VEM (nats)")]
    figure = _by_release(rows, words, "reading")
    for ax in figure.axes[: len(figure.axes) // len(words)]:
        plotting.percent(ax.yaxis)
    return figure


def dirty(results: tables.Tables) -> Figure:
    """Records that nobody asked for, as a share of those asked for."""
    rows = tables.rows(results["quality"], convention="free", method=OURS)
    rows["beside"] = rows["dirty"] / rows["asked"]
    return _by_release(_with_rate(rows), [("beside", "dirty per record asked for")], "of")


def variants(results: tables.Tables) -> Figure:
    """What each variant adds and leaves out."""
    rows = results["variants"]
    words = [("dirty", "dirty records"), ("suppressed", "suppressed records")]
    return _by_release(rows, words, "variant")


def leaks(results: tables.Tables) -> Figure:
    """Cells that break the rule, by the listing as printed and repaired."""
    rows = results["leaks"]
    rows["share"] = rows["broken"] / rows["cells"]
    order = [name for name in ("none", "signature", "neighbourhood") if name in set(rows["reading"])]
    figure, axes = plotting.figure(1, len(order), width=3.2, height=2.8, squeeze=False, sharey=True)
    for i, (ax, name) in enumerate(zip(axes[0], order)):
        plotting.curves(ax, tables.rows(rows, reading=name), x="release", y="share", series="listing")
        plotting.dashed(ax, 0, "paper: none")
        plotting.percent(ax.yaxis)
        plotting.label(ax, x="release", y="" if i else "broken cells (share)", title=f"divided by {name}", legend=False)
    return plotting.legend_above(figure, axes[0][0])
