"""Metrics of the classes' extent: how much of what the whole table spans each class spans.

Sets of texts count by their number of values, so that a few exact ones out of many cost next to nothing (AIL), or by
whether there is more than one (IL): both are the papers' formulas; see :func:`~ppdp_lab.metrics.non_uniform_entropy` for what
such sets still say.

They look at the region of a class, however it is published: for an anatomized release they say what generalizing the
same classes would lose. A suppressed record loses everything, 1 per attribute. Counterfeits are no records, but widen the
box of their class.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ppdp_lab.errors import PublicationError, check_choice
from ppdp_lab.metrics.base import Bounds, metric
from ppdp_lab.metrics.regions import charge, table_region
from ppdp_lab.release import Release
from ppdp_lab.table import Intervals, Nodes
from ppdp_lab.table.boxes import BoxColumn


def _ratio(part: np.ndarray, whole: float) -> np.ndarray:
    """Part of a whole; a whole of no length is exceeded fully by whatever has one."""
    return part / whole if whole > 0 else (part > 0).astype(float)


def _span(column: BoxColumn) -> np.ndarray:
    """Length of each box: by coordinate for ordered columns, in leaves or values beyond the first for others."""
    if isinstance(column, Intervals):
        where = column.domain.coordinates
        return where[column.high] - where[column.low]
    return (column.leaf_counts() - 1).astype(float)


def _class_loss(release: Release, share: Callable[[BoxColumn, BoxColumn], np.ndarray]) -> float:
    region = table_region(release)
    costs = [share(column, whole) for column, whole in zip(release.boxes, region)]
    return charge(release, costs, [1.0] * len(costs), np.ones(len(costs)))


def _widest(release: Release, share: Callable[[BoxColumn, BoxColumn], np.ndarray]) -> float:
    """Largest loss of one record: 1 per attribute, more where a box reaches beyond what the table spans."""
    region = table_region(release)
    return sum(max(1.0, share(column, whole).max(initial=0)) for column, whole in zip(release.boxes, region))


def _interval_share(column: BoxColumn, whole: BoxColumn) -> np.ndarray:
    return _ratio(_span(column), float(_span(whole)[0]))


def _ail_bounds(release: Release, *, per: str = "record") -> Bounds:
    return 0, _widest(release, _interval_share) * (1 if per == "record" else len(release.table))


@metric("AIL", unit="lost attributes", better="lower", bounds=_ail_bounds, reference="BPG paper, CIKM 2012, section 3")
def ail(release: Release, *, per: str = "record") -> float:
    """Average information loss: how much of the table's range each class spans, over all attributes [1]_.

    A class E loses IL(E) = |E| times the sum over attributes of d(a_E) / d(a), the length that E spans over the length
    that the whole table spans; categories and sets are measured in leaves or values beyond the first.

    Parameters
    ----------
    release : Release
    per : {"record", "class"}
        The paper averages "over all equivalence classes", and states the number of attributes as the upper bound. Both
        cannot be: only the average per record has that bound, and is the default. A suppressed record loses everything;
        per class its loss is shared by the classes that are there.

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
       CIKM 2012, section 3, after Byun et al., DASFAA 2007.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    >>> release = pl.Release(table, np.array([0, 0, 1, 1]))
    >>> ail(release), ail(release, per="class")
    (0.375, 0.75)
    """
    check_choice("per", per, ("record", "class"))
    n = len(release.table) if per == "record" else int((release.real_sizes > 0).sum())
    if n == 0:
        raise PublicationError(
            "ail per class needs a class, but this release suppresses every record; use per='record'"
        )
    return _class_loss(release, _interval_share) / n


def _height_share(column: BoxColumn, whole: BoxColumn) -> np.ndarray:
    if isinstance(column, Nodes):
        tree = column.domain.hierarchy
        assert tree is not None
        return _ratio(tree.node_height[column.node], float(tree.node_height[-1]))
    return _interval_share(column, whole) if isinstance(column, Intervals) else (column.leaf_counts() > 1) * 1.0


@metric(
    "information loss IL",
    unit="lost values",
    better="lower",
    bounds=lambda release: (0, len(release.table) * _widest(release, _height_share)),
    reference="Byun et al., DASFAA 2007; I3M paper, Definitions 4 and 5",
)
def information_loss(release: Release) -> float:
    """Information loss IL(S) of a clustering: Definitions 4 and 5 of [1]_.

    A class costs its number of records times the sum of the lengths of its intervals over the lengths that the whole
    table spans (numbers) and of the heights below its nodes over the heights of the hierarchies (categories). A set
    without a hierarchy is read as a tree of height 1; a suppressed record costs 1 per attribute.

    References
    ----------
    .. [1] The I3M paper (SAC 2007), after J.-W. Byun et al., "Efficient k-anonymization using clustering techniques",
       DASFAA 2007.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [25, 40, 35, 55], "zip": ["41076", "41935", "12345", "33333"]})
    >>> zips = {"zip": pl.Hierarchy.mask_suffix(frame["zip"])}
    >>> table = pl.Microdata(frame, pl.Schema(["age", "zip"]), hierarchies=zips)
    >>> information_loss(pl.Release(table, np.array([0, 0, 1, 1])))  # 2 * (15/30 + 3/5) + 2 * (20/30 + 5/5)
    5.533333333333333
    """
    return _class_loss(release, _height_share)
