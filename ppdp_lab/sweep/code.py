"""Which version of a user's function it is: a hash of what it and its helpers do, so that a changed one is run again."""

from __future__ import annotations

import functools
import inspect
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError
from ppdp_lab.lab.catalogue import PACKAGE
from ppdp_lab.lab.identity import digest
from ppdp_lab.sweep.grid import spelled

_NOT_DOING = {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__"}
_HOMES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def installed(module: str | None) -> bool:
    """Whether a module is this package or comes from an installed one: their versions are known without reading them."""
    found = sys.modules.get(module or "")
    file = getattr(found, "__file__", None)
    if file is None:
        return module != "__main__" and (module or "") in sys.stdlib_module_names | {"ppdp_lab"}
    return _at_home(file)


def _at_home(file: str) -> bool:
    return Path(file).is_relative_to(PACKAGE) or file.startswith((*_HOMES, "<frozen "))


def code_hash(function: Any) -> str:
    """A hash of a function's code, of whatever it calls outside installed packages, and of the plain values it uses.

    Comments and line breaks do not matter. What is neither a function, a class, a plain value nor a table of values (an open
    file, say) counts by its type only.

    >>> def loss(k): return k / 10
    >>> def same(k):
    ...     return k / 10  # as above
    >>> def other(k): return k / 20
    >>> code_hash(loss) == code_hash(same), code_hash(loss) == code_hash(other)
    (True, False)
    """
    return digest(_said(function, set()))


def _said(thing: Any, seen: set[int]) -> Any:
    """What a thing amounts to, in a form that JSON can hold; a thing that is met again is named only."""
    if isinstance(thing, functools.partial):
        return [_said(part, seen) for part in (thing.func, thing.args, thing.keywords)]
    if isinstance(thing, (list, tuple)):
        return [_said(item, seen) for item in thing]
    if isinstance(thing, dict):
        return {str(key): _said(value, seen) for key, value in thing.items()}
    if isinstance(thing, (set, frozenset)):
        return sorted(digest(_said(item, seen)) for item in thing)
    if inspect.ismethod(thing):
        return [_said(thing.__func__, seen), _said(thing.__self__, seen)]
    if isinstance(thing, ModuleType):
        return _module(thing)
    thing = getattr(thing, "py_func", thing)  # of what numba compiles
    if callable(thing) and hasattr(thing, "__wrapped__"):
        return [_said(inspect.unwrap(thing), seen)]
    if inspect.isclass(thing) or isinstance(thing, FunctionType):
        name = f"{thing.__module__}.{thing.__qualname__}"
        # A function by its file: one that is typed in a doctest or pasted into a notebook says it is of another module.
        if _at_home(thing.__code__.co_filename) if isinstance(thing, FunctionType) else installed(thing.__module__):
            return name
        if id(thing) in seen:
            return thing.__qualname__
        seen.add(id(thing))
        return _function(thing, seen) if isinstance(thing, FunctionType) else _class(thing, seen)
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return [str(thing.dtype), thing.shape, digest(np.ascontiguousarray(thing).tobytes().hex())]
    if isinstance(thing, (pd.DataFrame, pd.Series, pd.Index)):
        return [type(thing).__name__, pd.util.hash_pandas_object(thing).tolist()]
    try:
        return spelled(thing, "value")
    except ParameterError:
        kind = type(thing)
        return _said(kind, seen) if not installed(kind.__module__) else f"{kind.__module__}.{kind.__qualname__}"


def _function(function: FunctionType, seen: set[int]) -> Any:
    codes = list(_codes(function.__code__))
    used = {name for code in codes for name in code.co_names if name in function.__globals__}
    cells = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
    return {
        "code": [_code(code) for code in codes],
        "defaults": _said([function.__defaults__, function.__kwdefaults__], seen),
        "uses": {name: _said(function.__globals__[name], seen) for name in sorted(used)},
        "holds": _said(cells, seen),
    }


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # of a name that is assigned later
        return False


def _class(kind: type, seen: set[int]) -> Any:
    own = {name: value for name, value in vars(kind).items() if name not in _NOT_DOING}
    plain = (FunctionType, classmethod, staticmethod, property, functools.cached_property, int, float, str, tuple)
    methods = {
        name: _said(_unwrapped(value), seen)
        for name, value in sorted(own.items())
        if isinstance(value, plain) or hasattr(value, "__wrapped__")  # such as a method under functools.cache
    }
    return [methods, [_said(parent, seen) for parent in kind.__bases__]]


def _unwrapped(value: Any) -> Any:
    """The function in a class method, static method or property; anything else as it is."""
    inside = {property: "fget", functools.cached_property: "func"}.get(type(value), "__func__")
    return getattr(value, inside, value)


def _module(module: ModuleType) -> Any:
    file = getattr(module, "__file__", None)
    if installed(module.__name__) or file is None:
        return module.__name__
    return [module.__name__, digest(Path(file).read_bytes().hex())]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _code(code: CodeType) -> Any:
    constants = [c for c in code.co_consts if not isinstance(c, CodeType)]
    kept = [sorted(map(repr, c)) if isinstance(c, frozenset) else repr(c) for c in constants]
    return [code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, kept]
