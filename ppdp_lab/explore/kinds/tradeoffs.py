"""Trade-off: what a privacy parameter costs, point by point."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.explore import drawings
from ppdp_lab.explore.base import EXPLORERS, Explorer, Knob, Pick, Shown, Stops, Typed, Whole, Work
from ppdp_lab.explore.code import script
from ppdp_lab.explore.drawings.tradeoffs import by_name, gid, label_of
from ppdp_lab.explore.given import Tables
from ppdp_lab.explore.measure import tradeoffs
from ppdp_lab.lab.experiment.catalogue import find_root
from ppdp_lab.lab.report.text import number
from ppdp_lab.table import Schema

HERE = "measured here"
ROWS, LEAST, MOST, TS = 2_000, 2, 10, (0.1, 0.2, 0.3, 0.4, 0.5)
LOSSES, ERRORS = ("gcp", "ncp", "loss", "discernibility"), ("query_error", "error", "median_error")


class Tradeoffs(Explorer):
    """Loss and query error against a privacy parameter."""

    title = "Trade-off"
    look = (
        "Every point is one release: further down it keeps more, and further right it is safer if the parameter is one that "
        "protects more as it grows, such as k, l or m. Look for the value beyond which more safety costs little, or too much, "
        "and whether loss and query error agree on it."
    )

    def __init__(self, table: Any = None, schema: Schema | None = None) -> None:
        swept = isinstance(table, (str, Path)) and (str(table).endswith(".parquet") or Path(table).is_dir())
        self._source = str(table) if swept else HERE
        self._tables = Tables(None if swept else table, schema, default="adult", rows=ROWS, one_secret=True)
        self._known: dict[str, dict[str, Any]] = {}

    def knobs(self) -> tuple[Knob, ...]:
        """Where the points come from, what is drawn, and which point is looked at."""
        return (
            Typed("source", "points", self._source, options=(HERE, *_sweeps())),
            Whole("point", "point", 1, 1, 21),
            Pick("x", "parameter", "k", options=("k",)),
            Pick("loss", "loss", "gcp", options=("gcp",)),
            Pick("error", "query error", "query_error", options=("query_error",)),
            self._tables.knob(),
            Whole("l", "l (values)", 3, LEAST, MOST),
            Stops("t", "t (distance)", 0.3, options=TS),
        )

    def ahead(self, state: Mapping[str, Any], work: Work) -> None:
        """Measure what the other stops of l and t would show, the nearest of both first, where the table is small."""
        table = self._tables[state["table"]]
        if state["source"].strip() != HERE or len(table) > ROWS:
            return
        known = self._known.setdefault(state["table"], {})
        at = TS.index(state["t"])
        near = [(abs(values - state["l"]), values, state["t"]) for values in range(LEAST, MOST + 1)]
        near += [(abs(i - at), state["l"], t) for i, t in enumerate(TS)]
        for _, values, t in sorted(near):
            tradeoffs.measured(table, l=values, t=t, work=work, known=known)

    def _points(self, state: Mapping[str, Any], work: Work) -> tuple[pd.DataFrame, list[str]]:
        source = state["source"].strip()
        if source != HERE:
            return tradeoffs.read_points(source), [f"points = explore.measure.tradeoffs.read_points({source!r})"]
        known = self._known.setdefault(state["table"], {})
        points = tradeoffs.measured(self._tables[state["table"]], l=state["l"], t=state["t"], work=work, known=known)
        lines = [
            self._tables.code(state["table"]),
            f"points = explore.measure.tradeoffs.measured(table, l={state['l']}, t={state['t']})",
        ]
        return points, lines

    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """All points, and one of them."""
        work.step(0, 10, "reading")
        points, lines = self._points(state, work)
        parameters, measures = tradeoffs.axes_of(points)
        x = Pick("x", "parameter", parameters[0], options=tuple(parameters)).kept(state["x"])
        some: Any = {"options": tuple(measures), "words": {name: label_of(name) for name in measures}}
        loss = Pick("loss", "loss", _first(measures, LOSSES), **some).kept(state["loss"])
        error = Pick("error", "query error", _first(measures, ERRORS, -1), **some).kept(state["error"])
        point = Whole("point", "point", 1, 1, len(points)).kept(state["point"])
        names = tradeoffs.names_of(points, x.value)
        values = zip(names, points[x.value], points[loss.value], points[error.value])
        words = [_words(name, x.value, (at, lost, wrong), loss.value, error.value) for name, at, lost, wrong in values]
        diverse = self._diverse(state)
        lines_of = by_name(points, names)
        chosen = dict(x=x.value, loss=loss.value, error=error.value, point=point.value - 1)  # from 0, as rows are
        says = f"Point {point.value} of {len(points)}: {words[point.value - 1]}.{self._lacking(state, points)}"
        return Shown(
            figure=drawings.tradeoff(points, **chosen),
            alt=f"{label_of(loss.value)} and {label_of(error.value)} against {x.value}. {says}",
            says=says,
            facts=_facts(lines_of, x.value, loss.value, error.value),
            code=script(
                *lines,
                f"figure = explore.drawings.tradeoff(points, {', '.join(f'{k}={v!r}' for k, v in chosen.items())})",
                "plotting.show(figure)",
            ),
            hover={
                gid(part, line): [words[i] for i in mine.index]
                for part in ("loss", "error")
                for line, mine in enumerate(lines_of.values())
            },
            knobs=(
                x,
                loss,
                error,
                point,
                *self.idle(table=state["source"].strip() != HERE, l=not diverse, t=not diverse),
            ),
        )

    def _diverse(self, state: Mapping[str, Any]) -> bool:
        """Whether l and t are asked for: points are measured here, and the table has a secret."""
        return state["source"].strip() == HERE and bool(self._tables[state["table"]].schema.sensitive)

    def _lacking(self, state: Mapping[str, Any], points: pd.DataFrame) -> str:
        """Rules that no release of the table keeps, whatever k is."""
        if not self._diverse(state):
            return ""
        limits = {"+ l-diversity": f"l = {state['l']}", "+ t-closeness": f"t = {state['t']}"}
        lacking = [limit for rule, limit in limits.items() if rule not in set(points["rule"])]
        return f" No release of this table keeps {' or '.join(lacking)}." if lacking else ""


def _sweeps() -> list[str]:
    """Sweeps that lie among the results, the newest first."""
    files = sorted(find_root().glob("results/**/sweep*/*.parquet"), key=lambda p: -p.stat().st_mtime_ns)
    return [str(path) for path in files[:20]]


def _first(measures: list[str], wanted: tuple[str, ...], otherwise: int = 0) -> str:
    return next((name for name in wanted if name in measures), measures[otherwise])


def _words(name: str, x: str, values: tuple[float, float, float], loss: str, error: str) -> str:
    at, lost, wrong = map(number, values)
    return f"{f'{name}, ' if name else ''}{x} = {at}: {label_of(loss)} {lost}, {label_of(error)} {wrong}"


def _facts(lines: Mapping[str, pd.DataFrame], x: str, loss: str, error: str) -> list[Any]:
    """The mean over the points of each line."""
    means = [
        (name or "all", *(number(mine[column].mean()) for column in (loss, error))) for name, mine in lines.items()
    ]
    return [(f"mean over {x}", label_of(loss), label_of(error)), *means[:10]]


@EXPLORERS.add(accepts="a sweep, or a table to measure", promises=Tradeoffs.look, paper="LeFevre et al., ICDE 2006")
def tradeoff(table: Any = None, schema: Schema | None = None, **knobs: Any) -> Any:
    """A privacy parameter against loss and query error, point by point, from a sweep or measured here.

    Parameters
    ----------
    table : str, path, Microdata or DataFrame, optional
        A sweep's folder or parquet file; or what is to be measured: a data set's name, a TOML file, a table, or a frame with
        its ``schema``.
    schema : Schema, optional
    **knobs
        Knobs turned from the start, such as ``l=5``.
    """
    from ppdp_lab.explore.panel import Panel  # widgets are an extra: everything else here does without

    return Panel(Tradeoffs(table, schema), knobs)
