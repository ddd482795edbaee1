"""What a claim is about: the members of the registries that its query asks for, and those that it means without naming.

A query says ``publisher == 'MInvariance'`` or ``method == 'm-invariance, fine'``; both lead to the registry's MInvariance.
Where a table of results is about one algorithm only its queries need not name it: :data:`MEANT` does.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeGuard

from docs.builder import reference
from docs.builder.gallery import cells_of, parsed
from docs.builder.scores import Card, papers_of
from ppdp_lab.lab.experiment import Claim, Experiment
from ppdp_lab.registry import FAMILIES, Entry, key_of
from ppdp_lab.text import markdown_table

MEANT = {
    "bpg": {
        "BPG": ["*-ratio-*", "sal-above-occ", "invariant-*"],
        "MInvariance": ["sal-above-occ"],
        "Mondrian": ["*-ratio-signature", "*-ratio-none"],
    },
    "crossover": {
        name: ["time-is-no-reason"]
        for name in ("Anatomy", "BPG", "EEquivalence", "I3M", "MDistinct", "MInvariance", "Mondrian")
    },
    "equivalence": {
        "MInvariance": ["skew-*", "error-*"],
        "EEquivalence": ["skew-*", "error-*"],
        "value equivalence": ["fine-grows", "merged-*", "none-compromised"],
        "query_error": ["error-*"],
    },
    "i3m": {  # a static run is one of k-member
        "I3M": ["*"],
        "il_optimization": ["optimization-*"],
        "KMember": ["*-close", "*-worse", "*-faster", "optimization-lowers", "optimization-cheap"],
        "information_loss": ["*-close", "*-worse", "optimization-lowers"],
    },
    "mdistinct": {
        "DistinctLDiversity": ["vulnerable-grow", "two-thirds", "larger-*"],
        "MInvariance": ["invalid-*"],
        "MDistinct": ["error-*", "counterfeits-*", "usually-*", "never-vulnerable", "time-*"],
        "update graph": ["vulnerable-grow", "two-thirds", "larger-*", "never-vulnerable"],
        "query_error": ["error-*"],
    },
    "speedy": {"Speedy": ["exponential", "speedup-*", "nearly-optimal"]},
    "tour": {
        "DistinctLDiversity": ["homogeneity-closed", "skewness-open"],
        "KAnonymity": ["nobody-linked"],
        "record linkage": ["nobody-linked"],
        "homogeneity": ["homogeneity-*"],
        "skewness": ["skewness-*"],
    },
}
"""By experiment: who is meant by which claims, beside whom their queries name."""


def is_about(experiment: str, claim: Claim, name: str) -> bool:
    """Whether a claim is about a member, named as its registry names it."""
    meant = MEANT.get(experiment, {}).get(name, [])
    return key_of(name) in named(claim) or any(fnmatchcase(claim.id, pattern) for pattern in meant)


def named(claim: Claim) -> set[str]:
    """The keys of what a claim's query asks for; what it leaves out (``attack != 'skewness'``) is not among them.

    >>> both = dict(id="c", text="c", kind="below", x="k", series="by", compare=["Mondrian anew", "m-invariance, fine"])
    >>> sorted(named(Claim(**both, value="fem / 2", where="rule == '+ t-closeness' and attack != 'skewness'")))
    ['fem', 'minvariance', 'mondrian', 'tcloseness']
    """
    said = [*_asked(claim.where), *map(str, claim.compare)]
    said += [node.id for node in ast.walk(ast.parse(claim.value, mode="eval")) if isinstance(node, ast.Name)]
    return {key_of(_member(words)) for words in said}


def _asked(where: str) -> Iterator[str]:
    """The texts that a query wants a column to be."""
    for node in ast.walk(ast.parse(where or "True", mode="eval")):
        if isinstance(node, ast.Compare) and all(isinstance(op, (ast.Eq, ast.In)) for op in node.ops):
            for right in node.comparators:
                values = (part.value for part in ast.walk(right) if isinstance(part, ast.Constant))
                yield from (value for value in values if isinstance(value, str))


def _member(words: str) -> str:
    """The member among the words of a curve's label: "Mondrian anew" and "BPG with Mondrian" are Mondrian and BPG."""
    for after in (",", " with ", " anew"):
        words = words.partition(after)[0]
    return words.removeprefix("+ ")


# --------------------------------------------------------------------
# What a notebook uses of the package, read from its code and from the part of it that lies in the package.


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
    used |= {f"explore/{path.stem}": Uses(path) for path in explorers}
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
        texts = {claim.text for claim in experiment.claims if is_about(experiment.name, claim, name)}
        card = cards.get(experiment.name)
        if card and (judged := {text: said for text, said in card.claims.items() if text in texts}):
            found[experiment.name] = replace(card, claims=judged).summary()
    return found


def _public(every: Sequence[reference.Room]) -> Iterator[tuple[str, Any]]:
    for room in every:
        for name in room.names:
            path = f"ppdp_lab.{room.name}.{name}"
            yield path, resolved(path)
