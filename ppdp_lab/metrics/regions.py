"""Regions of the quasi-identifier space: all of it, what a table spans; and what records in such regions cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppdp_lab.release import Release
from ppdp_lab.table import Boxes, Domain, Intervals, Nodes, Sets, value_masks
from ppdp_lab.table.boxes import BoxColumn
from ppdp_lab.table.domain import ORDERED


def everything(domain: Domain) -> BoxColumn:
    """The one box that covers a whole domain.

    >>> import pandas as pd
    >>> everything(Domain.of(pd.Series([30, 20, 40], name="age"))[0]).labels().tolist()
    ['[20, 40]']
    """
    if domain.hierarchy is not None:
        return Nodes(domain, np.array([len(domain.hierarchy.labels) - 1], dtype=np.int32))
    if domain.kind == ORDERED:
        return Intervals(domain, np.zeros(1, dtype=np.int32), np.full(1, len(domain) - 1, dtype=np.int32))
    return Sets(domain, value_masks(np.zeros(len(domain), dtype=np.int64), np.arange(len(domain)), 1, len(domain)))


def table_region(release: Release, records: np.ndarray | None = None) -> Boxes:
    """The smallest box that covers all records of the table, or those of a mask.

    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 60]}), pl.Schema("age"))
    >>> table_region(pl.Release(table, np.array([0, 0, -1])))[0].labels().tolist()
    ['[20, 60]']
    """
    table = release.table
    codes = table.qi_codes if records is None else table.qi_codes[:, records]
    return Boxes.around(codes, table.qi_domains, np.zeros(codes.shape[1], dtype=np.int32), 1)


def charge(release: Release, costs: Sequence[np.ndarray], whole: Sequence[float], weights: np.ndarray) -> float:
    """Sum over records and attributes: per attribute a cost for each class, one for a suppressed record, and a weight.

    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 60]}), pl.Schema("age"))
    >>> charge(pl.Release(table, np.array([0, 0, -1])), [np.array([0.5])], [1.0], np.ones(1))
    2.0
    """
    left_out = len(release.suppressed)
    return float(sum(w * (release.real_sizes @ c + left_out * all_) for w, c, all_ in zip(weights, costs, whole)))
