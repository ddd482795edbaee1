"""What an attack is: a function of what was published, with all that is known about it.

An attack is one function, made callable, classified by the decorator :func:`attack`. Every attack stands in :data:`ALL`
under its name, so that a test, a command line or a comparison can go over all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

from ppdp_lab.errors import check_choice, check_items
from ppdp_lab.forms import Feature, Published, readable_by
from ppdp_lab.registry import OneLine, Registry

P = ParamSpec("P")
R = TypeVar("R")
RELEASE, PAIR, SERIES = "release", "pair", "series"
IDENTITY, ATTRIBUTE = "identity", "attribute"
_SHOWN = {RELEASE: ("published",), PAIR: ("first", "second"), SERIES: ("series",)}

ALL: Registry[Attack[Any, Any]] = Registry("attack")


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


def attack(name: str, *, paper: str, **said: Any) -> Callable[[Callable[P, R]], Attack[P, R]]:
    """Make an attack of a function, and enter it in :data:`ALL`; see :class:`Attack` for what is to be said of it."""

    def make(function: Callable[P, R]) -> Attack[P, R]:
        made = Attack(function, name, **said)
        shows = ", ".join(feature.value for feature in made.reads) or "groups"
        accepts = f"a {made.sees} that shows {shows}; the adversary knows {made.knows}"
        ALL.add(name, accepts=accepts, promises=f"breaks {made.breaks}", paper=paper)(made)
        return made

    return make


def get(name: str) -> Attack[Any, Any]:
    """The attack of that name; near misses are named for an unknown one.

    >>> import ppdp_lab
    >>> get("skewness").breaks
    'l-diversity; t-closeness closes it'
    """
    return ALL[name]
