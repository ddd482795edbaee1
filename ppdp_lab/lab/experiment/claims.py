"""Claims of papers: what an experiment file says about each, and what the verdict on one holds."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, Strict, StrictInt, model_validator
from pydantic.dataclasses import dataclass

from ppdp_lab.errors import listed
from ppdp_lab.registry import OneLine

NUMBERS = ("between", "at_most", "at_least", "about", "zero")
TRENDS = ("rises", "falls", "flat")
PAIRS = ("below", "above", "close")
AGGREGATES = ("mean", "median", "min", "max", "sum")
_NEEDED = {"between": ["paper"], "at_most": ["paper"], "at_least": ["paper"], "about": ["paper"]}
_NEEDED |= {"rises": ["x"], "falls": ["x"]} | {kind: ["series", "compare", "x"] for kind in PAIRS}

HOLDS, FAILS, NOTHING = "holds", "does not hold", "nothing to judge"
NOT_TESTED, NOT_MEASURABLE = "not tested at this scale", "not measurable on this machine"

KNOWN_KEYS = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)


def _several(what: str, kind: type = object) -> BeforeValidator:
    """A list of different values of a kind; one name is a list, too, where it may be."""

    def check(value: Any) -> tuple[Any, ...]:
        several = [value] if what.startswith("a name") and isinstance(value, str) else value
        flat = isinstance(several, (list, tuple)) and not any(isinstance(v, (list, dict)) for v in several)
        if not flat or len(set(several)) < len(several) or not all(isinstance(v, kind) for v in several):
            raise ValueError(f"must be {what}, not {value!r}")
        return tuple(several)

    return BeforeValidator(check)


Filled = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[str, ...], _several("a name or a list of different names", str)]
Values = Annotated[tuple[Any, ...], _several("a list of different values, none of them a list or a table")]


@dataclass(frozen=True, config=KNOWN_KEYS)
class Reason(OneLine):
    """Why a claim does not hold, and what the run had measured for which that was written."""

    text: Filled
    measured: str = ""


def _reasons(value: Any) -> Any:
    """A bare text is a reason that nobody has tied to a run."""
    return [{"text": value}] if isinstance(value, str) and value else value or ()


@dataclass(frozen=True, config=KNOWN_KEYS)
class Claim(OneLine):
    """What a paper says, as a query on one table of the results and a kind of test."""

    id: Filled
    text: Filled
    kind: Literal[NUMBERS + TRENDS + PAIRS]  # type: ignore[valid-type]
    value: Filled
    source: str = ""
    table: str = ""
    where: str = ""
    x: Names = ()
    by: Names = ()
    series: str = ""
    compare: Values = ()
    at: Values = ()
    aggregate: Literal["", *AGGREGATES] = ""  # type: ignore[valid-type]
    paper: Any = None
    scales: Annotated[tuple[str, ...], _several("a list of different names", str)] = ("quick", "paper")
    needs_cores: StrictInt = 0
    needs_memory_gb: Annotated[float, Strict()] = 0
    void: str = ""
    reason: Annotated[tuple[Reason, ...], BeforeValidator(_reasons)] = ()

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Claim:
        kind, x, compare = self.kind, self.x, self.compare
        missing = [key for key in _NEEDED.get(kind, []) if getattr(self, key) in ("", (), None)]
        both = [name for name in self.by if name in x]
        points = self.paper if kind == "about" and isinstance(self.paper, list) else ()
        for wrong, words in (
            (missing, f"kind {kind!r} lacks {listed(missing)}"),
            (both, f"{listed(both)} cannot be in x and in by; leave it out of one of them"),
            (self.aggregate and kind not in NUMBERS, f"aggregate leaves one value, and {kind!r} needs a curve"),
            (
                self.void and (self.aggregate or kind in TRENDS),
                f"void names points, and {self.aggregate or kind!r} has none",
            ),
            (bool(self.series) != bool(compare), "series and compare belong together; one of them is missing"),
            (len(compare) not in (0, 2), f"compare must name two values of {self.series!r}, not {len(compare)}"),
            (compare and not x, "x must say which points of the two curves belong together"),
            (kind in TRENDS[:2] and len(x) != 1, f"x of {kind!r} must be one column; put the others into by"),
            (must := self._paper_must_be(), f"paper of {kind!r} must be {must}, not {self.paper!r}"),
            (self.at and not points, "at goes with kind 'about' and a list of paper values only"),
            (
                points and (len(x), len(self.at)) != (1, len(points)),
                f"{len(points)} paper values need one x and as many points in at",
            ),
        ):
            if wrong:
                raise ValueError(words)
        return self

    def _paper_must_be(self) -> str:
        """What the paper's value must be for the kind to compare with it; empty if it is."""
        paper, kind = self.paper, self.kind
        several = paper if isinstance(paper, list) else [paper]
        numbers = bool(several) and all(type(p) in (int, float) for p in several)
        low_high = numbers and len(several) == 2 and several[0] <= several[1]
        wrong = {
            "[low, high] with low at most high": kind == "between" and not low_high,
            "a number": kind in ("at_most", "at_least") and (not numbers or several is paper),
            "a number other than 0, or a list of them": kind == "about" and not (numbers and all(several)),
            "0": kind == "zero" and paper not in (None, 0),
            "words": kind in TRENDS + PAIRS and not isinstance(paper, str | None),
        }
        return next((must for must, is_wrong in wrong.items() if is_wrong), "")


@dataclasses.dataclass(frozen=True)
class ClaimVerdict(OneLine):
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
