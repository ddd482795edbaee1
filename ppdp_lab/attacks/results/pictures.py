"""Pictures of what an attack found: how many units have which number, and which of them are breached."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting
from ppdp_lab.attacks.results.base import AttackResult, plural

MOST_BARS = 30
SAFE, BREACHED = plotting.COLOURS[0], plotting.COLOURS[1]


def picture_of(result: AttackResult) -> Figure:
    """A histogram of the result's numbers, breached units on top of the others; of a bare mask the two counts."""
    _, ax = plotting.figure()
    units = plural(result.unit, 2)
    shown, breached = result.picture(), result.breached
    title = f"{result.n_breached:,} of {len(breached):,} {units} breached"
    if shown is None:
        ax.bar(
            ["not breached", "breached"], [len(breached) - result.n_breached, result.n_breached], color=[SAFE, BREACHED]
        )
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        return plotting.label(ax, x="", y=units, title=title, legend=False)
    name, numbers = shown
    edges = _edges(np.asarray(numbers, dtype=float), whole=np.asarray(numbers).dtype.kind in "iu")
    parts = [numbers[~breached], numbers[breached]]
    ax.hist(parts, bins=edges, stacked=True, color=[SAFE, BREACHED], label=["not breached", "breached"], rwidth=0.9)
    if np.asarray(numbers).dtype.kind in "iu":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return plotting.label(ax, x=name, y=units, title=title, legend=True)


def _edges(numbers: np.ndarray, *, whole: bool) -> list[float]:
    """Where bars begin and end: one for each whole number, if they are few; shares from 0 to 1."""
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    if whole and high - low < MOST_BARS:
        return (np.arange(low, high + 2) - 0.5).tolist()
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.linspace(low, high if high > low else low + 1, MOST_BARS + 1).tolist()
