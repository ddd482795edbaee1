"""Every experiment runs on a table of one's own, speaks of its columns, and refuses one that is too small before it starts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from lab import own_table
from matplotlib.text import Text

from experiments.crossover import measure as crossover
from experiments.i3m import figures as i3m_drawings
from experiments.i3m import measure
from experiments.mdistinct import measure as mdistinct
from experiments.tour import figures as tour_drawings
from experiments.tour import measure as tour
from ppdp_lab.errors import PPDPError
from ppdp_lab.lab import axes, catalogue, parameters, runner, runs
from ppdp_lab.lab.figures import drawing, fill, words_of
from ppdp_lab.table import Microdata, Schema

ROOT = Path(__file__).parents[2]
EXPERIMENTS = {experiment.name: experiment for experiment in catalogue.experiments(ROOT)}
PLANNED = [name for name, experiment in EXPERIMENTS.items() if catalogue.plan_of(experiment)]
OTHERS = ("occupation", "OCC", "SAL", "ADULT", "adult", "education", ".toml", "/ward")  # what this table has not


def on(name: str, path: Path) -> dict[str, object]:
    """The parameter that puts an experiment on a table."""
    known = parameters.defined(EXPERIMENTS[name].notebook)
    return {"datasets": [str(path)]} if "datasets" in known else {"dataset": str(path)}


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return own_table.write(tmp_path_factory.mktemp("own"))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_runs_on_an_own_table_and_speaks_of_its_columns(name: str, ward: Path, tmp_path: Path) -> None:
    experiment = EXPERIMENTS[name]
    done = runner.run(experiment, results=tmp_path, scale="tiny", given=on(name, ward), say=lambda line: None)
    assert done.executed and len(done.figures) == 2 * len(experiment.figures)
    assert all("own data" in data["provenance"] for data in done.handed_over["data"])
    words, results = words_of(done), done.results
    for entry in experiment.figures:
        if entry.data.startswith("worked example") and "{dataset}" not in entry.data:
            continue  # drawn from the paper's own example
        figure = drawing(entry, experiment)(runs.as_given(results))
        texts = [text.get_text() for text in figure.findobj(Text)] + [fill(entry.caption, words)]
        strange = [(text, other) for text in texts for other in OTHERS if other in text and "ARX was run" not in text]
        assert not strange, f"{entry.name}: {strange}"


@pytest.mark.parametrize("name", PLANNED)
def test_a_table_that_is_too_small_is_refused_before_anything_starts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "execute", lambda *arguments: pytest.fail("the notebook was started"))
    path = own_table.write(tmp_path / "own", rows=3)
    with pytest.raises(PPDPError, match=r"'Ward 7'.* has 3 rows") as refused:
        runner.run(EXPERIMENTS[name], results=tmp_path / "results", scale="tiny", given=on(name, path), say=print)
    assert "\n" not in str(refused.value) and "kept in" not in str(refused.value)
    assert not (tmp_path / "results" / name).exists()


@pytest.mark.parametrize("name", [name for name in PLANNED if name not in ("speedy", "choice")])
def test_a_table_without_a_sensitive_column_is_refused(name: str, tmp_path: Path) -> None:
    path = own_table.write(tmp_path, sensitive="")
    with pytest.raises(PPDPError, match="'Ward 7' must have one sensitive column for this experiment, and has none"):
        runner.plan(EXPERIMENTS[name], _effective(name, path))


def test_hierarchies_and_values_that_an_experiment_needs(tmp_path: Path) -> None:
    path = own_table.write(tmp_path, town="", work="")
    with pytest.raises(PPDPError, match=r"at least 2 quasi-identifiers with a hierarchy, and 'Ward 7' has 1 \(years\)"):
        runner.plan(EXPERIMENTS["speedy"], _effective("speedy", path))
    path = own_table.write(tmp_path, illnesses=1)
    for name in ("equivalence", "bpg", "mdistinct"):
        with pytest.raises(
            PPDPError, match=r"the most frequent illness of .* which allows one in 1; this experiment needs"
        ):
            runner.plan(EXPERIMENTS[name], _effective(name, path))
    path = own_table.write(
        tmp_path, quasi_identifiers='quasi_identifiers = ["nickname", "stay"]', town="", years="", work=""
    )
    assert runner.plan(EXPERIMENTS["i3m"], _effective("i3m", path)) == ()  # text without a hierarchy is put in order
    path = own_table.write(tmp_path, quasi_identifiers='quasi_identifiers = ["stay"]', town="", years="", work="")
    with pytest.raises(PPDPError, match="a picture needs two quasi-identifiers, and 'Ward 7' has 'stay' only"):
        runner.plan(EXPERIMENTS["i3m"], _effective("i3m", path))


def test_what_is_said_is_kept_or_refused_and_what_is_open_is_fitted(tmp_path: Path) -> None:
    path = own_table.write(tmp_path, rows=1000)
    (note,) = runner.plan(EXPERIMENTS["equivalence"], _effective("equivalence", path))
    assert note.startswith("fitted to 'Ward 7' (1,000 rows): initial 4,000 -> 7") and "m 10 ->" in note
    with pytest.raises(PPDPError, match="so m cannot be 14; use at most 9, or omit m"):
        runner.plan(EXPERIMENTS["equivalence"], _effective("equivalence", path) | {"m": 14})
    with pytest.raises(PPDPError, match=r"it needs at least 5,\d+ with initial = 5,000"):
        runner.plan(EXPERIMENTS["equivalence"], _effective("equivalence", path) | {"initial": 5000})
    assert runner.plan(EXPERIMENTS["tour"], _effective("tour", path)) == (
        "fitted to 'Ward 7' (1,000 rows): rows 2,000 -> 1,000",
    )


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_sizes_are_those_of_the_experiment_file(name: str) -> None:
    """Whatever the scale, a plan on the experiment's own data sets changes none of them; they are written nowhere else."""
    experiment = EXPERIMENTS[name]
    known = parameters.defined(experiment.notebook)
    open_ = {name for name, value in known.items() if value is None} - {"drawn", "rows"}  # rows None: all of them
    for scale in experiment.scales:
        assert open_ <= set(experiment.parameters(scale)), scale
    tiny = parameters.absolute(experiment.parameters("tiny"), experiment.path.parent)
    effective = {**known, **runner.injected(tiny, known, "tiny")}
    assert effective["scale"] == "tiny" and not open_ & {n for n, value in effective.items() if value is not None}
    assert runner.plan(experiment, effective) == ()


