"""Making a member of any family from what its registry says of its parameters."""

from __future__ import annotations

from typing import Any

import ppdp_lab as pl
from ppdp_lab.registry import REQUIRED, Entry, OneOf, Parameter, Within


def inside(p: Parameter) -> Any:
    """A value that a parameter accepts."""
    if "Principle" in p.type:
        return pl.KAnonymity(2)
    if isinstance(p.limits, Within):
        low = p.limits.at_least if p.limits.at_least is not None else p.limits.above
        fits_two = p.limits.at_most is None or p.limits.at_most >= 2
        value = max(2, low or 0) if fits_two else ((low or 0) + (p.limits.at_most or 0)) / 2
        return int(value) if p.type.startswith("int") else float(value)
    if isinstance(p.limits, OneOf):
        return p.limits.choices[0]
    raise AssertionError(f"no way to choose {p}")


def outside(p: Parameter) -> list[Any]:
    """Values that a parameter must refuse, by what its range says."""
    wrong: list[Any] = ["nonsense" if isinstance(p.limits, OneOf) else "text", object()]
    if isinstance(p.limits, Within):
        step = 1 if p.type.startswith("int") else 0.001
        wrong += [] if p.limits.at_least is None else [p.limits.at_least - step]
        wrong += [] if p.limits.at_most is None else [p.limits.at_most + step]
        wrong += [] if p.limits.above is None else [p.limits.above]
        wrong += [float("nan"), float("inf")]
    return wrong


def make(entry: Entry[Any], **changed: Any) -> Any:
    """The member with a value for everything that it needs."""
    bare, named = [], {}
    for p in entry.parameters:
        if p.several:
            return entry.member(pl.KAnonymity(2), pl.DistinctLDiversity(2))
        value = changed.get(p.name, inside(p) if p.default is REQUIRED else p.default)
        if p.required and p.positional:
            bare.append(value)
        elif p.name in changed or p.required:
            named[p.name] = value
    return entry.member(*bare, **named)
