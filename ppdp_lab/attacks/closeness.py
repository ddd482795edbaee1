"""Attacks on one release that l-diversity leaves open: skewness and similarity.

Both take what was published and, optionally, a background on that one release, as the attacks of
:mod:`~ppdp_lab.attacks.linkage` do.

References
----------
.. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded algorithm
   preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015, section 3.
.. [2] N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

import numpy as np

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.base import ATTRIBUTE, RELEASE, Disclosure, attack
from ppdp_lab.attacks.linkage import OneRelease, beliefs, largest
from ppdp_lab.errors import ParameterError, SchemaError, listed
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.registry import Within
from ppdp_lab.release.forms import Published, PublishedRows
from ppdp_lab.table import Domain


@attack(
    "skewness",
    sees=RELEASE,
    discloses=ATTRIBUTE,
    knows="a person's quasi-identifiers or group, and how frequent the values are in the whole table",
    breaks="l-diversity; t-closeness closes it",
    paper="Li et al., ICDE 2007",
)
def skewness(
    published: Published,
    background: Background | None = None,
    *,
    gain: Annotated[float, Within(at_least=0, at_most=1)] = 0.2,
    ratio: Annotated[float, Within(at_least=1)] | None = None,
    prior: Iterable[float] | None = None,
    attribute: str | None = None,
) -> Disclosure:
    """How far a group's values lead away from those of the whole table (section 3.2.3 of [1]_, [2]_).

    Parameters
    ----------
    published, background
        What was published, and what is known of the persons in it.
    gain : float
        Breached are those for whom some value became more probable by more than this. t-closeness under the equal
        distance keeps every gain at or below t.
    ratio : float, optional
        Breached are also those for whom some value became more than this many times as probable.
    prior : array of float, optional
        Probability of each value of the domain, in the order of its codes, before the release is seen; the whole published
        table's unless given.
    attribute : str, optional
        Which sensitive attribute, if there are several.

    Examples
    --------
    A test that is positive for 1 % of the table and for half of one group:

    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": range(200), "test": ["positive"] * 2 + ["negative"] * 198})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="test"))
    >>> result = skewness(pl.Release(table, (np.arange(200) > 3).astype(int)).published())
    >>> result.to_frame().iloc[0].to_dict()
    {'people': 4, 'gain': 0.49, 'value': 'positive', 'ratio': 50.0, 'breached': True}
    """
    release = OneRelease(published, background)
    held = beliefs(release, attribute)
    before = _prior(published, held.domain, prior)[held.values]
    gained, value = largest(held, held.shares - before)
    with np.errstate(divide="ignore"):
        times, _ = largest(held, np.where(before > 0, held.shares / before, np.inf))
    breached = gained > gain + TOLERANCE
    finding = f"have a value of {held.domain.name} that became more probable by more than {gain:g}"
    if ratio is not None:
        breached |= times > ratio + TOLERANCE
        finding += f" or by a factor of more than {ratio:g}"
    details = {"value": held.domain.labels[value], "ratio": times}
    return release.disclosure("skewness", "gain", gained, breached, finding, details)


@attack(
    "similarity",
    sees=RELEASE,
    discloses=ATTRIBUTE,
    knows="a person's quasi-identifiers or group, and what the values mean",
    breaks="l-diversity, where distinct values mean much the same; t-closeness over a hierarchy limits it",
    paper="Li et al., ICDE 2007",
)
def similarity(
    published: Published,
    background: Background | None = None,
    *,
    level: Annotated[int, Within(at_least=0)] = 1,
    width: Annotated[float, Within(at_least=0, at_most=1)] = 0.1,
    attribute: str | None = None,
) -> Disclosure:
    """Values that differ but mean much the same (section 3.2.3 of [1]_, [2]_).

    With a hierarchy on the sensitive attribute: all values of a group lie below one node. With numbers, dates or ordered
    categories: they lie within a narrow range.

    Parameters
    ----------
    published, background
        What was published, and what is known of the persons in it.
    level : int
        Breached are those whose values share an ancestor on this level of the hierarchy or below; the root never counts.
    width : float
        Without a hierarchy: breached are those whose values span at most this share of the whole range.
    attribute : str, optional
        Which sensitive attribute, if there are several.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> ills = pl.Hierarchy.from_dict({"stomach": ["gastritis", "ulcer"], "lungs": ["flu", "pneumonia"]})
    >>> frame = pd.DataFrame({"age": [34, 51, 29, 33], "disease": ["gastritis", "ulcer", "flu", "ulcer"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"), hierarchies={"disease": ills})
    >>> similarity(pl.Release(table, np.array([1, 1, 0, 0])).published()).to_frame()[["values", "breached"]]
            values  breached
    group
    0            *     False
    1      stomach      True
    """
    release = OneRelease(published, background)
    held = beliefs(release, attribute)
    domain = held.domain
    low, high = held.values[held.offsets[:-1]], held.values[held.offsets[1:] - 1]  # values ascend within a unit
    if domain.hierarchy is not None:
        tree = domain.hierarchy
        node = tree.lca(low, high)
        spread = (tree.leaf_counts[node] - 1) / max(len(domain) - 1, 1)
        breached = (tree.node_level[node] <= level) & (tree.leaf_counts[node] < tree.n_leaves)
        what = np.array(tree.labels, dtype=object)[node]
        finding = f"have values of {domain.name} that all lie below one node of level {level}"
    elif domain.kind == "ordered":
        where = domain.coordinates
        spread = np.minimum((where[high] - where[low]) / (domain.span if domain.span > 0 else 1.0), 1)
        breached = spread <= width + TOLERANCE
        names = domain.labels
        what = np.array([f"[{names[a]}, {names[b]}]" for a, b in zip(low, high)], dtype=object)
        finding = f"have values of {domain.name} that span at most {width:.0%} of its range"
    else:
        raise SchemaError(
            f"nothing says which values of {domain.name!r} are similar; give the column a hierarchy in the Microdata"
        )
    return release.disclosure("similarity", "spread", spread, breached, finding, {"values": what})


def _prior(published: Published, domain: Domain, given: Iterable[float] | None) -> np.ndarray:
    if given is None:
        attribute = [d.name for d in published.sensitive_domains].index(domain.name)
        assert isinstance(published, PublishedRows)
        totals = np.bincount(published.row_sensitive[attribute], minlength=len(domain))
        return totals / max(totals.sum(), 1)
    try:
        prior = None if isinstance(given, Mapping) else np.asarray(list(given), dtype=float)
    except (TypeError, ValueError):  # no list, or not of numbers
        prior = None
    fits = prior is not None and prior.shape == (len(domain),) and bool((prior >= 0).all())
    if prior is None or not fits or not abs(prior.sum() - 1) <= 1e-6:
        raise ParameterError(
            f"prior must be {len(domain)} probabilities that sum to 1, a list with one for each value of {domain.name!r} in "
            f"this order: {listed(domain.labels)}"
        )
    return prior
