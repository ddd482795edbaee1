"""Selecting the points that a claim is about from the result tables of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.datasets.loading import data_name
from ppdp_lab.errors import PPDPError, listed, unknown
from ppdp_lab.lab.experiment import (
    FAILS,
    HOLDS,
    NOT_MEASURABLE,
    NOT_TESTED,
    NOTHING,
    PAIRS,
    Claim,
    ClaimVerdict,
    Experiment,
    short_name,
)
from ppdp_lab.lab.identity import memory_gb
from ppdp_lab.lab.runs import Tables
from ppdp_lab.text import number

VALUE, FIRST, SECOND, VOID = "value", "first", "second", "void"
LEFT_OUT = "left out"  # among the attributes of a claim's points: names of those where both curves are 0


class ClaimError(PPDPError, ValueError):
    """A claim's query does not fit the results: it selects nothing, or asks for a column that is not there."""


def select(claim: Claim, results: Tables) -> pd.DataFrame:
    """The points of a claim: its ``x`` and ``by`` columns, and a ``value`` (or ``first`` and ``second`` for two curves).

    Where the claim says which rows are void there is a column for that, too: whether a point has no other rows. Points
    where two curves are both 0 are left out: there is nothing to compare.

    >>> results = {"grid": pd.DataFrame({"k": [2, 2, 5], "loss": [1.0, 3.0, 7.0]})}
    >>> select(Claim("c", "loss grows", "rises", "loss", table="grid", x=("k",)), results)
       k  value
    0  2    2.0
    1  5    7.0
    """
    rows = _where(claim, _table(claim, results))
    axes = [*claim.by, *claim.x]
    for column in [*axes, *([claim.series] if claim.series else [])]:
        if column not in rows.columns:
            raise ClaimError(f"{unknown('column', column, map(str, rows.columns))}")
        if column == claim.series and column in axes:
            raise ClaimError(f"series {column!r} cannot also be an axis")
    points = pd.DataFrame({f"axis {i}": rows[axis].to_numpy() for i, axis in enumerate(axes)})
    keys = list(points.columns)
    points[VALUE] = _value(claim, rows).to_numpy()
    means: dict[str, Any] = {VALUE: "mean"}
    if claim.void:
        points[VOID] = rows.index.isin(_ask(claim.void, "void", rows).index)
        means[VOID] = "all"
    if claim.series:
        points = _two_curves(claim, points, rows[claim.series], keys, means)
    elif keys:
        points = points.groupby(keys, sort=True, observed=True).agg(means).reset_index()
    if claim.aggregate:
        return pd.DataFrame({VALUE: [points[VALUE].agg(claim.aggregate)]})
    return points.rename(columns=dict(zip(keys, axes)))


def _table(claim: Claim, results: Tables) -> pd.DataFrame:
    if claim.table and claim.table not in results:
        raise ClaimError(f"{unknown('table', claim.table, results)}")
    if not claim.table and len(results) > 1:
        raise ClaimError(f"it must say which of the results it reads: table = one of {listed(results)}")
    return results[claim.table or next(iter(results))].reset_index(drop=True)


def _where(claim: Claim, table: pd.DataFrame) -> pd.DataFrame:
    if len(table) == 0:
        raise ClaimError(f"the results{f' {claim.table!r}' if claim.table else ''} have no rows")
    if not claim.where:
        return table
    rows = _ask(claim.where, "where", table)
    if len(rows) == 0:
        raise ClaimError(f"where = {claim.where!r} selects none of the {len(table)} rows of the results")
    return rows


def _ask(query: str, key: str, table: pd.DataFrame) -> pd.DataFrame:
    try:
        return table.query(query, engine="python")
    except Exception as error:  # pandas raises whatever its parser, operators and types raise
        raise ClaimError(
            f"cannot ask {key} = {query!r}: {error}; the columns are {listed(table.columns, 30)}"
        ) from None


