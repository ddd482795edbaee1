"""How speed is measured here: the best of several warm runs, beside reference operations timed in the same process.

Machines differ and are noisy; the ratio to a reference operation is what compares. **One lexsort** is ``np.lexsort`` of
five int64 columns of 200,000 census rows; **one bincount of n** is ``np.bincount`` of n int64 keys uniform over 4,096
values.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from warnings import catch_warnings, simplefilter

import numpy as np

from ppdp_lab import metrics
from ppdp_lab.anonymize import Anatomy, Mondrian
from ppdp_lab.anonymize.kmember import KMember
from ppdp_lab.anonymize.lattice import Flash, LatticeSearch, Speedy
from ppdp_lab.attacks import Background, UpdateRisks, update_risks
from ppdp_lab.datasets import census, load
from ppdp_lab.errors import DirtyRecordsWarning
from ppdp_lab.principles import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from ppdp_lab.release import Release
from ppdp_lab.republish import il_optimization
from ppdp_lab.republish.bpg import BPG
from ppdp_lab.republish.e_equivalence import EEquivalence
from ppdp_lab.republish.i3m import I3M
from ppdp_lab.republish.m_distinct import MDistinct
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.republish.publisher import Publisher
from ppdp_lab.republish.stream import Snapshot, UpdateStream
from ppdp_lab.republish.value_changes import census_updates
from ppdp_lab.table import Microdata
from ppdp_lab.text import OneLine


@dataclass(frozen=True)
class Measurement(OneLine):
    """One line of a benchmark: seconds, the unit they are divided by, and the most units that are allowed."""

    name: str
    seconds: float
    unit: str
    unit_seconds: float
    target: float | None = None

    @property
    def ratio(self) -> float:
        """Seconds in units of the reference operation."""
        return self.seconds / self.unit_seconds

    @property
    def verdict(self) -> str:
        """Within the target or not; blank without one."""
        if self.target is None:
            return ""
        return "ok" if self.ratio <= self.target else "over"


def suites() -> dict[str, Callable[[], list[Measurement]]]:
    """The benchmark suites by name."""
    return dict(SUITES)


def best(function: Callable[[], object], *, repeat: int = 5, warm: int = 1) -> float:
    """Seconds of the best of ``repeat`` runs, after ``warm`` runs that do not count."""
    return best_in_turn(function, repeat=repeat, warm=warm)[0]


def best_in_turn(*functions: Callable[[], object], repeat: int = 5, warm: int = 1) -> list[float]:
    """The best of each of several functions that are run in turn, so that a busy machine is busy for all of them."""
    times: list[list[float]] = [[] for _ in functions]
    for run in range(-warm, repeat):
        for function, mine in zip(functions, times):
            start = time.perf_counter()
            function()
            if run >= 0:
                mine.append(time.perf_counter() - start)
    return [min(mine) for mine in times]


@cache
def occ_rows(rows: int) -> Microdata:
    """Rows of the census stand-in with occupation as the sensitive value, whatever the data folder holds."""
    return census("occ", rows=rows, seed=1)


def one_lexsort(repeat: int = 7) -> float:
    """Seconds of one lexsort, measured now."""
    table = occ_rows(200_000)
    columns = [column.astype(np.int64) for column in (*table.sensitive_codes, *table.qi_codes[::-1])]
    return best(lambda: np.lexsort(columns), repeat=repeat)


def one_bincount(n: int, repeat: int = 7) -> float:
    """Seconds of one bincount of n keys, measured now."""
    keys = np.random.default_rng(0).integers(0, 4096, n)
    return best(lambda: np.bincount(keys, minlength=4096), repeat=repeat)


# --------------------------------------------------------------------
# Speed of the core: Mondrian and the principles on census rows.


RULES = [
    KAnonymity(10),
    DistinctLDiversity(10),
    EntropyLDiversity(3),
    RecursiveCLDiversity(2, 3),
    AlphaKAnonymity(0.5, 10),
    TCloseness(0.5),
    TCloseness(0.5, distance="ordered"),
]


def bench_core(repeat: int = 5) -> list[Measurement]:
    """Mondrian with k = l = 10 on 200,000 and 600,000 rows, and all principles on the larger release."""
    lexsort = one_lexsort()
    mondrian = Mondrian(KAnonymity(10) & DistinctLDiversity(10))
    rows = []
    for n, target in ((200_000, 4), (600_000, 13)):
        table = occ_rows(n)
        seconds = best(partial(mondrian.anonymize, table), repeat=repeat)
        rows.append(Measurement(f"Mondrian k = l = 10, {n:,} rows", seconds, "lexsort", lexsort, target))
    release = mondrian.anonymize(occ_rows(600_000))
    seconds = best(lambda: [rule.check(release) for rule in RULES], repeat=repeat)
    rows.append(Measurement("all principles, 600,000-row release", seconds, "lexsort", lexsort, 6))
    return rows


# --------------------------------------------------------------------
# Speed of k-member clustering and of its incremental maintenance, on the rows of Adult.


I3M_K = 3  # the k of the paper's Figure 4
I3M_ROWS = 10_000


def bench_i3m(repeat: int = 3) -> list[Measurement]:
    """Static runs in lexsorts; inserts and deletes as shares of a static run on the table that results."""
    lexsort = one_lexsort()
    table = load("adult-i3m")
    order = np.random.default_rng(0).permutation(len(table))
    some = table.select(np.sort(order[:I3M_ROWS]))
    rows = []
    for part, most in ((some, 25), (table, 260)):
        seconds = best(partial(KMember(I3M_K, seed=0).anonymize, part), repeat=repeat)
        rows.append(Measurement(f"KMember k = {I3M_K}, {len(part):,} rows", seconds, "lexsort", lexsort, most))
    static = rows[0].seconds
    release = KMember(I3M_K, seed=0).anonymize(some)
    seconds = best(partial(il_optimization, release), repeat=repeat)
    rows.append(Measurement(f"IL_Optimization, {I3M_ROWS:,} rows", seconds, "static run", static))
    for inserts, target in ((50, 1 / 50), (5_000, 1 / 2)):
        after = table.select(np.sort(order[: I3M_ROWS + inserts]))
        static = best(partial(KMember(I3M_K, seed=0).anonymize, after), repeat=repeat)
        seconds = _best_step(some, after, 10 if inserts < 1000 else repeat)
        rows.append(Measurement(f"I3M+ {inserts:,} into {I3M_ROWS:,}", seconds, "static run", static, target))
    for deletes in (50, 5_000):
        before = table.select(np.sort(order[: I3M_ROWS + deletes]))
        seconds = _best_step(before, some, 10 if deletes < 1000 else repeat)
        rows.append(
            Measurement(f"I3M- {deletes:,} from {I3M_ROWS + deletes:,}", seconds, "static run", rows[0].seconds)
        )
    return rows


def _best_step(before: Microdata, after: Microdata, repeat: int) -> float:
    """Seconds of the release of ``after`` by a publisher that has just published ``before``."""
    publisher = I3M(I3M_K, seed=0)
    publisher.publish(before)
    copies = iter([deepcopy(publisher) for _ in range(repeat + 1)])  # each step is taken from the same state
    return best(lambda: next(copies).publish(after), repeat=repeat)


# --------------------------------------------------------------------
# Speed of full-domain search: k = 5, no suppression, on real ADULT rows and the other benchmark sets.
#
# Times are compared with those of ARX 3.9.2 [1]_, a Java system that also runs Flash, on a two-core machine where one bincount of
# 539,253 keys took 0.6 ms; they are scaled by what a bincount takes here. ARX saw other rows of CUP, FARS, ATUS and IHIS than
# the stand-ins, so the mean time of a check is measured, too, in bincounts of as many keys as the set has rows.
#
# References
# ----------
# .. [1] F. Prasser, F. Kohlmayer, R. Lautenschlaeger, K. Kuhn, "ARX - a comprehensive tool for anonymizing biomedical
# data", AMIA 2014.


ARX_BINCOUNT = 0.6e-3
ARX_KEYS = 539_253
# ARX's milliseconds by number of quasi-identifiers; the share of the last one that is allowed; bincounts per check
SETS: dict[str, tuple[dict[int, float], float, float]] = {
    "adult-arx": ({4: 4.3, 5: 9.2, 6: 9.9, 9: 33}, 1 / 4, 2),
    "cup": ({4: 30, 5: 31, 6: 38, 8: 60}, 1 / 5, 4),
    "fars": ({4: 20, 5: 31, 6: 43, 8: 128}, 1 / 6, 1),
    "atus": ({4: 34, 5: 52, 6: 86, 9: 2_884}, 1 / 12, 0.5),
    "ihis": ({4: 42, 5: 195, 6: 1_430, 9: 9_700}, 1 / 15, 1),
}
SPEED_UP = {"atus": 1.6, "ihis": 1.8}  # of two threads without roll-up
RULE = KAnonymity(5)


def bench_lattice(repeat: int = 5) -> list[Measurement]:
    """Whole searches, single checks of raw rows, and two threads against one."""
    scale = one_bincount(ARX_KEYS) / ARX_BINCOUNT
    lines: list[Measurement] = []
    for name, (arx, share, per_check) in SETS.items():
        table = load(name)
        bincount = one_bincount(len(table))
        for count, milliseconds in arx.items():
            part = table.project(table.schema.quasi_identifiers[:count])
            whole = count == max(arx)
            seconds = _search(Flash(RULE), part, repeat)
            title = f"{name}, {count} QIs"
            allowed = share if whole else 1
            lines.append(Measurement(f"{title}: search", seconds, "ARX", milliseconds / 1e3 * scale, allowed))
            if whole:
                checks = Flash(RULE).search(part).checks
                lines.append(Measurement(f"{title}: mean check", seconds / checks, "bincount", bincount, per_check))
            if count == 6 and name in SPEED_UP:
                search = Flash(RULE, rollup=False)
                mean = _search(search, part, repeat) / search.search(part).checks
                lines.append(Measurement(f"{title}: raw check", mean, "bincount", bincount, 2))
        if name in SPEED_UP:
            lines += _two_threads(name, table, repeat)
    return lines


def _two_threads(name: str, table: Microdata, repeat: int) -> list[Measurement]:
    lines = []
    for rollup, what, allowed in ((False, "scanning rows", 1 / SPEED_UP[name]), (True, "roll-up", 1.05)):
        searches = [partial(Speedy(RULE, threads=t, rollup=rollup).search, table) for t in (1, 2)]
        one, two = best_in_turn(*searches, repeat=repeat)
        lines.append(Measurement(f"{name}: 2 threads, {what}", two, "1 thread", one, allowed))
    return lines


def _search(search: LatticeSearch, table: Microdata, repeat: int) -> float:
    return best(lambda: search.search(table), repeat=repeat, warm=2)


# --------------------------------------------------------------------
# Speed of the metrics: count queries against a release of census rows, and all metrics that need none.


QUERY_ROWS = 200_000
QUERIES = 10_000
WIDTHS = (0.1, 0.5, 0.9)  # narrow, middle and wide ranges: the paper's theta


def bench_metrics(repeat: int = 3) -> list[Measurement]:
    """10,000 queries against 200,000 rows, generalized and anatomized; then one pass over the other metrics."""
    lexsort = one_lexsort()
    table = occ_rows(QUERY_ROWS)
    release = Mondrian(KAnonymity(10) & DistinctLDiversity(10)).anonymize(table)
    groups = Anatomy(10, seed=0).anonymize(table)
    rows = []
    for what, target, kind in ((release, 40, "Mondrian"), (groups, None, "Anatomy")):
        for theta in WIDTHS:
            queries = metrics.queries_by_width(table, theta, QUERIES, seed=1)
            seconds = best(partial(metrics.query_error, what, queries), repeat=repeat)
            name = f"{QUERIES:,} queries, theta = {theta}, {QUERY_ROWS:,} rows by {kind}"
            rows.append(Measurement(name, seconds, "lexsort", lexsort, target))
    seconds = best(lambda: metrics.queries_by_selectivity(table, 0.01, 1_000, seed=1), repeat=repeat)
    rows.append(Measurement("making 1,000 queries of selectivity 1 %", seconds, "lexsort", lexsort))
    plain = [metric for metric in metrics.METRICS.values() if not metric.needs]
    seconds = best(lambda: [metric(release) for metric in plain], repeat=repeat)
    rows.append(Measurement(f"{len(plain)} other metrics, {QUERY_ROWS:,}-row release", seconds, "lexsort", lexsort))
    return rows


# --------------------------------------------------------------------
# Speed of republication on census rows: 200,000 at first, then some of them replaced until 600,000 were used.


def bench_republish(repeat: int = 3) -> list[Measurement]:
    """m-invariance with and without its split, e-equivalence, and BPG over Mondrian: m = 10, e = 5, k = l = 10."""
    lexsort = one_lexsort()
    stream = stream_of(20_000)
    seconds = dict.fromkeys(PUBLISHERS, float("inf"))
    for turn in range(1 + repeat):  # in turns, so that a busy moment does not fall on one publisher alone
        for name, make in PUBLISHERS.items():
            took = best(partial(publish, make, stream), repeat=1, warm=0)
            seconds[name] = min(seconds[name], took) if turn else seconds[name]
    merged, split, equivalence = seconds.values()
    releases = f"{len(stream)} releases"
    return [
        Measurement(f"m-invariance, bucketization, {releases}", merged, "lexsort", lexsort, 30),
        Measurement(f"m-invariance, with split, {releases}", split, "lexsort", lexsort, 500),
        Measurement(f"e-equivalence, without split, {releases}", equivalence, "m-invariance", merged, 1.5),
        *bpg(repeat),
        *internal_updates(lexsort, repeat),
    ]


def bpg(repeat: int = 3) -> list[Measurement]:
    """BPG and Mondrian together, at the largest and the smallest rate of the paper's Figure 1.

    Against m-invariance, which needed 83 and 543 lexsorts when the limits were set.
    """
    lexsort = one_lexsort()
    found = []
    with catch_warnings():
        simplefilter("ignore", DirtyRecordsWarning)
        for rate, limit in ((40_000, 60), (5_000, 430)):
            stream = stream_of(rate)
            seconds = best(partial(publish, paper_bpg, stream), repeat=repeat, warm=1 if rate == 40_000 else 0)
            name = f"BPG with Mondrian, r = {rate // 1000}k, {len(stream)} releases"
            found.append(Measurement(name, seconds, "lexsort", lexsort, limit))
    return found


def stream_of(rate: int) -> list[Snapshot]:
    """200,000 rows, then ``rate`` of them replaced until all 600,000 were used."""
    updates = 400_000 // rate
    return list(UpdateStream(occ_rows(600_000), initial=200_000, deletes=rate, inserts=rate, updates=updates, seed=1))


def paper_bpg() -> Publisher:
    """BPG with the paper's rule."""
    return BPG(KAnonymity(10) & DistinctLDiversity(10), seed=0)


