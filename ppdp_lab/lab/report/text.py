"""Plain tables and numbers for terminals and files."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from ppdp_lab import datasets


def number(value: float) -> str:
    """A number as a reader wants it: four digits, thousands separated, whole numbers whole.

    >>> number(0.23456), number(340128.0), number(7), number(23456.7)
    ('0.2346', '340,128', '7', '23,457')
    """
    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


def seconds(value: float) -> str:
    """A duration in the unit that fits it.

    >>> seconds(0.0123), seconds(4.2), seconds(312)
    ('12.3 ms', '4.2 s', '5 min 12 s')
    """
    if value < 1:
        return f"{value * 1000:.3g} ms"
    if value < 120:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def label_of(scale: str, given: Mapping[str, Any]) -> str:
    """A scale and what was changed of it.

    >>> label_of("quick", {"k": 3, "dataset": "/home/me/own.toml"})
    'quick, k=3, dataset=own.toml'
    >>> label_of("quick", {"datasets": ["occ", "/home/me/own.toml"]})
    'quick, datasets=[occ, own.toml]'
    """
    return ", ".join([scale, *(f"{key}={_without_folder(value)}" for key, value in given.items())])


def _without_folder(value: Any) -> Any:
    """A value as a reader wants it, and as the command line takes it: of the path of an own table the file's name."""
    if isinstance(value, list):
        return f"[{', '.join(str(_without_folder(one)) for one in value)}]"
    return PurePath(value).name if isinstance(value, str) and value.endswith(".toml") else value


def data_name(name: str) -> str:
    """What figures call a data set: the papers' abbreviations in capitals, an own table by its title.

    >>> data_name("occ"), data_name("Patients of 2025")
    ('OCC', 'Patients of 2025')
    """
    return name.upper() if name in datasets.names() else name


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, widths: Sequence[int | None] = ()) -> str:
    """A table in columns; a column with a width is wrapped to it.

    >>> print(table(["k", "loss"], [["2", "low"], ["100", "high"]]))
    k    loss
    ---  ----
    2    low
    100  high
    """
    limits = [*widths, *([None] * (len(header) - len(widths)))]
    lines = [[_wrapped(str(cell), limit) for cell, limit in zip(row, limits)] for row in [header, *rows]]
    columns = [max(len(piece) for line in lines for piece in line[i]) for i in range(len(header))]
    out = []
    for n, line in enumerate(lines):
        for i in range(max(map(len, line))):
            cells = (pieces[i] if i < len(pieces) else "" for pieces in line)
            out.append("  ".join(cell.ljust(width) for cell, width in zip(cells, columns)).rstrip())
        if n == 0:
            out.append("  ".join("-" * width for width in columns))
    return "\n".join(out)


def _wrapped(text: str, limit: int | None) -> list[str]:
    return (textwrap.wrap(text, limit) if limit else [text]) or [""]


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same in Markdown.

    >>> print(markdown_table(["k", "loss"], [["2", "low | none"]]))
    | k | loss |
    |---|---|
    | 2 | low \\| none |
    """
    body = [[" ".join(str(cell).split()).replace("|", "\\|") for cell in row] for row in rows]
    lines = [list(header), *body]
    out = [f"| {' | '.join(line)} |" for line in lines]
    out.insert(1, "|" + "---|" * len(header))
    return "\n".join(out)
