"""Which column plays which role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ppdp_lab.errors import SchemaError, listed
from ppdp_lab.text import cut

REFUSE, VALUE, CATEGORY, DROP = GAPS = ("refuse", "value", "category", "drop")  # what to do with missing cells
MISSING = "(missing)"  # how a missing value is published
RESERVED = ("group", "count", "pseudonym")  # columns that published tables add


def _names(role: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:  # such an array cannot be gone through
        raise SchemaError(f"{role} must be a column name or a list of column names, not {value!r}")
    names = tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise SchemaError(f"{role}: column names must be text, not {name!r}; rename the frame's columns first")
    return names


@dataclass(frozen=True, init=False)
class Schema:
    """The roles of a table's columns.

    Parameters
    ----------
    quasi_identifiers : str or list of str
        Columns that an adversary may know, such as age and zip code; they get generalized.
    sensitive : str or list of str, optional
        Columns that must not be linked to a person; they are published as they are. An amount with many digits can be looked
        up elsewhere like a name: round it first, to what readers need.
    identifiers : str or list of str, optional
        Columns that name a person; they never leave the house.
    domains : dict of str to list, optional
        All values that a quasi-identifier or sensitive column can have (a list, a range, or a pandas CategoricalDtype for an
        order of one's own). Without, the domain is that of the hierarchy or of the column's categories, or the values
        that occur; publishers let such a domain grow.

    Examples
    --------
    >>> Schema(["age", "zip"], sensitive="disease", identifiers=["name"])
    Schema(quasi_identifiers=('age', 'zip'), sensitive=('disease',), identifiers=('name',))
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    domains: Mapping[str, Any] = field(repr=False, compare=False)

    def __init__(self, quasi_identifiers: Any, sensitive: Any = (), identifiers: Any = (), domains: Any = None) -> None:
        roles = {
            "quasi_identifiers": _names("quasi_identifiers", quasi_identifiers),
            "sensitive": _names("sensitive", sensitive),
            "identifiers": _names("identifiers", identifiers),
        }
        if not roles["quasi_identifiers"]:
            raise SchemaError("a schema needs at least one quasi-identifier; name the columns an adversary may know")
        seen: dict[str, str] = {}
        for role, names in roles.items():
            for name in names:
                if name in seen:
                    where = f"twice in {role}" if seen[name] == role else f"both in {seen[name]} and in {role}"
                    raise SchemaError(f"column {name!r} stands {where}; give it one role")
                if name in RESERVED and role != "identifiers":
                    raise SchemaError(
                        f"column {name!r}: published tables add a column of that name; rename yours first"
                    )
                seen[name] = role
            object.__setattr__(self, role, names)
        if domains is not None and not isinstance(domains, Mapping):
            raise SchemaError(f"domains must be a dictionary {{column: list of values}}, not {type(domains).__name__}")
        stray = [name for name in domains or {} if seen.get(name) not in ("quasi_identifiers", "sensitive")]
        if stray:
            raise SchemaError(f"domains given for {listed(stray)}, which are neither quasi-identifiers nor sensitive")
        object.__setattr__(self, "domains", dict(domains or {}))

    def __repr__(self) -> str:
        roles = ("quasi_identifiers", "sensitive", "identifiers")
        return cut(f"Schema({', '.join(f'{role}={getattr(self, role)!r}' for role in roles)})")

    @property
    def columns(self) -> tuple[str, ...]:
        """All named columns, quasi-identifiers first."""
        return self.quasi_identifiers + self.sensitive + self.identifiers

    def check_columns(self, columns: Iterable[str]) -> list[str]:
        """Refuse a frame whose columns do not fit; return the columns that no role names."""
        times = Counter(columns)  # sets, not lists: a table may have a hundred thousand columns
        doubled = sorted(str(name) for name, count in times.items() if count > 1)
        if doubled:
            raise SchemaError(f"the frame has more than one column named {listed(doubled)}; rename or drop them")
        missing = [name for name in self.columns if name not in times]
        if missing:
            raise SchemaError(
                f"the schema names {listed(missing)}, which the frame does not have; its columns are {listed(times, 20)}"
            )
        named = set(self.columns)
        return [name for name in times if name not in named]
