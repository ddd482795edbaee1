"""Count queries: what they are, random ones, their answers, and how far a release's answers are from the truth."""

from ppdp_lab.metrics.queries.accuracy import query_error, query_errors
from ppdp_lab.metrics.queries.answers import estimates, true_counts
from ppdp_lab.metrics.queries.conditions import Queries, pack
from ppdp_lab.metrics.queries.workloads import queries_by_selectivity, queries_by_width

__all__ = [
    "Queries", "estimates", "pack", "queries_by_selectivity", "queries_by_width", "query_error", "query_errors",
    "true_counts",
]  # fmt: skip
