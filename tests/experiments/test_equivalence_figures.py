"""Figures of the equivalence experiment: what must be readable in them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from experiments.equivalence import figures as drawings
from experiments.equivalence import figures as examples
from experiments.equivalence import measure as example
from ppdp_lab.datasets.examples import equivalence
from ppdp_lab.lab.runs import rows_where


def test_no_edge_of_a_bucket_graph_is_hidden_behind_a_label():
    series = {"merged": equivalence.merged_series(), "protected": equivalence.table_7()}
    graphs = pd.concat([example.bucket_graphs(tables, name) for name, tables in series.items()], ignore_index=True)
    figure = drawings.bucket_graphs({"graphs": graphs})
    figure.canvas.draw()
    seen = 0
    lines = list(dict.fromkeys(zip(graphs["figure"], graphs["signature"])))
    for ax, ((name, signature), after) in zip(figure.axes, product(lines, (1, 2, 3))):
        edges = rows_where(graphs, figure=name, signature=signature, after=after)
        labels = [text for text in ax.texts if "(" in text.get_text()]
        assert sorted(text.get_text() for text in labels) == sorted(map(examples._weight, edges["who"]))
        boxes = [text.get_window_extent() for text in labels]
        for came, gone in edges[["came", "gone"]].to_numpy():
            ends = np.array([examples._PLACES[came], examples._PLACES[gone]])
            for x, y in ax.transData.transform(ends[0] + np.linspace(0, 1, 200)[:, None] * (ends[1] - ends[0])):
                assert not any(box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1 for box in boxes)
                seen += 1
        assert not any(a.overlaps(b) for a, b in product(boxes, boxes) if a is not b)
    assert seen == 200 * len(graphs)


@pytest.fixture
def compromised():
    made = [
        {"dataset": name, "method": method, "release": release, "compromised": 60_000 * release, "count_is": "exact"}
        | {"people": 600_000, "counterfeits": 7 * release}
        for name, method, release in product(("occ", "sal"), ("m-invariance, merged", "e-equivalence"), range(7))
    ]
    return pd.DataFrame(made)


def test_people_are_counted_among_all_ever_published_and_the_price_stands_beside(compromised):
    figure = drawings.compromised({"compromised": compromised})
    left, right = figure.axes[:2]
    assert left.get_title(loc="left") == "OCC: of 600,000 people published"
    assert left.lines[0].get_ydata().tolist() == pytest.approx([release / 10 for release in range(7)])
    assert right.lines[0].get_ydata().tolist() == [7 * release for release in range(7)]
    assert "counterfeits" in right.get_ylabel()
    assert any(list(line.get_ydata()) == [100, 100] for line in right.lines)  # what the paper's text says of Figure 7
    assert any(list(line.get_xdata()) == [5, 5] for line in left.lines)  # where the paper's own curve stops


def test_the_papers_border_is_drawn_where_the_slopes_reach_it():
    made = [
        {"dataset": "occ", "skew": skew, "seed": seed, "method": method, "counterfeits": 9 * skew, "mean": skew + seed}
        for skew, seed, method in product(range(16), (1, 2), ("m-invariance", "e-equivalence"))
    ]
    whole = drawings.skew({"skewed": pd.DataFrame(made)})
    labels = whole.axes[0].get_legend_handles_labels()[1]
    assert "paper: none below s = 9" in labels and "m-invariance: mean" in labels and "e-equivalence: most" in labels
    assert any(list(line.get_xdata()) == [9, 9] for line in whole.axes[0].lines)
    mean, most = whole.axes[0].lines[0].get_ydata(), whole.axes[0].lines[2].get_ydata()
    assert mean[3] == 4.5 and most[3] == 27
    small = drawings.skew({"skewed": pd.DataFrame(made).query("skew < 4")})
    assert not any("paper" in label for label in small.axes[0].get_legend_handles_labels()[1])


def test_a_method_looks_the_same_in_all_figures(compromised):
    one = drawings.compromised({"compromised": compromised}).axes[0]
    timing = pd.DataFrame(
        [
            {"dataset": "occ", "method": method, "e": e, "seconds": 1.0}
            for method, e in product(("m-invariance", "e-equivalence"), (2, 5, 8))
        ]
    )
    two = drawings.elapsed({"timing": timing}).axes[0]
    counted = timing.assign(release=0, counterfeits=3)
    three = drawings.counterfeits({"counterfeits": counted}).axes[0]
    looks = [
        {line.get_label(): (line.get_color(), line.get_marker(), line.get_markerfacecolor()) for line in ax.lines}
        for ax in (one, two, three)
    ]
    assert looks[0]["e-equivalence (exact)"] == looks[1]["e-equivalence"] == looks[2]["e = 5"]
    assert looks[1]["m-invariance"] == looks[2]["m-invariance"]
    assert len({looks[2][f"e = {e}"] for e in (2, 5, 8)}) == 3 and two.get_xticks().tolist() == [2, 5, 8]
    assert looks[0]["m-invariance, merged (exact)"][0] == looks[1]["m-invariance"][0]  # black, with a mark of its own


def test_counts_are_plain_numbers():
    few = pd.DataFrame(
        [
            {"dataset": "occ", "method": method, "replaced": r, "time": r * n, "counterfeits": 30 * n}
            for method, r, n in product(("m-invariance", "e-equivalence"), (20, 10, 5), range(40))
        ]
    )
    figure = drawings.few_updates({"few": few})
    figure.draw_without_rendering()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["0", "1", "10", "100", "1,000"]
    (legend,) = figure.legends
    methods = [text.get_text().partition(",")[0] for text in legend.get_texts()]
    assert methods[:6] == ["m-invariance"] * 3 + ["e-equivalence"] * 3 and len(methods) % 3 == 0  # a column for each
