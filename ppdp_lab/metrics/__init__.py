"""What a release is worth: loss, entropy, divergence, and the error of count queries."""

from ppdp_lab.metrics.accuracy import query_error, query_errors
from ppdp_lab.metrics.base import METRICS, Metric, get, metric
from ppdp_lab.metrics.classes import c_avg, classification_metric, discernibility, kl_divergence
from ppdp_lab.metrics.entropy import fem, vem
from ppdp_lab.metrics.loss import ail, gcp, iloss, information_loss, ncp, non_uniform_entropy, precision
from ppdp_lab.metrics.queries import Queries, estimates, queries_by_selectivity, queries_by_width, true_counts

__all__ = [
    "METRICS", "Metric", "Queries", "ail", "c_avg", "classification_metric", "discernibility", "estimates", "fem", "gcp",
    "get", "iloss", "information_loss", "kl_divergence", "metric", "ncp", "non_uniform_entropy", "precision",
    "queries_by_selectivity", "queries_by_width", "query_error", "query_errors", "true_counts", "vem",
]  # fmt: skip
