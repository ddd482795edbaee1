"""Bucket graph: who came when and was gone when, and the cut that an equivalence attack goes through."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ppdp_lab.explore import drawings, measure
from ppdp_lab.explore.base import EXPLORERS, Explorer, Kept, Knob, Pick, Shown, Whole, Work
from ppdp_lab.explore.code import script
from ppdp_lab.explore.drawings.buckets import gid
from ppdp_lab.explore.given import Tables
from ppdp_lab.explore.measure import buckets
from ppdp_lab.republish import UpdateStream
from ppdp_lab.table import Schema

STREAM = "stream"
_DATA = {"hospital": "hospital (Example 10)", STREAM: "stream of the table below"}
STREAMS = ("table", "initial", "leave", "come", "updates")  # knobs of the stream
FULL = 2_000  # people of a table that comes by name
WEAKEST = "the one with the smallest cut"


class Buckets(Explorer):
    """The graph of one bucket of a series."""

    title = "Bucket graph"
    look = (
        "Whoever came with one release and was gone in another is an arc; where few arcs join two parts of the graph, "
        "subtracting releases from each other tells which people share their values. Raise e and see the smallest cut grow "
        "beyond 2 (e - 1), and how many counterfeits that takes; let more people come and go and see it become cheaper or dearer."
    )

    def __init__(self, table: Any = None, schema: Schema | None = None) -> None:
        self._tables = Tables(table, schema, default="occ", rows=FULL, one_secret=True)
        self._own = table is not None
        self._kept = Kept()

    def knobs(self) -> tuple[Knob, ...]:
        """Data, m, e, the stream, how much of it, and the bucket; of one's own table a stream that it has people for."""
        people = len(self._tables[self._tables.first]) if self._own else FULL
        initial = max(min(200, people * 2 // 5), 2)
        moving = max(min(20, (people - initial) // 6), 0)
        return (
            Pick("data", "data", STREAM if self._own else "hospital", options=tuple(_DATA), words=_DATA),
            Whole("e", "e (1: not asked)", 1, 1, 12),
            Whole("m", "m (values)", 2, 2, 6),
            Whole("after", "releases seen", 3, 1, 3),
            Pick("bucket", "bucket", WEAKEST, options=(WEAKEST,)),
            self._tables.knob(),
            Whole("initial", "initial (people)", initial, min(40, initial), 600),
            Whole("leave", "deletes, each", moving, 0, 60),
            Whole("come", "inserts, each", moving, 0, 60),
            Whole("updates", "updates", 6, 1, 12),
        )

    def fitted(self, state: Mapping[str, Any]) -> tuple[Knob, ...]:
        """A stream's knobs do nothing for the worked example."""
        return self.idle(**dict.fromkeys(STREAMS, state["data"] != STREAM))

    def _graphs(self, state: Mapping[str, Any], work: Work) -> tuple[Any, int, list[str]]:
        """The graphs of the whole series, its counterfeits, and the code; kept while only the view of them changes."""
        asked = ("data", "m", "e", "table", "initial", "leave", "come", "updates")
        key = tuple(state[name] for name in asked)
        return self._kept.get(key, lambda: self._make(state, work))

    def _make(self, state: Mapping[str, Any], work: Work) -> tuple[Any, int, list[str]]:
        if state["data"] == STREAM:
            sizes = {"initial": "initial", "deletes": "leave", "inserts": "come", "updates": "updates"}
            said = {name: state[knob] for name, knob in sizes.items()}
            snapshots: list[Any] = list(UpdateStream(self._tables[state["table"]], **said, seed=1))
            words = ", ".join(f"{name}={value}" for name, value in said.items())
            lines = [self._tables.code(state["table"]), f"snapshots = UpdateStream(table, {words}, seed=1)"]
        else:
            snapshots = measure.series.example(state["data"])[0]
            lines = [f"snapshots, _ = explore.measure.series.example({state['data']!r})"]
        publisher = buckets.merged_publisher(state["m"], state["e"])
        code = publisher.specification
        releases = []
        for number, snapshot in enumerate(snapshots):
            work.step(number, len(snapshots) + 1, f"release {number + 1} of {len(snapshots)}")
            releases.append(publisher.publish(snapshot))
        lines += [
            f"releases = explore.measure.series.published_by({code}, snapshots)",
            "graphs = explore.measure.buckets.graphs_seen(releases)",
        ]
        invented = max(release.n_counterfeits for release in releases)
        return buckets.graphs_seen(releases), invented, lines

    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """The graph of a bucket after some releases."""
        work.step(0, 10, "publishing")
        whole, invented, lines = self._graphs(state, work)
        work.step(9, 10, "cutting")
        after = Whole("after", "releases seen", whole.releases, 1, whole.releases).kept(state["after"])
        graphs = whole.after(after.value)
        found = buckets.bucket_list(graphs)
        names = {row.signature: row.bucket for row in found.itertuples()}
        picked = Pick("bucket", "bucket", WEAKEST, options=(WEAKEST, *names)).kept(state["bucket"])
        bucket = int(names.get(picked.value, found["bucket"].iloc[0]))
        bound = math.ceil(graphs.least_equivalence())  # people come whole
        edges = buckets.bucket_edges(graphs, bucket)
        severed = int(edges.loc[edges["cut"], "weight"].sum())
        kept = f", as e = {state['e']} asks" if 1 < state["e"] <= bound else ""
        least = (
            f"the equivalence attack separates no fewer than {bound} people from the rest{kept}"
            if bound > 1
            else "the equivalence attack may separate a single person from the rest"
        )
        says = (
            f"After release {after.value} the smallest cut of this bucket severs {severed} of {int(edges['weight'].sum())} "
            f"people and counterfeits; over all {len(found)} buckets {least}. "
            f"The release with most counterfeits holds {invented:,}."
        )
        return Shown(
            figure=drawings.bucket_graph(graphs, bucket),
            alt=f"Snapshots as nodes in a row, arcs for people who came and left together, the cut dashed. {says}",
            says=says,
            facts=[
                ("bucket", "people and counterfeits", "smallest cut", "attack, at least"),
                *(
                    (r.signature, str(r.tuples), str(r.cut), str(math.ceil(r.cut / 2)))
                    for r in found.head(8).itertuples()
                ),
            ],
            code=script(
                *lines,
                f"figure = explore.drawings.bucket_graph(graphs.after({after.value}), {bucket})",
                "plotting.show(figure)",
            ),
            hover={gid(r.came, r.gone): _words(r) for r in edges.itertuples()},
            knobs=(after, picked, *self.fitted(state)),
        )


def _words(row: Any) -> str:
    left = f"was gone in release {row.gone}" if row.gone else "is still there"
    return f"{row.weight} came with release {row.came} and {left}: {row.who}{'; severed by the cut' if row.cut else ''}"


@EXPLORERS.add(accepts="a table with one sensitive column", promises=Buckets.look, paper="He et al., ICDE 2011")
def bucket_graph(table: Any = None, schema: Schema | None = None, **knobs: Any) -> Any:
    """Snapshots as nodes, people as arcs between them, the smallest cut marked; e and the stream as knobs.

    Parameters
    ----------
    table : str, path, Microdata or DataFrame, optional
        A data set's name, a TOML file, a table, or a frame with its ``schema``: the stream is drawn from it.
    schema : Schema, optional
    **knobs
        Knobs turned from the start, such as ``e=3``.
    """
    from ppdp_lab.explore.panel import Panel  # widgets are an extra: everything else here does without

    return Panel(Buckets(table, schema), knobs)
