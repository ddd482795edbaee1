"""How the m-Distinct experiment measures: streams of changing people, who is disclosed, what protection costs.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   section VI.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.anonymize import Anatomy, Mondrian
from ppdp_lab.attacks import Background, SensitiveUpdateGraph, UpdateModel, UpdateRisks, update_risks
from ppdp_lab.datasets.examples import ExampleRelease
from ppdp_lab.errors import DirtyRecordsWarning
from ppdp_lab.lab.plan import Plan
from ppdp_lab.metrics import queries_by_width, query_error
from ppdp_lab.principles import DistinctLDiversity, KAnonymity
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.republish import BPG, MDistinct, MInvariance, Snapshot, UpdateStream
from ppdp_lab.republish.value_changes import updates_of
from ppdp_lab.table import Microdata


def plan(scale: str, dataset: str, seed: int, **params: Any) -> Plan:
    """The table of the experiment, and a stream, values of l and m, and diameters that fit it.

    >>> made = plan("tiny", "occ-mdistinct", 1)
    >>> made.sizes.d, made.sizes.ms, len(made.table)
    (10, [2, 4], 1050)
    """
    plan = Plan(__file__, scale, dataset, params, seed=seed)
    rows = plan.shrink(
        "initial",
        "deletes",
        "many_deletes",
        "inserts",
        "changes",
        used=lambda sizes: int(sizes.initial + sizes.updates * sizes.inserts),
        min_size={"initial": 200},
    )
    ((name, table),) = plan.load(rows, sensitive=True).items()
    sizes = plan.sizes
    plan.values_allow("ls", "ms", "m", "m_more", rows=sizes.initial)
    values = len(table.sensitive_domains[0])
    why = f"{table.schema.sensitive[0]} of {name!r} has {values} values, which allows a diameter of half as many"
    for diameter in ("ds", "d", "d_more"):
        plan.at_most(diameter, values // 2, why, min_size=2)
    for leaving in (sizes.deletes, sizes.many_deletes):  # an impossible stream is an error now, not in its cell
        stream_of(table, sizes, sizes.d, seed=seed, deletes=leaving)
    return plan


def looks(updates: int) -> list[int]:
    """Numbers of releases after which an adversary or a reader looks: every third and the last one.

    >>> looks(10)
    [2, 5, 8, 11]
    """
    return sorted({*range(2, updates + 2, 3), updates + 1})


def printed(series: Sequence[ExampleRelease], model: UpdateModel) -> tuple[list[Any], Background, list[Microdata]]:
    """The paper's tables as they are published, what the adversary of its Example 1 knows, and the truth."""
    releases = []
    for table in series:
        fake = table.counterfeits
        invented = Counterfeits(table.counterfeit_class, fake.sensitive_codes, fake.qi_codes)
        releases.append(Release(table.table, table.class_of, counterfeits=invented, grouped=True))
    known = Background.worst_case(releases).with_model(model)
    return [release.published() for release in releases], known, [table.table for table in series]


def graph_rows(name: str, graph: SensitiveUpdateGraph, truth: Sequence[Any]) -> list[dict[str, Any]]:
    """A graph as rows, one per node and one per edge, for drawing."""
    drawn = graph.to_networkx()
    rows = []
    for (level, value), said in drawn.nodes(data=True):
        true = str(truth[level]) == str(value)
        rows.append({"graph": name, "level": level, "value": str(value), "to": "", "left": said["left"], "true": true})
        rows[-1] |= {"place": graph.levels[level].index(value), "to_place": -1, "probability": said["probability"]}
    for (level, value), (_, other), said in drawn.edges(data=True):
        rows.append({"graph": name, "level": level, "value": str(value), "to": str(other), "left": said["left"]})
        places = {"place": graph.levels[level].index(value), "to_place": graph.levels[level + 1].index(other)}
        rows[-1] |= {"true": False, "probability": 0.0, **places}
    return rows


def stream_of(
    table: Microdata, size: SimpleNamespace, d: int, *, seed: int, deletes: int | None = None
) -> UpdateStream:
    """The paper's stream: people come, go, age, marry, learn, and change jobs within blocks of d."""
    return UpdateStream(
        table,
        initial=size.initial,
        deletes=size.deletes if deletes is None else deletes,
        inserts=size.inserts,
        updates=size.updates,
        model=updates_of(table, d),
        changes=size.changes,
        seed=seed,
    )


def stream(table: Microdata, size: SimpleNamespace, d: int, *, seed: int, deletes: int | None = None) -> list[Snapshot]:
    """All snapshots of the paper's stream."""
    return list(stream_of(table, size, d, seed=seed, deletes=deletes))


def _shuffled_anatomy(least: int, seed: int) -> Callable[[Microdata], Release]:
    """Anatomy over values in a random order, so that a group's values are no neighbours."""
    chance = np.random.default_rng(seed)

    def anonymize(table: Microdata) -> Release:
        order = chance.permutation(len(table.sensitive_domains[0])).astype(np.int32)
        moved = table.with_codes(sensitive_codes=order[table.sensitive_codes])
        return Release(table, Anatomy(least, seed=seed).anonymize(moved).class_of, style="anatomized")

    return anonymize


def diverse(seed: int) -> dict[str, Callable[[int], Callable[[Microdata], Release]]]:
    """Algorithms for l-diversity; each release is made anew, as if there were no other."""
    return {
        "Mondrian": lambda least: Mondrian(DistinctLDiversity(least)).anonymize,
        "l values each, near people": lambda least: lambda table: MInvariance(least, seed=seed).publish(table),
        "Anatomy, neighbouring values": lambda least: Anatomy(least, seed=seed).anonymize,
        "Anatomy, any values": lambda least: _shuffled_anatomy(least, seed),
    }


