"""How the I3M experiment measures: events in a picture, loss and time of a change, what a series gives away.

Time is that of the algorithm alone, the best of several runs from the same state: no release is built while the watch
runs. A static run is the clustering; an incremental one finds out who came and left and repairs the clusters that are
touched; the optimization takes a finished clustering.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab import attacks, metrics
from ppdp_lab.anonymize import KMember
from ppdp_lab.lab import axes
from ppdp_lab.lab.plan import Plan
from ppdp_lab.principles import KAnonymity
from ppdp_lab.release import Release, box_frame
from ppdp_lab.republish import I3M, Snapshot, UpdateStream, il_optimization
from ppdp_lab.republish.optimization import clustering_of, optimize_clusters
from ppdp_lab.table import Microdata

LEAST_ROWS = 60  # in fewer the picture of a split might run out of people before a cluster of 3 has become one of 6
INSERT, DELETE = "insert", "delete"
INCREMENTAL, STATIC = "I3M", "static"


def plan(scale: str, dataset: str, ks: list[int], seed: int, *, drawn: list[str] | None = None, **params: Any) -> Plan:
    """The experiment's table, whole, and sizes that fit it: a clustering has at least ten times the largest k.

    >>> plan("tiny", "adult-i3m", [3, 5], 1).sizes.drawn
    ['age', 'education-num']
    """
    plan = Plan(__file__, scale, dataset, params, seed=seed)
    plan.shrink(
        "rows",
        "changes",
        "per_release",
        used=lambda sizes: int(sizes.rows + max(*sizes.changes, (sizes.releases - 1) * sizes.per_release)),
        min_size={"rows": max(LEAST_ROWS, 10 * max(ks))},
    )
    plan.load(sensitive=True)
    sizes = plan.sizes
    for deletes in (0, sizes.per_release):  # an impossible stream is an error now, not in its cell
        series(plan.table, sizes.rows, sizes.releases, sizes.per_release, deletes=deletes, seed=seed)
    sizes.drawn = axes.drawable(", ".join(plan.tables), plan.table, drawn)
    return plan


# ---------------------------------------------------------------------- one cluster is split, one is dispersed
def events(table: Microdata, *, k: int, first: int = 24, seed: int = 0) -> pd.DataFrame:
    """Clusters over two quasi-identifiers before and after the first split, and the first dispersal that follows it.

    ``first`` records are clustered. Then records come in one at a time until a cluster reaches 2 k and is split, and leave
    one at a time until one has fewer than k and is dispersed. One row per box and per point, as ``event``, ``stage``,
    ``what`` and coordinates say.
    """
    order = np.random.default_rng(seed).permutation(len(table))
    publisher, frames = I3M(k, seed=seed), []
    begin, end = 0, first
    before = publisher.publish(table.select(np.sort(order[:first])))
    for event in ("split", "dispersed"):
        while True:
            begin, end = (begin, end + 1) if event == "split" else (begin + 1, end)
            after = publisher.publish(table.select(np.sort(order[begin:end])))
            if publisher.changes[event]:
                break
            before = after
        frames += [_picture(before, event, "before"), _picture(after, event, "after")]
        before = after
    return pd.concat(frames, ignore_index=True)


def _picture(release: Release, event: str, stage: str) -> pd.DataFrame:
    where = {
        f"{axis}0": domain.coordinates[codes]
        for axis, domain, codes in zip("xy", release.table.qi_domains, release.table.qi_codes)
    }
    domains = release.table.qi_domains
    both = [
        axes.with_dates(places, domains).assign(what=what)
        for what, places in (("box", box_frame(release)), ("point", pd.DataFrame(where)))
    ]
    x, y = map(axes.axis_of, domains)
    return pd.concat(both).assign(event=event, stage=stage, x=x, y=y)


# ---------------------------------------------------------------------- loss and time of one change
class Watched(I3M):
    """I3M with a watch on the algorithm: it stops when the clusters stand, before a release is built of them."""

    seconds = 0.0

    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        self._started = time.perf_counter()
        return super()._publish(snapshot, persons)

    def _make(self, *args: Any, **said: Any) -> Release:
        self.seconds = time.perf_counter() - self._started
        return super()._make(*args, **said)


def clustered_anew(table: Microdata, *, k: int, seed: int, repeats: int) -> dict[str, float]:
    """Loss and time of the static algorithm, and of the optimization after it."""
    algorithm, seconds = KMember(k, seed=seed), []
    for _ in range(repeats):
        start = time.perf_counter()
        class_of = algorithm.clusters(table)
        seconds.append(time.perf_counter() - start)
    return _with_optimization(Release(table, class_of), min(seconds), repeats)


def changed(before: Watched, table: Microdata, *, repeats: int) -> dict[str, float]:
    """Loss and time of the step that makes of what ``before`` has published the clusters of ``table``."""
    seconds = []
    for _ in range(repeats):
        publisher = copy.deepcopy(before)
        release = publisher.publish(table)
        seconds.append(publisher.seconds)
    return _with_optimization(release, min(seconds), repeats)


def _with_optimization(release: Release, clustering: float, repeats: int) -> dict[str, float]:
    seconds = []
    for _ in range(repeats):
        space, clusters, records = clustering_of(release)  # the optimization works in place: each run has its own
        start = time.perf_counter()
        optimize_clusters(space, records, clusters)
        seconds.append(time.perf_counter() - start)
    return {
        "loss_before": metrics.information_loss(release),
        "loss": metrics.information_loss(il_optimization(release)),
        "clustering_seconds": clustering,
        "optimizing_seconds": min(seconds),
        "seconds": clustering + min(seconds),
    }


def runs(
    table: Microdata, *, k: int, rows: int, changes: list[int], repeats: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Figures 4 and 5 for one k and one order of the rows: every change, inserted and deleted, against a static run.

    Inserting starts from ``rows`` records; deleting starts from so many more that ``rows`` are left.
    """
    order = np.random.default_rng(seed).permutation(len(table))
    fewer = table.select(np.sort(order[:rows]))
    started = Watched(k, seed=seed)
    started.publish(fewer)
    static_fewer = clustered_anew(fewer, k=k, seed=seed, repeats=repeats)
    for change in changes:
        more = table.select(np.sort(order[: rows + change]))
        full = Watched(k, seed=seed)
        full.publish(more)
        for direction, method, found in (
            (INSERT, INCREMENTAL, changed(started, more, repeats=repeats)),
            (INSERT, STATIC, clustered_anew(more, k=k, seed=seed, repeats=repeats)),
            (DELETE, INCREMENTAL, changed(full, fewer, repeats=repeats)),
            (DELETE, STATIC, static_fewer),
        ):
            share = change / rows
            yield {"k": k, "change": change, "change_share": share, "direction": direction, "method": method} | found


