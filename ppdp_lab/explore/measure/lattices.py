"""A search through the lattice, check by check: what is known of every node, and what it would lose."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ppdp_lab import metrics
from ppdp_lab.anonymize import Flash
from ppdp_lab.anonymize.lattice import Lattice, LatticeSearch, SearchResult
from ppdp_lab.anonymize.lattice.nodes.lattice import FAILS, HOLDS
from ppdp_lab.anonymize.lattice.refusals import default_hierarchy
from ppdp_lab.errors import ParameterError
from ppdp_lab.principles import KAnonymity
from ppdp_lab.table import Domain, Hierarchy, Microdata, Schema

MOST = 1_500  # nodes in a picture
COLUMNS = "columns"  # under this name the frame of nodes says whose levels they are
STATES = {HOLDS: "holds", FAILS: "fails", 0: "unknown"}


def lattice_nodes(table: Microdata, search: LatticeSearch, *, step: int | None = None) -> pd.DataFrame:
    """All nodes of the lattice as they stand after so many checks of a search; after all of them unless given.

    One row per node: ``node`` (its levels), ``height``, ``loss`` and ``entropy`` (GCP and non-uniform entropy of the levels,
    nobody being suppressed), ``holds`` (whether the rule does, in truth), ``state`` (what is known after the step: holds, fails,
    unknown) and ``check`` (its number, or 0).

    >>> import ppdp_lab as pl
    >>> table = pl.datasets.examples.speedy.table_16()
    >>> nodes = lattice_nodes(table, pl.Flash(pl.KAnonymity(2)), step=1)
    >>> nodes["state"].value_counts().to_dict(), nodes.loc[nodes["check"] == 1, "node"].item()
    ({'unknown': 28, 'fails': 8}, '1,0,3')
    """
    return after(*searched(table, search), step)


def with_hierarchies(table: Microdata) -> Microdata:
    """The table, with a hierarchy for every quasi-identifier: one that has none gets default intervals, or all or nothing.

    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": range(20, 47), "sex": ["f", "m", "f"] * 9})
    >>> table = with_hierarchies(pl.Microdata(frame, pl.Schema(["age", "sex"])))
    >>> [table.hierarchies[name].levels(value) for name, value in (("age", 21), ("sex", "f"))]
    [['21', '[20, 21]', '[20, 23]', '[20, 27]', '[20, 35]', '*'], ['f', '*']]
    """
    lacking = {d.name: d for d in table.qi_domains if d.hierarchy is None}
    if not lacking:
        return table
    codes = dict(zip(table.schema.quasi_identifiers, table.qi_codes))
    frame = table.frame.assign(**{name: domain.labels[codes[name]] for name, domain in lacking.items()})
    said = {name: values for name, values in table.schema.domains.items() if name not in lacking}
    roles = table.schema
    schema = Schema(roles.quasi_identifiers, roles.sensitive, roles.identifiers, said)
    trees = {name: _plain(domain) for name, domain in lacking.items()}
    trees = table.hierarchies | trees
    return Microdata(frame, schema, trees, table.ids, provenance=table.provenance, missing=table.missing)


def _plain(domain: Domain) -> Hierarchy:
    """The default intervals of full-domain generalization where values have an order; else all or nothing."""
    if domain.kind == "ordered":
        return default_hierarchy(domain)
    return Hierarchy.from_levels({value: ["*"] for value in domain.labels[: domain.known]})


def searched(table: Microdata, search: LatticeSearch) -> tuple[SearchResult, np.ndarray, list[np.ndarray]]:
    """What a search finds, what it would say of every node, and what each level of each quasi-identifier loses."""
    size = math.prod(d.hierarchy.height + 1 for d in table.qi_domains if d.hierarchy is not None)
    if size > MOST:
        raise ParameterError(
            f"the lattice of these quasi-identifiers has {size:,} nodes, too many to draw; pick fewer of them"
        )
    result = search.search(table)
    # Samarati's search does not ask about every node; Flash's answers are those of any search that does.
    truth = Flash(search.rule, suppression=search.suppression).search(table).lattice.state
    return result, truth, _losses(table)


def after(result: SearchResult, truth: np.ndarray, losses: list[np.ndarray], step: int | None) -> pd.DataFrame:
    """The nodes of a lattice after so many checks; see :func:`lattice_nodes`."""
    lattice = Lattice(result.lattice.distinct)
    order = np.zeros(lattice.shape, dtype=np.int64)
    for number, node in enumerate(result.checked[:step], start=1):
        whole = tuple(top if level is None else level for level, top in zip(node, lattice.top))
        holds = truth[whole] == HOLDS
        if None not in node:
            order[whole] = number
        if None not in node or not holds:  # of a smaller subset only a failure says something about all of them
            lattice.tag(whole, bool(holds))
    levels = np.array(np.unravel_index(np.arange(lattice.size), lattice.shape)).T
    frame = pd.DataFrame(
        {
            "node": [",".join(map(str, row)) for row in levels.tolist()],
            "height": levels.sum(axis=1),
            "loss": np.mean([loss[0, column] for loss, column in zip(losses, levels.T)], axis=0),
            "entropy": np.mean([loss[1, column] for loss, column in zip(losses, levels.T)], axis=0),
            "holds": (truth == HOLDS).reshape(-1),
            "state": [STATES[state] for state in lattice.state.reshape(-1).tolist()],
            "check": order.reshape(-1),
        }
    )
    frame.attrs[COLUMNS] = list(result.quasi_identifiers)
    return frame


def _losses(table: Microdata) -> list[np.ndarray]:
    """Loss of each level of each quasi-identifier by two metrics; that of a node is the mean over its levels."""
    out = []
    everything = Flash(KAnonymity(1))
    for domain in table.qi_domains:
        alone = table.project([domain.name])
        assert domain.hierarchy is not None  # the search has refused others
        levels = [everything.generalize(alone, (level,)) for level in range(domain.hierarchy.height + 1)]
        out.append(
            np.array([[metric(level) for level in levels] for metric in (metrics.gcp, metrics.non_uniform_entropy)])
        )
    return out


def checks_of(result: SearchResult) -> list[str]:
    """Each check of a search in words.

    >>> import ppdp_lab as pl
    >>> table = pl.datasets.examples.speedy.table_16()
    >>> checks_of(pl.Incognito(pl.KAnonymity(2)).search(table))[:2]
    ['birthplace at level 0', 'birthplace at level 1']
    """
    names = result.quasi_identifiers
    return [
        ", ".join(f"{name} at level {level}" for name, level in zip(names, node) if level is not None)
        for node in result.checked
    ]
