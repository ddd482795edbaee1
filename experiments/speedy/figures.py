"""What the thesis that brings Speedy printed in its tables, to be drawn beside what is measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ppdp_lab import plotting
from ppdp_lab.anonymize.lattice.pictures import draw_lattice
from ppdp_lab.datasets.loading import data_name
from ppdp_lab.lab import drawing, runs
from ppdp_lab.lab.bench import SETS

# Table 17 of the thesis: quasi-identifiers, records, megabytes.
TABLE_17 = {
    "adult-arx": (9, 30_162, 2.52),
    "cup": (8, 63_441, 7.11),
    "fars": (9, 100_937, 7.19),
    "atus": (9, 539_253, 84.03),
    "ihis": (9, 1_193_504, 107.56),
}
# Table 18 of the thesis, by number of threads.
TABLE_18 = {
    "ihis": {2: 1.938, 3: 2.949, 4: 3.858, 5: 4.794, 6: 5.513},
    "atus": {2: 1.913, 3: 2.842, 4: 3.551, 5: 4.366, 6: 5.012},
    "fars": {2: 1.916, 3: 2.808, 4: 3.593, 5: 4.139, 6: 4.432},
    "cup": {2: 1.728, 3: 2.387, 4: 2.792, 5: 3.067, 6: 3.251},
    "adult-arx": {2: 1.920, 3: 2.807, 4: 3.673, 5: 3.709, 6: 3.791},
}


# --------------------------------------------------------------------
# Figures of the lattice experiment: Figures 8 to 11, Tables 17 and 18 of the thesis, and the comparison with ARX.
#
# In all of them colour stands for the data set. A point with several threads at which no check was divided says nothing about
# threads: it is drawn hollow, and no law is fitted to it. The worked example is drawn in
# :mod:`experiments.speedy.figures`.


MOST_THREADS = 6  # of the thesis
MARKERS = {"Incognito": "<", "Flash": "X"}  # Speedy's tell its threads: circle, square, ...
MILLISECONDS = "mean time of a search (ms)"
HOLLOW = "hollow: no check was divided"
FITTED = "Amdahl's law, fitted (not measured)"


# ---------------------------------------------------------------------- what several figures share
def _order(names: Iterable[str]) -> list[str]:
    """The thesis' sets, then others: a set's place in it, and so its colour, does not depend on which others are drawn."""
    return [*TABLE_17, *(name for name in dict.fromkeys(names) if name not in TABLE_17)]


def _styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    return {name: plotting.style(i) for i, name in enumerate(_order(names))}


def _colours(names: Iterable[str]) -> list[str]:
    names = list(names)
    return [_styles(names)[name]["color"] for name in names]


def _void(rows: pd.DataFrame) -> pd.Series:
    """Where several threads were asked for and none got anything to do."""
    return (rows["threads"] > 1) & (rows["divided"] == 0)


def _hollow(ax: Axes, x: Any, y: Any, look: dict[str, Any], label: str | None = HOLLOW) -> None:
    """Marks of points at which nothing was divided, on top of the filled ones."""
    if len(x):
        ax.plot(x, y, **{**look, "linestyle": "none"}, markerfacecolor="white", zorder=3, label=label)


def _thesis_marks(ax: Axes, one: pd.Series, counts: list[int], names: list[str]) -> None:
    """At the marks of several threads: the time of one thread here, divided by the thesis' speed-up."""
    for i, count in enumerate(counts):
        for x, name in enumerate(names):
            speedup = TABLE_18.get(name, {}).get(count)
            if speedup and name in one.index:
                middle, half = x + drawing.offset(i, len(counts)), 0.45 / len(counts)
                ax.hlines(one[name] / speedup, middle - half, middle + half, **_THESIS)


_THESIS: dict[str, Any] = {"colors": plotting.INK, "linestyles": (0, (3, 1.5)), "linewidth": 1.2, "zorder": 4}


def _thesis_key() -> Line2D:
    looks: dict[str, Any] = {"color": plotting.INK, "linestyle": (0, (3, 1.5)), "linewidth": 1.2}
    return Line2D([], [], label="one thread / speed-up in the thesis", **looks)


