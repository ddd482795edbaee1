"""What is implemented: which notebooks use a member of a registry, and how the claims about it were judged."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from docs.builder import reference
from docs.builder.gallery import cells_of, parsed
from docs.builder.scores import Card, papers_of
from ppdp_lab.lab.experiment import Experiment
from ppdp_lab.registry import FAMILIES, Entry
from ppdp_lab.text import markdown_table

# --------------------------------------------------------------------
# What an experiment or an explorer uses of the package, read from the code of its notebook and of its measure.py.


PACKAGE = "ppdp_lab"
LOOK_UP = ("entry", "get")  # of a registry: one member is asked for, by a name that stands elsewhere


def of_experiment(experiment: Experiment) -> Uses:
    """What an experiment uses, whatever scale it is run at."""
    measure = experiment.path.parent / "measure.py"
    code = [measure.read_text(encoding="utf-8")] if measure.is_file() else []
    return Uses([code_of(experiment.notebook), *code], _texts(experiment.scales))


def code_of(notebook: Path) -> str:
    """The code of a notebook."""
    return "\n".join(cell["source"] for cell in cells_of(notebook) if cell["cell_type"] == "code")


class Uses:
    """What several pieces of code use of the package; ``words`` are further texts."""

    def __init__(self, code: Iterable[str], words: Iterable[str] = ()) -> None:
        self.objects: list[Any] = []
        self.words = set(words)
        for each in code:
            self._read(each)

    def member(self, entry: Entry[Any]) -> bool:
        """Whether a member is used: itself, a helper that stands beside it in its module, or its name as text."""
        if not callable(entry.member):  # a data set is loaded by its name
            return entry.name in self.words
        if any(entry.member is value or _helper(value, entry) for value in self.objects):
            return True
        named = (word == entry.name or word.startswith(f"{entry.name}(") for word in self.words)
        return inspect.isclass(entry.member) and any(named)

    def _read(self, code: str) -> None:
        tree = parsed(code)
        names = dict(_imported(tree))
        self.words |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        asked = {id(node.value) for node in ast.walk(tree) if _looks_up(node)}
        whole = {path for node in ast.walk(tree) if id(node) not in asked and (path := _dotted(node, names))}
        for path in {path for node in ast.walk(tree) if (path := _dotted(node, names))} | set(names.values()):
            value = resolved(path)
            # A registry or a table of algorithms that is gone over stands for all that is in it.
            self.objects += [value, *(value.values() if isinstance(value, Mapping) and path in whole else ())]


def _looks_up(node: ast.AST) -> TypeGuard[ast.Subscript | ast.Attribute]:
    """Whether an expression takes one thing out of another, as ``REGISTRY[name]`` and ``REGISTRY.entry(name)`` do."""
    return isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr in LOOK_UP)


def _texts(said: Any) -> Iterator[str]:
    """All texts within what a scale gives to a notebook."""
    if isinstance(said, str):
        yield said
    inside = said.values() if isinstance(said, Mapping) else said if isinstance(said, (list, tuple)) else ()
    for one in inside:
        yield from _texts(one)


def _helper(value: Any, entry: Entry[Any]) -> bool:
    """Whether a function stands in a member's module and is no member itself, such as one that attacks release by release."""
    return inspect.isfunction(value) and value.__module__ == getattr(entry.member, "__module__", None)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that stand for something of the package, and what they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            ours = [alias for alias in node.names if alias.name.startswith(PACKAGE)]
            yield from ((alias.asname, alias.name) if alias.asname else (PACKAGE, PACKAGE) for alias in ours)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _dotted(node: ast.AST, names: Mapping[str, str]) -> str:
    """The full name of an expression such as ``pl.metrics.ncp``; empty if it begins with none of the names."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute):
        start = _dotted(node.value, names)
        return f"{start}.{node.attr}" if start else ""
    return ""


def resolved(path: str) -> Any:
    try:
        return pkgutil.resolve_name(path)
    except (ImportError, AttributeError):
        return None


# --------------------------------------------------------------------
# What is implemented: every member of every family, its paper, where it is used, and how the claims about it were judged.


HEADER = ("paper", "what it is", "class or function", "notebook", "verdict")
GIVEN = "data set"  # claims are tested on it, none is about it


@dataclass(frozen=True)
class Member:
    """A member of a family: its entry, where the reference has it, which notebooks use it, verdicts by experiment."""

    family: str
    entry: Entry[Any]
    place: str
    notebooks: tuple[str, ...]
    verdicts: Mapping[str, str]

    @property
    def defined(self) -> str:
        """The full name that it has where it is defined; empty for what is no class or function, such as a data set."""
        made = self.entry.member
        return f"{made.__module__}.{made.__qualname__}" if hasattr(made, "__qualname__") else ""

    def row(self) -> tuple[str, ...]:
        """Its line in the table."""
        name = self.entry.name
        code = reference.link(self.place or "ppdp_lab.datasets.load", "" if self.place else f'load("{name}")')
        notebooks = ", ".join(f"[{one}](notebooks/{one}.md)" for one in self.notebooks)
        judged = [f"[{one}](gallery/{one}.md): {said}" for one, said in self.verdicts.items()]
        words = f"{name}: {self.entry.promises.partition('. ')[0]}"
        return self.entry.paper, words, code, notebooks or "none", "<br>".join(judged) or "tests only"

    def note(self) -> str:
        """What the reference says of it beside its docstring; links are those of a page in ``reference/``."""
        said = {
            self.family.capitalize(): f"`{self.entry.name}`",
            "Paper": self.entry.paper,
            "Notebooks": ", ".join(f"[{one}](../notebooks/{one}.md)" for one in self.notebooks),
            "Claims": "; ".join(f"[{one}](../gallery/{one}.md): {said}" for one, said in self.verdicts.items()),
        }
        return " · ".join(f"*{key}:* {words}" for key, words in said.items() if words)


def members(
    every: Sequence[reference.Room],
    experiments: Sequence[Experiment],
    cards: Mapping[str, Card],
    explorers: Iterable[Path] = (),
) -> list[Member]:
    """All members, family by family, in the order in which they were entered; ``explorers`` are their notebooks."""
    places = list(_public(every))  # imports the rooms, and thereby enters their members
    used = {each.name: of_experiment(each) for each in experiments}
    used |= {f"explore/{path.stem}": Uses([code_of(path)]) for path in explorers}
    found = []
    for family, registry in sorted(FAMILIES.items()):
        for entry in registry.entries():
            verdicts = {} if family == GIVEN else _verdicts(entry.name, experiments, cards)
            by = [name for name, uses in used.items() if name in verdicts or uses.member(entry)]
            ours = [paper.name for paper in papers_of(entry.paper)]
            by.sort(key=lambda name: name not in ours)  # the notebook of its own paper first
            place = next((path for path, member in places if member is entry.member), "")
            found.append(Member(family, entry, place, tuple(by), verdicts))
    return found


def tables(every: Iterable[Member]) -> str:
    """One table for each family."""
    families: dict[str, list[tuple[str, ...]]] = {}
    for member in every:
        families.setdefault(member.family, []).append(member.row())
    return "\n\n".join(
        f"## {family.capitalize()}s\n\n{markdown_table(HEADER, rows)}" for family, rows in families.items()
    )


def _verdicts(name: str, experiments: Sequence[Experiment], cards: Mapping[str, Card]) -> dict[str, str]:
    """By experiment: how many of its claims about a member hold; experiments without such claims are left out."""
    found = {}
    for experiment in experiments:
        texts = {claim.text for claim in experiment.claims if name in claim.about}
        card = cards.get(experiment.name)
        if card and (judged := {text: said for text, said in card.claims.items() if text in texts}):
            found[experiment.name] = replace(card, claims=judged).summary()
    return found


def _public(every: Sequence[reference.Room]) -> Iterator[tuple[str, Any]]:
    for room in every:
        for name in room.names:
            path = f"ppdp_lab.{room.name}.{name}"
            yield path, resolved(path)
