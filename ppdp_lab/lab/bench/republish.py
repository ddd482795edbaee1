"""Speed of republication on census rows: 200,000 at first, then 20 times 20,000 replaced."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ppdp_lab.lab.bench.base import Measurement, best, occ_rows, one_lexsort
from ppdp_lab.release import Release
from ppdp_lab.republish.e_equivalence import EEquivalence
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.republish.publisher import Publisher
from ppdp_lab.republish.stream import Snapshot, UpdateStream


def run(repeat: int = 3) -> list[Measurement]:
    """m-invariance with and without its split, and e-equivalence, over the whole stream: m = 10, e = 5."""
    lexsort = one_lexsort()
    stream = list(UpdateStream(occ_rows(600_000), initial=200_000, deletes=20_000, inserts=20_000, updates=20, seed=1))
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
    ]


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
