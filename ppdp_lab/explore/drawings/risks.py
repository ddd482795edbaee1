"""How many people share somebody's published row, before and after."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ppdp_lab import holder, plotting
from ppdp_lab.release import Release

BOUNDS = (1, 2, 3, 5, 10, 20, 50, 100)
BEFORE, AFTER = plotting.COLOURS[1], plotting.COLOURS[0]


def shares_by_size(release: Release) -> dict[str, float]:
    """Share of the people in groups of each size, as words for the size.

    >>> from ppdp_lab.lab.measure.tour import people
    >>> shares_by_size(holder.untouched(people()))["1 (alone)"]
    1.0
    """
    sizes = release.published().sizes
    bins = np.searchsorted(BOUNDS, sizes, side="right") - 1
    people = np.bincount(bins, weights=sizes, minlength=len(BOUNDS)) / max(sizes.sum(), 1)
    words = [
        f"{low}+" if i + 1 == len(BOUNDS) else f"{low}" if BOUNDS[i + 1] == low + 1 else f"{low}-{BOUNDS[i + 1] - 1}"
        for i, low in enumerate(BOUNDS)
    ]
    words[0] += " (alone)"
    return {word: float(share) for word, share in zip(words, people)}


def before_and_after(release: Release) -> Figure:
    """Share of people in groups of each size: in the table as it was, and in the release."""
    with plotting.look():
        figure, ax = plotting.figure(width=7.6, height=3.6)
        both = {"before": shares_by_size(holder.untouched(release.table)), "after": shares_by_size(release)}
        places = np.arange(len(BOUNDS))
        for i, (when, colour, hatch) in enumerate((("before", BEFORE, "//"), ("after", AFTER, ""))):
            shares = list(both[when].values())
            bars = ax.bar(
                places + (i - 0.5) * 0.4, shares, 0.38, color=colour, hatch=hatch, edgecolor="white", label=when
            )
            for bar, share in zip(bars, shares):
                if share > 0:
                    at = (bar.get_x() + bar.get_width() / 2, share)
                    text = f"{share:.0%}" if share >= 0.01 else "<1%"
                    ax.annotate(text, at, (0, 2), textcoords="offset points", ha="center", fontsize=7)
        ax.set_xticks(places, list(both["after"]))
        ax.set_ylim(0, 1.12)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        ax.grid(axis="x", visible=False)
        alike = (
            "people in the same published group" if release.form.exact else "people whose published rows look the same"
        )
        plotting.label(ax, x=alike, y="share of people", legend=False)
        return plotting.legend_above(figure, ax, columns=2)
