"""Objects that print as one line: sizes instead of contents, and nobody's id."""

from __future__ import annotations

import math
import reprlib
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from string import Formatter
from typing import Any

import numpy as np

WIDTH = 200


class OneLine:
    """An object whose ``repr`` is one line of at most 200 characters, with no array in it.

    A dataclass that derives from it, or from one that does, keeps the line instead of printing its fields. Whoever has
    better words defines ``__repr__``; without, the line names the fields, and of those that hold many things how many.

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> @dataclass
    ... class Marks(OneLine):
    ...     name: str
    ...     values: np.ndarray
    >>> Marks("ages", np.arange(5000))
    <Marks: name='ages', values=5000 int64>
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in vars(cls):  # the decorator would write one that prints every field
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        names: list[str] = [f.name for f in fields(self) if f.repr] if is_dataclass(self) else []
        said = ", ".join(f"{name}={_SHORT.repr(getattr(self, name))}" for name in names)
        return cut(f"<{type(self).__name__}: {said}>" if said else f"<{type(self).__name__}>")


def cut(line: str, width: int = WIDTH) -> str:
    """A line that is not too long; what is left out is marked, and a closing bracket stays.

    >>> cut("<Microdata of 3 records: age, zip, sex, education>", 36)
    '<Microdata of 3 records: age, zi...>'
    """
    line = " ".join(line.split())
    if len(line) <= width:
        return line
    end = line[-1] if line[-1] in ">)" else ""
    return line[: width - 3 - len(end)].rstrip(", ") + "..." + end


def few_names(values: Iterable[object], limit: int = 8) -> str:
    """Names between commas, at most ``limit`` of them.

    >>> few_names(["age", "zip", "sex"], 2)
    'age, zip and 1 more'
    """
    shown = list(map(str, values))
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")


def counted(count: int, noun: str) -> str:
    """How many there are of something.

    >>> counted(1, "class"), counted(2, "class"), counted(0, "record")
    ('1 class', '2 classes', '0 records')
    """
    return f"{count} {noun}{'' if count == 1 else 'es' if noun.endswith('s') else 's'}"


class _Short(reprlib.Repr):
    """Values in a few words: of arrays, tables and indexes how large they are."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 40
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = 3
        self.maxlevel = 2

    def repr1(self, x: Any, level: int) -> str:
        if type(x).__module__.partition(".")[0] in ("numpy", "pandas") and getattr(x, "shape", None):
            return f"{' x '.join(map(str, x.shape))} {getattr(x, 'dtype', 'values')}"
        return super().repr1(x, level)


_SHORT = _Short()


def readable(number: float) -> str:
    """A number with six digits that matter, and every digit before the point; whole ones as they are.

    >>> readable(0.5833200469234759), readable(1234567.891), readable(25.0), readable(2.5e-07)
    ('0.58332', '1234568', '25', '2.5e-07')
    """
    if not math.isfinite(number) or not 1e-4 <= abs(number) < 1e15:
        return f"{number:.6g}"
    places = max(5 - math.floor(math.log10(abs(number))), 0)
    text = f"{number:.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def text_of(value: object) -> str:
    """A value as it reads in a file: 39.0 and 39 are the same."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def texts_of(values: Iterable[object]) -> list[str]:
    """Every value as :func:`text_of` writes it; without a call for each of them unless some are decimal numbers.

    >>> texts_of(["a", 39, 39.0])
    ['a', '39', '39']
    """
    values = list(values)
    decimal = any([issubclass(kind, (float, np.floating)) for kind in set(map(type, values))])
    return list(map(text_of if decimal else str, values))


# --------------------------------------------------------------------
# Plain tables and numbers for terminals and files.


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


# --------------------------------------------------------------------
# Names and values of a table in a drawing.


def letters(text: object, most: int | None = None) -> str:
    r"""A text to the letter, cut where it is longer than that: matplotlib would take what stands between dollars for a formula.

    >>> letters("$x^$ (km)"), letters("a long name", 7)
    ('\\$x^\\$ (km)', 'a long…')
    """
    said = str(text)
    said = said if most is None or len(said) <= most else f"{said[: most - 1]}…"
    return said.replace("$", r"\$")


# --------------------------------------------------------------------
# Words of experiment files: types as a reader knows them, and what a caption may be filled with.


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
