"""Claims of papers: what an experiment file says about each, and what the verdict on one holds."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StrictBool,
    StrictFloat,
    StrictInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass

from ppdp_lab.errors import DataFileError, ParameterError, check_choice, check_integer, check_number, listed, unknown
from ppdp_lab.lab.parameters import defined
from ppdp_lab.text import OF_THE_DATA, TYPES, OneLine, placeholders

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
    about: Names = ()
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


# --------------------------------------------------------------------
# Ranges of parameters: what an experiment file says of the values that a notebook can work with.


Bound = StrictInt | StrictFloat | None


@dataclass(frozen=True, config=KNOWN_KEYS)
class Range(OneLine):
    """The values that a parameter may have; of a list every value, and it must have one.

    Bounds that are whole numbers ask for whole numbers: ``at_least = 0`` refuses 0.5, ``at_least = 0.0`` does not.

    >>> Range(at_least=2).check("ks", [5, 1])
    Traceback (most recent call last):
    ppdp_lab.errors.ParameterError: every value of ks must be at least 2, not 1
    """

    at_least: Bound = None
    at_most: Bound = None
    above: Bound = None
    one_of: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> None:
        """Refuse a value outside; None is whatever the scale says."""
        if value is None:
            return
        if not isinstance(value, list):
            self._check_one(name, value)
            return
        if not value:
            raise ParameterError(f"{name} is an empty list; give it a value, or leave {name} out")
        for one in value:
            self._check_one(f"every value of {name}", one)

    def _check_one(self, name: str, value: Any) -> None:
        if self.one_of:
            check_choice(name, value, self.one_of)
            return
        bounds = {"at_least": self.at_least, "at_most": self.at_most}
        if self.above is None and all(bound is None or isinstance(bound, int) for bound in bounds.values()):
            check_integer(name, value, **bounds)  # type: ignore[arg-type]
        else:
            check_number(name, value, above=self.above, **bounds)

    def __str__(self) -> str:
        if self.one_of:
            return " or ".join(self.one_of)
        parts = [] if self.above is None else [f"above {self.above:g}"]
        parts += [] if self.at_least is None else [f"{self.at_least:g} or more"]
        parts += [] if self.at_most is None else [f"{self.at_most:g} at most"]
        return ", ".join(parts)


def check_all(ranges: Mapping[str, Range], values: Mapping[str, Any]) -> None:
    """Refuse the first value that is outside the range of its parameter."""
    for name, allowed in ranges.items():
        allowed.check(name, values.get(name))


# --------------------------------------------------------------------
# Experiment files: one TOML says which notebook runs, at which scales, which figures come out and what is claimed.
#
# An example with everything in it::
#
# name = "utility"                          # also the name of its folder under results/
# title = "What k costs"
# paper = "mondrian"                        # optional: where figures and claims come from
# notebook = "notebooks/utility.ipynb"      # relative to this folder, or to the folder that holds experiments/
# exclusive = false                         # true for anything that measures time: it then runs alone
# plan = "measure.py:plan"                  # this is the default, if measure.py defines it; the runner calls it before the
# # notebook starts, and it raises an error for a table that is too small
#
# [scale.tiny]                              # optional, for tests; claims skip it unless they name it
# rows = 500
# [scale.quick]                             # values for the notebook's `parameters` cell; parameters left out keep their
# rows = 5000                               # default. A notebook with a parameter `scale` reads those that are None there
# [scale.paper]                             # itself, by its plan, and reduces them to fit the data
# ks = [2, 5, 10, 20, 50, 100]
#
# [range]                                   # optional: what the notebook's parameters may be; refused before it starts
# ks = { at_least = 2 }                     # of a list every value; whole numbers, unless a bound has a decimal point
# t = { above = 0.0, at_most = 1.0 }
# divide = { one_of = ["always", "never"] }
#
# [[figure]]
# name = "loss"
# caption = "Loss of {dataset} against k, l = {l}."   # filled with parameters, and with {sensitive}, {quasi_identifiers}
# source = "Figure 3"                       # optional: what it redraws
# data = "worked example"                   # optional: named in the caption in place of the run's data
# draw = "figures.py:loss"                  # this is the default: the function of that name in figures.py beside this file
#
# [[claim]]
# id = "loss-at-10"
# text = "At k = 10 Mondrian loses between 5 and 9 percent."      # in your own words
# source = "Figure 3"                       # optional
# about = ["Mondrian", "gcp"]               # optional: which members of the registries it is about, for the documentation
# kind = "between"
# table = "grid"                            # which result table it reads; may be left out if there is only one
# where = "method == 'mondrian' and k == 10"      # optional: a pandas query on that table
# value = "loss"                            # a column, or an expression over columns such as "time / units"
# paper = [0.05, 0.09]
# scales = ["paper"]                        # optional: where it can be tested; quick and paper unless said
# needs_cores = 4                           # optional, as is needs_memory_gb: else "not measurable on this machine"
# void = "divided == 0"                     # optional: rows that say nothing; a point of such rows only is never a win
#
# [[claim.reason]]                          # optional: why it does not hold, written after looking at a run
# measured = "0.04 to 0.11 (3 of 4 points)"       # what that run's scorecard said; a run that differs says so
# text = "..."
#
# Which keys a claim needs beside ``id``, ``text``, ``kind`` and ``value`` depends on its kind:
#
# =============================  =============================================================================================
# between                        ``paper = [low, high]``
# at_most, at_least              ``paper = number``
# about                          ``paper = number``; or ``x``, ``at = [...]`` and ``paper = [...]``, one number for each point
# zero                           nothing
# rises, falls                   ``x``: the axis of the curve
# flat                           nothing; ``x`` and ``by`` if there are several curves
# below, above, close            ``series`` (a column) and ``compare = [first, second]`` (two of its values): the first curve
# is below / above / close to the second; ``x`` tells which points belong together
# =============================  =============================================================================================
#
# ``x`` and ``by`` are a column or a list of columns. Rows that agree on all of them are repetitions and are averaged; each
# combination of ``by`` is a curve of its own, and a claim holds if it holds for every curve and every point. ``series`` and
# ``compare`` with any other kind test the ratio first / second. ``aggregate`` (mean, median, min, max, sum) first reduces all
# selected values to one.


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


# --------------------------------------------------------------------
# Reading an experiment file: every complaint names the file, the entry, and what to write instead.


_MODELS: dict[Any, Any] = {"": Experiment, "figure": FigureEntry, "claim": Claim}
FILE = "experiment.toml"


def read(path: str | Path) -> Experiment:
    """Read and check an experiment file, named by its path or by its folder's; the comment above describes its form."""
    path = Path(path)
    path = path / FILE if path.is_dir() else path
    if not path.is_file():
        raise DataFileError(f"no experiment file {str(path)!r}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"{short_name(path)}: not a TOML file: {error}") from None
    try:
        found = TypeAdapter(Experiment).validate_python(content | {ITSELF: path}, by_alias=True, by_name=False)
        figures = [replace(f, draw=f.draw or f"figures.py:{f.name.replace('-', '_')}") for f in found.figures]
        found = replace(found, notebook=_notebook(found.notebook, path), figures=tuple(figures))
        _check_captions(found)
        return found
    except ValidationError as error:
        raise DataFileError(_in_words(error, content, short_name(path))) from None


def short_name(path: Path) -> str:
    """How messages name an experiment file: every experiment's is called the same, so its folder tells them apart."""
    return f"{path.resolve().parent.name}/{FILE}" if path.name == FILE else path.name


def _notebook(name: Path, path: Path) -> Path:
    here = path.resolve().parent
    for folder in (here, here.parent.parent):  # beside the file, or in a folder next to experiments/
        if (folder / name).is_file():
            return (folder / name).resolve()
    raise DataFileError(
        f"{short_name(path)}: no notebook {str(name)!r} in {here} or {here.parent.parent}; correct the path under notebook"
    )


def _check_captions(experiment: Experiment) -> None:
    """Refuse a caption that speaks of a parameter which the notebook does not have."""
    for figure in experiment.figures:
        where = f"{short_name(experiment.path)}, figure {figure.name}"
        for text in (figure.caption, figure.data):
            try:
                names = placeholders(text)
            except ValueError as error:
                raise DataFileError(f"{where}: its caption has a brace too many, or too few ({error})") from None
            known = [*defined(experiment.notebook), *OF_THE_DATA] if names else []
            strange = [name for name in names if name not in known]
            if strange:
                raise DataFileError(f"{where}: {unknown('placeholder', strange[0], known)}")


def _in_words(error: ValidationError, content: Any, where: str) -> str:
    """The first fault, and where it is; all that is missing in one place is named at once."""
    faults = error.errors()
    missing = ("missing", "string_too_short")
    fault = next((f for f in faults if f["type"] not in missing), faults[0])
    place: list[Any] = list(fault["loc"])
    kind, model = fault["type"], _MODELS[""]
    if len(place) > 1 and place[0] in _MODELS:
        what, number, *place = place
        model, entry = _MODELS[what], content[what][number]
        name = isinstance(entry, dict) and (entry.get("name") or entry.get("id"))
        where += f", {what} {name or number + 1}"
    if place[:1] == ["reason"] and len(place) > 2:
        model, where, place = Reason, f"{where}, reason {place[1] + 1}", place[2:]
    if place[:1] == ["range"] and len(place) > 2:
        model, where, place = Range, f"{where}, range {place[1]}", place[2:3]
    if kind in missing:
        keys = [f["loc"][-1] for f in faults if f["type"] in missing and f["loc"][:-1] == fault["loc"][:-1]]
        return f"{where} lacks {listed(keys)}"
    key = " ".join(map(str, place))
    if kind == "unexpected_keyword_argument":
        known = {field.validation_alias or name for name, field in model.__pydantic_fields__.items()}
        return f"{where}: {unknown('key', key, known - {ITSELF})}"
    if kind == "literal_error":
        known = set(re.findall(r"'(\w+)'", fault["ctx"]["expected"]))
        return f"{where}: {unknown(key, fault['input'], known)}"
    must = TYPES.get(kind.removesuffix("_type"))
    words = f"must be {must}, not {fault['input']!r}" if must else str(fault["ctx"]["error"])
    return f"{where}: {key} {words}" if key else f"{where}: {words}"
