"""The choice of an anonymizer: every combination is measured or says why it cannot be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from experiments.choice import figures as drawings
from experiments.choice import measure
from ppdp_lab import metrics, plotting
from ppdp_lab.anonymize.base import ANONYMIZERS, Anonymizer, check_rule
from ppdp_lab.errors import InfeasibleError
from ppdp_lab.lab.compare import asked_of, completed
from ppdp_lab.principles.base import PRINCIPLES, Principle
from ppdp_lab.registry import Within

SIZE = SimpleNamespace(queries=20, rows=150, repeat=1)


def given(**changed: object) -> measure.Inputs:
    inputs = {"k": 5, "l": 3, "t": 0.3, "c": 3.0, "alpha": 0.5, "seed": 1}
    return measure.Inputs(**(inputs | changed))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def table() -> pl.Microdata:
    return pl.datasets.load("adult", rows=150, seed=2)


@pytest.mark.slow
def test_every_combination_has_numbers_or_a_reason(table: pl.Microdata) -> None:
    costs, risks = measure.frames({"adult": table}, SIZE, given())
    assert set(costs["anonymizer"]) == set(ANONYMIZERS) and set(costs["family"]) == set(PRINCIPLES)
    once = costs[costs["cost"] == "time"].set_index(["anonymizer", "family"])
    assert len(once) == len(ANONYMIZERS) * len(PRINCIPLES)
    assert (once["value"].isna() == (once["why"] != "")).all()
    assert once.loc[("Mondrian", "MultiAttributeLDiversity"), "why"].startswith(
        "multi-attribute l-diversity needs at least two"
    )
    assert (
        "KMember cannot be asked for another rule than KAnonymity(5): TCloseness"
        in once.loc[("KMember", "TCloseness"), "why"]
    )
    assert once.loc[("Anatomy", "EntropyLDiversity"), "note"] == measure.UNASKED
    assert (
        once.loc[("Flash", "KAnonymity"), "grown"] == measure.GROWN
        and not once.loc[("Mondrian", "KAnonymity"), "grown"]
    )
    errors = costs[
        (costs["cost"] == "query_error") & (costs["anonymizer"] == "Flash") & (costs["family"] == "KAnonymity")
    ]
    assert errors["value"].notna().all()
    linked = risks[(risks["attack"] == "record linkage") & (risks["family"] == "KAnonymity")]["share"].dropna()
    assert len(linked) > 4 and (linked == 0).all()
    words = " ".join(measure.refusals(costs)["in its own words"])
    assert "at least two sensitive columns" in words and measure.UNASKED in words and measure.GROWN in words


@pytest.mark.slow
def test_a_newcomer_of_either_family_joins_by_itself(table: pl.Microdata) -> None:
    said = {"accepts": "any table", "promises": "nothing", "paper": "this test"}
    with ANONYMIZERS.trying(), PRINCIPLES.trying():

        @ANONYMIZERS.add(**said)
        class Lump(Anonymizer):
            """Everybody in one class."""

            def __init__(self, rule: Principle) -> None:
                self.rule = check_rule(rule)

            def _release(self, table):
                return pl.Release(table, np.zeros(len(table), dtype=np.int32), method=repr(self))

        @PRINCIPLES.add(**said)
        class Anything(Principle):
            """Every class is safe."""

            superset_closed = union_closed = True

            def __init__(self, k: Annotated[int, Within(at_least=1)]) -> None:
                self.k = k

            def safe(self, counts):
                return np.ones(len(counts.sizes), dtype=bool)

            def explain(self, counts, cls):
                return ""

            def _strongest(self, counts):
                return self

        costs, risks = measure.frames({"adult": table}, SIZE, given())
    best, setting = measure.best(costs, risks), measure.setting({"adult": table}, given())
    once = costs[costs["cost"] == "gcp"].set_index(["anonymizer", "rule"])["value"]
    assert once["Lump", "Anything(5)"] >= once["Mondrian", "KAnonymity(5)"] and np.isfinite(
        once["KMember", "Anything(5)"]
    )
    results = {"costs": costs, "risks": risks, "best": best, "setting": setting}
    for draw in (drawings.losses, drawings.risks, drawings.times, drawings.best):
        with plotting.look():
            figure = draw({name: frame.copy() for name, frame in results.items()})
        text = [t.get_text() for ax in figure.axes for t in (*ax.get_xticklabels(), *ax.get_yticklabels())]
        text += [t.get_text() for legend in figure.legends for t in legend.get_texts()]
        assert "Anything(5)" in text and any("Lump" in one for one in text)
        above = figure.legends[0].get_title() if figure.legends else figure._suptitle
        assert "k = 5, l = 3, t = 0.3; ADULT (150 rows)" in above.get_text()


def test_best_names_those_who_tie_and_minds_which_way_is_better() -> None:
    where = {"dataset": "d", "rule": "r", "why": "", "note": ""}
    values = [
        ("A", "fem", "higher", 2.0),
        ("B", "fem", "higher", 3.0),
        ("A", "gcp", "lower", 0.2),
        ("B", "gcp", "lower", 0.2),
    ]
    costs = pd.DataFrame(
        [where | {"anonymizer": a, "cost": c, "label": c, "better": b, "value": v} for a, c, b, v in values]
    )
    risks = pd.DataFrame(
        [where | {"anonymizer": a, "attack": "link", "share": s} for a, s in (("A", 0.0), ("B", np.nan))]
    )
    best = measure.best(costs, risks).set_index("criterion")
    assert best["best"].to_dict() == {"fem": "B", "gcp": "A, B", "link": "A"}
    assert best["possible"].to_dict() == {"fem": 2, "gcp": 2, "link": 1}


def test_hierarchies_are_made_where_there_are_none_and_queries_stay_the_same(table: pl.Microdata) -> None:
    whole = completed(table)
    assert set(whole.hierarchies) >= set(whole.schema.quasi_identifiers) and "age" not in table.hierarchies
    assert completed(whole) is whole and whole.frame.equals(table.frame)
    queries = metrics.queries_by_selectivity(table, 0.2, n=30, sensitive="range", seed=1)
    assert np.array_equal(metrics.true_counts(table, queries), metrics.true_counts(whole, asked_of(whole, queries)))
    frame = pd.DataFrame(
        {"height": [1.5, 1.62, 1.71, 1.99], "one": [7, 7, 7, 7], "day": pd.date_range("2020-01-01", periods=4)}
    )
    odd = completed(pl.Microdata(frame, pl.Schema(["height", "one", "day"])))
    assert pl.Flash(pl.KAnonymity(2)).anonymize(odd).n_classes >= 1


def test_tables_come_in_by_name_or_by_toml_and_small_ones_are_refused(tmp_path) -> None:
    pd.DataFrame({"age": range(8), "ill": list("abcd") * 2}).to_csv(tmp_path / "mine.csv", index=False)
    toml = tmp_path / "mine.toml"
    toml.write_text('file = "mine.csv"\nquasi_identifiers = ["age"]\nsensitive = "ill"\n')
    made = measure.plan("quick", ["adult", str(toml)], 1, rows=150, k=2)
    assert {name: len(table) for name, table in made.tables.items()} == {"adult": 150, "mine": 8}
    with pytest.raises(InfeasibleError, match=r"'mine' has 8 rows, and the comparison needs 10, two classes of k = 5"):
        measure.plan("quick", [str(toml)], 1, k=5)
