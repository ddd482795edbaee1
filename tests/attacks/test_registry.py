"""Every attack is classified, and all of them behave alike."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab import attacks
from ppdp_lab.attacks.base import ATTACKS, ATTRIBUTE, IDENTITY, PAIR, RELEASE, SERIES, Attack, AttackResult, get
from ppdp_lab.errors import PPDPError, UnknownNameError

NO_ATTACKS: set[str] = {
    "audit.audit_series",
    "audit.kept_by_histories",
    "guarantee.candidate_multisets",
    "inputs.check_published",
    "inputs.check_series",
    "inputs.check_shown",
    "inputs.sensitive_values",
    "inputs.use_tracks",
    "units.histories",
    "units.match",
}
"""Public functions of the room that help, look up or judge."""


def public_functions() -> dict[str, object]:
    """Functions of the room's public modules that take published tables first, as "module.function"."""
    found = {}
    for module in pkgutil.iter_modules(attacks.__path__):
        loaded = importlib.import_module(f"{attacks.__name__}.{module.name}")
        for name, member in vars(loaded).items():
            mine = getattr(member, "__module__", None) == loaded.__name__
            if mine and not name.startswith("_") and callable(member) and not isinstance(member, type):
                first = next(iter(inspect.signature(member).parameters), "")
                if not module.name.startswith("_") and first in ("published", "first", "series"):
                    found[f"{module.name}.{name}"] = member
    return found


def test_every_attack_is_classified() -> None:
    functions = public_functions()
    classified = set(ATTACKS.values())
    variants = {name for attack in ATTACKS.values() for name in attack.variants}
    forgotten = {name for name, run in functions.items() if run not in classified} - variants - NO_ATTACKS
    assert not forgotten, f"classify {sorted(forgotten)} with @attack, or say in NO_ATTACKS that they are none"
    assert set(functions) >= NO_ATTACKS and not NO_ATTACKS & variants
    assert not classified & {functions[name] for name in NO_ATTACKS}
    for module, _, function in (name.partition(".") for name in variants):
        assert callable(getattr(importlib.import_module(f"{attacks.__name__}.{module}"), function))


def test_names_are_exported() -> None:
    assert len({attack.name for attack in ATTACKS.values()}) == len(ATTACKS)
    for attack in ATTACKS.values():
        assert attack.run.__name__ in attacks.__all__
        assert getattr(attacks, attack.run.__name__) is attack
    assert sorted(attacks.__all__) == list(attacks.__all__)


@pytest.mark.parametrize("attack", list(ATTACKS.values()), ids=lambda attack: attack.name)
def test_classification_is_complete_and_true(attack: Attack) -> None:
    assert attack.sees in (RELEASE, PAIR, SERIES) and attack.discloses in (IDENTITY, ATTRIBUTE)
    assert attack.knows and attack.breaks
    parameters = inspect.signature(attack.run).parameters
    optional = parameters["background"].default is None
    assert optional != attack.needs_background
    assert next(iter(parameters)) == {RELEASE: "published", PAIR: "first", SERIES: "series"}[attack.sees]
    assert {p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.default is p.empty} == set(
        attack.settings
    )
    text = inspect.getdoc(attack)
    assert "Parameters" in text and ">>>" in text
    cited = text + importlib.import_module(attack.__module__).__doc__
    assert re.search(r"\.\. \[\d\] .*(19|20)\d\d", cited, re.DOTALL), "cite the paper"


@pytest.fixture(scope="module")
def releases() -> list[pl.Release]:
    """A series that every attack accepts: 2-invariant, and with pseudonyms."""
    n = 24
    frame = pd.DataFrame({"age": np.arange(n) + 20, "pay": [1, 2] * (n // 2)})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="pay"), ids=[f"p{i}" for i in range(n)])
    rows = [np.arange(16), np.arange(n)]
    classes = [rows[0] // 4, (rows[1] + 2) // 4]
    return [pl.Release(table.select(r), c, pseudonyms=r + 50) for r, c in zip(rows, classes)]


@pytest.mark.parametrize("attack", list(ATTACKS.values()), ids=lambda attack: attack.name)
@pytest.mark.parametrize("knows", ["nothing", "quasi-identifiers", "groups"])
def test_every_result_has_a_mask_a_paragraph_and_a_frame(
    attack: Attack, knows: str, releases: list[pl.Release]
) -> None:
    series = [release.published(track=attack.needs_pseudonyms) for release in releases]
    background = attacks.Background.worst_case(releases)
    if knows == "quasi-identifiers":
        background = background.without_groups()
    seen: tuple = {RELEASE: (series[0],), PAIR: tuple(series), SERIES: (series,)}[attack.sees]
    known = () if knows == "nothing" else (background[0] if attack.sees == RELEASE else background,)
    if knows == "nothing" and attack.needs_background:
        with pytest.raises(TypeError):
            attack.run(*seen, **attack.settings)
        return
    if knows == "quasi-identifiers" and attack.needs_groups:
        with pytest.raises(PPDPError, match="group"):
            attack.run(*seen, *known, **attack.settings)
        return
    result = attack.run(*seen, *known, **attack.settings)
    assert isinstance(result, AttackResult)
    assert result.breached.dtype == bool and len(result.to_frame()) == len(result.breached)
    assert result.to_frame()["breached"].tolist() == result.breached.tolist()
    assert result.n_breached == result.breached.sum() and result.succeeds == result.breached.any()
    assert 0 <= result.share_breached <= 1
    people = result.share_of_people_breached
    assert np.isnan(people) if attack is attacks.difference and knows == "nothing" else 0 <= people <= 1
    text = str(result)
    assert "\n" not in text and text.endswith(".") and f"{result.n_breached} of {len(result.breached)}" in text


def test_an_unknown_attack_is_refused_with_near_misses() -> None:
    assert get("intersection") is attacks.intersection
    with pytest.raises(UnknownNameError, match="unknown attack 'skewnes'; did you mean 'skewness'"):
        get("skewnes")
