"""Colours, markers, lines and settings: what makes all figures look alike."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import matplotlib as mpl

# Okabe and Ito's palette, without its yellow, which is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1, 1)))
PAPER = "#7f7f7f"
INK = "#222222"
FAINT = "#d9d9d9"

LOOK: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # the font that matplotlib brings along: the same on every machine
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e8e8e8",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "svg.hashsalt": "ppdp_lab",
    "svg.fonttype": "path",
}


_ALONE = threading.RLock()  # settings belong to the process: two explorers of one notebook draw one after the other
_LOOKING = threading.local()


@contextmanager
def look() -> Iterator[None]:
    """The look, whatever a reader's own matplotlib settings are."""
    if getattr(_LOOKING, "already", False):  # a drawing within a drawing: the settings are made
        yield
        return
    with _ALONE, mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(LOOK)  # type: ignore[arg-type]
        _LOOKING.already = True
        try:
            yield
        finally:
            _LOOKING.already = False


def in_look(function: Any) -> Any:
    """A function that draws in the look."""

    @wraps(function)
    def styled(*args: Any, **kwargs: Any) -> Any:
        with look():
            return function(*args, **kwargs)

    return styled


def style(index: int) -> dict[str, Any]:
    """Colour, marker and line style of the i-th series; markers and lines differ where colours repeat.

    >>> style(0)["color"] != style(1)["color"], style(0)["marker"] != style(7)["marker"]
    (True, True)
    """
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": LINES[index % len(LINES)],
    }


def style_of_two(colour: int, line: int) -> dict[str, Any]:
    """Colour and marker by one variable, line and filling of the marker by another: each can be read by itself, in grey too.

    >>> style_of_two(1, 0)["color"] == style_of_two(1, 1)["color"], style_of_two(1, 1)["markerfacecolor"]
    (True, 'white')
    """
    looks = style(colour) | {"linestyle": LINES[line % len(LINES)]}
    return looks | ({"markerfacecolor": "white"} if line % 2 else {})
