"""Claims of papers: what an experiment file says about each, and what the verdict on one holds."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, Strict, StrictInt, model_validator
from pydantic.dataclasses import dataclass

from ppdp_lab.errors import listed, unknown

NUMBERS = ("between", "at_most", "at_least", "about", "zero")
TRENDS = ("rises", "falls", "flat")
PAIRS = ("below", "above", "close")
AGGREGATES = ("mean", "median", "min", "max", "sum")
_NEEDED = {"between": ["paper"], "at_most": ["paper"], "at_least": ["paper"], "about": ["paper"]}
_NEEDED |= {"rises": ["x"], "falls": ["x"]} | {kind: ["series", "compare", "x"] for kind in PAIRS}

HOLDS, FAILS = "holds", "does not hold"
NOT_TESTED, NOT_MEASURABLE = "not tested at this scale", "not measurable on this machine"

KNOWN_KEYS = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)


def _different(value: Any, what: str, kind: type = object) -> tuple[Any, ...]:
    several = [value] if what.startswith("a name") and isinstance(value, str) else value
    flat = isinstance(several, (list, tuple)) and not any(isinstance(v, (list, dict)) for v in several)
    if not flat or len(set(several)) < len(several) or not all(isinstance(v, kind) for v in several):
        raise ValueError(f"must be {what}, not {value!r}")
    return tuple(several)


Filled = Annotated[str, Field(min_length=1)]
Names = Annotated[
    tuple[str, ...], BeforeValidator(partial(_different, what="a name or a list of different names", kind=str))
]
Several = Annotated[tuple[str, ...], BeforeValidator(partial(_different, what="a list of different names", kind=str))]
Values = Annotated[
    tuple[Any, ...],
    BeforeValidator(partial(_different, what="a list of different values, none of them a list or a table")),
]


@dataclass(frozen=True, config=KNOWN_KEYS)
class Claim:
    """What a paper says, as a query on one table of the results and a kind of test."""

    id: Filled
    text: Filled
    kind: Filled
    value: Filled
    source: str = ""
    table: str = ""
    where: str = ""
    x: Names = ()
    by: Names = ()
    series: str = ""
    compare: Values = ()
    at: Values = ()
    aggregate: str = ""
    paper: Any = None
    scales: Several = ("quick", "paper")
    needs_cores: StrictInt = 0
    needs_memory_gb: Annotated[float, Strict()] = 0
    reason: str = ""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Claim:
        kind, several = self.kind, isinstance(self.paper, list)
        if kind not in NUMBERS + TRENDS + PAIRS:
            raise ValueError(f"{unknown('kind', kind, NUMBERS + TRENDS + PAIRS)}")
        missing = [key for key in _NEEDED.get(kind, []) if getattr(self, key) in ("", (), None)]
        both = [name for name in self.by if name in self.x]
        paper = self._paper_must_be()
        for wrong, words in (
            (missing, f"kind {kind!r} lacks {listed(missing)}"),
            (both, f"{listed(both)} cannot be in x and in by; leave it out of one of them"),
            (self.aggregate and kind not in NUMBERS, f"aggregate leaves one value, and {kind!r} needs a curve"),
            (bool(self.series) != bool(self.compare), "series and compare belong together; one of them is missing"),
            (len(self.compare) not in (0, 2), f"compare must name two values, not {len(self.compare)}"),
            (self.compare and not self.x, "x must say which points of the two curves belong together"),
            (
                kind in ("rises", "falls") and len(self.x) != 1,
                f"x of {kind!r} must be one column; put the others into by",
            ),
            (paper, f"paper of {kind!r} must be {paper}, not {self.paper!r}"),
            (
                kind == "about" and several and (len(self.at) != len(self.paper) or len(self.x) != 1),
                "several paper values need one x and as many points in at",
            ),
            (
                self.at and not (kind == "about" and several),
                "at goes with kind 'about' and a list of paper values only",
            ),
        ):
            if wrong:
                raise ValueError(words)
        if self.aggregate and self.aggregate not in AGGREGATES:
            raise ValueError(f"{unknown('aggregate', self.aggregate, AGGREGATES)}")
        return self

    def _paper_must_be(self) -> str:
        """What the paper's value must be for the kind to compare with it; empty if it is."""
        paper, kind = self.paper, self.kind
        several = paper if isinstance(paper, list) else [paper]
        numbers = bool(several) and all(isinstance(p, (int, float)) and not isinstance(p, bool) for p in several)
        if kind == "between" and not (numbers and len(several) == 2 and several[0] <= several[1]):
            return "[low, high] with low at most high"
        if kind in ("at_most", "at_least") and not (numbers and several is not paper):
            return "a number"
        if kind == "about" and not (numbers and all(several)):
            return "a number other than 0, or a list of them"
        if kind == "zero" and paper not in (None, 0):
            return "0"
        return "words" if kind in TRENDS + PAIRS and paper is not None and not isinstance(paper, str) else ""


@dataclasses.dataclass(frozen=True)
class ClaimVerdict:
    """The verdict on a claim: one line of the scorecard."""

    id: str
    text: str
    source: str
    kind: str
    paper: str
    measured: str
    verdict: str
    reason: str = ""
    share: float | None = None
    points: int = 0
