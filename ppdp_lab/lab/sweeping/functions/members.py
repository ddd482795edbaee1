"""Algorithms and publishers by registry name: which parameters each of them has, and one made of those of a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ppdp_lab.anonymize import ANONYMIZERS, Anonymizer
from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import ParameterError, listed
from ppdp_lab.holder.algorithms import make_rule
from ppdp_lab.registry import Entry, Parameter, make, parse
from ppdp_lab.republish import PUBLISHERS, Publisher

RULE = ("rule", "k", "l", "t")  # what a rule is made of
_PLAIN = {"bool", "int", "float", "str", "None", "Optional"}


def parameters_by_name(entry: Entry[Any]) -> dict[str, Parameter | None]:
    """What a point may say about a member; a rule is made of several, which have no type of their own here."""
    known: dict[str, Parameter | None] = {p.name: p for p in entry.parameters if p.name not in entry.member.unsaid}
    return dict.fromkeys(RULE) | known if "rule" in known else known


def make_algorithm(name: str, said: Mapping[str, Any]) -> Anonymizer:
    """An anonymizer by name; a seed is left out if it has none. Points run side by side, so each has one thread.

    >>> make_algorithm("kmember", {"k": 5, "seed": 1})
    KMember(5, seed=1)
    >>> make_algorithm("flash", {"rule": "KAnonymity(5)", "l": 2, "seed": 1})
    Flash(KAnonymity(5) & DistinctLDiversity(2))
    """
    entry = ANONYMIZERS.entry(name)
    threads = {p.name: 1 for p in entry.parameters if p.name == "threads"}
    made: Anonymizer = _made(entry, threads | dict(said))
    return made


def make_publisher(name: str, said: Mapping[str, Any], model: UpdateModel | None = None) -> Publisher:
    """A publisher by name, which knows the update model if it takes one.

    >>> make_publisher("e-equivalence", {"m": 4, "e": 2, "seed": 1}).specification
    'EEquivalence(4, e=2, seed=1)'
    """
    entry = PUBLISHERS.entry(name)
    takes_model = any(p.name == "model" for p in entry.parameters)
    made: Publisher = _made(entry, {**said, "model": model} if takes_model and model is not None else said)
    return made


def _made(entry: Entry[Any], said: Mapping[str, Any]) -> Any:
    known = parameters_by_name(entry)
    given = {name: value for name, value in said.items() if name in known or name != "seed"}
    if "rule" in known:
        parts = {name: given.pop(name) for name in RULE if given.get(name) is not None}
        if not parts:
            raise ParameterError(f"{entry.name} needs a rule: give k, l, t or rule, such as rule='KAnonymity(5)'")
        text = parts.get("rule")
        given["rule"] = make_rule(
            text if text is None or isinstance(text, str) else repr(text),
            parts.get("k"),
            parts.get("l"),
            parts.get("t"),
        )
    return make(entry.member, {name: _meant(known.get(name), value) for name, value in given.items()})


def _meant(parameter: Parameter | None, value: Any) -> Any:
    """A value as it is meant: the text of a metric, an anonymizer or the like becomes that."""
    types = set() if parameter is None else set(parameter.type.replace("[", " ").replace("]", " ").split()) - {"|"}
    return parse(value) if isinstance(value, str) and types and not types <= _PLAIN else value


def check_applies(entry: Entry[Any], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Which of the named parameters a member has, and why it has not the others, in words.

    >>> check_applies(PUBLISHERS.entry("MInvariance"), ["m", "e"])
    (['m'], ['MInvariance has no e'])
    """
    known = parameters_by_name(entry)
    lacks = [name for name in names if name not in known]
    words = [f"{entry.name} has no {' and no '.join(lacks)}"] if lacks else []
    return [name for name in names if name in known], words


def check_required(entry: Entry[Any], names: Sequence[str]) -> None:
    """Refuse a point that lacks what a member cannot do without."""
    known = parameters_by_name(entry)
    missing = [p.name for p in entry.parameters if p.required and p.name not in names]
    if "rule" in known and set(RULE) & set(names):
        missing = [name for name in missing if name != "rule"]
    if missing:
        what = "a rule, made of k, l, t or rule" if missing == ["rule"] else listed(missing)
        raise ParameterError(f"{entry.name} needs {what}; give it one or more values in the grid")
