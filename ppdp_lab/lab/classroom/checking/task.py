"""What an exercise asks for: a function to write, how its answers are read, and the mistakes that people make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from ppdp_lab.lab.classroom.checking.answers import same

Case = tuple[Any, ...]
"""The arguments of one call."""


@dataclass(frozen=True)
class Mistake:
    """A wrong way that people take: a function that takes it, and the sentence for whoever does the same."""

    answer: Callable[..., Any]
    sentence: str

    @property
    def name(self) -> str:
        """As its function is called."""
        return self.answer.__name__


@dataclass(frozen=True)
class Concern:
    """Whom a wrong answer is about, and what an adversary knows of that person; never what the answer should be.

    ``shown`` is one more table, where the case itself has no rows of people.
    """

    person: str
    sentence: str
    shown: str = ""


@dataclass(frozen=True, eq=False)
class Task:
    """One function that students write.

    Attributes
    ----------
    name : str
        The function's name, ``certain``.
    returns : str
        What it returns, in words: said when an answer is of another kind.
    answer : callable
        The reference.
    read : callable
        Brings an answer into one form, so that sets, lists and Series compare; raises
        :class:`~ppdp_lab.lab.classroom.checking.answers.Unreadable`.
    steps : dict of str to callable
        What is marked by itself: each step draws random cases (from a ``random.Random``) that ask for one thing more. Who
        misses the last thing keeps the points of the first.
    smaller : callable
        All cases that are one little thing simpler than a given one.
    show : callable
        A case as text, called with its arguments.
    concern : callable
        ``concern(case, given, right)``, both answers read: the person, and what an adversary knows.
    mistakes : tuple of Mistake
    right_too : tuple of callable
        Right answers written otherwise than the reference: they must earn all points.
    agree : callable
        ``agree(case, one, other)``, both answers read: whether they come to the same; equality unless given.
    """

    name: str
    returns: str
    answer: Callable[..., Any]
    read: Callable[[Any], Any]
    steps: Mapping[str, Callable[[Random], Case]]
    smaller: Callable[..., Iterable[Case]]
    show: Callable[..., str]
    concern: Callable[[Case, Any, Any], Concern]
    mistakes: tuple[Mistake, ...]
    right_too: tuple[Callable[..., Any], ...]
    agree: Callable[[Case, Any, Any], bool] = lambda case, one, other: same(one, other)
