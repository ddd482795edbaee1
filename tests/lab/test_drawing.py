"""Heat maps: every cell prints its number, one that cannot be is marked and explained."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from ppdp_lab import plotting
from ppdp_lab.lab import drawing


def the_map() -> drawing.Map:
    rows = pd.DataFrame(
        {
            "who": ["A", "A", "B", "B", "B"],
            "what": ["x", "y", "x", "y", "y"],
            "value": [0.25, 1.0, np.nan, 0.5, np.nan],
            "why": ["", "", "cannot: since; never", "", "only half"],
        }
    )
    values = drawing.pivoted(rows, "who", "what", "value", "max")
    return drawing.Map("title", values, values.map(drawing.share), drawing.whys(rows, "who", "what"))


def test_cells_print_numbers_and_marks_are_explained() -> None:
    with plotting.look():
        figure = drawing.draw([the_map()], shade="leak", above="above", bar="bar", ticks={0.5: "half"})
    ax, foot = figure.axes[:2]
    texts = [t.get_text() for t in ax.texts if t.get_text()]
    assert sorted(texts) == ["100 %", "25 %", "50 %", "a", "b"]
    assert foot.texts[0].get_text() == "a  cannot\nb  only half"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B"] and figure._suptitle.get_text() == "above"
    assert [(t.get_position()[1], t.get_text()) for t in figure.axes[-1].get_yticklabels()] == [(0.5, "half")]


def test_the_line_above_a_narrow_map_is_wrapped() -> None:
    above = "k = l = m = 10, e = 4, d = 10; 6 releases of 20,000 rows, 2,000 replaced each time."
    with plotting.look():
        figure = drawing.draw([the_map()], shade="leak", above=above, bar="bar", ticks=drawing.ROOTS)
        figure.draw_without_rendering()
        assert figure._suptitle.get_window_extent().x1 <= figure.bbox.x1


def test_ticks_beside_a_small_map_stand_apart() -> None:
    with plotting.look():
        figure = drawing.draw([the_map()], shade="leak", above="", bar="bar", ticks=drawing.ROOTS)
        figure.draw_without_rendering()
    labels = [t for t in figure.axes[-1].get_yticklabels() if t.get_text()]
    boxes = [label.get_window_extent() for label in labels]
    assert all(a.y1 <= b.y0 + 1 for a, b in pairwise(boxes))
    assert (labels[0].get_text(), labels[-1].get_text()) == ("0 %", "100 %")


def test_a_scale_of_roots_has_ticks_at_the_numbers_it_prints() -> None:
    assert all(at**2 == pytest.approx(float(text.removesuffix(" %")) / 100) for at, text in drawing.ROOTS.items())


def test_a_loss_above_everything_is_printed_as_it_is() -> None:
    assert drawing.share(1.5) == "150 %"


def test_shades_grow_darker_steadily_so_that_grey_tells_the_order() -> None:
    for shade in drawing.SHADES.values():
        grey = shade(np.linspace(0, 1, 20))[:, :3] @ [0.299, 0.587, 0.114]
        assert (np.diff(grey) < 0).all() and grey[0] > 0.99 and grey[-1] < 0.25


def test_maps_side_by_side_share_their_columns() -> None:
    one, other = the_map(), the_map()
    with plotting.look():
        figure = drawing.draw([one, other, one], shade="cost", above="", bar="", ticks={}, across=2)
    shown = [ax for ax in figure.axes if ax.get_title(loc="left") == "title"]
    assert len(shown) == 3 and [len(ax.get_xticks()) for ax in shown] == [2, 2, 0]
