"""Figures of the tour."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import metrics, plotting
from ppdp_lab.lab.run import tables

_K = "k (least people per class)"


def partition(results: tables.Tables) -> Figure:
    """Mondrian's boxes over two attributes, for three k."""
    boxes = results["boxes"]
    ks = sorted(boxes["k"].unique())
    figure, axes = plotting.figure(1, len(ks), width=3.3, height=3.0, squeeze=False, sharey=True)
    for ax, k in zip(axes[0], ks):
        chosen = tables.rows(boxes, k=k)
        plotting.partition(ax, chosen)
        plotting.label(
            ax, x="age (years)", y="education (years)" if k == ks[0] else "", title=f"k = {k:.0f}: {len(chosen)} boxes"
        )
    return figure


def _over_k(ax: Axes, results: tables.Tables, y: str) -> None:
    grid = results["grid"]
    plotting.curves(ax, grid, x="k", y=y, series="rule")
    ax.set_xscale("log")
    ticks = sorted(grid["k"].unique())
    ax.set_xticks(ticks, [f"{k:.0f}" for k in ticks])
    ax.minorticks_off()


def utility(results: tables.Tables) -> Figure:
    """Two measures of loss against k."""
    figure, axes = plotting.figure(1, 2, width=4.2)
    for ax, name in zip(axes, ("gcp", "discernibility")):
        metric = metrics.get(name)
        _over_k(ax, results, metric.name)
        plotting.label(ax, x=_K, y=metric.axis, title=f"{metric.better} is better")
    axes[1].set_yscale("log")
    return figure


def attacks(results: tables.Tables) -> Figure:
    """What the homogeneity and the skewness attack find."""
    figure, axes = plotting.figure(1, 2, width=4.2)
    for ax, column, title in zip(axes, ("homogeneous", "skewed"), ("homogeneity attack", "skewness attack")):
        _over_k(ax, results, column)
        ax.yaxis.set_major_formatter("{x:.0%}")
        plotting.label(ax, x=_K, y="people exposed (share)", title=title)
    return figure


def query_error(results: tables.Tables) -> Figure:
    """Error of count queries against k."""
    _, ax = plotting.figure()
    _over_k(ax, results, "query_error")
    ax.yaxis.set_major_formatter("{x:.0%}")
    return plotting.label(ax, x=_K, y="median relative error of counts")
