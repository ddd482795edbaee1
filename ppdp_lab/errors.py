"""Every refusal has a name.

All errors derive from :class:`PPDPError` (and, where a caller would expect it, from the matching built-in), so
``except PPDPError`` catches whatever the package refuses. Every message says what is wrong, where, and what to do.
"""

from __future__ import annotations

import difflib
import math
import reprlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from numbers import Complex, Integral, Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np  # not at run time: the command line imports this module before anything else


class PPDPError(Exception):
    """Base of everything this package refuses."""


class PPDPWarning(UserWarning):
    """Base of everything this package merely points out."""


class SchemaError(PPDPError, ValueError):
    """Columns and roles do not fit: a missing or duplicate column, a column in two roles."""


class MissingValueError(PPDPError, ValueError):
    """A quasi-identifier or sensitive column has an empty cell."""


class HierarchyError(PPDPError, ValueError):
    """A hierarchy is not a tree, or a value is absent from it."""


class IdError(PPDPError, ValueError):
    """Record ids are not unique, or an id was never there."""


class ParameterError(PPDPError, ValueError):
    """A parameter has the wrong type or is out of range."""


class InfeasibleError(PPDPError, ValueError):
    """The table cannot meet the rule at all.

    ``ids`` names the records that stand in the way, where there are such; the message does not, since messages get logged.
    """

    def __init__(self, *args: object, ids: object = ()) -> None:
        super().__init__(*args)
        self.ids = ids


class BrokenRuleError(PPDPError, RuntimeError):
    """A finished release breaks its own rule: it is not returned."""


class PublicationError(PPDPError, RuntimeError):
    """What was asked for is not what this release publishes."""


class RepeatedSnapshotError(PPDPError, ValueError):
    """A publisher was given a snapshot that it has published before."""


class UnknownNameError(PPDPError, KeyError):
    """An unknown data set, experiment or the like; near misses are named."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class DataFileError(PPDPError, ValueError):
    """A file is missing or does not hold what it should."""


class MissingExtraError(PPDPError, ImportError):
    """Something was asked for that comes with an extra of the package, and the extra is not installed."""


class FewStayedWarning(PPDPWarning):
    """Nearly nobody of the release before is found again: ids may be written otherwise this time."""


class RepeatedSnapshotWarning(PPDPWarning):
    """A table is published although nothing has changed since the release before: it may be the same month again."""


class DirtyRecordsWarning(PPDPWarning):
    """A release holds persons who are not in its snapshot: deleted people are put back into print."""


class DefaultHierarchyWarning(PPDPWarning):
    """Full-domain generalization used default intervals for an ordered column that has no hierarchy."""


class RoleWarning(PPDPWarning):
    """A column would be published that identifies people: one that is nearly unique, or free text, or has too many values."""


class DroppedColumnsWarning(PPDPWarning):
    """Columns of the frame that the schema does not name were dropped."""


@contextmanager
def comes_with(extra: str) -> Iterator[None]:
    """Imports of what an extra brings along; where one is missing, the error says which extra has it.

    >>> with comes_with("lab"):
    ...     import no_such_package
    Traceback (most recent call last):
    ppdp_lab.errors.MissingExtraError: no_such_package is not installed; it comes with: pip install 'ppdp_lab[lab]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or str(error)).partition(".")[0]
        if name == "ppdp_lab":  # a module of our own that does not exist is our fault
            raise
        raise MissingExtraError(f"{name} is not installed; it comes with: pip install 'ppdp_lab[{extra}]'") from None


def listed(values: Iterable[object], limit: int = 10) -> str:
    """Spell out values for a message, at most ``limit`` of them.

    >>> listed(["a", 3])
    "'a', 3"
    >>> listed(range(12), limit=2)
    '0, 1 and 10 more'
    """
    plain = (v.item() if type(v).__module__ == "numpy" and hasattr(v, "item") else v for v in values)
    shown = [repr(v) for v in plain]
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """An error for a name that is not known, with near misses.

    >>> print(unknown("data set", "adlt", ["adult", "occ"]))
    unknown data set 'adlt'; did you mean 'adult'? Known: 'adult', 'occ'
    """
    known = sorted(known)
    near = difflib.get_close_matches(str(name), known, n=3)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    return UnknownNameError(f"unknown {kind} {name!r}{hint} Known: {listed(known, limit=40)}")


