"""Figures of the I3M experiment: which panel is the paper's, what colours mean, which record makes the difference."""

from __future__ import annotations

from itertools import pairwise, product

import pandas as pd
from matplotlib.colors import to_hex

from experiments.i3m import figures as drawings
from ppdp_lab import plotting


def some_runs() -> pd.DataFrame:
    every = product(("insert", "delete"), (3, 5, 10), ("I3M", "static"), (10, 2000))
    times = {"seconds": 0.2, "clustering_seconds": 0.1, "optimizing_seconds": 0.1}
    rows = [
        {"direction": d, "k": k, "method": m, "change": c, "loss_before": 11.0, "loss": 10.0} for d, k, m, c in every
    ]
    return pd.DataFrame(rows).assign(**times)


def test_the_papers_k_is_marked_in_figures_4_and_5():
    for draw, marked in ((drawings.insert, "k = 3 (the paper's)"), (drawings.delete, "k = 5 (the paper's)")):
        titles = [ax.get_title(loc="left") for ax in draw({"runs": some_runs()}).axes[:3]]
        assert marked in titles and sum("paper" in title for title in titles) == 1


def test_a_k_has_one_colour_in_all_figures_and_the_legend_names_methods_without_one():
    found = [{"release": r, "exposed": 0.1, "k": k, "method": m, "attack": a} for r, k, m, a in product(
        (1, 2), (3, 5, 10), ("I3M", "static"), ("difference", "intersection"))]  # fmt: skip
    wanted = [plotting.COLOURS[i] for i in range(3)]
    runs = {"runs": some_runs()}
    for draw in (drawings.insert, drawings.delete):
        figure = draw(runs)
        assert [{line.get_color() for line in ax.lines} for ax in figure.axes] == 2 * [{colour} for colour in wanted]
        key = figure.legends[0]
        assert [text.get_text() for text in key.get_texts()][1] == "static" and len(key.get_texts()) == 2
        assert {line.get_color() for line in key.get_lines()} == {plotting.INK}
    bars, marks = drawings.optimization(runs).axes
    assert [to_hex(bar.get_facecolor()).upper() for bar in bars.containers[0]] == 3 * wanted
    assert [line.get_color() for line in marks.lines if len(line.get_xdata())] == 6 * wanted
    curves = drawings.leaks({"leaks": pd.DataFrame(found)}).axes[0].lines
    assert {line.get_label(): line.get_color() for line in curves if "static" in line.get_label()} == {
        f"static, k = {k}": colour for k, colour in zip((3, 5, 10), wanted)
    }


def test_ticks_of_records_stand_apart():
    figure = drawings.insert({"runs": some_runs()})
    figure.draw_without_rendering()
    for ax in figure.axes[3:]:
        boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
        assert len(boxes) > 2 and all(a.x1 + 4 < b.x0 for a, b in pairwise(boxes))


def test_the_record_that_came_or_went_is_the_one_that_only_one_picture_has():
    before = pd.DataFrame({"x0": [1.0, 1.0, 2.0], "y0": [3.0, 3.0, 4.0]})
    after = pd.DataFrame({"x0": [1.0, 2.0], "y0": [3.0, 4.0]})
    assert drawings._only_here(before, after) == [(1.0, 3.0)] and drawings._only_here(after, before) == []
