"""How the equivalence experiment measures: people compromised, counterfeits, query errors and times over streams."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ppdp_lab import metrics
from ppdp_lab.attacks import Background
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.equivalence import compromised_over_time
from ppdp_lab.attacks.matrices import Correspondence
from ppdp_lab.attacks.memberships import named_counterfeits
from ppdp_lab.datasets.examples.forms import ExampleRelease
from ppdp_lab.lab import catalogue
from ppdp_lab.lab.plan import Plan, most_frequent, room_for
from ppdp_lab.metrics.queries import Queries
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.republish import EEquivalence, MInvariance, Snapshot, UpdateStream
from ppdp_lab.table import Microdata

FINE, MERGED, EQUIVALENCE, PLAIN = "m-invariance, fine", "m-invariance, merged", "e-equivalence", "m-invariance"
ONE_VALUE, RANGES = "one value (Definition 8)", "ranges"


@dataclass(frozen=True)
class Setting:
    """What all measurements share: the privacy asked for, the size of the stream, and the seed."""

    m: int
    e: int
    initial: int
    replaced: int
    updates: int
    seed: int

    @property
    def people(self) -> int:
        """All people ever published."""
        return self.initial + self.updates * self.replaced

    def stream(self, table: Microdata, *, replaced: int = 0, skew: int | None = None, seed: int = 0) -> UpdateStream:
        """Random updates until all people were used, so many ``replaced`` at a time, with a slope of ``skew``."""
        change = replaced or self.replaced
        return UpdateStream(
            table,
            initial=self.initial,
            deletes=change,
            inserts=change,
            updates=self.updates * self.replaced // change,
            skew=skew,
            seed=seed or self.seed,
        )

    def publisher(self, method: str, *, e: int = 0) -> MInvariance:
        """A publisher by its name in the results, anatomized; ``e`` unless it is the setting's."""
        if method == EQUIVALENCE:
            return EEquivalence(self.m, e=e or self.e, seed=self.seed)
        partition = "fine" if method == FINE else "merged"
        return MInvariance(self.m, partition=partition, style="anatomized", seed=self.seed)


def plan(scale: str, datasets: list[str], seed: int, **params: Any) -> Plan:
    """The tables of the experiment, and sizes of streams, m, slopes and shares that fit them.

    >>> made = plan("tiny", ["occ"], 1)
    >>> made.sizes.m, made.sizes.shares, len(made.tables["occ"])
    (10, [0.07, 0.08], 5200)
    """
    plan = Plan(__file__, scale, datasets, params, seed=seed)
    people = plan.shrink(
        "initial",
        "replaced",
        "replaced_few",
        used=lambda sizes: int(sizes.initial + sizes.updates * sizes.replaced),
        min_size={"initial": 200, "replaced": 20},
    )
    tables, sizes = plan.load(people, sensitive=True), plan.sizes
    plan.values_allow("m", rows=sizes.initial)
    for name, table in tables.items():
        values = len(table.sensitive_domains[0])
        steepest = sizes.replaced * 2 // (values * (values - 1)) if values > 1 else 0
        why = f"{sizes.replaced:,} newcomers have no slope over the {values} values of {name!r}"
        plan.at_most("skews", steepest, why, min_size=0)
    if "shares" in plan.explicit:
        plan.at_most(
            "shares", 1 / sizes.m, f"with m = {sizes.m} no value may be more than one in {sizes.m}", min_size=0
        )
    else:
        # The scale gives shares for its own m; what is kept for another one is how near they are to 1/m.
        parts = [share * plan.at_scale["m"] for share in plan.at_scale["shares"] or ()]
        plan.wanted["shares"] = [round(part / plan.wanted["m"], 6) for part in parts]
        share = max(map(most_frequent, tables.values())) if plan.own else 0.0
        nearer = [found for part in parts if (found := round(part / sizes.m, 6)) >= share]
        sizes.shares = [near for near in nearer if room_for(near, sizes.initial, sizes.m)] or [round(share, 6)]
    setting = Setting(sizes.m, 2, sizes.initial, sizes.replaced, sizes.updates, seed)
    for table in tables.values():  # an impossible stream is an error now, not in its cell
        for change in (sizes.replaced, *sizes.replaced_few):
            setting.stream(table, replaced=change)
    return plan


