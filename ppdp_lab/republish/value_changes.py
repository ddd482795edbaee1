"""Internal updates: how the values of a record that stays change from one snapshot to the next.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   section VI-A.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ppdp_lab.attacks import UpdateModel
from ppdp_lab.datasets.drawing import pick
from ppdp_lab.datasets.loading import VIEWS
from ppdp_lab.errors import ParameterError, SchemaError, check_number, listed
from ppdp_lab.table import Domain, Microdata

_MARITAL = {
    "never married": ("married",),
    "married": ("spouse absent", "separated", "divorced", "widowed"),
    "spouse absent": ("married", "separated", "divorced", "widowed"),
    "separated": ("married", "divorced", "widowed"),
    "divorced": ("married",),
    "widowed": ("married",),
}


def ageing(domain: Domain) -> UpdateModel:
    """Every value becomes the next of its domain, and the last one stays: age + 1 up to the top.

    The census ages here are 79 values, 17 to 95 and over; the paper [1]_ has 100, and stops at 100.

    >>> import pandas as pd
    >>> ageing(Domain.of(pd.Series([30, 32, 31], name="age"))[0]).may_become(31)
    ['32']
    """
    last = len(domain) - 1
    return UpdateModel(domain.labels.tolist(), [[min(i + 1, last)] for i in range(len(domain))])


def census_updates(table: Microdata, d: int = 10, *, stay: float = 0.95) -> dict[str, UpdateModel]:
    """The internal updates of the paper's experiment [1]_ for census rows: one model per column that changes.

    Age grows by one up to the top of its domain, gender does not change, marital status and education follow their meaning
    (nobody becomes never married again, no degree is lost), and the sensitive value stays within its block of ``d``.

    Parameters
    ----------
    table : Microdata
        Such as ``datasets.load("occ-mdistinct")``; columns that it lacks are left out.
    d : int
        Internal update diameter: a sensitive value becomes any of the d values of its block, itself included.
    stay : float
        With which probability marital status and education stay; the rest is shared equally by what they may become. The
        paper does not say how often they change.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> models = census_updates(pl.datasets.load("occ-mdistinct", rows=1000))
    >>> list(models), models["marital"].may_become("divorced")
    (['age', 'marital', 'education', 'occupation'], ['divorced', 'married'])
    """
    stay = check_number("stay", stay, at_least=0, at_most=1)
    if not isinstance(table, Microdata):
        raise ParameterError(f"census_updates needs a ppdp_lab.Microdata, not {type(table).__name__}")
    if len(table.schema.sensitive) != 1:
        raise SchemaError(f"internal updates need one sensitive column; this table has {len(table.schema.sensitive)}")
    found: dict[str, UpdateModel] = {}
    for name, domain in zip(table.schema.quasi_identifiers, table.qi_domains):
        labels = domain.labels.tolist()
        if name == "age":
            found[name] = ageing(domain)
        elif name == "marital" and set(labels) <= set(_MARITAL):
            moves = {a: [b for b in _MARITAL[a] if b in labels] for a in labels}
            found[name] = _mostly_staying(labels, moves, stay)
        elif name == "education":
            found[name] = _mostly_staying(labels, {a: labels[i + 1 :] for i, a in enumerate(labels)}, stay)
    found[table.schema.sensitive[0]] = UpdateModel.in_blocks(table.sensitive_domains[0], d)
    return found


def _mostly_staying(labels: list[str], moves: Mapping[str, list[str]], stay: float) -> UpdateModel:
    matrix = np.zeros((len(labels), len(labels)))
    for i, a in enumerate(labels):
        at = [labels.index(b) for b in moves[a]]
        matrix[i, at] = (1 - stay) / max(len(at), 1)
        matrix[i, i] += 1 - matrix[i].sum()
    return UpdateModel.from_matrix(matrix, labels)


class Changes:
    """The internal updates of a stream: models coded over the domains of its table.

    Quasi-identifiers of everybody who stays follow their model; of the sensitive column ``count`` random records are drawn
    anew, or all of them.
    """

    def __init__(self, table: Microdata, models: Mapping[str, UpdateModel], count: int | None) -> None:
        self.count = count
        strange = [name for name in models if name not in table.domains]
        if strange:
            raise SchemaError(
                f"update models for {listed(strange)}, which are no columns; known are {listed(table.domains)}"
            )
        self.qi = [
            (i, _shares(table.domains[n], models[n]))
            for i, n in enumerate(table.schema.quasi_identifiers)
            if n in models
        ]
        self.sensitive = [
            (i, _shares(table.domains[n], models[n])) for i, n in enumerate(table.schema.sensitive) if n in models
        ]

    def happen(self, pool: Microdata, stayed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Change the codes of the pool's records that stayed; a mask of those of which any value is another one now."""
        changed = np.zeros(len(stayed), dtype=bool)
        everybody = np.arange(len(stayed))
        some = everybody if self.count is None else rng.permutation(len(stayed))[: self.count]
        for codes, columns, who in (
            (pool.qi_codes, self.qi, everybody),
            (pool.sensitive_codes, self.sensitive, np.sort(some)),
        ):
            for column, shares in columns:
                before = codes[column, stayed[who]]
                after = pick(rng, shares, before.astype(np.int64))
                changed[who] |= after != before
                codes[column, stayed[who]] = after
        return changed


def _shares(domain: Domain, model: UpdateModel) -> np.ndarray:
    """Chances over the codes of a domain; what the domain does not have does not happen."""
    if not isinstance(model, UpdateModel):
        raise ParameterError(
            f"the update model of {domain.name!r} must be a ppdp_lab.UpdateModel, not {type(model).__name__}"
        )
    shares = model.over(domain, model.matrix)
    total = shares.sum(axis=1, keepdims=True)
    if (total == 0).any():
        lost = domain.labels[(total == 0).ravel()]
        raise SchemaError(
            f"by its update model {listed(lost)} of {domain.name!r} can only become what the table does not have"
        )
    return shares / total


def updates_of(table: Microdata, d: int) -> dict[str, UpdateModel]:
    """What may become what: as in the paper for census rows; of any other table the sensitive value changes only."""
    census = {view.quasi_identifiers for view in VIEWS.values() if view.source == "census"}
    if table.schema.quasi_identifiers in census:
        return census_updates(table, d)
    return {table.schema.sensitive[0]: UpdateModel.in_blocks(table.sensitive_domains[0], d)}
