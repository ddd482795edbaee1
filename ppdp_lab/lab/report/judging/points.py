"""Selecting the points that a claim is about from the result tables of a run."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ppdp_lab.errors import PPDPError, listed, unknown
from ppdp_lab.lab.experiment.claims import PAIRS, Claim
from ppdp_lab.lab.report.text import data_name
from ppdp_lab.lab.run.tables import Tables

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
    left_out = [" ".join(data_name(str(value)) for value in row) for row in points.loc[nothing, keys].to_numpy()]
    points = points[~nothing].reset_index(drop=True)
    points.attrs[LEFT_OUT] = left_out
    if claim.kind not in PAIRS:
        points[VALUE] = points[FIRST] / points[SECOND]  # infinite where only the second is 0
    return points
