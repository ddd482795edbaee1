"""What the built-in functions measure at a point: releases made by registry name, what they cost, what attacks find."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from ppdp_lab import datasets
from ppdp_lab.attacks import Background, Disclosure, UpdateModel
from ppdp_lab.attacks.registry import PAIR, RELEASE
from ppdp_lab.attacks.registry import get as get_attack
from ppdp_lab.errors import DirtyRecordsWarning, PPDPError, PublicationError
from ppdp_lab.lab.measure.mdistinct import updates_of
from ppdp_lab.lab.sweeping.functions.members import make_algorithm, make_publisher
from ppdp_lab.metrics import get as get_metric
from ppdp_lab.metrics import queries_by_selectivity
from ppdp_lab.registry import Within
from ppdp_lab.release import Release
from ppdp_lab.republish import UpdateStream
from ppdp_lab.table import Microdata

Count = Annotated[int, Within(at_least=1)]
Chance = Annotated[int, Within(at_least=0)]
METRICS = ("gcp", "fem", "vem")
_TRIED: set[str] = (
    set()
)  # what this process has called once: compiled code is loaded by then, and times are of the work alone


def anonymize(
    *,
    dataset: str,
    algorithm: str,
    rows: Count | None = None,
    seed: Chance = 0,
    metrics: Sequence[str] = METRICS,
    attacks: Sequence[str] = (),
    queries: Count = 500,
    selectivity: Annotated[float, Within(above=0, at_most=1)] = 0.05,
    **rule_and_options: Any,
) -> dict[str, Any]:
    """One release of a data set: what it costs, and what attacks find; all by registry name.

    Parameters
    ----------
    dataset : str
        A data set's name or TOML file.
    algorithm : str
        An anonymizer. Its rule is made of ``rule`` (text such as ``"KAnonymity(5) & DistinctLDiversity(3)"``), ``k``, ``l``
        and ``t``; its other parameters go by their names.
    rows : int, optional
        A random sample of so many rows.
    seed : int
        Of the sample, of the algorithm where it has one, and of the queries.
    metrics, attacks : list of str
        What is measured: metrics, and attacks on one release, whose adversary knows everybody's group. What a metric or
        attack cannot read off such a release is left empty.
    queries, selectivity : int, float
        The workload of ``query_error``.

    Returns
    -------
    dict
        Seconds, classes, suppressed records, every metric, and the share of people whom every attack breaches.

    Examples
    --------
    >>> found = anonymize(dataset="adult", rows=500, algorithm="mondrian", k=5, metrics=["gcp"], attacks=["homogeneity"])
    >>> list(found)
    ['seconds', 'classes', 'suppressed', 'gcp', 'homogeneity']
    """
    table = _table(dataset, rows, seed)
    made = make_algorithm(algorithm, {"seed": seed, **rule_and_options})
    _try_out(repr(type(made)), lambda: made.anonymize(table.select(range(min(200, len(table))))))
    start = time.perf_counter()
    release = made.anonymize(table)
    found = {"seconds": time.perf_counter() - start, **_counts(release)}
    needed = _Needed(release, rule_and_options.get("k"), queries, selectivity, seed)
    del found["counterfeits"], found["dirty"]  # a single release has none
    return found | needed.measures(metrics) | _breaches(attacks, [release], None, {})


def publish(
    *,
    dataset: str,
    publisher: str,
    rows: Count = 5_000,
    releases: Count = 3,
    r: Annotated[int, Within(at_least=0)] | None = None,
    d: Count | None = None,
    seed: Chance = 0,
    metrics: Sequence[str] = METRICS,
    attacks: Sequence[str] = (),
    queries: Count = 500,
    selectivity: Annotated[float, Within(above=0, at_most=1)] = 0.05,
    **rule_and_options: Any,
) -> list[dict[str, Any]]:
    """A series of releases of a changing table, one row for each; all by registry name.

    Parameters
    ----------
    dataset : str
        A data set's name or TOML file.
    publisher : str
        A publisher. Its ``m``, ``e``, ``k`` or rule (see :func:`anonymize`) and other parameters go by their names.
    rows, releases : int
        Records of the first snapshot, and number of releases.
    r : int, optional
        Records that leave at each update, and as many that come; one in ten unless given.
    d : int, optional
        Values change within blocks of d, as in the m-Distinct paper, and publisher and adversary know that; they do not
        change unless given.
    seed : int
        Of the rows, the stream, the publisher and the queries.
    metrics, attacks, queries, selectivity
        As of :func:`anonymize`. Attacks on one release see the last one, those on a pair the last two, those on a series all
        of them so far.

    Returns
    -------
    list of dict
        One row per release.

    Examples
    --------
    >>> found = publish(dataset="occ", rows=300, releases=2, publisher="m_invariance", m=2, attacks=["intersection"])
    >>> [row["release"] for row in found], found[1]["intersection"]
    ([1, 2], 0.0)
    """
    leaving = rows // 10 if r is None else r
    table = _table(dataset, rows + (releases - 1) * leaving, seed)
    models = None if d is None else updates_of(table, d)
    model = None if d is None else UpdateModel.in_blocks(table.sensitive_domains[0], d)
    stream = UpdateStream(
        table, initial=rows, deletes=leaving, inserts=leaving, updates=releases - 1, model=models, seed=seed
    )

    def start_anew() -> Any:
        return make_publisher(publisher, {"seed": seed, **rule_and_options}, model)

    made, found, series = start_anew(), [], []
    _try_out(repr(type(made)), lambda: start_anew().publish(table.select(range(min(200, len(table))))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirtyRecordsWarning)  # they are counted below
        for number, snapshot in enumerate(stream, start=1):
            start = time.perf_counter()
            series.append(made.publish(snapshot))
            row = {"release": number, "seconds": time.perf_counter() - start, **_counts(series[-1])}
            needed = _Needed(series[-1], rule_and_options.get("k"), queries, selectivity, seed)
            settings = {name: rule_and_options[name] for name in ("e",) if name in rule_and_options}
            found.append(row | needed.measures(metrics) | _breaches(attacks, series, model, settings))
    return found


@lru_cache(maxsize=4)
def _table(dataset: str, rows: int | None, seed: int) -> Microdata:
    return datasets.load(dataset, rows=rows, seed=seed)


def forget() -> None:
    """Load data sets anew from now on."""
    _table.cache_clear()


def _try_out(kind: str, attempt: Callable[[], Any]) -> None:
    if kind not in _TRIED:
        _TRIED.add(kind)
        with contextlib.suppress(PPDPError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attempt()


def _counts(release: Release) -> dict[str, Any]:
    return {
        "classes": release.n_classes,
        "suppressed": len(release.suppressed),
        "counterfeits": len(release.counterfeits),
        "dirty": len(release.dirty),
    }


class _Needed:
    """Metrics of a release, those that need more than the release included."""

    def __init__(self, release: Release, k: int | None, queries: int, selectivity: float, seed: int) -> None:
        self.release, self.k = release, k
        self.workload = lambda: queries_by_selectivity(release.table, selectivity, queries, seed=seed)

    def measures(self, names: Sequence[str]) -> dict[str, float]:
        return {get_metric(name).name: self._measure(get_metric(name)) for name in names}

    def _measure(self, metric: Any) -> float:
        given = {name: self.workload() if name == "queries" else self.k for name in metric.needs}
        try:
            return float(metric(self.release, **given))
        except PublicationError:  # this form does not show what the metric reads
            return math.nan


def _breaches(
    names: Sequence[str], releases: Sequence[Release], model: UpdateModel | None, settings: Mapping[str, Any]
) -> dict[str, float]:
    """The share of people whom each attack breaches; NaN where it refuses what is published, or there is no pair."""
    if not names:
        return {}
    known = Background.worst_case(releases).with_model(model)
    return {get_attack(name).name: _breach(get_attack(name), releases, known, settings) for name in names}


def _breach(attack: Any, releases: Sequence[Release], known: Background, settings: Mapping[str, Any]) -> float:
    said = {name: settings.get(name, value) for name, value in attack.settings.items()}
    if attack.sees == PAIR and len(releases) < 2:
        return math.nan
    try:
        series = [release.published(track=attack.needs_pseudonyms) for release in releases]
        if attack.sees == RELEASE:
            found = attack(series[-1], known[len(series) - 1], **said)
        elif attack.sees == PAIR:
            found = attack(*series[-2:], known[len(series) - 2 :], **said)
        else:
            found = attack(series, known, **said)
    except PPDPError:  # the form does not show what it reads, or the series is of no kind that it is meant for
        return math.nan
    return float(found.share_of_people_breached if isinstance(found, Disclosure) else found.share_breached)
