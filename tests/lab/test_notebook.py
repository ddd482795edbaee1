"""``lab.finish``: what it takes, what it shows, and that it writes in a run only."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from ppdp_lab import Microdata, Schema
from ppdp_lab.errors import ParameterError
from ppdp_lab.lab import finish, show
from ppdp_lab.plotting import figure

FRAME = pd.DataFrame({"k": [2, 5], "loss": [0.1, 0.3]}, index=[7, 9])
TABLE = Microdata(pd.DataFrame({"age": [1, 2]}), Schema("age"), provenance="invented")


def fig(results):
    drawn, ax = figure()
    ax.plot(results["k"], results["loss"])
    return drawn


def test_outside_a_run_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PPDP_LAB_RUN", raising=False)
    monkeypatch.chdir(tmp_path)
    finish(FRAME, [fig], data=TABLE)
    assert capsys.readouterr().out == "results: 2 rows, columns 'k', 'loss'\n"
    assert list(tmp_path.iterdir()) == []


def test_in_a_run_results_and_provenance_are_handed_over(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PPDP_LAB_RUN", str(tmp_path))

    def broken(results):
        raise KeyError("loss2")

    finish(
        {"all": FRAME, "some": FRAME[["k"]][:1]},
        {"fig-1": lambda r: fig(r["all"]), "fig-2": broken},
        data=[TABLE],
        chosen={"k": 3},
    )
    assert "figure 'fig-2' cannot be drawn" in capsys.readouterr().out
    assert pd.read_parquet(tmp_path / "results" / "all.parquet").to_dict("list") == {"k": [2, 5], "loss": [0.1, 0.3]}
    assert pd.read_parquet(tmp_path / "results" / "some.parquet").to_dict("list") == {"k": [2]}
    handed = json.loads((tmp_path / "finish.json").read_text())
    assert handed["tables"] == ["all", "some"]
    assert handed["figures"] == ["fig-1", "fig-2"]
    roles = {"quasi_identifiers": list(TABLE.schema.quasi_identifiers), "sensitive": list(TABLE.schema.sensitive)}
    assert handed["data"] == [{"rows": 2, "provenance": "invented", "fingerprint": TABLE.fingerprint(), **roles}]
    assert handed["chosen"] == {"k": 3}


@pytest.mark.parametrize(
    "results, figures, data, words",
    [
        ([1, 2], (), (), "results must be a DataFrame or a dict of them, not list"),
        (FRAME[:0], (), (), "no rows"),
        ({}, (), (), "no rows"),
        ({"a": 3}, (), (), "must be a DataFrame, not int"),
        ({"a": FRAME[:0], "b": FRAME[:0]}, (), (), "no rows"),
        ({"a/b": FRAME}, (), (), "'a/b' must consist of letters, digits"),
        (FRAME.rename(columns={"k": 3}), (), (), "must be text, not 3"),
        (FRAME, ["fig"], (), "figures must be"),
        (FRAME, (), [FRAME], "data must be a Microdata"),
    ],
)
def test_wrong_arguments_are_refused(results, figures, data, words):
    with pytest.raises(ParameterError, match=words):
        finish(results, figures, data=data)


def test_a_drawing_gets_what_was_handed_over_and_cannot_change_it(monkeypatch):
    monkeypatch.delenv("PPDP_LAB_RUN", raising=False)
    seen = []

    def spoil(results):
        seen.append(results)
        frame = results if isinstance(results, pd.DataFrame) else results["a"]
        drawn = fig(frame)
        frame["k"] = -1
        return drawn

    finish(FRAME, {"one": spoil, "two": spoil})
    finish({"a": FRAME, "b": FRAME}, {"one": spoil, "two": spoil})
    assert [type(given).__name__ for given in seen] == ["DataFrame", "DataFrame", "dict", "dict"]
    assert FRAME["k"].tolist() == [2, 5]


def test_columns_of_mixed_types_are_refused_in_words(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDP_LAB_RUN", str(tmp_path))
    mixed = pd.DataFrame({"v": pd.Series([1, "a", {2}], dtype=object)})
    with pytest.raises(ParameterError, match="the table 'results' cannot be written as Parquet"):
        finish(mixed)


def test_a_figure_that_was_shown_is_not_shown_again(monkeypatch):
    drawn = []

    def early(results):
        drawn.append(results["grid"]["k"].tolist())
        return fig(results["grid"])

    def late(results):
        drawn.append("late")
        return fig(results["grid"])

    monkeypatch.delenv("PPDP_LAB_RUN", raising=False)
    show(early, grid=FRAME, data=TABLE)
    finish({"grid": FRAME}, [early, late], data=TABLE)
    assert drawn == [[2, 5], "late"]


@pytest.mark.parametrize(
    ("draw", "results", "words"),
    [("fig", {"grid": FRAME}, "a function that draws, not str"), (fig, {}, "no rows"), (fig, {"grid": 3}, "DataFrame")],
)
def test_show_refuses(draw, results, words):
    with pytest.raises(ParameterError, match=words):
        show(draw, **results)


def test_a_shown_figure_names_its_data_in_words_or_by_its_tables(monkeypatch):
    said = []
    monkeypatch.setattr("ppdp_lab.plotting.show", lambda drawn: said.append(drawn.get_supxlabel()))
    for data in (TABLE, "worked example", ()):
        show(lambda results: fig(results["all"]), all=FRAME, data=data)
    assert said == ["(data: invented)", "(data: worked example)", ""]
