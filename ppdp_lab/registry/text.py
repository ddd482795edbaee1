"""Members typed as text: ``KAnonymity(5) & DistinctLDiversity(3)``."""

from __future__ import annotations

import ast
import inspect
from functools import partial
from typing import Any

from ppdp_lab.errors import ParameterError
from ppdp_lab.registry.plain import Plain, find, make


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
        said = {str(k.arg): _build(k.value, text, depth + 1) for k in node.keywords}
        if inspect.isclass(called) and issubclass(called, Plain):
            return make(called, said, first)
        return partial(called, *first, **said)
    if isinstance(node, ast.Name):
        return find(node.id)
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(_build(item, text, depth) for item in node.elts)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise ParameterError(_unreadable(text, f"{ast.unparse(node)!r} is neither a name nor a value")) from None
