"""The crossover: what is entered in a registry appears in its maps, called as its entry says; what cannot be says why."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from experiments.crossover import figures as drawings
from experiments.crossover import measure
from ppdp_lab import attacks, metrics, plotting
from ppdp_lab.attacks import Background, Disclosure
from ppdp_lab.attacks.base import ATTRIBUTE, IDENTITY, RELEASE, SERIES, attack
from ppdp_lab.errors import InfeasibleError, ParameterError, SchemaError, UnknownNameError
from ppdp_lab.lab.compare import Adversary, NaiveBaseline, results_of, thresholds, ways
from ppdp_lab.registry import Within
from ppdp_lab.republish.publisher import PUBLISHERS, Publisher

SIZE = SimpleNamespace(initial=160, rate=20, updates=2, queries=20)
SETTINGS = {"joint reasoning": {"limit": 500}}


def given(**changed: object) -> measure.Inputs:
    said = {"k": 4, "e": 2, "seed": 1, "leasts": (2, 4), "anew": ("Mondrian", "Anatomy"), "settings": SETTINGS}
    return measure.Inputs(**(said | changed))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def table() -> pl.Microdata:
    return pl.datasets.census("occ", rows=220, seed=3)


class Whole(Publisher):
    """Everybody in one class, again and again."""

    layout: ClassVar = {}

    def __init__(self, k: Annotated[int, Within(at_least=1)], *, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.k = k

    def _publish(self, snapshot, persons):
        return self._make(snapshot.table, persons, np.zeros(len(persons), dtype=np.int32)), persons


class Picky(Whole):
    """As Whole, but with a parameter that no comparison gives."""

    def __init__(self, most: Annotated[int, Within(at_least=1)], *, seed: int = 0) -> None:
        super().__init__(most, seed=seed)
        self.most = most


def everybody(series, background: Background, *, least: int = 2) -> Disclosure:
    """Breaches everybody who is among fewer than ``least`` hundred rows."""
    rows = np.full(background.n_persons, sum(len(one) for one in series) / len(series))
    return Disclosure("counting rows", "rows", rows, rows < 100 * least, np.ones_like(rows), background.ids, "are few")


def add_toys() -> None:
    said = {"accepts": "any table", "promises": "nothing", "paper": "this test"}
    PUBLISHERS.add(**said)(Whole)
    PUBLISHERS.add(**said)(Picky)
    facts = {"sees": SERIES, "discloses": ATTRIBUTE, "knows": "all", "breaks": "all", "needs_background": True}
    attack("counting rows", paper="this test", reads=(), **facts)(everybody)
    metrics.metric("toy", unit="classes", better="lower", bounds=(0, None), reference="this test")(toy_cost)


def toy_cost(release: pl.Release) -> float:
    """Number of classes."""
    return release.n_classes


def drawn_text(figure) -> str:
    """All that is written in a figure."""
    found = [t.get_text() for ax in figure.axes for t in (*ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels())]
    found += [t.get_text() for legend in figure.legends for t in (*legend.get_texts(), legend.get_title())]
    return "\n".join([*found, figure._suptitle.get_text() if figure._suptitle else ""])


@pytest.mark.slow
def test_a_toy_publisher_a_toy_attack_and_a_toy_cost_appear_in_the_maps(table: pl.Microdata) -> None:
    with PUBLISHERS.trying(), attacks.ATTACKS.trying(), metrics.METRICS.trying():
        add_toys()
        leaks, costs = measure.frames({"occ": table}, SIZE, given(), d=10)
        setting = measure.setting(SIZE, given(), d=10)
    toy = leaks[(leaks["publisher"] == "Whole") & (leaks["attack"] == "counting rows")]
    assert toy.groupby("least")["share"].unique().map(list).to_dict() == {2: [1.0], 4: [1.0]}
    assert set(costs[costs["cost"] == "toy_cost"]["publisher"]) == set(leaks["publisher"])
    whole = costs[(costs["publisher"] == "Whole") & (costs["cost"] == "toy_cost")]
    assert (whole["value"] == 1).all() and (whole["label"] == "toy").all()
    # One that needs what nobody gives is in the maps too, and says so.
    picky = leaks[leaks["publisher"] == "Picky"]
    assert picky["share"].isna().all() and picky["why"].str.startswith("Picky needs 'most', which the comparison").all()
    results = {"leaks": leaks, "costs": costs, "setting": setting}
    for draw in (drawings.leaks, drawings.promises, drawings.costs, drawings.leak_against_loss):
        with plotting.look():
            text = drawn_text(draw({name: frame.copy() for name, frame in results.items()})).replace("\n", " ")
        assert "Whole" in text and "k = l = m = 4, e = 2, d = 10; 3 releases of 160 rows, 20 replaced each time" in text
        if draw in (drawings.leaks, drawings.promises):
            assert "counting rows" in text and "a  " in text
        if draw is drawings.costs:
            assert "toy (classes)" in text


@pytest.mark.slow
def test_every_publisher_attack_and_cost_has_a_cell_with_a_number_or_a_reason(table: pl.Microdata) -> None:
    leaks, costs = measure.frames({"occ": table}, SIZE, given(), d=10)
    tried = {name for entry in attacks.ATTACKS.entries() for name, _ in ways(entry)}
    assert set(leaks["publisher"]) == {"Mondrian anew", "Anatomy anew", *PUBLISHERS}
    assert set(leaks["attack"]) == tried and set(leaks["updates"]) == {measure.STAY, measure.CHANGE}
    assert set(costs["cost"]) == {*metrics.METRICS, "counterfeits", "suppressed", "dirty", "time"}
    for frame, value in ((leaks, "share"), (costs, "value")):
        assert (frame[value].isna() == (frame["why"] != "")).all()
    assert leaks["share"].dropna().between(0, 1).all()
    assert len(leaks) == 2 * 2 * len(tried) * (2 + len(PUBLISHERS))
    words = " ".join(measure.refusals(leaks, costs)["why"])
    assert "which anatomized tables do not show" in words and "update model lets them change" in words
    # What the publishers promise can be read off the map.
    at = leaks[(leaks["least"] == 2) & (leaks["updates"] == measure.STAY)].set_index(["publisher", "attack"])["share"]
    assert (
        at["MInvariance", "intersection"] == 0
        and at["BPG", "record tracing"] == 0 < at["MInvariance", "record tracing"]
    )


def test_how_an_attack_is_called_follows_from_what_is_registered_of_it(table: pl.Microdata) -> None:
    publisher = pl.I3M(4, seed=1)
    releases = [publisher.publish(s) for s in measure.stream(table, SIZE, changing=False, d=10, seed=1)]
    adversary = Adversary(releases)
    seen: list[tuple] = []

    def spy(*arguments, **said):
        seen.append((arguments, said))
        return Disclosure("spy", "risk", np.zeros(1), np.zeros(1, dtype=bool), np.ones(1), None, "")

    for sees, calls, shown in (("release", 3, 1), ("pair", 1, 2), ("series", 1, 1)):
        names = {"release": "published", "pair": "first, second", "series": "series"}[sees]
        run = eval(f"lambda {names}, background=None, *, least=2: spy({names}, background, least=least)", {"spy": spy})
        run.__doc__ = "Looks only."
        made = attacks.Attack(run, "spy", sees, IDENTITY, "all", "all", reads=())
        seen.clear()
        assert len(list(results_of(made, adversary.series(False), adversary.background, {"least": 7}))) == calls
        assert [len(arguments) for arguments, _ in seen] == [shown + 1] * calls
        assert all(said == {"least": 7} and arguments[-1].knows_groups for arguments, said in seen)
    assert [one.pseudonyms is None for one in adversary.series(False)] == [True] * 3
    assert not any(one.pseudonyms is None for one in adversary.series(True))
    pair = attacks.difference
    with pytest.raises(ParameterError, match="difference sees two releases, and there is only one"):
        list(results_of(pair, adversary.series(False)[:1], adversary.background[:1], {}))


def test_attacks_that_can_follow_rows_are_tried_both_ways() -> None:
    found = {entry.name: [followed for _, followed in ways(entry)] for entry in attacks.ATTACKS.entries()}
    assert found["record tracing"] == [True] and found["skewness"] == [False]
    assert found["intersection"] == found["difference"] == [False, True]


@pytest.mark.parametrize(("size", "breached"), [(3, True), (4, False)])
def test_the_threshold_means_the_same_to_all(size: int, breached: bool) -> None:
    """In classes of three values on three people all are breached at 4, in classes of four nobody is."""
    n = 4 * size
    frame = pd.DataFrame({"age": np.arange(n), "ill": [f"v{i % size}" for i in range(n)]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    releases = [pl.Release(table, np.arange(n) // size, pseudonyms=np.arange(n)) for _ in range(2)]
    rows = list(Adversary(releases).tries(thresholds(4, 4), {"update graph": {"threshold": 0.25}}))
    judged = {row["attack"]: row["share"] for row in rows}
    for name in ("record linkage", "homogeneity", "intersection", "value association", "update graph"):
        assert judged[name] == float(breached), name


def test_members_take_what_they_have_a_parameter_for() -> None:
    made = {name: make() for name, make in given(settings={"BPG": {"variant": "no-dirty"}}).publishers(None).items()}
    assert made["MInvariance"].m == made["I3M"].k == 4 and made["EEquivalence"].e == 2
    assert made["BPG"].rule == pl.KAnonymity(4) & pl.DistinctLDiversity(4) and made["BPG"].variant == "no-dirty"
    assert made["MInvariance"].on_invalid == "suppress" and all(publisher.seed == 1 for publisher in made.values())
    with pytest.raises(UnknownNameError, match="Mondrain"):
        given(anew=("Mondrain",))
    with pytest.raises(ParameterError, match="settings: unknown name 'BGP'; did you mean 'BPG'"):
        given(settings={"BGP": {}})
    with pytest.raises(ParameterError, match=r"settings: unknown parameter of BPG: 'variante'"):
        given(settings={"BPG": {"variante": 3}}).publishers(None)["BPG"]()


def test_anew_publishes_what_the_anonymizer_makes_and_rows_can_be_followed(table: pl.Microdata) -> None:
    rule = pl.KAnonymity(4)
    publisher = NaiveBaseline(pl.Mondrian(rule))
    first, second = publisher.publish(table.select(range(100))), publisher.publish(table.select(range(20, 120)))
    alone = pl.Mondrian(rule).anonymize(table.select(range(20, 120)))
    assert second.to_frame().equals(alone.to_frame()) and rule.check(second)
    assert np.array_equal(first.pseudonyms[20:], second.pseudonyms[:80])
    anatomized = NaiveBaseline(pl.Anatomy(3, seed=1), seed=1).publish(table)
    assert anatomized.style == "anatomized" and len(anatomized.to_frames()) == 2


def test_a_table_that_is_too_small_or_has_no_value_to_protect_is_refused_at_once(tmp_path) -> None:
    frame = pd.DataFrame({"age": range(50), "ill": list("abcde") * 10})
    frame.to_csv(tmp_path / "mine.csv", index=False)
    toml = tmp_path / "mine.toml"
    toml.write_text('file = "mine.csv"\nquasi_identifiers = ["age"]\nsensitive = "ill"\n')
    small = {"initial": 30, "rate": 5, "updates": 2, "d": 2}
    assert list(measure.plan("quick", [str(toml)], 1, **small).tables) == ["mine"]
    with pytest.raises(
        InfeasibleError, match=r"'mine' has 50 rows, too few .* at least 80 with initial = 60, rate = 10"
    ):
        measure.plan("quick", [str(toml)], 1, initial=60, rate=10, updates=2, d=2)
    fitted = measure.plan("quick", [str(toml)], 1, d=2)  # what is not said is made to fit
    assert fitted.sizes.initial + 5 * fitted.sizes.rate <= 50 and "initial 20,000 ->" in fitted.notes[0]
    toml.write_text('file = "mine.csv"\nquasi_identifiers = ["age", "ill"]\n')
    with pytest.raises(SchemaError, match="'mine' must have one sensitive column for this experiment, and has none"):
        measure.plan("quick", [str(toml)], 1, **small)


def test_a_publisher_that_refuses_says_why_in_every_cell(table: pl.Microdata) -> None:
    few = given(k=60, leasts=(2,), anew=())
    leaks, costs = measure.compare(table, SIZE, few, changing=False, d=10, about=lambda name: None)
    refused = pd.DataFrame(leaks)[lambda f: f["publisher"] == "MInvariance"]
    assert refused["share"].isna().all() and refused["why"].str.contains("60").all()
    assert pd.DataFrame(costs)[lambda f: f["publisher"] == "MInvariance"]["value"].isna().all()
    assert RELEASE in set(refused["sees"])
