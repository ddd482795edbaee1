"""Publishers of every kind in the registry, made with what a few knobs say."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ppdp_lab import plotting
from ppdp_lab.anonymize import Anonymizer, Mondrian
from ppdp_lab.attacks import Background, SensitiveUpdateGraph, UpdateModel
from ppdp_lab.datasets.examples import ExampleRelease, equivalence, mdistinct
from ppdp_lab.errors import IdError, PPDPError
from ppdp_lab.explore.base import EXPLORERS, Explorer, Kept, Knob, Pick, Shown, Whole, Work, script
from ppdp_lab.explore.tables import Tables
from ppdp_lab.principles import DistinctLDiversity, KAnonymity
from ppdp_lab.registry import make
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.release.forms import Published
from ppdp_lab.republish import PUBLISHERS, Publisher, UpdateStream
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Microdata, Schema
from ppdp_lab.text import letters

ALONE = "Mondrian, each release alone"


def names() -> list[str]:
    """Publishers that can be made so, and the anonymizer that remembers nothing, first."""
    known = _said(2, None)
    fits = [e.name for e in PUBLISHERS.entries() if all(p.name in known for p in e.parameters if p.required)]
    return [ALONE, *fits]


def maker_of(name: str, m: int, model: UpdateModel | None = None) -> tuple[Publisher | Anonymizer, str]:
    """A publisher by name, with m for whatever it counts, and the code that makes it; ``model`` is a variable there.

    >>> maker_of("MInvariance", 3)[1]
    "MInvariance(m=3, seed=0, on_invalid='suppress')"
    """
    said = _said(m, model)
    if name == ALONE:
        alone = Mondrian(said["rule"])
        return alone, repr(alone)
    entry = PUBLISHERS.entry(name)
    wanted = {p.name: said[p.name] for p in entry.parameters if p.name in said}
    texts = [f"{key}={'model' if key == 'model' else repr(value)}" for key, value in wanted.items()]
    return make(entry.member, wanted), f"{entry.name}({', '.join(texts)})"


def _said(m: int, model: UpdateModel | None) -> dict[str, Any]:
    """What publishers may be made with. Seeded, so that the code makes the same picture: this is no publication."""
    rule = KAnonymity(m) & DistinctLDiversity(m)
    said = {"m": m, "k": m, "rule": rule, "e": 2, "seed": 0, "on_invalid": "suppress"}
    return said if model is None else said | {"model": model}


# --------------------------------------------------------------------
# A series of releases, what an adversary knows of it, and what is left of one person's secret after each release.


PRINTED = {
    "patients": {
        "as printed, 2-diverse": mdistinct.diverse_series,
        "as printed, 2-Distinct": mdistinct.distinct_series,
    },
    "hospital": {
        "as printed, 2-diverse": equivalence.naive_series,
        "as printed, 2-invariant": equivalence.invariant_series,
    },
}
"""Worked examples: six patients whose values change (Li and Zhou), a hospital where people come and go (He et al.)."""


@dataclass(frozen=True, eq=False)
class Series:
    """Published tables and the strongest background on them; what follows sees nothing else of the releases."""

    published: list[Published]
    background: Background

    @classmethod
    def of(cls, releases: Sequence[Release], *, model: UpdateModel | None = None, groups: bool = True) -> Series:
        """What was published, everybody's presence and quasi-identifiers, their groups if told, and the update model."""
        known = Background.worst_case(releases).with_model(model)
        return cls([r.published() for r in releases], known if groups else known.without_groups())


def published_by(maker: Publisher | Anonymizer, snapshots: Iterable[Snapshot | Microdata]) -> list[Release]:
    """The releases of a publisher, or of an anonymizer that takes every table for the first one it sees."""
    if isinstance(maker, Publisher):
        fresh = copy.deepcopy(maker)  # the one that was given may be used again
        return [fresh.publish(snapshot) for snapshot in snapshots]
    return [maker.anonymize(s.table if isinstance(s, Snapshot) else s) for s in snapshots]


