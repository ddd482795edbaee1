"""The worked examples by name."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from ppdp_lab.datasets.examples import bpg, equivalence, i3m, mdistinct, speedy
from ppdp_lab.errors import unknown

PAPERS: dict[str, ModuleType] = {
    "bpg": bpg,
    "speedy": speedy,
    "mdistinct": mdistinct,
    "equivalence": equivalence,
    "i3m": i3m,
}
_EXAMPLES: dict[str, Callable[[], Any]] = {
    f"{paper}.{name}": getattr(module, name) for paper, module in PAPERS.items() for name in module.__all__
}


def names(paper: str | None = None) -> list[str]:
    """Names of all worked examples, or of one paper's: what :func:`load` takes.

    >>> names("i3m")
    ['i3m.table_1']
    """
    if paper is None:
        return list(_EXAMPLES)
    if paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    return [name for name in _EXAMPLES if name.startswith(f"{paper}.")]


def load(name: str) -> Any:
    """A worked example by name; what it gives (a table, a frame, releases, a graph) its function's docstring says.

    >>> load("mdistinct.table_3").groups()
    [('Ken', 'Julia'), ('Tom', 'Harry'), ('Lily', 'Ben')]
    """
    if name not in _EXAMPLES:
        raise unknown("worked example", name, _EXAMPLES)
    return _EXAMPLES[name]()
