"""Figures of the lattice experiment: Figures 5 to 11 and Table 18 of the thesis, and the comparison with ARX."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.lab.run import tables

HOLDS, FAILS = plotting.COLOURS[2], plotting.COLOURS[1]
# Table 18 of the thesis, by number of threads.
THESIS = {
    "ihis": {2: 1.938, 3: 2.949, 4: 3.858, 5: 4.794, 6: 5.513},
    "atus": {2: 1.913, 3: 2.842, 4: 3.551, 5: 4.366, 6: 5.012},
    "fars": {2: 1.916, 3: 2.808, 4: 3.593, 5: 4.139, 6: 4.432},
    "cup": {2: 1.728, 3: 2.387, 4: 2.792, 5: 3.067, 6: 3.251},
    "adult-arx": {2: 1.920, 3: 2.807, 4: 3.673, 5: 3.709, 6: 3.791},
}


def incognito_subsets(results: tables.Tables) -> Figure:
    """Figure 5: Incognito in the lattices of one and of two quasi-identifiers."""
    nodes = _nodes(results, "Incognito")
    subsets = [a for a in nodes["attributes"].unique() if a.count(",") < 2]
    figure, axes = plotting.figure(2, (len(subsets) + 1) // 2, width=2.9, height=2.9)
    for ax, attributes in zip(axes.ravel(), subsets):
        _lattice(ax, nodes[nodes["attributes"] == attributes], attributes, size=520)
    return figure


def incognito(results: tables.Tables) -> Figure:
    """Figure 6: Incognito in the lattice of all three quasi-identifiers."""
    return _whole(results, "Incognito", "Incognito, all three quasi-identifiers")


def flash(results: tables.Tables) -> Figure:
    """Figure 7: Flash, whose first three checks are those of its first path."""
    return _whole(results, "Flash", "Flash: numbers are the order of the checks")


def _whole(results: tables.Tables, algorithm: str, title: str) -> Figure:
    nodes = _nodes(results, algorithm)
    nodes = nodes[nodes["attributes"].str.count(",") == 2]
    figure, ax = plotting.figure(width=7.2, height=5.4)
    _lattice(ax, nodes, title, size=900)
    _colour_key(ax)
    return figure


def _nodes(results: tables.Tables, algorithm: str) -> pd.DataFrame:
    return tables.rows(results["nodes"], algorithm=algorithm)


def _lattice(ax: Axes, nodes: pd.DataFrame, title: str, *, size: int) -> None:
    """A lattice, bottom up: coloured by whether the rule holds, filled where checked, with the order of the checks."""
    levels = {node: tuple(map(int, node.split(","))) for node in nodes["node"]}
    pairs = [(a, b) for a, b in itertools.permutations(levels, 2) if sum(levels[b]) == sum(levels[a]) + 1]
    graph = nx.DiGraph()
    graph.add_nodes_from(levels)
    graph.add_edges_from((a, b) for a, b in pairs if min(np.subtract(levels[b], levels[a])) >= 0)
    place: dict[str, tuple[float, float]] = {}
    for height in {sum(node) for node in levels.values()}:
        row = sorted((name for name in levels if sum(levels[name]) == height), key=lambda n: levels[n], reverse=True)
        place |= {name: (i - (len(row) - 1) / 2, height) for i, name in enumerate(row)}
    nx.draw_networkx_edges(graph, place, ax=ax, arrows=False, edge_color=plotting.FAINT, width=0.8)
    rows = nodes.set_index("node")
    for name, (x, y) in place.items():
        holds, order = bool(rows.loc[name, "holds"]), int(rows.loc[name, "order"])
        colour = HOLDS if holds else FAILS
        shape = "o" if holds else "s"
        fill = colour if order else "white"
        ax.scatter([x], [y], s=size, c=[fill], edgecolors=colour, linewidths=1.5, marker=shape, zorder=3)
        ax.text(
            x, y, f"[{name}]", ha="center", va="center", fontsize=6.5, zorder=4, color="white" if order else "black"
        )
        if order:
            ax.annotate(str(order), (x, y), (9, 9), textcoords="offset points", fontsize=7, fontweight="bold", zorder=5)
    ax.set_title(title)
    ax.margins(0.15, 0.12)
    ax.set_axis_off()


def _colour_key(ax: Axes) -> None:
    for colour, marker, holds in ((HOLDS, "o", "2-anonymous"), (FAILS, "s", "not 2-anonymous")):
        for filled, how in ((True, "checked"), (False, "known without a check")):
            ax.scatter(
                [], [], c=[colour if filled else "white"], edgecolors=colour, marker=marker, label=f"{holds}, {how}"
            )
    ax.legend(loc="upper left", fontsize=6.5, bbox_to_anchor=(-0.05, 1.0), framealpha=0.8)


def _bars(ax: Axes, groups: dict[str, pd.Series], names: list[str]) -> None:
    width = 0.8 / len(groups)
    hatches = ("", "//", "..", "xx", "--", "++", "oo")
    for i, (label, values) in enumerate(groups.items()):
        where = [x + (i - (len(groups) - 1) / 2) * width for x in range(len(names))]
        heights = [values.get(name, np.nan) for name in names]
        colour, hatch = plotting.COLOURS[i % len(plotting.COLOURS)], hatches[i % len(hatches)]
        ax.bar(where, heights, width, label=label, color=colour, hatch=hatch, edgecolor="white")
    ax.set_xticks(range(len(names)), names)


def algorithms(results: tables.Tables) -> Figure:
    """Figure 8: mean time of Incognito and Flash per data set."""
    times = results["times"]
    names = list(dict.fromkeys(times["dataset"]))
    _, ax = plotting.figure()
    groups = {a: tables.rows(times, algorithm=a).groupby("dataset")["seconds"].mean() for a in ("Incognito", "Flash")}
    _bars(ax, groups, names)
    ax.set_yscale("log")
    return plotting.label(ax, x="data set", y="mean time of a search (s)")


def threads(results: tables.Tables) -> Figure:
    """Figure 9: mean time of Flash and Speedy by threads, checks scanning rows and checks rolled up."""
    times = results["times"]
    names = list(dict.fromkeys(times["dataset"]))
    figure, axes = plotting.figure(1, 2, width=4.4, sharey=True)
    for ax, rollup in zip(axes, (False, True)):
        groups = {}
        chosen = tables.rows(times, rollup=rollup)
        chosen = chosen[chosen["algorithm"] != "Incognito"]
        for (algorithm, count), rows in chosen.groupby(["algorithm", "threads"]):
            label = f"{algorithm}, {count} thread{'s' if count > 1 else ''}"
            groups[label] = rows.groupby("dataset")["seconds"].mean()
        _bars(ax, groups, names)
        ax.set_yscale("log")
        title = "roll-up on" if rollup else "roll-up off: every check scans all rows"
        plotting.label(ax, x="data set", y="" if rollup else "mean time of a search (s)", title=title)
    return figure


def ihis(results: tables.Tables) -> Figure:
    """Figure 10: the largest set, four quasi-identifiers and the largest k, by threads."""
    times = results["times"]
    largest = times.loc[times["rows"].idxmax(), "dataset"]
    count = min(4, times["quasi_identifiers"].max())
    k = times["k"].max()
    chosen = tables.rows(times, dataset=largest, quasi_identifiers=count, k=k, algorithm="Speedy", rollup=False)
    chosen = chosen.set_index("threads")["seconds"]
    _, ax = plotting.figure()
    ax.plot(chosen.index, chosen * 1e3, label="measured", **plotting.style(0))
    beyond, law = _amdahl(chosen)
    ax.plot(
        beyond, chosen[1] * 1e3 * law, label="Amdahl's law, fitted (not measured)", color=plotting.PAPER, linestyle=":"
    )
    ax.set_ylim(0, 1200 * chosen.max())
    title = f"{largest}, {count} quasi-identifiers, k = {k}"
    return plotting.label(ax, x="threads", y="time of a search (ms)", title=title)


def dimensions(results: tables.Tables) -> Figure:
    """Figure 11: Speedy's time by the number of quasi-identifiers."""
    times = results["times"]
    k = results["fits"]["k"].iloc[0]
    most = times["threads"].max()
    chosen = tables.rows(times, k=k, algorithm="Speedy", threads=most, rollup=False)
    chosen = chosen.assign(milliseconds=chosen["seconds"] * 1e3)
    _, ax = plotting.figure()
    plotting.curves(ax, chosen, x="quasi_identifiers", y="milliseconds", series="dataset")
    ax.set_yscale("log")
    ax.set_xticks(sorted(chosen["quasi_identifiers"].unique()))
    return plotting.label(ax, x="quasi-identifiers", y="time of a search (ms)", title=f"k = {k}, {most} threads")


