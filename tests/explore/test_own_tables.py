"""A file that somebody drops: whatever it holds, there is a picture, or a sentence and a way on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from ppdp_lab import explore
from ppdp_lab.explore.base import Work
from ppdp_lab.explore.own_tables import Dropped, OwnTables
from ppdp_lab.holder import read_own_file, untouched
from ppdp_lab.principles import DistinctLDiversity, KAnonymity
from ppdp_lab.table import Schema


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Names first, a number of each person last."""
    n, chance = 120, np.random.default_rng(4)
    return pd.DataFrame(
        {
            "name": [f"Person {i}" for i in range(n)],
            "age": chance.integers(20, 60, n),
            "town": chance.choice(["north", "south", "east"], n),
            "illness": chance.choice(["flu", "cold", "asthma", "HIV"], n),
            "number": 70_000 + chance.permutation(n),
        }
    )


def csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def shown(content: bytes, **turned):
    explorer = OwnTables()
    return explorer.show(explorer.state(file=("people.csv", content), **turned), Work())


def test_what_names_people_is_not_published_unless_it_is_asked_for(people):
    found = shown(csv(people))
    published = found.files["published.csv"].decode()
    assert published.splitlines()[0] == "age,town,illness" and "Person" not in published and "700" not in published
    assert "Not published: name, number." in found.says and "Check " not in found.says
    asked = shown(csv(people), quasi=("age", "town"), secret=("number",))
    assert "Check sensitive column 'number': nearly every record has a value of its own" in asked.says


def test_what_is_handed_out_keeps_its_rule_and_no_order(people, tmp_path):
    rows = {shown(csv(people.sample(frac=1, random_state=i)), l=2).files["published.csv"] for i in range(3)}
    assert len(rows) == 1  # the same bytes, in whatever order the people came
    (tmp_path / "published.csv").write_bytes(rows.pop())
    published = pd.read_csv(tmp_path / "published.csv")
    classes = published.groupby(["age", "town"])
    assert len(published) == 120 and classes.size().min() >= 5 and classes["illness"].nunique().min() >= 2


@pytest.mark.slow
def test_the_code_runs_in_a_python_of_its_own(people, tmp_path):
    gaps = people.astype(object).copy()
    gaps.loc[[3, 50], "age"] = None
    found = shown(csv(gaps), missing="drop", l=2)
    (tmp_path / "people.csv").write_bytes(csv(gaps))
    (tmp_path / "anonymize.py").write_bytes(found.files["anonymize.py"])
    subprocess.run([sys.executable, "anonymize.py"], cwd=tmp_path, check=True, timeout=600)
    assert (tmp_path / "published.csv").read_bytes() == found.files["published.csv"]
    table = read_own_file(tmp_path / "published.csv", Schema(["age", "town"], "illness"), {}).table
    assert (KAnonymity(5) & DistinctLDiversity(2)).check(untouched(table)).holds and len(table) == 118


# ---------------------------------------------------------------------- files that need a decision
def test_a_gap_leaves_a_way_on(people):
    gaps = people.astype(object).copy()
    gaps.loc[3, "age"] = None
    gaps.loc[4, "number"] = None  # of a column without a role: nobody minds
    panel = explore.own_table()
    assert panel.turn(file=("people.csv", csv(gaps))) is None
    assert "file 'people.csv': column 'age' has 1 missing value(s), first in line(s) 5" in panel.problem.value.replace(
        "&#x27;", "'"
    )
    assert panel.controls["quasi"].options == ("name", "age", "town", "illness", "number")
    assert panel.controls["quasi"].value == ("age", "town") and panel.controls["table"].disabled
    assert "of 120 people" in panel.turn(quasi=("town",)).says
    assert "of 119 people" in panel.turn(quasi=("age", "town"), missing="drop").says
    assert "of 120 people" in panel.turn(missing="value").says
    panel.controls["file"].forget.click()
    assert panel._worker.wait(300) and "of 2,000 people" in panel.shown.says and not panel.controls["table"].disabled
    assert panel.controls["missing"].disabled and panel.controls["secret"].value == ("occupation",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "file 'people.csv' cannot be read as CSV: it is empty"),
        (b"age,illness\n", "file 'people.csv' has a header but no rows"),
        (b"age,age\n1,2\n", "file 'people.csv' has more than one column named 'age'"),
        (bytes(range(256)), "file 'people.csv' cannot be read as CSV"),
    ],
)
def test_no_file_is_refused_without_its_name(content, words):
    with pytest.raises(ValueError, match="^" + words):
        Dropped("people.csv", content)


def test_few_people_are_refused_until_k_fits(people):
    panel = explore.own_table()
    assert panel.turn(file=("few.csv", csv(people.head(4)[["age", "town"]]))) is None
    assert "k = 5 is larger than the table of 4 records" in panel.problem.value
    assert panel.controls["quasi"].options == ("age", "town") and "of 4 people" in panel.turn(k=2).says


# ---------------------------------------------------------------------- what is shown belongs to what is named
def nothing_is_shown(panel) -> bool:
    parts = (panel.picture, panel.says, panel.facts, panel.files, panel.text)
    return panel.shown is None and not any(part.value for part in parts)


