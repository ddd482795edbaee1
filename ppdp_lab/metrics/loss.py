"""Metrics of information loss: what records lose in the regions of their classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import numpy as np

from ppdp_lab.errors import PublicationError, SchemaError, check_number, listed
from ppdp_lab.metrics.base import Bounds, metric
from ppdp_lab.registry import OneOf
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Feature
from ppdp_lab.table import Boxes, Domain, Intervals, Nodes, Sets, value_masks
from ppdp_lab.table.boxes import BoxColumn
from ppdp_lab.table.domain import MANY_VALUES, ORDERED


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


# --------------------------------------------------------------------
# Metrics of the published values: how much of each value is lost.
#
# Anatomized tables publish every value as it is. They lose nothing here; what they do lose, the link to the sensitive value,
# shows in KL divergence and query error. A suppressed record is one that was generalized to everything. Counterfeits are no
# records: they cost nothing themselves, but widen the box of their class.


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

    We depart from that for sets of text from a long list (more than 64 values). Five
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


# --------------------------------------------------------------------
# Metrics of the classes' extent: how much of what the whole table spans each class spans.
#
# Sets of texts count by their number of values, so that a few exact ones out of many cost next to nothing (AIL), or by
# whether there is more than one (IL): both are the papers' formulas; see :func:`~ppdp_lab.metrics.non_uniform_entropy` for what
# such sets still say.
#
# They look at the region of a class, however it is published: for an anatomized release they say what generalizing the
# same classes would lose. A suppressed record loses everything, 1 per attribute. Counterfeits are no records, but widen the
# box of their class.


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


def _ail_bounds(release: Release, *, per: Annotated[str, OneOf("record", "class")] = "record") -> Bounds:
    return 0, _widest(release, _interval_share) * (1 if per == "record" else len(release.table))


@metric("AIL", unit="lost attributes", better="lower", bounds=_ail_bounds, reference="BPG paper, CIKM 2012, section 3")
def ail(release: Release, *, per: Annotated[str, OneOf("record", "class")] = "record") -> float:
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
