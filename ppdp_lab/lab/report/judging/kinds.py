"""The kinds of claims: one small test each, on the points that the claim's query selected.

Every test says whether the claim holds, what was measured, and at which share of the points it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ppdp_lab.errors import listed
from ppdp_lab.lab.experiment.claims import Claim
from ppdp_lab.lab.report.judging.points import FIRST, SECOND, VALUE, VOID, ClaimError
from ppdp_lab.lab.report.text import number

ABOUT, CLOSE, FLAT, RHO = 0.15, 0.10, 1.15, 0.9
ROUNDING = 1e-12  # 1 - 0.85 is 0.15000000000000002: the last digit of a float decides nothing


@dataclass(frozen=True)
class Outcome:
    """What a test found: whether it holds, the measured value as text, and at which share of the points it holds."""

    holds: bool
    measured: str
    share: float
    points: int


# ---------------------------------------------------------------------- one function per kind
def between(points: pd.DataFrame, claim: Claim) -> Outcome:
    """Every value lies within the paper's two numbers, ends included."""
    low, high = claim.paper
    return _numbers(points, points[VALUE].between(low, high))


def at_most(points: pd.DataFrame, claim: Claim) -> Outcome:
    """No value exceeds the paper's number."""
    return _numbers(points, points[VALUE] <= claim.paper)


def at_least(points: pd.DataFrame, claim: Claim) -> Outcome:
    """No value is under the paper's number."""
    return _numbers(points, points[VALUE] >= claim.paper)


def about(points: pd.DataFrame, claim: Claim) -> Outcome:
    """Every value is within 15 % of the paper's, at each named point if there are several."""
    paper: Any = claim.paper
    if claim.at:
        axis = claim.x[0]
        expected = dict(zip(claim.at, claim.paper))
        absent = [point for point in claim.at if not (points[axis] == point).any()]
        if absent:
            raise ClaimError(f"the results have no {axis} == {absent[0]!r}, which at names")
        points = points[points[axis].isin(claim.at)]
        paper = points[axis].map(expected).astype(float)
    near = (points[VALUE] - paper).abs() <= ABOUT * abs(paper) * (1 + ROUNDING)
    if not claim.at:
        return _numbers(points, near)
    near, void = _without_void(points, near)
    values = ", ".join(number(points.loc[points[claim.x[0]] == point, VALUE].mean()) for point in claim.at)
    return _outcome(near, f"{values}{_count(near)}{void}")


def zero(points: pd.DataFrame, claim: Claim) -> Outcome:
    """Every value is exactly 0."""
    return _numbers(points, points[VALUE] == 0)


def rises(points: pd.DataFrame, claim: Claim) -> Outcome:
    """Spearman correlation with the axis at least 0.9, on every curve."""
    return _trend(points, claim, 1)


def falls(points: pd.DataFrame, claim: Claim) -> Outcome:
    """Spearman correlation with the axis at most -0.9, on every curve."""
    return _trend(points, claim, -1)


def flat(points: pd.DataFrame, claim: Claim) -> Outcome:
    """Largest over smallest value at most 1.15, on every curve."""
    ratios = []
    for values in (curve[VALUE].to_numpy() for curve in _curves(points, claim)):
        # A ratio says nothing across zero: a curve that changes sign, or leaves 0, is not flat; one of zeros only is.
        small, large = np.sort(np.abs(values))[[0, -1]]
        one_sign = (values >= 0).all() or (values <= 0).all()
        ratios.append(1.0 if large == 0 else large / small if one_sign and small > 0 else np.inf)
    good = np.array(ratios) <= FLAT * (1 + ROUNDING)
    return _outcome(good, f"largest / smallest = {number(max(ratios))}{_count(good, 'curves')}", len(points))


def below(points: pd.DataFrame, claim: Claim) -> Outcome:
    """The first curve is under the second at every point."""
    return _pair(points, points[FIRST] < points[SECOND])