# ---------------------------------------------------------------------- people compromised (Figure 6)
def compromised(releases: list[Release], setting: Setting, method: str) -> pd.DataFrame:
    """People in an equivalence of fewer than e people after each release, and the counterfeits in it."""
    seen, known = [release.published() for release in releases], Background.worst_case(releases)
    found = compromised_over_time(seen, known, e=setting.e, counterfeits=named_counterfeits(releases))
    counts = [release.n_counterfeits for release in releases]
    return found.assign(method=method, people=setting.people, counterfeits=counts)


# ---------------------------------------------------------------------- query error (Figure 9)
def workloads(table: Microdata, selectivities: list[float], *, n: int, seed: int) -> dict[tuple[str, float], Queries]:
    """Random count queries by reading and selectivity.

    Queries for one value are asked for values only that are common enough to be selected so often; a selectivity that no
    value reaches is left out.
    """
    found = {}
    values = table.sensitive_codes[0]
    counts = np.bincount(values)
    for share in selectivities:
        found[RANGES, share] = metrics.queries_by_selectivity(table, share, n=n, sensitive="range", seed=seed)
        common = table.select(counts[values] >= share * len(table))
        if len(common):
            # Who has another value is never selected, so the share of these records is the larger one.
            of_these = share * len(table) / len(common)
            found[ONE_VALUE, share] = metrics.queries_by_selectivity(
                common, of_these, n=n, sensitive="value", seed=seed
            )
    return found


def errors(release: Release, asked: dict[tuple[str, float], Queries]) -> Iterator[dict[str, Any]]:
    """Mean relative error of each workload."""
    for (reading, selectivity), queries in asked.items():
        error = metrics.query_error(release, queries, statistic="mean")
        yield {"reading": reading, "selectivity": selectivity, "error": error}


def last_releases(stream: Iterable[Snapshot], setting: Setting) -> tuple[Microdata, dict[str, Release]]:
    """The last table of a stream, and what m-invariance (fine) and e-equivalence publish of it."""
    publishers = {method: setting.publisher(method) for method in (FINE, EQUIVALENCE)}
    for snapshot in stream:
        table, releases = snapshot.table, {name: p.publish(snapshot) for name, p in publishers.items()}
    return table, releases


# ---------------------------------------------------------------------- counterfeits and time (Figures 7, 8 and 10)
def costs(snapshots: list[Snapshot], setting: Setting, es: list[int], *, repeats: int) -> tuple[list[Any], list[Any]]:
    """Counterfeits per release, and the best time of several for the whole stream, for m-invariance and for every e.

    m-invariance, which knows no e, stands in the results once for each: beside every e-equivalence stands its rival.
    """
    counterfeits, timing = [], []
    for method, e in [(PLAIN, 0), *((EQUIVALENCE, e) for e in es)]:
        seconds = []
        for _ in range(repeats):
            publisher = setting.publisher(method, e=e)
            start = time.perf_counter()
            counts = [publisher.publish(snapshot).n_counterfeits for snapshot in snapshots]
            seconds.append(time.perf_counter() - start)
        for beside in es if method == PLAIN else [e]:
            key = {"method": method, "e": beside}
            timing.append(key | {"seconds": min(seconds)})
            counterfeits += [key | {"release": i, "counterfeits": count} for i, count in enumerate(counts)]
    return counterfeits, timing


def both(stream: Iterable[Snapshot], setting: Setting) -> dict[str, list[int]]:
    """Counterfeits per release of m-invariance and of e-equivalence, fed with one stream."""
    publishers = {method: setting.publisher(method) for method in (PLAIN, EQUIVALENCE)}
    counts: dict[str, list[int]] = {method: [] for method in publishers}
    for snapshot in stream:
        for method, publisher in publishers.items():
            counts[method].append(publisher.publish(snapshot).n_counterfeits)
    return counts


def skewed(
    tables: Mapping[str, Microdata], setting: Setting, skews: list[int], *, seeds: int, processes: int = 2
) -> pd.DataFrame:
    """Most counterfeits in a release, and their mean over the releases, for every slope and seed.

    Nothing is timed here, so that two processes may share the work; what they find does not depend on it.
    """
    seeded = range(setting.seed, setting.seed + seeds)
    cases = [(name, skew, seed, tables[name], setting) for name, skew, seed in product(tables, skews, seeded)]
    shown = partial(tqdm, total=len(cases), desc="slope", leave=False)
    if processes == 1 or len(cases) < 4:  # a process takes longer to start than a few small streams
        found = list(shown(map(_one_slope, cases)))
    else:
        # A fresh process instead of a copy: notebooks run in kernels with threads, which must not be copied. It loads this
        # file first, since nothing tells Python where to find it.
        fresh = get_context("spawn")
        with ProcessPoolExecutor(processes, fresh, initializer=catalogue.load, initargs=(Path(__file__),)) as pool:
            found = list(shown(pool.map(_one_slope, cases)))
    return pd.DataFrame([row for rows in found for row in rows])


