"""Small random tables, and what plain pandas says of every node of their lattices."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.table import Hierarchy, Microdata, Schema


def random_hierarchy(chance: np.random.Generator, leaves: int, height: int) -> Hierarchy:
    """A tree over "v0", "v1", ...: on each level some neighbours are merged, some branches stay short."""
    labels = [[f"v{i}" for i in range(leaves)]]
    number = np.arange(leaves)
    for level in range(1, height):
        number = number // int(chance.integers(1, 4))
        alone = np.bincount(number)[number] == 1
        keep = (chance.random() < 0.5) & alone & (np.array(labels[-1]) == np.array(labels[0]))
        labels.append([leaf if k else f"L{level}:{n}" for leaf, n, k in zip(labels[0], number, keep)])
    labels.append(["*"] * leaves)
    rows = [list(row) for row in zip(*labels)]
    order = chance.permutation(leaves)
    return Hierarchy([rows[i] for i in order])


@pytest.fixture(scope="session")
def make_table() -> Callable[..., Microdata]:
    def make(seed: int, rows: int = 40, heights: tuple[int, ...] = (1, 2, 3), leaves: int = 6, sensitive: int = 1):
        chance = np.random.default_rng(seed)
        columns, trees = {}, {}
        for i, height in enumerate(heights):
            name = f"q{i}"
            values = np.minimum(chance.geometric(0.4, rows) - 1, leaves - 1)  # skewed; some leaves never occur
            columns[name] = [f"v{v}" for v in values]
            trees[name] = random_hierarchy(chance, leaves, height) if height else Hierarchy([["v0"]])
            if height == 0:
                columns[name] = ["v0"] * rows
        for i in range(sensitive):
            columns[f"s{i}"] = chance.choice(list("abcd"), rows, p=[0.4, 0.3, 0.2, 0.1])
        schema = Schema([f"q{i}" for i in range(len(heights))], sensitive=[f"s{i}" for i in range(sensitive)])
        return Microdata(pd.DataFrame(columns), schema, trees)

    return make


def plain_classes(table: Microdata, node: tuple[int, ...]) -> list[pd.DataFrame]:
    """The classes at a node, by labels and pandas."""
    frame = table.frame
    labels = {
        name: table.hierarchies[name].generalize(frame[name], level)
        for name, level in zip(table.schema.quasi_identifiers, node)
    }
    keys = pd.DataFrame(labels, index=frame.index).agg("|".join, axis=1)
    return [part for _, part in frame.groupby(keys)]


PLAIN_RULES: dict[str, Callable[[list, list, tuple], bool]] = {
    "k": lambda values, whole, p: len(values) >= p[0],
    "distinct": lambda values, whole, p: len(set(values)) >= p[0],
    "entropy": lambda values, whole, p: entropy(values) >= math.log(p[0]) - 1e-9,
    "t": lambda values, whole, p: distance(values, whole) <= p[0] + 1e-9,
    "alpha-k": lambda values, whole, p: (
        len(values) >= p[1] and max(Counter(values).values()) / len(values) <= p[0] + 1e-9
    ),
}


def entropy(values: list) -> float:
    return -sum(c / len(values) * math.log(c / len(values)) for c in Counter(values).values())


def distance(values: list, whole: list) -> float:
    """Half the sum of absolute differences of shares: the earth mover's distance between unordered values."""
    here, all_ = Counter(values), Counter(whole)
    return sum(abs(here[v] / len(values) - all_[v] / len(whole)) for v in all_) / 2


@pytest.fixture(scope="session")
def brute_force() -> Callable[..., set[tuple[int, ...]]]:
    """All nodes at which at most ``limit`` records lie in classes that break one of some plain rules."""

    def force(table: Microdata, rules: list[tuple], limit: int = 0) -> set[tuple[int, ...]]:
        frame = table.frame
        names = table.schema.quasi_identifiers
        whole = frame["s0"].tolist() if table.schema.sensitive else [None] * len(table)
        labels = [
            [
                table.hierarchies[name].generalize(frame[name], level)
                for level in range(table.hierarchies[name].height + 1)
            ]
            for name in names
        ]
        solutions = set()
        for node in itertools.product(*(range(len(column)) for column in labels)):
            classes = defaultdict(list)
            for *key, value in zip(*(column[level] for column, level in zip(labels, node)), whole):
                classes[tuple(key)].append(value)
            unsafe = 0
            for values in classes.values():
                if not all(PLAIN_RULES[name](values, whole, parameters) for name, *parameters in rules):
                    unsafe += len(values)
            if unsafe <= limit:
                solutions.add(node)
        return solutions

    return force


@pytest.fixture(scope="session")
def classes_at() -> Callable[..., list[pd.DataFrame]]:
    return plain_classes


@pytest.fixture
def every_path_taken(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make small tables take the ways that only large ones take otherwise."""
    from ppdp_lab.anonymize.lattice import checker, packing, workers
    from ppdp_lab.anonymize.lattice import checker as counting

    def force(way: str) -> None:
        monkeypatch.setattr(packing, "LEAST_MERGE_BITS", 4)
        monkeypatch.setattr(packing, "MOST_MERGE_BITS", 4)
        monkeypatch.setattr(workers, "ROWS_PER_THREAD", 1)
        monkeypatch.setattr(workers, "CORES", 8)
        monkeypatch.setattr(workers, "START_AT", 0)
        monkeypatch.setattr(checker, "STEP_ROWS", 2)
        if way == "hashed":
            monkeypatch.setattr(counting, "DIRECT_FACTOR", 0)
            monkeypatch.setattr(counting, "DIRECT_ALWAYS", 0)

    return force
