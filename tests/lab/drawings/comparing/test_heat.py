"""Heat maps: every cell prints its number, one that cannot be is marked and explained."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ppdp_lab import plotting
from ppdp_lab.lab.drawings.comparing import heat


def the_map() -> heat.Map:
    rows = pd.DataFrame(
        {
            "who": ["A", "A", "B", "B", "B"],
            "what": ["x", "y", "x", "y", "y"],
            "value": [0.25, 1.0, np.nan, 0.5, np.nan],
            "why": ["", "", "cannot: since; never", "", "only half"],
        }
    )
    values = heat.pivoted(rows, "who", "what", "value", "max")
    return heat.Map("title", values, values.map(heat.share), heat.whys(rows, "who", "what"))


def test_cells_print_numbers_and_marks_are_explained() -> None:
    with plotting.look():
        figure = heat.draw([the_map()], shade="leak", above="above", bar="bar", ticks="{:.0%}".format)
    ax, foot = figure.axes[:2]
    texts = [t.get_text() for t in ax.texts if t.get_text()]
    assert sorted(texts) == ["100%", "25%", "50%", "a", "b"]
    assert foot.texts[0].get_text() == "a  cannot\nb  only half"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B"] and figure._suptitle.get_text() == "above"


def test_shades_grow_darker_steadily_so_that_grey_tells_the_order() -> None:
    for shade in heat.SHADES.values():
        grey = shade(np.linspace(0, 1, 20))[:, :3] @ [0.299, 0.587, 0.114]
        assert (np.diff(grey) < 0).all() and grey[0] > 0.99 and grey[-1] < 0.25


def test_maps_side_by_side_share_their_columns() -> None:
    one, other = the_map(), the_map()
    with plotting.look():
        figure = heat.draw([one, other, one], shade="cost", above="", bar="", ticks=str, across=2)
    shown = [ax for ax in figure.axes if ax.get_title(loc="left") == "title"]
    assert len(shown) == 3 and [len(ax.get_xticks()) for ax in shown] == [2, 2, 0]
