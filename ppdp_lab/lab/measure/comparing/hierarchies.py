"""Hierarchies for columns that have none, so that algorithms that need one can be compared with those that do not."""

from __future__ import annotations

import numpy as np

from ppdp_lab.anonymize.lattice.refusals import default_hierarchy
from ppdp_lab.metrics import Queries
from ppdp_lab.table import Domain, Hierarchy, Microdata, Schema


def completed(table: Microdata) -> Microdata:
    """The table with a hierarchy for every quasi-identifier: intervals for numbers, all or nothing for other values.

    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": range(20, 100), "sex": ["f", "m"] * 40}), pl.Schema(["age", "sex"]))
    >>> trees = completed(table).hierarchies
    >>> trees["age"].levels(27), trees["sex"].levels("f")
    (['27', '[25, 29]', '[20, 29]', '[20, 39]', '[20, 59]', '*'], ['f', '*'])
    """
    lacking = [name for name in table.schema.quasi_identifiers if name not in table.hierarchies]
    if not lacking:
        return table
    trees = {name: tree_of(table.domains[name]) for name in lacking}
    old = table.schema
    declared = {name: values for name, values in old.domains.items() if name not in trees}  # a tree says its values
    schema = Schema(old.quasi_identifiers, old.sensitive, (), declared)
    trees = {**table.hierarchies, **trees}
    return Microdata(table.frame, schema, trees, ids=table.ids, provenance=table.provenance, missing=table.missing)


def asked_of(table: Microdata, queries: Queries) -> Queries:
    """The same queries, asked of a table that has the same values and may have other hierarchies."""
    places = {c.domain.name: table.domains[c.domain.name].map_to(c.domain) for c in queries.columns}
    return Queries.of_members(table, {c.domain.name: c.members()[:, places[c.domain.name]] for c in queries.columns})


def tree_of(domain: Domain) -> Hierarchy:
    """The default intervals of full-domain generalization for numbers; one level for all other values."""
    if domain.values.dtype.kind in "iuf":
        return default_hierarchy(domain)
    return Hierarchy.from_levels({value: ["*"] for value in domain.decode(np.arange(domain.known))})
