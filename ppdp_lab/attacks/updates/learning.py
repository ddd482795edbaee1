"""Update models learned from past tables of the same persons."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from ppdp_lab.attacks.updates.model import UpdateModel
from ppdp_lab.errors import ParameterError, SchemaError, check_items, listed
from ppdp_lab.table import Microdata, common_domains


def learned(tables: Iterable[Microdata], *, column: str | None = None, stay: bool = True) -> UpdateModel:
    """How often each value became which other value; see :meth:`ppdp_lab.attacks.UpdateModel.learned`.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> def table(*illness):
    ...     return pl.Microdata(pd.DataFrame({"age": 30, "illness": illness}), pl.Schema("age", sensitive="illness"))
    >>> model = learned([table("flu", "flu", "cold"), table("flu", "cold", "cold")])
    >>> model.probability("flu", "cold"), model.absorbing
    (0.5, ['cold'])
    """
    tables = check_items("tables", tables)
    for table in tables:
        if not isinstance(table, Microdata):
            raise ParameterError(f"an update model is learned from Microdata, not from {type(table).__name__}")
    if len(tables) < 2:
        raise ParameterError("an update model is learned from at least two tables that follow each other")
    if not isinstance(stay, bool):
        raise ParameterError(f"stay must be True or False, not {stay!r}")
    name = _column(tables[0], column)
    for table in tables[1:]:
        if name not in table.domains:
            raise SchemaError(f"a table lacks the column {name!r}; all tables need the same columns")
    (domain,) = common_domains((f"table {i}", [table.domains[name]]) for i, table in enumerate(tables))
    counts = np.zeros((len(domain), len(domain)))
    codes = [table.domains[name].map_to(domain)[table.codes(name)] for table in tables]
    for (before, then), (after, now) in pairwise(zip(tables, codes)):
        where = before.ids.get_indexer(after.ids)
        stayed = where >= 0
        np.add.at(counts, (then[where[stayed]], now[stayed]), 1)
    alone = counts.sum(axis=1) == 0
    keep = np.diag(counts) == 0
    counts[np.diag_indices(len(domain))] += alone | (keep & stay)
    return UpdateModel.from_matrix(counts / counts.sum(axis=1, keepdims=True), domain)


def _column(table: Microdata, column: str | None) -> str:
    """The column that is meant: the one sensitive column, or the one that is named."""
    if column is not None:
        if not isinstance(column, str) or column not in table.domains:
            raise SchemaError(f"no column {column!r}; known are {listed(table.domains)}")
        return column
    if len(table.schema.sensitive) != 1:
        raise SchemaError(f"name the column to learn: the table has {len(table.schema.sensitive)} sensitive columns")
    return table.schema.sensitive[0]
