"""Bucket graphs of a series: what the equivalence attack sees, bucket by bucket."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Arc

from ppdp_lab import plotting
from ppdp_lab.attacks import Background
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.memberships import named_counterfeits
from ppdp_lab.errors import ParameterError
from ppdp_lab.explore.base import EXPLORERS, Explorer, Kept, Knob, Pick, Shown, Whole, Work, script
from ppdp_lab.explore.publications import worked_example
from ppdp_lab.explore.tables import Tables
from ppdp_lab.release import Release
from ppdp_lab.republish import EEquivalence, MInvariance, Publisher, UpdateStream
from ppdp_lab.table import Schema
from ppdp_lab.text import letters


def merged_publisher(m: int, e: int) -> Publisher:
    """m-invariance in merged buckets: with e-equivalence, or, for e = 1, without.

    >>> merged_publisher(3, 2).specification, merged_publisher(3, 1).specification
    ('EEquivalence(3, e=2, seed=0)', "MInvariance(3, partition='merged', style='anatomized', seed=0)")
    """
    if e > 1:
        return EEquivalence(m, e=e, seed=0)
    return MInvariance(m, partition="merged", style="anatomized", seed=0)


def graphs_seen(releases: Sequence[Release]) -> BucketGraphs:
    """The bucket graphs of a series from its published side, seen by an adversary who knows everybody's group."""
    known = named_counterfeits(releases)
    return BucketGraphs.of([r.published() for r in releases], Background.worst_case(releases), counterfeits=known)


def bucket_list(graphs: BucketGraphs) -> pd.DataFrame:
    """Buckets that have edges, the weakest first: number, signature, tuples and smallest cut."""
    cuts = graphs.smallest_cuts()
    filled = graphs.bucket[graphs.bucket >= 0]
    tuples = np.bincount(filled, minlength=len(cuts)) if len(cuts) else np.zeros(0, dtype=np.int64)
    frame = pd.DataFrame(
        {
            "bucket": np.arange(len(cuts)),
            "signature": [", ".join(map(str, signature)) for signature in graphs.signatures],
            "tuples": tuples,
            "cut": cuts,
        }
    )
    found = frame[frame["cut"] >= 0].sort_values(["cut", "tuples"], kind="stable", ignore_index=True)
    if not len(found):
        raise ParameterError("no bucket of this series holds anybody; publish more people")
    return found


def bucket_edges(graphs: BucketGraphs, bucket: int) -> pd.DataFrame:
    """One row per edge: ``came``, ``gone`` (0: still there), ``weight``, ``who``, and whether the smallest cut cuts it."""
    _, away = graphs.cut(bucket)
    rows = [
        {
            "came": came,
            "gone": gone,
            "weight": len(who),
            "who": ", ".join(who[:6]) + (" ..." if len(who) > 6 else ""),
            "cut": (came in away) != (gone in away),
        }
        for (came, gone), who in graphs.edges(bucket).items()
    ]
    return pd.DataFrame(rows, columns=["came", "gone", "weight", "who", "cut"])


# --------------------------------------------------------------------
# A bucket's history as a graph: a node for each snapshot, an arc for those who came and left together, and the cut.


KEPT, CUT = plotting.COLOURS[0], plotting.COLOURS[1]
NAMED = 30  # edges whose weights can be written beside them


def draw_bucket_graph(graphs: BucketGraphs, bucket: int) -> Figure:
    """The graph of one bucket; what the smallest cut severs is dashed, and the side away from the present is marked."""
    edges = bucket_edges(graphs, bucket)
    weight, away = graphs.cut(bucket)
    now = graphs.releases + 1
    with plotting.look():
        figure, ax = plotting.figure(width=8.4, height=4.4)
        widest = max(int(edges["weight"].max()), 1)
        tops = [0.5]
        for row in edges.itertuples():
            ends = sorted((row.came, row.gone or now))
            tops.append(_edge(ax, ends, row, widest, named=len(edges) <= NAMED))
        for node in range(graphs.releases + 1):
            off = node in away
            at = node or now
            ax.scatter(
                at, 0, s=430, marker="s" if off else "o", color=CUT if off else "white", edgecolors=CUT if off else KEPT,
                linewidths=2, zorder=4,
            )  # fmt: skip
            ax.annotate(
                str(node) if node else "now", (at, 0), ha="center", va="center", fontsize=8, zorder=5,
                color="white" if off else "black",
            )  # fmt: skip
        ax.set_xlim(0.4, now + 0.6)
        ax.set_ylim(-0.45, max(tops) + 0.5)
        ax.set_yticks([])
        ax.set_xticks([])
        ax.set_xlabel("releases, and the present")
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        ax.grid(False)
        signature = ", ".join(map(str, graphs.signatures[bucket]))
        ax.set_title(f"bucket of {letters(signature, 70)}: smallest cut {weight}")
        figure.legend(handles=_key(), loc="outside upper left", ncols=4)
        return figure


