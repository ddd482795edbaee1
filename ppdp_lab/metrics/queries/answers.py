"""Answers to count queries: exact ones from a table, estimates from what was published."""

from __future__ import annotations

import numpy as np

from ppdp_lab.errors import ParameterError
from ppdp_lab.forms import Feature, Published
from ppdp_lab.forms.answers import count_selected
from ppdp_lab.metrics.queries.conditions import Queries, check_table
from ppdp_lab.release import Release
from ppdp_lab.table import Microdata


def true_counts(table: Microdata, queries: Queries) -> np.ndarray:
    """How many records of a table each query selects.

    Parameters
    ----------
    table : Microdata
    queries : Queries
        Made from this table, or from one that shares its domains.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> true_counts(table, Queries.of(table, [{"age": (25, 45)}, {"age": (25, 45), "illness": "flu"}])).tolist()
    [2, 1]
    """
    _check_queries(queries)
    check_table(table, "true counts come from")
    queries = queries.over((*table.qi_domains, *table.sensitive_domains))
    return count_selected(np.concatenate([table.qi_codes, table.sensitive_codes]), queries.columns)


def estimates(published: Published | Release, queries: Queries) -> np.ndarray:
    """How many records each query is expected to select, to a reader of what was published.

    *Generalized*: the records of a group are taken to be spread evenly over the values of its box, whatever their sensitive
    values; so a group adds the share of its box that the query selects times its rows with a selected sensitive value
    [1]_. *Anatomized*: quasi-identifiers are exact, so a group adds its selected rows times the share of its selected
    sensitive values [2]_. Counterfeits are left out by the published statistics: of a group of n rows with f
    counterfeits, every row counts (n - f) / n.

    Parameters
    ----------
    published : Published or Release
        Of a release only its published side is looked at.
    queries : Queries

    References
    ----------
    .. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.
    .. [2] X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> queries = Queries.of(table, [{"age": (25, 45)}, {"age": (25, 45), "illness": "cold"}])
    >>> estimates(pl.Release(table, np.array([0, 0, 1, 1])), queries).tolist()
    [2.0, 0.5]
    """
    _check_queries(queries)
    if isinstance(published, Release):
        published = published.published()
    if not isinstance(published, Published):
        raise ParameterError(f"estimates need a Release or what it published, not {type(published).__name__}")
    queries = queries.over((*published.qi_domains, *published.sensitive_domains))
    published.require("a count query", (Feature.ANSWERS,))
    return published.answer(queries)


def _check_queries(queries: object) -> None:
    if not isinstance(queries, Queries):
        raise ParameterError(
            f"queries must be metrics.Queries, not {type(queries).__name__}; make them with Queries.of, "
            f"queries_by_width or queries_by_selectivity"
        )
