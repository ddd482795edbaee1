"""Relative error of count queries: what a release is worth to somebody who counts."""

from __future__ import annotations

import numpy as np

from ppdp_lab.errors import ParameterError, check_choice, check_number
from ppdp_lab.metrics.base import metric
from ppdp_lab.metrics.queries import Queries, estimates, true_counts
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Feature
from ppdp_lab.table import Microdata

LEAVE_OUT, COUNT = "leave out", "count"


def query_errors(
    release: Release,
    queries: Queries,
    *,
    denominator: str = "true",
    zero: str | float = LEAVE_OUT,
    truth: Microdata | None = None,
) -> np.ndarray:
    """Relative error of each query: |estimate - true count| over one of the two; nan for a query that is left out.

    The true count comes from the table, the estimate from the published side alone (:func:`estimates`).

    Parameters
    ----------
    release : Release
    queries : Queries
    denominator : {"true", "estimate"}
        The true count, as the equivalence paper has it, or the estimate, as the m-Distinct paper has it.
    zero : {"leave out", "count"} or number
        The rule for a denominator of 0. The query is left out; or it counts, with no error if truth and estimate
        agree and an infinite one if not; or every denominator below this number is raised to it.
    truth : Microdata, optional
        The table that the queries are about. Unless given, it is the release's without dirty records: they are published,
        but nobody asked for them.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    >>> queries = Queries.of(table, [{"age": (0, 25)}, {"age": (25, 45)}, {"age": (0, 45)}])
    >>> query_errors(pl.Release(table, np.array([0, 0, 0, 1])), queries).tolist()
    [0.0, 0.0, 0.0]
    >>> query_errors(pl.Release(table, np.array([0, 0, -1, 0])), queries).tolist()
    [0.25, 0.25, 0.25]
    """
    if not isinstance(release, Release):
        raise ParameterError(
            f"query errors need a ppdp_lab.Release, which holds the truth, not {type(release).__name__}; of what was "
            f"published there are estimates() only"
        )
    check_choice("denominator", denominator, ("true", "estimate"))
    if isinstance(zero, str):
        check_choice("zero", zero, (LEAVE_OUT, COUNT))
    else:
        zero = check_number("zero", zero, above=0)
    if truth is None:
        asked = ~np.asarray(release.table.ids.isin(release.dirty))
        truth = release.table if asked.all() else release.table.select(asked)
    actual = true_counts(truth, queries).astype(float)
    estimated = estimates(release, queries)
    miss = np.abs(estimated - actual)
    under = actual if denominator == "true" else estimated
    if not isinstance(zero, str):
        return miss / np.maximum(under, zero)
    none = np.nan if zero == LEAVE_OUT else np.where(miss == 0, 0.0, np.inf)
    return np.where(under == 0, none, miss / np.where(under == 0, 1, under))


@metric(
    "relative query error",
    better="lower",
    bounds=(0, None),
    reference="equivalence paper, ICDE 2011, section VII; m-Distinct paper, 2008",
    reads=(Feature.ANSWERS,),
)
def query_error(
    release: Release,
    queries: Queries,
    *,
    denominator: str = "true",
    statistic: str = "median",
    zero: str | float = LEAVE_OUT,
    truth: Microdata | None = None,
) -> float:
    """Median or mean relative error of count queries on a release [1]_, [2]_.

    Parameters
    ----------
    release : Release
    queries : Queries
        See :func:`queries_by_width`, :func:`queries_by_selectivity` and :meth:`Queries.of`.
    denominator : {"true", "estimate"}
        |act - est| / act as in [1]_, or |R* - R| / R*, over the estimate R*, as in [2]_.
    statistic : {"median", "mean"}
        Over the queries that are not left out.
    zero : {"leave out", "count"} or number
        The rule for a denominator of 0; see :func:`query_errors`.
    truth : Microdata, optional
        The table that the queries are about; see :func:`query_errors`.

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011,
       section VII.
    .. [2] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": range(20, 80)}), pl.Schema("age"))
    >>> release = pl.Release(table, np.arange(60) // 30)
    >>> query_error(release, Queries.of(table, [{"age": (20, 34)}, {"age": (40, 70)}]))
    0.0
    """
    check_choice("statistic", statistic, ("median", "mean"))
    errors = query_errors(release, queries, denominator=denominator, zero=zero, truth=truth)
    errors = errors[~np.isnan(errors)]
    if len(errors) == 0:
        raise ParameterError(
            f"all {len(queries)} queries have a denominator of 0 ({denominator}), so nothing is left to average; ask wider "
            f"queries, or set zero= to 'count' or to a least denominator"
        )
    return float(np.median(errors) if statistic == "median" else errors.mean())
