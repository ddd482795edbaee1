"""The boxes of a release as numbers: what the picture of a partition is drawn from, and part of a run's results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from ppdp_lab import pages, plotting
from ppdp_lab.errors import ParameterError, SchemaError
from ppdp_lab.release.forms import Feature
from ppdp_lab.table import Domain
from ppdp_lab.table.boxes import BoxColumn, Sets

if TYPE_CHECKING:
    from ppdp_lab.release.release import Release


def box_frame(release: Release) -> pd.DataFrame:
    """The boxes of a release with two quasi-identifiers: ``x0, x1, y0, y1`` and ``size``, one row per class.

    Ends are coordinates of values, widened by half a step on each side, so that the box of a single value has an area.
    """
    domains = release.table.qi_domains
    if len(domains) != 2:
        raise SchemaError(
            f"a picture has two axes, but this release has {len(domains)} quasi-identifiers; use two of them"
        )
    columns: dict[str, np.ndarray] = {}
    for axis, column in zip("xy", release.boxes):
        columns[f"{axis}0"], columns[f"{axis}1"] = axis_ends(column)
    return pd.DataFrame(columns | {"size": release.sizes})


def axis_ends(column: BoxColumn) -> tuple[np.ndarray, np.ndarray]:
    """Where each box begins and ends on an axis, half a step beyond its first and last value."""
    if isinstance(column, Sets):
        raise SchemaError(f"{column.domain.name!r} is generalized to sets of values, which have no place on an axis")
    where = column.domain.coordinates
    half = float(np.diff(where).min()) / 2 if len(where) > 1 else 0.5
    return where[column.low] - half, where[column.high] + half


# --------------------------------------------------------------------
# Pictures of a release: its boxes where they fit on paper, else how large classes are and how far columns are generalized.


MOST_BARS = 40  # classes of so many different sizes have a bar each, others are put together
MOST_TICKS = 12
MOST_LETTERS = 24
MOST_COLUMNS = 25  # of more, those that are generalized furthest


def picture_of(release: Release) -> Figure:
    """The picture that answers most for this release."""
    if not release.n_classes:
        raise ParameterError("every record of this release is suppressed; there is nothing to draw")
    columns = list(release.boxes)
    on_axes = Feature.BOXES in release.form.offers and not any(isinstance(column, Sets) for column in columns)
    if on_axes and len(columns) == 2:
        return _boxes(release)
    if on_axes and len(columns) == 1:
        return _line(release)
    return _sizes_and_spread(release)


def _boxes(release: Release) -> Figure:
    """Two quasi-identifiers: one rectangle per class."""
    _, ax = plotting.figure(width=5.6, height=4.2)
    plotting.partition(ax, box_frame(release))
    x, y = release.table.qi_domains
    _name_values(ax, x, "x")
    _name_values(ax, y, "y")
    return plotting.label(ax, x=x.name, y=y.name, title=_title(release), legend=False)


def _line(release: Release) -> Figure:
    """One quasi-identifier: one bar per class, as wide as its interval and as high as it has rows."""
    _, ax = plotting.figure(width=6.4)
    column = release.boxes[0]
    low, high = axis_ends(column)
    bars = [Rectangle((a, 0), b - a, size) for a, b, size in zip(low, high, release.sizes)]
    ax.add_collection(
        PatchCollection(bars, facecolor=plotting.COLOURS[0], edgecolor=plotting.INK, linewidth=0.6, alpha=0.55)
    )
    ax.set_xlim(low.min(), high.max())
    ax.set_ylim(0, release.sizes.max() * 1.05)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    _name_values(ax, column.domain, "x")
    return plotting.label(ax, x=column.domain.name, y="rows of the class", title=_title(release), legend=False)


def _sizes_and_spread(release: Release) -> Figure:
    """Any quasi-identifiers: how many classes have how many rows, and what becomes of each column."""
    shown = min(len(release.boxes.columns), MOST_COLUMNS)
    figure, (left, right) = plotting.figure(1, 2, width=4.4, height=max(3.2, 0.3 * shown + 1.2))
    sizes = release.sizes
    different, times = np.unique(sizes, return_counts=True)
    if len(different) <= MOST_BARS:
        left.bar(different, times, color=plotting.COLOURS[0], width=0.8 * min(np.diff(different).min(initial=1), 1))
    else:
        left.hist(sizes, bins=MOST_BARS, color=plotting.COLOURS[0])
    if len(different) == 1:
        left.set_xlim(different[0] - 2, different[0] + 2)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.yaxis.set_major_locator(MaxNLocator(integer=True))
    plotting.label(left, x="rows of the class", y="classes", title=_title(release), legend=False)
    _spread(right, release) if Feature.BOXES in release.form.offers else _shares(right, release)
    return figure


def _spread(ax: Axes, release: Release) -> None:
    """How much of each column's range the region of a row covers, on average."""
    columns = list(release.boxes)
    extents = np.array([np.average(column.extents(), weights=release.sizes) for column in columns])
    furthest = np.sort(np.argsort(-extents, kind="stable")[:MOST_COLUMNS])[::-1]  # the first column stands on top
    at = np.arange(len(furthest))
    ax.barh(at, extents[furthest], color=plotting.COLOURS[2])
    _write_ticks(ax, "y", at, [str(pages.shortened(columns[i].domain.name, MOST_LETTERS)) for i in furthest])
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter("{x:.0%}")
    ax.grid(axis="y", visible=False)
    title = (
        "generalization" if len(at) == len(columns) else f"generalization, {len(at)} furthest of {len(columns)} columns"
    )
    plotting.label(ax, x="range that a row's region covers (mean)", y="", title=title, legend=False)


def _shares(ax: Axes, release: Release) -> None:
    """Quasi-identifiers that are shown as they are: how sure the most frequent sensitive value of a class is."""
    histogram = release.counts().histogram(release.table.schema.sensitive[0])
    shares = histogram.max(histogram.shares)
    ax.hist(shares, bins=20, range=(0, 1), weights=release.sizes, color=plotting.COLOURS[2])
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter("{x:.0%}")
    x = f"share of the most frequent {histogram.domain.name} in the class"
    plotting.label(ax, x=x, y="rows", title="sensitive values", legend=False)


def _title(release: Release) -> str:
    classes, rows = release.n_classes, len(release)
    return f"{classes:,} {'class' if classes == 1 else 'classes'}, {rows:,} {'row' if rows == 1 else 'rows'}"


def _name_values(ax: Axes, domain: Domain, axis: str) -> None:
    """Names on an axis whose values are not numbers, dates among them; of many, some."""
    if domain.positions is not None and domain.type == "numbers":
        return
    if domain.positions is None:
        at = np.arange(0, len(domain), -(-len(domain) // MOST_TICKS))
    else:  # dates lie where their time is: those next to evenly spaced points, so that names do not overlap
        even = np.linspace(domain.coordinates[0], domain.coordinates[-1], MOST_TICKS // 2)
        at = np.unique([np.abs(domain.coordinates - point).argmin() for point in even])
    letters = MOST_LETTERS if domain.positions is None else None
    names = [str(pages.shortened(str(domain.labels[i]), letters)) for i in at]
    _write_ticks(ax, axis, domain.coordinates[at], names, turned=axis == "x")


def _write_ticks(ax: Axes, axis: str, at: np.ndarray, names: Sequence[str], *, turned: bool = False) -> None:
    """Names at places of an axis."""
    looks: dict[str, Any] = {"rotation": 35, "ha": "right"} if turned else {}
    set_ticks = ax.set_xticks if axis == "x" else ax.set_yticks
    set_ticks(at, names, fontsize=7, **looks)
