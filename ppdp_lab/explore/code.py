"""The Python behind a picture, as text that runs on its own."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import ppdp_lab


def script(*lines: str, imports: tuple[str, ...] = ()) -> str:
    """Lines of code below the imports that they need: public names of the package are found, others are given.

    >>> print(script("release = Mondrian(KAnonymity(5)).anonymize(table)"))
    from ppdp_lab import KAnonymity, Mondrian
    <BLANKLINE>
    release = Mondrian(KAnonymity(5)).anonymize(table)
    """
    body = "\n".join(lines)
    words = [node for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)]
    defined = {node.id for node in words if isinstance(node.ctx, ast.Store)}
    offered = {*ppdp_lab.__all__, "plotting", "explore"} - {"table"}  # a room, but here always a variable
    names = sorted({node.id for node in words} & offered - defined, key=_like_isort)
    first = textwrap.fill(f"from ppdp_lab import {', '.join(names)}", 10_000) if names else ""
    return "\n".join([*filter(None, [*imports, first]), "", body])


def _like_isort(name: str) -> tuple[int, str]:
    """CONSTANTS, then Classes, then functions and modules."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def call(function: str, **keywords: Any) -> str:
    """The text of a call with keywords.

    >>> call("draw", k=3, name="age")
    "draw(k=3, name='age')"
    """
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in keywords.items())})"
