"""Metrics of the classes alone: how large they are, and what they hold.

Classes are those of the release, also where two of them were generalized to equal boxes. Counterfeits are no records;
where they make a class larger, its records are harder to tell apart.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ppdp_lab.errors import PublicationError
from ppdp_lab.metrics.base import Bounds, metric
from ppdp_lab.registry import OneOf, Within
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Feature
from ppdp_lab.table import group

CHARGED, IGNORED = "charged", "ignored"


def _discernibility_bounds(
    release: Release, *, suppressed: Annotated[str, OneOf(CHARGED, IGNORED)] = CHARGED
) -> Bounds:
    n = len(release.table)
    return (n if suppressed == CHARGED else 0), n * (n + release.n_counterfeits)


@metric(
    "discernibility C_DM",
    unit="record pairs",
    better="lower",
    bounds=_discernibility_bounds,
    reference="Bayardo and Agrawal, ICDE 2005",
)
def discernibility(release: Release, *, suppressed: Annotated[str, OneOf(CHARGED, IGNORED)] = CHARGED) -> float:
    """Discernibility: every record costs the number of rows that it is published among [1]_.

    Without counterfeits that is the sum of the squared class sizes, C_DM in [2]_.

    Parameters
    ----------
    release : Release
    suppressed : {"charged", "ignored"}
        A suppressed record costs as much as the table has records (so [1]_), or nothing (so [2]_).

    References
    ----------
    .. [1] R. J. Bayardo, R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
    .. [2] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
       CIKM 2012, section 3.

    Examples
    --------
    >>> import numpy as np, pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60, 70, 80]}), pl.Schema("age"))
    >>> release = pl.Release(table, np.array([0, 0, 1, 1, 1, -1]))
    >>> discernibility(release), discernibility(release, suppressed="ignored")
    (19.0, 13.0)
    """
    cost = int(release.real_sizes @ release.sizes)
    if suppressed == CHARGED:
        cost += len(release.suppressed) * len(release.table)
    return cost


def _average_bounds(release: Release, *, k: Annotated[float, Within(above=0)]) -> Bounds:
    return 1 / k, len(release.table) / k


@metric(
    "average class size C_AVG",
    unit="multiples of k",
    better="lower",
    bounds=_average_bounds,
    reference="LeFevre et al., ICDE 2006",
)
def c_avg(release: Release, *, k: Annotated[float, Within(above=0)]) -> float:
    """Normalized average class size C_AVG = (|T| / number of classes) / k [1]_; 1 is the best that k-anonymity allows.

    Suppressed records count in |T|: leaving records out makes no release better. A class of counterfeits alone is
    no class of the table's.

    Parameters
    ----------
    release : Release
    k : number
        The k of k-anonymity (or the m of m-invariance) that the release was made for.

    References
    ----------
    .. [1] K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.

    Examples
    --------
    >>> import numpy as np, pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60, 70, 80]}), pl.Schema("age"))
    >>> c_avg(pl.Release(table, np.array([0, 0, 1, 1, 1, 1])), k=2)
    1.5
    """
    n_classes = int((release.real_sizes > 0).sum())
    if n_classes == 0:
        raise PublicationError("c_avg averages over classes, but this release suppresses every record; publish some")
    return len(release.table) / n_classes / k


@metric(
    "classification metric CM",
    unit="share of records",
    better="lower",
    bounds=(0, 1),
    reference="Iyengar, KDD 2002",
)
def classification_metric(release: Release, *, attribute: str | None = None) -> float:
    """Share of records that are suppressed or whose label is not the most frequent one of their class [1]_.

    Section 4.1 of [2]_. It is the error that a classifier makes on the table if it learned each class's majority.

    Parameters
    ----------
    release : Release
    attribute : str, optional
        The sensitive column that is the label; needed only if the table has several.

    References
    ----------
    .. [1] V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
    .. [2] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded
       algorithm preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015.

    Examples
    --------
    >>> import numpy as np, pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "flu", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> classification_metric(pl.Release(table, np.array([0, 0, 1, 1])))
    0.25
    """
    histogram = release.counts(counterfeits=False).histogram(attribute)
    kept = int(histogram.max(histogram.counts).sum())
    return 1 - kept / len(release.table)


# --------------------------------------------------------------------
# KL divergence: how far the distribution that a reader would reconstruct lies from the table's own.


@metric(
    "KL divergence",
    unit="nats",
    better="lower",
    bounds=(0, None),
    reference="Kifer and Gehrke, SIGMOD 2006; BPG paper, CIKM 2012, section 3",
    reads=(Feature.DENSITY,),
)
def kl_divergence(release: Release, *, sensitive: bool = True) -> float:
    """Kullback-Leibler divergence of the table's distribution P1 from the reconstructed one, P2 [1]_, [2]_.

    P1 gives each combination of values its share of the records. P2 spreads the records of a group evenly over the values
    of its box and links them with any of its sensitive values (of an anatomized release: keeps their quasi-identifiers
    and links them with any of the sensitive values); where boxes overlap, their densities add up. A suppressed record is
    spread over all domains. Counterfeits are left out: of a group of n rows with f counterfeits, every row counts
    (n - f) / n. The divergence is the sum over combinations of P1 * log(P1 / P2), and 0 only if P1 = P2.

    Parameters
    ----------
    release : Release
    sensitive : bool
        Compare joint distributions of quasi-identifiers and sensitive values, or of quasi-identifiers alone.

    References
    ----------
    .. [1] D. Kifer, J. Gehrke, "Injecting utility into anonymized datasets", SIGMOD 2006.
    .. [2] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
       CIKM 2012, section 3.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> release = pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="illness")), np.array([0, 0, 1, 1]))
    >>> round(kl_divergence(release), 3)  # half of the records have two illnesses to choose from: log(2) / 2
    0.347
    >>> kl_divergence(release, sensitive=False)
    0.0
    """
    table = release.table
    domains = table.sensitive_domains if sensitive else ()
    columns = [*table.qi_codes, *table.sensitive_codes[: len(domains)]]
    points = group(columns, [len(d) for d in (*table.qi_domains, *domains)])
    first = points.first
    spread = release.published().density(table.qi_codes[:, first], table.sensitive_codes[: len(domains), first])
    everywhere = np.prod([float(len(d)) for d in (*table.qi_domains, *domains)])
    expected = spread + len(release.suppressed) / everywhere
    return max(float(points.sizes @ np.log(points.sizes / expected)) / len(table), 0.0)