def check_integer(name: str, value: object, *, at_least: int | None = None, at_most: int | None = None) -> int:
    """Return ``value`` as an int, or refuse it in words.

    >>> check_integer("k", 5, at_least=1)
    5
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ParameterError(f"{name} must be a whole number, not {value!r} ({type(value).__name__})")
    number = int(value)
    if at_least is not None and number < at_least:
        raise ParameterError(f"{name} must be at least {at_least}, not {number}")
    if at_most is not None and number > at_most:
        raise ParameterError(f"{name} must be at most {at_most}, not {number}")
    return number


def check_number(
    name: str,
    value: object,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> float:
    """Return ``value`` as a float, or refuse it in words.

    >>> check_number("t", 0.2, at_least=0, at_most=1)
    0.2
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(f"{name} must be a number, not {value!r} ({type(value).__name__})")
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond every float
        number = math.inf
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be a finite number, not {value!r}")
    if above is not None and not number > above:
        raise ParameterError(f"{name} must be greater than {above:g}, not {number:g}")
    if at_least is not None and number < at_least:
        raise ParameterError(f"{name} must be at least {at_least:g}, not {number:g}")
    if at_most is not None and number > at_most:
        raise ParameterError(f"{name} must be at most {at_most:g}, not {number:g}")
    return number


def check_seed(value: object) -> int | None:
    """Return ``value`` if it is a seed: None for the system's entropy, or a whole number.

    >>> check_seed(None), check_seed(7)
    (None, 7)
    """
    return None if value is None else check_integer("seed", value, at_least=0, at_most=2**128)


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """Return ``value`` if it is one of ``choices``, or refuse it in words.

    >>> check_choice("cut", "median", ["median", "any"])
    'median'
    """
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name} must be one of {listed(choices)}, not {value!r}")
    return str(value)


def check_items(name: str, given: object) -> list[Any]:
    """Return what was given as a list, or refuse a single thing.

    >>> check_items("releases", (3, 4))
    [3, 4]
    """
    single = isinstance(given, (str, bytes)) or getattr(given, "shape", None) == ()
    if single or not isinstance(given, Iterable):
        raise ParameterError(f"{name} must be a list, not {type(given).__name__}; put a single one into a list")
    return list(given)


def check_list(name: str, values: object) -> np.ndarray:
    """Return ``values`` as an array of one dimension, or refuse it in words.

    >>> check_list("rows", [3, 4])
    array([3, 4])
    """
    import numpy as np

    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # lists of different lengths
        array = np.empty(())
    if array.ndim != 1:
        raise ParameterError(f"{name} must be a plain list, one entry after the other, not {reprlib.repr(values)}")
    return array


def check_values(what: str, values: Iterable[object], error: type[PPDPError], *, quote: bool = True) -> None:
    """Raise ``error`` for a value that cannot be compared, published or saved without loss.

    These are binary data, complex numbers, signaling NaNs, and text with a NUL character (numpy drops trailing ones, so that
    ``"a"`` and ``"a\\0"`` would become one) or a lone surrogate (which no file can hold). With ``quote=False`` the message
    names the position in place of the value.

    >>> check_values("column 'zip'", ["0101", b"0102"], SchemaError)
    Traceback (most recent call last):
    ppdp_lab.errors.SchemaError: column 'zip' has binary data (b'0102'); decode it to text
    """
    for position, value in enumerate(values):
        if isinstance(value, str):
            if "\0" in value:
                found = "text with a NUL character", "remove the character"
            elif not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
                found = "text with a lone surrogate", "read the text again with its true encoding"
            else:
                continue
        elif isinstance(value, (int, float)):
            continue
        elif isinstance(value, (bytes, bytearray, memoryview)):
            found = "binary data", "decode it to text"
        elif isinstance(value, Complex) and not isinstance(value, Real):
            found = "a complex number", "use real numbers or text"
        elif isinstance(value, Decimal) and value.is_snan():
            found = "a signaling NaN", "replace it by a number, or drop the row"
        else:
            continue
        where = reprlib.repr(value) if quote else f"position {position}, counted from 0"
        raise error(f"{what} has {found[0]} ({where}); {found[1]}")


def check_separator(value: object, name: str = "separator") -> str:
    """Return ``value`` if it can part the fields of a CSV file, or refuse it in words.

    >>> check_separator(";")
    ';'
    """
    if not isinstance(value, str) or len(value) != 1 or value in '"\r\n':
        raise ParameterError(f"{name} must be one character, such as ';' or ',' or a tab, not {value!r}")
    return value