def _value(claim: Claim, rows: pd.DataFrame) -> pd.Series:
    if claim.value in rows.columns:
        value: Any = rows[claim.value]
    else:
        try:
            value = rows.eval(claim.value, engine="python")
        except Exception as error:
            raise ClaimError(
                f"cannot compute value = {claim.value!r}: {error}; the columns are {listed(rows.columns, 30)}"
            ) from None
    if not isinstance(value, pd.Series) or not pd.api.types.is_numeric_dtype(value.dtype):
        raise ClaimError(f"value = {claim.value!r} is not a column of numbers")
    missing = int(value.isna().sum())
    if missing:
        raise ClaimError(f"value = {claim.value!r} is missing in {missing} of {len(value)} selected rows")
    return value.astype(float)


def _two_curves(
    claim: Claim, frame: pd.DataFrame, series: pd.Series, keys: list[str], means: dict[str, Any]
) -> pd.DataFrame:
    """Both curves point by point; their ratio as the value, for kinds that look at one curve."""
    curves, void = [], []
    for name, column in zip(claim.compare, (FIRST, SECOND)):
        of_series = frame[(series == name).to_numpy()]
        if len(of_series) == 0:
            raise ClaimError(f"no selected row has {claim.series} == {name!r}; there are {listed(series.unique())}")
        found = of_series.groupby(keys, sort=True, observed=True).agg(means)
        curves.append(found[VALUE].rename(column))
        void += [found[VOID]] if claim.void else []
    points = pd.concat(curves, axis=1).sort_index()
    if void:
        points[VOID] = pd.concat(void, axis=1).any(axis=1)
    points = points.reset_index()
    alone = points[points[[FIRST, SECOND]].isna().any(axis=1)]
    if len(alone):
        at = ", ".join(f"{axis} = {alone[key].iloc[0]}" for axis, key in zip([*claim.by, *claim.x], keys))
        raise ClaimError(f"at {at} only one of {listed(claim.compare)} has a value; narrow the query to common points")
    nothing = (points[FIRST] == 0) & (points[SECOND] == 0)
    left_out = [_called([*claim.by, *claim.x], row) for row in points.loc[nothing, keys].to_numpy()]
    points = points[~nothing].reset_index(drop=True)
    points.attrs[LEFT_OUT] = left_out
    if claim.kind not in PAIRS:
        points[VALUE] = points[FIRST] / points[SECOND]  # infinite where only the second is 0
    return points


def _called(axes: list[str], point: Sequence[Any]) -> str:
    """A point as a reader wants it: names as they are, numbers with what they count.

    >>> _called(["dataset", "e"], ["occ", 2])
    'OCC e = 2'
    """
    return " ".join(data_name(v) if isinstance(v, str) else f"{axis} = {number(v)}" for axis, v in zip(axes, point))


# --------------------------------------------------------------------
# The kinds of claims: one small test each, on the points that the claim's query selected.
#
# Every test says whether the claim holds, what was measured, and at which share of the points it holds.


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


# --------------------------------------------------------------------
# Verdicts: a claim is judged as it was written, and the paper's value is printed beside the measured one.
#
# A query that selects nothing, or that meets missing values, is an error that says so, never a verdict.


def judge(claim: Claim, results: Tables, scale: str, *, strict: bool = True) -> ClaimVerdict:
    """The verdict on one claim.

    With ``strict=False``, for runs whose parameters were changed by hand, a query that selects nothing makes the claim not
    tested instead of an error: the parameters may have left out what it asks for.
    """
    give = partial(
        ClaimVerdict, id=claim.id, text=claim.text, source=claim.source, kind=claim.kind, paper=paper_says(claim)
    )
    if scale not in claim.scales:
        return give(measured="", verdict=NOT_TESTED)
    lacking = lacks(claim)
    if lacking:
        return give(measured="", verdict=NOT_MEASURABLE, reason=lacking)
    try:
        points = select(claim, results)
        if len(points) == 0:
            return give(measured="both 0 at every point", verdict=NOTHING)
        found = KINDS[claim.kind](points, claim)
        empty = points.attrs.get(LEFT_OUT)
        measured = found.measured + (f"; nothing to judge at {', '.join(empty)}" if empty else "")
    except ClaimError as error:
        if strict:
            raise ClaimError(f"claim {claim.id!r}: {error}") from None
        return give(measured="", verdict=NOT_TESTED, reason=f"with these parameters: {error}")
    verdict, reason = (HOLDS, "") if found.holds else (FAILS, reason_for(claim, measured))
    return give(measured=measured, verdict=verdict, reason=reason, share=found.share, points=found.points)


