"""What a table shows of itself in a notebook: roles, domains, what is sensitive; no row of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab import pages
from ppdp_lab.table.domain import Domain

if TYPE_CHECKING:
    from ppdp_lab.table.microdata import Microdata

MOST_VALUES, MOST_COLUMNS = 5, 25


def table_html(table: Microdata) -> str:
    """One line per column: role, kind, number of values, and which; of sensitive ones the most frequent."""
    schema = table.schema
    rows: list[tuple[object, ...]] = [(d.name, "quasi-identifier", d.type, len(d), _range(d)) for d in table.qi_domains]
    for domain, totals in zip(table.sensitive_domains, table.totals()):
        order = np.argsort(-totals, kind="stable")
        common = [f"{domain.labels[v]} {totals[v] / max(totals.sum(), 1):.0%}" for v in order[:MOST_VALUES]]
        rows.append((domain.name, "sensitive", domain.type, len(domain), _some(common, len(domain))))
    rows += [(name, "identifier", "", "", "never published") for name in schema.identifiers]
    columns = pages.table(("column", "role", "holds", "values", "which"), rows, limit=MOST_COLUMNS)
    return pages.card(f"Microdata of {len(table)} records ({table.provenance})", columns)


def _range(domain: Domain) -> str:
    if domain.hierarchy is not None:
        return f"hierarchy, nodes per level {'-'.join(map(str, domain.hierarchy.level_sizes()))}"
    if domain.kind == "ordered" and len(domain) > 1:
        return f"{domain.labels[0]} to {domain.labels[-1]}"
    return _some(list(domain.labels[:MOST_VALUES]), len(domain))


def _some(shown: list[str], count: int) -> str:
    rest = count - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")
