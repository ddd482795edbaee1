"""One kind of register for every family, and the plain form of what stands in it.

Principles, metrics, attacks, anonymizers, publishers, forms and data sets each have a :class:`Registry`. It says what
there is, under which name, made with which parameters, what each member accepts and promises, and which paper it comes
from; whatever lists or compares members (the command line, sweeps, tests) reads it.

Members that are made with parameters derive from :class:`Plain`: they can be written down as a name and parameters
(JSON, or text such as ``KAnonymity(5) & DistinctLDiversity(3)``) and come back from either.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from ppdp_lab.errors import ParameterError, check_choice, check_integer, check_number, listed, unknown

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
REQUIRED = inspect.Parameter.empty
FAMILIES: dict[str, Registry[Any]] = {}
"""All registries, by what one member is called: "principle", "metric", ..."""


def cast_cache(function: F) -> F:
    """``functools.cache`` that keeps the type of what it wraps."""
    return cast(F, cache(function))


# ---------------------------------------------------------------------- parameters
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
class Parameter:
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


# ---------------------------------------------------------------------- registries
@dataclass(frozen=True)
class Entry(Generic[T]):
    """One member of a family: what it is called and made with, what it accepts and promises, where it comes from."""

    name: str
    member: T
    parameters: tuple[Parameter, ...]
    accepts: str
    promises: str
    paper: str

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))}): {self.promises}"


class Registry(Mapping[str, T]):
    """All members of a family, by name; upper and lower case, blanks and dashes make no difference when one is looked up.

    >>> colours = Registry("colour")
    >>> @colours.add(accepts="light", promises="warmth", paper="none")
    ... class DarkRed:
    ...     '''A colour.'''
    >>> colours["dark red"] is DarkRed, list(colours), "blue" in colours
    (True, ['DarkRed'], False)
    >>> colours.entry("darkred").promises
    'warmth'
    >>> del FAMILIES["colour"]
    """

    def __init__(self, family: str) -> None:
        self.family = family
        self._entries: dict[str, Entry[T]] = {}
        FAMILIES[family] = self

    def add(
        self, name: str | None = None, *, accepts: str, promises: str, paper: str, parameters: Any = None
    ) -> Callable[[T], T]:
        """A decorator that enters a member, under its own name unless another is given."""

        def enter(member: T) -> T:
            called = name or getattr(member, "__name__", "") or str(getattr(member, "name", ""))
            if _key(called) in self._entries:
                raise ParameterError(f"there already is a {self.family} {called!r}; choose another name")
            said = parameters_of(member) if parameters is None else tuple(parameters)
            self._entries[_key(called)] = Entry(called, member, said, accepts, promises, paper)
            return member

        return enter

    @contextmanager
    def trying(self) -> Iterator[Registry[T]]:
        """Whatever is entered within the block leaves with it: for tests and for trying things out."""
        before = dict(self._entries)
        try:
            yield self
        finally:
            self._entries = before

    def entry(self, name: str) -> Entry[T]:
        """All that is said of a member; near misses are named for an unknown one."""
        found = self._entries.get(_key(name)) if isinstance(name, str) else None
        if found is None:
            raise unknown(self.family, name, list(self))
        return found

    def entries(self) -> list[Entry[T]]:
        """All members with what is said of them."""
        return list(self._entries.values())

    def __getitem__(self, name: str) -> T:
        return self.entry(name).member

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _key(name) in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter([entry.name for entry in self._entries.values()])

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} {self.family}s: {', '.join(self)}>"


def _key(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


# ---------------------------------------------------------------------- the plain form
class Plain:
    """Can be written down as a name and parameters, and is equal to whatever is written alike.

    A subclass keeps every parameter of its constructor under the parameter's name. Parameters named in :attr:`unsaid`
    only make it faster and are left out.

    >>> from ppdp_lab import KAnonymity
    >>> rule = KAnonymity(5)
    >>> rule.to_plain()
    {'name': 'KAnonymity', 'version': 1, 'parameters': {'k': 5}}
    >>> KAnonymity.from_plain(rule.to_plain()) == rule, rule.get_params()
    (True, {'k': 5})
    """

    version: ClassVar[int] = 1
    unsaid: ClassVar[tuple[str, ...]] = ()

    def get_params(self) -> dict[str, Any]:
        """Parameters by name, as they were given."""
        return {p.name: getattr(self, p.name) for p in parameters_of(type(self)) if p.name not in self.unsaid}

    def to_plain(self) -> dict[str, Any]:
        """Name, version and parameters, in a form that JSON can hold."""
        said = {name: _plain(value, f"{type(self).__name__}: {name}") for name, value in self.get_params().items()}
        return {"name": type(self).__name__, "version": self.version, "parameters": said}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """What :meth:`to_plain` wrote down, made anew."""
        made = revive(plain)
        if not isinstance(made, cls):
            raise ParameterError(f"this describes a {type(made).__name__}, not a {cls.__name__}")
        return made

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What a text such as ``KAnonymity(5)`` describes."""
        made = parse(text)
        if not isinstance(made, cls):
            raise ParameterError(f"{text!r} describes a {type(made).__name__}, not a {cls.__name__}")
        return made

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.get_params() == other.get_params()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self).__name__, repr(self.get_params())))

    def __repr__(self) -> str:
        """The call that makes it: parameters that differ from their defaults, required ones without their names."""
        shown = []
        for p in parameters_of(type(self)):
            value = getattr(self, p.name)
            if p.required and p.positional:
                shown.append(_text(value))
            elif p.name not in self.unsaid and not (type(value) is type(p.default) and value == p.default):
                shown.append(f"{p.name}={_text(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _text(value: Any) -> str:
    """A value as :func:`parse` reads it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_text, value))}]"
    return str(getattr(value, "name", value)) if _registered(value) else repr(value)


def _registered(value: Any) -> bool:
    """Whether a value is itself a member of some family, such as a metric."""
    return any(value is entry.member for family in FAMILIES.values() for entry in family.entries())


def _plain(value: Any, what: str) -> Any:
    if isinstance(value, Plain):
        return value.to_plain()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item, what) for item in value]
    if isinstance(value, partial) and _registered(value.func) and not value.args:
        return {"member": cast(Any, value.func).name, "with": _plain_dict(value.keywords, what)}
    if _registered(value):
        return {"member": value.name, "with": {}}
    raise ParameterError(
        f"{what} = {value!r} cannot be written down plainly; use numbers, text, lists, or members of the registries"
    )


def _plain_dict(values: Mapping[str, Any], what: str) -> dict[str, Any]:
    return {name: _plain(value, what) for name, value in values.items()}


def revive(plain: Any, kind: Any = None) -> Any:
    """What a plain form describes: the inverse of ``to_plain``, for values within it, too.

    ``kind`` is the class, where it is known and need not be looked up.
    """
    if isinstance(plain, list):
        return tuple(revive(item) for item in plain)
    if not isinstance(plain, Mapping):
        return plain
    if set(plain) == {"member", "with"}:
        member = _find(plain["member"])
        return partial(member, **plain["with"]) if plain["with"] else member
    if set(plain) != {"name", "version", "parameters"} or not isinstance(plain["parameters"], Mapping):
        raise ParameterError(f"not a plain form: it needs name, version and parameters, not {listed(plain)}")
    kind = kind or _find(plain["name"], made=True)
    if plain["version"] != kind.version:
        raise ParameterError(
            f"{plain['name']} was written in version {plain['version']!r} of its plain form; this package reads "
            f"{kind.version}; make it anew"
        )
    return make(kind, {name: revive(value) for name, value in plain["parameters"].items()})


def make(kind: Any, said: Mapping[str, Any], first: tuple[Any, ...] = ()) -> Any:
    """A member from parameters by name, and positional ones before them; unknown and missing ones are refused in words."""
    known = parameters_of(kind)
    names = [p.name for p in known]
    for name in said:
        if name not in names:
            raise ParameterError(str(unknown(f"parameter of {kind.__name__}:", name, names)))
    several = [p for p in known if p.several]
    if several:
        return kind(*first, *said.get(several[0].name, ()))
    if len(first) > len(names):
        raise ParameterError(f"{kind.__name__} takes {len(names)} parameter(s), not {len(first)}")
    given = dict(zip(names, first))
    twice = [name for name in given if name in said]
    missing = [p.name for p in known if p.required and p.name not in given and p.name not in said]
    if twice or missing:
        raise ParameterError(f"{kind.__name__}: {'given twice' if twice else 'missing'}: {listed(twice or missing)}")
    every = given | dict(said)
    bare = [every.pop(p.name) for p in known if p.required and p.positional]
    return kind(*bare, **every)


def _find(name: Any, *, made: bool = False) -> Any:
    """The member of that name, of whatever family; with ``made``, of those that are made with parameters."""
    entries = [entry for family in FAMILIES.values() for entry in family.entries()]
    known = [e for e in entries if not made or (inspect.isclass(e.member) and issubclass(e.member, Plain))]
    for entry in known:
        if isinstance(name, str) and _key(entry.name) == _key(name):
            return entry.member
    raise unknown("name", name, [entry.name for entry in known])


def parse(text: str) -> Any:
    """A member from its text: a call of registered names, numbers, text and lists; rules are joined by ``&``.

    >>> import ppdp_lab as pl
    >>> parse("KAnonymity(5) & DistinctLDiversity(l=3)")
    KAnonymity(5) & DistinctLDiversity(3)
    """
    if not isinstance(text, str):
        raise ParameterError(f"give the text of a call such as 'KAnonymity(5)', not {text!r}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ParameterError(_unreadable(text, "it is not complete")) from None
    return _build(tree, text)


def _unreadable(text: str, why: str) -> str:
    return f"cannot read {text!r}: {why}; write calls such as KAnonymity(5) & DistinctLDiversity(3)"


def _build(node: ast.expr, text: str, depth: int = 0) -> Any:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        sides = [_build(side, text, depth) for side in (node.left, node.right)]
        if not all(isinstance(side, Plain) and hasattr(side, "__and__") for side in sides):
            raise ParameterError(_unreadable(text, "only rules can be joined by &"))
        return sides[0] & sides[1]
    if isinstance(node, ast.BoolOp):
        raise ParameterError(_unreadable(text, "rules are joined by &, not by and / or"))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise ParameterError(_unreadable(text, "a star cannot be read"))
        called = _find(node.func.id, made=not depth)
        first = tuple(_build(argument, text, depth + 1) for argument in node.args)
        said = {str(k.arg): _build(k.value, text, depth + 1) for k in node.keywords}
        if inspect.isclass(called) and issubclass(called, Plain):
            return make(called, said, first)
        return partial(called, *first, **said)
    if isinstance(node, ast.Name):
        return _find(node.id)
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(_build(item, text, depth) for item in node.elts)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise ParameterError(_unreadable(text, f"{ast.unparse(node)!r} is neither a name nor a value")) from None


def to_json(plain: Any) -> str:
    """A plain form as one line of JSON, always written alike."""
    return json.dumps(plain, sort_keys=True, allow_nan=False)
