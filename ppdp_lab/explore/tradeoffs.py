"""Points of a trade-off: what a privacy parameter costs, from a sweep that was run, or measured here and now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdp_lab import metrics, plotting
from ppdp_lab.anonymize import Mondrian
from ppdp_lab.errors import DataFileError, InfeasibleError, ParameterError
from ppdp_lab.explore.base import EXPLORERS, Explorer, Knob, Pick, Shown, Stops, Typed, Whole, Work, script
from ppdp_lab.explore.tables import Tables
from ppdp_lab.lab.catalogue import find_root
from ppdp_lab.lab.compare import rules
from ppdp_lab.sweep.result import NOTES, ROLES, read_sweep
from ppdp_lab.table import Microdata, Schema
from ppdp_lab.text import letters, number

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

    >>> from ppdp_lab import datasets
    >>> points = measured(datasets.load("adult", rows=12), l=2, t=0.5)
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
        name for name in numbers if name in metrics.METRICS or frame[name].nunique() > len(frame) / 2
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


# --------------------------------------------------------------------
# What a privacy parameter costs: loss and query error against it, point by point.


RING = plotting.INK


def draw_tradeoff(points: pd.DataFrame, *, x: str, loss: str, error: str, point: int | None = None) -> Figure:
    """Two measures against one parameter, a line for each combination of the others; one point may be marked."""
    names = names_of(points, x)
    lines = by_name(points, names)
    with plotting.look():
        figure, axes = plotting.figure(1, 2, width=4.4, height=3.6)
        for ax, column, part in zip(axes, (loss, error), ("loss", "error")):
            _curves(ax, lines, x, column, part)
            if point is not None:
                at = points.iloc[point]
                ax.plot(at[x], at[column], "o", markersize=14, markerfacecolor="none", color=RING, markeredgewidth=1.8)
            values = sorted(points[x].unique())
            if min(values) > 0 and max(values) / min(values) >= 20:
                ax.set_xscale("log")
                ax.set_xticks(values, [f"{value:g}" for value in values])
                ax.minorticks_off()
            plotting.label(ax, x=letters(x), y=letters(label_of(column)), legend=False)
        if len(lines) > 1:
            plotting.legend_above(figure, axes[0], columns=3)
        return figure


def _curves(ax: Axes, lines: dict[str, pd.DataFrame], x: str, y: str, part: str) -> None:
    for index, (name, chosen) in enumerate(lines.items()):
        looks = plotting.style(index)
        means = chosen.groupby(x)[y].mean()
        ax.plot(means.index, means, color=looks["color"], linestyle=looks["linestyle"])
        ax.plot([], [], label=letters(name), **looks)
        # All marks at once: one by one they took a third of the time of the picture.
        marks = ax.scatter(chosen[x], chosen[y], s=49, marker=looks["marker"], color=looks["color"], zorder=2.1)
        marks.set_gid(gid(part, index))


def by_name(points: pd.DataFrame, names: pd.Series) -> dict[str, pd.DataFrame]:
    """The points of each line, in the order in which the lines are drawn."""
    bare = points.copy(deep=False)
    bare.attrs = {}  # pandas copies them, in depth, at every look into a frame
    return {str(name): chosen for name, chosen in bare.groupby(names, sort=False)}


def gid(part: str, line: int) -> str:
    """The name of the marks of a line in the drawing."""
    return f"points-{part}-{line}"


def label_of(column: str) -> str:
    """A measure's label: that of the metric, where it is one."""
    return metrics.get(column).axis if column in metrics.METRICS else column.replace("_", " ")


# --------------------------------------------------------------------
# Trade-off: what a privacy parameter costs, point by point.


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
            measured(table, l=values, t=t, work=work, known=known)

    def _points(self, state: Mapping[str, Any], work: Work) -> tuple[pd.DataFrame, list[str]]:
        source = state["source"].strip()
        if source != HERE:
            return read_points(source), [f"points = explore.tradeoffs.read_points({source!r})"]
        known = self._known.setdefault(state["table"], {})
        points = measured(self._tables[state["table"]], l=state["l"], t=state["t"], work=work, known=known)
        lines = [
            self._tables.code(state["table"]),
            f"points = explore.tradeoffs.measured(table, l={state['l']}, t={state['t']})",
        ]
        return points, lines

    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """All points, and one of them."""
        work.step(0, 10, "reading")
        points, lines = self._points(state, work)
        parameters, measures = axes_of(points)
        x = Pick("x", "parameter", parameters[0], options=tuple(parameters)).kept(state["x"])
        some: Any = {"options": tuple(measures), "words": {name: label_of(name) for name in measures}}
        loss = Pick("loss", "loss", _first(measures, LOSSES), **some).kept(state["loss"])
        error = Pick("error", "query error", _first(measures, ERRORS, -1), **some).kept(state["error"])
        point = Whole("point", "point", 1, 1, len(points)).kept(state["point"])
        names = names_of(points, x.value)
        values = zip(names, points[x.value], points[loss.value], points[error.value])
        words = [_words(name, x.value, (at, lost, wrong), loss.value, error.value) for name, at, lost, wrong in values]
        diverse = self._diverse(state)
        lines_of = by_name(points, names)
        chosen = dict(x=x.value, loss=loss.value, error=error.value, point=point.value - 1)  # from 0, as rows are
        says = f"Point {point.value} of {len(points)}: {words[point.value - 1]}.{self._lacking(state, points)}"
        return Shown(
            figure=draw_tradeoff(points, **chosen),
            alt=f"{label_of(loss.value)} and {label_of(error.value)} against {x.value}. {says}",
            says=says,
            facts=_facts(lines_of, x.value, loss.value, error.value),
            code=script(
                *lines,
                f"figure = explore.tradeoffs.draw_tradeoff(points, {', '.join(f'{k}={v!r}' for k, v in chosen.items())})",
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
