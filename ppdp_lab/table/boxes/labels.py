"""Boxes as text, and back: what a reader of a published file can undo without a guess."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ppdp_lab.table.domain import SET, Domain
from ppdp_lab.table.schema import MISSING

OR_MISSING = f" or {MISSING}"  # ends the text of an interval that takes in the missing value, too


def marks(domain: Domain) -> tuple[str, str]:
    """What stands between the values of a box and around them: numbers as [1, 2], names as [low .. high] or {a, b}."""
    if domain.kind == SET:
        return ", ", "{}"
    # Text may hold commas, numbers do not; two dots rarely stand in a name, and where they do it is quoted.
    return (", " if domain.positions is not None else " .. "), "[]"


def join(names: Sequence[str], domain: Domain) -> str:
    """A box's values as one text; a value that could be mistaken for several stands in quotes.

    >>> import pandas as pd
    >>> domain, _ = Domain.of(pd.Series(["a", "b, c"]))
    >>> join(["a"], domain), join(["a", "b, c"], domain)
    ('a', '{a, "b, c"}')
    """
    separator, brackets = marks(domain)
    if len(names) == 1:
        several = names[0].startswith(brackets[0]) and separator in names[0]
        return _quoted(names[0]) if several or names[0].endswith(OR_MISSING) else _plain(names[0])
    return brackets[0] + separator.join(_quoted(n) if separator in n else _plain(n) for n in names) + brackets[1]


def split(text: str, domain: Domain) -> list[str]:
    """The values that ``join`` put into a text; ValueError if it cannot have.

    >>> import pandas as pd
    >>> domain, _ = Domain.of(pd.Series(["a", "b, c"]))
    >>> split('{a, "b, c"}', domain)
    ['a', 'b, c']
    """
    separator, brackets = marks(domain)
    several = text.startswith(brackets[0]) and text.endswith(brackets[1]) and separator in text
    rest = text[1:-1] if several else text
    names = []
    while True:
        if rest.startswith('"'):
            # Decoding tells where the quoted value ends, whatever separators and quotes it holds.
            name, end = json.JSONDecoder().raw_decode(rest)
        else:
            end = rest.index(separator) if several and separator in rest else len(rest)
            name = rest[:end]
        names.append(name)
        if end == len(rest):
            return names
        if not several or not rest.startswith(separator, end):
            raise ValueError(text)
        rest = rest[end + len(separator) :]


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _plain(name: str) -> str:
    return _quoted(name) if name.startswith('"') else name
