"""Ranges of parameters: said in the experiment file, refused before anything starts, forgotten for no shipped notebook."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.lab import catalogue, parameters, runner
from ppdp_lab.lab.experiment import Range, read

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "tests" / "lab" / "data" / "experiments"
# Data sets, columns, names of members and a scale: what is known of them is not a number.
NO_NUMBERS = {"scale", "dataset", "datasets", "drawn", "anew", "settings"}
BY_THE_RULES = {"c", "alpha"}  # the rules that the plan of the choice makes know their range


@pytest.mark.parametrize(
    ("said", "value", "words"),
    [
        ({"at_least": 2}, 1, "k must be at least 2, not 1"),
        ({"at_least": 2}, 2.5, "k must be a whole number, not 2.5"),
        ({"at_least": 2}, [5, "x"], "every value of k must be a whole number, not 'x'"),
        ({"at_least": 2}, [], "k is an empty list; give it a value, or leave k out"),
        ({"at_least": 0.0, "at_most": 1.0}, 2, "k must be at most 1, not 2"),
        ({"above": 0.0}, [0.5, 0], "every value of k must be greater than 0, not 0"),
        ({"one_of": ("always", "never")}, "nevr", "k"),
    ],
)
def test_a_value_outside_is_refused(said: dict[str, object], value: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Range(**said).check("k", value)  # type: ignore[arg-type]


def test_values_within_and_open_ones_are_kept() -> None:
    for said, value in (({"at_least": 2}, [2, 3]), ({"at_least": 0.0}, 0.5), ({"at_least": 2}, None)):
        Range(**said).check("k", value)  # type: ignore[arg-type]
    assert str(Range(above=0.0, at_most=1.0)) == "above 0, 1 at most"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    shutil.copytree(DEMO, tmp_path / "experiments")
    return tmp_path / "experiments" / "demo" / "experiment.toml"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            "rows = { at_leest = 1 }",
            "demo/experiment.toml, range rows: unknown key 'at_leest'; did you mean 'at_least'",
        ),
        ('rows = { at_least = "1" }', "demo/experiment.toml, range rows: at_least must be a whole number, not '1'"),
        ("row = { at_least = 1 }", "demo/experiment.toml, range: unknown parameter 'row'; did you mean 'rows'"),
        ("rows = { at_least = 100000 }", "rows must be at least 100000, not"),
    ],
)
def test_a_range_that_makes_no_sense_is_refused(demo: Path, lines: str, words: str) -> None:
    demo.write_text(demo.read_text().replace("[[figure]]", f"[range]\n{lines}\n[[figure]]", 1))
    with pytest.raises((DataFileError, ParameterError), match=words):
        runner.check(read(demo))


@pytest.mark.parametrize("experiment", catalogue.experiments(ROOT), ids=lambda experiment: experiment.name)
def test_every_number_of_a_shipped_notebook_has_a_range(experiment: object) -> None:
    known = parameters.defined(experiment.notebook)  # type: ignore[attr-defined]
    assert set(known) - NO_NUMBERS - BY_THE_RULES == set(experiment.ranges)  # type: ignore[attr-defined]