def printed_series(tables: Sequence[ExampleRelease]) -> list[Release]:
    """Releases as a paper prints them."""
    out = []
    for table in tables:
        fake = table.counterfeits
        invented = Counterfeits(table.counterfeit_class, fake.sensitive_codes, fake.qi_codes)
        out.append(Release(table.table, table.class_of, counterfeits=invented, grouped=True))
    return out


def worked_example(data: str) -> tuple[list[Microdata], UpdateModel | None]:
    """The tables of a worked example, and how values change in it.

    >>> [len(table) for table in worked_example("hospital")[0]], worked_example("hospital")[1]
    ([6, 7, 5], None)
    """
    if data == "patients":
        return [mdistinct.table_1(), mdistinct.table_2()], UpdateModel.blocks(mdistinct.candidate_update_sets())
    return [t.table for t in (equivalence.table_1(), equivalence.table_2(), equivalence.table_6())], None


# ---------------------------------------------------------------------- one person
def graphs_of(series: Series, person: object) -> list[SensitiveUpdateGraph | None]:
    """The person's update graph after each release; None as long as they have not been published.

    >>> tables = printed_series(mdistinct.diverse_series())
    >>> series = Series.of(tables, model=worked_example("patients")[1])
    >>> [[sorted(level) for level in graph.feasible().levels] for graph in graphs_of(series, "Julia")]
    [[['Dyspepsia', 'Pneumonia']], [['Pneumonia'], ['Lung Cancer', 'Pneumonia']]]
    """
    found: list[SensitiveUpdateGraph | None] = []
    for number in range(1, len(series.published) + 1):
        known = series.background[:number]
        if person not in known.ids:
            found.append(None)
            continue
        found.append(SensitiveUpdateGraph.of(series.published[:number], known, person))
    if found[-1] is None:
        raise IdError(f"{person!r} is in none of these releases; pick somebody else")
    return found


def fewest_left(graph: SensitiveUpdateGraph | None) -> int | None:
    """How many values are left for the version that has fewest."""
    return None if graph is None else min(int(mask.sum()) for mask in graph.alive())


def disclosed_at(graphs: Sequence[SensitiveUpdateGraph | None]) -> int | None:
    """The release, counted from 1, after which some version has one value left; None if there is no such release."""
    return next((number for number, graph in enumerate(graphs, start=1) if fewest_left(graph) == 1), None)


def candidates(graphs: Sequence[SensitiveUpdateGraph | None], after: int) -> pd.DataFrame:
    """Per version of the person up to a release: the values of their group, and those that are left after that release."""
    graph = graphs[after - 1]
    rows: list[dict[str, Any]] = []
    if graph is not None:
        for release, level, left in zip(graph.releases, graph.levels, graph.posterior()):
            rows.append(
                {
                    "release": release + 1,
                    "group shows": ", ".join(map(str, level)),
                    "left": ", ".join(map(str, left)),
                    "surest guess": max(left.values(), default=0.0),
                }
            )
    return pd.DataFrame(rows, columns=["release", "group shows", "left", "surest guess"])


def most_exposed(series: Series) -> pd.Series:
    """How many values are left of everybody who is named, in the release that leaves fewest; the most exposed first."""
    from ppdp_lab.attacks import update_risks

    found = update_risks(series.published, series.background).to_frame()
    fewest = found.groupby("person", sort=False)["candidates"].min()
    return fewest.sort_values(kind="stable")


# --------------------------------------------------------------------
# One person's update graph over a series: values that are left, those ruled out, and the moment of disclosure.


LEFT, GONE, CERTAIN, FAINT = plotting.COLOURS[0], "#9a9a9a", plotting.COLOURS[1], "#c4c4c4"
LOOKS = {  # size, shape, filling and edge of a node
    "left": (90, "o", LEFT, LEFT),
    "gone": (90, "X", "white", GONE),
    "certain": (190, "*", CERTAIN, CERTAIN),
}


