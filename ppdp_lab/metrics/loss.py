"""Metrics of the published values: how much of each value is lost.

Anatomized tables publish every value as it is. They lose nothing here; what they do lose, the link to the sensitive value,
shows in KL divergence and query error. A suppressed record is one that was generalized to everything. Counterfeits are no
records: they cost nothing themselves, but widen the box of their class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ppdp_lab.errors import SchemaError, check_number, listed
from ppdp_lab.forms import Feature
from ppdp_lab.metrics.base import Bounds, metric
from ppdp_lab.metrics.regions import charge, everything
from ppdp_lab.release import Release
from ppdp_lab.table import Intervals, Nodes
from ppdp_lab.table.boxes import BoxColumn

Weights = Mapping[str, float]


def _weights(release: Release, weights: Weights | None) -> np.ndarray:
    names = release.table.schema.quasi_identifiers
    if weights is None:
        return np.ones(len(names))
    stray = [name for name in weights if name not in names]
    missing = [name for name in names if name not in weights]
    if stray or missing:
        raise SchemaError(
            f"weights must name every quasi-identifier once ({listed(names)}); "
            + "; ".join(
                f"{what} {listed(which)}" for what, which in (("unknown", stray), ("missing", missing)) if which
            )
        )
    return np.array([check_number(f"weight of {name!r}", weights[name], above=0) for name in names])


def _charge_values(release: Release, cost: Callable[[BoxColumn], np.ndarray], weights: np.ndarray) -> float:
    costs = [cost(column) for column in release.boxes]
    if release.form.exact:
        costs = [np.zeros(release.n_classes)] * len(costs)
    return charge(release, costs, [float(cost(everything(d))[0]) for d in release.table.qi_domains], weights)


def _certainty(column: BoxColumn) -> np.ndarray:
    if isinstance(column, Intervals):
        return column.extents()
    leaves = column.leaf_counts()
    return np.where(leaves == 1, 0.0, leaves / len(column.domain))


def _ncp_bounds(release: Release, *, weights: Weights | None = None) -> Bounds:
    return 0, len(release.table) * float(_weights(release, weights).sum())


@metric(
    "NCP",
    unit="lost values",
    better="lower",
    bounds=_ncp_bounds,
    reference="Xu et al., KDD 2006; Chatzopoulos, thesis 2015, 4.4",
    reads=(Feature.VALUES,),
)
def ncp(release: Release, *, weights: Weights | None = None) -> float:
    """Normalized certainty penalty: how much of its domain each published value covers, summed over all values [1]_.

    A number or other ordered value costs the length of its interval over that of the domain, a category the leaves below
    its node v' over all leaves, |v'| / |H| (Section 4.4 of [2]_), a set its size over the domain's. A value that was
    not generalized costs nothing: so [1]_; the formula of [2]_, read to the letter, would charge it 1 / |H|.

    Parameters
    ----------
    release : Release
    weights : dict of str to float, optional
        Weight w_i of every quasi-identifier; 1 each unless given.

    References
    ----------
    .. [1] J. Xu et al., "Utility-based anonymization using local recoding", KDD 2006.
    .. [2] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "sex": ["F", "F", "F", "M"]})
    >>> release = pl.Release(pl.Microdata(frame, pl.Schema(["age", "sex"])), np.array([0, 0, 1, 1]))
    >>> ncp(release)  # ages 2 * 10/40 + 2 * 20/40, sexes 2 * 0 + 2 * 1
    3.5
    >>> ncp(release, weights={"age": 2, "sex": 1})
    5.0
    """
    return _charge_values(release, _certainty, _weights(release, weights))


@metric(
    "GCP",
    unit="share",
    better="lower",
    bounds=(0, 1),
    reference="Ghinita et al., VLDB 2007",
    reads=(Feature.VALUES,),
)
def gcp(release: Release, *, weights: Weights | None = None) -> float:
    """Global certainty penalty: NCP as a share of what suppressing the whole table would cost [1]_.

    Parameters
    ----------
    release : Release
    weights : dict of str to float, optional
        As of :func:`ncp`.

    References
    ----------
    .. [1] G. Ghinita et al., "Fast data anonymization with low information loss", VLDB 2007.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "sex": ["F", "F", "F", "M"]})
    >>> gcp(pl.Release(pl.Microdata(frame, pl.Schema(["age", "sex"])), np.array([0, 0, 1, 1])))
    0.4375
    """
    return ncp(release, weights=weights) / (len(release.table) * float(_weights(release, weights).sum()))


def _iloss_bounds(release: Release, *, weights: Weights | None = None) -> Bounds:
    most = [1 - 1 / len(domain) for domain in release.table.qi_domains]
    return 0, len(release.table) * float(_weights(release, weights) @ most)


@metric(
    "ILoss",
    unit="lost values",
    better="lower",
    bounds=_iloss_bounds,
    reference="Xiao and Tao, SIGMOD 2006; Chatzopoulos, thesis 2015, 4.2",
    reads=(Feature.VALUES,),
)
def iloss(release: Release, *, weights: Weights | None = None) -> float:
    """ILoss: a value costs (|v'| - 1) / |D_A|, by the domain values that its generalization v' covers [1]_.

    Section 4.2 of [2]_. Numbers are counted too, not measured: an interval covers the domain values in it.

    Parameters
    ----------
    release : Release
    weights : dict of str to float, optional
        Penalty factor w_i of every quasi-identifier; 1 each unless given.

    References
    ----------
    .. [1] X. Xiao, Y. Tao, "Personalized privacy preservation", SIGMOD 2006.
    .. [2] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    >>> iloss(pl.Release(table, np.array([0, 0, 1, 1])))  # 4 * (2 - 1) / 4
    1.0
    """
    return _charge_values(
        release, lambda column: (column.leaf_counts() - 1) / len(column.domain), _weights(release, weights)
    )


@metric(
    "precision",
    unit="share",
    better="higher",
    bounds=(0, 1),
    reference="Sweeney, IJUFKS 2002",
    reads=(Feature.VALUES,),
)
def precision(release: Release) -> float:
    """Precision: 1 minus the average of how high each published value stands in its hierarchy [1]_.

    A value on level h of a hierarchy of height H loses h / H, a suppressed one everything. A quasi-identifier without a
    hierarchy is read as one of height 1: its values are published as they are (0) or not (1).

    References
    ----------
    .. [1] L. Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"place": ["Rome", "Turin", "Paris", "Paris"]})
    >>> tree = pl.Hierarchy.from_dict({"Italy": ["Rome", "Turin"], "France": ["Paris"]})
    >>> table = pl.Microdata(frame, pl.Schema("place"), hierarchies={"place": tree})
    >>> precision(pl.Release(table, np.array([0, 0, 1, 1])))  # Italy, Italy, Paris, Paris
    0.75
    """

    def level(column: BoxColumn) -> np.ndarray:
        if isinstance(column, Nodes):
            tree = column.domain.hierarchy
            assert tree is not None
            return tree.node_level[column.node] / max(tree.height, 1)
        return (column.leaf_counts() > 1).astype(float)

    ones = np.ones(len(release.boxes.columns))
    return 1 - _charge_values(release, level, ones) / (len(release.table) * len(ones))
