"""The functions that are swept by name, and how their grids are checked against the registries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ppdp_lab.anonymize import ANONYMIZERS
from ppdp_lab.attacks import ALL as ATTACKS
from ppdp_lab.attacks.registry import RELEASE
from ppdp_lab.datasets.views import VIEWS
from ppdp_lab.errors import ParameterError, check_items, unknown
from ppdp_lab.lab.run.parameters import absolute
from ppdp_lab.lab.sweeping.functions.base import Swept, check_complete, check_values
from ppdp_lab.lab.sweeping.functions.members import (
    check_applies,
    check_required,
    make_algorithm,
    make_publisher,
    parameters_by_name,
)
from ppdp_lab.lab.sweeping.functions.releases import anonymize, publish
from ppdp_lab.lab.sweeping.grid import Point
from ppdp_lab.metrics import ALL as MEASURES
from ppdp_lab.registry import Registry, arguments_of
from ppdp_lab.republish import PUBLISHERS

KEYWORDS = {"k", "queries"}  # what a metric may need beside the release


class BuiltIn(Swept):
    """A function that makes releases by registry name.

    ``chooser`` is the parameter that names a member of ``family``, and ``make`` makes one, to see whether it can be made.
    """

    lists = ("metrics", "attacks")
    counting = ("release",)

    def __init__(
        self, call: Callable[..., Any], chooser: str, family: Registry[Any], make: Callable[[str, Point], Any]
    ) -> None:
        self.call, self.name = call, call.__name__
        self.chooser, self.family, self.make = chooser, family, make
        self.own = {p.name: p for p in arguments_of(call)}

    def check(self, values: Mapping[str, Sequence[Any]]) -> None:
        """As of Swept."""
        check_complete(self.name, self.own.values(), values)
        check_values((p for p in self.own.values() if p.name not in self.lists), values)
        entries = [self.family.entry(name) for name in values[self.chooser]]
        names = [entry.name for entry in entries]
        doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if doubled:
            raise ParameterError(f"{self.chooser} names {doubled[0]} more than once; give each value once")
        for name in values:
            if name not in self.own and all(name not in parameters_by_name(entry) for entry in entries):
                raise ParameterError(self._nobody_has(name, names))
        for dataset in values["dataset"]:
            if not str(dataset).endswith(".toml"):
                VIEWS.entry(dataset)
        for metric in _listed("metrics", values):
            strange = set(MEASURES[metric].needs) - KEYWORDS
            if strange:
                raise ParameterError(
                    f"{metric} needs {', '.join(strange)}, which {self.name} cannot give it; leave it out"
                )
        for attack in _listed("attacks", values):
            if self.call is anonymize and ATTACKS[attack].sees != RELEASE:
                sees = ATTACKS[attack].sees
                raise ParameterError(
                    f"{attack} sees a {sees} of releases, and anonymize makes one; sweep publish for it"
                )

    def _nobody_has(self, name: str, chosen: Sequence[str]) -> str:
        elsewhere = [entry.name for entry in self.family.entries() if name in parameters_by_name(entry)]
        if elsewhere:
            return (
                f"{name} is a parameter of {', '.join(elsewhere)}, and of none that {self.chooser} names "
                f"({', '.join(chosen)}); leave it out"
            )
        known = set(self.own).union(*(parameters_by_name(self.family.entry(one)) for one in chosen))
        return str(unknown(f"parameter of {self.name}:", name, known))

    def refine(self, point: Point) -> tuple[Point, list[str]]:
        """The point without the parameters that its member does not have."""
        entry = self.family.entry(point[self.chooser])
        kept, words = check_applies(entry, [name for name in point if name not in self.own])
        check_required(entry, kept)
        self.make(entry.name, {name: point[name] for name in kept})
        for metric in point.get("metrics", ()):
            if "k" in MEASURES[metric].needs and "k" not in kept:
                raise ParameterError(f"{metric} needs k, which {entry.name} is not given here; leave it out of metrics")
        kept_of_it = {name: value for name, value in point.items() if name in self.own or name in kept}
        return absolute(kept_of_it, Path.cwd()), words  # own data is found from wherever a worker stands

    def data(self, point: Point) -> list[str]:
        """The data set that a point names."""
        return [point["dataset"]]


def _listed(name: str, values: Mapping[str, Sequence[Any]]) -> list[Any]:
    return check_items(name, values[name][0]) if name in values else []


def built_in() -> dict[str, BuiltIn]:
    """The functions that have a name of their own.

    >>> list(built_in())
    ['anonymize', 'publish']
    """
    found = (
        BuiltIn(anonymize, "algorithm", ANONYMIZERS, make_algorithm),
        BuiltIn(publish, "publisher", PUBLISHERS, make_publisher),
    )
    return {one.name: one for one in found}
