"""Experiment files: one TOML says which notebook runs, at which scales, which figures come out and what is claimed.

An example with everything in it::

    name = "utility"                          # also the name of its folder under results/
    title = "What k costs"
    paper = "mondrian"                        # optional: where figures and claims come from
    notebook = "notebooks/utility.ipynb"      # from this file's folder or the folder above it
    exclusive = false                         # true for anything that measures time: it then runs alone

    [scale.tiny]                              # optional, for tests; claims skip it unless they name it
    rows = 500
    [scale.quick]                             # parameters of the notebook's `parameters` cell; those left out keep
    rows = 5000                               # the notebook's own value
    [scale.paper]
    ks = [2, 5, 10, 20, 50, 100]

    [[figure]]
    name = "loss"
    caption = "Loss against k."
    source = "Figure 3"                       # optional: what it redraws
    draw = "ppdp_lab.lab.drawings.utility:loss"     # this is the default: drawings.<experiment>:<figure>; also file.py:loss

    [[claim]]
    id = "loss-at-10"
    text = "At k = 10 Mondrian loses between 5 and 9 percent."      # in your own words
    source = "Figure 3"                       # optional
    kind = "between"
    where = "method == 'mondrian' and k == 10"      # optional: a pandas query on the results
    value = "loss"                            # a column, or an expression over columns such as "time / units"
    paper = [0.05, 0.09]
    scales = ["paper"]                        # optional: where it can be tested; quick and paper unless said
    needs_cores = 4                           # optional, as is needs_memory_gb: else "not measurable on this machine"
    reason = "..."                            # written after looking; shown when the claim does not hold

Which keys a claim needs beside ``id``, ``text``, ``kind`` and ``value`` depends on its kind:

=============================  =============================================================================================
between                        ``paper = [low, high]``
at_most, at_least              ``paper = number``
about                          ``paper = number``; or ``x``, ``at = [...]`` and ``paper = [...]``, one number for each point
zero                           nothing
rises, falls                   ``x``: the axis of the curve
flat                           nothing; ``x`` and ``by`` if there are several curves
below, above, close            ``series`` (a column) and ``compare = [first, second]`` (two of its values): the first curve
                               is below / above / close to the second; ``x`` tells which points belong together
=============================  =============================================================================================

``x`` and ``by`` are a column or a list of columns. Rows that agree on all of them are repetitions and are averaged; each
combination of ``by`` is a curve of its own, and a claim holds if it holds for every curve and every point. ``series`` and
``compare`` with any other kind test the ratio first / second. ``aggregate`` (mean, median, min, max, sum) first reduces all
selected values to one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppdp_lab.errors import unknown

SCALES = ("tiny", "quick", "paper")
NUMBERS = ("between", "at_most", "at_least", "about", "zero")
TRENDS = ("rises", "falls", "flat")
PAIRS = ("below", "above", "close")
AGGREGATES = ("mean", "median", "min", "max", "sum")


@dataclass(frozen=True)
class FigureEntry:
    """A figure of an experiment: its name, caption, and the function that draws it from the results."""

    name: str
    caption: str
    draw: str
    source: str = ""


@dataclass(frozen=True)
class Claim:
    """What a paper says, as a query on the results and a kind of test."""

    id: str
    text: str
    kind: str
    value: str
    source: str = ""
    where: str = ""
    x: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    series: str = ""
    compare: tuple[Any, ...] = ()
    at: tuple[Any, ...] = ()
    aggregate: str = ""
    paper: Any = None
    scales: tuple[str, ...] = ("quick", "paper")
    needs_cores: int = 0
    needs_memory_gb: float = 0
    reason: str = ""


@dataclass(frozen=True)
class Experiment:
    """One experiment file, checked."""

    name: str
    title: str
    notebook: Path
    scales: Mapping[str, Mapping[str, Any]]
    path: Path
    paper: str = ""
    exclusive: bool = False
    figures: tuple[FigureEntry, ...] = ()
    claims: tuple[Claim, ...] = ()

    def parameters(self, scale: str) -> dict[str, Any]:
        """What a scale gives to the notebook."""
        if scale not in self.scales:
            raise unknown(f"scale of experiment {self.name!r}:", scale, self.scales)
        return dict(self.scales[scale])
