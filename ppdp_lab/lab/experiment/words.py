"""Words of experiment files: types as a reader knows them, and what a caption may be filled with."""

from __future__ import annotations

from string import Formatter

# Types in words: Python's names of them, and where they differ those of pydantic's errors.
TYPES = {"str": "text", "bool": "true or false", "int": "a whole number", "float": "a number", "list": "a list"}
TYPES |= {"dict": "a table", "string": "text", "path": "text", "tuple": "a list", "dataclass": "a table"}

# What a run's data tell by themselves; everything else in braces is a parameter of the notebook.
OF_THE_DATA = ("sensitive", "quasi_identifiers")


def placeholders(text: str) -> list[str]:
    """The names in braces; a brace itself is written twice.

    >>> placeholders("{m} of {{cancer, flu}}, {sensitive}")
    ['m', 'sensitive']
    """
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]
