"""Anybody's function: checked by its signature, known by its code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ppdp_lab.datasets.views import VIEWS
from ppdp_lab.errors import ParameterError, listed
from ppdp_lab.lab.run.identity import data_names
from ppdp_lab.lab.sweeping.functions.base import Swept, check_complete, check_names, check_values
from ppdp_lab.lab.sweeping.functions.code import code_hash
from ppdp_lab.lab.sweeping.grid import Point
from ppdp_lab.registry import arguments_of


class PlainFunction(Swept):
    """A function that takes its parameters by name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.call = function
        self.name = getattr(function, "__name__", None) or type(getattr(function, "func", function)).__name__
        try:
            self.signature = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            raise ParameterError(
                f"the parameters of {self.name} cannot be seen; wrap it: lambda k: {self.name}(k)"
            ) from None
        self.parameters = arguments_of(function)
        bare = [p.name for p in self.signature if p.kind is p.POSITIONAL_ONLY and p.default is p.empty]
        if bare:
            raise ParameterError(f"{self.name} takes {listed(bare)} by position only; a sweep gives parameters by name")
        self.version = code_hash(function)

    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """As of Swept."""
        if all(p.kind is not p.VAR_KEYWORD for p in self.signature):
            check_names(self.name, [p.name for p in self.parameters], values)
        check_complete(self.name, self.parameters, values)
        check_values(self.parameters, values)

    def data(self, point: Point) -> list[str]:
        """What ``dataset`` or ``datasets`` name, if those are names of data sets."""
        defaults = {p.name: p.default for p in self.signature if p.default is not p.empty}
        try:
            named = data_names(defaults | point)
        except ParameterError:  # its own meaning of the word
            return []
        return [name for name in named if name in VIEWS or name.endswith(".toml")]
