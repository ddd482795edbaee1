"""Whoever has the source and the published tables, but not the seed, guesses no better than by chance."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from adversary import replay
from adversary.cases import NOTES, attempt

import ppdp_lab as pl

METHODS: dict[str, Callable[..., replay.Make]] = {
    "Anatomy(2)": lambda **seed: pl.Anatomy(2, **seed).anonymize,
    "Anatomy(5)": lambda **seed: pl.Anatomy(5, **seed).anonymize,
    "MInvariance(2)": lambda **seed: pl.MInvariance(2, **seed).publish,
    "MInvariance(5)": lambda **seed: pl.MInvariance(5, **seed).publish,
    "MDistinct(2)": lambda **seed: pl.MDistinct(2, model=pl.UpdateModel.in_blocks([*"abcd"], 2), **seed).publish,
    "KMember(3)": lambda **seed: pl.KMember(3, **seed).anonymize,
}
# Who attacks what: the adversary, everybody's values, the share of cases, and what chance alone gives.
ATTACKS = {
    "Anatomy(2)": (replay.outsider, "aaabbbccd", 0.2, 1 / 2),
    "Anatomy(5)": (replay.insider, "abcdefg" * 2 + "abcdef", 0.1, 1 / 5),
    "MInvariance(2)": (replay.outsider, "aaabbbcc", 0.2, 1 / 2),
    "MDistinct(2)": (replay.outsider, "aaabbbcc", 0.2, 1 / 2),
    "MInvariance(5)": (replay.insider, "abcdefg" * 2 + "abcdef", 0.1, 1 / 5),
}


def rates(what: str, attack: Callable[[np.random.Generator], float], share: float) -> np.ndarray:
    """The share of right guesses in each case."""
    hits: list[float] = []
    attempt(what, lambda chance: hits.append(attack(chance)), share=share)
    return np.array(hits)


def spread(hits: np.ndarray) -> float:
    """4.5 standard errors: chance alone goes further in fewer than one of 100,000 runs."""
    return float(4.5 * max(hits.std(), 0.02) / np.sqrt(len(hits)))


def note(what: str, hits: np.ndarray, chance: str) -> None:
    NOTES.append(f"{what}: {hits.mean():.3f} of the guesses right in {len(hits)} cases ({chance})")


@pytest.mark.parametrize("name", ATTACKS)
def test_default_releases_are_not_replayed(name):
    adversary, values, share, p = ATTACKS[name]
    make = METHODS[name]

    def attack(chance):
        return adversary(make(), lambda table: make()(table), replay.people(chance, values), chance)

    hits = rates(f"replay of a default {name}", attack, share)
    note(f"replay of a default {name}", hits, f"chance: {p:.2f}")
    mean, most = float(hits.mean()), p + spread(hits)
    assert mean <= most


@pytest.mark.parametrize("name", ATTACKS)
def test_a_known_seed_is_replayed(name):
    """The adversary is worth its name: with the seed it finds more than chance would."""
    adversary, values, share, p = ATTACKS[name]
    make = METHODS[name]

    def attack(chance):
        seed = int(chance.integers(2**31))
        return adversary(make(seed=seed), lambda table: make(seed=seed)(table), replay.people(chance, values), chance)

    hits = rates(f"replay of a seeded {name}", attack, share)
    note(f"replay of a seeded {name}", hits, f"chance: {p:.2f}")
    mean = float(hits.mean())
    assert mean > p + 0.05


def clustering(chance: np.random.Generator, holder: dict, adversary: dict) -> float:
    """Five ages, 14 persons, all values different: clusters overlap, and the replay tells who is in which."""
    make = METHODS["KMember(3)"]
    world = replay.people(chance, "abcdefghijklmn", ages=5)
    return replay.class_finder(make(**holder), make(**adversary), world, chance)


def test_a_clustering_is_not_replayed_by_default():
    """A replay by the default constructor is worth no more than one with a seed drawn anew; with the seed it is."""
    fresh = partial(secrets.randbelow, 2**31)
    draws = {
        "replay of a default KMember(3)": lambda: ({}, {}),
        "replay of KMember(3) with a wrong seed": lambda: ({"seed": fresh()}, {"seed": fresh()}),
        "replay of a seeded KMember(3)": lambda: ({"seed": (s := fresh())}, {"seed": s}),
    }
    found = {}
    for what, draw in draws.items():
        found[what] = rates(what, lambda chance, draw=draw: clustering(chance, *draw()), 0.5)
        note(what, found[what], "chance: as with a wrong seed")
    default, wrong, known = found.values()
    by_default, by_chance, by_seed = (float(hits.mean()) for hits in (default, wrong, known))
    assert by_seed > by_chance
    most = by_chance + float(np.hypot(spread(default), spread(wrong)))
    assert by_default <= most