def test_the_scale_is_chosen_by_its_option(tmp_path: Path) -> None:
    with pytest.raises(PPDPError, match="choose the scale with --scale paper"):
        runner.run(EXPERIMENTS["tour"], results=tmp_path, given={"scale": "paper"}, say=print)


@pytest.mark.parametrize("name", ["speedy", "choice"])
def test_two_tables_of_one_name_are_refused(name: str, tmp_path: Path) -> None:
    paths = [str(own_table.write(tmp_path / folder)) for folder in ("a", "b")]
    with pytest.raises(PPDPError, match="two data sets are called 'Ward 7'; give one of them another title"):
        runner.plan(EXPERIMENTS[name], _effective(name, Path(paths[0])) | {"datasets": paths})


@pytest.mark.parametrize(
    ("name", "said", "words"),
    [
        ("tour", {"ks": []}, "ks is an empty list"),
        ("tour", {"t": 2.0}, "t must be at most 1, not 2"),
        ("speedy", {"datasets": []}, "a data set's name or TOML file in quotes, or a list of them, not \\[\\]"),
        ("i3m", {"ks": [5000]}, "needs rows of at least 50,000, not 400; set rows=50000"),
        ("equivalence", {"shares": [0.5]}, "with m = 10 no value may be more than one in 10, so shares cannot be"),
        ("equivalence", {"e": 0}, "e must be at least 2, not 0"),
        ("bpg", {"rates": [9000]}, "the first release has .* rows, and some of them must stay, so rates cannot be"),
        ("bpg", {"leak_initial": 1}, "needs leak_initial of at least 100, not 1"),
        ("mdistinct", {"deletes": 9000}, "lower deletes or updates"),
        ("crossover", {"k": 1}, "k must be at least 2, not 1"),
        ("crossover", {"settings": {"BPG": {"x": 1}}}, "settings: unknown parameter of BPG: 'x'"),
        ("choice", {"alpha": 2.0}, "alpha must be at most 1"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(
    name: str, said: dict[str, object], words: str, ward: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "execute", lambda *arguments: pytest.fail("the notebook was started"))
    with pytest.raises(PPDPError, match=words):
        runner.run(EXPERIMENTS[name], results=tmp_path, scale="tiny", given=on(name, ward) | said, say=print)
    assert not (tmp_path / name).exists()


def test_one_of_several_sensitive_columns_must_be_chosen(tmp_path: Path) -> None:
    roles = {"sensitive": 'sensitive = ["illness", "nickname"]', "quasi_id": 'quasi_identifiers = ["years", "stay"]'}
    path = own_table.write(tmp_path, **roles, town="", work="")
    with pytest.raises(
        PPDPError, match="and has 2; name one of 'illness', 'nickname' under sensitive in its TOML file"
    ):
        runner.plan(EXPERIMENTS["tour"], _effective("tour", path))


def test_the_smallest_tables_are_enough_for_what_runs_before_the_experiment(tmp_path: Path) -> None:
    path = own_table.write(tmp_path, rows=80)
    made = measure.plan("tiny", str(path), [2], 1)
    assert len(made.table) >= 50 and set(measure.events(axes.picture_of(made.table, made.sizes.drawn), k=3)["event"])
    with pytest.raises(PPDPError, match="has 70 rows, too few for this experiment: it needs at least 78"):
        measure.plan("tiny", str(own_table.write(tmp_path, rows=70)), [2], 1)
    few = crossover.plan("quick", [str(own_table.write(tmp_path, rows=36))], 1, k=10, d=4).tables["Ward 7"]
    crossover.warm(crossover.Inputs(10, 4, 1, (2, 10), (), {}), few, 4)


def test_values_change_by_role_and_not_by_the_names_of_columns() -> None:
    chance = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"age": chance.integers(0, 9, 60), "education": ["b", "a"] * 30, "illness": ["x", "y", "z"] * 20}
    )
    table = Microdata(frame, Schema(["age", "education"], sensitive="illness"))
    stream = crossover.stream(table, SimpleNamespace(initial=40, rate=5, updates=2), changing=True, d=3, seed=1)
    assert list(stream.model) == ["illness"]


def test_values_that_first_occur_in_a_later_release_can_be_asked_for() -> None:
    chance = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"account": range(300), "age": chance.integers(18, 90, 300), "illness": ["u", "v", "w", "x", "y", "z"] * 50}
    )
    table = Microdata(frame, Schema(["account", "age"], sensitive="illness"))
    sizes = {"initial": 100, "deletes": 5, "inserts": 50, "updates": 2, "changes": 10, "queries": 20}
    size = SimpleNamespace(**sizes)
    releases, _ = mdistinct.distinct(table, size, d=3, m=2, seed=1)
    found = mdistinct.errors(table, releases, size, seed=1, thetas=[0.5], looks=[1, 3])
    assert found["release"].tolist() == [1, 3] and found["error"].notna().all()