def _one_slope(case: tuple[str, int, int, Microdata, Setting]) -> list[dict[str, Any]]:
    name, skew, seed, table, setting = case
    counts = both(setting.stream(table, skew=skew, seed=seed), setting)
    key = {"dataset": name, "skew": skew, "seed": seed, "people": setting.initial}
    return [key | {"method": m, "counterfeits": max(c), "mean": float(np.mean(c))} for m, c in counts.items()]


# ---------------------------------------------------------------------- what the paper does not show
def few_updates(table: Microdata, setting: Setting, replaced: list[int]) -> pd.DataFrame:
    """Counterfeits of both publishers when so many people are replaced at a time."""
    rows = []
    for change in replaced:
        for method, counts in both(setting.stream(table, replaced=change), setting).items():
            key = {"method": method, "replaced": change}
            rows += [key | {"time": i * change, "counterfeits": count} for i, count in enumerate(counts)]
    return pd.DataFrame(rows)


def common_value(table: Microdata, setting: Setting, shares: list[float]) -> pd.DataFrame:
    """Mean counterfeits of m-invariance when people are given the commonest value until it has such a share."""
    values = table.sensitive_codes[0]
    top = int(np.bincount(values).argmax())
    order = np.random.default_rng(setting.seed).permutation(np.flatnonzero(values != top))
    rows = []
    for share in shares:
        pushed = values.copy()
        pushed[order[: max(0, round(share * len(values)) - int((values == top).sum()))]] = top
        publisher = setting.publisher(PLAIN)
        stream = setting.stream(table.with_codes(sensitive_codes=pushed[None, :]))
        mean = float(np.mean([publisher.publish(snapshot).n_counterfeits for snapshot in stream]))
        rows.append({"share": float(np.mean(pushed == top)), "counterfeits": mean, "people": setting.initial})
    return pd.DataFrame(rows)


# --------------------------------------------------------------------
# The equivalence paper's own example: its tables as an adversary sees them, and the graphs of its buckets.


def printed(tables: Sequence[ExampleRelease]) -> dict[str, Any]:
    """The paper's tables as they were published, with what the strongest adversary knows: everybody's group.

    The keys are the arguments of ``Correspondence.of`` and ``BucketGraphs.of``.
    """
    releases = []
    for table in tables:
        fake = table.counterfeits
        numbers = np.array([int(name[1:]) for name in fake.ids], dtype=np.int64)
        invented = Counterfeits(table.counterfeit_class, fake.sensitive_codes, fake.qi_codes, numbers)
        releases.append(Release(table.table, table.class_of, style="anatomized", counterfeits=invented))
    return {
        "series": [release.published() for release in releases],
        "background": Background.worst_case(releases),
        "counterfeits": named_counterfeits(releases),
    }


def matrices(tables: Sequence[ExampleRelease]) -> Correspondence:
    """Person and value matrices of the tables (Examples 5 to 8)."""
    return Correspondence.of(**printed(tables))


def bucket_graphs(tables: Sequence[ExampleRelease], name: str) -> pd.DataFrame:
    """The graphs of the buckets after each of the tables (Figures 2 to 4), one row per edge.

    ``came`` and ``gone`` are its nodes, ``who`` the people on it; ``min_cut`` and ``away`` are the same for all edges of a
    graph: the weight of its smallest cut, and the nodes on the side of it that the present, node 0, is not on.
    """
    rows = []
    for after in range(1, len(tables) + 1):
        graphs = BucketGraphs.of(**printed(tables[:after]))
        for bucket, signature in enumerate(graphs.signatures):
            value, away = graphs.cut(bucket)
            graph = {
                "figure": name,
                "signature": ", ".join(signature),
                "after": after,
                "min_cut": value,
                "away": ",".join(map(str, away)),
            }
            for (came, gone), who in graphs.edges(bucket).items():
                names = ", ".join(person.replace("counterfeit ", "c") for person in who)
                rows.append(graph | {"came": came, "gone": gone, "who": names, "weight": len(who)})
    return pd.DataFrame(rows)
