"""Random tables and streams, with all that is needed to judge them by hand: values, trees, ids, names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

import ppdp_lab as pl

NUMBER, SET, ORDER, TREE = "number", "set", "order", "tree"
CITIES = ["Basel", "Bern", "Chur", "Genf", "Sion", "Zug"]
ORDERED = ["none", "low", "middle", "high", "top"]
PATHS = {  # a leaf's label on every level
    "a1": ["a1", "a", "*"],
    "a2": ["a2", "a", "*"],
    "b1": ["b1", "b", "*"],
    "b2": ["b2", "b", "*"],
    "b3": ["b3", "b", "*"],
    "c": ["c", "c", "*"],
}
ILLNESSES = ["flu", "cold", "HIV", "gout", "burn", "mumps", "lupus", "croup", "yaws"]


@dataclass
class World:
    """A frame with one row per person, the kinds of its quasi-identifiers, and everybody's id."""

    frame: pd.DataFrame
    kinds: dict[str, str]
    ids: list[Any]
    sensitive: list[str] = field(default_factory=lambda: ["ill"])

    @property
    def quasi(self) -> list[str]:
        return list(self.kinds)

    def trees(self) -> dict[str, pl.Hierarchy]:
        return {name: pl.Hierarchy(list(PATHS.values())) for name, kind in self.kinds.items() if kind == TREE}

    def table(self, rows: Any = None) -> pl.Microdata:
        """The table of all rows, or of some in a given order; ids move along."""
        rows = np.arange(len(self.frame)) if rows is None else np.asarray(rows)
        frame = self.frame.iloc[rows].reset_index(drop=True)
        schema = pl.Schema(self.quasi, self.sensitive, ["name"])
        return pl.Microdata(frame, schema, self.trees(), ids=[self.ids[i] for i in rows])

    def shuffled_values(self, chance: np.random.Generator) -> World:
        """Sensitive values shuffled among the records with equal quasi-identifiers."""
        frame = self.frame.copy()
        for _, rows in frame.groupby(self.quasi, observed=True).indices.items():
            moved = chance.permutation(rows)
            for name in self.sensitive:
                frame.iloc[rows, frame.columns.get_loc(name)] = self.frame[name].iloc[moved].to_numpy()
        return replace(self, frame=frame)


def world(
    chance: np.random.Generator,
    *,
    least: int = 5,
    most: int = 40,
    kinds: tuple[str, ...] = (NUMBER, SET, ORDER, TREE),
    quasi: int | None = None,
    values: int | None = None,
) -> World:
    """A random table of persons; few distinct values, so that many records tie."""
    n = int(chance.integers(least, most + 1))
    columns: dict[str, Any] = {}
    said: dict[str, str] = {}
    for i in range(quasi or int(chance.integers(1, 4))):
        kind = str(chance.choice(kinds))
        said[f"q{i}"] = kind
        columns[f"q{i}"] = _cells(chance, kind, n)
    pool = ILLNESSES[: values or int(chance.integers(2, len(ILLNESSES) + 1))]
    weights = chance.dirichlet(np.full(len(pool), 3.0))
    columns["ill"] = chance.choice(pool, n, p=weights)
    columns["name"] = [f"person-{number}" for number in chance.choice(10**6, n, replace=False)]
    return World(pd.DataFrame(columns), said, ids(chance, n))


def ids(chance: np.random.Generator, n: int) -> list[Any]:
    """Numbers or text, in no order."""
    numbers = chance.choice(10**7, n, replace=False) + 10**8
    return numbers.tolist() if chance.random() < 0.5 else [f"id-{number}" for number in numbers]


def _cells(chance: np.random.Generator, kind: str, n: int) -> Any:
    if kind == NUMBER:
        return chance.choice(np.unique(chance.integers(18, 90, 8)), n)
    if kind == SET:
        return chance.choice(CITIES, n)
    if kind == ORDER:
        return pd.Categorical(chance.choice(ORDERED, n), categories=ORDERED, ordered=True)
    return chance.choice(list(PATHS), n)


def presences(chance: np.random.Generator, n: int, releases: int, *, returns: bool) -> list[np.ndarray]:
    """Who is there in each release of a stream: positions of persons; without ``returns`` nobody comes back."""
    gone = np.zeros(n, dtype=bool)
    here = chance.random(n) < 0.7
    if not here.any():
        here[:] = True
    out = [np.flatnonzero(here)]
    for _ in range(releases - 1):
        leaves = here & (chance.random(n) < 0.2)
        comes = ~here & (chance.random(n) < 0.5)
        if not returns:
            comes &= ~gone
        gone |= leaves
        here = (here & ~leaves) | comes
        if here.any():
            out.append(np.flatnonzero(here))
    return out
