"""Captions of figures: what a figure was drawn from, in the experiment file's words where it says so."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd

from ppdp_lab import plotting
from ppdp_lab.lab.experiment import FigureEntry
from ppdp_lab.lab.figures import _origins, draw_all, origin

DRAW = """
from ppdp_lab import plotting

def loss(results):
    figure, ax = plotting.figure()
    plotting.curves(ax, results["grid"], x="k", y="loss")
    return plotting.label(ax, x="k", y="loss")
"""


def test_a_figure_names_its_own_data_in_place_of_the_runs(tmp_path, monkeypatch):
    said = {}
    monkeypatch.setattr(plotting, "save", lambda figure, path: said.update({path.name: figure.get_supxlabel()}))
    (tmp_path / "draw.py").write_text(DRAW)
    entries = [
        FigureEntry(name=name, caption=name + ", l = {l}, {sensitive}.", draw="draw.py:loss", data=data)
        for name, data in (("plain", ""), ("example", "worked example, {dataset}"))
    ]
    experiment = SimpleNamespace(figures=entries, path=tmp_path / "some.toml")
    run = SimpleNamespace(
        results={"grid": pd.DataFrame({"k": [2, 5], "loss": [0.1, 0.3]})},
        folder=tmp_path,
        environment={"parameters": {"l": None, "dataset": "occ"}},
        handed_over={"data": [{"sensitive": ["illness"], "quasi_identifiers": ["age"]}], "chosen": {"l": 3}},
    )
    draw_all(experiment, run, {"provenance": "stand-in", "scale": "quick", "seed": 1})
    assert said == {
        "plain": "plain, l = 3, illness. (data: stand-in; scale: quick; seed: 1)",
        "example": "example, l = 3, illness. (data: worked example, OCC; scale: quick; seed: 1)",
    }


def test_an_own_table_is_called_by_its_title(tmp_path):
    (tmp_path / "w.toml").write_text('title = "Ward 7"\nfile = "w.csv"\nquasi_identifiers = ["age"]\n')
    named = [{"name": "occ", "provenance": "stand-in"}, {"name": str(tmp_path / "w.toml"), "provenance": "own data"}]
    used = [{"provenance": "stand-in"}, {"provenance": "own data, 2 rows left out"}]
    assert _origins(named, used) == ["stand-in", "Ward 7, own data, 2 rows left out"]
    assert _origins(named, []) == ["stand-in", "Ward 7, own data"]
    assert _origins(named, used[1:]) == ["own data, 2 rows left out"]  # nobody knows which of the two it is


def test_a_caption_names_the_data_sets_and_which_of_them_are_stand_ins():
    def named(used, *data):
        environment = {"data": [{"name": name, "provenance": provenance} for name, provenance in data]}
        return origin(SimpleNamespace(environment=environment, handed_over={"data": [{"provenance": p} for p in used]}))

    three = [("adult-arx", "real"), ("cup", "stand-in"), ("ihis", "stand-in")]
    assert named(["real", "stand-in"], *three) == "ADULT-ARX (real), CUP, IHIS (stand-in)"
    assert named([], ("gone/ward.toml", "own data")) == "ward (own data)"
    # A notebook that made something else of its data: only what it handed over is known.
    assert named(["real, imputed columns"], ("occ", "real")) == "real, imputed columns"
    # What reading an own table left out is known only after the run.
    assert named(["own data, 2 rows left out"], ("gone/ward.toml", "own data")) == "ward (own data, 2 rows left out)"
