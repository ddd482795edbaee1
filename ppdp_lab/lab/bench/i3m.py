"""Speed of k-member clustering and of its incremental maintenance, on the rows of Adult."""

from __future__ import annotations

from copy import deepcopy
from functools import partial

import numpy as np

from ppdp_lab.anonymize.kmember import KMember
from ppdp_lab.datasets import load
from ppdp_lab.lab.bench.base import Measurement, best, one_lexsort
from ppdp_lab.republish import il_optimization
from ppdp_lab.republish.i3m import I3M
from ppdp_lab.table import Microdata

K = 3  # the k of the paper's Figure 4
ROWS = 10_000


def run(repeat: int = 3) -> list[Measurement]:
    """Static runs in lexsorts; inserts and deletes as shares of a static run on the table that results."""
    lexsort = one_lexsort()
    table = load("adult-i3m")
    order = np.random.default_rng(0).permutation(len(table))
    some = table.select(np.sort(order[:ROWS]))
    rows = []
    for part, most in ((some, 25), (table, 260)):
        seconds = best(partial(KMember(K, seed=0).anonymize, part), repeat=repeat)
        rows.append(Measurement(f"KMember k = {K}, {len(part):,} rows", seconds, "lexsort", lexsort, most))
    static = rows[0].seconds
    release = KMember(K, seed=0).anonymize(some)
    seconds = best(partial(il_optimization, release), repeat=repeat)
    rows.append(Measurement(f"IL_Optimization, {ROWS:,} rows", seconds, "static run", static))
    for inserts, target in ((50, 1 / 50), (5_000, 1 / 2)):
        after = table.select(np.sort(order[: ROWS + inserts]))
        static = best(partial(KMember(K, seed=0).anonymize, after), repeat=repeat)
        seconds = _best_step(some, after, 10 if inserts < 1000 else repeat)
        rows.append(Measurement(f"I3M+ {inserts:,} into {ROWS:,}", seconds, "static run", static, target))
    for deletes in (50, 5_000):
        before = table.select(np.sort(order[: ROWS + deletes]))
        seconds = _best_step(before, some, 10 if deletes < 1000 else repeat)
        rows.append(Measurement(f"I3M- {deletes:,} from {ROWS + deletes:,}", seconds, "static run", rows[0].seconds))
    return rows


def _best_step(before: Microdata, after: Microdata, repeat: int) -> float:
    """Seconds of the release of ``after`` by a publisher that has just published ``before``."""
    publisher = I3M(K, seed=0)
    publisher.publish(before)
    copies = iter([deepcopy(publisher) for _ in range(repeat + 1)])  # each step is taken from the same state
    return best(lambda: next(copies).publish(after), repeat=repeat)
