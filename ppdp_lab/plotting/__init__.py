"""One look for all figures.

Each series has a colour that colour-blind readers can tell apart, and also a marker and a line style. Axes carry units,
the paper's range or value is a light band or a dashed line, and a caption names the data's provenance, scale and seed.
The same input gives the same bytes. Figures are plain objects, never part of pyplot's state: nothing stays open.

A drawing function is usually a few lines::

    def loss(results):
        figure, ax = plotting.figure()
        plotting.curves(ax, results, x="k", y="loss", series="method")
        plotting.band(ax, 0.05, 0.09, "the paper")
        return plotting.label(ax, x="k (records per class)", y="loss (share)")
"""

from ppdp_lab.plotting.axes import (
    band,
    caption,
    counted,
    curves,
    dashed,
    from_zero,
    label,
    legend_above,
    logarithmic,
    percent,
    placed,
    wrapped,
)
from ppdp_lab.plotting.boxes import SHADES, partition
from ppdp_lab.plotting.images import Picture, Places, figure, image, save, show
from ppdp_lab.plotting.settings import (
    COLOURS,
    FAINT,
    INK,
    LINES,
    LOOK,
    MARKERS,
    PAPER,
    look,
    style,
    style_of_two,
)

__all__ = [
    "COLOURS",
    "FAINT",
    "INK",
    "LINES",
    "LOOK",
    "MARKERS",
    "PAPER",
    "SHADES",
    "Picture",
    "Places",
    "band",
    "caption",
    "counted",
    "curves",
    "dashed",
    "figure",
    "from_zero",
    "image",
    "label",
    "legend_above",
    "logarithmic",
    "look",
    "partition",
    "percent",
    "placed",
    "save",
    "show",
    "style",
    "style_of_two",
    "wrapped",
]