def reason_for(claim: Claim, measured: str) -> str:
    """The reason that was written for what was measured; one that was written for something else says so."""
    for reason in claim.reason:
        if reason.measured and alike(reason.measured, measured):
            return reason.text
    if not claim.reason:
        return "no reason found yet"
    first = claim.reason[0]
    said = f"for a run that measured {first.measured}" if first.measured else "for no run in particular"
    return f"no reason found yet for this run. Written {said}: {first.text}"


_NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"
LIKENESS = 0.25


def alike(written: str, measured: str) -> bool:
    """Whether two measurements are the same but for noise: same words, same counts of points, numbers within a quarter.

    >>> alike("at 4 of 5 points (80%); first / second 0.57 to 1.05", "at 4 of 5 points (80%); first / second 0.63 to 1.1")
    True
    >>> alike("at 4 of 5 points (80%)", "at 3 of 5 points (60%)")
    False
    """
    if re.sub(_NUMBER, "#", written) != re.sub(_NUMBER, "#", measured):
        return False
    counts = rf"({_NUMBER}) of ({_NUMBER})"
    if re.findall(counts, written) != re.findall(counts, measured):
        return False
    both = [[float(n.replace(",", "")) for n in re.findall(_NUMBER, text)] for text in (written, measured)]
    return all(abs(a - b) <= LIKENESS * max(abs(a), abs(b)) for a, b in zip(*both, strict=True))


def judge_all(experiment: Experiment, results: Tables, scale: str, *, strict: bool = True) -> list[ClaimVerdict]:
    """Verdicts on all claims, in the order of the file; all errors at once, if there are any."""
    verdicts, errors = [], []
    for claim in experiment.claims:
        try:
            verdicts.append(judge(claim, results, scale, strict=strict))
        except PPDPError as error:
            errors.append(str(error))
    if errors:
        raise ClaimError(f"{short_name(experiment.path)}: {'; '.join(errors)}")
    return verdicts


def paper_says(claim: Claim) -> str:
    """The paper's value as the scorecard prints it."""
    paper = claim.paper
    if isinstance(paper, str):
        return paper
    if claim.kind == "between":
        return f"{number(paper[0])} to {number(paper[1])}"
    if claim.kind in ("at_most", "at_least"):
        return f"{claim.kind.replace('_', ' ')} {number(paper)}"
    if claim.kind == "about":
        return ", ".join(map(number, paper)) if isinstance(paper, list) else f"about {number(paper)}"
    if claim.kind == "zero":
        return "0"
    if claim.kind in PAIRS:
        first, second = (data_name(str(name)) for name in claim.compare)
        return f"{first} {'close to' if claim.kind == 'close' else claim.kind} {second}"
    return claim.kind + (f" with {claim.x[0]}" if claim.x and claim.kind != "flat" else "")


def lacks(claim: Claim) -> str:
    """What this machine lacks for a claim; empty if nothing."""
    if claim.needs_cores > CORES:
        return f"needs {claim.needs_cores} cores; there are {CORES}"
    if claim.needs_memory_gb and memory_gb() < claim.needs_memory_gb:
        return f"needs {number(claim.needs_memory_gb)} GB of memory; there are {memory_gb():.1f}"
    return ""