def draw_update_graph(graphs: Sequence[SensitiveUpdateGraph | None], *, after: int | None = None) -> Figure:
    """The graph as it stands after a release (counted from 1; the last one unless given), and how many values were left.

    ``graphs`` are those that ``explore.publications.graphs_of`` gives, one after each release.
    """
    after = len(graphs) if after is None else after
    last = graphs[-1]
    assert last is not None  # graphs_of refuses persons who are nowhere
    values = sorted({str(value) for level in last.levels for value in level})
    with plotting.look():
        height = min(8.0, max(2.6, 0.34 * len(values) + 1.0))
        figure, (ax, below) = plotting.figure(2, 1, width=7.6, height=1, height_ratios=[height, 1.5], sharex=True)
        figure.set_size_inches(7.6, height + 2.1)
        _graph(ax, graphs[after - 1], {value: i for i, value in enumerate(values)})
        ax.set_yticks(range(len(values)), [letters(value, 34) for value in values])
        ax.set_ylim(len(values) - 0.4, -0.6)
        ax.grid(axis="x", visible=False)
        ax.set_title(f"what may be true of {letters(last.person, 40)} after release {after}")
        _left(below, graphs, after)
        for part in (ax, below):
            part.axvline(after + 0.5, color=plotting.PAPER, linestyle=":", linewidth=1)
        figure.legend(handles=_key(), loc="outside upper left", ncols=4)
        return figure


def _graph(ax: Axes, graph: SensitiveUpdateGraph | None, row: dict[str, int]) -> None:
    if graph is None:
        return
    alive, edges = graph.alive(), {True: [], False: []}  # type: ignore[var-annotated]
    x = [release + 1 for release in graph.releases]
    for i, matrix in enumerate(graph.chances):
        for j, k in zip(*np.nonzero(matrix)):
            ends = row[str(graph.levels[i][j])], row[str(graph.levels[i + 1][k])]
            edges[bool(alive[i][j] and alive[i + 1][k])].append(list(zip(x[i : i + 2], ends)))
    # All edges and all marks of one look at once: one by one they take most of the time of the picture.
    for left, lines in edges.items():
        style = {"colors": LEFT if left else GONE, "linestyles": "-" if left else ":"}
        ax.add_collection(LineCollection(lines, **style, linewidths=1.4, zorder=2))
    for look, nodes in by_look(graph).items():
        size, shape, fill, edge = LOOKS[look]
        if nodes:
            at, height = [release for release, _ in nodes], [row[value] for _, value in nodes]
            marks = ax.scatter(at, height, s=size, marker=shape, color=fill, edgecolors=edge, zorder=3)
            marks.set_gid(gid(look))


def by_look(graph: SensitiveUpdateGraph) -> dict[str, list[tuple[int, str]]]:
    """The nodes, a release counted from 1 and a value each: those that may be, are certain, or are ruled out."""
    found: dict[str, list[tuple[int, str]]] = {look: [] for look in LOOKS}
    for release, level, mask in zip(graph.releases, graph.levels, graph.alive()):
        for value, left in zip(level, mask):
            look = "gone" if not left else "certain" if mask.sum() == 1 else "left"
            found[look].append((release + 1, str(value)))
    return found


def gid(look: str) -> str:
    """The name of all marks of one look in the drawing."""
    return f"versions-{look}"