def gid(came: int, gone: int) -> str:
    """The name of an edge in the drawing."""
    return f"edge-{came}-{gone}"


def _edge(ax: Axes, ends: list[int], row: object, widest: int, *, named: bool) -> float:
    """An arc between two nodes of the line; returns how high it goes."""
    came, gone, weight, cut = int(row.came), int(row.gone), int(row.weight), bool(row.cut)  # type: ignore[attr-defined]
    left, right = ends
    span = max(right - left, 0.5)
    high = 0.55 * span
    arc = Arc(
        ((left + right) / 2, 0), span, 2 * high, theta1=0, theta2=180, color=CUT if cut else KEPT,
        linestyle=(0, (4, 2)) if cut else "-", linewidth=1 + 4 * np.sqrt(weight / widest), zorder=2,
    )  # fmt: skip
    arc.set_gid(gid(came, gone))
    ax.add_patch(arc)
    if named:
        ax.annotate(
            str(weight), ((left + right) / 2, high), ha="center", va="center", fontsize=8, zorder=3,
            color=CUT if cut else KEPT, fontweight="bold",
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
        )  # fmt: skip
    return high


def _key() -> list[Line2D]:
    return [
        Line2D([], [], color=KEPT, linewidth=3, label="came and left together (number)"),
        Line2D([], [], color=CUT, linewidth=3, linestyle=(0, (3, 1.5)), label="severed by the smallest cut"),
        Line2D([], [], marker="s", linestyle="", color=CUT, markersize=9, label="side away from the present"),
    ]


# --------------------------------------------------------------------
# Bucket graph: who came when and was gone when, and the cut that an equivalence attack goes through.


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
            params = {name: state[knob] for name, knob in sizes.items()}
            snapshots: list[Any] = list(UpdateStream(self._tables[state["table"]], **params, seed=1))
            words = ", ".join(f"{name}={value}" for name, value in params.items())
            lines = [self._tables.code(state["table"]), f"snapshots = UpdateStream(table, {words}, seed=1)"]
        else:
            snapshots = worked_example(state["data"])[0]
            lines = [f"snapshots, _ = explore.publications.worked_example({state['data']!r})"]
        publisher = merged_publisher(state["m"], state["e"])
        code = publisher.specification
        releases = []
        for number, snapshot in enumerate(snapshots):
            work.step(number, len(snapshots) + 1, f"release {number + 1} of {len(snapshots)}")
            releases.append(publisher.publish(snapshot))
        lines += [
            f"releases = explore.publications.published_by({code}, snapshots)",
            "graphs = explore.bucket_graphs.graphs_seen(releases)",
        ]
        invented = max(release.n_counterfeits for release in releases)
        return graphs_seen(releases), invented, lines

    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """The graph of a bucket after some releases."""
        work.step(0, 10, "publishing")
        whole, invented, lines = self._graphs(state, work)
        work.step(9, 10, "cutting")
        after = Whole("after", "releases seen", whole.releases, 1, whole.releases).kept(state["after"])
        graphs = whole.after(after.value)
        found = bucket_list(graphs)
        names = {row.signature: row.bucket for row in found.itertuples()}
        picked = Pick("bucket", "bucket", WEAKEST, options=(WEAKEST, *names)).kept(state["bucket"])
        bucket = int(names.get(picked.value, found["bucket"].iloc[0]))
        bound = math.ceil(graphs.least_equivalence())  # people come whole
        edges = bucket_edges(graphs, bucket)
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
            figure=draw_bucket_graph(graphs, bucket),
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
                f"figure = explore.bucket_graphs.draw_bucket_graph(graphs.after({after.value}), {bucket})",
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
