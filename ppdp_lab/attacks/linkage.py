"""Attacks on one release: record linkage, homogeneity and background knowledge.

References
----------
.. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded algorithm
   preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015, section 3.
.. [2] A. Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, cast

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.base import ATTRIBUTE, IDENTITY, RELEASE, Disclosure, attack
from ppdp_lab.attacks.inputs import check_shown, sensitive_values
from ppdp_lab.attacks.units import Units
from ppdp_lab.errors import ParameterError, listed
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.registry import Within
from ppdp_lab.release.forms import Published, PublishedRows
from ppdp_lab.table import Domain, Histogram


class OneRelease:
    """One release and the persons an adversary looks for in it; units are computed once and spread to persons."""

    def __init__(self, published: Published, background: Background | None) -> None:
        (published,), background = check_shown([published], background, reads=())
        presence = None if background is None else background.releases[0]
        self.published = published
        self.units = Units(published, presence)
        self.ids: pd.Index | None = None
        if background is not None and presence is not None:
            self.ids = background.ids[presence.persons]
        self.people = published.real_sizes if presence is None else np.ones(len(presence), dtype=np.int64)

    def spread(self, per_unit: Any) -> Any:
        """A quantity per unit, per group or person."""
        return per_unit[self.units.unit_of]

    def disclosure(
        self,
        attack: str,
        measure: str,
        scores: np.ndarray,
        breached: np.ndarray,
        finding: str,
        details: dict[str, Any] | None = None,
    ) -> Disclosure:
        """The result of an attack whose quantities are given per unit."""
        return Disclosure(
            attack=attack,
            measure=measure,
            scores=self.spread(scores),
            breached=self.spread(breached),
            people=self.people,
            ids=self.ids,
            finding=finding,
            details={name: self.spread(column) for name, column in (details or {}).items()},
        )


def beliefs(release: OneRelease, attribute: str | None) -> Histogram:
    """How likely each value of one sensitive attribute is for each unit: its ``shares``.

    Every published row that a unit's quasi-identifiers match is equally likely to be the person's (random worlds).
    """
    published = cast(PublishedRows, release.published)
    values = sensitive_values([published], attribute)
    cells = release.units.pool(values.of_groups([published])[0], by_matches=True)
    return Histogram(values.domains[0], cells.owner, cells.values, cells.counts, cells.sizes)


def largest(held: Histogram, amounts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per unit, the largest of a quantity given per cell, and the value that has it (the first, at a tie)."""
    best, value = held.max(amounts), np.zeros(len(held.sizes), dtype=np.int32)
    at = np.flatnonzero(amounts == best[held.cell_class])[::-1]  # the last one written is the first one found
    value[held.cell_class[at]] = held.values[at]
    return best, value


# --------------------------------------------------------------------
# Attacks on one release: record linkage, and two attacks that learn a value without finding the record.
#
# Every attack takes what was published and, optionally, a background on that one release. Without a background the result
# has one entry per published group. With one it has one entry per person: their own group's where groups are known, else
# all rows that their quasi-identifiers match, taken together. Cost without known groups: see
# :class:`~ppdp_lab.release.search.Search`; persons with equal quasi-identifiers are looked up once.


@attack(
    "record linkage",
    sees=RELEASE,
    discloses=IDENTITY,
    knows="that a person is in the table, and their quasi-identifiers",
    breaks="tables without k-anonymity",
    paper="S. G. Chatzopoulos, thesis 2015, section 3.1",
    reads=(),
)
def record_linkage(
    published: Published,
    background: Background | None = None,
    *,
    threshold: Annotated[float, Within(at_least=0, at_most=1)] = 0.5,
) -> Disclosure:
    """Prosecutor risk: with what probability is a person's row found (section 3.1 of [1]_)?

    A group of n rows hides each of its members among n: risk 1/n. A person whose quasi-identifiers match several groups
    hides among the rows of all of them.

    Parameters
    ----------
    published : Published
    background : Background, optional
        On this one release.
    threshold : float
        Breached are those whose risk is above it. 1/k never is under k-anonymity with that k.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 51, 29, 33, 60], "disease": ["flu", "flu", "HIV", "flu", "flu"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> seen = pl.Release(table, np.array([0, 1, 0, 0, 1])).published()
    >>> risk = record_linkage(seen, threshold=0.4)
    >>> risk.scores.round(3).tolist(), round(risk.mean, 3)
    ([0.333, 0.5], 0.4)
    >>> print(risk)
    record linkage: 1 of 2 groups, 40.0% of the people, can be linked to a row with probability above 0.4;
    the largest risk is 0.5, the mean over people 0.4.
    """
    release = OneRelease(published, background)
    risk = release.units.row_risk()
    finding = f"can be linked to a row with probability above {threshold:g}"
    return release.disclosure("record linkage", "risk", risk, risk > threshold + TOLERANCE, finding)