def _left(ax: Axes, graphs: Sequence[SensitiveUpdateGraph | None], after: int) -> None:
    """How many values the adversary has left for the person's most exposed version, release by release."""
    counts = [(number, fewest_left(graph)) for number, graph in enumerate(graphs, start=1)]
    known = [(number, count) for number, count in counts if count is not None]
    ax.plot([n for n, _ in known], [c for _, c in known], color=FAINT, marker="o", zorder=1, markersize=4)
    now = [(number, count) for number, count in known if number <= after]
    ax.plot([n for n, _ in now], [c for _, c in now], color=LEFT, marker="o", zorder=2)
    moment = disclosed_at(graphs)
    if moment is not None:
        ax.scatter([moment], [1], marker="*", s=190, color=CERTAIN, zorder=4)
        ax.axvline(moment, color=CERTAIN, linewidth=1, zorder=1)
        side = "right" if moment > len(graphs) * 0.7 and moment > 1 else "left"
        ax.annotate(
            f"disclosed with release {moment}", (moment, 1), (8 if side == "left" else -8, -2), textcoords="offset points",
            xycoords=ax.get_xaxis_transform(), color=CERTAIN, fontsize=8, ha=side, va="top",
        )  # fmt: skip
    ax.set_xlim(0.5, len(graphs) + 0.5)
    ax.set_ylim(0, max((c for _, c in known), default=1) + 1.2)
    ax.set_xticks(range(1, len(graphs) + 1))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    plotting.label(ax, x="release", y="values left\n(fewest)", legend=False)


def _key() -> list[Line2D]:
    words = {"left": "may be", "gone": "ruled out", "certain": "certain"}
    marks = [(*LOOKS[look][1:], said) for look, said in words.items()]
    return [
        Line2D([], [], marker=m, linestyle="", color=c, markeredgecolor=e, markersize=9, label=said)
        for m, c, e, said in marks
    ] + [Line2D([], [], color=LEFT, label="may have become")]


# --------------------------------------------------------------------
# Series: release by release, what is left of one person's secret.


STREAM = "stream"
_DATA = {
    "patients": "six patients, values change",
    "hospital": "hospital, come and go",
    STREAM: "stream of the table below",
}
_NOBODY = "..."


