"""The tie adversary: knows how ties would be broken if order or values broke them, and guesses from that."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from adversary.cases import NOTES, attempt
from adversary.replay import people
from adversary.worlds import World

import ppdp_lab as pl

VALUES = "abcde"


def tied(chance: np.random.Generator, rows: str) -> World:
    """60 persons of four ages, whose values say nothing about their age; perhaps their rows are sorted by value."""
    world = people(chance, "".join(chance.choice(list(VALUES), 60)), ages=4)
    if rows == "sorted by value":
        world.frame = world.frame.sort_values("ill", kind="stable").reset_index(drop=True)
    elif rows == "ids sorted by value":
        order = np.argsort(world.frame["ill"].to_numpy(), kind="stable")
        world.ids = np.argsort(order).tolist()
    return world


def guesses(release: pl.Release, world: World, chance: np.random.Generator) -> tuple[int, int, int]:
    """Right guesses by position, by the histogram alone, and persons: over all ages that were cut between classes.

    By position: of the persons of one age, those in the lower class have the smallest values of their class.
    """
    frame = world.frame.assign(cls=release.class_of)
    low = frame.groupby("cls")["q0"].min()
    by_position = by_histogram = n = 0
    for _, same in frame.groupby("q0"):
        classes = sorted(same["cls"].unique(), key=lambda c: (low[c], c))
        if len(classes) < 2:
            continue
        lower, upper = classes[0], classes[-1]
        for cls, smallest in ((lower, True), (upper, False)):
            members = same[same["cls"] == cls]
            every = sorted(frame.loc[frame["cls"] == cls, "ill"])
            part = every[: len(members)] if smallest else every[-len(members) :]
            for value in members["ill"]:
                by_position += value == _most(part, chance)
                by_histogram += value == _most(every, chance)
                n += 1
    return by_position, by_histogram, n


def _most(values: list[str], chance: np.random.Generator) -> str:
    times = Counter(values)
    return str(chance.choice(sorted(v for v in times if times[v] == max(times.values()))))


@pytest.mark.parametrize("rows", ["in any order", "sorted by value", "ids sorted by value"])
@pytest.mark.parametrize("name", ["Mondrian(strict=False)", "KMember"])
def test_a_position_among_ties_tells_nothing(name, rows):
    make = {
        "KMember": lambda: pl.KMember(10),
        "Mondrian(strict=False)": lambda: pl.Mondrian(pl.KAnonymity(10), strict=False),
    }
    found = []

    def one(chance):
        world = tied(chance, rows)
        found.append(guesses(make[name]().anonymize(world.table()), world, chance))

    what = f"ties of {name}, rows {rows}"
    attempt(what, one, share=0.15)
    position, histogram, n = np.array(found).sum(axis=0)
    gain = np.array([a - b for a, b, _ in found])
    NOTES.append(f"{what}: {position / n:.3f} right by position, {histogram / n:.3f} by the histogram, of {n} persons")
    mean, most = float(gain.mean()), float(4.5 * max(gain.std(), 1.0) / np.sqrt(len(gain)))
    assert mean <= most