def test_dates_are_dates_in_results_and_pictures() -> None:
    chance, days = np.random.default_rng(3), pd.date_range("2021-03-01", periods=700)
    frame = pd.DataFrame(
        {"admitted": chance.choice(days, 300), "age": chance.integers(18, 90, 300), "illness": ["x", "y", "z"] * 100}
    )
    table = Microdata(frame, Schema(["admitted", "age"], sensitive="illness"))
    drawn = {
        tour_drawings.partition: {"boxes": tour.partitions(table, [5, 20])},
        i3m_drawings.events: {"pictures": measure.events(table, k=3)},
    }
    for draw, results in drawn.items():
        (places,) = results.values()
        assert places["x0"].min() >= days[0] - pd.Timedelta(hours=12) and places["y0"].dtype.kind in "if"
        figure = draw(results)
        figure.draw_without_rendering()
        ticks = [tick.get_text() for ax in figure.axes for tick in ax.get_xticklabels()]
        assert ticks and {tick[:4] for tick in ticks if tick} <= {"2021", "2022", "2023"}, draw


def _effective(name: str, path: Path) -> dict[str, object]:
    experiment = EXPERIMENTS[name]
    known = parameters.defined(experiment.notebook)
    return {**known, **runner.injected(experiment.parameters("tiny"), known, "tiny"), **on(name, path)}
