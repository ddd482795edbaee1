"""Update models: how they are made, written down, read and refused, and how they reach backgrounds and attacks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab.attacks import Background, audit_series, difference, intersection, value_association
from ppdp_lab.errors import DataFileError, ParameterError, PPDPError, SchemaError
from ppdp_lab.registry import from_plain, parse, to_json

CHAIN = pl.UpdateModel(["a", "b", "c"], [[0, 1], [1, 2], [2]])  # a becomes c in two steps only


def table(*illness: str) -> pl.Microdata:
    frame = pd.DataFrame({"age": 30 + np.arange(len(illness)), "illness": illness})
    return pl.Microdata(frame, pl.Schema("age", sensitive="illness"))


def test_makers_agree() -> None:
    blocks = pl.UpdateModel.blocks([["a", "b"], ["c"]])
    assert pl.UpdateModel.in_blocks(["a", "b", "c"], 2) == blocks
    assert np.array_equal(
        pl.UpdateModel.from_matrix([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]], [*"abc"]).matrix, blocks.matrix
    )
    frame = pd.DataFrame(blocks.matrix, list("abc"), list("abc"))
    assert np.array_equal(pl.UpdateModel.from_matrix(frame).matrix, blocks.matrix)
    assert pl.UpdateModel.in_blocks(table("b", "a", "c").sensitive_domains[0], 2) == blocks
    assert blocks.absorbing == ["c"] and blocks.with_absorbing(["a"]).absorbing == ["a", "c"]
    assert pl.UpdateModel.constant([*"ab"]).is_constant and not blocks.is_constant


def test_what_a_model_says_of_itself() -> None:
    assert not CHAIN.transitive and pl.UpdateModel.in_blocks([*"abcd"], 2).transitive
    assert pl.UpdateModel(["a", "b"], [[1], [0]]).leaving == ["a", "b"] and not CHAIN.leaving
    assert CHAIN.reach(0).tolist() == np.eye(3, dtype=bool).tolist()
    assert CHAIN.reach(1)[0].tolist() == [True, True, False] and CHAIN.reach(2)[0].all()
    assert CHAIN.closure()[0].all() and not CHAIN.closure()[2, :2].any()
    turns = pl.UpdateModel(["a", "b"], [[1], [0]])
    assert (
        turns.reach(7).tolist() == turns.reach(1).tolist() and turns.reach(8).tolist() == np.eye(2, dtype=bool).tolist()
    )
    assert CHAIN.chances_after(2)[0].tolist() == [0.25, 0.5, 0.25]


def test_a_model_can_be_written_down() -> None:
    model = pl.UpdateModel.from_matrix([[0.9, 0.1], [0, 1]], ["single", "married"])
    assert from_plain(json.loads(to_json(model.to_plain()))) == model and parse(repr(model)) == model


def test_a_toml_file(tmp_path: Path) -> None:
    path = tmp_path / "updates.toml"
    path.write_text(
        'blocks = [["dyspepsia", "gastritis"]]\nabsorbing = ["lung cancer"]\n[updates]\nflu = ["flu", "lung cancer"]\n'
        "[chances.married]\nmarried = 0.75\ndivorced = 0.25\n"
    )
    model = pl.UpdateModel.from_toml(path)
    assert model.may_become("flu") == ["flu", "lung cancer"] and model.probability("gastritis", "dyspepsia") == 0.5
    assert model.probability("married", "divorced") == 0.25 and model.absorbing == ["lung cancer", "divorced"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("blocks = 3", "blocks must be a list"),
        ("colour = 3", "unknown key"),
        ('blocks = [["a"], ["a"]]', "more than one heading"),
        ("[chances.a]\na = 0.5", "add up to 1, not to 0.5"),
        ('[chances.a]\na = "x"', "must be numbers"),
        ("", "names no value"),
        ("[updates]\na = []", "may become nothing"),
        ("blocks = [", "not valid TOML"),
    ],
)
def test_toml_files_that_mean_nothing_are_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(DataFileError, match=words):
        pl.UpdateModel.from_toml(path)
    with pytest.raises(DataFileError, match="no update model"):
        pl.UpdateModel.from_toml(tmp_path / "none.toml")
    with pytest.raises(ParameterError, match="path must be"):
        pl.UpdateModel.from_toml(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pl.UpdateModel([], []), "at least one value"),
        (lambda: pl.UpdateModel(["a", "a"], [[0], [1]]), "'a' stand more than once"),
        (lambda: pl.UpdateModel(["a"], [[0], [0]]), "2 rows for 1 values"),
        (lambda: pl.UpdateModel(["a"], [[1]]), "at most 0"),
        (lambda: pl.UpdateModel(["a"], [[]]), "may become nothing"),
        (lambda: pl.UpdateModel(["a", "b"], [[0, 0], [1]]), "twice"),
        (lambda: pl.UpdateModel(["a", "b"], [[0, 1], [1]], [[0.5, 0.6], [1]]), "add up to 1"),
        (lambda: pl.UpdateModel(["a", "b"], [[0, 1], [1]], [[1], [1]]), "1 for 2 values"),
        (lambda: pl.UpdateModel(["a"], [[0]], [["x"]]), "must be numbers"),
        (lambda: pl.UpdateModel.from_matrix([[1, 0]], ["a", "b"]), "must be 2 by 2"),
        (lambda: pl.UpdateModel.from_matrix([[float("nan")]], ["a"]), "negative or missing"),
        (lambda: pl.UpdateModel.from_matrix(pd.DataFrame([[1]], ["a"], ["b"])), "name the same values"),
        (lambda: pl.UpdateModel.in_blocks([*"ab"], 0), "d must be at least 1"),
        (lambda: CHAIN.may_become("z"), "does not know the value 'z'"),
        (lambda: pl.UpdateModel.learned([table("a")]), "at least two tables"),
        (lambda: pl.UpdateModel.learned([table("a"), 3]), "learned from Microdata"),
        (lambda: pl.UpdateModel.learned([table("a"), table("a")], column="job"), "no column 'job'"),
        (lambda: pl.UpdateModel.learned([table("a"), table("a")], stay=1), "stay must be"),
    ],
)
def test_what_is_no_model_is_refused(make, words: str) -> None:
    with pytest.raises(PPDPError, match=words):
        make()


def test_a_model_is_learned_from_tables() -> None:
    model = pl.UpdateModel.learned([table("a", "a", "b", "c"), table("a", "b", "c", "c"), table("b", "b", "c", "c")])
    assert model.probability("a", "b") == 2 / 3 and model.absorbing == ["c"]
    assert model.probability("b", "c") == 1 / 2
    strict = pl.UpdateModel.learned([table("a", "b"), table("b", "b")], stay=False)
    assert strict.leaving == ["a"] and pl.UpdateModel.learned([table("a", "b"), table("b", "b")]).leaving == []
    assert pl.UpdateModel.learned([table("a", "b"), table("a", "b")], column="age").is_constant


def releases() -> list[pl.Release]:
    return [
        pl.Release(one, np.array([0, 0]), pseudonyms=np.array([7, 8])) for one in (table("a", "b"), table("b", "c"))
    ]


def test_a_background_keeps_its_model() -> None:
    made = releases()
    background = Background.worst_case([*made, made[1]]).with_model(CHAIN)
    for other in (
        background.without_groups(),
        background.about([0]),
        background[:2],
        background.recode(background.qi_domains),
    ):
        assert other.model == CHAIN
    assert background[[0, 2]].times == (0, 2) and background[1:].times == (1, 2)
    assert "values may change" in repr(background) and background.with_model(None).changes is None
    assert background.with_model(pl.UpdateModel.constant([*"abc"])).changes is None
    with pytest.raises(ParameterError, match=r"model must be a ppdp_lab\.UpdateModel"):
        background.with_model("free")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="times do not fit"):
        Background(background.ids, background.releases, background.qi_domains, times=[0])


def test_attacks_that_take_values_to_stay_refuse_a_model() -> None:
    made = releases()
    series = [release.published() for release in made]
    background = Background.worst_case(made).with_model(CHAIN)
    for attack in (
        lambda b: difference(*series, b),
        lambda b: pl.attacks.compromised(series, b, e=2),
        lambda b: value_association(series, b, exact=True),
        lambda b: pl.attacks.equivalence.chains(series, b),
    ):
        with pytest.raises(ParameterError, match="takes values to stay the same"):
            attack(background)
    still = background.with_model(pl.UpdateModel.constant([*"abc"]))  # a model by which nothing changes is none
    difference(*series, still)
    value_association(series, still, exact=True)
    tracked = [release.published(track=True) for release in made]
    difference(*tracked, background)  # pseudonyms need no such assumption
    pl.attacks.record_tracing(tracked, background)


def test_attacks_that_follow_the_model() -> None:
    made = releases()
    series = [release.published() for release in made]
    background = Background.worst_case(made).with_model(CHAIN)
    found = intersection(series, background)
    assert found.values(0) == ["b", "c"] and not found.succeeds  # a-b, b-b, b-c
    assert value_association(series, background).p == pytest.approx(3 / 4)
    audit = audit_series(series, background, pl.DistinctLDiversity(2), max_confidence=0.8)
    assert audit and audit.candidates.tolist() == [2, 2]
    assert "probability of 0.75" in str(audit_series(series, background, max_confidence=0.6))
    still = audit_series(series, background.with_model(None))
    assert not still and still.candidates.tolist() == [1, 1]
    # Two releases lie between: a may have become c by then.
    late = Background.worst_case([*made[:1], *made]).with_model(CHAIN)[[0, 2]]
    assert value_association(series, late).p == pytest.approx(0.5)
    one = pl.UpdateModel.blocks([["a", "b"], ["c"]])
    broken = audit_series(series, background.with_model(one), pl.DistinctLDiversity(2))
    assert not broken and "fewer than l = 2" in str(broken) and "(in release 1)" in str(broken)
    nothing = audit_series(series, background.with_model(pl.UpdateModel(["a", "b", "c"], [[0], [0], [2]])))
    assert "no sequence of updates explains" in str(nothing)
    certain = audit_series(series, background.with_model(one))
    assert "one value is left in release 1" in str(certain)


def test_a_model_must_know_all_values() -> None:
    made = releases()
    background = Background.worst_case(made).with_model(pl.UpdateModel.in_blocks([*"ab"], 2))
    with pytest.raises(SchemaError, match="does not say what 'c' of column 'illness' may become"):
        intersection([release.published() for release in made], background)
