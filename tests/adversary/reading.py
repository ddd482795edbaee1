"""Published frames read by hand: groups, the values in them, and what a generalized cell covers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd
from adversary.worlds import NUMBER, ORDER, ORDERED, PATHS, SET, World

import ppdp_lab as pl
from ppdp_lab.errors import PublicationError


@dataclass
class Group:
    """One published group: its cells (none in anatomized tables), its sensitive values, its exact rows if shown."""

    cells: tuple[str, ...]
    values: Counter
    rows: Counter

    @property
    def size(self) -> int:
        return sum(self.values.values())


def frames_of(release: pl.Release) -> list[pd.DataFrame]:
    """The published tables of a release, whatever its form."""
    try:
        return [release.to_frame()]
    except PublicationError:
        return list(release.to_frames())


def groups_of(release: pl.Release, quasi: list[str], value: str = "ill") -> dict[Any, Group]:
    """The groups that a reader sees, by group number or else by their cells."""
    frames = frames_of(release)
    groups: dict[Any, Group] = {}
    if len(frames) == 1:
        frame = frames[0]
        names = [*(["group"] if "group" in frame else []), *quasi]
        for row in frame[[*names, value]].itertuples(index=False, name=None):
            key = row[0] if "group" in frame else row[:-1]
            cells = tuple(str(cell) for cell in row[-1 - len(quasi) : -1])
            group = groups.setdefault(key, Group(cells, Counter(), Counter()))
            assert group.cells == cells, "rows of one group show different regions"
            group.values[row[-1]] += 1
        return groups
    exact, sensitive = frames
    for number, shown, times in sensitive[["group", value, "count"]].itertuples(index=False, name=None):
        groups.setdefault(number, Group((), Counter(), Counter())).values[shown] += times
    for row in exact[["group", *quasi]].itertuples(index=False, name=None):
        groups[row[0]].rows[tuple(map(str, row[1:]))] += 1
    for group in groups.values():
        assert group.size == sum(group.rows.values()), "the two tables disagree on the size of a group"
    return groups


def covered(cell: str, kind: str) -> Any:
    """What a generalized cell says: both ends of a range, or the set of values it may stand for."""
    if kind == NUMBER:
        ends = [int(part) for part in cell.strip("[]").split(", ")]
        return ends[0], ends[-1]
    if kind == ORDER:
        ends = [ORDERED.index(part) for part in cell.strip("[]").split(" .. ")]
        return ends[0], ends[-1]
    if kind == SET:
        return set(cell.strip("{}").split(", "))
    return {leaf for leaf, path in PATHS.items() if cell in path}


def within(what: Any, kind: str, value: Any) -> bool:
    """Whether what a generalized cell covers holds a value."""
    if kind == NUMBER:
        return bool(what[0] <= value <= what[1])
    if kind == ORDER:
        return what[0] <= ORDERED.index(value) <= what[1]
    return value in what


def partition(release: pl.Release) -> tuple[frozenset, frozenset]:
    """Who shares a class with whom, and who is left out: by ids, on the holder's side."""
    classes: dict[int, set] = {}
    for who, number in zip(release.records.tolist(), release.class_of.tolist()):
        classes.setdefault(number, set()).add(who)
    left_out = frozenset(classes.pop(-1, ()))
    return frozenset(frozenset(members) for members in classes.values()), left_out


def group_of_ids(release: pl.Release) -> dict[Any, int]:
    """Published group number of everybody who is published: what the strongest adversary knows."""
    numbers = release.group_of_class
    pairs = zip(release.records.tolist(), release.class_of.tolist())
    return {who: int(numbers[number]) for who, number in pairs if number >= 0}


def check_places(release: pl.Release, world: World) -> None:
    """Everybody who is published lies within the cells of some group, and nothing identifies them."""
    groups = groups_of(release, world.quasi)
    numbers = group_of_ids(release)
    kinds = list(world.kinds.values())
    told = {g: [covered(cell, kind) for cell, kind in zip(group.cells, kinds)] for g, group in groups.items()}
    by_number = "group" in frames_of(release)[0]
    rows = dict(zip(world.ids, zip(*(world.frame[name].tolist() for name in world.quasi))))
    for who, number in numbers.items():
        at = [number] if by_number else list(groups)
        assert any(
            tuple(map(str, rows[who])) in groups[g].rows
            if groups[g].rows
            else all(map(within, told[g], kinds, rows[who]))
            for g in at
        ), f"no published group may hold {who}"
