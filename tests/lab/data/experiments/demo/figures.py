"""Figures of the demonstration experiment."""

from ppdp_lab import plotting


def loss(results):
    _, ax = plotting.figure()
    plotting.curves(ax, results["loss"], x="k", y="loss", series="method")
    plotting.dashed(ax, 0.5, "half of it")
    return plotting.label(ax, x="k (records per class)", y="loss (share)")


def boxes(results):
    _, ax = plotting.figure()
    plotting.partition(ax, results["boxes"])
    return plotting.label(ax, x="age (years)", y="income (thousand)")