@attack(
    "homogeneity",
    sees=RELEASE,
    discloses=ATTRIBUTE,
    knows="a person's quasi-identifiers or group",
    breaks="k-anonymity, where all rows of a group share one value; l-diversity closes it",
    paper="Machanavajjhala et al., TKDD 2007",
)
def homogeneity(
    published: Published,
    background: Background | None = None,
    *,
    confidence: Annotated[float, Within(above=0, at_most=1)] = 1.0,
    attribute: str | None = None,
) -> Disclosure:
    """Groups, or persons, whose sensitive value is certain because all rows agree on it (section 3.2.1 of [1]_, [2]_).

    Parameters
    ----------
    published, background
        As for :func:`record_linkage`.
    confidence : float
        Breached are those with a value at least this probable; 1 asks for certainty.
    attribute : str, optional
        Which sensitive attribute, if there are several.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 51, 29, 33], "disease": ["flu", "flu", "HIV", "flu"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> homogeneity(pl.Release(table, np.array([0, 1, 0, 1])).published()).to_frame()
           people  confidence value  breached
    group
    0           2         0.5   HIV     False
    1           2         1.0   flu      True
    """
    release = OneRelease(published, background)
    held = beliefs(release, attribute)
    share, value = largest(held, held.shares)
    finding = f"show their value of {held.domain.name} with confidence {confidence:g} or more"
    details = {"value": held.domain.labels[value]}
    return release.disclosure("homogeneity", "confidence", share, share >= confidence - TOLERANCE, finding, details)


@attack(
    "background knowledge",
    sees=RELEASE,
    discloses=ATTRIBUTE,
    knows="a person's quasi-identifiers or group, and some values the person does not have",
    breaks="k-anonymity, and l-diversity once l - 1 values can be ruled out",
    paper="Machanavajjhala et al., TKDD 2007",
)
def background_knowledge(
    published: Published,
    background: Background | None = None,
    *,
    rule_out: Annotated[int, Within(at_least=0)] = 1,
    excluded: Iterable[Any] | None = None,
    confidence: Annotated[float, Within(above=0, at_most=1)] = 1.0,
    attribute: str | None = None,
) -> Disclosure:
    """What is left when the adversary can rule some sensitive values out (section 3.2.1 of [1]_, [2]_).

    Parameters
    ----------
    published, background
        As for :func:`record_linkage`.
    rule_out : int
        Number c of values that can be ruled out, whichever help most: all but the most frequent value and the rarest.
        Under distinct l-diversity c < l - 1 never makes a value certain.
    excluded : iterable of values, optional
        Values that are ruled out for everybody, instead of the worst ``rule_out`` ones. A unit all of whose values are
        excluded contradicts this knowledge; its confidence is 0.
    confidence : float
        Breached are those with a remaining value at least this probable.
    attribute : str, optional
        Which sensitive attribute, if there are several.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 51, 29, 33], "disease": ["flu", "cold", "HIV", "flu"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> seen = pl.Release(table, np.array([0, 0, 0, 0])).published()
    >>> background_knowledge(seen, rule_out=1).scores.round(3).tolist()
    [0.667]
    >>> background_knowledge(seen, excluded=["flu", "HIV"]).to_frame()["value"].tolist()
    ['cold']
    """
    release = OneRelease(published, background)
    held = beliefs(release, attribute)
    if excluded is not None:
        known = _codes(held.domain, excluded)
        kept = ~np.isin(held.values, known)
        what = f"the values {listed(held.domain.labels[known])} being ruled out"
    else:
        kept = _after_the_worst(held, rule_out)
        what = f"{rule_out} value(s) being ruled out"
    left = held.sum(np.where(kept, held.shares, 0.0))
    posterior = np.where(kept, held.shares, 0.0) / np.where(left > 0, left, 1.0)[held.cell_class]
    share, value = largest(held, posterior)
    finding = f"show their value of {held.domain.name} with confidence {confidence:g} or more, {what}"
    breached = (share >= confidence - TOLERANCE) & (left > 0)
    details = {"value": held.domain.labels[value]}
    return release.disclosure("background knowledge", "confidence", share, breached, finding, details)


def _codes(domain: Domain, values: Iterable[Any]) -> np.ndarray:
    values = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    codes, absent = [], []
    for value in values:
        try:
            codes.append(domain.code_of(value))
        except KeyError:
            absent.append(value)
    if absent:
        raise ParameterError(
            f"excluded names {listed(absent)}, which {domain.name!r} does not have; its values are {listed(domain.labels)}"
        )
    return np.array(sorted(codes), dtype=np.int64)


def _after_the_worst(held: Histogram, c: int) -> np.ndarray:
    """Cells that stay when the c most frequent values but the first are ruled out: what favours the first the most."""
    order = np.lexsort((-held.shares, held.cell_class))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - held.offsets[held.cell_class]
    return (rank == 0) | (rank > c)
