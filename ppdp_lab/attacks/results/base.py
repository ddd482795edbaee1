"""What an attack hands back: a mask of who is breached, a paragraph, and a frame for notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.registry import OneLine, cut

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class AttackResult(OneLine, ABC):
    """Base of all results: one entry per unit (a person, a published group, a tracked record, a pair of groups).

    Attributes
    ----------
    breached : array of bool
        Units of which the adversary learns more than the attack's threshold allows.
    unit : str
        What one entry stands for.
    """

    breached: np.ndarray
    unit: str

    @property
    def n_breached(self) -> int:
        """Number of breached units."""
        return int(self.breached.sum())

    @property
    def share_breached(self) -> float:
        """Share of breached units; 0 where there are none."""
        return float(self.breached.mean()) if len(self.breached) else 0.0

    @property
    def share_of_people_breached(self) -> float:
        """Share of persons whom a breach concerns: what comparisons count. A unit is a person unless a result says otherwise."""
        return self.share_breached

    @property
    def succeeds(self) -> bool:
        """Whether the attack breaches anything at all."""
        return bool(self.breached.any())

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """One row per unit."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return cut(f"<{type(self).__name__}: {self._tally()} breached>")

    def _repr_html_(self) -> str:
        share = f" ({self.share_breached:.1%})" if len(self.breached) else ""
        title = f"{self._tally()} breached{share}"
        return pages.card(title, pages.verdict(not self.succeeds, str(self)))

    def picture(self) -> tuple[str, np.ndarray] | None:
        """What :meth:`plot` counts: its name, and a number per unit; None where the mask says all there is."""
        return None

    def plot(self) -> Figure:
        """How many units have which score, number of candidates or the like; breached ones in another colour."""
        from ppdp_lab.attacks.results.pictures import picture_of

        return picture_of(self)

    def _per_person(self, ids: pd.Index, **columns: object) -> pd.DataFrame:
        """One row per person, the mask last."""
        return pd.DataFrame(columns | {"breached": self.breached}, index=ids.rename("person"))

    def _tally(self) -> str:
        """How many are breached, as text."""
        return f"{self.n_breached} of {len(self.breached)} {plural(self.unit, len(self.breached))}"


@dataclass(frozen=True, eq=False)
class Disclosure(AttackResult):
    """Result of an attack on one release.

    Without a background there is one entry per published group; with one, one entry per person.

    Attributes
    ----------
    attack : str
        Name of the attack.
    measure : str
        What :attr:`scores` counts.
    scores : array of float
        One number per unit; what it means is the attack's.
    people : array of int
        Persons behind each unit: the rows of a group less its counterfeits where they are published, 1 for a person.
    ids : pandas.Index or None
        The persons, where the units are persons.
    finding : str
        What a breach means here, as the end of the sentence "so and so many ...".
    details : dict of str to array
        Further columns of :meth:`to_frame`.
    """

    attack: str
    measure: str
    scores: np.ndarray
    breached: np.ndarray
    people: np.ndarray
    ids: pd.Index | None
    finding: str
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def unit(self) -> str:  # type: ignore[override]
        """``"group"`` or ``"person"``."""
        return "group" if self.ids is None else "person"

    @property
    def largest(self) -> float:
        """Largest score; 0 if there is no unit."""
        return float(self.scores.max(initial=0.0))

    @property
    def mean(self) -> float:
        """Mean score over persons: a group counts as often as it has people."""
        total = self.people.sum()
        return float((self.scores * self.people).sum() / total) if total else 0.0

    @property
    def people_breached(self) -> int:
        """Number of persons behind the breached units."""
        return int(self.people[self.breached].sum())

    @property
    def share_of_people_breached(self) -> float:
        """Share of persons behind the breached units; those of a group count as often as it has people."""
        total = int(self.people.sum())
        return self.people_breached / total if total else 0.0

    def __repr__(self) -> str:
        return cut(f"<Disclosure by {self.attack}: {self._tally()} breached>")

    def picture(self) -> tuple[str, np.ndarray]:
        """The scores."""
        return self.measure, self.scores

    def to_frame(self) -> pd.DataFrame:
        """One row per group or person: score, details of the attack, and whether it is breached."""
        index = pd.RangeIndex(len(self.scores), name="group") if self.ids is None else self.ids.rename("person")
        columns: dict[str, object] = {"people": self.people} if self.ids is None else {}
        columns |= {self.measure: self.scores, **self.details, "breached": self.breached}
        return pd.DataFrame(columns, index=index)

    def __str__(self) -> str:
        behind = f", {self.share_of_people_breached:.1%} of the people," if self.ids is None else ""
        return (
            f"{self.attack}: {self._tally()}{behind} {self.finding}; "
            f"the largest {self.measure} is {self.largest:.3g}, the mean over people {self.mean:.3g}."
        )


def plural(noun: str, count: int) -> str:
    """A noun for a count.

    >>> plural("person", 2), plural("group", 1)
    ('persons', 'group')
    """
    return noun if count == 1 else noun + "s"
