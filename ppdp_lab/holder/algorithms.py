"""An algorithm by name, with the rule that a command line gives it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

from ppdp_lab.anonymize import ALGORITHMS, Anonymizer
from ppdp_lab.errors import ParameterError, unknown
from ppdp_lab.principles import DistinctLDiversity, KAnonymity, Principle, TCloseness

_PLAIN = {"bool", "int", "float", "str", "None"}


def make_anonymizer(
    name: str,
    *,
    k: int | None = None,
    l: int | None = None,  # noqa: E741 (the paper's symbol)
    t: float | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Anonymizer:
    """An algorithm by name, with the rule that k, l and t make; what it cannot use is refused, never ignored.

    >>> make_anonymizer("mondrian", k=5, l=2)
    Mondrian(KAnonymity(5) & DistinctLDiversity(2), strict=True, cut='median-or-below', choose='widest')
    """
    if name not in ALGORITHMS:
        raise unknown("algorithm", name, ALGORITHMS)
    kind: Any = ALGORITHMS[name]
    accepted = _parameters(kind)
    measure, *names = accepted
    known = [key for key in names if set(accepted[key].split(" | ")) <= _PLAIN]
    bounds = {"k": k, "l": l, "t": t}
    said = {key: value for key, value in bounds.items() if value is not None}
    if measure == "rule":
        if not said:
            raise ParameterError("say how safe the release must be: --k, --l or --t, or several of them")
        first: Any = _rule(k, l, t)
    else:
        first = said.pop(measure, None)
        if said:
            raise ParameterError(f"{name} cannot promise --{' and --'.join(said)}: its only measure is --{measure}")
        if first is None:
            raise ParameterError(f"{name} needs --{measure}")
    keywords = dict(options or {})
    if seed is not None:
        keywords["seed"] = seed
    for key in keywords:
        if key not in names:
            raise ParameterError(str(unknown(f"option of {name}:", key, known)))
        if key not in known:
            raise ParameterError(
                f"option {key!r} of {name} takes a {accepted[key]}, which a command line cannot give; leave it out, or call "
                f"{kind.__name__} from Python"
            )
    made: Anonymizer = kind(first, **keywords)
    return made


def _parameters(kind: type) -> dict[str, str]:
    """Names and types of what a class is made with; what it passes on as ``**keywords`` are its parent's."""
    out: dict[str, str] = {}
    for parent in kind.__mro__:
        if "__init__" in vars(parent):
            said = list(inspect.signature(parent).parameters.values())
            out |= {p.name: str(p.annotation) for p in said if p.kind is not p.VAR_KEYWORD and p.name not in out}
            if all(p.kind is not p.VAR_KEYWORD for p in said):
                break
    return out


def _rule(k: int | None, l: int | None, t: float | None) -> Principle:  # noqa: E741
    parts: list[Principle] = [KAnonymity(k)] if k is not None else []
    parts += [DistinctLDiversity(l)] if l is not None else []
    parts += [TCloseness(t)] if t is not None else []
    return reduce(and_, parts)