class Publications(Explorer):
    """A series of releases and one person in it."""

    title = "Series"
    look = (
        "Follow one person through the releases: every group they stand in rules out values, and so does what a value can have "
        "become since. Look for the release at which one value is left, though each release alone kept the rule, and for the "
        "publishers under which that never happens."
    )

    def __init__(self, table: Any = None, schema: Schema | None = None) -> None:
        self._tables = Tables(table, schema, default="occ", rows=2_000, one_secret=True)
        self._own = table is not None
        self._kept, self._graphs = Kept(12), Kept(12)

    def knobs(self) -> tuple[Knob, ...]:
        """Data, publisher, victim, release and what the adversary knows."""
        data = STREAM if self._own else "patients"
        return (
            Pick("data", "data", data, options=tuple(_DATA), words=_DATA),
            self._publishers(data),
            Whole("m", "m (or k)", 2, 2, 8),
            Pick("victim", "victim", _NOBODY, options=(_NOBODY,)),
            Whole("release", "releases seen", 1, 1, 2),
            Knob("groups", "groups are known", True),
            self._tables.knob(),
            Whole("share", "come and go, %", 10, 0, 40),
            Knob("changes", "values change", False),
        )

    @staticmethod
    def _publishers(data: str) -> Pick:
        options = (*PRINTED.get(data, {}), *names())
        return Pick("publisher", "publisher", options[0], options=options)

    # ------------------------------------------------------------------ the series
    def _series(self, state: Mapping[str, Any], publisher: str, work: Work) -> tuple[Any, Any, list[str]]:
        """The series as the adversary sees it, who is exposed, and the code; kept, since most knobs do not change it."""
        return self._kept.get(_asked(state, publisher), lambda: self._make(state, publisher, work))

    def _make(self, state: Mapping[str, Any], publisher: str, work: Work) -> tuple[Any, Any, list[str]]:
        data = state["data"]
        known = PRINTED.get(data, {})
        if data == STREAM:
            snapshots, model, lines = self._stream(state)
        else:
            snapshots, model = worked_example(data)
            lines = [f"snapshots, model = explore.publications.worked_example({data!r})"]
        if publisher in known:
            releases = printed_series(known[publisher]())
            lines.append(
                f"releases = explore.publications.printed_series(datasets.examples.{known[publisher].__module__.split('.')[-1]}."
                f"{known[publisher].__name__}())"
            )
        else:
            maker, text = maker_of(publisher, state["m"], model)
            releases = []
            for number, release in enumerate(_each(maker, list(snapshots))):
                work.step(number + 1, len(snapshots) + 2, f"release {number + 1} of {len(snapshots)}")
                releases.append(release)
            lines.append(f"releases = explore.publications.published_by({text}, snapshots)")
        lines.append(f"series = explore.publications.Series.of(releases, model=model, groups={state['groups']})")
        series = Series.of(releases, model=model, groups=state["groups"])
        return series, most_exposed(series), lines

    def _stream(self, state: Mapping[str, Any]) -> tuple[list[Any], UpdateModel | None, list[str]]:
        table = self._tables[state["table"]]
        values = table.sensitive_domains[0].labels.tolist() if table.schema.sensitive else []
        model = UpdateModel.in_blocks(values, 2) if state["changes"] and values else None
        sizes = stream_sizes(table, state["share"])
        lines = [
            self._tables.code(state["table"]),
            f"model = {'None' if model is None else 'UpdateModel.in_blocks(table.sensitive_domains[0], 2)'}",
            f"snapshots = list(UpdateStream(table, {', '.join(f'{k}={v}' for k, v in sizes.items())}, model=model, seed=1))",
        ]
        return list(UpdateStream(table, **sizes, model=model, seed=1)), model, lines

    def _attacked(self, state: Mapping[str, Any], work: Work) -> tuple[Any, Any, Knob, list[Any], list[str]]:
        """The series, who is exposed, the victim, what each release leaves of their secret, and the code of the series."""
        publisher = self._publishers(state["data"]).kept(state["publisher"]).value
        series, exposed, lines = self._series(state, publisher, work)
        persons = list(exposed.index)
        victim = Pick("victim", "victim", persons[0], options=tuple(persons[:200])).kept(state["victim"])
        work.step(9, 10, "attacking")
        key = (*_asked(state, publisher), victim.value)
        return (
            series,
            exposed,
            victim,
            self._graphs.get(key, lambda: graphs_of(series, victim.value)),
            lines,
        )

    def ahead(self, state: Mapping[str, Any], work: Work) -> None:
        """Publish what the next stops of m and of the share of people that come and go would show."""
        if state["data"] != STREAM:
            return
        sliders = [knob for knob in self.knobs() if knob.name in ("m", "share")]
        for step in (1, -1):
            for knob in sliders:
                with suppress(PPDPError):  # told when somebody asks for it
                    self._attacked({**state, knob.name: knob.kept(state[knob.name] + step).value}, work)

    # ------------------------------------------------------------------ the picture
    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """What is left of the victim's secret after some releases."""
        work.step(0, 10, "publishing")
        series, exposed, victim, graphs, lines = self._attacked(state, work)
        release = Whole("release", "releases seen", 1, 1, len(graphs)).kept(state["release"])
        figure = draw_update_graph(graphs, after=release.value)
        found = candidates(graphs, release.value)
        says = self._says(series, exposed, graphs, victim.value, release.value, found)
        facts = [
            (str(number), group, left, f"{sure:.0%}") for number, group, left, sure in found.itertuples(index=False)
        ]
        return Shown(
            figure=figure,
            alt=f"The values that {victim.value} may have in each release, joined where one may have become the other. {says}",
            says=says,
            facts=[("release", "their group shows", "left", "surest guess"), *facts],
            code=script(
                *lines,
                f"graphs = explore.publications.graphs_of(series, {victim.value!r})",
                f"figure = explore.publications.draw_update_graph(graphs, after={release.value})",
                "plotting.show(figure)",
            ),
            hover=_hover(graphs[release.value - 1]),
            knobs=(victim, release, *self.fitted(state)),
        )

    def fitted(self, state: Mapping[str, Any]) -> tuple[Knob, ...]:
        """The publishers of the data; a stream's knobs do nothing for a worked example, and m nothing for what is printed."""
        publisher = self._publishers(state["data"]).kept(state["publisher"])
        example, printed = state["data"] != STREAM, str(publisher.value).startswith("as printed")
        return publisher, *self.idle(table=example, share=example, changes=example, m=printed)

    @staticmethod
    def _says(series: Any, exposed: Any, graphs: list[Any], victim: Any, after: int, found: Any) -> str:
        moment = disclosed_at(graphs)
        few = fewest_left(graphs[after - 1])
        if few is None:
            now = f"After release {after} nothing is known: {victim} has not been published yet."
        elif few == 0:
            now = f"After release {after} no values explain everything: {victim} changed as the model does not allow."
        else:
            sure = found["surest guess"].max()
            left = "one value alone is left of" if few == 1 else f"{few} values or more may be true of"
            now = f"After release {after}, {left} {victim}{'' if few == 1 else ' in every release'}"
            now += f"; the surest guess is right with a chance of {sure:.0%}."
        how = (
            f"The secret is out with release {moment}." if moment else f"No release leaves a single value for {victim}."
        )
        certain, everyone = int((exposed == 1).sum()), series.background.n_persons
        every = f"All {len(series.published)} releases together leave a single value for {certain:,} of {everyone:,} people."
        return f"{now} {how} {every}"


