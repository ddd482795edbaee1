"""Figures of the BPG experiment: Figures 1 to 3 and Table 4 of the paper, and what its readings, variants and listing do.

In all of them a colour is a rate r; BPG is filled and solid, m-invariance hollow and dashed or hatched. What BPG is besides
its default (readings, variants, listings) has colours that no rate has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke

from ppdp_lab import plotting
from ppdp_lab.datasets.loading import data_name
from ppdp_lab.lab import runs

OURS, RIVAL = "BPG with Mondrian", "m-invariance"
TABLE_4 = {0: 0.22, 1: 0.23, 2: 0.24, 3: 0.25}  # by rate, the largest first
FEM_RATIO, VEM_RATIO = 0.83, (1.62, 2.2)  # what the paper says of Figure 3
RATE = "r (records replaced per release)"
HATCH = "///"  # of m-invariance's bars
DASHED: dict[str, Any] = {"color": plotting.INK, "linestyle": (0, (3, 1.5)), "label": "paper: 22 to 25 %"}
GIVEN = {"neighbourhood": "each neighbourhood", "signature": "each signature", "none": "all records at once"}

HOMES = {"A": plotting.COLOURS[0], "B": plotting.COLOURS[2]}  # orange is for dirty records


# ---------------------------------------------------------------------- what several figures share
def _colours(rates: Any) -> dict[Any, int]:
    """Which colour a rate has: largest and smallest first, since some figures show only these.

    >>> _colours([5, 40, 10])
    {40: 0, 5: 1, 10: 2}
    """
    first, *others = sorted(set(rates), reverse=True)
    return {rate: place for place, rate in enumerate([first, *others[-1:], *others[:-1]])}


def _others(number: int, line: int, **more: Any) -> dict[str, Any]:
    """How something looks that is neither BPG by default nor m-invariance; the last three colours are no rate's."""
    return plotting.style(4 + number) | {"linestyle": plotting.LINES[line]} | more


def _panels(rows: pd.DataFrame, *, height: float = 3.1, lines: int = 1) -> tuple[Figure, Any, list[str]]:
    names = list(dict.fromkeys(rows["dataset"]))
    size = {"width": 4.2 if len(names) > 1 else 6.0, "height": height}
    figure, axes = plotting.figure(lines, len(names), **size, squeeze=False, sharex="col", sharey="row")
    return figure, axes, names


def _bars(ax: Axes, rows: pd.DataFrame, value: str, methods: list[str]) -> pd.DataFrame:
    """Bars by rate, the largest first, with the range of the repetitions; means by rate and method."""
    found = rows.groupby(["rate", "method"])[value].agg(["mean", "min", "max"])
    rates, width = sorted(rows["rate"].unique(), reverse=True), 0.76 / len(methods)
    colours = [plotting.COLOURS[_colours(rates)[rate] % len(plotting.COLOURS)] for rate in rates]
    for index, method in enumerate(methods):
        at = found.xs(method, level="method").reindex(rates)
        place = np.arange(len(rates)) + (index - (len(methods) - 1) / 2) * width
        ends = np.stack([at["mean"] - at["min"], at["max"] - at["mean"]])
        hollow = {"facecolor": "white", "hatch": HATCH} if method == RIVAL else {"facecolor": colours}
        ax.bar(place, at["mean"], width - 0.04, yerr=ends, capsize=2, edgecolor=colours, **hollow)
    ax.set_xticks(range(len(rates)), [f"{rate:,}" for rate in rates])
    ax.grid(visible=False, axis="x")
    return rows.pivot_table(index="rate", columns="method", values=value).reindex(rates)


def _methods() -> list[Patch]:
    """What the legend says of bars, whatever their colour."""
    grey: dict[str, Any] = {"edgecolor": plotting.PAPER}
    return [
        Patch(facecolor=plotting.PAPER, label=OURS, **grey),
        Patch(facecolor="white", hatch=HATCH, label=RIVAL, **grey),
    ]


