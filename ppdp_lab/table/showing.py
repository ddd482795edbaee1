"""What a table shows of itself in a notebook: roles, domains, what is sensitive; no row of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab import pages
from ppdp_lab.registry import counted
from ppdp_lab.table.domain import Domain

if TYPE_CHECKING:
    from ppdp_lab.table.microdata import Microdata

MOST_VALUES, MOST_COLUMNS, MOST_LETTERS = 5, 25, 40
MOST_COUNTED = 20


def table_html(table: Microdata) -> str:
    """One line per column: role, kind, number of values, and which; of sensitive ones the most frequent, unless none is."""
    schema = table.schema
    rows: list[tuple[object, ...]] = [(d.name, "quasi-identifier", d.type, len(d), _range(d)) for d in table.qi_domains]
    for domain, totals in zip(table.sensitive_domains, table.totals()):
        if domain.positions is not None and len(domain) > MOST_COUNTED:  # of so many numbers none is frequent
            rows.append((domain.name, "sensitive", domain.type, len(domain), _range(domain)))
            continue
        order = np.argsort(-totals, kind="stable")
        common = [f"{_name(domain, v)} {totals[v] / max(totals.sum(), 1):.0%}" for v in order[:MOST_VALUES]]
        rows.append((domain.name, "sensitive", domain.type, len(domain), _some(common, len(domain))))
    rows += [(name, "identifier", "", "", "never published") for name in schema.identifiers]
    if len(rows) > MOST_COLUMNS:  # then what is sensitive comes first: it must not be among those that are left out
        rows.sort(key=lambda row: row[1] != "sensitive")
    columns = pages.table(("column", "role", "holds", "values", "which"), rows, limit=MOST_COLUMNS)
    return pages.card(f"Microdata of {counted(len(table), 'record')} ({table.provenance})", columns)


def _range(domain: Domain) -> str:
    if domain.hierarchy is not None:
        return f"hierarchy, nodes per level {'-'.join(map(str, domain.hierarchy.level_sizes()))}"
    if domain.kind == "ordered" and domain.known > 1:
        return f"{_name(domain, 0)} to {_name(domain, domain.known - 1)}" + (" or (missing)" if domain.missing else "")
    return _some([_name(domain, code) for code in range(min(MOST_VALUES, len(domain)))], len(domain))


def _name(domain: Domain, code: int) -> object:
    """A value in a few letters: numbers without their last digits, long texts without their ends."""
    if domain.hierarchy is None and code < domain.known and isinstance(domain.values[code], float):
        return pages.readable(domain.values[code])
    return pages.shortened(str(domain.labels[code]), MOST_LETTERS)


def _some(shown: Sequence[object], count: int) -> str:
    rest = count - len(shown)
    return ", ".join(map(str, shown)) + (f" and {rest} more" if rest > 0 else "")
