"""The first picture: what is on which axis follows from the grid."""

from __future__ import annotations

import pandas as pd
import pytest

from ppdp_lab import plotting
from ppdp_lab.errors import ParameterError
from ppdp_lab.sweep.grid import combinations
from ppdp_lab.sweep.picture import draw, layout
from ppdp_lab.sweep.result import described


def table(grid, measures=("gcp", "seconds"), **more):
    frame = pd.DataFrame(list(combinations(grid)))
    for number, name in enumerate(measures):
        frame[name] = [i + number for i in range(len(frame))]
    return described(frame.assign(**more), "anonymize", list(grid), list(measures), "stand-in")


GRID = {
    "dataset": ["occ", "sal"],
    "algorithm": ["mondrian", "kmember"],
    "k": [2, 5, 10, 100],
    "seed": [0, 1],
    "rows": [50],
}


def test_the_number_with_most_values_is_on_x_and_seeds_are_averaged():
    plan = layout(table(GRID))
    assert (plan.x, plan.colour, plan.row, plan.averaged) == ("k", "algorithm", "dataset", ("seed",))
    assert layout(table({"seed": [0, 1, 2], "k": [5]})).x == "seed"  # nothing else was swept
    plan = layout(table({"algorithm": ["a", "b"], "rule": ["x", "y", "z"]}))
    assert not plan.numeric and (plan.x, plan.colour) == ("rule", "algorithm")


def test_a_parameter_that_only_some_have_joins_their_colour():
    grid = {"publisher": ["i", "e"], "e": [1, 2], "m": [2, 4, 6]}
    frame = table(grid, e=lambda f: f["e"].where(f["publisher"] == "e").astype("Int64"))
    plan = layout(frame)
    assert (plan.x, plan.colour, plan.joined) == ("m", "publisher", ("e",))
    (legend,) = draw(frame).legends
    assert [text.get_text() for text in legend.get_texts()] == ["i", "e, e = 1", "e, e = 2"]


def test_labels_come_from_the_registry_and_the_caption_says_where_rows_are_from():
    figure = draw(table(GRID))
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["GCP (share)", "time (s)"] * 2
    assert [ax.get_title(loc="left") for ax in figure.axes][::2] == ["dataset = occ", "dataset = sal"]
    said = " ".join(figure.get_supxlabel().split())
    assert said == "Sweep of anonymize at rows = 50. Mean and range over seed. (data: stand-in)"


def test_measures_can_be_chosen_and_what_never_changes_is_left_out():
    frame = table({"k": [2, 5]}, measures=("gcp", "fem", "vem", "ncp", "seconds", "classes", "kept"), kept=7)
    figure = draw(frame)
    assert len([ax for ax in figure.axes if ax.axison]) == 6 and "Not drawn: kept" in figure.get_supxlabel()
    assert len(draw(frame, ["fem"]).axes) == 1
    with pytest.raises(ParameterError, match="did you mean 'fem'"):
        draw(frame, ["fen"])
    with pytest.raises(ParameterError, match="no number to draw"):
        draw(described(pd.DataFrame({"k": [1], "word": ["a"]}), "f", ["k"], []))


@pytest.mark.parametrize(
    "grid", [{"k": [5]}, {"algorithm": ["a", "b"]}, {"exact": [True, False]}, {"k": [1, 2], "i": list(range(20))}]
)
def test_every_grid_can_be_drawn_the_same_bytes_each_time(grid, tmp_path):
    files = [plotting.save(draw(table(grid, ["loss"])), tmp_path / name) for name in "ab"]
    for one, other in zip(*files):
        assert one.read_bytes() == other.read_bytes()
