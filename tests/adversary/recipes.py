"""How every registered anonymizer and publisher is made, and what it promises, found in the registries."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from adversary.recount import RULES, Rule
from adversary.worlds import TREE

import ppdp_lab as pl
from ppdp_lab import anonymize, registry
from ppdp_lab.republish import PUBLISHERS


def anonymizers() -> dict[str, type]:
    """All of them: from the registry of anonymizers, or from the list that stood there before it."""
    family = registry.FAMILIES.get("anonymizer")
    if family is not None:
        return {name: family[name] for name in family}
    return {kind.__name__: kind for kind in anonymize.ALGORITHMS.values()}


def publishers() -> dict[str, type]:
    """All publishers."""
    return {name: PUBLISHERS[name] for name in PUBLISHERS}


@dataclass
class Recipe:
    """A maker, called with a seed or without, and the rule that its releases must keep."""

    make: Callable[..., Any]
    rule: Rule
    words: str


def accepts(kind: type, name: str) -> bool:
    """Whether a constructor has a parameter of that name."""
    return any(p.name == name for p in registry.parameters_of(kind))


def needs_trees(kind: type) -> bool:
    """Whether every quasi-identifier must have a hierarchy."""
    return "lattice" in kind.__module__


def share_of(kind: type) -> float:
    """How many of the cases a member gets: searches through a lattice are slower, and four of them share their checks."""
    return 0.4 if needs_trees(kind) else 1.0


def kinds_for(kind: type) -> dict[str, tuple[str, ...]]:
    """What a random table for this anonymizer may hold."""
    return {"kinds": (TREE,)} if needs_trees(kind) else {}


def anonymizer(kind: type, chance: np.random.Generator, *, plain: bool = False) -> Recipe:
    """A random one of its kind; with ``plain``, one whose rule does not look at sensitive values, if there is such."""
    first = registry.parameters_of(kind)[0].name
    more: dict[str, Any] = {}
    if first == "rule":
        name = "k" if plain else str(chance.choice(list(RULES)))
        rule = RULES[name](chance)
        head: Any = rule.principle
    elif first in ("k", "l"):
        rule = RULES["k" if first == "k" else "distinct"](chance)
        rule = Rule.of(first, max(rule.number, 2))
        head = int(rule.number)
    else:
        raise AssertionError(
            f"teach tests/adversary/recipes.py to make a {kind.__name__}: its first parameter is {first}"
        )
    if accepts(kind, "strict"):
        more["strict"] = bool(chance.random() < 0.5)
    if accepts(kind, "choose"):
        more["choose"] = str(chance.choice(["widest", "distinct", "balanced"]))
    if accepts(kind, "suppression") and chance.random() < 0.5:
        more["suppression"] = 0.3

    def make(seed: int | None = None) -> Any:
        chosen = {"seed": seed} if seed is not None and accepts(kind, "seed") else {}
        return kind(head, **more, **chosen)

    return Recipe(make, rule, f"{kind.__name__}({head}, {more})")


def publisher(kind: type, chance: np.random.Generator, *, plain: bool = False) -> Recipe:
    """A random one of its kind."""
    parameters = registry.parameters_of(kind)
    first = parameters[0].name
    more: dict[str, Any] = {}
    if first in ("m", "k"):
        head: Any = int(chance.integers(2, 4))
        rule = Rule.of("m" if first == "m" else "k", head)
    elif first == "rule":
        closed = [name for name in RULES if RULES[name](chance).principle.superset_closed]
        rule = RULES["k" if plain else str(chance.choice(closed))](chance)
        head = rule.principle
    else:
        raise AssertionError(
            f"teach tests/adversary/recipes.py to make a {kind.__name__}: its first parameter is {first}"
        )
    known = {
        "e": lambda: int(chance.integers(1, 4)),
        "base": lambda: pl.Mondrian(pl.KAnonymity(2)),
        "variant": lambda: str(chance.choice(["dirty", "no-dirty", "with-counterfeits", "one-by-one"])),
        "divide_by": lambda: str(chance.choice(["neighbourhood", "signature", "none"])),
        "partition": lambda: str(chance.choice(["fine", "merged"])),
        "style": lambda: str(chance.choice(["generalized", "anatomized"])),
        "star": lambda: bool(chance.random() < 0.5),
        "new_records": lambda: str(chance.choice(["apart", "scored"])),
        "optimize": lambda: bool(chance.random() < 0.5),
        "on_invalid": lambda: "suppress",
    }
    for p in parameters[1:]:
        if p.name in known and (p.required or p.name != "base"):
            if p.name == "on_invalid" and not _suppresses(kind):
                continue
            more[p.name] = known[p.name]()
        elif p.required:
            raise AssertionError(f"teach tests/adversary/recipes.py what {p.name} of {kind.__name__} is")

    def make(seed: int | None = None) -> Any:
        return kind(head, **more, **({} if seed is None else {"seed": seed}))

    return Recipe(make, rule, f"{kind.__name__}({head}, {more})")


def _suppresses(kind: type) -> bool:
    return "on_invalid" in inspect.signature(kind.__init__).parameters
