"""Every family has one kind of registry; what it says of a member is true, and a member can be written down."""

from __future__ import annotations

import inspect
import json
import pickle
from typing import Annotated

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from members import make, outside
from strategies import cases, rules

import ppdp_lab as pl
from ppdp_lab import anonymize, attacks, datasets, explore, metrics, principles, republish
from ppdp_lab import release as forms
from ppdp_lab.errors import ParameterError, UnknownNameError
from ppdp_lab.registry import FAMILIES, Entry, OneOf, Plain, Registry, Seed, Within, enforce, from_plain, parse, to_json

WANTED = {
    "principle", "metric", "attack", "anonymizer", "publisher", "form", "data set", "update model", "explorer",
}  # fmt: skip
MADE = {"principle", "anonymizer", "publisher"}


def everybody() -> list[tuple[str, Entry]]:
    datasets.names()
    return [(family, entry) for family in sorted(WANTED) for entry in FAMILIES[family].entries()]


def made() -> list[Entry]:
    return [entry for family, entry in everybody() if family in MADE]


def test_every_family_has_its_registry() -> None:
    assert set(FAMILIES) == WANTED
    assert FAMILIES["principle"] is principles.PRINCIPLES and FAMILIES["metric"] is metrics.METRICS
    assert FAMILIES["attack"] is attacks.ATTACKS and FAMILIES["anonymizer"] is anonymize.ANONYMIZERS
    assert FAMILIES["publisher"] is republish.PUBLISHERS and FAMILIES["form"] is forms.FORMS
    assert list(FAMILIES["data set"]) == datasets.names() and FAMILIES["explorer"] is explore.EXPLORERS


def concrete(room: object, base: type) -> set[str]:
    """Names of the classes that a room offers and that can be made."""
    members = (getattr(room, name) for name in room.__all__)  # type: ignore[attr-defined]
    return {m.__name__ for m in members if inspect.isclass(m) and issubclass(m, base) and not inspect.isabstract(m)}


def test_nobody_is_forgotten() -> None:
    assert concrete(principles, principles.Principle) == set(principles.PRINCIPLES)
    assert concrete(anonymize, anonymize.Anonymizer) == set(anonymize.ANONYMIZERS)
    assert concrete(republish, republish.Publisher) == set(republish.PUBLISHERS)
    assert {kind.form for kind in (forms.Generalized, forms.Anatomized)} == set(forms.FORMS)


@pytest.mark.parametrize(("family", "entry"), everybody(), ids=lambda x: getattr(x, "name", x))
def test_an_entry_says_everything(family: str, entry: Entry) -> None:
    assert entry.name and entry.accepts and entry.promises and entry.paper
    assert FAMILIES[family][entry.name] is entry.member is FAMILIES[family][entry.name.upper().replace(" ", "-")]
    if family != "data set":
        assert inspect.getdoc(entry.member)
    for p in entry.parameters:
        assert p.type and p.type != "_empty", f"{entry.name}: {p.name} has no type"
        if p.type.removesuffix(" | None") in ("int", "float") and p.name not in ("seed", "n", "zero"):
            assert family not in MADE or isinstance(p.limits, Within), f"{entry.name}: {p.name} has no range"


@pytest.mark.parametrize("entry", made(), ids=lambda entry: entry.name)
def test_ranges_are_true(entry: Entry) -> None:
    make(entry)
    for p in entry.parameters:
        if p.limits is not None:
            for wrong in outside(p):
                with pytest.raises(ParameterError, match=p.name):
                    make(entry, **{p.name: wrong})


def test_a_range_is_enforced_where_it_is_written() -> None:
    class Halved(Plain):
        def __init__(self, k: Annotated[int, Within(at_least=2)], *, seed: Seed = None, other: NotThere = None) -> None:  # type: ignore[name-defined]  # noqa: F821
            """Halves."""
            self.k, self.seed = k // 2, seed

    class Tripled(Halved):
        def __init__(self, m: Annotated[int, Within(at_least=9)]) -> None:
            super().__init__(m // 3)

    made = Halved(np.int64(6), seed=np.int8(3))
    assert (made.k, type(made.k), made.seed, type(made.seed)) == (3, int, 3, int)
    assert str(inspect.signature(Halved)).startswith("(k: 'Annotated[int, Within(at_least=2)]', *, seed: 'Seed' = None")
    assert Halved.__init__.__doc__ == "Halves." and Tripled(9).k == 1
    for wrong in (1, True, 2.0, "2", None):
        with pytest.raises(ParameterError, match="k must be"):
            Halved(wrong)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="k must be"):
            Halved(k=wrong)  # type: ignore[arg-type]
    for seed in (-1, 2**128 + 1, 0.5):
        with pytest.raises(ParameterError, match="seed must be"):
            Halved(2, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="m must be at least 9"):
        Tripled(8)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
        Halved()  # type: ignore[call-arg]


