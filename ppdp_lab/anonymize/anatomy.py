"""Anatomy: exact quasi-identifiers and sensitive values in two tables, joined by group only."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ppdp_lab.anonymize._anatomy import draw_groups
from ppdp_lab.anonymize.base import ANONYMIZERS, Anonymizer, without_value
from ppdp_lab.errors import InfeasibleError, SchemaError
from ppdp_lab.principles import DistinctLDiversity
from ppdp_lab.registry import Seed, Within
from ppdp_lab.release import Release
from ppdp_lab.table import Microdata


@ANONYMIZERS.add(
    accepts="a table with one sensitive column, no value of which has more than one l-th of the records",
    promises="two tables joined by groups of l or more records, all with different sensitive values",
    paper="Xiao and Tao, VLDB 2006",
)
class Anatomy(Anonymizer):
    """Groups of l records with l different sensitive values, published as two tables [1]_.

    Records are hashed into buckets by sensitive value. While at least l buckets are not empty, a group takes one random
    record from each of the l largest. Each record left over joins a random group that lacks its value. So every group
    holds l or more values, each once: no sensitive value can be linked with a probability above 1/l.

    Parameters
    ----------
    l : int
        Records, and different values, per group.
    seed : int, optional
        Which records meet in a group is chance, by the system's entropy. With a seed the release is reproducible, for whoever
        knows the seed and the quasi-identifiers as well: such a release is not private, and says so.

    References
    ----------
    .. [1] X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 25, 38, 43], "illness": ["flu", "cold", "flu", "HIV"]})
    >>> release = pl.Anatomy(2, seed=1).anonymize(pl.Microdata(frame, pl.Schema("age", sensitive="illness")))
    >>> quasi, sensitive = release.to_frames()
    >>> sensitive.groupby("group")["illness"].nunique().tolist()
    [2, 2]
    """

    style = "anatomized"

    def __init__(self, l: Annotated[int, Within(at_least=2)], *, seed: Seed = None) -> None:  # noqa: E741
        self.l = l
        self.seed = seed
        self.rule = DistinctLDiversity(l)

    def _release(self, table: Microdata) -> Release:
        if len(table.schema.sensitive) != 1:
            raise SchemaError(
                f"Anatomy needs exactly one sensitive column; this table has {len(table.schema.sensitive)}"
            )
        error = without_value(table, repr(self))
        if error is not None:
            raise error
        values = table.sensitive_codes[0]
        domain = table.sensitive_domains[0]
        counts = np.bincount(values, minlength=len(domain))
        self._require_eligible(counts, domain.labels, domain.name)

        rng = np.random.default_rng(self.seed)
        order = table.shuffled_order(rng)
        stacks = order[np.argsort(values[order], kind="stable")]  # the records of each value, in random order
        begin = np.r_[0, np.cumsum(counts)]
        left = counts.copy()
        group_values = np.empty((len(table) // self.l, self.l), dtype=np.int32)
        n_groups = draw_groups(left, self.l, group_values)
        group_values = group_values[:n_groups]

        class_of = np.full(len(table), -1, dtype=np.int32)
        in_turn = np.argsort(group_values.ravel(), kind="stable")  # who draws from which stack, group after group
        # Value v owns stacks[begin[v] : begin[v + 1]], and its i-th draw takes the i-th record of that stack: `within`
        # counts the draws of each value from 0.
        drawn = counts - left
        within = np.arange(len(in_turn)) - np.repeat(np.r_[0, np.cumsum(drawn)][:-1], drawn)
        class_of[stacks[begin[group_values.ravel()[in_turn]] + within]] = in_turn // self.l

        for v in np.flatnonzero(left):  # one record each, or the table would not be eligible
            # Some group lacks v: at most n / l records have v, one of them is left over, and there are more than n / l - 1
            # groups.
            lacking = np.flatnonzero((group_values != v).all(axis=1))
            class_of[stacks[begin[v] + drawn[v]]] = rng.choice(lacking)
        return Release(table, class_of, style=self.style, ties=rng.permutation(n_groups), **self._said())

    def _require_eligible(self, counts: np.ndarray, labels: np.ndarray, name: str) -> None:
        """At most one l-th of the records may share a value."""
        n, top = int(counts.sum()), int(np.argmax(counts))
        if counts[top] * self.l > n:
            raise InfeasibleError(
                f"Anatomy({self.l}) needs every value of {name!r} in at most 1/{self.l} of the records, but {labels[top]!r} "
                f"has {counts[top]} of {n} ({counts[top] / n:.1%}); lower l or leave out some of these records"
            )
