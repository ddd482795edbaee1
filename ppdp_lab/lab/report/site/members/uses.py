"""What a notebook uses of the package, read from its code and from the part of it that lies in the package."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report.site.notebooks import cells_of, parsed
from ppdp_lab.registry import Entry

PACKAGE = "ppdp_lab"
FOLLOWED = "ppdp_lab.lab.measure"  # the longer part of the notebooks: what it uses, the notebook uses
LOOK_UP = ("entry", "get")  # of a registry: one member is asked for, by a name that stands elsewhere


def of_experiment(experiment: Experiment) -> Uses:
    """What an experiment's notebook uses, whatever scale it is run at."""
    return Uses(experiment.notebook, _texts(experiment.scales))


class Uses:
    """What a notebook uses of the package: it, and the part of its code that lies in the package; ``words`` are further texts."""

    def __init__(self, notebook: Path, words: Iterable[str] = ()) -> None:
        code = "\n".join(cell["source"] for cell in cells_of(notebook) if cell["cell_type"] == "code")
        self.objects: list[Any] = []
        self.words = set(words)
        self._read(code, seen=set())

    def member(self, entry: Entry[Any]) -> bool:
        """Whether a member is used: itself, a helper that stands beside it in its module, or its name as text."""
        if not callable(entry.member):  # a data set is loaded by its name
            return entry.name in self.words
        if any(entry.member is value or _helper(value, entry) for value in self.objects):
            return True
        named = (word == entry.name or word.startswith(f"{entry.name}(") for word in self.words)
        return inspect.isclass(entry.member) and any(named)

    def _read(self, code: str, seen: set[str]) -> None:
        tree = parsed(code)
        names = dict(_imported(tree))
        self.words |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        asked = {id(node.value) for node in ast.walk(tree) if _looks_up(node)}
        whole = {path for node in ast.walk(tree) if id(node) not in asked and (path := _dotted(node, names))}
        for path in {path for node in ast.walk(tree) if (path := _dotted(node, names))} | set(names.values()):
            value = resolved(path)
            # A registry or a table of algorithms that is gone over stands for all that is in it.
            self.objects += [value, *(value.values() if isinstance(value, Mapping) and path in whole else ())]
            if inspect.ismodule(value) and value.__name__.startswith(FOLLOWED) and value.__name__ not in seen:
                seen.add(value.__name__)
                self._read(inspect.getsource(value), seen)


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