PUBLISHERS: dict[str, Callable[[], Publisher]] = {
    "bucketization": lambda: MInvariance(10, partition="merged", seed=0),
    "split": lambda: MInvariance(10, partition="fine", seed=0),
    "e-equivalence": lambda: EEquivalence(10, e=5, seed=0),
}


def publish(make: Callable[[], Publisher], stream: list[Snapshot]) -> Release:
    """The last release of a stream; the others are made and let go."""
    publisher = make()
    for snapshot in stream:
        release = publisher.publish(snapshot)
    return release


def internal_updates(lexsort: float, repeat: int = 3) -> list[Measurement]:
    """m-Distinct at its paper's size, m = 8 and d = 10: the second release, and all 20 with the risks of all versions."""
    table = census("occ-mdistinct", rows=200_000, seed=1)
    models = census_updates(table, 10)
    sizes = {"initial": 20_000, "deletes": 2_000, "inserts": 5_000, "updates": 19, "changes": 5_000}
    stream = list(UpdateStream(table, **sizes, model=models, seed=1))
    second, whole = float("inf"), float("inf")
    for turn in range(1 + repeat):
        publisher = MDistinct(8, model=models["occupation"], seed=0)
        publisher.publish(stream[0])
        took = best(partial(publisher.publish, stream[1]), repeat=1, warm=0)
        every = best(partial(publish_and_attack, stream), repeat=1, warm=0)
        if turn:
            second, whole = min(second, took), min(whole, every)
    return [
        Measurement("m-Distinct, second release, 23,000 rows", second, "lexsort", lexsort, 5),
        Measurement(f"m-Distinct, {len(stream)} releases and all risks", whole, "lexsort", lexsort, 200),
    ]


def publish_and_attack(stream: list[Snapshot]) -> UpdateRisks:
    """The disclosure risks of every version of everybody, after the last release of an m-Distinct series."""
    model = census_updates(stream[0].table, 10)["occupation"]
    publisher = MDistinct(8, model=model, seed=0)
    releases = [publisher.publish(snapshot) for snapshot in stream]
    background = Background.worst_case(releases).with_model(model)
    return update_risks([r.published() for r in releases], background, truth=[r.table for r in releases])


SUITES: dict[str, Callable[[], list[Measurement]]] = {
    "core": bench_core,
    "i3m": bench_i3m,
    "lattice": bench_lattice,
    "metrics": bench_metrics,
    "republish": bench_republish,
}
