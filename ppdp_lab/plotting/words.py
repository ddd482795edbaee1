"""What is read around the axes: legends and captions."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Rectangle

from ppdp_lab.plotting.settings import in_look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@in_look
def legend_above(fig: Figure, *axes: Axes, columns: int = 6, rows: int = 0, more: Sequence[Any] = ()) -> Figure:
    """One legend for all axes of a figure, above them, where it hides no curve; returns the figure.

    It names whatever any of the given axes (of all, unless given) shows, each label once, and ``more`` handles that no axis
    has; in so many columns at most, in fewer if the figure is not wide enough for them, and in lines of about equal length.
    With ``rows`` every column but the last has so many entries, so that what belongs together stands in one.
    """
    shown: dict[str, Any] = {}
    for ax in axes or fig.axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            shown.setdefault(label, handle)
    shown |= {handle.get_label(): handle for handle in more}
    if rows:
        columns = -(-len(shown) // rows)
        for blank in range(columns * rows - len(shown)):
            shown[" " * (blank + 1)] = Rectangle((0, 0), 0, 0, visible=False)  # a place that stays empty
    wide = fig.get_size_inches()[0] * fig.dpi
    for several in range(min(len(shown), columns), 0, -1):
        lines = -(-len(shown) // several)
        legend = fig.legend(shown.values(), shown.keys(), loc="outside upper left", ncols=-(-len(shown) // lines))
        if several == 1 or legend.get_window_extent().width <= 0.98 * wide:
            break
        legend.remove()
    return fig


def wrapped(text: str, letters: int) -> str:
    """A text in lines of so many letters; no line ends within "k = 3", "5 %", "seed: 1" or "stand-in".

    >>> wrapped("for k = 3 and l = 2", 8).splitlines()
    ['for', 'k = 3', 'and', 'l = 2']
    """
    whole = re.sub(r" (?=[=%])|(?<=[=:]) ", "\N{NO-BREAK SPACE}", text)
    return textwrap.fill(whole, letters, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")


@in_look
def caption(fig: Figure, text: str = "", *, provenance: str = "", scale: str = "", seed: object = None) -> Figure:
    """A line below the figure: what it shows, and from which data, scale and seed it was made."""
    made = [f"data: {provenance}"] if provenance else []
    made += [f"scale: {scale}"] if scale else []
    made += [f"seed: {seed}"] if seed is not None else []
    line = " ".join(part for part in (text, f"({'; '.join(made)})" if made else "") if part)
    letters = max(30, int(fig.get_size_inches()[0] * 19))
    fig.supxlabel(wrapped(line, letters), x=0.01, ha="left", fontsize=7, color="#555555")
    return fig