# ---------------------------------------------------------------------- what a series gives away
def leaks(table: Microdata, *, k: int, rows: int, releases: int, per_release: int, seed: int) -> pd.DataFrame:
    """Shares of people whom two attacks find in a series, maintained by I3M or clustered anew for every release.

    *Difference*: among the newcomers of each release, those among fewer than k new rows; nobody leaves. *Intersection*:
    people whose sensitive value is certain after each release; as many leave as come.
    """
    rows_found = []
    for method in (INCREMENTAL, STATIC):
        for attack, deletes in (("difference", 0), ("intersection", per_release)):
            stream = series(table, rows, releases, per_release, deletes=deletes, seed=seed)
            seen = list(_published_by(method, stream, k, seed))
            find = _newcomers_alone(seen, k, per_release) if attack == "difference" else _values_certain(seen)
            for number, exposed in find:
                rows_found.append({"k": k, "method": method, "attack": attack, "release": number, "exposed": exposed})
    return pd.DataFrame(rows_found)


def series(table: Microdata, rows: int, releases: int, per_release: int, *, deletes: int, seed: int) -> UpdateStream:
    """So many releases: ``rows`` at first, then ``per_release`` newcomers each time, while ``deletes`` leave."""
    return UpdateStream(table, initial=rows, deletes=deletes, inserts=per_release, updates=releases - 1, seed=seed)


def _published_by(method: str, stream: UpdateStream, k: int, seed: int) -> Iterator[Release]:
    publisher, static = I3M(k, seed=seed), KMember(k, seed=seed)
    for snapshot in stream:
        yield publisher.publish(snapshot) if method == INCREMENTAL else static.anonymize(snapshot.table)


def _newcomers_alone(series: list[Release], k: int, newcomers: int) -> Iterator[tuple[int, float]]:
    for number in range(1, len(series)):
        pair = series[number - 1 : number + 1]
        first, second = (release.published() for release in pair)
        found = attacks.difference(first, second, attacks.Background.worst_case(pair), rule=KAnonymity(k))
        assert found.newcomers is not None  # a background that knows everybody says how many came to each group
        yield number, float(found.newcomers[found.breached].sum()) / newcomers


def _values_certain(series: list[Release]) -> Iterator[tuple[int, float]]:
    seen = [release.published() for release in series]
    for number in range(len(series)):
        known = attacks.Background.worst_case(series[: number + 1])
        yield number, attacks.intersection(seen[: number + 1], known).share_breached
