"""Random small series with their truth, and plain judges that walk through all possible worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from plain_forms import candidates
from strategies import cases

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.release import Counterfeits


@dataclass
class World:
    """A series on the holder's side, with one table behind it: quasi-identifiers and values stay the same."""

    table: pl.Microdata
    releases: list[pl.Release]

    @property
    def series(self) -> list[pl.Published]:
        return [release.published() for release in self.releases]

    @property
    def tracked(self) -> list[pl.Published]:
        return [release.published(track=True) for release in self.releases]

    @property
    def worst(self) -> Background:
        return Background.worst_case(self.releases)

    def truth(self, background: Background, attribute: int = 0) -> np.ndarray:
        """True value code of each person of a background."""
        return self.table.sensitive_codes[attribute][self.table.ids.get_indexer(background.ids)]


@st.composite
def worlds(
    draw: st.DrawFn,
    max_persons: int = 12,
    max_releases: int = 3,
    min_releases: int = 1,
    max_sensitive: int = 1,
    counterfeits: bool = True,
    anatomized: bool = True,
) -> World:
    """A table and some releases of parts of it, classes being arbitrary."""
    case = draw(cases(max_rows=max_persons, max_quasi=2, max_sensitive=max_sensitive))
    n = len(case.frame)
    table = case.table(ids=[f"p{i}" for i in range(n)])
    names = np.array(draw(st.permutations(range(100, 100 + n))))
    releases = []
    for _ in range(draw(st.integers(min_releases, max_releases))):
        chosen = sorted(draw(st.sets(st.integers(0, n - 1), min_size=(n + 1) // 2)))
        part = table.select(chosen)
        shuffled = part.select(draw(st.permutations(range(len(part)))))
        raw = draw(st.lists(st.integers(-1, 3), min_size=len(part), max_size=len(part)))
        if max(raw) < 0:
            raw[0] = 0
        class_of = np.searchsorted(sorted({c for c in raw if c >= 0}), raw)
        class_of[np.array(raw) < 0] = -1
        fakes = None
        if counterfeits and draw(st.booleans()):
            models = draw(st.lists(st.integers(0, len(part) - 1), min_size=1, max_size=2))
            models = [m for m in models if class_of[m] >= 0]
            values = draw(st.lists(st.integers(0, n - 1), min_size=len(models), max_size=len(models)))
            fakes = Counterfeits(
                class_of[models].astype(np.int32),
                table.sensitive_codes[:, values],
                shuffled.qi_codes[:, models],
            )
        releases.append(
            pl.Release(
                shuffled,
                class_of,
                counterfeits=fakes,
                grouped=draw(st.booleans()),
                style="anatomized" if anatomized and draw(st.booleans()) else "generalized",
                pseudonyms=names[table.ids.get_indexer(shuffled.ids)],
            )
        )
    return World(table, releases)


@st.composite
def invariant_worlds(draw: st.DrawFn, max_releases: int = 3, per_value: int = 3) -> tuple[World, int]:
    """An m-invariant series and its m: every group has each value of its signature once, and a person one signature.

    Ages are drawn at random, so that the boxes of groups overlap and a person may be in any of several.
    """
    m = draw(st.integers(2, 3))
    signatures = draw(st.lists(st.sets(st.sampled_from("abcde"), min_size=m, max_size=m), min_size=1, max_size=3))
    buckets, values = [], []
    for signature in signatures:
        buckets.append([list(range(len(values) + i * per_value, len(values) + (i + 1) * per_value)) for i in range(m)])
        values += [value for value in sorted(signature) for _ in range(per_value)]
    ages = draw(st.lists(st.integers(20, 29), min_size=len(values), max_size=len(values)))
    frame = pd.DataFrame({"age": ages, "ill": values}, index=[f"p{i}" for i in range(len(values))])
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    releases = []
    for _ in range(draw(st.integers(1, max_releases))):
        class_of = np.full(len(values), -1)
        n_classes = 0
        for bucket in buckets:
            groups = draw(st.integers(1, per_value))
            for persons in bucket:
                class_of[draw(st.permutations(persons))[:groups]] = n_classes + np.arange(groups)
            n_classes += groups
        releases.append(pl.Release(table.select(class_of >= 0), class_of[class_of >= 0], grouped=True))
    return World(table, releases), m


def persons_of(background: Background, number: int) -> list[tuple[int, np.ndarray, int | None]]:
    """Persons of a release: (position, quasi-identifier codes, group if known)."""
    presence = background.releases[number]
    groups = [None] * len(presence) if presence.groups is None else presence.groups.tolist()
    return [(int(p), presence.qi[:, j], groups[j]) for j, p in enumerate(presence.persons)]


def may_hold(published: pl.Published, codes: np.ndarray, group: int | None) -> list[int]:
    """Groups that may hold a person."""
    return [group] if group is not None else candidates(published, codes).tolist()


def real_rows(published: pl.Published) -> list[int]:
    fakes = published.counterfeits_per_group
    return (published.sizes - (0 if fakes is None else fakes)).tolist()


def matchings(published: pl.Published, persons: list[tuple[int, np.ndarray, int | None]]) -> Counter:
    """Every way to give each person a row of their own, counted by the values that this gives the persons."""
    values, groups = published.row_sensitive[0].tolist(), published.row_group.tolist()
    found: Counter = Counter()
    room = real_rows(published)

    def quasi_rows(codes: np.ndarray, group: int | None) -> list[tuple[int, int | None]]:
        """(group, row of the quasi-identifier table) that may be the person's."""
        if not published.exact or group is not None:
            return [(g, None) for g in may_hold(published, codes, group)]
        same = (published.qi_rows == codes[:, None]).all(axis=0)
        return [(int(published.qi_group[i]), int(i)) for i in np.flatnonzero(same)]

    def place(i: int, taken: set[int], quasi: set[int | None], filled: Counter, given: tuple) -> None:
        if i == len(persons):
            found[given] += 1
            return
        person, codes, group = persons[i]
        for g, q in quasi_rows(codes, group):
            if filled[g] == room[g] or (q is not None and q in quasi):
                continue
            for row, (value, its) in enumerate(zip(values, groups)):
                if its == g and row not in taken:
                    place(i + 1, taken | {row}, quasi | {q}, filled + Counter([g]), (*given, (person, value)))

    place(0, set(), set(), Counter(), ())
    return found


def all_worlds(series: list[pl.Published], background: Background) -> Counter:
    """Every assignment of one value to each person that all releases allow, with the number of ways to get it."""
    parts = [matchings(published, persons_of(background, i)) for i, published in enumerate(series)]
    found: Counter = Counter()
    for chosen in product(*parts):
        values: dict[int, int] = {}
        if all(values.setdefault(p, v) == v for given in chosen for p, v in given):
            ways = 1
            for part, given in zip(parts, chosen):
                ways *= part[given]
            found[tuple(values[p] for p in range(background.n_persons))] += ways
    return found


def fits(series: list[pl.Published], background: Background, person: int, pseudonym: int) -> bool:
    """Whether a tracked row can be the person's in every release."""
    for number, published in enumerate(series):
        here = [entry for entry in persons_of(background, number) if entry[0] == person]
        rows = np.flatnonzero(published.pseudonyms == pseudonym)
        if len(here) != len(rows):
            return False
        if here and int(published.row_group[rows[0]]) not in may_hold(published, *here[0][1:]):
            return False
    return True


def trace(series: list[pl.Published], pseudonym: int) -> tuple[int, ...]:
    """Values of a tracked row, release by release."""
    return tuple(int(p.row_sensitive[0][i]) for p in series for i in np.flatnonzero(p.pseudonyms == pseudonym))


def all_tracked_worlds(series: list[pl.Published], background: Background) -> Counter:
    """Every assignment of one pseudonym to each person, counted by the value histories that this gives."""
    names = sorted({int(x) for published in series for x in published.pseudonyms})
    options = [[x for x in names if fits(series, background, p, x)] for p in range(background.n_persons)]
    found: Counter = Counter()

    def place(given: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(given) == len(options):
            yield given
            return
        for name in options[len(given)]:
            if name not in given:
                yield from place((*given, name))

    for given in place(()):
        found[tuple(trace(series, name) for name in given)] += 1
    return found
