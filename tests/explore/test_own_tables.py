"""A file that somebody drops: whatever it holds, there is a picture, or a sentence and a way on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from ppdp_lab import explore
from ppdp_lab.explore.base import Work
from ppdp_lab.explore.kinds.own_tables import OwnTables
from ppdp_lab.explore.measure.dropped import Dropped
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
    assert "Of 120 people" in panel.turn(quasi=("town",)).says
    assert "Of 119 people" in panel.turn(quasi=("age", "town"), missing="drop").says
    assert "Of 120 people" in panel.turn(missing="value").says
    panel.controls["file"].forget.click()
    assert panel._worker.wait(300) and "Of 2,000 people" in panel.shown.says and not panel.controls["table"].disabled
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
    assert panel.controls["quasi"].options == ("age", "town") and "Of 4 people" in panel.turn(k=2).says


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