def test_after_a_broken_file_nothing_of_the_good_one_is_left(people):
    panel = explore.own_table()
    good, broken = ("good.csv", csv(people)), ("broken.csv", b"age,age\n1,2\n")
    assert panel.turn(file=good).says.startswith("good.csv: ") and "published.csv" in panel.files.value
    assert panel.turn(file=broken) is None and "broken.csv" in panel.problem.value
    assert nothing_is_shown(panel)
    assert panel.controls["quasi"].options == panel.controls["secret"].options == ()
    assert panel.turn(k=6) is None and nothing_is_shown(panel)
    again = panel.turn(file=good)
    assert "k=6" in again.code and panel.state["quasi"] == ("age", "town") and panel.state["secret"] == ("illness",)


def test_an_unknown_table_offers_no_columns():
    panel = explore.own_table()
    assert panel.turn(table="no such table") is None and panel.controls["quasi"].options == ()
    assert panel.turn(table="adult").says.startswith("adult: ") and panel.state["secret"] == ("occupation",)


def test_roles_are_not_carried_over_to_the_next_file(people):
    """Not even where it has the same columns: what was no secret in one file may be one in the next."""
    panel = explore.own_table()
    panel.turn(file=("january.csv", csv(people)))
    assert "Schema(['town'], [])" in panel.turn(quasi=("town",), secret=(), missing="drop").code
    assert "Schema(['age', 'town'], ['illness'])" in panel.turn(file=("february.csv", csv(people.head(100)))).code
    assert panel.state["quasi"] == ("age", "town") and panel.state["secret"] == ("illness",)
    assert panel.state["missing"] == "refuse"
    assert "Schema(['town'], ['illness'])" in panel.turn(quasi=("town",)).code  # within a file a choice stays
    assert "Schema(['town'], ['illness'])" in panel.turn(k=7).code
    other = people.rename(columns={"illness": "town", "town": "job"})
    assert "Schema(['age', 'job'], ['town'])" in panel.turn(file=("other.csv", csv(other))).code


def test_roles_are_not_carried_over_by_somebody_in_a_hurry(people):
    """A knob that is turned before the next file is read does not bring the roles of the last one along."""
    panel = explore.own_table()
    panel.turn(file=("january.csv", csv(people)))
    panel.turn(quasi=("town",), secret=())
    for k in (6, 7, 8):
        panel.controls["file"]._take(f"{k}.csv", csv(people.head(100 + k)))
        panel.controls["k"].value = k
    assert panel._worker.wait(300) and "'8.csv', Schema(['age', 'town'], ['illness'])" in panel.code
    assert panel.state["quasi"] == ("age", "town") and panel.state["secret"] == ("illness",) and "k=8" in panel.code


def test_a_file_given_from_the_start_stays(people):
    panel = explore.own_table(file=("people.csv", csv(people)))
    assert panel.shown.says.startswith("people.csv: ") and panel.turn(k=6).says.startswith("people.csv: ")


# ---------------------------------------------------------------------- what remains risky is stated
@pytest.fixture(scope="module")
def groups() -> bytes:
    """Six groups of ten, alike in age and town; in three of them all have the same disease, in the others three differ."""
    alike = {1: "flu", 3: "HIV", 5: "cold"}
    rows = [
        (20 + g, "north" if g < 3 else "south", alike.get(g, ("flu", "HIV", "cold")[i % 3]))
        for g in range(6)
        for i in range(10)
    ]
    return csv(pd.DataFrame(rows, columns=["age", "town", "disease"]))


def test_k_alone_is_no_promise_for_the_secret(groups):
    said = shown(groups, quasi=("age", "town"), secret=("disease",)).says
    assert (
        "everyone shares these values with at least 9 other people. But in 3 of 6 groups (30 people) everyone has the "
        in said
    )
    assert "the same disease: knowing a person's group reveals it." in said
    diverse = shown(groups, quasi=("age", "town"), secret=("disease",), l=3)
    (surest,) = [row[2] for row in diverse.facts if row[0] == "surest guess of disease"]
    assert (
        f"No group has only one disease, but the best guess within a group is right for up to {surest}" in diverse.says
    )
    nothing = shown(groups, quasi=("age", "town", "disease"), secret=())
    assert "No column is sensitive, so what a group reveals is not measured." in nothing.says


def test_exact_values_are_not_praised_as_hidden(people):
    said = shown(csv(people), algorithm="Anatomy", l=2).says
    assert "publishes these values unchanged, so these people can be recognized" in said and "shares" not in said


def test_default_intervals_are_stated():
    explorer = OwnTables()
    found = explorer.show(explorer.state(algorithm="Flash"), Work())
    assert "Default interval widths: 'age' 5, 10, 20, 40." in found.says


@pytest.mark.parametrize("rows", [1, 2, 19])
def test_small_files_have_a_first_guess(people, rows):
    quasi, secret = Dropped("few.csv", csv(people.head(rows))).guess()
    assert quasi and not {"name", "number"} & set(secret)


def test_a_knob_that_an_algorithm_cannot_promise_is_idle():
    explorer = OwnTables()
    idle = {}
    for algorithm in ("Mondrian", "Anatomy", "KMember"):
        found = explorer.show(explorer.state(algorithm=algorithm), Work())
        idle[algorithm] = {knob.name for knob in found.knobs if knob.idle} & {"k", "l", "t"}
        (diversity,) = [knob for knob in found.knobs if knob.name == "l"]
        assert diversity.value == (2 if algorithm == "Anatomy" else 1)
    assert idle == {"Mondrian": set(), "Anatomy": {"k", "t"}, "KMember": {"l", "t"}}
