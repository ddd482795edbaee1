"""What an attack is: a function of what was published, with all that is known about it.

An attack is one function, made callable, classified by the decorator :func:`attack`. Every attack stands in :data:`ATTACKS`
under its name, so that a test, a command line or a comparison can go over all of them.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ppdp_lab import pages, plotting
from ppdp_lab.errors import check_choice, check_items
from ppdp_lab.registry import Registry, enforce
from ppdp_lab.release.forms import Feature, Published, readable_by
from ppdp_lab.text import OneLine, cut

if TYPE_CHECKING:
    from matplotlib.figure import Figure


P = ParamSpec("P")
R = TypeVar("R")
RELEASE, PAIR, SERIES = "release", "pair", "series"
IDENTITY, ATTRIBUTE = "identity", "attribute"
_SHOWN = {RELEASE: ("published",), PAIR: ("first", "second"), SERIES: ("series",)}

ATTACKS: Registry[Attack[Any, Any]] = Registry("attack")


@dataclass(eq=False, repr=False)
class Attack(OneLine, Generic[P, R]):
    """One attack, classified.

    Attributes
    ----------
    name : str
    sees : {"release", "pair", "series"}
        How much of what was published it reads: it takes (published, background), (first, second, background) or
        (series, background).
    discloses : {"identity", "attribute"}
        Whether it finds a person's record or a person's sensitive value.
    knows : str
        What the adversary must know.
    breaks : str
        Which guarantee it breaks where that guarantee is not kept, or not meant to hold.
    reads : tuple of Feature
        What the published tables must show; a form that does not is refused.
    needs_background, needs_groups, needs_pseudonyms : bool
        What it does not work without: a background, one that knows everybody's group, tracked rows.
    settings : dict
        Arguments that have no default, with a value to begin with.
    variants : tuple of str
        Other functions that are the same attack in another form, as "module.function" of this room.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> pl.attacks.difference
    <Attack difference: sees a pair, discloses an attribute>
    >>> pl.attacks.difference.forms
    ['generalized']
    """

    run: Callable[P, R]
    name: str
    sees: str
    discloses: str
    knows: str
    breaks: str
    reads: tuple[Feature, ...] = (Feature.ROWS,)
    needs_background: bool = False
    needs_groups: bool = False
    needs_pseudonyms: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)
    variants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("sees", self.sees, _SHOWN)
        check_choice("discloses", self.discloses, (IDENTITY, ATTRIBUTE))
        update_wrapper(self, self.run)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Attack what was published, after a look at the form in which it was."""
        bound = inspect.signature(self.run).bind(*args, **kwargs)
        for name in _SHOWN[self.sees]:
            shown = bound.arguments[name]
            if self.sees == SERIES and not isinstance(shown, Published):
                shown = bound.arguments[name] = check_items("a series of published tables", shown)
            for one in shown if isinstance(shown, list) else [shown]:
                if isinstance(one, Published):  # whatever else it is, the attack itself refuses it
                    one.require(self.name, self.reads)
        return self.run(*bound.args, **bound.kwargs)

    @property
    def forms(self) -> list[str]:
        """Names of the forms that it reads."""
        return readable_by(self.reads)

    def __repr__(self) -> str:
        return f"<Attack {self.name}: sees a {self.sees}, discloses an {self.discloses}>"


def attack(name: str, *, paper: str, **params: Any) -> Callable[[Callable[P, R]], Attack[P, R]]:
    """Make an attack of a function, and enter it in :data:`ATTACKS`; see :class:`Attack` for what is to be said of it."""

    def make(function: Callable[P, R]) -> Attack[P, R]:
        made = Attack(enforce(function), name, **params)
        shows = ", ".join(feature.value for feature in made.reads) or "groups"
        accepts = f"a {made.sees} that shows {shows}; the adversary knows {made.knows}"
        ATTACKS.add(name, accepts=accepts, promises=f"breaks {made.breaks}", paper=paper)(made)
        return made

    return make


def get(name: str) -> Attack[Any, Any]:
    """The attack of that name; near misses are named for an unknown one.

    >>> import ppdp_lab
    >>> get("skewness").breaks
    'l-diversity; t-closeness closes it'
    """
    return ATTACKS[name]


# --------------------------------------------------------------------
# Pictures of what an attack found: how many units have which number, and which of them are breached.


MOST_BARS = 30
SAFE, BREACHED = plotting.COLOURS[0], plotting.COLOURS[1]


def picture_of(result: AttackResult) -> Figure:
    """A histogram of the result's numbers, breached units on top of the others; of a bare mask the two counts."""
    _, ax = plotting.figure()
    units = plural(result.unit, 2)
    shown, breached = result.picture(), result.breached
    title = f"{result.n_breached:,} of {len(breached):,} {units} breached"
    if shown is None:
        ax.bar(
            ["not breached", "breached"], [len(breached) - result.n_breached, result.n_breached], color=[SAFE, BREACHED]
        )
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        return plotting.label(ax, x="", y=units, title=title, legend=False)
    name, numbers = shown
    edges = _edges(np.asarray(numbers, dtype=float), whole=np.asarray(numbers).dtype.kind in "iu")
    parts = [numbers[~breached], numbers[breached]]
    ax.hist(parts, bins=edges, stacked=True, color=[SAFE, BREACHED], label=["not breached", "breached"], rwidth=0.9)
    if np.asarray(numbers).dtype.kind in "iu":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return plotting.label(ax, x=name, y=units, title=title, legend=True)


def _edges(numbers: np.ndarray, *, whole: bool) -> list[float]:
    """Where bars begin and end: one for each whole number, if they are few; shares from 0 to 1."""
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    if whole and high - low < MOST_BARS:
        return (np.arange(low, high + 2) - 0.5).tolist()
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.linspace(low, high if high > low else low + 1, MOST_BARS + 1).tolist()


# --------------------------------------------------------------------
# What an attack hands back: a mask of who is breached, a paragraph, and a frame for notebooks.


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
        pass

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
