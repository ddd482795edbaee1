"""The first picture of a sweep: what is on which axis follows from the grid."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ppdp_lab import plotting
from ppdp_lab.attacks import ATTACKS
from ppdp_lab.errors import ParameterError, check_items, comes_with, listed, unknown
from ppdp_lab.metrics import METRICS
from ppdp_lab.sweep.result import ROLES

MOST, BESIDE_ROWS = 6, 4  # panels of measures, and of those if there are several rows of panels
FEW = 50  # values of a column that may be told apart; more are no series
WIDE, TICKS = 25, 8  # how far apart values stand on a scale of factors, and how many of them get a tick
REPEATING = ("seed",)  # averaged over rather than told apart
APART = ("dataset", "rows")  # whose curves are no rivals: in rows rather than in colours
UNITS = {"seconds": "time (s)", "suppressed": "suppressed (records)", "counterfeits": "counterfeits (records)"}
UNITS |= {"dirty": "dirty (records)"}


@dataclass(frozen=True)
class Layout:
    """Which column is on the x axis, which one is told apart by colour, which by rows; the others are averaged over.

    Columns that are ``joined`` to the colour are parameters that only some of its values have, such as e of a publisher.
    """

    x: str
    colour: str | None
    row: str | None
    averaged: tuple[str, ...]
    numeric: bool
    joined: tuple[str, ...] = ()


def layout(frame: pd.DataFrame) -> Layout:
    """The numeric parameter with most values on x, the next ones as colour and rows; repetitions are averaged.

    >>> frame = pd.DataFrame({"algorithm": ["a", "a", "a", "b", "b", "b"], "k": [2, 5, 9] * 2, "loss": range(6)})
    >>> frame.attrs = {"sweep": {"parameters": ["algorithm", "k"], "measures": ["loss"]}}
    >>> layout(frame)
    Layout(x='k', colour='algorithm', row=None, averaged=(), numeric=True, joined=())
    """
    said, counts = frame.attrs[ROLES], frame.nunique()
    swept = [name for name in said["parameters"] if counts[name] > 1]
    # What a notebook or a series of releases goes through by itself comes after what was asked for.
    roles = {*said["parameters"], *said["measures"]}
    own = [name for name in frame.columns if name not in roles and 1 < counts[name] <= FEW]
    repeated = [name for name in swept if name in REPEATING and len(swept) > 1]
    some = [name for name in said["parameters"] if frame[name].isna().any()]
    order = sorted((name for name in swept if name not in (*repeated, *some)), key=lambda name: -counts[name])
    numbers = [name for name in (*order, *some, *own) if _numeric(frame[name])]
    found = [*numbers, *order, *own, *said["parameters"], *frame.columns]
    x = found[0]
    others = [name for name in (*order, *own) if name != x]
    others.sort(key=lambda name: (counts[name] > len(plotting.COLOURS), name in APART))
    colour, row = (*others, None, None)[:2]
    joined = [name for name in some if name != x and colour is not None]
    row = None if row is not None and counts[row] > MOST else row
    averaged = [*repeated, *(name for name in others if name not in (colour, row))]
    return Layout(x, colour, row, tuple(averaged), _numeric(frame[x]), tuple(joined))


def _numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def label_of(name: str) -> str:
    """A column as an axis is labelled: metrics and attacks say themselves how.

    >>> label_of("fem"), label_of("homogeneity"), label_of("loss")
    ('FEM (nats)', 'homogeneity (share breached)', 'loss')
    """
    if name in METRICS:
        return METRICS[name].axis
    if name in ATTACKS:
        return f"{ATTACKS.entry(name).name} (share breached)"
    return UNITS.get(name, name)


def draw(frame: pd.DataFrame, measures: Sequence[str] | None = None) -> Figure:
    """Draw a table of a sweep; see :meth:`ppdp_lab.sweep.Sweep.plot`."""
    said = frame.attrs[ROLES]
    known = said["measures"]
    if not known:
        raise ParameterError(f"there is no number to draw among the columns {listed(frame.columns)}")
    plan = layout(frame)
    wanted = _first(frame, known, plan) if measures is None else check_items("measures", measures)
    for name in wanted:
        if name not in known:
            raise ParameterError(str(unknown("measure", name, known)))
    frame = _told_apart(frame, plan)
    rows = [None] if plan.row is None else _order(frame, plan.row)
    across, down = (len(wanted), len(rows)) if plan.row is not None or len(wanted) <= 3 else (3, -(-len(wanted) // 3))
    share = "col" if plan.row is not None else False  # the same measure below itself: rows are compared
    fig, axes = plotting.figure(down, across, width=3.6 if across > 1 else 5.2, height=2.8, squeeze=False, sharey=share)
    panels = [(row, measure) for row in rows for measure in wanted]
    for ax, (row, measure) in zip(axes.flat, panels):
        part = frame if row is None else frame[frame[plan.row] == row]
        _panel(ax, part.dropna(subset=[measure]), plan, measure, _order(frame, plan.colour))
        title = "" if row is None else f"{plan.row} = {row}"
        plotting.label(ax, x=label_of(plan.x), y=_in_lines(label_of(measure)), title=title, legend=False)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    if plan.colour is not None:
        _legend(fig, axes.flat[0], plan.colour)
    left_out = [name for name in known if name not in wanted]
    return plotting.caption(fig, _caption(said, frame, plan, left_out), provenance=said.get("provenance", ""))


def _told_apart(frame: pd.DataFrame, plan: Layout) -> pd.DataFrame:
    """The frame with what is told apart by colour or rows as text, in the order of its values."""
    for name in filter(None, (plan.colour, plan.row)):
        joined = [name, *(plan.joined if name == plan.colour else ())]
        rows = frame[joined].drop_duplicates()
        rows = rows.sort_values(joined) if _numeric(frame[name]) else rows
        labels = [_words(dict(zip(joined, row))) for row in rows.itertuples(index=False)]
        each = [_words(dict(zip(joined, row))) for row in frame[joined].itertuples(index=False)]
        frame = frame.assign(**{name: pd.Categorical(each, list(dict.fromkeys(labels)))})
    return frame


def _words(values: dict[str, Any]) -> str:
    """The first value, and under their names those of the others that there are."""
    first, *others = ((name, value) for name, value in values.items())
    said = [f"{name} = {value}" for name, value in others if not pd.isna(value)]
    return ", ".join(
        ["none" if pd.isna(first[1]) else f"{first[1]:g}" if isinstance(first[1], float) else str(first[1]), *said]
    )


def _in_lines(label: str) -> str:
    """A label that fits beside a panel: a long one has its unit below it."""
    return (
        label
        if len(label) <= 24
        else "\n".join(textwrap.fill(part, 24) for part in label.replace(" (", "\n(").split("\n"))
    )


def _first(frame: pd.DataFrame, measures: Sequence[str], plan: Layout) -> list[str]:
    """What is drawn unless said otherwise: metrics and attacks before times and counts, and nothing that is always the same."""
    counts = frame.nunique()
    ranked = sorted(measures, key=lambda name: (counts[name] < 2, name not in METRICS and name not in ATTACKS))
    telling = [name for name in ranked if counts[name] > 1] or ranked
    return telling[: MOST if plan.row is None else BESIDE_ROWS]


def _order(frame: pd.DataFrame, told_apart: str | None) -> list[str]:
    return [] if told_apart is None else list(frame[told_apart].cat.categories)


def _panel(ax: Any, part: pd.DataFrame, plan: Layout, measure: str, order: list[Any]) -> None:
    with comes_with("lab"):
        import seaborn

    looks = [plotting.style(i) for i in range(max(1, len(order)))]
    shared: dict[str, Any] = {"data": part, "x": plan.x, "y": measure, "ax": ax, "errorbar": ("pi", 100)}
    if plan.colour is not None:
        shared |= {
            "hue": plan.colour,
            "hue_order": order,
            "palette": [look["color"] for look in looks],
            "legend": "full",
        }
    with plotting.look():
        if plan.numeric:
            styled = {"style": plan.colour, "style_order": order} if plan.colour is not None else {}
            marks = {"markers": [look["marker"] for look in looks], "dashes": [_dashes(look) for look in looks]}
            seaborn.lineplot(**shared, **styled, **marks if styled else {"marker": "o", "color": plotting.COLOURS[0]})
            _ticks(ax, sorted(part[plan.x].dropna().unique()))
        else:
            shapes = [look["marker"] for look in looks]
            colour = {} if plan.colour is not None else {"color": plotting.COLOURS[0]}
            seaborn.pointplot(
                **shared, **colour, linestyle="none", markers=shapes if order else "o", dodge=bool(order) and 0.3
            )
            ax.tick_params(axis="x", rotation=20 if max(map(len, part[plan.x].astype(str)), default=0) > 8 else 0)
    if ax.get_legend() is not None:
        ax.get_legend().remove()


def _dashes(look: dict[str, Any]) -> Any:
    """A line style as seaborn wants it: where two curves are the same, both are seen."""
    return "" if look["linestyle"] == "-" else look["linestyle"][1]


def _ticks(ax: Any, values: list[Any]) -> None:
    """Ticks at the values of the grid; on a scale of factors where they spread over more than one power of ten."""
    if len(values) > 1 and values[0] > 0 and values[-1] / values[0] > WIDE:
        ax.set_xscale("log")
    if len(values) <= TICKS:
        ax.set_xticks(values, labels=[f"{value:,.6g}" for value in values])
        ax.minorticks_off()


def _legend(fig: Figure, ax: Any, title: str) -> None:
    handles, labels = ax.get_legend_handles_labels()
    if handles:
        with plotting.look():
            fig.legend(handles, labels, title=label_of(title), loc="outside upper left", ncols=min(6, len(labels)))


def _caption(said: dict[str, Any], frame: pd.DataFrame, plan: Layout, left_out: Sequence[str]) -> str:
    values = {name: list(dict.fromkeys(frame[name])) for name in said["parameters"]}
    fixed = [f"{name} = {found[0]}" for name, found in values.items() if len(found) == 1]
    parts = [f"Sweep of {said.get('function', '')}" + (f" at {', '.join(fixed)}" if fixed else "") + "."]
    if plan.averaged:
        parts.append(f"Mean and range over {', '.join(plan.averaged)}.")
    if left_out:
        parts.append(f"Not drawn: {', '.join(left_out)}.")
    return " ".join(parts)
