"""Greedy k-member clustering: classes of k records, each grown by the record that costs least."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ppdp_lab.anonymize._clusters import Clusters, Space, find_best_cluster, take_in
from ppdp_lab.anonymize._clusters import extent as extent  # i3M clusters in the same space
from ppdp_lab.anonymize._clusters import measure as measure
from ppdp_lab.anonymize._clusters import widen as widen
from ppdp_lab.anonymize._kmember import k_member
from ppdp_lab.anonymize.base import ANONYMIZERS, Anonymizer
from ppdp_lab.principles import KAnonymity
from ppdp_lab.registry import Seed, Within
from ppdp_lab.release import Release
from ppdp_lab.table import Microdata


@ANONYMIZERS.add(
    accepts="any table of at least k records",
    promises="classes of k to 2 k - 1 similar records",
    paper="Byun et al., DASFAA 2007",
)
class KMember(Anonymizer):
    """Greedy k-member clustering [1]_: k-anonymity by small clusters of similar records.

    The first cluster starts from the record furthest from a random one, every further cluster from the record furthest
    from the one taken last. A cluster grows by the record that raises its information loss least until it holds k. The
    records left over, fewer than k, go each to the cluster whose loss they raise least. So a cluster holds fewer than
    2 k records.

    A cluster's information loss (Definition 4 of [2]_) is its size times the sum, over the quasi-identifiers, of the
    length of its interval as a share of the domain's, or the height of its lowest common ancestor as a share of the
    tree's. The distance of two records is the same sum for the two of them.

    Parameters
    ----------
    k : int
        Least number of records in a cluster.
    seed : int, optional
        For the random record at the start, and for which of several records with equal quasi-identifiers is taken: the system's
        entropy unless given. A seeded release is reproducible and not private.

    Notes
    -----
    Records with equal quasi-identifiers are looked at once; of equally good records one equal to the last is taken,
    then the one whose values come first. The order of the table's rows plays no part. Text without a hierarchy
    counts as a tree of height 1, and is published as the set of its values.

    References
    ----------
    .. [1] J.-W. Byun, A. Kamra, E. Bertino, N. Li, "Efficient k-anonymization using clustering techniques", DASFAA 2007.
    .. [2] T. M. Truta, A. Campan, "K-anonymization incremental maintenance and optimization techniques", SAC 2007.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 60, 25, 22, 57, 59, 40], "illness": ["flu", "HIV"] * 3 + ["flu"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> KMember(3).anonymize(table).to_frame()["age"].value_counts().to_dict()
    {'[21, 40]': 4, '[57, 60]': 3}
    """

    rule: KAnonymity

    def __init__(self, k: Annotated[int, Within(at_least=1)], *, seed: Seed = None) -> None:
        self.rule = KAnonymity(k)
        self.seed = seed

    @property
    def k(self) -> int:
        """Least number of records in a cluster."""
        return self.rule.k

    def _release(self, table: Microdata) -> Release:
        return Release(table, self._clusters(table), **self._said())

    def clusters(self, table: Microdata) -> np.ndarray:
        """Cluster of each record, numbered in the order in which the clusters were made."""
        self._require_feasible(table)
        return self._clusters(table)

    def _clusters(self, table: Microdata) -> np.ndarray:
        """The clusters of a table of k records or more: with fewer there is none that could take a record in."""
        rng = np.random.default_rng(self.seed)
        space = Space.of(table)
        rows = table.group_rows()
        n, n_clusters = len(table), len(table) // self.k
        shuffled = table.shuffled_order(rng)
        stacks = shuffled[
            np.argsort(rows.class_of[shuffled], kind="stable")
        ]  # the records of each row, in random order

        # The kernel clusters distinct rows, not records: `members` names, k after k, the row that each place is filled from.
        codes = np.ascontiguousarray(table.qi_codes[:, rows.first].astype(np.uint32))
        members = np.empty(n_clusters * self.k, dtype=np.int32)
        start = int(rows.class_of[shuffled[0]])
        keys = codes + space.offset[:-1, None].astype(np.uint32)
        k_member(space, keys, rows.sizes.astype(np.int64), self.k, start, members)

        cluster_of = np.full(n, -1, dtype=np.int32)
        in_turn = np.argsort(members, kind="stable")  # who draws from which stack, cluster after cluster
        # Row r owns stacks[begin[r] : begin[r] + sizes[r]]; `within` counts the draws from each row from 0, so that no
        # record is drawn twice.
        drawn = np.bincount(members, minlength=rows.n_classes)
        begin = np.r_[0, np.cumsum(rows.sizes)][:-1]
        within = np.arange(len(members)) - np.repeat(np.r_[0, np.cumsum(drawn)][:-1], drawn)
        cluster_of[stacks[begin[members[in_turn]] + within]] = in_turn // self.k

        clusters = Clusters.around(space, table.qi_codes, cluster_of, n_clusters)
        # Fewer than k are left over, in random order: an earlier one widens the box that a later one is measured against.
        for record in shuffled[cluster_of[shuffled] < 0]:
            row = codes[:, rows.class_of[record]]
            best = find_best_cluster(space, clusters, n_clusters, row)
            take_in(space, clusters, best, row)
            cluster_of[record] = best
        return cluster_of