def vulnerable(releases: Sequence[Release], model: UpdateModel, looks: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Published values that are certain after so many releases: Definition 8 at 1, by Lemma 2 where one node is left."""
    series, known = [release.published() for release in releases], Background.worst_case(releases).with_model(model)
    for n in looks:
        found = update_risks(series[:n], known[:n])
        yield {
            "release": n,
            "vulnerable": found.n_breached,
            "published": len(found.breached),
            "share": found.share_breached,
        }


def disclosed(
    table: Microdata, size: SimpleNamespace, d: int, *, seed: int, looks: Sequence[int], ls: Sequence[int]
) -> pd.DataFrame:
    """Figure 3: what each l-diversity algorithm discloses over time."""
    snapshots = stream(table, size, d, seed=seed)
    model = updates_of(table, d)[table.schema.sensitive[0]]
    rows = []
    for method, make in diverse(seed).items():
        for least in ls:
            anonymize = make(least)
            releases = [anonymize(snapshot.table) for snapshot in snapshots]
            rows += [{"method": method, "l": least, "d": d} | found for found in vulnerable(releases, model, looks)]
    return pd.DataFrame(rows)


def unplaceable(table: Microdata, size: SimpleNamespace, d: int, *, m: int, seed: int) -> pd.DataFrame:
    """Figure 4: records that m-invariance cannot place, in each release and in all so far."""
    publisher = MInvariance(m, on_invalid="suppress", seed=seed)
    out = [int((publisher.publish(s).class_of < 0).sum()) for s in stream(table, size, d, seed=seed)]
    numbers = range(1, len(out) + 1)
    return pd.DataFrame({"d": d, "m": m, "release": numbers, "invalid": out, "total": np.cumsum(out)})


def invariant_risk(table: Microdata, size: SimpleNamespace, *, m: int, seed: int) -> UpdateRisks:
    """Section III-C: what the update graph finds in an m-invariant series in which no value changes."""
    publisher = MInvariance(m, seed=seed)
    releases = [publisher.publish(snapshot) for snapshot in stream(table, size, 1, seed=seed)]
    known = Background.worst_case(releases)
    return update_risks([r.published() for r in releases], known, truth=[r.table for r in releases], threshold=1 / m)


def bpg_risk(table: Microdata, size: SimpleNamespace, d: int, *, k: int, seed: int) -> UpdateRisks:
    """What the update graph finds in a series of BPG (l = k) while values change within blocks of d."""
    model = updates_of(table, d)[table.schema.sensitive[0]]
    publisher = BPG(KAnonymity(k) & DistinctLDiversity(k), seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirtyRecordsWarning)
        releases = [publisher.publish(snapshot) for snapshot in stream(table, size, d, seed=seed)]
    known = Background.worst_case(releases).with_model(model)
    return update_risks([r.published() for r in releases], known, truth=[r.table for r in releases], threshold=1 / k)


def distinct(
    table: Microdata,
    size: SimpleNamespace,
    d: int,
    m: int,
    *,
    seed: int,
    deletes: int | None = None,
    way: str = "apart",
) -> tuple[list[Release], pd.DataFrame]:
    """An m-Distinct series, and a row per release: counterfeits per group, and how many versions are vulnerable at the end."""
    model = updates_of(table, d)[table.schema.sensitive[0]]
    publisher = MDistinct(m, model=model, new_records=way, seed=seed)
    releases = [publisher.publish(snapshot) for snapshot in stream(table, size, d, seed=seed, deletes=deletes)]
    (last,) = vulnerable(releases, model, [len(releases)])
    rows = [
        {
            "release": n,
            "groups": r.n_classes,
            "counterfeits": r.n_counterfeits,
            "per_group": r.n_counterfeits / r.n_classes,
        }
        for n, r in enumerate(releases, 1)
    ]
    more = {"m": m, "d": d, "way": way, "deletes": size.deletes if deletes is None else deletes}
    return releases, pd.DataFrame(rows).assign(**more, vulnerable=last["vulnerable"])


def errors(
    table: Microdata,
    releases: Sequence[Release],
    size: SimpleNamespace,
    *,
    seed: int,
    thetas: Sequence[float],
    looks: Sequence[int],
) -> pd.DataFrame:
    """Figures 5 and 6: median error of random count queries, relative to the estimate.

    Queries are made of the whole table, since a value may first occur in a later release.
    """
    rows = []
    for theta in thetas:
        queries = queries_by_width(table, theta, n=size.queries, seed=seed)
        for n in looks:
            error = query_error(releases[n - 1], queries, denominator="estimate")
            rows.append({"theta": theta, "release": n, "error": error})
    return pd.DataFrame(rows)


def second_release(table: Microdata, size: SimpleNamespace, d: int, m: int, *, seed: int) -> float:
    """Figure 9: seconds for the second release, the best of several."""
    first, second = stream(table, SimpleNamespace(**vars(size) | {"updates": 1}), d, seed=seed)
    model = updates_of(table, d)[table.schema.sensitive[0]]
    seconds = []
    for _ in range(size.repeat + 1):  # the first run may have to compile something
        publisher = MDistinct(m, model=model, seed=seed)
        publisher.publish(first)
        start = time.perf_counter()
        publisher.publish(second)
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])
