"""The update graphs of all records of a series: how many candidates each version keeps, and its disclosure risk.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background, in_a_list
from ppdp_lab.attacks.inputs import check_series, sensitive_values
from ppdp_lab.attacks.registry import ATTRIBUTE, SERIES, attack
from ppdp_lab.attacks.results import AttackResult
from ppdp_lab.attacks.series.updating.versions import EQUAL, MODEL, graphs_of
from ppdp_lab.errors import check_choice, check_number
from ppdp_lab.forms import Published
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.table import Domain, Microdata


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
    variants=("series.risks_over_time",),
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
    :class:`~ppdp_lab.attacks.series.updating.SensitiveUpdateGraph`.

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


def risks_over_time(series: Sequence[Published], background: Background, **said: object) -> Iterator[UpdateRisks]:
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
    truth = said.pop("truth", None)
    tables = None if truth is None else in_a_list("truth", truth)
    for n in range(1, len(series) + 1):
        yield update_risks(series[:n], background[:n], truth=None if tables is None else tables[:n], **said)  # type: ignore[arg-type]