def above(points: pd.DataFrame, claim: Claim) -> Outcome:
    """The first curve is over the second at every point."""
    return _pair(points, points[FIRST] > points[SECOND])


def close(points: pd.DataFrame, claim: Claim) -> Outcome:
    """The curves are within 10 % of each other at every point: each within 10 % of the other, so of the smaller."""
    smaller = np.minimum(points[FIRST].abs(), points[SECOND].abs())
    return _pair(points, (points[FIRST] - points[SECOND]).abs() <= CLOSE * smaller * (1 + ROUNDING))


KINDS: dict[str, Callable[[pd.DataFrame, Claim], Outcome]] = {
    test.__name__: test for test in (between, at_most, at_least, about, zero, rises, falls, flat, below, above, close)
}


def _numbers(points: pd.DataFrame, good: pd.Series) -> Outcome:
    low, high = points[VALUE].min(), points[VALUE].max()
    measured = number(low) if low == high else f"{number(low)} to {number(high)}"
    good, void = _without_void(points, good)
    return _outcome(good, measured + _count(good) + void)


def _outcome(good: pd.Series | np.ndarray, measured: str, points: int | None = None) -> Outcome:
    return Outcome(bool(good.all()), measured, float(good.mean()), len(good) if points is None else points)


def _count(good: pd.Series | np.ndarray, what: str = "points") -> str:
    return f" ({int(good.sum())} of {len(good)} {what})" if len(good) > 1 else ""


def _without_void(points: pd.DataFrame, good: pd.Series) -> tuple[pd.Series, str]:
    """A void point is no win; which ones are void, in words."""
    if VOID not in points or not points[VOID].any():
        return good, ""
    axes = [column for column in points if column not in (VALUE, FIRST, SECOND, VOID)]
    named = [" ".join(map(str, row)) for row in points.loc[points[VOID], axes].to_numpy()]
    return good & ~points[VOID], f"; void at {listed(named)}"


def _pair(points: pd.DataFrame, good: pd.Series) -> Outcome:
    good, void = _without_void(points, good)
    ratios = (points[FIRST] / points[SECOND].where(points[SECOND] != 0)).dropna()
    ratio = f"; first / second {number(ratios.min())} to {number(ratios.max())}" if len(ratios) else ""
    return _outcome(good, f"at {int(good.sum())} of {len(good)} points ({good.mean():.0%}){ratio}{void}")


def _curves(points: pd.DataFrame, claim: Claim) -> Iterator[pd.DataFrame]:
    yield from (curve for _, curve in points.groupby(list(claim.by), sort=True)) if claim.by else [points]


def _trend(points: pd.DataFrame, claim: Claim, sign: int) -> Outcome:
    """Correlation of ranks per curve; a curve that never changes has none and neither rises nor falls."""
    axis = claim.x[0]
    if not pd.api.types.is_numeric_dtype(points[axis]):
        raise ClaimError(f"x = {axis!r} is not numeric, so nothing can rise or fall along it")
    correlations = []
    for curve in _curves(points, claim):
        if len(curve) < 2:
            raise ClaimError(f"a curve over {axis!r} has {len(curve)} point only; nothing can rise or fall")
        # Spearman's correlation is Pearson's of the ranks, which does not exist where all ranks are equal.
        ranks = rankdata(curve[axis]), rankdata(curve[VALUE])
        varies = np.ptp(ranks[1]) > 0
        correlations.append(float(np.corrcoef(*ranks)[0, 1]) if varies else 0.0)
    good = sign * np.array(correlations) >= RHO - ROUNDING
    worst = min(correlations, key=lambda rho: sign * rho)
    first, last = (points.loc[points[axis] == end, VALUE].mean() for end in (points[axis].min(), points[axis].max()))
    measured = f"rho = {worst:.2f} over {points[axis].nunique()} points, {number(first)} to {number(last)}"
    return _outcome(good, measured + _count(good, "curves"), len(points))
