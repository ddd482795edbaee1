"""Attacks on a series of releases: what their combination tells of a person.

The value of a person is taken to stay the same over the series; only tracked rows (pseudonyms) may change theirs. Where the
background carries an update model, candidates are those that the person's update graph leaves (:mod:`.updating`).

References
----------
.. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
   CIKM 2012, section 4.
.. [2] Y. He, S. Barman, J. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
.. [3] S. Ganta, S. Kasiviswanathan, A. Smith, "Composition attacks and auxiliary information in data privacy", KDD 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background, release_name
from ppdp_lab.attacks.base import ATTRIBUTE, SERIES, AttackResult, attack, plural
from ppdp_lab.attacks.exact import consistent_assignments
from ppdp_lab.attacks.guarantee import candidate_multisets, confidence
from ppdp_lab.attacks.inputs import check_series, require_constant, sensitive_values, use_tracks
from ppdp_lab.attacks.units import Units
from ppdp_lab.attacks.updating import graphs_of
from ppdp_lab.errors import IdError
from ppdp_lab.principles.base import TOLERANCE
from ppdp_lab.registry import Within
from ppdp_lab.release.forms import Published
from ppdp_lab.table import Domain, Sets, value_masks


@dataclass(frozen=True, eq=False)
class CandidateSets(AttackResult):
    """For every person, the sensitive values they may have.

    Attributes
    ----------
    ids : pandas.Index
    domain : Domain
        The sensitive attribute.
    masks : array of uint64, persons by words
        Bit v of a person's words is set if the person may have value v.
    least : int
        Breached are persons with fewer candidates than this.
    records : array of int or None
        Number of tracked records that may be the person's, where the series was tracked.
    fewest : array of int or None
        Where values change, candidates are those of the person's last version, and this is the least number of candidates
        that any version is left with: old and new values must both stay hidden.
    """

    ids: pd.Index
    domain: Domain
    masks: np.ndarray
    least: int
    records: np.ndarray | None = None
    fewest: np.ndarray | None = None

    unit = "person"

    @property
    def sizes(self) -> np.ndarray:
        """Number of candidate values per person."""
        return Sets(self.domain, self.masks).leaf_counts()

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Persons with fewer candidates than :attr:`least`, but some."""
        return ((self.sizes if self.fewest is None else self.fewest) < self.least) & ~self.contradicted

    @property
    def contradicted(self) -> np.ndarray:
        """Persons with no candidate at all: their value changed as it should not, or what is assumed of them is not true."""
        return self.sizes == 0

    def members(self) -> np.ndarray:
        """Boolean matrix, persons by values."""
        return Sets(self.domain, np.ascontiguousarray(self.masks)).members()

    def values(self, person: object) -> list[str]:
        """Candidate values of one person."""
        if person not in self.ids:
            raise IdError(f"the background does not name {person!r}")
        row = self.masks[[self.ids.get_loc(person)]]
        return self.domain.labels[Sets(self.domain, row).members()[0]].tolist()

    def picture(self) -> tuple[str, np.ndarray]:
        """How many values each person may have."""
        return "candidate values", self.sizes if self.fewest is None else self.fewest

    def to_frame(self) -> pd.DataFrame:
        """One row per person: number of candidates, the candidates as text, whether they are too few."""
        distinct, inverse = np.unique(self.masks, axis=0, return_inverse=True)
        text = [", ".join(self.domain.labels[row]) for row in Sets(self.domain, distinct).members()]
        records = {} if self.records is None else {"records": self.records}
        records |= {} if self.fewest is None else {"fewest": self.fewest}
        values = np.array(text, dtype=object)[inverse.ravel()]
        return self._per_person(self.ids, candidates=self.sizes, values=values, **records)

    def __str__(self) -> str:
        left = "one candidate value only" if self.least == 2 else f"fewer than {self.least} candidate values"
        text = f"intersection: {self._tally()} {'is' if self.n_breached == 1 else 'are'} left with {left}"
        if len(self.sizes):
            text += f"; the mean number of candidates is {self.sizes.mean():.3g}"
        wrong = int(self.contradicted.sum())
        if wrong:
            stay = "values stay the same" if self.fewest is None else "values change as the model says"
            text += f"; {wrong} {plural('person', wrong)} contradict the assumption that {stay}"
        return text + "."


