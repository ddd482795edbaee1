"""The recipes of docs/extending.md: their code blocks, and what comes of them when somebody follows one."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from ppdp_lab.registry import Registry

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BEFORE, *_PARTS = re.split(r"^## (.+)\n", TEXT, flags=re.MULTILINE)
RECIPES = dict(zip(_PARTS[::2], _PARTS[1::2], strict=True))


def blocks(text: str, language: str = "python") -> list[str]:
    """The code blocks of a text in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


(IMPORTS,) = blocks(BEFORE)
"""What all recipes import, said once before the first of them."""


@contextmanager
def followed(name: str, family: Registry) -> Iterator[ModuleType]:
    """A module that holds what a recipe says, for as long as the family tries it out."""
    (code,) = blocks(RECIPES[name])
    module = ModuleType("recipe_" + name.replace(" ", "_"))
    before = set(family)
    sys.modules[module.__name__] = module  # dataclasses look up the module that they are defined in
    try:
        with family.trying():
            exec(compile(IMPORTS + code, f"docs/extending.md: {name}", "exec"), vars(module))
            assert len(set(family) - before) == 1, f"the recipe for {name} enters nothing"
            yield module
        assert set(family) == before
    finally:
        del sys.modules[module.__name__]
