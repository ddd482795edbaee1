"""Figures of the m-Distinct experiment: labels beside edges, ticks where something was measured, legends outside."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from experiments.mdistinct import figures as drawings
from experiments.mdistinct import measure
from ppdp_lab import SensitiveUpdateGraph
from ppdp_lab.datasets.examples import mdistinct as examples


def test_no_edge_of_an_update_graph_runs_through_a_label():
    example = examples.example_4()
    graph = SensitiveUpdateGraph.from_edges(example.levels, example.edges)
    rows = pd.DataFrame(measure.graph_rows("Example 4", graph, example.truth))
    figure = drawings.update_graphs({"graphs": rows})
    figure.canvas.draw()
    (ax,) = figure.axes
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == 8 + 3  # nodes and releases
    assert not any(a.overlaps(b) for a, b in product(boxes, boxes) if a is not b)
    lines = [np.asarray(line.get_xydata(), dtype=float) for line in ax.lines]
    assert len(lines) == 7
    for start, end in lines:
        for x, y in ax.transData.transform(start + np.linspace(0, 1, 200)[:, None] * (end - start)):
            assert not any(box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1 for box in boxes)


@pytest.fixture
def counterfeits():
    made = [
        {"figure": "7 8a 8b", "way": way, "release": n, "m": 6, "d": 5, "deletes": 3000, "per_group": 0.1 * n}
        for way, n in product(("apart", "scored"), range(1, 10))
    ]
    return pd.DataFrame(made)


def test_the_legend_says_what_the_two_ways_are_and_hides_nothing(counterfeits):
    figure = drawings.counterfeits_over_time({"counterfeits": counterfeits})
    (legend,) = figure.legends
    said = ["new records kept apart", "scored as printed", "paper: largest at release 7"]
    assert [text.get_text() for text in legend.get_texts() if text.get_text().strip()] == said
    figure.draw_without_rendering()
    assert legend.get_window_extent().y0 >= figure.axes[0].get_window_extent().y1
    assert figure.axes[0].get_title(loc="left") == "3,000 deletions per release"
    short = drawings.counterfeits_over_time({"counterfeits": counterfeits.query("release < 5")})
    assert not any("paper" in line.get_label() for line in short.axes[0].lines)  # a series that ends before


def test_ticks_stand_where_something_was_measured():
    errors = pd.DataFrame({"figure": "5b", "theta": [0.2, 0.3, 0.8], "error": [0.4, 0.2, 0.1]})
    figure = drawings.error_by_width({"errors": errors})
    figure.draw_without_rendering()
    (ax,) = figure.axes
    assert ax.get_xticks().tolist() == [0.2, 0.3, 0.8] and ax.get_ylim()[0] <= 0
    assert "10 %" in [label.get_text() for label in ax.get_yticklabels()]
