"""Two quasi-identifiers as the axes of a picture: which ones, and where their values are."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ppdp_lab.errors import SchemaError, listed
from ppdp_lab.table import Domain, Microdata, Schema


def drawable(name: str, table: Microdata, wanted: Sequence[str] | None = None) -> list[str]:
    """Two quasi-identifiers to draw: those wanted, else numbers first, then trees, then text.

    >>> from ppdp_lab import datasets
    >>> drawable("adult-i3m", datasets.load("adult-i3m", rows=50))
    ['age', 'education-num']
    """
    by_kind = sorted(table.qi_domains, key=lambda domain: (not _numbers(domain), domain.kind == "set"))
    found = [domain.name for domain in by_kind] if wanted is None else table.project(wanted).schema.quasi_identifiers
    if len(found) < 2:
        raise SchemaError(f"a picture needs two quasi-identifiers, and {name!r} has {listed(found)} only")
    return list(found[:2])


def picture_of(table: Microdata, columns: Sequence[str]) -> Microdata:
    """A table with two quasi-identifiers to be drawn: numbers as numbers, even if a hierarchy of intervals was given for them.

    Text without a hierarchy is put in order, since sets of values have no place on an axis.
    """
    part = table.project(columns)
    trees = {name: tree for name, tree in part.hierarchies.items() if not _numbers(part.domains[name])}
    texts = [domain.name for domain in part.qi_domains if domain.kind == "set"]
    if len(trees) == len(part.hierarchies) and not texts:
        return part
    known = {name: part.domains[name].labels[: part.domains[name].known] for name in texts}
    frame = part.frame.astype(
        {name: pd.CategoricalDtype(sorted(labels), ordered=True) for name, labels in known.items()}
    )
    schema = Schema(columns, part.schema.sensitive)
    return Microdata(frame, schema, trees, ids=part.ids, provenance=part.provenance, missing=part.missing)


def axis_of(domain: Domain) -> str:
    """What the axis of a picture says: numbers are where they are, anything else is put in order."""
    if domain.hierarchy is not None:
        return f"{domain.name} (place in its hierarchy)"
    return domain.name if domain.positions is not None else f"{domain.name} (place in the order of its values)"


def with_dates(places: pd.DataFrame, domains: Sequence[Domain]) -> pd.DataFrame:
    """Places in a picture, ``x0, x1, y0, y1``: those of dates as dates, which results and axes then show as such."""
    times = {axis: pd.DatetimeIndex(d.values).unit for axis, d in zip("xy", domains) if d.type == "dates"}
    ends = {name: times[name[0]] for name in ("x0", "x1", "y0", "y1") if name in places and name[0] in times}
    return places.assign(
        **{name: places[name].to_numpy().astype("int64").astype(f"M8[{unit}]") for name, unit in ends.items()}
    )


def _numbers(domain: Domain) -> bool:
    return domain.kind == "ordered" or pd.api.types.is_numeric_dtype(domain.dtype)
