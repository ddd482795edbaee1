"""Figures that show themselves, and figures as images: the same figure gives the same bytes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from ppdp_lab.errors import ParameterError, check_choice
from ppdp_lab.io import atomic_write_all
from ppdp_lab.plotting.settings import in_look

_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": "ppdp_lab"},
    "svg": {"Creator": "ppdp_lab", "Date": None},
    "pdf": {"Creator": "ppdp_lab", "Producer": None, "CreationDate": None},
}
_OTHER_FORMATS = (".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".eps", ".ps", ".svgz")

Places = dict[Any, list[Any]]
"""Where the axes of figures stand, by what stands around them."""


class Picture(Figure):
    """A figure that notebooks show where it is the last line of a cell, whether pyplot was imported or not."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return image(self), {"width": round(self.get_size_inches()[0] * 110)}


@in_look
def figure(rows: int = 1, columns: int = 1, *, width: float = 5.2, height: float = 3.4, **subplots: Any) -> Any:
    """A figure and its axes (one, or an array), ``width`` by ``height`` inches for each.

    >>> fig, ax = figure()
    >>> fig.get_size_inches().tolist()
    [5.2, 3.4]
    """
    fig = Picture(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(fig)
    return fig, fig.subplots(rows, columns, **subplots)


def save(fig: Figure, path: str | Path) -> list[Path]:
    """Write a figure as PNG and SVG, and as PDF too if ``path`` ends in ``.pdf``; the same figure gives the same bytes.

    >>> import tempfile
    >>> fig, ax = figure()
    >>> [path.name for path in save(fig, Path(tempfile.mkdtemp()) / "loss.pdf")]
    ['loss.png', 'loss.svg', 'loss.pdf']
    """
    stem = Path(path)
    suffix = stem.suffix.lower()
    if suffix in _OTHER_FORMATS:
        raise ParameterError(f"cannot write {stem.name!r}: figures are written as .png, .svg or .pdf")
    if suffix.removeprefix(".") in _METADATA:
        stem = stem.with_suffix("")
    targets = {form: stem.with_name(f"{stem.name}.{form}") for form in _METADATA if form != "pdf" or suffix == ".pdf"}
    atomic_write_all(
        {target: image(fig, form) for form, target in targets.items()}
    )  # a reader never finds half a figure
    return list(targets.values())


@in_look
def image(fig: Figure, form: str = "png", *, letters: bool = False, places: Places | None = None) -> bytes:
    """A figure as a PNG, SVG or PDF image; the same figure gives the same bytes.

    Parameters
    ----------
    letters : bool
        Texts of an SVG stay texts: smaller, quicker, and whoever shows it needs the font or one like it. Otherwise they are
        outlines, alike everywhere.
    places : Places, optional
        What was laid out before, and is looked up and added to: to lay out a figure takes a third of its time, and one like
        the figure before, with another curve, has its axes where that one had them.
    """
    check_choice("form", form, _METADATA)
    for text in fig.findobj(Text):
        # Two dollar signs in a name of somebody's own are no formula; those of axes with powers are.
        if mpl.cbook.is_math_text(text.get_text()) and "\\math" not in text.get_text():
            text.set_parse_math(False)
    buffer, layout = io.BytesIO(), fig.get_layout_engine()
    if layout is not None:
        layout.execute(fig) if places is None else _lay_out(fig, places)
        fig.set_layout_engine(None)  # laid out already: to do it by itself savefig would draw everything twice
    try:
        with mpl.rc_context({"svg.fonttype": "none"} if letters else {}):
            fig.savefig(buffer, format=form, metadata=_METADATA[form])
    finally:
        fig.set_layout_engine(layout)
    return buffer.getvalue()


def _lay_out(fig: Figure, places: Places) -> None:
    """Put the axes where those of a figure with the same surroundings are, or where the layout engine says."""
    around = _around(fig)
    if around in places:
        for ax, place in zip(fig.axes, places[around]):
            ax.set_position(place)
            ax.set_in_layout(True)  # for the next image
    else:
        fig.get_layout_engine().execute(fig)  # type: ignore[union-attr]
        places[around] = [ax.get_position(original=True) for ax in fig.axes]


def _around(fig: Figure) -> tuple[Any, ...]:
    """What takes room around the axes of a figure: ticks, labels and titles by their lines, legends."""
    parts: list[Any] = [
        *fig.get_size_inches(),
        *(text.get_text() for legend in fig.legends for text in legend.get_texts()),
    ]
    for ax in fig.axes:
        titles = (ax.get_title(where) for where in ("left", "center", "right"))
        said = (*titles, ax.get_xlabel(), ax.get_ylabel())
        ticks = (
            axis.get_major_formatter().format_ticks(list(axis.get_majorticklocs())) for axis in (ax.xaxis, ax.yaxis)
        )
        parts.append((*(text and 1 + text.count("\n") for text in said), *map(tuple, ticks)))
    return tuple(parts)


def show(fig: Figure) -> None:
    """Show a figure in a notebook; elsewhere, nothing happens."""
    try:
        from IPython import get_ipython
        from IPython.display import Image, display
    except ImportError:
        return
    if get_ipython() is not None:  # type: ignore[no-untyped-call]
        width = fig.get_size_inches()[0] * 110
        display(Image(image(fig), width=width))  # type: ignore[no-untyped-call]
