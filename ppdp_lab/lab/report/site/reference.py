"""The reference: one page per room, with every public name of its door.

Names are read from the sources, not by importing: a room whose extras are not installed has its page, too.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from ppdp_lab.lab.report.site.docstrings import to_markdown
from ppdp_lab.lab.report.text import markdown_table

COMMANDS = "cli"  # has a page of its own, made from its help
INNER = {"anonymize.lattice": ("Lattice", "LatticeSearch"), "table.files": ("FileReport", "Reading", "ReadingWarning")}
"""Names that docstrings refer to and the door of the room does not have, by the package inside the room that they come from."""


@dataclass(frozen=True)
class Room:
    """A room: its name, the docstring of its door, and its public names."""

    name: str
    words: str
    names: tuple[str, ...]

    @property
    def first(self) -> str:
        """What the room is for, in one line."""
        return self.words.strip().partition("\n")[0]

    def paths(self, first: Container[str] = ()) -> list[str]:
        """The full names, in the order of the alphabet, those that stand in ``first`` before all others.

        >>> Room("forms", "", ("Beta", "alpha", "Gamma")).paths({"ppdp_lab.forms.Gamma"})
        ['ppdp_lab.forms.Gamma', 'ppdp_lab.forms.alpha', 'ppdp_lab.forms.Beta']
        """
        paths = (f"ppdp_lab.{self.name}.{name}" for name in self.names)
        return sorted(paths, key=lambda path: (path not in first, path.casefold()))


def rooms(package: Path) -> list[Room]:
    """All rooms of the package that have public names, in the order of the alphabet."""
    doors = [*package.glob("[!_]*.py"), *package.glob("[!_]*/__init__.py")]
    found = [_room(door, door.stem if door.parent == package else door.parent.name) for door in doors]
    for name, names in INNER.items():
        door = package.joinpath(*name.split("."), "__init__.py")
        found += [replace(_room(door, name), names=names)] if door.is_file() else []
    return sorted((room for room in found if room.names and room.name != COMMANDS), key=lambda room: room.name)


def page(room: Room, first: Container[str] = ()) -> str:
    """A room's page; the documentation of each name is filled in by mkdocstrings."""
    path = f"ppdp_lab.{room.name}"
    parts = [f"# {path} {{ #{path} }}", to_markdown(room.words)]
    return "\n\n".join([*parts, *(f"::: {path}" for path in room.paths(first))]) + "\n"


def index(every: list[Room], first: Container[str] = ()) -> str:
    """All rooms and their names in one table."""
    rows = [(f"[`{room.name}`]({room.name}.md)", room.first, ", ".join(map(link, room.paths(first)))) for room in every]
    return markdown_table(("room", "what is in it", "names"), rows)


def place_of(name: str, every: Iterable[Room]) -> str:
    """The full name of a public name, or of something in it, such as ``Release.to_frame``; empty if no room has it.

    >>> place_of("Release.to_frame", [Room("table", "", ("Schema",)), Room("release", "", ("Release",))])
    'ppdp_lab.release.Release.to_frame'
    """
    first = name.partition(".")[0]
    return next((f"ppdp_lab.{room.name}.{name}" for room in every if first in room.names), "")


def default_of(path: str, parameter: str) -> str | None:
    """The default value of a parameter as Python code; None if there is none, or it is no plain value.

    Sources may name a constant or write an expression, whose value a reader of the page cannot see.

    >>> default_of("ppdp_lab.metrics.vem", "dirty"), default_of("ppdp_lab.metrics.vem", "release")
    ('"free"', None)
    """
    try:
        default = inspect.signature(resolve_name(path)).parameters[parameter].default
    except (
        ImportError,
        AttributeError,
        KeyError,
        TypeError,
        ValueError,
    ):  # an extra is missing, or it is nothing to call
        return None
    return _as_code(default) if default is not inspect.Parameter.empty and _is_plain(default) else None


def _is_plain(value: Any) -> bool:
    if type(value) in (tuple, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


def _as_code(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_as_code, value))}{',' * (len(value) == 1)})"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def link(path: str, words: str = "") -> str:
    """A link to a name's place in the reference.

    >>> link("ppdp_lab.metrics.ncp")
    '[`ncp`][ppdp_lab.metrics.ncp]'
    """
    return f"[`{words or path.rpartition('.')[2]}`][{path}]"


def _room(door: Path, name: str) -> Room:
    tree = ast.parse(door.read_text(encoding="utf-8"))
    said: list[str] | None = None
    defined: list[str] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined.append(node.name)
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            said = ast.literal_eval(node.value)
    names = said if said is not None else [n for n in defined if not n.startswith("_")]
    return Room(name, ast.get_docstring(tree) or "", tuple(names))
