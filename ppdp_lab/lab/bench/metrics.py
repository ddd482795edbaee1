"""Speed of the metrics: count queries against a release of census rows, and all metrics that need none."""

from __future__ import annotations

from functools import partial

from ppdp_lab import metrics
from ppdp_lab.anonymize import Anatomy, Mondrian
from ppdp_lab.lab.bench.base import Measurement, best, occ_rows, one_lexsort
from ppdp_lab.principles import DistinctLDiversity, KAnonymity

ROWS = 200_000
QUERIES = 10_000
WIDTHS = (0.1, 0.5, 0.9)  # narrow, middle and wide ranges: the paper's theta


def run(repeat: int = 3) -> list[Measurement]:
    """10,000 queries against 200,000 rows, generalized and anatomized; then one pass over the other metrics."""
    lexsort = one_lexsort()
    table = occ_rows(ROWS)
    release = Mondrian(KAnonymity(10) & DistinctLDiversity(10)).anonymize(table)
    groups = Anatomy(10, seed=0).anonymize(table)
    rows = []
    for what, target, kind in ((release, 40, "Mondrian"), (groups, None, "Anatomy")):
        for theta in WIDTHS:
            queries = metrics.queries_by_width(table, theta, QUERIES, seed=1)
            seconds = best(partial(metrics.query_error, what, queries), repeat=repeat)
            name = f"{QUERIES:,} queries, theta = {theta}, {ROWS:,} rows by {kind}"
            rows.append(Measurement(name, seconds, "lexsort", lexsort, target))
    seconds = best(lambda: metrics.queries_by_selectivity(table, 0.01, 1_000, seed=1), repeat=repeat)
    rows.append(Measurement("making 1,000 queries of selectivity 1 %", seconds, "lexsort", lexsort))
    plain = [metric for metric in metrics.ALL.values() if not metric.needs]
    seconds = best(lambda: [metric(release) for metric in plain], repeat=repeat)
    rows.append(Measurement(f"{len(plain)} other metrics, {ROWS:,}-row release", seconds, "lexsort", lexsort))
    return rows
