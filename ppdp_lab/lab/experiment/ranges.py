"""Ranges of parameters: what an experiment file says of the values that a notebook can work with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import StrictFloat, StrictInt
from pydantic.dataclasses import dataclass

from ppdp_lab.errors import ParameterError, check_choice, check_integer, check_number
from ppdp_lab.lab.experiment.claims import KNOWN_KEYS
from ppdp_lab.registry import OneLine

Bound = StrictInt | StrictFloat | None


@dataclass(frozen=True, config=KNOWN_KEYS)
class Range(OneLine):
    """The values that a parameter may have; of a list every value, and it must have one.

    Bounds that are whole numbers ask for whole numbers: ``at_least = 0`` refuses 0.5, ``at_least = 0.0`` does not.

    >>> Range(at_least=2).check("ks", [5, 1])
    Traceback (most recent call last):
    ppdp_lab.errors.ParameterError: every value of ks must be at least 2, not 1
    """

    at_least: Bound = None
    at_most: Bound = None
    above: Bound = None
    one_of: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> None:
        """Refuse a value outside; None is whatever the scale says."""
        if value is None:
            return
        if not isinstance(value, list):
            self._check_one(name, value)
            return
        if not value:
            raise ParameterError(f"{name} is an empty list; give it a value, or leave {name} out")
        for one in value:
            self._check_one(f"every value of {name}", one)

    def _check_one(self, name: str, value: Any) -> None:
        if self.one_of:
            check_choice(name, value, self.one_of)
            return
        bounds = {"at_least": self.at_least, "at_most": self.at_most}
        if self.above is None and all(bound is None or isinstance(bound, int) for bound in bounds.values()):
            check_integer(name, value, **bounds)  # type: ignore[arg-type]
        else:
            check_number(name, value, above=self.above, **bounds)

    def __str__(self) -> str:
        if self.one_of:
            return " or ".join(self.one_of)
        parts = [] if self.above is None else [f"above {self.above:g}"]
        parts += [] if self.at_least is None else [f"{self.at_least:g} or more"]
        parts += [] if self.at_most is None else [f"{self.at_most:g} at most"]
        return ", ".join(parts)


def check_all(ranges: Mapping[str, Range], values: Mapping[str, Any]) -> None:
    """Refuse the first value that is outside the range of its parameter."""
    for name, allowed in ranges.items():
        allowed.check(name, values.get(name))
