"""Measurements of the BPG experiment: a race against m-invariance, readings, variants, and what the printed listing leaks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.anonymize import Mondrian
from ppdp_lab.errors import InfeasibleError
from ppdp_lab.lab.compare import dirty_records_are_known, rule_of
from ppdp_lab.lab.plan import Plan
from ppdp_lab.metrics import fem, vem
from ppdp_lab.principles import KAnonymity, Principle
from ppdp_lab.release import Release
from ppdp_lab.republish import BPG, MInvariance, Publisher, Snapshot, UpdateStream
from ppdp_lab.table import ClassCounts, Microdata, Schema

OURS, RIVAL = "BPG with Mondrian", "m-invariance"
CONVENTIONS = ("free", "charged")


def plan(scale: str, datasets: list[str], seed: int, **params: Any) -> Plan:
    """The tables of the experiment, three times as many rows as are published at first, and sizes and k that fit them.

    >>> made = plan("tiny", ["occ"], 1)
    >>> made.sizes.k, len(made.tables["occ"])
    (10, 4500)
    """
    plan = Plan(__file__, scale, datasets, params, seed=seed)
    rows = plan.shrink(
        "initial",
        "rates",
        "leak_initial",
        used=lambda sizes: 3 * max(sizes.initial, sizes.leak_initial),
        min_size={"initial": 300, "leak_initial": 100},
    )
    plan.load(rows, sensitive=True)
    first = plan.sizes.initial
    plan.values_allow("k", rows=first)
    plan.values_allow("leak_k", rows=plan.sizes.leak_initial)
    plan.at_most("rates", first - 1, f"the first release has {first:,} rows, and some of them must stay")
    return plan


def warm_up(table: Microdata, k: int, seed: int) -> None:
    """Have everything compiled before it is timed."""
    few = min(len(table) // 3, 1000)
    race(table.select(range(3 * few)), few, few // 2, k, seed, measured=lambda *_: True)


class TimedMondrian(Mondrian):
    """Mondrian that notes the seconds of processor time of every run."""

    def __init__(self, rule: Principle) -> None:
        super().__init__(rule)
        self.seconds: list[float] = []  # copies share it, and BPG works with copies

    def anonymize_within(self, table: Microdata, part_of: np.ndarray) -> np.ndarray:
        """As of Mondrian."""
        start = time.process_time()
        class_of = super().anonymize_within(table, part_of)
        self.seconds.append(time.process_time() - start)
        return class_of


def stream_of(table: Microdata, initial: int, rate: int, seed: int) -> UpdateStream:
    """``initial`` rows, then ``rate`` of them replaced until all rows were used."""
    updates = (len(table) - initial) // rate
    return UpdateStream(table, initial=initial, deletes=rate, inserts=rate, updates=updates, seed=seed)


def published(publisher: Publisher, snapshot: Snapshot) -> Release | None:
    """The next release, or None where nothing of the snapshot can be published."""
    try:
        return publisher.publish(snapshot.table)  # the one before may have been refused
    except InfeasibleError:
        return None


def quality(release: Release | None) -> list[dict[str, Any]]:
    """FEM and VEM of a release, dirty records being free or charged as counterfeits; and how many there are.

    A release that could not be made holds no information.
    """
    if release is None:
        nothing = {"fem": 0.0, "vem": 0.0, "asked": 0, "dirty": 0, "suppressed": 0, "published": 0.0}
        return [{"convention": how, **nothing} for how in CONVENTIONS]
    asked = len(release.records) - len(release.dirty)
    held: dict[str, Any] = {"asked": asked, "dirty": len(release.dirty), "suppressed": len(release.suppressed)}
    held["published"] = (asked - held["suppressed"]) / asked
    return [
        {"convention": how, "fem": fem(release, dirty=how), "vem": vem(release, dirty=how), **held}
        for how in CONVENTIONS
    ]


def race(
    table: Microdata, initial: int, rate: int, k: int, seed: int, *, measured: Callable[[int, int], bool]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """BPG over Mondrian and m-invariance, release by release in turn: seconds of the whole stream, and quality.

    Both run in one thread, so processor time is the time of a machine that does nothing else.
    ``measured(number, last)`` says of which releases the quality is measured; that time does not count.
    """
    base = TimedMondrian(rule_of(k))
    publishers: dict[str, Publisher] = {OURS: BPG(base.rule, base=base, seed=seed), RIVAL: MInvariance(k, seed=seed)}
    seconds, found = dict.fromkeys(publishers, 0.0), []
    stream = stream_of(table, initial, rate, seed)
    with dirty_records_are_known():
        for snapshot in stream:
            for method, publisher in publishers.items():
                start = time.process_time()
                release = publisher.publish(snapshot)
                seconds[method] += time.process_time() - start
                if measured(snapshot.number, len(stream) - 1):
                    place = {"method": method, "rate": rate, "release": snapshot.number}
                    found += [{**place, **row} for row in quality(release)]
    spent = {OURS: sum(base.seconds), RIVAL: np.nan}
    times = [
        {
            "method": method,
            "rate": rate,
            "releases": len(stream),
            "seconds": took,
            "per_release": took / len(stream),
            "share": 1 - spent[method] / took,
        }
        for method, took in seconds.items()
    ]
    return times, found


def readings(table: Microdata, initial: int, rate: int, k: int, seed: int) -> list[dict[str, Any]]:
    """Quality of every release for each reading of what Mondrian is given, beside m-invariance."""
    made: dict[str, Publisher] = {
        divide_by: BPG(rule_of(k), divide_by=divide_by, seed=seed)
        for divide_by in ("neighbourhood", "signature", "none")
    }
    made[RIVAL] = MInvariance(k, seed=seed)
    rows = []
    with dirty_records_are_known():
        for snapshot in stream_of(table, initial, rate, seed):
            for name, publisher in made.items():
                place = {"reading": name, "release": snapshot.number}
                rows += [{**place, **row} for row in quality(published(publisher, snapshot))]
    return rows


def variants(table: Microdata, initial: int, rate: int, k: int, seed: int) -> list[dict[str, Any]]:
    """Dirty and suppressed records, and counterfeits, of every release under each of the paper's variants."""
    rows = []
    with dirty_records_are_known():
        for variant in ("dirty", "one-by-one", "with-counterfeits", "no-dirty"):
            publisher = BPG(rule_of(k), variant=variant, seed=seed)
            for snapshot in stream_of(table, initial, rate, seed):
                release = publisher.publish(snapshot)
                row = {"variant": variant, "release": snapshot.number, "dirty": len(release.dirty)}
                rows.append(row | {"suppressed": len(release.suppressed), "counterfeits": release.n_counterfeits})
    return rows