@attack(
    "intersection",
    sees=SERIES,
    discloses=ATTRIBUTE,
    knows="in which releases a person is, and their quasi-identifiers or groups there",
    breaks="k-anonymity and l-diversity of each single release; m-invariance and BPG close it",
    paper="Ganta et al., KDD 2008; Barbosa et al., CIKM 2012",
    needs_background=True,
)
def intersection(
    series: Sequence[Published],
    background: Background,
    *,
    least: Annotated[int, Within(at_least=1)] = 2,
    track: bool | None = None,
    attribute: str | None = None,
) -> CandidateSets:
    """For every person, the values that occur in all groups that may hold them (section 4 of [1]_, [3]_).

    Parameters
    ----------
    series : sequence of Published
    background : Background
        Who is in which release; the attack is sharper if it knows groups. If it carries an update model, the candidates are
        those of the person's last version, and a person is breached if any version has too few.
    least : int
        Breached are persons with fewer candidate values than this: 2 asks for certainty, m for a breach of m-invariance.
    track : bool, optional
        Follow pseudonyms: candidates are then the records, seen in every release, that fit the person throughout, and
        the candidate values theirs in the last release that holds the person. Followed unless told otherwise if every
        release carries them.
    attribute : str, optional
        Which sensitive attribute, if there are several.

    Notes
    -----
    Values are bitsets: one 64-bit word per 64 values, one AND per person and release. With known groups the cost is that
    of reading the series. Without, each release's distinct combinations of quasi-identifiers are searched for once.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 38, 31, 36], "disease": ["flu", "HIV", "cold", "flu"]}, index=list("abcd"))
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> first = pl.Release(table.select([0, 1]), np.array([0, 0]))
    >>> second = pl.Release(table.select([0, 2]), np.array([0, 0]))
    >>> found = intersection([first.published(), second.published()], Background.worst_case([first, second]))
    >>> print(found)
    intersection: 1 of 3 persons is left with one candidate value only; the mean number of candidates is 1.67.
    >>> found.values("a")
    ['flu']
    """
    releases, background = check_series(series, background)
    values = sensitive_values(releases, attribute)
    if use_tracks(releases, track):
        cell_of, cells = candidate_multisets(releases, background, values, track=True)
        records = cells.sizes.astype(np.int64)[cell_of]
        return CandidateSets(background.ids, values.domains[0], cells.masks()[cell_of], least, records)
    if background.changes is not None:
        found = graphs_of(releases, background, values, masks=True)
        begins = np.searchsorted(found.persons, np.arange(background.n_persons + 1))
        fewest = np.minimum.reduceat(found.left, begins[:-1]) if len(found.left) else found.left
        return CandidateSets(background.ids, values.domains[0], found.masks[begins[1:] - 1], least, fewest=fewest)
    masks = np.full((background.n_persons, max((values.n + 63) // 64, 1)), ~np.uint64(0))
    for number, (release, presence, codes) in enumerate(zip(releases, background.releases, values.codes)):
        units = Units(release, presence, release_name(number, len(releases)))
        per_unit = units.unite(value_masks(release.row_group, codes, release.n_groups, values.n))
        masks[presence.persons] &= per_unit[units.unit_of]
    return CandidateSets(background.ids, values.domains[0], masks, least)


@dataclass(frozen=True, eq=False)
class Associations(AttackResult):
    """With what probability the adversary can associate each person with a value."""

    ids: pd.Index
    confidence: np.ndarray
    threshold: float
    exact: bool

    unit = "person"

    @property
    def p(self) -> float:
        """The series is a p-value association series for this p and no smaller one (Definition 5 of He et al.)."""
        return float(self.confidence.max(initial=0.0))

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Persons with a confidence above the threshold."""
        return self.confidence > self.threshold + TOLERANCE

    def picture(self) -> tuple[str, np.ndarray]:
        """How sure the adversary is of each person."""
        return "confidence", self.confidence

    def to_frame(self) -> pd.DataFrame:
        """One row per person."""
        return self._per_person(self.ids, confidence=self.confidence)

    def __str__(self) -> str:
        how = "counting all consistent assignments" if self.exact else "each candidate record being equally likely"
        return (
            f"value association: {self._tally()} can be associated with a value with confidence above "
            f"{self.threshold:g}; the largest confidence is {self.p:.3g}, {how}."
        )


@attack(
    "value association",
    sees=SERIES,
    discloses=ATTRIBUTE,
    knows="in which releases a person is, and their quasi-identifiers or groups there",
    breaks="l-diversity of each single release; m-invariance keeps the confidence at 1/m",
    paper="He et al., ICDE 2011",
    needs_background=True,
)
def value_association(
    series: Sequence[Published],
    background: Background,
    *,
    threshold: Annotated[float, Within(at_least=0, at_most=1)] = 0.5,
    exact: bool = False,
    track: bool | None = None,
    attribute: str | None = None,
) -> Associations:
    """The confidence p of the best guess at each person's value (Definition 5 of [2]_).

    Parameters
    ----------
    series, background, track, attribute
        As for :func:`intersection`; with an update model p is the largest over a person's versions, paths of their update
        graph being as likely as their weights say.
    threshold : float
        Breached are persons with p above it; 1/m never is under m-invariance.
    exact : bool
        Without it, p is the share of the most frequent value among the person's candidate records: the multiset
        intersection of the groups that may hold the person, each record equally likely. That is an estimate, and
        without groups it may lie above what an adversary finds who knows them; :func:`audit_series` looks again. With
        it, all assignments of values to persons that are consistent with the whole series are counted (small series
        only, see :func:`~ppdp_lab.attacks.exact.consistent_assignments`); this sees what the persons of a group tell of
        each other.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 38, 31, 36], "disease": ["flu", "HIV", "flu", "flu"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> release = pl.Release(table, np.array([0, 0, 0, 0]))
    >>> value_association([release.published()], Background.worst_case([release])).p
    0.75
    """
    if exact:
        require_constant(background, "the exact confidence in one value")
        joint = consistent_assignments(series, background, track=track, attribute=attribute)
        return Associations(background.ids, joint.to_frame()["confidence"].to_numpy(), threshold, True)
    releases, background = check_series(series, background)
    values = sensitive_values(releases, attribute)
    tracked = use_tracks(releases, track)
    if background.changes is not None and not tracked:
        found = graphs_of(releases, background, values)
        likeliest = np.zeros(background.n_persons)
        np.maximum.at(likeliest, found.persons, found.largest)
        return Associations(background.ids, likeliest, threshold, False)
    cell_of, cells = candidate_multisets(releases, background, values, track=tracked)
    return Associations(background.ids, confidence(cells)[cell_of], threshold, False)