def test_choices_taken_from_a_registry_know_what_is_added_later() -> None:
    @enforce
    def shown(style: Annotated[str, OneOf(forms.FORMS)]) -> str:
        return style

    with pytest.raises(ParameterError, match=r"style must be one of .*'generalized'.*, not 'toy'"):
        shown("toy")
    with forms.FORMS.trying():
        forms.FORMS.add("toy", accepts="all", promises="none", paper="none")(forms.Generalized)
        assert shown("toy") == "toy"


@pytest.mark.parametrize("entry", made(), ids=lambda entry: entry.name)
def test_a_member_can_be_written_down_and_comes_back(entry: Entry) -> None:
    one = make(entry)
    written = json.loads(to_json(one.to_plain()))
    assert written["name"] == entry.name and written["version"] == 1
    assert set(written["parameters"]) == {p.name for p in entry.parameters} - set(one.not_serialized)
    again = from_plain(written)
    assert again == one and hash(again) == hash(one) and type(one).from_plain(written) == one
    text = Plain.__repr__(one) if entry in republish.PUBLISHERS.entries() else repr(one)
    assert parse(text) == one and type(one).from_text(text) == one
    assert one != object() and one.get_params() == again.get_params()
    if not isinstance(one, republish.Publisher):
        assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(ParameterError, match="was written in version 7"):
        from_plain(written | {"version": 7})
    with pytest.raises(ParameterError, match=r"unknown parameter of .*: 'colour'"):
        from_plain(written | {"parameters": {"colour": 3}})


@given(st.data())
def test_any_rule_can_be_typed(data: st.DataObject) -> None:
    rule = data.draw(rules(data.draw(cases())))
    assert parse(str(rule)) == rule and principles.Principle.from_text(repr(rule)) == rule
    assert from_plain(json.loads(to_json(rule.to_plain()))) == rule


def test_texts_of_anonymizers_name_rules_and_metrics() -> None:
    made = parse("Flash(KAnonymity(5) & DistinctLDiversity(l=2), suppression=0.1, metric=c_avg(k=5))")
    assert made.rule == pl.KAnonymity(5) & pl.DistinctLDiversity(2) and made.metric.func is metrics.c_avg
    assert from_plain(json.loads(to_json(made.to_plain()))).metric.keywords == {"k": 5}
    assert parse(repr(parse("Flash(KAnonymity(5), metric=ncp)"))).metric is metrics.ncp
    with pytest.raises(ParameterError, match=r"metric = .* cannot be written down plainly"):
        pl.Flash(pl.KAnonymity(2), metric=lambda release: 0.0).to_plain()
    assert pl.Flash(pl.KAnonymity(2)) == pl.Flash(pl.KAnonymity(2)) != pl.Flash(pl.KAnonymity(3))
    assert pl.Flash(pl.KAnonymity(2)) != pl.Incognito(pl.KAnonymity(2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("KAnonymity(2) and KAnonymity(3)", "rules are joined by &, not by and / or"),
        ("KAnonymity(", "it is not complete"),
        ("KAnonymty(3)", "did you mean 'KAnonymity'"),
        ("KAnonymity(k=2, j=3)", "unknown parameter of KAnonymity: 'j'"),
        ("KAnonymity()", "KAnonymity: missing: 'k'"),
        ("KAnonymity(2, k=3)", "KAnonymity: given twice: 'k'"),
        ("KAnonymity(0)", "k must be at least 1"),
        ("KAnonymity(1, 2)", "takes 1 parameter"),
        ("KAnonymity(*[2])", "a star cannot be read"),
        ("__import__('os')", "unknown name '__import__'"),
        ("KAnonymity(2) & 3", "only rules can be joined by &"),
        ("(lambda: 3)()", "neither a name nor a value"),
        ("", "it is not complete"),
        ("(" * 500 + "1" + ")" * 500, "it is not complete"),
    ],
)
def test_texts_that_mean_nothing_are_refused(text: str, words: str) -> None:
    with pytest.raises((ParameterError, UnknownNameError), match=words):
        parse(text)
    with pytest.raises(ParameterError, match="give the text of a call"):
        parse(5)  # type: ignore[arg-type]


def test_what_is_no_rule_is_refused_as_one() -> None:
    with pytest.raises(ParameterError, match="describes a Anatomy, not a Principle"):
        principles.Principle.from_text("Anatomy(3)")
    with pytest.raises(ParameterError, match="not a plain form"):
        from_plain({"name": "KAnonymity"})
    with pytest.raises(ParameterError, match="neither true nor false; join rules by & instead of and"):
        assert pl.KAnonymity(2) and pl.KAnonymity(3)


def test_a_name_is_given_once() -> None:
    register: Registry[type] = Registry("thing")
    try:
        with register.trying():
            register.add(accepts="a", promises="b", paper="c")(int)
            with pytest.raises(ParameterError, match="there already is a thing 'INT'"):
                register.add("INT", accepts="a", promises="b", paper="c")(float)
        assert not len(register) and repr(register) == "<Registry of 0 things: >"
    finally:
        del FAMILIES["thing"]
