"""Objects that print as one line: sizes instead of contents, and nobody's id."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

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
