"""Plain pandas judges: what each principle and each box must be, said again without the package's counting."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance
from strategies import TREE, Case, Column

import ppdp_lab as pl
from ppdp_lab.principles import Principle


def lowest_common(paths: list[list[str]]) -> tuple[int, str]:
    """Level and label of the lowest node above some leaves, given their labels per level."""
    if len(paths) == 1:
        return 0, paths[0][0]
    level = next(level for level in range(len(paths[0])) if len({path[level] for path in paths}) == 1)
    return level, paths[0][level]


def below(tree: list[list[str]], level: int, label: str) -> list[list[str]]:
    """Paths of the leaves below a node."""
    return [path for path in tree if path[level] == label]


def height(tree: list[list[str]], level: int, label: str) -> int:
    """Longest branch below a node; levels on which a lonely leaf merely repeats itself do not count."""
    members = below(tree, level, label)
    alone = len(members) == 1 and len(set(members[0][: level + 1])) == 1
    if level == 0 or alone:
        return 0
    return 1 + max(height(tree, level - 1, child) for child in {path[level - 1] for path in members})


def ground_distance(column: Column, kind: str) -> np.ndarray:
    """Matrix of distances between the values of a column."""
    m = len(column.values)
    if kind == "equal":
        return 1.0 - np.eye(m)
    if kind == "ordered":
        rank = np.arange(m)
        return abs(rank[:, None] - rank[None, :]) / max(m - 1, 1)
    tree = column.paths
    assert tree is not None
    tall = height(tree, len(tree[0]) - 1, tree[0][-1])
    out = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            if i != j:
                out[i, j] = height(tree, *lowest_common([tree[i], tree[j]])) / tall
    return out


def transport(p: np.ndarray, q: np.ndarray, distance: np.ndarray) -> float:
    """Least cost of moving the mass p to q, as a linear program."""
    m = len(p)
    leaves, arrives = np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))
    answer = linprog(distance.ravel(), A_eq=np.r_[leaves, arrives], b_eq=np.r_[p, q], method="highs")
    return float(answer.fun)


def shares(cells: pd.Series, column: Column) -> np.ndarray:
    return cells.value_counts(normalize=True).reindex(column.values, fill_value=0.0).to_numpy(dtype=float)


def earth_mover(cells: pd.Series, whole: pd.Series, column: Column, kind: str) -> float:
    p, q = shares(cells, column), shares(whole, column)
    if kind == "equal":
        return float(abs(p - q).sum() / 2)
    if kind == "ordered":
        rank = np.arange(len(p))
        return float(wasserstein_distance(rank, rank, p, q)) / max(len(p) - 1, 1)
    return transport(p, q, ground_distance(column, kind))


def satisfies(rule: Principle, members: pd.DataFrame, case: Case) -> bool:
    """Whether one class, given as its rows, keeps a rule."""
    if len(rule.parts()) > 1:
        return all(satisfies(part, members, case) for part in rule.parts())
    if isinstance(rule, pl.KAnonymity):
        return len(members) >= rule.k
    if isinstance(rule, pl.MultiAttributeLDiversity):
        names = list(case.schema.sensitive)
        for name in names:
            others = [other for other in names if other != name]
            if members.groupby(others, observed=True)[name].nunique().min() < rule.l:
                return False
        return True
    name = rule.attribute  # type: ignore[attr-defined]
    cells = members[name]
    counts = cells.value_counts()
    counts = counts[counts > 0]
    if isinstance(rule, pl.DistinctLDiversity):
        return cells.nunique() >= rule.l
    if isinstance(rule, pl.EntropyLDiversity):
        p = counts / counts.sum()
        return -(p * np.log(p)).sum() >= math.log(rule.l) - 1e-9
    if isinstance(rule, pl.RecursiveCLDiversity):
        falling = counts.sort_values(ascending=False)
        c = Fraction(rule.c).limit_denominator(1000)
        return int(falling.iloc[0]) < c * int(falling.iloc[rule.l - 1 :].sum())
    if isinstance(rule, pl.AlphaKAnonymity):
        if rule.values is not None:
            counts = counts[counts.index.isin(rule.values)]
        alpha = Fraction(rule.alpha).limit_denominator(1000)
        top = int(counts.max()) if len(counts) else 0
        return len(members) >= rule.k and Fraction(top, len(members)) <= alpha
    if isinstance(rule, pl.TCloseness):
        return earth_mover(cells, case.frame[name], case.columns[name], rule.distance) <= rule.t + 1e-7
    raise AssertionError(f"no plain judge for {type(rule).__name__}: write one")


def smallest_box(column: Column, cells: pd.Series) -> list[Any]:
    """The values that the smallest box around some cells covers."""
    ranks = sorted(column.rank(value) for value in set(cells))
    if column.kind == TREE:
        assert column.paths is not None
        node = lowest_common([column.paths[rank] for rank in ranks])
        return sorted(path[0] for path in below(column.paths, *node))
    if column.kind == "ordered":
        return column.values[ranks[0] : ranks[-1] + 1]
    return [column.values[rank] for rank in ranks]
