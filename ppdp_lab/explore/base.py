"""The Python behind a picture, as text that runs on its own."""

from __future__ import annotations

import ast
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import ppdp_lab
from ppdp_lab.errors import listed, unknown
from ppdp_lab.registry import Registry
from ppdp_lab.release import Release

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def script(*lines: str, imports: tuple[str, ...] = ()) -> str:
    """Lines of code below the imports that they need: public names of the package are found, others are given.

    >>> print(script("release = Mondrian(KAnonymity(5)).anonymize(table)"))
    from ppdp_lab import KAnonymity, Mondrian
    <BLANKLINE>
    release = Mondrian(KAnonymity(5)).anonymize(table)
    """
    body = "\n".join(lines)
    words = [node for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)]
    defined = {node.id for node in words if isinstance(node.ctx, ast.Store)}
    offered = {*ppdp_lab.__all__, "plotting", "explore"} - {"table"}  # a room, but here always a variable
    names = sorted({node.id for node in words} & offered - defined, key=_like_isort)
    first = textwrap.fill(f"from ppdp_lab import {', '.join(names)}", 10_000) if names else ""
    return "\n".join([*filter(None, [*imports, first]), "", body])


def _like_isort(name: str) -> tuple[int, str]:
    """CONSTANTS, then Classes, then functions and modules."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def call(function: str, **keywords: Any) -> str:
    """The text of a call with keywords.

    >>> call("draw", k=3, name="age")
    "draw(k=3, name='age')"
    """
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in keywords.items())})"


# --------------------------------------------------------------------
# What a release still reveals although it keeps its rule.


def remaining_risk(release: Release) -> str:
    """What a person's group reveals about each sensitive column, in sentences.

    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 21, 60, 61], "illness": ["flu", "flu", "flu", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", "illness"))
    >>> print(remaining_risk(pl.Mondrian(pl.KAnonymity(2)).anonymize(table)))
    But in 1 of 2 groups (2 people) everyone has the same illness: knowing a person's group reveals it.
    >>> print(remaining_risk(pl.Mondrian(pl.KAnonymity(3)).anonymize(table)))
    No group has only one illness, but the best guess within a group is right for up to 75.0% of its people.
    """
    names = release.table.schema.sensitive
    if not names:
        return "No column is sensitive, so what a group reveals is not measured."
    counts, sentences = release.published().counts(), []
    for name in names:
        histogram = counts.histogram(name)
        alike = histogram.distinct == 1
        if alike.any():
            people = int(histogram.sizes[alike].sum())
            sentences.append(
                f"But in {alike.sum():,} of {len(alike):,} group{'s' * (len(alike) > 1)} ({people:,} people) everyone has "
                f"the same {name}: knowing a person's group reveals it."
            )
        else:
            surest = min(float(histogram.shares.max()), 0.999)  # never rounded up to certainty
            sentences.append(
                f"No group has only one {name}, but the best guess within a group is right for up to {surest:.1%} of its "
                f"people."
            )
    if len(names) > 1:
        sentences.append(f"Someone who knows a person's value in one of {listed(names)} can use it to find the others.")
    return " ".join(sentences)


# --------------------------------------------------------------------
# What an explorer is: knobs, two sentences that say what to look for, and from a state of the knobs a picture.
#
# Nothing here knows widgets. An explorer is asked ``show(state, work)`` and answers with a :class:`Shown`: the figure, what
# can be said of it, and the Python that makes it. :mod:`ppdp_lab.explore.panel` puts that on the screen.


EXPLORERS: Registry[Callable[..., Any]] = Registry("explorer")
"""All explorers: functions that return a widget. Start page, notebooks and tests read it."""


# ---------------------------------------------------------------------- knobs
@dataclass(frozen=True)
class Knob:
    """Something to turn: its name in the state, what stands beside it, and its value; ``idle`` if it changes nothing now.

    ``of`` names the knobs that its value belongs to, such as the file whose columns it chooses from. When one of them changes,
    the old value is not carried over: the state holds None until the explorer has answered with a value of its own.
    """

    name: str
    label: str
    value: Any
    idle: bool = field(default=False, kw_only=True)
    of: tuple[str, ...] = field(default=(), kw_only=True)

    def kept(self, value: Any) -> Knob:
        """The same knob at another value, where it can have that; else as it is."""
        return replace(self, value=value)


@dataclass(frozen=True)
class Whole(Knob):
    """A slider over whole numbers."""

    low: int = 0
    high: int = 100

    def kept(self, value: Any) -> Knob:
        """The nearest number that the slider has."""
        return replace(self, value=min(max(value, self.low), self.high))


@dataclass(frozen=True)
class Stops(Knob):
    """A slider over some values, in their order; ``words`` says how they are shown, where that differs."""

    options: Sequence[Any] = ()
    words: Mapping[Any, str] = field(default_factory=dict, kw_only=True)

    def kept(self, value: Any) -> Knob:
        """The value, if it is one of the options."""
        return replace(self, value=value) if value in self.options else self


@dataclass(frozen=True)
class Pick(Stops):
    """A list to pick one value from."""


@dataclass(frozen=True)
class Several(Stops):
    """A list to pick several values from; at least ``least`` of them."""

    least: int = 1

    def kept(self, value: Any) -> Knob:
        """The values, if all are options and they are enough; else, as after a change of table, those of the knob."""
        if value is None:
            return self
        chosen = tuple(value)
        return replace(self, value=chosen) if set(chosen) <= set(self.options) and len(chosen) >= self.least else self


@dataclass(frozen=True)
class Typed(Knob):
    """A line to type, with suggestions."""

    options: Sequence[str] = ()


@dataclass(frozen=True)
class File(Knob):
    """A file to drop: its name and content, or None."""

    kinds: str = ".csv"


# ---------------------------------------------------------------------- work that can be watched and stopped
class Stopped(BaseException):
    """Whoever asked does not want the answer any more; no ``except Exception`` on the way takes it for a failure."""


class Work:
    """How far the work is, told while it is done; it ends at the next step if it is not wanted any more.

    >>> Work(lambda share, what: print(f"{share:.0%} {what}")).step(1, 4, "release")
    25% release
    """

    def __init__(
        self,
        report: Callable[[float, str], None] = lambda share, what: None,
        unwanted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._report, self._unwanted = report, unwanted

    def step(self, done: int, total: int, what: str) -> None:
        """``done`` of ``total`` steps are done, and ``what`` comes next."""
        if self._unwanted():
            raise Stopped
        self._report(done / max(total, 1), what)


class Kept:
    """The latest results of something that takes long, by what they were asked with; who goes back need not wait again.

    >>> squares = Kept(most=2)
    >>> [squares.get(n, lambda: print("made") or n * n) for n in (3, 3)]
    made
    [9, 9]
    """

    def __init__(self, most: int = 6) -> None:
        self._results: dict[Hashable, Any] = {}
        self._most = most

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The result for a key; made, where it is not kept."""
        found = self._results.pop(key, self)  # in one step: somebody may be making other results ready meanwhile
        self._results[key] = found = make() if found is self else found
        for oldest in list(self._results)[: -self._most]:
            self._results.pop(oldest, None)
        return found


# ---------------------------------------------------------------------- the answer
@dataclass(frozen=True, eq=False)
class Shown:
    """One picture and what belongs to it.

    Attributes
    ----------
    figure : Figure
    alt : str
        The picture in words, for those who cannot see it.
    says : str
        What is found, in a sentence or two.
    facts : list of rows of text
        A small table below the picture; the first row is its header.
    code : str
        The Python that makes ``figure``, and the objects that it shows.
    hover : dict of str to str, or to a list of them
        Words for parts of the picture, by the ``gid`` of the artist; of a collection, for each of its marks.
    knobs : tuple of Knob
        Knobs whose range or options depend on what was found.
    files : dict of str to bytes
        What may be taken along.
    """

    figure: Figure
    alt: str
    says: str
    facts: list[Sequence[str]]
    code: str
    hover: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    knobs: tuple[Knob, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)


class Explorer(ABC):
    """Knobs, and what they show. One object belongs to one widget; it may keep what was expensive to make."""

    title: ClassVar[str]
    look: ClassVar[str]
    """Two sentences: what to look for."""

    @abstractmethod
    def knobs(self) -> tuple[Knob, ...]:
        """All knobs as they stand at first."""

    @abstractmethod
    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """The picture for a state of the knobs."""

    def fitted(self, state: Mapping[str, Any]) -> tuple[Knob, ...]:
        """Knobs whose options depend on the table, for where no picture can be made of it: with them the reader goes on."""
        return ()

    def ahead(self, state: Mapping[str, Any], work: Work) -> None:  # noqa: B027 (most have nothing to make ready)
        """Make ready what may be asked for after a state, step by step, while nothing is asked for."""

    def idle(self, **when: bool) -> tuple[Knob, ...]:
        """Knobs by name, idle or not."""
        return tuple(replace(knob, idle=when[knob.name]) for knob in self.knobs() if knob.name in when)

    def state(self, **given: Any) -> dict[str, Any]:
        """The state at first, with some of the knobs turned; an unknown one is refused."""
        known = {knob.name: knob for knob in self.knobs()}
        for name in given:
            if name not in known:
                raise unknown(f"knob of {self.title}:", name, known)
        first = {name: None if set(knob.of) & set(given) else knob.value for name, knob in known.items()}
        return first | given
