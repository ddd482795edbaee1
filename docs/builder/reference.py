"""Docstrings as Markdown: the few marks of reStructuredText that numpy's style uses, for pages that do not know them."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from ppdp_lab.text import markdown_table

_ROLE = re.compile(r":(?:attr|class|data|func|meth|mod|exc):`(?:(~?)([\w.]+)|([^`<]+?) <([\w.]+)>)`")
_CITED = re.compile(r"\[(\d+)\]_")
_SOURCE = re.compile(r"^( *)\.\. \[(\d+)\] (.*(?:\n\1 {2,}\S.*)*)", re.MULTILINE)
_CODE = re.compile(r"^( *)\.\. code-block:: *\w*\n", re.MULTILINE)
_LITERAL = re.compile(r"::$(?=\n\n +\S)", re.MULTILINE)
_RULE = r"^ *=+(?:  +=+)+ *$"
_TABLE = re.compile(rf"({_RULE})\n(.*?){_RULE}", re.MULTILINE | re.DOTALL)
_TRIED = re.compile(r"^( *)>>> .*(?:\n\1\S.*)*", re.MULTILINE)  # an example, up to the next empty line
_PARAMETERS = re.compile(r"(?<=^Parameters\n----------\n).*?(?=^\S[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)
_TOGETHER = re.compile(r"^(\w+(?:, \w+)+)( ?:.*)?\n((?:    .*\n?|\n)*)", re.MULTILINE)
_CHOICES = re.compile(r"^(\w+ ?: )\{(.+)\}(?:, optional)?$", re.MULTILINE)
_EXAMPLES = re.compile(r"^ *Examples\n *-+$", re.MULTILINE)

Link = Callable[[str, str], str]


def as_code(name: str, words: str) -> str:
    """A name that is shown in its words and leads nowhere."""
    return f"`{words}`"


def to_markdown(text: str, link: Link = as_code) -> str:
    """A docstring in Markdown; ``link`` makes what is shown of a name that the text refers to, and of its words.

    >>> print(to_markdown("See :func:`load`, and [1]_ for more.\\n\\n.. [1] A. Author,\\n   2001."))
    See `load`, and \\[1\\] for more.
    <BLANKLINE>
    - \\[1\\] A. Author, 2001.
    """
    text = _ROLE.sub(lambda found: _referred(found, link), text)
    text = _SOURCE.sub(lambda found: rf"{found[1]}- \[{found[2]}\] {' '.join(found[3].split())}", text)
    text = _CITED.sub(r"\\[\1\\]", text)
    text = _CODE.sub("", text)
    text = _LITERAL.sub(":", text)
    text = _TABLE.sub(lambda found: _table(found[1], found[2]), text)
    text = _PARAMETERS.sub(lambda found: _CHOICES.sub(_one_of, _TOGETHER.sub(_apart, found[0])), text)
    before, *examples = _EXAMPLES.split(text, maxsplit=1)  # what stands there is known to be code
    return "".join([_TRIED.sub(_fenced, before), *(f"Examples\n--------{after}" for after in examples)])


def missing_sources(text: str, *further: str) -> str:
    """The sources that a docstring cites and that stand only in one of the ``further`` texts, such as that of its module.

    >>> missing_sources("As in [1]_.", "Nothing here.", ".. [1] A. Author, 2001.\\n.. [2] B. Author, 2002.")
    '.. [1] A. Author, 2001.'
    """
    own = {found[2] for found in _SOURCE.finditer(text)}
    wanted = dict.fromkeys(number for number in _CITED.findall(text) if number not in own)
    lines = []
    for number in wanted:
        sources = (found for other in further for found in _SOURCE.finditer(other) if found[2] == number)
        found = next(sources, None)
        lines += [found[0].strip()] if found else []
    return "\n".join(lines)


def with_note(text: str, note: str) -> str:
    """A docstring with a paragraph after its first one.

    >>> with_note("First.\\n\\nSecond.", "Note."), with_note("First.", "")
    ('First.\\n\\nNote.\\n\\nSecond.', 'First.')
    """
    first, _, rest = text.partition("\n\n")
    return "\n\n".join(filter(None, (first, note, rest)))


def _referred(found: re.Match[str], link: Link) -> str:
    """A reference by its name, by the last part of the name after a tilde, or by words of its own."""
    tilde, name, words, target = found.groups()
    return link(target, words) if target else link(name, name.rpartition(".")[2] if tilde else name)


def _apart(found: re.Match[str]) -> str:
    """Parameters that are explained together, one by one: each has a type and a default of its own."""
    words = found[3].rstrip("\n")
    entries = [f"{name}{found[2] or ''}\n{words}".rstrip("\n") for name in found[1].split(", ")]
    return "\n".join(entries) + found[3][len(words) :]


def _one_of(found: re.Match[str]) -> str:
    """Choices as a union: of choices in braces, griffe shows the first one as the default, whatever the signature says."""
    return f"{found[1]}{found[2].replace(', ', ' | ')}"


def _fenced(found: re.Match[str]) -> str:
    """An example as a block of code, without what is meant for doctest alone."""
    lines = [re.sub(r" *# doctest: .*$", "", line[len(found[1]) :]) for line in found[0].splitlines()]
    return "\n".join(["```pycon", *lines, "```"])


def _table(rule: str, body: str) -> str:
    """A table of two or more columns without a header; a row that begins with blanks goes on with the one before it."""
    starts = [found.start() for found in re.finditer("=+", rule)]
    rows: list[list[str]] = []
    for line in body.splitlines():
        cells = [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None])]
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [f"{before} {more}".strip() for before, more in zip(rows[-1], cells)]
    return markdown_table([""] * len(starts), rows)


# --------------------------------------------------------------------
# The reference: one page per room, with every public name of its door.
#
# Names are read from the sources, not by importing: a room whose extras are not installed has its page, too.


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

        >>> Room("release", "", ("Beta", "alpha", "Gamma")).paths({"ppdp_lab.release.Gamma"})
        ['ppdp_lab.release.Gamma', 'ppdp_lab.release.alpha', 'ppdp_lab.release.Beta']
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
