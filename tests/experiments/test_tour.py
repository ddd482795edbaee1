"""What the tour measures with."""

from __future__ import annotations

import pandas as pd

import ppdp_lab as pl
from experiments.tour import measure


def test_the_picture_tells_the_story_of_the_tour():
    """One person fits; then three with the same value; then, with diversity, more than one value."""
    table = measure.people()
    rules = {"k": pl.KAnonymity(3), "l": pl.KAnonymity(3) & pl.DistinctLDiversity(2)}
    found = measure.idea(table, rules)
    persons = found[found["what"] == "person"]
    assert persons.groupby("rule")["known"].sum().to_dict() == {"k": 1, "l": 1}
    x, y = measure.KNOWN
    fits = found[
        (found["what"] == "box") & (found["x0"] <= x) & (x <= found["x1"]) & (found["y0"] <= y) & (y <= found["y1"])
    ]
    shown = {rule: rows["shows"].str.split(", ").sum() for rule, rows in fits.groupby("rule")}
    assert len(shown["k"]) >= 3 and len(set(shown["k"])) == 1 < len(set(shown["l"]))
    boxes = found[found["what"] == "box"]
    everybody = sorted(table.frame["occupation"])
    assert all(sorted(rows["shows"].str.split(", ").sum()) == everybody for _, rows in boxes.groupby("rule"))


def test_partitions_are_drawn_for_three_k_at_most():
    table = pl.datasets.load("adult-i3m", rows=300, seed=1).project(["age", "education-num"])
    assert sorted(measure.partitions(table, [2, 5, 10, 50])["k"].unique()) == [2, 10, 50]
    assert sorted(measure.partitions(table, [5])["k"].unique()) == [5]


def test_each_rule_closes_its_hole():
    table = pl.datasets.load("adult", rows=1000, seed=1)
    asked = pl.metrics.queries_by_selectivity(table, 0.05, n=20, seed=1)
    grid = measure.grid(table, [2, 10], l=3, t=0.3, asked=asked).set_index(["rule", "k"])
    assert grid.loc["k-anonymity", "homogeneous"].max() > 0 == grid.loc["+ l-diversity", "homogeneous"].max()
    assert grid.loc["+ l-diversity", "skewed"].max() > 0 == grid.loc["+ t-closeness", "skewed"].max()
    assert (grid["linked"] == 0).all()


def test_queries_for_rare_values_ask_for_ranges():
    """Who asks for everybody with a rare value is answered without an error, whatever is published."""
    frame = pd.DataFrame(
        {"age": range(600), "town": [i % 7 for i in range(600)], "pay": [(7 * i) % 60 for i in range(600)]}
    )
    table = pl.Microdata(frame, pl.Schema(["age", "town"], sensitive="pay"))
    release = pl.Mondrian(pl.KAnonymity(50)).anonymize(table)
    one_value = pl.metrics.queries_by_selectivity(table, measure.SELECTED, n=20, seed=1)
    assert (
        pl.metrics.query_error(release, one_value)
        == 0
        < pl.metrics.query_error(release, measure.asked(table, n=20, seed=1))
    )
