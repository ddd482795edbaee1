"""Parameters of members: their types and ranges, read off constructors and functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from ppdp_lab.errors import ParameterError, check_choice, check_integer, check_number, listed
from ppdp_lab.text import OneLine

F = TypeVar("F", bound=Callable[..., Any])
REQUIRED = inspect.Parameter.empty


def cast_cache(function: F) -> F:
    """``functools.cache`` that keeps the type of what it wraps."""
    return cast(F, cache(function))


@dataclass(frozen=True)
class Within:
    """The range of a number, written beside its type: ``k: Annotated[int, Within(at_least=1)]``."""

    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None

    def check(self, name: str, value: Any, kind: type) -> Any:
        """The value, or a refusal that names the range."""
        if kind is int:
            low = None if self.at_least is None else int(self.at_least)
            high = None if self.at_most is None else int(self.at_most)
            return check_integer(name, value, at_least=low, at_most=high)
        return check_number(name, value, above=self.above, at_least=self.at_least, at_most=self.at_most)

    def __str__(self) -> str:
        parts = [] if self.above is None else [f"above {self.above:g}"]
        parts += [] if self.at_least is None else [f"at least {self.at_least:g}"]
        parts += [] if self.at_most is None else [f"at most {self.at_most:g}"]
        return ", ".join(parts)


@dataclass(frozen=True)
class OneOf:
    """The choices of a text parameter: ``cut: Annotated[str, OneOf("median", "any")]``."""

    choices: tuple[str, ...]

    def __init__(self, *choices: str) -> None:
        object.__setattr__(self, "choices", choices)

    def check(self, name: str, value: Any, kind: type) -> str:
        """The value, or a refusal that names the choices."""
        return check_choice(name, value, self.choices)

    def __str__(self) -> str:
        return f"one of {listed(self.choices)}"


Seed = Annotated[int, Within(at_least=0)] | None
"""None, the system's entropy, for publications; a number for what shall be reproducible, and is then not private."""


@dataclass(frozen=True)
class Parameter(OneLine):
    """One parameter of a member: name, type, default (:data:`REQUIRED` if it has none) and range."""

    name: str
    type: str
    default: Any
    limits: Within | OneOf | None = None
    positional: bool = False
    several: bool = False

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED and not self.several

    def check(self, value: Any) -> Any:
        """The value, or a refusal in words; types other than numbers, text and truth values are let through.

        >>> Parameter("k", "int", REQUIRED, Within(at_least=1)).check(5)
        5
        """
        kinds = set(re.findall(r"\w+", self.type))
        if value is None and (kinds & {"None", "Optional"} or self.default is None):
            return value
        kinds -= {"None", "Optional"}
        if self.limits is not None:
            return self.limits.check(self.name, value, int if "int" in kinds else float)
        if kinds == {"int"}:
            return check_integer(self.name, value)
        if kinds in ({"float"}, {"int", "float"}):
            return check_number(self.name, value)
        for kind, must in ((bool, "True or False"), (str, "text")):
            if kinds == {kind.__name__} and not isinstance(value, kind):
                raise ParameterError(f"{self.name} must be {must}, not {value!r} ({type(value).__name__})")
        return value

    def __str__(self) -> str:
        default = "" if self.default is REQUIRED else f" = {self.default!r}"
        return f"{self.name}: {self.type}{default}" + (f" ({self.limits})" if self.limits else "")


@cast_cache
def parameters_of(member: Any) -> tuple[Parameter, ...]:
    """What a class or function is made or called with; a function's first arguments, its data, are left out.

    What a constructor takes as ``**keywords`` are the parameters of its parent.
    """
    if not inspect.isclass(member):
        said = list(inspect.signature(member).parameters.values())
        return tuple(_parameter(p, _hints(member)) for p in said if p.kind is p.KEYWORD_ONLY)
    found: dict[str, Parameter] = {}
    for parent in member.__mro__:
        if "__init__" not in vars(parent):
            continue
        start = vars(parent)["__init__"]
        said = list(inspect.signature(start).parameters.values())[1:]
        hints = _hints(start)
        for p in said:
            if p.kind is not p.VAR_KEYWORD and p.name not in found:
                found[p.name] = _parameter(p, hints)
        if all(p.kind is not p.VAR_KEYWORD for p in said):
            break
    return tuple(found.values())


def arguments_of(function: Any) -> tuple[Parameter, ...]:
    """All that a function takes by name, its data included.

    >>> def loss(k: Annotated[int, Within(at_least=1)], *, seed: int = 0, **more): ...
    >>> [str(p) for p in arguments_of(loss)]
    ['k: int (at least 1)', 'seed: int = 0']
    """
    said = inspect.signature(function).parameters.values()
    return tuple(_parameter(p, _hints(function)) for p in said if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))


def _hints(function: Any) -> dict[str, Any]:
    try:
        return get_type_hints(inspect.unwrap(function), include_extras=True)
    except (NameError, TypeError):  # a name that is imported for type checkers only
        return {}


def _parameter(p: inspect.Parameter, hints: dict[str, Any]) -> Parameter:
    hint, limits = hints.get(p.name, p.annotation), None
    for part in (hint, *get_args(hint)):  # Annotated itself, or within "... | None"
        if get_origin(part) is Annotated:
            limits = next((x for x in get_args(part)[1:] if isinstance(x, (Within, OneOf))), None)
    positional = p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    return Parameter(p.name, _words(hint), p.default, limits, positional, p.kind is p.VAR_POSITIONAL)


def _words(hint: Any) -> str:
    """A type as a reader would write it."""
    if get_origin(hint) is Annotated:
        return _words(get_args(hint)[0])
    if isinstance(hint, str):
        return hint
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    text = re.sub(r"typing\.Annotated\[([\w.]+),[^\]]*\]", r"\1", str(hint))
    return re.sub(r"(\w+\.)+", "", text).replace("NoneType", "None")
