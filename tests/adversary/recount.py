"""The guarantees, counted by brute force from what is published: plain dictionaries, and linear programming for t."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

import ppdp_lab as pl


@dataclass
class Rule:
    """A principle of the package, and the same said in plain Python: (values of a class, values of the table) -> holds."""

    name: str
    number: float
    principle: Any
    holds: Callable[[Counter, Counter], bool]

    @staticmethod
    def of(name: str, number: float, **more: Any) -> Rule:
        """A rule by name: k, l or distinct, entropy, recursive, t, alpha, m (each value equally often)."""
        makers: dict[str, tuple[Any, Callable[[Counter, Counter], bool]]] = {
            "k": (pl.KAnonymity, lambda c, t: sum(c.values()) >= number),
            "l": (pl.DistinctLDiversity, lambda c, t: len(c) >= number),
            "distinct": (pl.DistinctLDiversity, lambda c, t: len(c) >= number),
            "entropy": (pl.EntropyLDiversity, lambda c, t: entropy(c) >= math.log(number) - 1e-7),
            "recursive": (None, lambda c, t: recursive(c, more["c"], int(number))),
            "t": (pl.TCloseness, lambda c, t: emd(c, t) <= number + 1e-6),
            "alpha": (None, lambda c, t: sum(c.values()) >= 2 and max(c.values()) <= number * sum(c.values()) + 1e-9),
            "m": (pl.DistinctLDiversity, lambda c, t: len(c) >= number and len(set(c.values())) == 1),
        }
        kind, holds = makers[name]
        if name == "recursive":
            principle = pl.RecursiveCLDiversity(more["c"], int(number))
        elif name == "alpha":
            principle = pl.AlphaKAnonymity(number, 2)
        else:
            principle = kind(int(number) if name in ("k", "l", "distinct", "m") else number)
        return Rule(name, number, principle, holds)


RULES: dict[str, Callable[[np.random.Generator], Rule]] = {
    "k": lambda chance: Rule.of("k", int(chance.integers(1, 6))),
    "distinct": lambda chance: Rule.of("distinct", int(chance.integers(1, 4))),
    "entropy": lambda chance: Rule.of("entropy", float(chance.choice([1.3, 1.8, 2.0, 2.5, 3.0]))),
    "recursive": lambda chance: Rule.of(
        "recursive", int(chance.integers(1, 4)), c=float(chance.choice([0.7, 1.0, 2.0, 3.0]))
    ),
    "t": lambda chance: Rule.of("t", float(chance.choice([0.1, 0.2, 0.3, 0.5]))),
    "alpha": lambda chance: Rule.of("alpha", float(chance.choice([0.5, 0.6, 0.7, 0.9]))),
}


def entropy(values: Counter) -> float:
    """Of the shares of the values, in nats."""
    n = sum(values.values())
    return -sum(c / n * math.log(c / n) for c in values.values())


def recursive(values: Counter, c: float, l: int) -> bool:  # noqa: E741 (the paper's symbol)
    """r1 < c (r_l + ... + r_m)."""
    ranked = sorted(values.values(), reverse=True)
    return ranked[0] < c * sum(ranked[l - 1 :])


def emd(values: Counter, totals: Counter) -> float:
    """Earth mover's distance between a class and the table, any two values being 1 apart: as a transport problem."""
    names = sorted(totals)
    n, size, whole = len(names), sum(values.values()), sum(totals.values())
    cost = (1 - np.eye(n)).ravel()
    out = np.kron(np.eye(n), np.ones(n))
    into = np.kron(np.ones(n), np.eye(n))
    sides = [values[v] / size for v in names] + [totals[v] / whole for v in names]
    found = linprog(cost, A_eq=np.vstack([out, into])[:-1], b_eq=sides[:-1], method="highs")
    assert found.status == 0
    return float(found.fun)


def smallest_equivalence(series: list[tuple[dict[Any, list[Any]], dict[Any, Counter]]], most: int = 9) -> float:
    """Fewest persons of whom it follows that they share their values with as many others; infinite if none do.

    ``series`` gives, per release, the persons of every group (counterfeits among them) and its values. Every combination
    of groups with weights -1, 0 and 1 is tried: where values cancel out and persons do not, those persons are equivalent.
    """
    groups = [(members, values[g]) for persons, values in series for g, members in persons.items()]
    if not 2 <= len(groups) <= most:
        return math.nan
    everybody = sorted({who for members, _ in groups for who in members}, key=str)
    names = sorted({v for _, values in groups for v in values})
    people = np.array([[members.count(who) for who in everybody] for members, _ in groups])
    counts = np.array([[values[v] for v in names] for _, values in groups])
    weights = np.array(list(itertools.product((-1, 0, 1), repeat=len(groups))))
    cancel = (weights @ counts == 0).all(axis=1)
    left = np.abs(weights[cancel] @ people).sum(axis=1)
    left = left[left > 0]
    return float(left.min() / 2) if len(left) else math.inf
