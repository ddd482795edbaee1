"""Making members of a registry alike: each takes, of what a comparison gives to all, whatever it has a parameter for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ppdp_lab.errors import ParameterError, listed, unknown
from ppdp_lab.registry import FAMILIES, Entry, make

Settings = Mapping[str, Mapping[str, Any]]
"""What single members are given besides, by their name: ``{"BPG": {"variant": "no-dirty"}}``."""


def of_entry(entry: Entry[Any], given: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """What a member is made or called with: of what all are given whatever it has a parameter for, then its own settings.

    >>> from ppdp_lab.republish import PUBLISHERS
    >>> of_entry(PUBLISHERS.entry("I3M"), {"k": 5, "m": 5, "seed": 1}, {"I3M": {"optimize": True}})
    {'k': 5, 'seed': 1, 'optimize': True}
    """
    names = [p.name for p in entry.parameters]
    own = settings.get(entry.name, {})
    for name in own:
        if name not in names:
            raise ParameterError(f"settings: {unknown(f'parameter of {entry.name}:', name, names)}")
    said = {name: given[name] for name in names if name in given} | dict(own)
    missing = [p.name for p in entry.parameters if p.required and p.name not in said]
    if missing:
        raise ParameterError(
            f"{entry.name} needs {listed(missing)}, which the comparison does not give; say it in settings, such as "
            f"{{{entry.name!r}: {{{missing[0]!r}: 3}}}}"
        )
    return said


def made(entry: Entry[Any], given: Mapping[str, Any], settings: Settings) -> Any:
    """A member of a registry of classes, made with what fits it.

    >>> from ppdp_lab.republish import PUBLISHERS
    >>> made(PUBLISHERS.entry("EEquivalence"), {"k": 5, "m": 5, "e": 3}, {})
    <EEquivalence(5, e=3), 0 releases so far>
    """
    return make(entry.member, of_entry(entry, given, settings))


def check_settings(settings: Any, families: Iterable[str]) -> Settings:
    """Refuse settings of members that are in none of these families, which would be passed over, and strange parameters."""
    known = {name: FAMILIES[family].entry(name) for family in families for name in FAMILIES[family]}
    for name, said in dict(settings).items():
        if name not in known:
            raise ParameterError(f"settings: {unknown('name', name, known)}")
        if not isinstance(said, Mapping):
            raise ParameterError(
                f"settings of {name} must be parameters by name, such as {{{name!r}: {{'seed': 1}}}}, not {said!r}"
            )
        of_entry(known[name], {p.name: None for p in known[name].parameters}, settings)
    return dict(settings)
