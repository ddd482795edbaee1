"""Every explorer: its code makes its picture, own tables are accepted, and errors are one sentence."""

from __future__ import annotations

import re
from html import unescape

import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab import explore, plotting
from ppdp_lab.errors import DataFileError, InfeasibleError, ParameterError, SchemaError
from ppdp_lab.explore.base import Pick, Several, Stopped, Stops, Whole, Work, script
from ppdp_lab.explore.bucket_graphs import Buckets
from ppdp_lab.explore.lattices import Lattices
from ppdp_lab.explore.own_tables import OwnTables
from ppdp_lab.explore.partitions import Partition
from ppdp_lab.explore.publications import Publications
from ppdp_lab.explore.tradeoffs import Tradeoffs
from ppdp_lab.explore.widgets import picture
from ppdp_lab.sweep import result

KINDS = {
    "partition": Partition, "lattice": Lattices, "series": Publications, "bucket_graph": Buckets, "tradeoff": Tradeoffs,
    "own_table": OwnTables,
}  # fmt: skip
TURNED = [
    ("partition", {"k": 50, "l": 3, "t": 0.3}),
    ("partition", {"strict": False, "choose": "balanced", "cut": "median", "x": "education", "y": "age"}),
    ("lattice", {"step": 7, "suppression": 0.02}),
    ("lattice", {"search": "Incognito", "columns": ("age", "race"), "step": 3}),
    ("lattice", {"search": "Samarati", "k": 100, "step": 0}),
    ("series", {"release": 2, "victim": "Julia"}),
    ("series", {"data": "hospital", "publisher": "as printed, 2-diverse", "release": 2, "victim": "Alice"}),
    ("series", {"data": "stream", "publisher": "MDistinct", "m": 3, "changes": True, "release": 4}),
    ("series", {"data": "stream", "publisher": "BPG", "groups": False, "release": 3}),
    ("bucket_graph", {"e": 3}),
    ("bucket_graph", {"data": "stream", "e": 4, "m": 3, "leave": 30, "after": 5}),
    ("tradeoff", {"point": 4, "l": 4}),
    ("own_table", {"k": 9, "l": 3}),
    ("own_table", {"algorithm": "Flash", "quasi": ("sex", "race")}),
]


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    """Somebody's own frame: a text column without hierarchy among numbers."""
    n = 240
    return pd.DataFrame(
        {
            "age": [20 + i * 7 % 60 for i in range(n)],
            "weight": [50 + i * 13 % 45 for i in range(n)],
            "town": ["north", "south", "east"] * (n // 3),
            "illness": [["flu", "cold", "HIV", "angina", "asthma"][i * i % 5 if i % 4 else i % 5] for i in range(n)],
        }
    )


def test_the_tests_know_every_explorer():
    assert set(KINDS) == {entry.name for entry in explore.EXPLORERS.entries()} == {name for name, _ in TURNED}
    for entry in explore.EXPLORERS.entries():
        assert entry.member is getattr(explore, entry.name) and len(re.findall(r"[.!?](\s|$)", entry.promises)) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("name", "turned"), [*((name, {}) for name in KINDS), *TURNED], ids=lambda x: str(x)[:40])