def _amdahl(measured: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Amdahl's law time(n) = time(1) (s + (1 - s) / n), its share s fitted to times by threads; beyond them, up to six.

    Without a time of several threads there is nothing to fit, and nothing comes back.
    """
    n = measured.index[measured.index > 1].to_numpy()
    if len(n) == 0:
        return np.empty(0), np.empty(0)
    slope, excess = 1 - 1 / n, (measured[n] / measured[1]).to_numpy() - 1 / n
    serial = float(np.clip(np.sum(slope * excess) / np.sum(slope**2), 0, 1))
    beyond = np.arange(measured.index.max(), MOST_THREADS + 1)
    return beyond, serial + (1 - serial) / beyond


# ---------------------------------------------------------------------- figures
def table17(results: runs.Tables) -> Figure:
    """Table 17: quasi-identifiers, records and size of every set, in the thesis and here."""
    found = results["data_sets"].set_index("dataset")
    names = list(found.index)
    thesis = pd.DataFrame(TABLE_17, index=["quasi_identifiers", "records", "megabytes"]).T
    figure, axes = plotting.figure(1, 3, width=3.4, height=2.9)
    titles = {"quasi_identifiers": "quasi-identifiers", "records": "records", "megabytes": "size as text (MB)"}
    for ax, (column, title) in zip(axes, titles.items()):
        draw = drawing.grouped if column == "quasi_identifiers" else drawing.marks
        draw(ax, {"here": found[column]}, names, _colours(names))
        for x, name in enumerate(names):
            if name in thesis.index:
                paper = float(thesis.loc[name, column])
                ax.hlines(paper, x - 0.42, x + 0.42, plotting.INK, (0, (3, 1.5)), linewidth=1.2, label="thesis")
        if draw is drawing.marks:
            drawing.room(ax)  # for what the thesis says, too
        else:
            plotting.counted(ax.yaxis)
        ax.tick_params(axis="x", labelrotation=30)
        plotting.label(ax, x="data set", y=title, legend=False)
    return plotting.legend_above(figure, axes[1])


def algorithms(results: runs.Tables) -> Figure:
    """Figure 8: mean time of Incognito and Flash per data set."""
    means = results["means"]
    names = list(dict.fromkeys(means["dataset"]))
    figure, ax = plotting.figure()
    compared = ("Incognito", "Flash")
    groups = {a: runs.rows_where(means, algorithm=a).set_index("dataset")["seconds"] * 1e3 for a in compared}
    drawing.marks(ax, groups, names, _colours(names), markers=[MARKERS[a] for a in compared])
    plotting.label(ax, x="data set", y=MILLISECONDS, legend=False)
    return plotting.legend_above(figure)


def threads(results: runs.Tables) -> Figure:
    """Figure 9: mean time of Flash and Speedy by threads, checks scanning rows and checks rolled up."""
    means = results["means"]
    means = means[means["algorithm"] != "Incognito"]
    names = list(dict.fromkeys(means["dataset"]))
    figure, axes = plotting.figure(1, 2, width=4.6, sharey=True)
    for ax, rollup in zip(axes, (False, True)):
        groups, hollow, counts, markers = {}, {}, [], []
        for (algorithm, count), rows in runs.rows_where(means, rollup=rollup).groupby(["algorithm", "threads"]):
            label = f"{algorithm}, {count} thread{'s' if count > 1 else ''}"
            groups[label] = rows.set_index("dataset")["seconds"] * 1e3
            hollow[label] = set(rows.loc[_void(rows), "dataset"])
            counts.append(count)
            markers.append(MARKERS.get(algorithm, plotting.MARKERS[count - 1]))
        drawing.marks(ax, groups, names, _colours(names), markers=markers, hollow=hollow)
        _thesis_marks(ax, next(iter(groups.values())), counts, names)
        title = "roll-up on" if rollup else "roll-up off: every check scans all rows"
        plotting.label(ax, x="data set", y="" if rollup else MILLISECONDS, title=title, legend=False)
        ax.tick_params(axis="x", labelrotation=20)
    drawing.room(*axes)
    thesis = [_thesis_key()] if set(names) & set(TABLE_18) else []
    return plotting.legend_above(figure, *axes, more=[*thesis, *_hollow_key(means)])


def ihis(results: runs.Tables) -> Figure:
    """Figure 10: the largest set, four quasi-identifiers and the largest k, by threads."""
    times = results["times"]
    largest = times.loc[times["rows"].idxmax(), "dataset"]
    count = min(4, runs.rows_where(times, dataset=largest)["quasi_identifiers"].max())
    k = times["k"].max()
    chosen = runs.rows_where(times, dataset=largest, quasi_identifiers=count, k=k, algorithm="Speedy", rollup=False)
    void, by_threads = chosen[_void(chosen)], chosen.set_index("threads")["seconds"] * 1e3
    figure, ax = plotting.figure()
    thesis = {1: 1.0} | TABLE_18.get(largest, {})
    if len(thesis) > 1:
        looks: dict[str, Any] = {"color": plotting.PAPER, "linestyle": "--", "linewidth": 1}
        ax.plot(thesis.keys(), [by_threads[1] / s for s in thesis.values()], label="by the thesis' speed-up", **looks)
    own = _styles([largest])[largest]
    ax.plot(by_threads.index, by_threads, label="measured", **own | {"linestyle": "-"})
    _hollow(ax, void["threads"], void["seconds"] * 1e3, own)
    beyond, law = _amdahl(by_threads.drop(void["threads"]))
    if len(beyond):
        ax.plot(beyond, by_threads[1] * law, label=FITTED, color=own["color"], linestyle=":")
    ax.set_ylim(0, 1.2 * by_threads.max())
    ax.set_xticks(range(1, MOST_THREADS + 1))
    title = f"{data_name(largest)}, {count} quasi-identifiers, k = {k}"
    plotting.label(ax, x="threads", y="time of a search (ms)", title=title, legend=False)
    return plotting.legend_above(figure, columns=2)


def dimensions(results: runs.Tables) -> Figure:
    """Figure 11: Speedy's time by the number of quasi-identifiers."""
    times, k = results["times"], results["fits"]["k"].iloc[0]
    most = times["threads"].max()
    chosen = runs.rows_where(times, k=k, algorithm="Speedy", threads=most, rollup=False)
    chosen = chosen.assign(milliseconds=chosen["seconds"] * 1e3)
    figure, ax = plotting.figure()
    _by_set(ax, chosen, "milliseconds")
    for name, look in _styles(chosen["dataset"]).items():
        void = chosen[_void(chosen) & (chosen["dataset"] == name)]
        _hollow(ax, void["quasi_identifiers"], void["milliseconds"], look, label=None)
    plotting.logarithmic(ax.yaxis)
    ax.set_xticks(sorted(chosen["quasi_identifiers"].unique()))
    title = f"k = {k}, {most} thread{'s' if most > 1 else ''}"
    plotting.label(ax, x="quasi-identifiers", y="time of a search (ms)", title=title, legend=False)
    return plotting.legend_above(figure, more=_hollow_key(chosen))


def _by_set(ax: Axes, rows: pd.DataFrame, y: str) -> None:
    """One curve per data set against the number of quasi-identifiers."""
    order = [data_name(name) for name in _order(rows["dataset"])]
    named = rows.assign(dataset=rows["dataset"].map(data_name))
    plotting.curves(ax, named, x="quasi_identifiers", y=y, series="dataset", order=order)


def speedup(results: runs.Tables) -> Figure:
    """Table 18 as curves: measured speed-up, its fitted law beyond the machine's cores, and the thesis' values."""
    found = results["speedups"]
    names = list(dict.fromkeys(found["dataset"]))
    width = max(2.3, 6 / len(names))  # room for the legend
    figure, axes = plotting.figure(1, len(names), width=width, height=2.8, squeeze=False, sharey=True)
    colours, dotted = dict(zip(names, _colours(names))), (0, (1, 1.5))
    kinds: dict[str, dict[str, Any]] = {
        "roll-up off": {"marker": "o"},
        "roll-up on": {"marker": "X", "linestyle": "none"},
    }
    for ax, name in zip(axes[0], names):
        thesis = {1: 1.0} | TABLE_18.get(name, {})
        if len(thesis) > 1:
            ax.plot(thesis.keys(), thesis.values(), color=plotting.PAPER, linestyle="--", linewidth=1, label="thesis")
        for rollup, look in enumerate(kinds.values()):
            rows = runs.rows_where(found, dataset=name, rollup=bool(rollup))
            looks = {"color": colours[name], **look}
            rows = rows.assign(at=rows["threads"] + 0.2 * rollup)  # beside each other, or one would hide the other
            ax.plot(rows["at"], rows["speedup"], **looks)
            void = rows[_void(rows)]
            _hollow(ax, void["at"], void["speedup"], looks, label=None)
            if not rollup:
                beyond, law = _amdahl(1 / rows[~_void(rows)].set_index("threads")["speedup"])
                if len(beyond):
                    ax.plot(beyond, 1 / law, color=colours[name], linestyle=dotted, label=FITTED)
        ax.set_xticks(range(1, MOST_THREADS + 1))
        plotting.label(ax, x="threads", y="speed-up" if ax is axes[0, 0] else "", title=data_name(name), legend=False)
    keys = [Line2D([], [], color=plotting.INK, label=label, **look) for label, look in kinds.items()]
    # Named again in ink: each panel has its own colour.
    keys += [Line2D([], [], color=plotting.INK, linestyle=dotted, label=FITTED)] if _fitted(axes[0]) else []
    return plotting.legend_above(figure, *axes[0], more=[*keys, *_hollow_key(found)])


def _fitted(axes: Iterable[Axes]) -> bool:
    return any(line.get_label() == FITTED for ax in axes for line in ax.lines)


def _hollow_key(rows: pd.DataFrame) -> list[Line2D]:
    """What the legend says about hollow marks, if there are any."""
    if not _void(rows).any():
        return []
    looks: dict[str, Any] = {"color": plotting.INK, "marker": "o", "linestyle": "none", "markerfacecolor": "white"}
    return [Line2D([], [], label=HOLLOW, **looks)]


def arx(results: runs.Tables) -> Figure:
    """Times faster than ARX, with all its quasi-identifier counts; of sets that ARX was run on."""
    found = results["arx"]
    figure, ax = plotting.figure()
    if found.empty:
        ax.text(
            0.5, 0.5, f"ARX was run on none of these data sets,\nonly on {', '.join(map(data_name, SETS))}", ha="center"
        )
        ax.set_axis_off()
        return figure
    _by_set(ax, found, "times_faster")
    plotting.dashed(ax, 1, "as fast as ARX")
    plotting.logarithmic(ax.yaxis)
    label = {"x": "quasi-identifiers", "y": "times faster than ARX (scaled)", "title": "Flash, k = 5, one thread"}
    plotting.label(ax, **label, legend=False)
    return plotting.legend_above(figure)


# --------------------------------------------------------------------
# Lattices of the worked example, node by node: Figures 5 to 7 of the thesis.


HOLDS, FAILS = plotting.COLOURS[2], plotting.COLOURS[1]


def incognito_subsets(results: runs.Tables) -> Figure:
    """Figure 5: Incognito in the lattices of one and of two quasi-identifiers."""
    nodes = _nodes(results, "Incognito")
    subsets = [a for a in nodes["attributes"].unique() if a.count(",") < 2]
    figure, axes = plotting.figure(2, (len(subsets) + 1) // 2, width=2.9, height=2.9)
    for ax, attributes in zip(axes.ravel(), subsets):
        _lattice(ax, nodes[nodes["attributes"] == attributes], attributes, size=520)
    return figure


def incognito(results: runs.Tables) -> Figure:
    """Figure 6: Incognito in the lattice of all three quasi-identifiers."""
    return _whole(results, "Incognito", "Incognito, all three quasi-identifiers")


def flash(results: runs.Tables) -> Figure:
    """Figure 7: Flash, whose first three checks are those of its first path."""
    return _whole(results, "Flash", "Flash: numbers are the order of the checks")


def _whole(results: runs.Tables, algorithm: str, title: str) -> Figure:
    nodes = _nodes(results, algorithm)
    nodes = nodes[nodes["attributes"].str.count(",") == 2]
    figure, ax = plotting.figure(width=7.2, height=5.4)
    _lattice(ax, nodes, title, size=900)
    _colour_key(ax)
    return figure


def _nodes(results: runs.Tables, algorithm: str) -> pd.DataFrame:
    return runs.rows_where(results["nodes"], algorithm=algorithm)


def _lattice(ax: Axes, nodes: pd.DataFrame, title: str, *, size: int) -> None:
    """A lattice, bottom up: coloured by whether the rule holds, filled where checked, with the order of the checks."""
    levels = np.array([list(map(int, node.split(","))) for node in nodes["node"]])
    states = np.where(nodes["holds"], "solution", "fails").tolist()
    names = [f"[{node}]" for node in nodes["node"]]
    draw_lattice(ax, levels, states, nodes["order"].to_numpy(), names=names, size=size)
    ax.set_title(title)
    ax.margins(0.215, 0.182)


def _colour_key(ax: Axes) -> None:
    for colour, marker, holds in ((HOLDS, "o", "2-anonymous"), (FAILS, "s", "not 2-anonymous")):
        for filled, how in ((True, "checked"), (False, "known without a check")):
            ax.scatter(
                [], [], c=[colour if filled else "white"], edgecolors=colour, marker=marker, label=f"{holds}, {how}"
            )
    ax.legend(loc="upper left", fontsize=6.5, bbox_to_anchor=(-0.05, 1.0), framealpha=0.8)
