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
from ppdp_lab.table import Intervals, Nodes, Sets
from ppdp_lab.table.boxes import BoxColumn
from ppdp_lab.table.domain import MANY_VALUES

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
    leaves, known = column.leaf_counts(), max(column.domain.known, 1)
    share = leaves / known
    if isinstance(column, Sets) and known > MANY_VALUES:
        share = np.maximum(share, np.log(leaves) / np.log(known))
    return np.where(
        leaves == 1, 0.0, np.minimum(share, 1)
    )  # all known values, and the missing one, are no more than all


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

    We depart from that for sets of text from a long list (more than :data:`~ppdp_lab.table.domain.MANY_VALUES` values). Five
    exact birth dates out of 10,000 would cost 0.0005, next to nothing, although they hide only which of the five is the
    person's. There a set of s of n values costs at least log s / log n, the share of the bits that can no longer be
    told: 0.17 for these five. In all cases missing values do not add to the length of a domain, so that other values do not
    seem to lose less.

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
    >>> towns = pl.Microdata(pd.DataFrame({"town": [f"town {i}" for i in range(100)]}), pl.Schema("town"))
    >>> round(gcp(pl.Release(towns, np.arange(100) // 5)), 3)  # log 5 / log 100, where 5 / 100 would be 0.05
    0.349
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

    Section 4.2 of [2]_. Numbers are counted too, not measured: an interval covers the domain values in it. A set of a few
    out of many texts costs next to nothing here, however few its members are; :func:`ncp` and
    :func:`non_uniform_entropy` tell how much such a set still says.

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
    hierarchy is read as one of height 1: its values are published as they are (0) or not (1), so that a set of two texts
    loses as much as one of a thousand.

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


@metric(
    "non-uniform entropy",
    unit="share",
    better="lower",
    bounds=(0, 1),
    reference="Gionis and Tassa, TKDE 2009; de Waal and Willenborg, 1999",
    reads=(Feature.VALUES,),
)
def non_uniform_entropy(release: Release) -> float:
    """Non-uniform entropy: the share of the bits in the table that a reader of the release can no longer tell [1]_ [2]_.

    A value v that is published as a region v' loses -log2(f(v) / f(v')) bits, f being how many records of the whole table
    have v, or any of the values in v': what is left to guess for a reader who knows how frequent each value is. The sum over
    all records and quasi-identifiers is divided by what suppressing the whole table would lose, as ARX does. A rare value
    hidden among frequent ones costs most, and a list of a few exact values is charged for what it is, however many
    other values there are.

    References
    ----------
    .. [1] A. Gionis, T. Tassa, "k-anonymization with minimal loss of information", IEEE TKDE 21(2), 2009.
    .. [2] A. G. de Waal, L. C. R. J. Willenborg, "Information loss through global recoding and local suppression",
       Netherlands Official Statistics 14, 1999.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    >>> non_uniform_entropy(pl.Release(table, np.array([0, 0, 1, 1])))  # one bit of two is left to guess
    0.5
    """
    table = release.table
    lost = whole = 0.0
    for codes, domain, column in zip(table.qi_codes, table.qi_domains, release.boxes):
        often = np.bincount(codes, minlength=len(domain))
        bits = np.log2(len(table)) - np.log2(often[codes])
        whole += float(bits.sum())
        shown = release.class_of >= 0
        lost += float(bits[~shown].sum())
        if not release.form.exact:
            classes = release.class_of[shown]
            lost += float((np.log2(_covered(column, often)[classes]) - np.log2(often[codes[shown]])).sum())
    return lost / whole if whole > 0 else 0.0


def _covered(column: BoxColumn, often: np.ndarray) -> np.ndarray:
    """How many records have one of the values that each box covers."""
    if isinstance(column, Sets):
        return np.concatenate([np.zeros(0), *(members @ often.astype(float) for _, members in column.unpacked())])
    below = np.r_[0, np.cumsum(often)]
    return below[column.high + 1] - below[column.low]
