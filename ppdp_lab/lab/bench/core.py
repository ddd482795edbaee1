"""Speed of the core: Mondrian and the principles on census rows."""

from __future__ import annotations

from functools import partial

from ppdp_lab.anonymize import Mondrian
from ppdp_lab.lab.bench.base import Measurement, best, occ_rows, one_lexsort
from ppdp_lab.principles import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)

RULES = [
    KAnonymity(10),
    DistinctLDiversity(10),
    EntropyLDiversity(3),
    RecursiveCLDiversity(2, 3),
    AlphaKAnonymity(0.5, 10),
    TCloseness(0.5),
    TCloseness(0.5, distance="ordered"),
]


def run(repeat: int = 5) -> list[Measurement]:
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
