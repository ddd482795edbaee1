"""The update graphs of all persons of a series at once: every version, where it stands, and what its graph leaves.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   section III.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from ppdp_lab.attacks._update_graph import update_risks_of
from ppdp_lab.attacks.background import Background, in_a_list
from ppdp_lab.attacks.base import ATTRIBUTE, SERIES, AttackResult, attack
from ppdp_lab.attacks.guarantee import Guarantee
from ppdp_lab.attacks.inputs import Values, check_series, sensitive_values
from ppdp_lab.attacks.units import histories, hstack
from ppdp_lab.attacks.update_model import UpdateModel
from ppdp_lab.errors import ParameterError, check_choice, check_number, listed
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.release.forms import Published, PublishedRows
from ppdp_lab.table import Cells, Domain, Microdata

EQUAL, MODEL = "equal", "model"


class Versions(NamedTuple):
    """Every version of every person: where it stands, and what its graph leaves; see :class:`UpdateRisks`.

    ``unit`` is a multiset of ``shown``; ``masks`` holds the values left as bits, if they were asked for.
    """

    persons: np.ndarray
    releases: np.ndarray
    unit: np.ndarray
    nodes: np.ndarray
    left: np.ndarray
    largest: np.ndarray
    likeliest: np.ndarray
    risk: np.ndarray
    masks: np.ndarray
    shown: Cells


def graphs_of(
    releases: Sequence[PublishedRows],
    background: Background,
    values: Values,
    *,
    edges: str = EQUAL,
    truth: Sequence[Microdata] | None = None,
    masks: bool = False,
) -> Versions:
    """The update graphs of everybody in a series whose domains agree with the background's."""
    units, history = histories(releases, background)
    shown = hstack([unit.pool(cells) for unit, cells in zip(units, values.of_groups(releases))])
    base = np.cumsum([0, *(unit.n for unit in units)])[:-1]
    persons, numbers = np.nonzero(history >= 0)  # sorted by person, then by release
    n, domain = len(persons), values.domains[0]
    step, matrices = _steps(background, domain, persons, numbers)
    found = Versions(
        persons,
        numbers,
        history[persons, numbers] + base[numbers],
        np.zeros(n, dtype=np.int32),
        np.zeros(n, dtype=np.int32),
        np.zeros(n),
        np.full(n, -1, dtype=np.int32),
        np.zeros(n),
        np.zeros((n if masks else 0, max((values.n + 63) // 64, 1)), dtype=np.uint64),
        shown,
    )
    begins = np.searchsorted(persons, np.arange(background.n_persons + 1))
    known = _true_codes(truth, background, domain, persons, numbers)
    cells = (shown.offsets, shown.values, shares(shown))
    update_risks_of(begins, found.unit, step, known, *cells, matrices, edges == EQUAL, *found[3:9])
    return found


def shares(cells: Cells) -> np.ndarray:
    """Share of each value in its multiset: what a release by itself says of the value."""
    return cells.counts / np.maximum(cells.sizes, 1)[cells.owner]


def model_of(background: Background, domain: Domain) -> UpdateModel:
    """The background's update model; without one, values stay as they are."""
    return background.model if background.model is not None else UpdateModel.constant(domain)


def _steps(
    background: Background, domain: Domain, persons: np.ndarray, numbers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Per version which matrix leads to it from the version before, and the matrices: one for each time that may lie between."""
    times = np.array(background.times)
    if (np.diff(times) < 0).any():
        raise ParameterError(
            "the releases of the background are not in the order of their times; take them in that order"
        )
    model = model_of(background, domain)
    gap = np.zeros(len(persons), dtype=np.int64)
    gap[1:] = np.where(persons[1:] == persons[:-1], times[numbers[1:]] - times[numbers[:-1]], 0)
    found, step = np.unique(gap, return_inverse=True)
    none = np.zeros((0, len(domain), len(domain)))
    every = [
        model.over(domain, np.where(model.reach(g), np.maximum(model.chances_after(g), 1e-300), 0.0))
        for g in found.tolist()
    ]
    return step.astype(np.int64), np.stack(every) if every else none


def _true_codes(
    truth: Sequence[Microdata] | None, background: Background, domain: Domain, persons: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """The true value of each version, -1 where it is not given."""
    out = np.full(len(persons), -1, dtype=np.int32)
    if truth is None:
        return out
    tables = in_a_list("truth", truth)
    if len(tables) != len(background) or not all(isinstance(table, Microdata) for table in tables):
        raise ParameterError(f"truth must hold a Microdata for each of {len(background)} releases")
    for number, table in enumerate(tables):
        here = np.flatnonzero(numbers == number)
        rows = table.ids.get_indexer(background.ids[persons[here]])
        codes = np.append(table.domains[domain.name].map_to(domain)[table.codes(domain.name)], -1)
        out[here] = codes[rows]
    return out


# --------------------------------------------------------------------
# The update graphs of all records of a series: how many candidates each version keeps, and its disclosure risk.
#
# References
# ----------
# .. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.


@dataclass(frozen=True, eq=False)
class UpdateRisks(AttackResult):
    """What the update graphs of a series tell of every version of every person; a version is a person in one release.

    Attributes
    ----------
    ids : pandas.Index
        The persons.
    persons, releases : arrays of int
        Person, as a position in :attr:`ids`, and release of each version; sorted by person, then by release.
    nodes, candidates : arrays of int
        Values of the version's group, and those of them that lie on a feasible path. Where no path is feasible, 0.
    largest : array of float
        Probability of the likeliest value.
    likeliest : array of int
        That value, as a code of :attr:`domain`.
    risk : array of float or None
        Disclosure risk (equation 2 of [1]_): the probability of the true value, where the truth was given. 0 for a true
        value that no feasible path has: then the model is not true.
    threshold : float or None
        Breached are versions with a larger risk (:attr:`largest` where the truth is not known); with None those of which one
        candidate is left (Lemma 2).
    """

    ids: pd.Index
    domain: Domain
    persons: np.ndarray
    releases: np.ndarray
    nodes: np.ndarray
    candidates: np.ndarray
    largest: np.ndarray
    likeliest: np.ndarray
    risk: np.ndarray | None
    threshold: float | None

    unit = "version"

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Versions with one candidate left, or with a risk above the threshold."""
        if self.threshold is None:
            return self.candidates == 1
        return (self.largest if self.risk is None else self.risk) > self.threshold + TOLERANCE

    @property
    def share_of_people_breached(self) -> float:
        """Share of persons any version of whom is breached."""
        return len(np.unique(self.persons[self.breached])) / len(self.ids) if len(self.ids) else 0.0

    @property
    def vulnerable(self) -> np.ndarray:
        """Versions whose value is certain: one candidate is left."""
        return self.candidates == 1

    @property
    def contradicted(self) -> np.ndarray:
        """Versions of persons whose groups no sequence of updates explains: the model or the background is not true."""
        return self.candidates == 0

    @property
    def republication_risk(self) -> float:
        """Largest disclosure risk of any version now; Definition 9 of [1]_ asks for it after every release."""
        return float((self.largest if self.risk is None else self.risk).max(initial=0.0))

    def picture(self) -> tuple[str, np.ndarray]:
        """The risk of each version, or the probability of its likeliest value."""
        return (
            ("probability of the likeliest value", self.largest)
            if self.risk is None
            else ("disclosure risk", self.risk)
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per version: person, release, nodes, candidates, largest probability and risk."""
        columns: dict[str, object] = {
            "person": self.ids[self.persons],
            "release": self.releases,
            "nodes": self.nodes,
            "candidates": self.candidates,
            "likeliest": np.append(self.domain.labels, "")[self.likeliest],
            "largest": self.largest,
        }
        if self.risk is not None:
            columns["risk"] = self.risk
        return pd.DataFrame(columns | {"breached": self.breached})

    def __str__(self) -> str:
        left = "are certain" if self.threshold is None else f"have a disclosure risk above {self.threshold:g}"
        what = "guess has a probability" if self.risk is None else "disclosure risk is"
        what += " of" if self.risk is None else ""
        text = f"update graph: {self._tally()} {left}; the largest {what} {self.republication_risk:.3g}"
        wrong = int(self.contradicted.sum())
        if wrong:
            text += f"; {wrong} contradict the update model"
        return text + "."


@attack(
    "update graph",
    sees=SERIES,
    discloses=ATTRIBUTE,
    knows="in which releases a person is, quasi-identifiers or groups there, and which value may become which",
    breaks="k-anonymity, l-diversity and m-invariance where values change; m-Distinct closes it",
    paper="Li and Zhou, 2008",
    needs_background=True,
    variants=("updating.risks_over_time",),
)
def update_risks(
    series: Sequence[Published],
    background: Background,
    *,
    truth: Sequence[Microdata] | None = None,
    edges: str = EQUAL,
    threshold: float | None = None,
    attribute: str | None = None,
) -> UpdateRisks:
    """The sensitive attribute update graphs of all persons at once: candidates and risks of every version [1]_.

    Works for whatever was published, as section III-C of [1]_ claims: a background without an update model takes values to
    stay the same, which is the external dynamic case. For one person as a graph see
    :class:`~ppdp_lab.attacks.update_graph.SensitiveUpdateGraph`.

    Parameters
    ----------
    series : sequence of Published
    background : Background
        Who is in which release, and the update model (:meth:`~ppdp_lab.attacks.Background.with_model`).
    truth : sequence of Microdata, optional
        The holder's tables, one per release: they give the risk of the true values. An adversary does not have them.
    edges : {"equal", "model"}
        What an edge weighs: an equal share of the edges that leave its node for nodes that are left (the paper's random
        worlds, which its Example 4 and Lemma 4 need), or the model's probability.
    threshold : float, optional
        Breached are versions with a risk above it; unless given, those with one candidate.
    attribute : str, optional
        Which sensitive attribute, if there are several.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> def table(*illness):
    ...     frame = pd.DataFrame({"age": [30, 31], "illness": illness}, index=["Ann", "Bob"])
    ...     return pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> releases = [pl.Release(one, np.array([0, 0])) for one in (table("flu", "HIV"), table("cold", "HIV"))]
    >>> known = pl.attacks.Background.worst_case(releases).with_model(pl.UpdateModel.blocks([["flu", "cold"], ["HIV"]]))
    >>> print(update_risks([release.published() for release in releases], known))
    update graph: 0 of 4 versions are certain; the largest guess has a probability of 0.5.
    """
    check_choice("edges", edges, (EQUAL, MODEL))
    if threshold is not None:
        threshold = check_number("threshold", threshold, at_least=0, at_most=1)
    releases, background = check_series(series, background)
    values = sensitive_values(releases, attribute)
    found = graphs_of(releases, background, values, edges=edges, truth=truth)
    return UpdateRisks(
        background.ids,
        values.domains[0],
        found.persons,
        found.releases,
        found.nodes,
        found.left,
        found.largest,
        found.likeliest,
        None if truth is None else found.risk,
        threshold,
    )


def risks_over_time(series: Sequence[Published], background: Background, **params: object) -> Iterator[UpdateRisks]:
    """What :func:`update_risks` finds after every release: an adversary learns of old versions from new ones.

    The largest of their re-publication risks is that of Definition 9.

    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [30, 31, 32], "illness": ["flu", "HIV", "cold"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> releases = [pl.Release(table.select(rows), np.array([0, 0])) for rows in ([0, 1], [0, 2])]
    >>> known = pl.attacks.Background.worst_case(releases)
    >>> [found.n_breached for found in risks_over_time([release.published() for release in releases], known)]
    [0, 2]
    """
    series = in_a_list("a series of published tables", series)
    truth = params.pop("truth", None)
    tables = None if truth is None else in_a_list("truth", truth)
    for n in range(1, len(series) + 1):
        yield update_risks(series[:n], background[:n], truth=None if tables is None else tables[:n], **params)  # type: ignore[arg-type]


# --------------------------------------------------------------------
# Does a guarantee hold over a series in which values change?
#
# What is left of a version is what its update graph leaves: the rows of its groups whose values lie on a feasible path. Old and
# new values must both stay hidden, so a person is safe if every one of their versions is (F. Li, S. Zhou, "Challenging more
# updates: towards anonymous re-publication of fully dynamic datasets", 2008, Definition 9).


class Audited(NamedTuple):
    """Per person the fewest records and values that any version is left with, the largest probability, and whether all is
    well; and why not, for one of those for whom it is not."""

    records: np.ndarray
    candidates: np.ndarray
    confidence: np.ndarray
    safe: np.ndarray
    reason: str


def audit_versions(
    releases: Sequence[PublishedRows], background: Background, values: Values, guarantee: Guarantee
) -> Audited:
    """What an auditor finds who follows the background's update model."""
    if len(values.domains) != 1:
        names = listed(domain.name for domain in values.domains)
        raise ParameterError(f"an update model is about one column; name one of {names} as the attribute")
    found = graphs_of(releases, background, values, masks=True)
    left = _left(found)
    rule = Guarantee(guarantee.rule, None, values)
    safe = found.left >= guarantee.least
    if rule.rule is not None:
        safe &= rule.safe(left)
    if guarantee.max_confidence is not None:
        safe &= found.largest <= guarantee.max_confidence + TOLERANCE
    reason = "" if safe.all() else _reason(found, left, rule, guarantee, int(np.argmin(safe)))
    begins = np.searchsorted(found.persons, np.arange(background.n_persons))
    rows = left.sizes.astype(np.int64)
    if not len(rows):
        none = np.zeros(0, dtype=np.int64)
        return Audited(none, none, np.zeros(0), np.zeros(0, dtype=bool), "")
    return Audited(
        np.minimum.reduceat(rows, begins),
        np.minimum.reduceat(found.left, begins).astype(np.int64),
        np.maximum.reduceat(found.largest, begins),
        np.logical_and.reduceat(safe, begins),
        reason,
    )


def _left(found: Versions) -> Cells:
    """The rows that each version is left with: those of its unit whose value is left."""
    shown = found.shown
    lengths = (shown.offsets[1:] - shown.offsets[:-1])[found.unit]
    owner = np.repeat(np.arange(len(lengths)), lengths)
    # Cell i of a version lies i places after the first cell of its unit.
    at = np.arange(len(owner)) + np.repeat(shown.offsets[found.unit] - np.cumsum(lengths) + lengths, lengths)
    codes = shown.values[at]
    bit = found.masks[owner, codes >> 6] >> (codes & 63).astype(np.uint64) & np.uint64(1)
    kept = bit.astype(bool)
    offsets = np.r_[0, np.cumsum(np.bincount(owner[kept], minlength=len(lengths)))]
    return Cells(offsets, codes[kept], shown.counts[at[kept]], shown.n_values)


def _reason(found: Versions, left: Cells, rule: Guarantee, guarantee: Guarantee, at: int) -> str:
    """Why one version fails."""
    where = f"in release {int(found.releases[at])}"
    if found.left[at] == 0:
        return f"no sequence of updates explains their groups ({where})"
    if rule.rule is not None and not rule.safe(left)[at]:
        return f"{rule.reason(left, at)} ({where})"
    if guarantee.max_confidence is not None:
        return f"one value has a probability of {found.largest[at]:.3g} {where}"
    return f"one value is left {where}"