def test_the_code_makes_the_picture(name, turned, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # own_table's code writes a file
    explorer = KINDS[name]()
    shown = explorer.show(explorer.state(**turned), Work())
    made: dict = {}
    exec(shown.code, made)
    assert plotting.image(made["figure"]) == plotting.image(shown.figure)
    assert shown.alt and shown.says and len(shown.facts) > 1
    assert all(len(row) == len(shown.facts[0]) for row in shown.facts)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("how", ["frame", "table", "toml"])
def test_own_tables_are_accepted(name, how, patients, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    schema = pl.Schema(["age", "weight"], sensitive="illness")
    trees = {
        "age": pl.Hierarchy.intervals(range(120), [10, 40]),
        "weight": pl.Hierarchy.intervals(range(200), [20, 100]),
    }
    made: dict = {}
    if how == "frame":
        given, made = (patients.drop(columns="town"), schema), {"frame": patients.drop(columns="town")}
    elif how == "toml":
        patients.to_csv(tmp_path / "patients.csv", index=False)
        roles = 'quasi_identifiers = ["age", "weight"]\nsensitive = "illness"'
        widths = "[hierarchies]\nage = { widths = [10, 40] }\nweight = { widths = [20, 100] }"
        (tmp_path / "mine.toml").write_text(f'file = "patients.csv"\n{roles}\n{widths}\n')
        given = (str(tmp_path / "mine.toml"), None)
    else:
        table = pl.Microdata(patients.drop(columns="town"), schema, trees)
        given, made = (table, None), {"table": table}
    explorer = KINDS[name](*given)
    shown = explorer.show(explorer.state(), Work())
    assert "240" in shown.says or name in ("lattice", "series", "bucket_graph", "tradeoff")
    exec(shown.code, made)
    assert plotting.image(made["figure"]) == plotting.image(shown.figure)


def test_every_mark_that_can_be_hovered_has_its_words():
    for name in ("lattice", "series", "bucket_graph", "tradeoff"):
        explorer = KINDS[name]()
        shown = explorer.show(explorer.state(), Work())
        html = picture(shown)
        words = [word for said in shown.hover.values() for word in ([said] if isinstance(said, str) else said)]
        titles = [unescape(title) for title in re.findall("<title>(.*?)</title>", html)]
        assert sorted(titles) == sorted(words) and words and f'aria-label="{shown.alt[:10]}' in html


@pytest.mark.parametrize("name", KINDS)
def test_a_picture_is_the_same_whether_one_like_it_was_laid_out_before_or_not(name):
    explorer, places = KINDS[name](), {}
    slider = next(
        k for k in explorer.knobs() if isinstance(k, Whole) and k.name in ("k", "step", "release", "after", "point")
    )
    for value in (slider.low + 1, slider.low, slider.low + 1):
        shown, anew = (explorer.show(explorer.state(**{slider.name: value}), Work()) for _ in range(2))
        assert picture(shown, places) == picture(anew)
    assert f'role="img" aria-label="{shown.alt[:10]}' in picture(shown)


# ---------------------------------------------------------------------- what they say is true
def test_a_replay_ends_where_the_search_does():
    table = pl.datasets.load("adult-arx").project(["age", "education", "sex"])
    for search in (pl.Flash(pl.KAnonymity(5)), pl.Incognito(pl.KAnonymity(5), suppression=0.01)):
        nodes, found = explore.lattices.lattice_nodes(table, search), search.search(table)
        held = {tuple(map(int, node.split(","))) for node in nodes.loc[nodes["state"] == "holds", "node"]}
        assert held == set(found.solutions) and not (nodes["state"] == "unknown").any()
        at = nodes.set_index("node")["loss"]
        best = search.generalize(table, found.best)
        if not len(best.suppressed):
            assert at[",".join(map(str, found.best))] == pytest.approx(pl.metrics.gcp(best))


def test_the_last_check_is_marked_by_more_than_a_colour():
    """In grey an orange edge is lost on a grey node: a ring of its own is drawn around it, and around nothing else."""
    table = pl.datasets.examples.speedy.table_16()
    for step in (0, 1, 5):
        nodes = explore.lattices.lattice_nodes(table, pl.Flash(pl.KAnonymity(2)), step=step)
        ax = explore.lattices.draw_lattice(nodes).axes[0]
        sizes = [line.get_markersize() for line in ax.lines if line.get_color() == "none"]
        assert len(sizes) == min(step, 1)
        assert all(size > max(x.get_markersize() for x in ax.lines if x.get_color() != "none") for size in sizes)


def test_a_replay_knows_more_with_every_step():
    table = pl.datasets.examples.speedy.table_16()
    for search in (pl.Samarati, pl.Incognito, pl.Flash):
        steps = len(search(pl.KAnonymity(2)).search(table).checked)
        known = [
            int((explore.lattices.lattice_nodes(table, search(pl.KAnonymity(2)), step=s)["state"] != "unknown").sum())
            for s in range(steps + 1)
        ]
        assert known[0] == 0 and known == sorted(known) and known[-1] > 0


def test_the_worked_examples_disclose_what_the_papers_say():
    explorer = Publications()
    said = explorer.show(explorer.state(victim="Julia", release=2), Work())
    assert "The secret is out with release 2" in said.says
    assert [row[2] for row in said.facts[1:]] == ["Pneumonia", "Lung Cancer, Pneumonia"]
    said = explorer.show(explorer.state(victim="Julia", release=2, publisher="as printed, 2-Distinct"), Work())
    assert (
        "No release leaves a single value for Julia. All 2 releases together leave a single value for 0 of 6"
        in said.says
    )
    said = explorer.show(explorer.state(data="hospital", victim="Alice", release=2), Work())
    assert "After release 2, one value alone is left of Alice" in said.says and said.facts[-1][2] == "cancer"


def test_sentences_promise_no_more_than_was_checked():
    """k-anonymity says nothing of the secret, one person's safety nothing of the others, one attack nothing of all."""
    frame = pd.DataFrame(
        {"age": [20, 21, 60, 61] * 5, "size": [1, 2, 3, 4] * 5, "illness": ["flu", "flu", "flu", "HIV"] * 5}
    )
    explorer = Partition(frame, pl.Schema(["age", "size"], "illness"))
    said = explorer.show(explorer.state(k=5), Work()).says
    assert (
        "But in 4 of 4 groups (20 people) everyone has the same illness: knowing a person's group reveals it." in said
    )
    explorer = Publications()
    said = explorer.show(explorer.state(victim="Harry", release=2), Work()).says
    exposed = explore.publications.most_exposed(explorer._series(explorer.state(), "as printed, 2-diverse", Work())[0])
    assert exposed["Harry"] == 2 and (exposed == 1).sum() == 5
    assert "No release leaves a single value for Harry. All 2 releases together leave a single value for 5 of 6" in said
    explorer = Buckets()
    assert "the equivalence attack separates no fewer than" in explorer.show(explorer.state(e=3), Work()).says


def test_larger_e_means_larger_cuts():
    explorer = Buckets()
    cuts = [min(int(row[2]) for row in explorer.show(explorer.state(e=e), Work()).facts[1:]) for e in (1, 2, 3)]
    assert cuts[0] <= 2 < cuts[1] and cuts[2] > 4


def test_a_sweep_is_read_with_what_it_says_of_its_columns(tmp_path):
    frame = pd.DataFrame(
        {"k": [2, 5, 2, 5], "method": list("aabb"), "loss": [0.1, 0.3, 0.2, 0.4], "error": [1.0, 2, 3, 4]}
    )
    described = result.described(frame, "loss", ["k", "method"], ["loss", "error"])
    result.write_sweep(result.Sweep("loss", {"results": described}, points=4, executed=4, folder=tmp_path))
    for source in (tmp_path, tmp_path / "results.parquet"):
        explorer = Tradeoffs(source)
        shown = explorer.show(explorer.state(point=4), Work())
        assert shown.says == "Point 4 of 4: b, k = 5: loss 0.4, error 4."
        assert picture(shown).count("<title>") == 8  # two panels of four points
        assert [knob.name for knob in shown.knobs if knob.idle] == ["table", "l", "t"]
    (tmp_path / "bare").mkdir()
    frame.to_parquet(tmp_path / "bare" / "points.parquet", index=False)
    points = explore.tradeoffs.read_points(tmp_path / "bare" / "points.parquet")
    assert explore.tradeoffs.axes_of(points) == (["k"], ["loss", "error"])
    with pytest.raises(DataFileError, match="holds no sweep"):
        explore.tradeoffs.read_points(tmp_path / "bare" / "no.parquet")


def test_a_dropped_file_is_read_as_any_file_is():
    explorer = OwnTables()
    rows = "\n".join(f"P{i};0{1000 + i % 3};{20 + i % 9};{'flu' if i % 2 else 'cold'}" for i in range(60))
    file = ("patients.csv", f"name;zip;age;illness\n{rows}\n".encode())
    shown = explorer.show(explorer.state(file=file, k=4), Work())
    roles = {knob.name: knob.value for knob in shown.knobs}
    assert roles["quasi"] == ("zip", "age") and roles["secret"] == ("illness",)
    assert "text (codes: some begin with 0): zip" in shown.says and set(shown.files) == {
        "published.csv",
        "anonymize.py",
    }
    published = shown.files["published.csv"].decode()
    assert "P1" not in published and "illness" in published and shown.files["anonymize.py"].decode() == shown.code
    assert "holder.read_own_file('patients.csv', Schema(['zip', 'age'], ['illness']), {})" in shown.code


def test_another_l_finds_its_points_ready():
    explorer, steps = Tradeoffs(), []
    explorer.show(explorer.state(), Work())
    explorer.ahead(explorer.state(), Work())
    for turned in ({"l": 4}, {"l": 10}, {"t": 0.1}):
        explorer.show(explorer.state(**turned), Work(lambda share, what: steps.append(what)))
    assert steps == ["reading"] * 3  # and nothing is measured
    with pytest.raises(Stopped):
        Tradeoffs().ahead(explorer.state(), Work(unwanted=lambda: True))


@pytest.mark.parametrize("publisher", ["MInvariance", "BPG"])
def test_the_next_stream_is_published_before_somebody_asks_for_it(publisher):
    explorer, steps = Publications(), []
    start = explorer.state(data="stream", publisher=publisher, m=3)
    explorer.show(start, Work())
    explorer.ahead(start, Work())
    for turned in ({"m": 4}, {"m": 2}, {"share": 11}, {"share": 9}, {}):
        explorer.show({**start, **turned}, Work(lambda share, what: steps.append(what)))
    assert steps == ["publishing", "attacking"] * 5  # and no release is made
    with pytest.raises(Stopped):
        Publications().ahead(start, Work(unwanted=lambda: True))
    Publications().ahead(explorer.state(), Work(unwanted=lambda: True))  # a worked example: nothing to make ready


def test_rules_that_no_release_keeps_are_named(patients):
    frame = patients[["age", "weight"]].head(60).assign(illness=["flu", "cold"] * 30)
    two = pl.Microdata(frame, pl.Schema(["age", "weight"], "illness"))
    explorer = Tradeoffs(two)
    shown = explorer.show(explorer.state(l=5), Work())
    assert "No release of this table keeps l = 5." in shown.says
    with pytest.raises(InfeasibleError, match="no k of 2 or more can be kept with 1 people"):
        explorer = Tradeoffs(pl.Microdata(two.frame.head(1), two.schema))
        explorer.show(explorer.state(), Work())


@pytest.mark.parametrize("name", KINDS)
def test_names_are_drawn_to_the_letter(name, patients):
    odd = {"age": "$x^$", "weight": "<b>&'\"", "illness": "_ill $\\frac$"}
    frame = patients.drop(columns="town").rename(columns=odd)
    frame[odd["illness"]] = frame[odd["illness"]].map(lambda value: f"$^{value} <i>$")
    schema = pl.Schema([odd["age"], odd["weight"]], odd["illness"])
    trees = {
        odd["age"]: pl.Hierarchy.intervals(range(120), [10, 40]),
        odd["weight"]: pl.Hierarchy.intervals(range(200), [20, 100]),
    }
    explorer = KINDS[name](pl.Microdata(frame, schema, trees))
    html = picture(explorer.show(explorer.state(), Work()))
    assert "<i>" not in html and "<b>" not in html and "\\$" not in html


@pytest.mark.parametrize("name", ["partition", "series", "bucket_graph", "tradeoff"])
def test_several_secrets_are_refused_in_words(name, patients):
    with pytest.raises(
        SchemaError, match=r"looks at one sensitive column, and the table has .*; give it a table with one"
    ):
        explorer = KINDS[name](patients, pl.Schema(["age", "weight"], ["illness", "town"]))
        explorer.show(explorer.state(), Work())


@pytest.mark.parametrize("name", KINDS)
def test_columns_may_be_named_like_anything(name, patients, tmp_path, monkeypatch):
    """Words of Python, quotes, and names of our own: each explorer shows the table, and its code runs."""
    monkeypatch.chdir(tmp_path)
    names = {"age": "class", "weight": """it's "Mondrian" # $x$""", "illness": "lambda"}
    frame = patients.drop(columns="town").rename(columns=names)
    explorer = KINDS[name](frame, pl.Schema([names["age"], names["weight"]], "lambda"))
    shown = explorer.show(explorer.state(), Work())
    made = {"frame": frame}
    exec(shown.code, made)
    assert plotting.image(made["figure"]) == plotting.image(shown.figure)


def test_the_code_declares_the_values_that_the_schema_does(patients):
    """Loss is measured over all values that there may be, whether the frame has them or not."""
    frame = patients[["age", "weight", "illness"]]
    explorer = Partition(frame, pl.Schema(["age", "weight"], "illness", domains={"age": range(200)}))
    shown = explorer.show(explorer.state(), Work())
    made = {"frame": frame}
    exec(shown.code, made)
    assert plotting.image(made["figure"]) == plotting.image(shown.figure)


def test_columns_without_a_hierarchy_get_a_plain_one(patients):
    """Of numbers, dates, texts, and values that the schema declares; what stands in for it is said."""
    frame = patients.assign(born=pd.date_range("1960-01-01", periods=len(patients), freq="50D"))
    schema = pl.Schema(["town", "born", "weight"], "illness", domains={"town": ["north", "south", "east", "west"]})
    explorer = Lattices(frame.drop(columns="age"), schema)
    shown = explorer.show(explorer.state(), Work())
    assert "no hierarchy for town, born, weight: ordered values are generalized to default intervals" in shown.says
    made = {"frame": frame.drop(columns="age")}
    exec(shown.code, made)
    levels = made["table"].hierarchies["born"].levels("1960-02-20")
    assert len(levels) == 6 and levels[1] == "[1960-01-01, 1961-12-01]" and levels[5] == "*"
    assert plotting.image(made["figure"]) == plotting.image(shown.figure)


def test_a_lattice_that_is_too_large_is_refused_before_it_is_searched(monkeypatch):
    monkeypatch.setattr(pl.Flash, "search", lambda *_: pytest.fail("searched"))
    explorer = Lattices()
    every = tuple(explorer.knobs()[1].options)
    with pytest.raises(ParameterError, match="nodes, too many to draw; pick fewer of them"):
        explorer.show(explorer.state(columns=every), Work())


# ---------------------------------------------------------------------- knobs and work
def test_a_knob_keeps_what_it_can_have():
    assert Whole("k", "", 5, 2, 9).kept(40).value == 9
    assert Stops("t", "", 0.1, options=(0.1, 0.2)).kept(0.5).value == 0.1
    assert Pick("x", "", "a", options=("a", "b")).kept("b").value == "b"
    assert Several("c", "", ("a",), options=("a", "b")).kept(("z",)).value == ("a",)
    assert Several("c", "", ("a",), options=("a", "b")).kept(()).value == ("a",)


def test_unwanted_work_stops_at_its_next_step():
    work = Work(unwanted=lambda: True)
    with pytest.raises(Stopped):
        Partition().show(Partition().state(), work)


def test_code_imports_what_it_names_and_nothing_else():
    assert script("KAnonymity = 3", 'x = "Mondrian"  # Flash', "Anatomy(3)").startswith(
        "from ppdp_lab import Anatomy\n"
    )
    file = """it's "mine".csv"""  # both kinds of quotes
    quoted = f"table = read({file!r}, Schema(['a']), 'Flash')"
    assert script(quoted).startswith("from ppdp_lab import Schema\n")
