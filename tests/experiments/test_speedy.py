"""How the lattice experiment measures and draws, and that its notebook can be read cell by cell."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.speedy import figures as drawings
from experiments.speedy import measure
from ppdp_lab import datasets
from ppdp_lab.errors import PPDPError
from ppdp_lab.lab.experiment import read
from ppdp_lab.principles import KAnonymity

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "speedy.ipynb"


@pytest.fixture(scope="module")
def tables():
    return {name: datasets.load(name, rows=600) for name in ("adult-arx", "fars")}


@pytest.fixture(scope="module")
def times(tables):
    return measure.times(tables, ks=[2, 5], most_quasi_identifiers=2, repeats=2)


def some_means(**divided: int) -> pd.DataFrame:
    """Means of two sets with one and two threads; how many checks were divided with two, by set."""
    rows = []
    for name, count in divided.items():
        for algorithm, threads, rollup, seconds in [
            ("Incognito", 1, True, 0.5),
            ("Flash", 1, True, 0.3),
            ("Speedy", 1, False, 0.4),
            ("Speedy", 2, False, 0.25),
            ("Speedy", 2, True, 0.2),
        ]:
            rows.append((name, algorithm, threads, rollup, seconds, 10, count if threads > 1 else 0))
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "threads", "rollup", "seconds", "checks", "divided"])


class TestMeasuring:
    def test_a_scale_says_what_parameters_do_not(self):
        sizes = measure.plan("paper", ["adult-arx"], 0, ks=None, most_quasi_identifiers=3, rows=None, repeats=1).sizes
        assert (sizes.ks, sizes.most_quasi_identifiers, sizes.rows, sizes.repeats) == ([*range(2, 11)], 3, None, 1)
        with pytest.raises(PPDPError, match=r"unknown scale .*'papr'.*paper"):
            measure.plan("papr", ["adult-arx"], 0)

    def test_every_variant_is_timed_at_every_point(self, times):
        by = ["dataset", "quasi_identifiers", "k", "algorithm", "threads", "rollup"]
        assert not times.duplicated(by).any()
        assert len(times) == 2 * 2 * 2 * len(measure.variants())
        assert (times["seconds"] > 0).all() and times["k"].unique().tolist() == [2, 5]

    def test_times_say_how_many_checks_were_divided(self, times):
        scanning = times[~times["rollup"]]
        several = scanning["threads"] > 1
        assert (scanning.loc[several, "divided"] == scanning.loc[several, "checks"]).all()
        assert (times.loc[times["threads"] == 1, "divided"] == 0).all()
        assert (times["divided"] <= times["checks"]).all()

    def test_when_it_pays_a_small_table_is_not_divided(self, tables):
        found = measure.times(tables, ks=[2], most_quasi_identifiers=1, repeats=1, divide="when it pays")
        assert (found["divided"] == 0).all()

    def test_more_threads_than_the_machine_has_are_still_tried_if_asked_for(self):
        asked = [(v.threads, v.rollup) for v in measure.variants(threads=3) if v.algorithm == "Speedy"]
        assert asked == [(1, False), (2, False), (2, True), (3, False), (3, True)]
        searches = [v.make(KAnonymity(2)) for v in measure.variants("when it pays", threads=2)]
        assert searches[-1].divide == "when it pays" and searches[-1].rollup and not searches[-2].rollup

    def test_means_and_speedups(self):
        means = measure.means(
            pd.DataFrame(
                {"dataset": "a", "algorithm": "Speedy", "threads": [1, 1, 2, 2], "rollup": False}
                | {"seconds": [1.0, 3.0, 0.5, 0.5], "checks": [4, 6, 4, 6], "divided": [0, 0, 0, 6]}
            )
        )
        assert means[["seconds", "checks", "divided"]].values.tolist() == [[2.0, 10, 0], [0.5, 10, 6]]
        assert measure.speedups(means)["speedup"].tolist() == [1, 4]
        found = measure.speedups(some_means(a=3)).set_index(["rollup", "threads"])
        assert found.loc[(False, 2), "speedup"] == pytest.approx(1.6)
        assert found.loc[(True, 2), "speedup"] == pytest.approx(1.5)  # against Flash
        assert found["divided"].tolist() == [0, 3, 3]

    @pytest.mark.parametrize("grows, better", [(lambda q: 3.0**q, "exponential"), (lambda q: 3.0 * q, "linear")])
    def test_fits_tell_growth_apart(self, grows, better):
        q = np.arange(1, 7)
        made = {"dataset": "a", "algorithm": "Speedy", "rollup": False, "k": 5, "threads": 2}
        fits = measure.fits(pd.DataFrame({**made, "quasi_identifiers": q, "seconds": grows(q)}), k=5)
        assert fits.loc[fits["explained"].idxmax(), "fit"] == better
        assert fits["explained"].max() == pytest.approx(1)
        if better == "exponential":
            assert fits.set_index("fit")["factor"]["exponential"] == pytest.approx(3)

    def test_the_size_of_a_set_is_that_of_its_file(self, tables):
        found = measure.data_sets(tables).set_index("dataset")
        for name, table in tables.items():
            frame = table.frame[list(table.schema.quasi_identifiers)]
            text = frame.to_csv(sep=";", index=False, header=False, lineterminator="\r\n")
            assert found.loc[name, "megabytes"] == len(text) / 1e6
            assert found.loc[name, "records"] == 600
            assert found.loc[name, "quasi_identifiers"] == len(table.schema.quasi_identifiers)

    def test_a_set_that_arx_was_not_run_on_is_left_out(self, tables):
        found = measure.against_arx({"adult-arx": tables["adult-arx"], "own.toml": tables["fars"]}, repeats=1)
        assert set(found["dataset"]) == {"adult-arx"} and (found["times_faster"] > 0).all()


def hollow_marks(ax):
    """Marks of measured times that are not filled."""
    return sum(len(line.get_xdata()) for line in ax.lines if line.get_markerfacecolor() == "white")


class TestDrawing:
    def test_a_mark_for_which_nothing_was_divided_is_hollow(self):
        figure = drawings.threads({"means": some_means(cup=0, ihis=5)})
        assert [hollow_marks(ax) for ax in figure.axes] == [1, 1]  # CUP with two threads, with roll-up and without
        assert drawings.HOLLOW in [text.get_text() for legend in figure.legends for text in legend.get_texts()]
        figure = drawings.threads({"means": some_means(cup=1, ihis=5)})
        assert [hollow_marks(ax) for ax in figure.axes] == [0, 0]

    def test_no_law_is_fitted_to_what_was_not_divided(self):
        figure = drawings.speedup({"speedups": measure.speedups(some_means(cup=0, ihis=5))})
        laws = [[line.get_label() for line in ax.lines].count(drawings.FITTED) for ax in figure.axes]
        assert laws == [0, 1]
        hollow = [sum(line.get_markerfacecolor() == "white" for line in ax.lines) for ax in figure.axes]
        assert hollow == [2, 0]  # with roll-up and without

    def test_the_law_is_amdahls(self):
        threads = pd.Index([1, 2, 4])
        beyond, law = drawings._amdahl(pd.Series(10 * (0.2 + 0.8 / threads), index=threads))
        assert beyond.tolist() == [4, 5, 6] and law == pytest.approx(0.2 + 0.8 / beyond)
        assert len(drawings._amdahl(pd.Series([1.0], index=[1]))[0]) == 0

    @pytest.mark.parametrize("names", [["cup"], ["cup", "ihis"], ["own table"]])
    def test_marks_are_whole_and_there_are_ticks_for_one_set_too(self, names):
        sizes = pd.DataFrame({"dataset": names, "quasi_identifiers": 8, "records": 63_441, "megabytes": 3.0})
        means = some_means(**dict.fromkeys(names, 5))
        drawn = [drawings.table17({"data_sets": sizes}), drawings.algorithms({"means": means})]
        for ax in [*drawn[0].axes[1:], *drawn[1].axes, *drawings.threads({"means": means}).axes]:
            low, high = ax.get_ylim()
            assert low * 1.2 <= ax.dataLim.minposy and ax.dataLim.y1 <= high / 1.2
            assert sum(low <= tick <= high for tick in ax.yaxis.get_majorticklocs()) >= 2

    def test_a_set_has_the_same_colour_whichever_others_are_drawn(self):
        alone, both = (
            drawings.algorithms({"means": some_means(**sets)}) for sets in ({"ihis": 5}, {"cup": 5, "ihis": 5})
        )
        used = [
            {line.get_color() for line in figure.axes[0].lines if len(line.get_xdata())} for figure in (alone, both)
        ]
        assert used[0] < used[1] and len(used[1]) == 2

    @pytest.mark.parametrize("name, value", [("cup", 1.728), ("ihis", 1.938)])
    def test_the_thesis_values_are_drawn(self, name, value):
        figure = drawings.threads({"means": some_means(**{name: 5})})
        marks = [float(c.get_segments()[0][0][1]) for c in figure.axes[0].collections]
        assert marks == [pytest.approx(400 / value)]  # milliseconds


class TestNotebook:
    cells = tuple(cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])

    def test_no_cell_is_longer_than_a_screen(self):
        assert max(len(cell["source"]) for cell in self.cells) <= 35

    def test_after_each_figure_its_text(self):
        """What the thesis shows, and what we see."""
        shown = []
        for cell, after in zip(self.cells, self.cells[1:]):
            source = "".join(cell["source"])
            if "lab.show(" in source:
                shown += [call.args[0].attr for call in _calls(source, "show")]
                text = "".join(after["source"])
                assert after["cell_type"] == "markdown" and "**The thesis" in text and "**We see**" in text
        assert sorted(shown) == sorted(figure.name for figure in read(ROOT / "experiments" / "speedy").figures)

    @pytest.mark.slow
    def test_every_cell_can_be_run_twice(self):
        tiny = read(ROOT / "experiments" / "speedy").parameters("tiny")
        space: dict[str, object] = {}
        for cell in self.cells:
            if cell["cell_type"] != "code":
                continue
            for _ in range(2):
                exec("".join(cell["source"]), space)
                if "parameters" in cell["metadata"].get("tags", []):
                    space |= tiny


def _calls(source: str, method: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == method]
