"""Record tracing: from a tracked record to the person behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.base import IDENTITY, SERIES, AttackResult, attack
from ppdp_lab.attacks.inputs import check_series, use_tracks
from ppdp_lab.attacks.units import Traces, match
from ppdp_lab.registry import Within
from ppdp_lab.release.forms import Published


@dataclass(frozen=True, eq=False)
class TracedRecords(AttackResult):
    """For every tracked record, how many persons it may belong to.

    Attributes
    ----------
    pseudonyms : array
    persons : array of int
        Persons of the background who fit the record in every release. 0: a stranger's record.
    releases : array of int
        In how many releases the record was seen.
    least : int
        Breached are records that fit fewer persons than this, but some.
    """

    pseudonyms: np.ndarray
    persons: np.ndarray
    releases: np.ndarray
    least: int

    unit = "record"

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Records that fit some persons, but too few."""
        return (self.persons > 0) & (self.persons < self.least)

    def picture(self) -> tuple[str, np.ndarray]:
        """How many persons each record fits."""
        return "persons that the record fits", self.persons

    @property
    def share_of_people_breached(self) -> float:
        """Share among the records that fit somebody: a record is one person's, and a stranger's or counterfeit is nobody's."""
        known = int((self.persons > 0).sum())
        return self.n_breached / known if known else 0.0

    def to_frame(self) -> pd.DataFrame:
        """One row per record."""
        columns = {"releases": self.releases, "persons": self.persons, "breached": self.breached}
        return pd.DataFrame(columns, index=pd.Index(self.pseudonyms, name="pseudonym"))

    def __str__(self) -> str:
        left = "one person only" if self.least == 2 else f"fewer than {self.least} persons"
        known = self.persons[self.persons > 0]
        mean = f"; the mean number of persons a record fits is {known.mean():.3g}" if len(known) else ""
        return f"record tracing: {self._tally()} fit {left}{mean}."


@attack(
    "record tracing",
    sees=SERIES,
    discloses=IDENTITY,
    knows="pseudonyms, and a public list of persons with quasi-identifiers and presence",
    breaks="k-anonymity of each single release; BPG closes it",
    paper="Barbosa et al., CIKM 2012",
    needs_background=True,
    needs_pseudonyms=True,
)
def record_tracing(
    series: Sequence[Published], background: Background, *, least: Annotated[int, Within(at_least=1)] = 2
) -> TracedRecords:
    """Match every tracked record with the persons of a public list (section 4 of [1]_).

    The attacker has no target. Each release shows a tracked record in another box, so what is known of its
    quasi-identifiers gets narrower, and the releases in which it occurs are a mark of their own.

    Parameters
    ----------
    series : sequence of Published
        Published with pseudonyms.
    background : Background
        The public list. A match is certain only if it names everybody.
    least : int
        Breached are records that fit fewer persons than this: 2 asks for a unique match, k for a breach of k-anonymity.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 38, 31], "disease": ["flu", "HIV", "cold"]}, index=["Ann", "Bob", "Cy"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> first = pl.Release(table, np.array([0, 0, 0]), pseudonyms=np.array([71, 72, 73]))
    >>> second = pl.Release(table.select([0, 1]), np.array([0, 0]), pseudonyms=np.array([71, 72]))
    >>> series = [release.published(track=True) for release in (first, second)]
    >>> record_tracing(series, Background.of_series([first.table, second.table])).to_frame()
               releases  persons  breached
    pseudonym
    71                2        2     False
    72                2        2     False
    73                1        1      True

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive
       queries", CIKM 2012.
    """
    releases, background = check_series(series, background)
    use_tracks(releases, True)
    traces = Traces.of(releases, None)
    found = match(releases, background, traces)
    people = np.bincount(found.person_cell, minlength=len(found.offsets) - 1)
    of_match = np.repeat(people, np.diff(found.offsets))
    fits = np.bincount(found.traces, weights=of_match, minlength=traces.n_cells).astype(np.int64)
    return TracedRecords(traces.pseudonyms, fits[traces.cell_of], (traces.groups >= 0).sum(axis=1), least)
