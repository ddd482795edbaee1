"""The plain form of what is made with parameters: a name and parameters, as JSON, and back."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np

from ppdp_lab.errors import ParameterError, listed, unknown
from ppdp_lab.registry.families import FAMILIES, key_of
from ppdp_lab.registry.parameters import enforce, parameters_of


class Plain:
    """Can be written down as a name and parameters, and is equal to whatever is written alike.

    A subclass keeps every parameter of its constructor under the parameter's name. A range or choices in a parameter's
    annotation (``k: Annotated[int, Within(at_least=1)]``) are enforced before the constructor runs. Parameters named in
    :attr:`not_serialized` only make it faster and are left out.

    >>> from ppdp_lab import KAnonymity
    >>> rule = KAnonymity(5)
    >>> rule.to_plain()
    {'name': 'KAnonymity', 'version': 1, 'parameters': {'k': 5}}
    >>> KAnonymity.from_plain(rule.to_plain()) == rule, rule.get_params()
    (True, {'k': 5})
    """

    version: ClassVar[int] = 1
    not_serialized: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Make every constructor enforce the ranges of its annotations, so that none repeats them."""
        super().__init_subclass__(**keywords)
        if "__init__" in vars(cls):
            cls.__init__ = enforce(cls.__init__)  # type: ignore[method-assign]

    def get_params(self) -> dict[str, Any]:
        """Parameters by name, as they were given."""
        return {p.name: getattr(self, p.name) for p in parameters_of(type(self)) if p.name not in self.not_serialized}

    def to_plain(self) -> dict[str, Any]:
        """Name, version and parameters, in a form that JSON can hold."""
        params = {name: written(value, f"{type(self).__name__}: {name}") for name, value in self.get_params().items()}
        return {"name": type(self).__name__, "version": self.version, "parameters": params}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """What :meth:`to_plain` wrote down, made anew."""
        made = from_plain(plain)
        if not isinstance(made, cls):
            raise ParameterError(f"this describes a {type(made).__name__}, not a {cls.__name__}")
        return made

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What a text such as ``KAnonymity(5)`` describes."""
        pass  # it makes what this module describes

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
            value = getattr(self, p.name, None)  # also of an object that is refused while it is made
            if p.required and p.positional:
                shown.append(_text(value))
            elif p.name not in self.not_serialized and not (type(value) is type(p.default) and value == p.default):
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
    if value is None or isinstance(value, (bool, int, float, str, Plain)):
        return False  # most parameters: no need to look through the registries whenever a repr is made
    return any(value is entry.member for family in FAMILIES.values() for entry in family.entries())


def written(value: Any, what: str) -> Any:
    """A value in a form that JSON can hold; refuses in words, about ``what``, one that cannot be written down."""
    if isinstance(value, Plain):
        return value.to_plain()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [written(item, what) for item in value]
    if isinstance(value, partial) and _registered(value.func) and not value.args:
        return {"member": cast(Any, value.func).name, "with": _plain_dict(value.keywords, what)}
    if _registered(value):
        return {"member": value.name, "with": {}}
    raise ParameterError(
        f"{what} = {value!r} cannot be written down plainly; use numbers, text, lists, or members of the registries"
    )


def _plain_dict(values: Mapping[str, Any], what: str) -> dict[str, Any]:
    return {name: written(value, what) for name, value in values.items()}


def from_plain(plain: Any, kind: Any = None) -> Any:
    """What a plain form describes: the inverse of ``to_plain``, for values within it, too.

    ``kind`` is the class, where it is known and need not be looked up.
    """
    if isinstance(plain, list):
        return tuple(from_plain(item) for item in plain)
    if not isinstance(plain, Mapping):
        return plain
    if set(plain) == {"member", "with"}:
        member = find(plain["member"])
        return partial(member, **plain["with"]) if plain["with"] else member
    if set(plain) != {"name", "version", "parameters"} or not isinstance(plain["parameters"], Mapping):
        raise ParameterError(f"not a plain form: it needs name, version and parameters, not {listed(plain)}")
    kind = kind or find(plain["name"], made=True)
    if plain["version"] != kind.version:
        raise ParameterError(
            f"{plain['name']} was written in version {plain['version']!r} of its plain form; this package reads "
            f"{kind.version}; make it anew"
        )
    return make(kind, {name: from_plain(value) for name, value in plain["parameters"].items()})


def make(kind: Any, params: Mapping[str, Any], first: tuple[Any, ...] = ()) -> Any:
    """A member from parameters by name, and positional ones before them; unknown and missing ones are refused in words."""
    known = parameters_of(kind)
    names = [p.name for p in known]
    for name in params:
        if name not in names:
            raise ParameterError(str(unknown(f"parameter of {kind.__name__}:", name, names)))
    several = [p for p in known if p.several]
    if several:
        return kind(*first, *params.get(several[0].name, ()))
    if len(first) > len(names):
        raise ParameterError(f"{kind.__name__} takes {len(names)} parameter(s), not {len(first)}")
    inputs = dict(zip(names, first))
    twice = [name for name in inputs if name in params]
    missing = [p.name for p in known if p.required and p.name not in inputs and p.name not in params]
    if twice or missing:
        raise ParameterError(f"{kind.__name__}: {'given twice' if twice else 'missing'}: {listed(twice or missing)}")
    every = inputs | dict(params)
    bare = [every.pop(p.name) for p in known if p.required and p.positional]
    return kind(*bare, **every)


def find(name: Any, *, made: bool = False) -> Any:
    """The member of that name, of whatever family; with ``made``, of those that are made with parameters."""
    entries = [entry for family in FAMILIES.values() for entry in family.entries()]
    known = [e for e in entries if not made or (inspect.isclass(e.member) and issubclass(e.member, Plain))]
    for entry in known:
        if isinstance(name, str) and key_of(entry.name) == key_of(name):
            return entry.member
    raise unknown("name", name, [entry.name for entry in known])


def to_json(plain: Any) -> str:
    """A plain form as one line of JSON, always written alike."""
    return json.dumps(plain, sort_keys=True, allow_nan=False)


# --------------------------------------------------------------------
# Members typed as text: ``KAnonymity(5) & DistinctLDiversity(3)``.


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
        called = find(node.func.id, made=not depth)
        first = tuple(_build(argument, text, depth + 1) for argument in node.args)
        params = {str(k.arg): _build(k.value, text, depth + 1) for k in node.keywords}
        if inspect.isclass(called) and issubclass(called, Plain):
            return make(called, params, first)
        return partial(called, *first, **params)
    if isinstance(node, ast.Name):
        return find(node.id)
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(_build(item, text, depth) for item in node.elts)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise ParameterError(_unreadable(text, f"{ast.unparse(node)!r} is neither a name nor a value")) from None
