"""Numbers with many digits as text: the shortest that still tells the values of a domain apart, and back.

The ends of an interval are rounded outwards, so that what is printed covers what it stands for, and never so far that it
takes in another value of the domain; whoever reads it takes the values that lie within. A single value is rounded to the
nearest, as long as it remains the only one that rounds to that text. Short texts stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

import numpy as np

from ppdp_lab.table.domain import Domain
from ppdp_lab.table.files.kinds import text_of

DIGITS, SHORT = 4, 8  # at least so many digits that matter; texts up to this length are not touched


def has_digits(domain: Domain) -> bool:
    """Whether a domain holds numbers, and some of them have digits after the point."""
    return domain.type == "numbers" and bool((_line(domain) % 1 != 0).any())


def low_text(domain: Domain, code: int) -> str:
    """The lower end of an interval."""
    before = domain.coordinates[code - 1] if code else -math.inf
    return _shortest(domain, code, ROUND_FLOOR, lambda number, _: number > before)


def high_text(domain: Domain, code: int) -> str:
    """The upper end of an interval.

    >>> import pandas as pd
    >>> domain, _ = Domain.of(pd.Series([1 / 3, 2 / 3, 0.66668]))
    >>> low_text(domain, 0), high_text(domain, 1), single_text(domain, 1)
    ('0.3333', '0.66667', '0.66667')
    """
    after = domain.coordinates[code + 1] if code + 1 < domain.known else math.inf
    return _shortest(domain, code, ROUND_CEILING, lambda number, _: number < after)


def single_text(domain: Domain, code: int) -> str:
    """A box of one value."""
    return _shortest(domain, code, ROUND_HALF_EVEN, lambda number, unit: len(_near(domain, number, unit)) == 1)


def codes_within(texts: list[str], domain: Domain) -> list[int]:
    """The codes that one text, or the two ends of an interval, stand for; ValueError if there are none."""
    numbers = [float(text) for text in texts]
    if len(numbers) == 1:
        try:
            return [domain.code_of(texts[0])]
        except KeyError:
            found = _near(domain, numbers[0], _unit(Decimal(texts[0])))
            if len(found) != 1:
                raise ValueError(texts[0]) from None
            return [int(found[0])]
    low = int(np.searchsorted(_line(domain), numbers[0], side="left"))
    high = int(np.searchsorted(_line(domain), numbers[-1], side="right")) - 1
    if len(numbers) > 2 or not low <= high:
        raise ValueError(texts)
    return [low, high] if low < high else [low]


def _line(domain: Domain) -> np.ndarray:
    """Where the known values lie."""
    return domain.coordinates[: domain.known]


def _shortest(domain: Domain, code: int, rounding: str, apart: Callable[[float, float], bool]) -> str:
    full = str(domain.labels[code])
    value = Decimal(full)
    if len(full) <= SHORT or value == value.to_integral_value():
        return full
    places = max(DIGITS - 1 - value.adjusted(), 0)  # every digit before the point stays
    while True:
        rounded = value.quantize(Decimal(1).scaleb(-places), rounding=rounding)
        short = text_of(float(rounded))
        if len(short) >= len(full):
            return full
        if apart(float(rounded), _unit(Decimal(short))):
            return short
        places += 1


def _unit(number: Decimal) -> float:
    """What the last digit of a number counts."""
    exponent = number.as_tuple().exponent
    return 10.0 ** int(exponent)


def _near(domain: Domain, number: float, unit: float) -> np.ndarray:
    """Codes of the values that may have been rounded to a number."""
    reach = unit * (0.5 + 1e-6)
    ends = np.searchsorted(_line(domain), [number - reach, number + reach], side="left")
    return np.arange(ends[0], ends[1])
