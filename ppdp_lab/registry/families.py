"""Registries: all members of a family, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ppdp_lab.errors import ParameterError, unknown
from ppdp_lab.registry.parameters import Parameter, parameters_of
from ppdp_lab.text import OneLine, cut

T = TypeVar("T")
FAMILIES: dict[str, Registry[Any]] = {}
"""All registries, by what one member is called: "principle", "metric", ..."""


@dataclass(frozen=True)
class Entry(OneLine, Generic[T]):
    """One member of a family: what it is called and made with, what it accepts and promises, where it comes from."""

    name: str
    member: T
    parameters: tuple[Parameter, ...]
    accepts: str
    promises: str
    paper: str

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))}): {self.promises}"


class Registry(Mapping[str, T]):
    """All members of a family, by name; upper and lower case, blanks and dashes make no difference when one is looked up.

    >>> colours = Registry("colour")
    >>> @colours.add(accepts="light", promises="warmth", paper="none")
    ... class DarkRed:
    ...     '''A colour.'''
    >>> colours["dark red"] is DarkRed, list(colours), "blue" in colours
    (True, ['DarkRed'], False)
    >>> colours.entry("darkred").promises
    'warmth'
    >>> del FAMILIES["colour"]
    """

    def __init__(self, family: str) -> None:
        self.family = family
        self._entries: dict[str, Entry[T]] = {}
        FAMILIES[family] = self

    def add(
        self, name: str | None = None, *, accepts: str, promises: str, paper: str, parameters: Any = None
    ) -> Callable[[T], T]:
        """A decorator that enters a member, under its own name unless another is given."""

        def enter(member: T) -> T:
            called = name or getattr(member, "__name__", "") or str(getattr(member, "name", ""))
            if key_of(called) in self._entries:
                raise ParameterError(f"there already is a {self.family} {called!r}; choose another name")
            said = parameters_of(member) if parameters is None else tuple(parameters)
            self._entries[key_of(called)] = Entry(called, member, said, accepts, promises, paper)
            return member

        return enter

    @contextmanager
    def trying(self) -> Iterator[Registry[T]]:
        """Whatever is entered within the block leaves with it: for tests and for trying things out."""
        before = dict(self._entries)
        try:
            yield self
        finally:
            self._entries = before

    def entry(self, name: str) -> Entry[T]:
        """All that is said of a member; near misses are named for an unknown one."""
        found = self._entries.get(key_of(name)) if isinstance(name, str) else None
        if found is None:
            raise unknown(self.family, name, list(self))
        return found

    def entries(self) -> list[Entry[T]]:
        """All members with what is said of them."""
        return list(self._entries.values())

    def __getitem__(self, name: str) -> T:
        return self.entry(name).member

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and key_of(name) in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter([entry.name for entry in self._entries.values()])

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return cut(f"<Registry of {len(self)} {self.family}s: {', '.join(self)}>")


def key_of(name: str) -> str:
    """A name as it is looked up."""
    return re.sub(r"[\s_-]", "", name).casefold()