def _amdahl(measured: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Amdahl's law time(n) = time(1) (s + (1 - s) / n), its share s fitted to times by threads; beyond them, up to six."""
    n = measured.index[measured.index > 1].to_numpy()
    slope, excess = 1 - 1 / n, (measured[n] / measured[1]).to_numpy() - 1 / n
    serial = float(np.clip(np.sum(slope * excess) / np.sum(slope**2), 0, 1)) if len(n) else 0.0
    beyond = np.arange(measured.index.max(), 7)
    return beyond, serial + (1 - serial) / beyond


def speedup(results: tables.Tables) -> Figure:
    """Table 18 as curves: measured speed-up, its fitted law beyond the machine's cores, and the thesis' values."""
    found = results["speedups"]
    names = list(dict.fromkeys(found["dataset"]))
    figure, axes = plotting.figure(1, len(names), width=2.3, height=2.8, squeeze=False, sharey=True)
    for ax, name in zip(axes[0], names):
        rows = tables.rows(found, dataset=name, rollup=False).set_index("threads")["speedup"]
        thesis = THESIS.get(name, {})
        ax.plot([1, *thesis], [1, *thesis.values()], color=plotting.PAPER, linestyle="--", linewidth=1, label="thesis")
        ax.plot(rows.index, rows, label="roll-up off", **plotting.style(0))
        beyond, law = _amdahl(1 / rows)
        ax.plot(beyond, 1 / law, color=plotting.COLOURS[0], linestyle=":", label="fitted, not measured")
        rolled = tables.rows(found, dataset=name, rollup=True).set_index("threads")["speedup"]
        ax.plot(rolled.index, rolled, label="roll-up on", **{**plotting.style(1), "linestyle": "none"})
        plotting.label(ax, x="threads", y="speed-up" if ax is axes[0, 0] else "", title=name, legend=False)
    return plotting.legend_above(figure, axes[0, 0], columns=4)


def arx(results: tables.Tables) -> Figure:
    """Times faster than ARX, with all its quasi-identifier counts."""
    found = results["arx"]
    _, ax = plotting.figure()
    plotting.curves(ax, found, x="quasi_identifiers", y="times_faster", series="dataset")
    plotting.dashed(ax, 1, "as fast as ARX")
    ax.set_yscale("log")
    return plotting.label(
        ax, x="quasi-identifiers", y="times faster than ARX (scaled)", title="Flash, k = 5, one thread"
    )
