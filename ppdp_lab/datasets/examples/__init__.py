"""The papers' worked examples, one module a paper, each table or figure a function.

Where a paper contradicts itself, the printed values are given and the function's docstring says what a calculation
gives. Text and numbers are as printed, column names in small letters, ranges in this package's notation.

>>> load("speedy.table_1")
<Microdata of 9 records: birthplace, birth year, zipcode | disease (worked example, Table 1 of the Speedy thesis)>
>>> names("bpg")
['bpg.table_1', 'bpg.table_2', 'bpg.table_3']
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from ppdp_lab.datasets.examples import bpg, equivalence, i3m, mdistinct, speedy
from ppdp_lab.datasets.examples._forms import ExampleRelease, Transactions
from ppdp_lab.errors import unknown

__all__ = [
    "ExampleRelease",
    "Transactions",
    "bpg",
    "equivalence",
    "i3m",
    "load",
    "mdistinct",
    "names",
    "speedy",
]

_PAPERS: dict[str, ModuleType] = {
    "bpg": bpg,
    "speedy": speedy,
    "mdistinct": mdistinct,
    "equivalence": equivalence,
    "i3m": i3m,
}
_EXAMPLES: dict[str, Callable[[], Any]] = {
    f"{paper}.{name}": getattr(module, name) for paper, module in _PAPERS.items() for name in module.__all__
}


def names(paper: str | None = None) -> list[str]:
    """Names of all worked examples, or of one paper's: what :func:`load` takes.

    >>> names("i3m")
    ['i3m.table_1']
    """
    if paper is None:
        return list(_EXAMPLES)
    if paper not in _PAPERS:
        raise unknown("paper", paper, _PAPERS)
    return [name for name in _EXAMPLES if name.startswith(f"{paper}.")]


def load(name: str) -> Any:
    """A worked example by name; what it gives (a table, a frame, releases, a graph) its function's docstring says.

    >>> load("mdistinct.table_3").groups()
    [('Ken', 'Julia'), ('Tom', 'Harry'), ('Lily', 'Ben')]
    """
    if name not in _EXAMPLES:
        raise unknown("worked example", name, _EXAMPLES)
    return _EXAMPLES[name]()
