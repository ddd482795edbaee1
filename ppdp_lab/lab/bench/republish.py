"""Speed of republication on census rows: 200,000 at first, then some of them replaced until 600,000 were used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from warnings import catch_warnings, simplefilter

from ppdp_lab.attacks import Background, UpdateRisks, update_risks
from ppdp_lab.datasets import census
from ppdp_lab.errors import DirtyRecordsWarning
from ppdp_lab.lab.bench.base import Measurement, best, occ_rows, one_lexsort
from ppdp_lab.principles import DistinctLDiversity, KAnonymity
from ppdp_lab.release import Release
from ppdp_lab.republish.bpg import BPG
from ppdp_lab.republish.e_equivalence import EEquivalence
from ppdp_lab.republish.m_distinct import MDistinct
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.republish.publisher import Publisher
from ppdp_lab.republish.stream import Snapshot, UpdateStream, census_updates


def run(repeat: int = 3) -> list[Measurement]:
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