def _times(results: runs.Tables, value: str, words: str) -> Figure:
    """Times of both methods; behind the bars of BPG the paper's 20 to 40 % less than m-invariance, in which they should end."""
    figure, axes, names = _panels(results["times"])
    for i, (ax, name) in enumerate(zip(axes[0], names)):
        means = _bars(ax, runs.rows_where(results["times"], dataset=name), value, [OURS, RIVAL])
        for place, rival in enumerate(means[RIVAL]):
            size = (place - 0.46, 0.6 * rival), 0.46, 0.2 * rival
            ax.add_patch(
                Rectangle(*size, facecolor=plotting.FAINT, edgecolor=plotting.PAPER, linewidth=0.5, zorder=0.5)
            )
        plotting.label(ax, x=RATE, y="" if i else words, title=data_name(name), legend=False)
    paper = Patch(facecolor=plotting.FAINT, edgecolor=plotting.PAPER, linewidth=0.5)
    paper.set_label("paper: BPG 20 to 40 % below m-invariance")
    return plotting.legend_above(figure, more=[*_methods(), paper])


def _by_release(
    rows: pd.DataFrame, values: dict[str, str], series: str, *, line: str | None = None, looks: Any = None
) -> tuple[Figure, Any]:
    """One panel per data set and value; rates are drawn against the share of the series, so that they can be compared."""
    figure, axes, names = _panels(rows, height=2.6 if len(values) > 1 else 3.1, lines=len(values))
    many = "rate" in rows
    if many:  # named by the rate, and in its order
        rows = rows.sort_values("rate", ascending=False, kind="stable")
        rows = rows.assign(of="r = " + rows["rate"].map("{:,}".format), thousands=rows["release"] * rows["rate"] / 1000)
    order = list(dict.fromkeys(rows[series]))
    for row, (across, (value, words)) in enumerate(zip(axes, values.items())):
        for i, (ax, name) in enumerate(zip(across, names)):
            chosen, x = runs.rows_where(rows, dataset=name), "thousands" if many else "release"
            plotting.curves(ax, chosen, x=x, y=value, series=series, order=order, line=line, looks=looks)
            for curve in ax.lines:
                curve.set_markevery(max(1, len(curve.get_xdata()) // 12))
            x = "records replaced so far (thousands)" if many else "release"
            x = x if row == len(values) - 1 else ""
            plotting.label(ax, x=x, y="" if i else words, title="" if row else data_name(name), legend=False)
        plotting.from_zero(across[0], rows[value].max() or 1)
    figure.align_ylabels()
    return figure, axes


# ---------------------------------------------------------------------- figures
def meeting(results: runs.Tables) -> Figure:
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
            box = people[people["home"] == name]
            ax.text(box["x"].min() - 0.5, 62.8, name, color=colour, fontsize=9)
            if number < 3:
                _outline(ax, box, colour, dashed=number > 0)
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


def total_time(results: runs.Tables) -> Figure:
    """Figure 1: time of the whole series."""
    return _times(results, "seconds", "time of the whole series (s)")


def time_per_release(results: runs.Tables) -> Figure:
    """Figure 2: time per release."""
    return _times(results, "per_release", "time per release (s)")


def share(results: runs.Tables) -> Figure:
    """Table 4: BPG's share of the time of BPG and Mondrian together."""
    rows = runs.rows_where(results["times"], method=OURS)
    figure, axes, names = _panels(rows)
    for i, (ax, name) in enumerate(zip(axes[0], names)):
        means = _bars(ax, runs.rows_where(rows, dataset=name), "share", [OURS])
        for place in range(len(means)):
            value = TABLE_4.get(place, 0.25)
            line = ax.plot([place - 0.47, place + 0.47], [value] * 2, **DASHED)
            line[0].set_path_effects([withStroke(linewidth=3.5, foreground="white")])  # it crosses dark bars
        plotting.label(ax, x=RATE, y="" if i else "BPG's time (share)", title=data_name(name), legend=False)
    axes[0][0].set_ylim(0, 1)
    for ax in axes[0]:
        plotting.percent(ax.yaxis)
    return plotting.legend_above(figure, axes[0][0])


def quality(results: runs.Tables) -> Figure:
    """Figure 3: FEM and VEM by release, for the largest and the smallest rate; dirty records are free."""
    rows = runs.rows_where(results["quality"], convention="free")
    figure, axes = _by_release(rows, {"fem": "FEM (nats)", "vem": "VEM (nats)"}, "of", line="method")
    low, high = rows["fem"].min(), rows["fem"].max()
    room = 0.15 * (high - low) or 1
    axes[0][0].set_ylim(low - room, high + room)  # from 0 on, all would be one line
    return plotting.legend_above(figure, axes[0][0], rows=rows["rate"].nunique())


def ratios(results: runs.Tables) -> Figure:
    """BPG over m-invariance, in both conventions, with the paper's bounds."""
    keys = ["dataset", "rate", "convention", "repetition", "release"]
    wide = results["quality"].pivot_table(index=keys, columns="method", values=["fem", "vem"])
    both = pd.DataFrame({m: wide[m][OURS] / wide[m][RIVAL] for m in ("fem", "vem")}).reset_index()
    both["how"] = "dirty " + both["convention"]
    both = both.sort_values("convention", ascending=False, kind="stable")  # free ones first
    figure, axes = _by_release(both, {"fem": "ratio of FEM", "vem": "ratio of VEM"}, "of", line="how")
    for ax in axes[0]:
        plotting.dashed(ax, FEM_RATIO, f"paper: at least {FEM_RATIO}")
    for ax in axes[1]:
        plotting.band(ax, *VEM_RATIO, "paper: {} to {}".format(*VEM_RATIO))
    axes[1][0].set_ylim(0, 1.08 * max(VEM_RATIO[1], both["vem"].max()))
    return plotting.legend_above(figure, rows=both["rate"].nunique())


def dirty(results: runs.Tables) -> Figure:
    """Records that nobody asked for, as a share of those asked for."""
    rows = runs.rows_where(results["quality"], convention="free", method=OURS)
    rows["beside"] = rows["dirty"] / rows["asked"]
    figure, axes = _by_release(rows, {"beside": "dirty per record asked for"}, "of", line="method")
    return plotting.legend_above(figure, axes[0][0])


def readings(results: runs.Tables) -> Figure:
    """The three readings of what Mondrian is given, beside m-invariance."""
    rows = runs.rows_where(results["readings"], convention="free")
    rows["reading"] = rows["reading"].map(lambda name: f"BPG given {GIVEN[name]}" if name in GIVEN else name)
    ring = plotting.style_of_two(0, 1) | {"markersize": 8, "markerfacecolor": "none"}  # seen around BPG's mark
    names = [f"BPG given {what}" for what in GIVEN.values()]
    looks = dict(zip(names, (plotting.style_of_two(0, 0), _others(1, 2), _others(2, 3)))) | {RIVAL: ring}
    words = {"published": "published (share)", "fem": "FEM (nats)", "vem": "VEM (nats)"}
    figure, axes = _by_release(rows, words, "reading", looks=looks)
    for ax in axes[0]:
        plotting.percent(ax.yaxis)
    return plotting.legend_above(figure, axes[0][0], columns=2 if len(axes[0]) == 1 else 6)


VARIANTS = {
    "dirty": ("dirty records (default)", plotting.style_of_two(0, 0)),
    "one-by-one": ("one by one", _others(2, 2)),
    "with-counterfeits": (
        "with counterfeits",
        _others(1, 3, markersize=9, markerfacecolor="none"),
    ),  # seen around another
    "no-dirty": ("no dirty records", _others(0, 1)),
}


def variants(results: runs.Tables) -> Figure:
    """What each variant adds and leaves out."""
    rows = results["variants"]
    rows["variant"] = rows["variant"].map(lambda name: VARIANTS[name][0])
    words = {name: f"{name} records" for name in ("dirty", "suppressed")}
    words |= {"counterfeits": "counterfeits"} if rows["counterfeits"].any() else {}
    figure, axes = _by_release(rows, words, "variant", looks=dict(VARIANTS.values()))
    for ax in axes.flat:
        plotting.counted(ax.yaxis)
    return plotting.legend_above(figure, axes[0][0])


def leaks(results: runs.Tables) -> Figure:
    """Cells that break the rule, by the listing as printed and repaired."""
    rows = results["leaks"]
    rows["share"] = rows["broken"] / rows["cells"]
    order = [name for name in reversed(GIVEN) if name in set(rows["reading"])]
    figure, axes = plotting.figure(1, len(order), width=3.2, height=2.8, squeeze=False, sharey=True)
    looks = {"as printed": _others(2, 0), "repaired": _others(1, 1)}
    for i, (ax, name) in enumerate(zip(axes[0], order)):
        plotting.curves(ax, runs.rows_where(rows, reading=name), x="release", y="share", series="listing", looks=looks)
        plotting.dashed(ax, 0, "paper: none")
        plotting.percent(ax.yaxis)
        plotting.label(
            ax, x="release", y="" if i else "broken cells (share)", title=f"given {GIVEN[name]}", legend=False
        )
    return plotting.legend_above(figure, axes[0][0])
