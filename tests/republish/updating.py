"""Random streams in which values change, and a judge of m-Distinct series who reads published sides and ids only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.errors import InfeasibleError

NAMES = [f"illness {c}" for c in "abcdefgh"]


def random_model(rng: np.random.Generator, kind: str, n: int) -> pl.UpdateModel:
    """Blocks, nested sets of unequal size (closed upwards), or any sets in which values may stay."""
    if kind == "blocks":
        cuts = np.flatnonzero(np.r_[True, rng.random(n - 1) < 0.5])
        parts = [NAMES[a:b] for a, b in zip(cuts, [*cuts[1:], n])]
        return pl.UpdateModel.blocks(parts)
    reach = np.eye(n, dtype=bool) | (rng.random((n, n)) < 0.3)
    if kind == "nested":
        reach = np.triu(reach)
        for _ in range(n):
            reach = reach | (reach @ reach)
    return pl.UpdateModel(NAMES[:n], [np.flatnonzero(row).tolist() for row in reach])


@st.composite
def updating(draw, *, kinds: tuple[str, ...] = ("blocks", "nested", "any"), legal: bool = True):
    """A model and a few snapshots of up to 30 persons who come, go, return and change as the model says."""
    n_values = draw(st.integers(3, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    model = random_model(rng, draw(st.sampled_from(kinds)), n_values)
    n = draw(st.integers(2 * n_values, 30))
    ages, values = rng.integers(20, 40, n), np.arange(n) % n_values
    tables = []
    for number in range(draw(st.integers(2, 5))):
        if number:
            chances = model.matrix if legal else np.full((n_values, n_values), 1 / n_values)
            values = np.array([rng.choice(n_values, p=chances[v]) if rng.random() < 0.6 else v for v in values])
            ages = ages + rng.integers(0, 2, n)
        here = np.flatnonzero(rng.random(n) < (0.8 if number else 1.0))
        if len(here):
            frame = pd.DataFrame(
                {"age": ages[here], "town": here % 3, "ill": [NAMES[v] for v in values[here]]}, index=here
            )
            schema = pl.Schema(["age", "town"], sensitive="ill", domains={"ill": NAMES[:n_values]})
            tables.append(pl.Microdata(frame, schema))
    return model, tables


def publish_all(publisher: Any, tables: list[pl.Microdata]) -> list[tuple[int, pl.Release]]:
    """Releases of a stream with their numbers; a table that is refused for good reason is passed over."""
    releases = []
    for table in tables:
        try:
            releases.append((publisher.number, publisher.publish(table)))
        except InfeasibleError:
            continue
    return releases


def classes_of(release: pl.Release) -> dict[Any, frozenset[str]]:
    """Per person the values of their published group; fails if a group holds one twice."""
    frame = release.to_frame()
    shown = {g: rows["ill"].tolist() for g, rows in frame.groupby("group", observed=True)}
    assert all(len(set(values)) == len(values) for values in shown.values()), "a group holds a value twice"
    group = release.group_of_class
    return {
        who: frozenset(shown[int(group[c])]) for who, c in zip(release.records, release.class_of.tolist()) if c >= 0
    }


def judge(releases: list[tuple[int, pl.Release]], model: pl.UpdateModel, m: int, *, star: bool = False) -> None:
    """Definition 15 in plain Python: m-unique, and a legal update instance of the signature before, k releases ago."""
    once = {a: set(model.may_become(a)) for a in model.values}
    last: dict[Any, tuple[int, frozenset[str]]] = {}
    for number, release in releases:
        held = classes_of(release)
        truth = release.table.frame["ill"]
        for who, values in held.items():
            assert len(values) >= m and truth[who] in values
            if who in last:
                then, before = last[who]
                sets = [_after(once, a, number - then) for a in before]
                assert len(values) == len(before)
                assert all(any(v in cus for cus in sets) for v in values), "a value that nothing became"
                assert all(cus & values for cus in sets), "a value that became nothing"
            elif star:
                ever = [_after(once, a, 99) for a in values]
                assert sum(map(len, ever)) == len(set().union(*ever)), "values that can meet"
            last[who] = (number, values)


def _after(once: dict[str, set[str]], value: str, steps: int) -> set[str]:
    now = {value}
    for _ in range(steps):
        now = set().union(*(once[a] for a in now))
    return now
