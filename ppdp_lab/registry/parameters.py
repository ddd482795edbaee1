"""Parameters of members: their types and ranges, read off constructors and functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, wraps
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from ppdp_lab.errors import ParameterError, check_choice, check_integer, check_number, check_seed, listed
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
class SeedRange(Within):
    """The range of a :data:`Seed`."""

    def check(self, name: str, value: Any, kind: type) -> int | None:
        """The value, or a refusal that names the range."""
        return check_seed(value)


@dataclass(frozen=True)
class OneOf:
    """The choices of a text parameter: ``cut: Annotated[str, OneOf("median", "any")]``.

    ``OneOf(FORMS)`` takes the names from a registry, including members that are added to it later.
    """

    source: Iterable[str]

    def __init__(self, *choices: str | Iterable[str]) -> None:
        only = choices[0] if len(choices) == 1 else choices
        object.__setattr__(self, "source", choices if isinstance(only, str) else only)

    @property
    def choices(self) -> tuple[str, ...]:
        """All values that are allowed at present."""
        return tuple(self.source)

    def check(self, name: str, value: Any, kind: type) -> str:
        """The value, or a refusal that names the choices."""
        return check_choice(name, value, self.choices)

    def __str__(self) -> str:
        return f"one of {listed(self.choices)}"


Seed = Annotated[int, SeedRange(at_least=0)] | None
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


def enforce(function: F) -> F:
    """Check and convert the arguments whose annotation has a range or choices before the function runs.

    Defaults are not checked. The signature and the docstring stay those of the function.

    >>> @enforce
    ... def share(k: Annotated[int, Within(at_least=1)]) -> float:
    ...     return 1 / k
    >>> share(4)
    0.25
    >>> share(0)
    Traceback (most recent call last):
    ppdp_lab.errors.ParameterError: k must be at least 1, not 0
    """

    @wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        positional, limited = _limited(function)
        if limited:
            args = (
                tuple(
                    [limited[name].check(value) if name in limited else value for name, value in zip(positional, args)]
                )
                + args[len(positional) :]
            )
            for name in limited.keys() & keywords.keys():
                keywords[name] = limited[name].check(keywords[name])
        return function(*args, **keywords)

    return cast(F, checked)


@cast_cache
def _limited(function: Any) -> tuple[list[str], dict[str, Parameter]]:
    """Names of the arguments that may be positional, in order, and all parameters that have a range or choices."""
    arguments, hints = inspect.signature(function).parameters.values(), _hints(function)
    positional = [p.name for p in arguments if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    parameters = [_parameter(p, hints) for p in arguments]
    return positional, {p.name: p for p in parameters if p.limits is not None}


def _hints(function: Any) -> dict[str, Any]:
    function = inspect.unwrap(function)
    try:
        return get_type_hints(function, include_extras=True)
    except (
        NameError,
        TypeError,
    ):  # a name that is imported for type checkers only: read the other annotations one by one
        found: dict[str, Any] = {}
        for name, hint in getattr(function, "__annotations__", {}).items():
            with suppress(NameError, TypeError):
                one = SimpleNamespace(__annotations__={name: hint})
                found |= get_type_hints(one, function.__globals__, include_extras=True)
        return found


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
