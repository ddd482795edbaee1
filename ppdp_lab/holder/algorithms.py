"""An algorithm by name, with the rule that a command line gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Any

from ppdp_lab.anonymize import ANONYMIZERS, Anonymizer
from ppdp_lab.errors import ParameterError, listed, unknown
from ppdp_lab.principles import DistinctLDiversity, KAnonymity, Principle, TCloseness
from ppdp_lab.registry import make, parse

_PLAIN = {"bool", "int", "float", "str", "None"}


def make_anonymizer(
    name: str,
    *,
    rule: str | None = None,
    k: int | None = None,
    l: int | None = None,  # noqa: E741 (the paper's symbol)
    t: float | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Anonymizer:
    """An algorithm by name, with a rule given as text and the one that k, l and t make; what it cannot use is refused.

    >>> make_anonymizer("mondrian", k=5, l=2)
    Mondrian(KAnonymity(5) & DistinctLDiversity(2))
    >>> make_anonymizer("flash", rule="KAnonymity(5) & EntropyLDiversity(2.5)", options={"metric": "ncp"})
    Flash(KAnonymity(5) & EntropyLDiversity(2.5), metric=ncp)
    """
    if name not in ANONYMIZERS:
        raise unknown("algorithm", name, [known.lower() for known in ANONYMIZERS])
    entry = ANONYMIZERS.entry(name)
    measure, *others = entry.parameters
    said = {key: value for key, value in {"rule": rule, "k": k, "l": l, "t": t}.items() if value is not None}
    if measure.name == "rule":
        if not said:
            raise ParameterError(
                "say how safe the release must be: --k, --l or --t, or several of them, or --rule 'KAnonymity(5) & ...'"
            )
        first: Any = make_rule(rule, k, l, t)
    else:
        first = said.pop(measure.name, None)
        if said:
            raise ParameterError(
                f"{name} cannot promise --{' and --'.join(said)}: its only measure is --{measure.name}"
            )
        if first is None:
            raise ParameterError(f"{name} needs --{measure.name}")
    keywords = dict(options or {})
    if seed is not None:
        keywords["seed"] = seed
    types = {p.name: p.type for p in others}
    known = [key for key in types if key not in entry.member.unsaid]
    for key, value in keywords.items():
        if key not in known:
            raise ParameterError(str(unknown(f"option of {name}:", key, known)))
        if not set(types[key].split(" | ")) <= _PLAIN and isinstance(value, str):
            keywords[key] = parse(value)  # a metric's name, say
    made: Anonymizer = make(entry.member, keywords, (first,))
    return made


def check_attributes(maker: Anonymizer, sensitive: Sequence[str]) -> None:
    """Raise an error, in the words of the command line, unless every part of the rule knows its sensitive column.

    >>> check_attributes(make_anonymizer("mondrian", k=5, l=2), ["disease", "income"])
    Traceback (most recent call last):
    ppdp_lab.errors.ParameterError: with several sensitive columns, 'disease', 'income', name the one that each part of the rule \
protects, for example: --rule "KAnonymity(5) & DistinctLDiversity(2, attribute='disease')"
    """
    parts = maker.rule.parts()
    if not sensitive and any(hasattr(part, "attribute") for part in parts):
        raise ParameterError(f"{maker.rule} protects a sensitive column; name it with --sensitive")
    if len(sensitive) < 2:
        return
    named = [
        make(type(part), part.get_params() | {"attribute": sensitive[0]})
        if getattr(part, "attribute", "") is None
        else part
        for part in parts
    ]
    if named == list(parts):
        return
    if "rule" not in maker.get_params():
        raise ParameterError(
            f"{type(maker).__name__} protects one sensitive column; give --sensitive one of {listed(sensitive)}"
        )
    rule = " & ".join(map(repr, named))
    raise ParameterError(
        f"with several sensitive columns, {listed(sensitive)}, name the one that each part of the rule protects, for example: "
        f'--rule "{rule}"'
    )


def make_rule(
    text: str | None = None,
    k: int | None = None,
    l: int | None = None,  # noqa: E741 (the paper's symbol)
    t: float | None = None,
) -> Principle:
    """The rule that a text, k, l and t make together; at least one of them is given.

    >>> make_rule("KAnonymity(5)", t=0.2)
    KAnonymity(5) & TCloseness(0.2)
    """
    parts: list[Principle] = [Principle.from_text(text)] if text is not None else []
    parts += [KAnonymity(k)] if k is not None else []
    parts += [DistinctLDiversity(l)] if l is not None else []
    parts += [TCloseness(t)] if t is not None else []
    return reduce(and_, parts)
