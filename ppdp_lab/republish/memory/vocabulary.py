"""The values a publisher has met, column by column: domains that grow with the snapshots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import SchemaError, listed
from ppdp_lab.registry import OneLine
from ppdp_lab.table import Domain, Microdata


@dataclass(frozen=True)
class Renumbering(OneLine):
    """New codes of old ones, per column; None where nothing changed. ``sizes`` are the sensitive domains' new sizes."""

    qi: tuple[np.ndarray | None, ...]
    sensitive: tuple[np.ndarray | None, ...]
    sizes: tuple[int, ...]

    def of_qi(self, i: int, codes: np.ndarray) -> np.ndarray:
        """New codes of column i's; -1, which is no value, stays."""
        return _moved(self.qi[i], codes)

    def of_sensitive(self, i: int, codes: np.ndarray) -> np.ndarray:
        """New codes of sensitive column i's; -1 stays."""
        return _moved(self.sensitive[i], codes)

    def of_all(self, codes: np.ndarray) -> np.ndarray:
        """New codes of all columns, quasi-identifiers first."""
        return np.stack([_moved(new, row) for new, row in zip(self.qi + self.sensitive, codes)]).astype(codes.dtype)


def _moved(new: np.ndarray | None, codes: np.ndarray) -> np.ndarray:
    return codes if new is None else np.append(new, -1)[codes]  # the last entry is where -1 points


@dataclass(frozen=True)
class Vocabulary(OneLine):
    """Roles and domains of a series.

    A domain that was declared (in the schema, by categories, by a hierarchy) is taken whole. One that is found in the data
    holds the values met so far, whatever else the table's own domain knows: so a series is the same whether its tables are
    cut from one that knew all values, or arrive month by month. Codes follow the order of the values, because boxes and cuts
    are read off them; when a value comes between old ones, what is remembered is renumbered (:class:`Renumbering`).
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    domains: dict[str, Domain] = field(repr=False)

    @staticmethod
    def of(table: Microdata, *, whole: bool = False) -> Vocabulary:
        """The values of a first table; with ``whole`` all that its domains know."""
        schema = table.schema
        domains = dict(table.domains) if whole else {name: _met(table, name) for name in table.domains}
        return Vocabulary(schema.quasi_identifiers, schema.sensitive, domains)

    def with_values_of(self, table: Microdata) -> tuple[Vocabulary, Renumbering | None]:
        """This vocabulary and what a further table brings; how codes change, or None if they do not.

        Refuses a table with other roles, types or hierarchies.
        """
        for role in ("quasi_identifiers", "sensitive"):
            before, now = getattr(self, role), getattr(table.schema, role)
            if before != now:
                raise SchemaError(
                    f"{role} were {listed(before) or 'none'} and are now {listed(now) or 'none'}; all releases of a series "
                    f"need the same columns in the same roles"
                )
        domains: dict[str, Domain] = {}
        new: dict[str, np.ndarray | None] = {}
        for name, known in self.domains.items():
            domains[name], new[name] = known, None
            if known.hierarchy is not None:
                known.require_like(table.domains[name])
                domains[name] = table.domains[name]  # the same tree; a file keeps no more than its digest
                if known.missing:
                    domains[name] = domains[name].with_missing(counts=known.missing_counts)
                elif domains[name].missing:
                    new[name] = known.map_to(domains[name])
            elif table.domains[name] is not known:
                domains[name] = known.grown(_met(table, name))
                new[name] = None if domains[name] is known else known.map_to(domains[name])
        grown = Vocabulary(self.quasi_identifiers, self.sensitive, domains)
        if all(codes is None for codes in new.values()):
            return grown, None
        return grown, Renumbering(
            tuple(new[name] for name in self.quasi_identifiers),
            tuple(new[name] for name in self.sensitive),
            tuple(len(domains[name]) for name in self.sensitive),
        )

    # ------------------------------------------------------------------ in a file
    def header(self) -> dict[str, Any]:
        """What JSON can hold of it."""
        columns = {}
        for name, domain in self.domains.items():
            columns[name] = {
                "kind": domain.kind,
                "declared": domain.declared,
                "dtype": _dtype_text(domain.dtype),
                "hierarchy": None if domain.hierarchy is None else domain.hierarchy.given.digest,
                "missing": domain.missing,
                "missing_counts": domain.missing_counts,
            }
        return {"quasi_identifiers": self.quasi_identifiers, "sensitive": self.sensitive, "columns": columns}

    def arrays(self) -> dict[str, np.ndarray]:
        """The values of each column, and where they lie on a line; a SchemaError for values that no file can hold."""
        out = {}
        for i, domain in enumerate(self.domains.values()):
            out[f"values.{i}"] = _storable(domain)
            if domain.positions is not None:
                out[f"positions.{i}"] = domain.positions
        return out


def _met(table: Microdata, name: str) -> Domain:
    """A column's declared domain, or the part of it that occurs."""
    domain = table.domains[name]
    if domain.declared:
        return domain
    return domain.only(np.flatnonzero(np.bincount(table.codes(name), minlength=len(domain))))


def _dtype_text(dtype: Any) -> str | None:
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordered category" if dtype.ordered else "category"
    return None if dtype is None else str(dtype)


def _storable(domain: Domain) -> np.ndarray:
    values = domain.values
    if values.dtype.kind in "iufbMm":
        return values
    listed_values = values.tolist()
    if all(isinstance(value, str) for value in listed_values):
        return np.array(listed_values, dtype=np.str_)
    if domain.hierarchy is not None:  # leaves of mixed types: the next table brings them along
        return np.array(domain.labels[: domain.known].tolist(), dtype=np.str_)
    raise SchemaError(
        f"column {domain.name!r} has values that a publisher's memory cannot hold: neither numbers, nor dates without a time "
        f"zone (datetime64), nor text; convert the column before the first release, for example with astype(str)"
    )
