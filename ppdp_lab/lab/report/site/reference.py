"""The reference: one page per room, with every public name of its door.

Names are read from the sources, not by importing: a room whose extras are not installed has its page, too.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from ppdp_lab.lab.report.site.docstrings import to_markdown
from ppdp_lab.lab.report.text import markdown_table

COMMANDS = "cli"  # has a page of its own, made from its help


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
    return sorted((room for room in found if room.names and room.name != COMMANDS), key=lambda room: room.name)


def page(room: Room, first: Container[str] = ()) -> str:
    """A room's page; the documentation of each name is filled in by mkdocstrings."""
    parts = [f"# ppdp_lab.{room.name}", to_markdown(room.words)]
    return "\n\n".join([*parts, *(f"::: {path}" for path in room.paths(first))]) + "\n"


def index(every: list[Room], first: Container[str] = ()) -> str:
    """All rooms and their names in one table."""
    rows = [(f"[`{room.name}`]({room.name}.md)", room.first, ", ".join(map(link, room.paths(first)))) for room in every]
    return markdown_table(("room", "what is in it", "names"), rows)


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
