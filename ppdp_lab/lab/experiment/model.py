"""Experiment files: one TOML says which notebook runs, at which scales, which figures come out and what is claimed.

An example with everything in it::

    name = "utility"                          # also the name of its folder under results/
    title = "What k costs"
    paper = "mondrian"                        # optional: where figures and claims come from
    notebook = "notebooks/utility.ipynb"      # from this file's folder or the folder above it
    exclusive = false                         # true for anything that measures time: it then runs alone
    plan = "ppdp_lab.lab.measure.utility:plan"      # optional: called before the notebook starts, with those of its
                                              # parameters that it asks for; it refuses a table that is too small.
                                              # `sizes(scale)` beside it tells `show` what None stands for

    [scale.tiny]                              # optional, for tests; claims skip it unless they name it
    rows = 500
    [scale.quick]                             # parameters of the notebook's `parameters` cell; those left out keep
    rows = 5000                               # the notebook's own value
    [scale.paper]
    ks = [2, 5, 10, 20, 50, 100]

    [range]                                   # optional: what the notebook's parameters may be; refused before it starts
    ks = { at_least = 2 }                     # of a list every value; whole numbers, unless a bound has a decimal point
    t = { above = 0.0, at_most = 1.0 }
    divide = { one_of = ["always", "never"] }

    [[figure]]
    name = "loss"
    caption = "Loss of {dataset} against k, l = {l}."   # filled with parameters, and with {sensitive}, {quasi_identifiers}
    source = "Figure 3"                       # optional: what it redraws
    data = "worked example"                   # optional: named in the caption in place of the run's data
    draw = "ppdp_lab.lab.drawings.utility:loss"     # this is the default: drawings.<experiment>:<figure>; also file.py:loss

    [[claim]]
    id = "loss-at-10"
    text = "At k = 10 Mondrian loses between 5 and 9 percent."      # in your own words
    source = "Figure 3"                       # optional
    kind = "between"
    table = "grid"                            # which result table it reads; may be left out if there is only one
    where = "method == 'mondrian' and k == 10"      # optional: a pandas query on that table
    value = "loss"                            # a column, or an expression over columns such as "time / units"
    paper = [0.05, 0.09]
    scales = ["paper"]                        # optional: where it can be tested; quick and paper unless said
    needs_cores = 4                           # optional, as is needs_memory_gb: else "not measurable on this machine"
    void = "divided == 0"                     # optional: rows that say nothing; a point of such rows only is never a win

    [[claim.reason]]                          # optional: why it does not hold, written after looking at a run
    measured = "0.04 to 0.11 (3 of 4 points)"       # what that run's scorecard said; a run that differs says so
    text = "..."

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

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StrictBool, model_validator
from pydantic.dataclasses import dataclass

from ppdp_lab.errors import listed, unknown
from ppdp_lab.lab.experiment.claims import KNOWN_KEYS, Claim, Filled
from ppdp_lab.lab.experiment.ranges import Range
from ppdp_lab.registry import OneLine

SCALES = ("tiny", "quick", "paper")
ITSELF = "the file itself"  # the path of a file among what the file says; no key that anybody writes


def check_file_name(name: str) -> str:
    """Refuse a name that cannot be that of a file or folder.

    >>> check_file_name("fig-3a")
    'fig-3a'
    """
    if not re.fullmatch(r"[\w-]+", name):
        raise ValueError(f"{name!r} must consist of letters, digits, '-' and '_': it names a file or folder")
    return name


def _check_function(said: str) -> str:
    module, _, function = said.rpartition(":")
    if said and not (module and function.isidentifier()):
        raise ValueError(f"must be 'module:function' or 'file.py:function', not {said!r}")
    return said


def _check_scales(scales: dict[str, Any]) -> dict[str, Any]:
    for name in scales:
        if name not in SCALES:
            raise ValueError(f"has an {unknown('key', name, SCALES)}")
    missing = [name for name in ("quick", "paper") if name not in scales]
    if missing:
        raise ValueError(f"lacks {listed(missing)}")
    return scales


FileName = Annotated[Filled, AfterValidator(check_file_name)]
Function = Annotated[str, AfterValidator(_check_function)]


@dataclass(frozen=True, config=KNOWN_KEYS)
class FigureEntry(OneLine):
    """A figure of an experiment: its name, caption, and the function that draws it from the results.

    ``data`` is what the caption names in place of the run's data, for a figure that is drawn from something else.
    """

    name: FileName
    caption: Filled
    draw: Function = ""
    source: str = ""
    data: str = ""


@dataclass(frozen=True, config=KNOWN_KEYS)
class Experiment(OneLine):
    """One experiment file, checked."""

    name: FileName
    title: Filled
    notebook: Path
    scales: Annotated[dict[str, dict[str, Any]], AfterValidator(_check_scales)] = Field(validation_alias="scale")
    path: Path = Field(validation_alias=ITSELF)
    paper: str = ""
    exclusive: StrictBool = False
    plan: Function = ""
    ranges: dict[str, Range] = Field(default_factory=dict, validation_alias="range")
    figures: tuple[FigureEntry, ...] = Field(default=(), validation_alias="figure")
    claims: tuple[Claim, ...] = Field(default=(), validation_alias="claim")

    @model_validator(mode="after")
    def _fits_together(self) -> Experiment:
        for what, names in (("figure", [f.name for f in self.figures]), ("claim", [c.id for c in self.claims])):
            doubled = sorted({n for n in names if names.count(n) > 1})
            if doubled:
                raise ValueError(f"{what} {listed(doubled)} stands more than once; give each its own name")
        for claim in self.claims:
            for scale in claim.scales:
                if scale not in self.scales:
                    raise ValueError(f"claim {claim.id}: {unknown('scale', scale, self.scales)}")
        return self

    def parameters(self, scale: str) -> dict[str, Any]:
        """What a scale gives to the notebook."""
        if scale not in self.scales:
            raise unknown(f"scale of experiment {self.name!r}:", scale, self.scales)
        return dict(self.scales[scale])