class Follower:
    """Who follows rows: numbers everybody's history of published classes, and counts the cells that break a rule."""

    def __init__(self, rule: Principle) -> None:
        self.rule = rule
        self.cell = np.zeros(0, dtype=np.int64)  # per person; 0: never seen

    def see(self, release: Release, persons: np.ndarray, everybody: int, codes: np.ndarray) -> tuple[int, int]:
        """Cells so far, and how many of them break the rule; ``codes`` are the sensitive codes of all persons."""
        cell = np.r_[self.cell, np.zeros(everybody - len(self.cell), dtype=np.int64)]
        shown = np.zeros(everybody, dtype=np.int64)
        shown[persons] = release.class_of + 1
        _, self.cell = np.unique(cell * (release.n_classes + 1) + shown, return_inverse=True)
        if (cell + shown).min() > 0:  # nobody is unseen, and 0 must stay free
            self.cell = self.cell + 1
        cells = int(self.cell.max())
        domains = release.table.sensitive_domains
        counts = ClassCounts.count((self.cell - 1).astype(np.int32), cells, codes, domains)
        return cells, int((~self.rule.safe(counts)).sum())


def leaks(table: Microdata, initial: int, rate: int, k: int, seed: int) -> list[dict[str, Any]]:
    """Cells that break the rule after each release, by Listing 1 as printed and with its repairs, for each reading."""
    rows = []
    with dirty_records_are_known():
        for divide_by in ("neighbourhood", "signature", "none"):
            for repairs in (False, True):
                publisher = BPG(rule_of(k), divide_by=divide_by, repairs=repairs, seed=seed)
                follower = Follower(publisher.rule)
                for snapshot in stream_of(table, initial, rate, seed):
                    release = published(publisher, snapshot)
                    if release is None:
                        continue
                    persons = publisher.person_numbers(release.records)
                    codes = publisher.codes[len(release.table.qi_codes) :]
                    cells, broken = follower.see(release, persons, publisher.n_persons, codes)
                    listing = "repaired" if repairs else "as printed"
                    row = {"reading": divide_by, "listing": listing, "release": snapshot.number}
                    rows.append(row | {"cells": cells, "broken": broken})
    return rows


def meeting() -> pd.DataFrame:
    """A class that meets two neighbourhoods, made by BPG itself: k = 3, of fourteen people six are asked for again.

    One row per person: place, neighbourhood after the first release, whether in the second snapshot, whether published
    then, whether dirty, and the number of the neighbourhood afterwards.
    """
    frame = pd.DataFrame(
        {"x": [20, 22, 24, 26, 28, 30] + [45] * 8, "y": [31, 52, 40, 60, 35, 48, 30, 34, 38, 42, 46, 50, 54, 58]}
    )
    table = Microdata(frame, Schema(["x", "y"]))
    publisher = BPG(KAnonymity(3), base=Mondrian(KAnonymity(6)), divide_by="none", seed=0)
    first = publisher.publish(table)
    asked = np.isin(np.arange(14), [1, 3, 8, 9, 11, 12])
    with dirty_records_are_known():
        second = publisher.publish(table.select(asked))
    shown = frame.index.isin(second.records[second.class_of >= 0])
    home = np.where(first.class_of == first.class_of[0], "A", "B")
    return frame.assign(
        home=home,
        asked=asked,
        shown=shown,
        dirty=frame.index.isin(second.dirty),
        after=publisher.memory["neighbourhood"][publisher.person_numbers(table.ids)],
    )
