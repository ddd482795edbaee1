"""Points of a trade-off: what a privacy parameter costs, from a sweep that was run, or measured here and now."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ppdp_lab import metrics
from ppdp_lab.anonymize import Mondrian
from ppdp_lab.errors import DataFileError, InfeasibleError, ParameterError
from ppdp_lab.explore.base import Work
from ppdp_lab.lab.measure.tour import rules
from ppdp_lab.lab.sweeping.result import NOTES, ROLES, read_sweep
from ppdp_lab.table import Microdata

KS = (2, 3, 5, 10, 20, 50, 100)
QUERIES, SELECTED = 200, 0.05  # count queries, and the share of the people that each one is about


def measured(
    table: Microdata,
    *,
    l: int = 3,  # noqa: E741 (the paper's symbol)
    t: float = 0.3,
    work: Work | None = None,
    known: dict | None = None,
) -> pd.DataFrame:
    """Loss and error of random count queries of Mondrian's releases for some k, under three rules.

    ``known`` remembers what was measured, so that another l or t measures only what it changes.

    >>> from ppdp_lab.lab.measure.tour import people
    >>> points = measured(people(), l=2, t=0.5)
    >>> points[points["rule"] == "k-anonymity"]["k"].tolist()
    [2, 3, 5, 10]
    """
    work, known = work or Work(), {} if known is None else known
    if "queries" not in known:
        known["queries"] = metrics.queries_by_selectivity(table, SELECTED, QUERIES, sensitive="any")
    asked = known["queries"]
    wanted = [(k, name, rule) for k in KS if k <= len(table) for name, rule in rules(k, l=l, t=t).items()]
    if not table.schema.sensitive:
        wanted = [each for each in wanted if each[1] == "k-anonymity"]
    for done, (k, _, rule) in enumerate(wanted):
        if str(rule) not in known:
            work.step(done, len(wanted), f"k = {k}")
            known[str(rule)] = _costs(table, rule, asked)
    rows = [{"k": k, "rule": name, **known[str(rule)]} for k, name, rule in wanted if known[str(rule)]]
    if not rows:
        raise InfeasibleError(f"no k of {KS[0]} or more can be kept with {len(table):,} people; take a larger table")
    return with_roles(pd.DataFrame(rows), ["k", "rule"], ["gcp", "non_uniform_entropy", "query_error"])


def _costs(table: Microdata, rule: object, asked: metrics.Queries) -> dict[str, float]:
    """What a release costs; nothing where the table cannot keep the rule."""
    try:
        release = Mondrian(rule).anonymize(table)  # type: ignore[arg-type]
    except InfeasibleError:
        return {}
    losses = {metric.name: metric(release) for metric in (metrics.gcp, metrics.non_uniform_entropy)}
    return {**losses, "query_error": metrics.query_error(release, asked)}


def with_roles(frame: pd.DataFrame, parameters: list[str], measures: list[str]) -> pd.DataFrame:
    """The frame, and which of its columns were set and which measured."""
    frame.attrs[ROLES] = {"parameters": parameters, "measures": measures}
    return frame


def read_points(path: str | Path) -> pd.DataFrame:
    """The points of a sweep: its folder, one of its parquet files, or any other parquet file.

    Of a file that does not say what its columns are, texts and numbers of few values are taken for parameters.
    """
    path = Path(path)
    if (path if path.is_dir() else path.parent).joinpath(NOTES).is_file():
        frame = read_sweep(path).frame
    else:
        frame = _bare(path)
    said = frame.attrs.get(ROLES, {})
    numbers = [name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name])]
    measures = [n for n in said.get("measures", ()) if n in numbers] or [
        name for name in numbers if name in metrics.ALL or frame[name].nunique() > len(frame) / 2
    ]
    parameters = [n for n in said.get("parameters", ()) if n in frame.columns]
    parameters = parameters or [name for name in frame.columns if name not in measures]
    if not measures or not set(parameters) & set(numbers):
        raise ParameterError(f"{str(path)!r} has no numbers to draw: a swept parameter and what was measured at it")
    return with_roles(frame.reset_index(drop=True), parameters, measures)


def _bare(path: Path) -> pd.DataFrame:
    """A parquet file that no sweep wrote."""
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataFileError(
            f"{str(path)!r} holds no sweep ({why}); name the folder that `ppdp-lab sweep` prints, or a .parquet file in it"
        ) from None


def axes_of(points: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Parameters that can stand along an axis, those with most values first, and what was measured.

    >>> axes_of(with_roles(pd.DataFrame({"m": [2, 2], "k": [2, 3], "loss": [0.1, 0.2]}), ["m", "k"], ["loss"]))
    (['k', 'm'], ['loss'])
    """
    said = points.attrs[ROLES]
    numbers = [name for name in said["parameters"] if pd.api.types.is_numeric_dtype(points[name])]
    return sorted(numbers, key=lambda name: -points[name].nunique()), list(said["measures"])


def names_of(points: pd.DataFrame, x: str) -> pd.Series:
    """What tells the points of one x apart: all other parameters, in words."""
    parameters = points.attrs[ROLES]["parameters"]
    others = [name for name in parameters if name != x and len(points[name].unique()) > 1]
    if not others:
        return pd.Series("", index=points.index)
    texts = [
        points[n].astype(str) if points[n].dtype.kind not in "ifu" else n + " = " + points[n].astype(str)
        for n in others
    ]
    return texts[0].str.cat(texts[1:], sep=", ")
