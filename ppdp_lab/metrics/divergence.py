"""KL divergence: how far the distribution that a reader would reconstruct lies from the table's own."""

from __future__ import annotations

import numpy as np

from ppdp_lab.forms import Feature
from ppdp_lab.metrics.base import metric
from ppdp_lab.release import Release
from ppdp_lab.table import group


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