def _each(maker: Any, snapshots: list[Any]) -> Any:
    """Releases one by one, so that progress can be told between them."""
    if hasattr(maker, "publish"):
        return (maker.publish(snapshot) for snapshot in snapshots)
    return (release for snapshot in snapshots for release in published_by(maker, [snapshot]))


def _asked(state: Mapping[str, Any], publisher: str) -> tuple[Any, ...]:
    """What a series depends on."""
    return publisher, *(state[name] for name in ("data", "m", "groups", "table", "share", "changes"))


def _hover(graph: Any) -> dict[str, list[str]]:
    """For each node what is known of it, in the order in which nodes are drawn."""
    if graph is None:
        return {}
    chances = {
        (release + 1, str(value)): chance
        for release, found in zip(graph.releases, graph.posterior())
        for value, chance in found.items()
    }
    return {
        gid(look): [
            f"release {node[0]}: {node[1]}, {f'possible, {chances[node]:.0%}' if node in chances else 'ruled out'}"
            for node in nodes
        ]
        for look, nodes in by_look(graph).items()
    }


def stream_sizes(table: Microdata, share: int) -> dict[str, int]:
    """Sizes of a stream that a table has rows for: 1 + 7 snapshots, of which a share of the people comes and goes.

    >>> from ppdp_lab.datasets import load
    >>> stream_sizes(load("adult", rows=500), 10)
    {'initial': 200, 'deletes': 20, 'inserts': 20, 'updates': 7}
    """
    initial = max(min(len(table) * 2 // 5, 400), 1)
    moving = min(initial * share // 100, (len(table) - initial) // 7)
    return {"initial": initial, "deletes": moving, "inserts": moving, "updates": 7}


@EXPLORERS.add(accepts="a table with a sensitive column", promises=Publications.look, paper="Li and Zhou, 2008")
def series(table: Any = None, schema: Schema | None = None, **knobs: Any) -> Any:
    """Pick a publisher and a victim: candidate values release by release, the update graph, the moment of disclosure.

    Parameters
    ----------
    table : str, path, Microdata or DataFrame, optional
        A data set's name, a TOML file, a table, or a frame with its ``schema``: the stream is drawn from it.
    schema : Schema, optional
    **knobs
        Knobs turned from the start, such as ``publisher="MInvariance"``.
    """
    from ppdp_lab.explore.panel import Panel  # widgets are an extra: everything else here does without

    return Panel(Publications(table, schema), knobs)
