"""Series: release by release, what is left of one person's secret."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import PPDPError
from ppdp_lab.explore import drawings, measure
from ppdp_lab.explore.base import EXPLORERS, Explorer, Kept, Knob, Pick, Shown, Whole, Work
from ppdp_lab.explore.code import script
from ppdp_lab.explore.drawings.series import by_look, gid
from ppdp_lab.explore.given import Tables
from ppdp_lab.explore.measure import makers
from ppdp_lab.republish import UpdateStream
from ppdp_lab.table import Microdata, Schema

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
        options = (*measure.series.PRINTED.get(data, {}), *makers.names())
        return Pick("publisher", "publisher", options[0], options=options)

    # ------------------------------------------------------------------ the series
    def _series(self, state: Mapping[str, Any], publisher: str, work: Work) -> tuple[Any, Any, list[str]]:
        """The series as the adversary sees it, who is exposed, and the code; kept, since most knobs do not change it."""
        return self._kept.get(_asked(state, publisher), lambda: self._make(state, publisher, work))

    def _make(self, state: Mapping[str, Any], publisher: str, work: Work) -> tuple[Any, Any, list[str]]:
        data = state["data"]
        known = measure.series.PRINTED.get(data, {})
        if data == STREAM:
            snapshots, model, lines = self._stream(state)
        else:
            snapshots, model = measure.series.example(data)
            lines = [f"snapshots, model = explore.measure.series.example({data!r})"]
        if publisher in known:
            releases = measure.series.printed(known[publisher]())
            lines.append(
                f"releases = explore.measure.series.printed(datasets.examples.{known[publisher].__module__.split('.')[-1]}."
                f"{known[publisher].__name__}())"
            )
        else:
            maker, text = makers.maker_of(publisher, state["m"], model)
            releases = []
            for number, release in enumerate(_each(maker, list(snapshots))):
                work.step(number + 1, len(snapshots) + 2, f"release {number + 1} of {len(snapshots)}")
                releases.append(release)
            lines.append(f"releases = explore.measure.series.published_by({text}, snapshots)")
        lines.append(f"series = explore.measure.Series.of(releases, model=model, groups={state['groups']})")
        series = measure.Series.of(releases, model=model, groups=state["groups"])
        return series, measure.series.most_exposed(series), lines

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
            self._graphs.get(key, lambda: measure.series.graphs_of(series, victim.value)),
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
        figure = drawings.update_graph(graphs, after=release.value)
        found = measure.series.candidates(graphs, release.value)
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
                f"graphs = explore.measure.series.graphs_of(series, {victim.value!r})",
                f"figure = explore.drawings.update_graph(graphs, after={release.value})",
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
        moment = measure.series.disclosed_at(graphs)
        few = measure.series.fewest_left(graphs[after - 1])
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
    return (release for snapshot in snapshots for release in measure.series.published_by(maker, [snapshot]))


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
