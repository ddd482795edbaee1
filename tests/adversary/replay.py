"""The seed adversary: has the source, replays the grouping in every world that fits the published tables, and guesses.

*Outsider*: knows everybody's quasi-identifiers and published group, and which values each group holds. *Insider*: knows, in
addition, the value of everybody outside one group. Both try all worlds: every way to hand a group's values to its members.
Those in which the package's own code makes the published classes again stay; the guess is their most frequent value.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from adversary.cases import Refused
from adversary.reading import groups_of, partition, within
from adversary.worlds import NUMBER, World

import ppdp_lab as pl

Make = Callable[[pl.Microdata], pl.Release]


def people(chance: np.random.Generator, values: str, *, ages: int | None = None) -> World:
    """Persons with these values; all ages differ unless there are only so many."""
    n = len(values)
    old = chance.permutation(n) if ages is None else chance.integers(0, ages, n)
    frame = pd.DataFrame({"q0": old + 20, "ill": chance.permutation(list(values))})
    frame["name"] = [f"person-{i}" for i in range(n)]
    return World(frame, {"q0": NUMBER}, list(range(n)))


def outsider(holder: Make, replay: Make, world: World, chance: np.random.Generator) -> float:
    """Share of all persons whose value is guessed; ``replay`` is what the adversary takes the holder's method for."""
    table = world.table()
    release = holder(table)
    if release.n_counterfeits or len(release.suppressed):
        raise Refused
    return _guess(release, replay, table, list(range(release.n_classes)), chance)


def insider(holder: Make, replay: Make, world: World, chance: np.random.Generator, most: int = 5) -> float:
    """Share of the members of one group whose value is guessed by somebody who knows everybody else's."""
    table = world.table()
    release = holder(table)
    target = int(chance.integers(release.n_classes))
    if release.n_counterfeits or np.sum(release.class_of == target) > most:
        raise Refused
    return _guess(release, replay, table, [target], chance)


def _guess(
    release: pl.Release, replay: Make, table: pl.Microdata, open_: list[int], chance: np.random.Generator
) -> float:
    seen, truth = partition(release), table.sensitive_codes[0]
    groups = [np.flatnonzero(release.class_of == number) for number in open_]
    fits = [world for world in _worlds(truth, groups) if partition(replay(_with(table, world))) == seen]
    if not fits:  # nothing was learnt: any world is as good as another
        fits = list(_worlds(truth, groups))
    everyone = np.concatenate(groups)
    right = 0.0
    for person in everyone:
        votes = Counter(int(world[person]) for world in fits)
        best = [value for value, times in votes.items() if times == max(votes.values())]
        right += int(chance.choice(best)) == truth[person]
    return right / len(everyone)


def _worlds(truth: np.ndarray, groups: list[np.ndarray]) -> Iterator[np.ndarray]:
    ways = [sorted(set(itertools.permutations(truth[rows].tolist()))) for rows in groups]
    for chosen in itertools.product(*ways):
        world = truth.copy()
        for rows, values in zip(groups, chosen):
            world[rows] = values
        yield world


def _with(table: pl.Microdata, values: np.ndarray) -> pl.Microdata:
    return table.with_codes(sensitive_codes=values[None, :])


def class_finder(holder: Make, replay: Make, world: World, chance: np.random.Generator) -> float:
    """Share of persons whose value is guessed from the class that a replay puts them in.

    A clustering looks at quasi-identifiers only, so the replay needs no values: where a person fits several published
    regions, it tells which of them is theirs. All values differ, so that a guess from a class of s rows is right once in s.
    """
    truth = holder(world.table())
    again = replay(world.table())
    published = groups_of(truth, world.quasi)
    told = groups_of(again, world.quasi)
    place = {who: again.group_of_class[c] for who, c in zip(again.records.tolist(), again.class_of.tolist())}
    cells = {number: tuple(group.cells) for number, group in enumerate(_in_order(again, told))}
    values, right = world.frame["ill"].tolist(), 0.0
    for who, age in zip(world.ids, world.frame["q0"].tolist()):
        found = published.get(cells[int(place[who])])
        if found is None:  # no such region was published: any that fits will do
            fitting = [g for g in published.values() if within(_ends(g.cells[0]), NUMBER, age)]
            found = fitting[int(chance.integers(len(fitting)))]
        right += found.values[values[world.ids.index(who)]] / found.size  # what a guess among its values is worth
    return right / len(values)


def _ends(cell: str) -> tuple[int, int]:
    numbers = [int(part) for part in cell.strip("[]").split(", ")]
    return numbers[0], numbers[-1]


def _in_order(release: pl.Release, groups: dict) -> list:
    """Groups by their published number: without a group column these follow the sorted regions."""
    return sorted(groups.values(), key=lambda group: _ends(group.cells[0]))
