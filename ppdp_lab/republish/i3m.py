"""I3M: a k-anonymous table is kept up to date under inserts, deletes and updates without starting over.

References
----------
.. [1] T. M. Truta, A. Campan, "K-anonymization incremental maintenance and optimization techniques", SAC 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from ppdp_lab.anonymize.base import whole_counts
from ppdp_lab.anonymize.kmember import Clusters, KMember, Space
from ppdp_lab.errors import DataFileError, IdError, ParameterError
from ppdp_lab.principles import KAnonymity
from ppdp_lab.registry import Seed, Within
from ppdp_lab.release import Release
from ppdp_lab.republish._i3m import Records, delete, insert, link
from ppdp_lab.republish.memory import Renumbering, Stored
from ppdp_lab.republish.optimization import optimize_clusters
from ppdp_lab.republish.publisher import PUBLISHERS, Publisher
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Microdata
from ppdp_lab.text import OneLine

_CHANGES = ("inserted", "deleted", "updated", "split", "dispersed", "broken")


@dataclass(frozen=True)
class Drift(OneLine):
    """How far a maintained clustering has drifted from a fresh one of the same records.

    ``loss`` and ``static_loss`` are total information losses (Definition 5 of the paper).
    """

    loss: float
    static_loss: float

    @property
    def relative(self) -> float:
        """What the maintained clustering loses more, as a share of the fresh one's loss; negative if it loses less."""
        if self.static_loss == 0:
            return 0.0 if self.loss == 0 else float("inf")
        return self.loss / self.static_loss - 1

    def __str__(self) -> str:
        return f"information loss {self.loss:.2f}, a fresh static run {self.static_loss:.2f} ({self.relative:+.1%})"


@PUBLISHERS.add(
    accepts="any tables of at least k records",
    promises="every release is k-anonymous by itself; nothing is promised about the series",
    paper="Truta and Campan, SAC 2007",
)
class I3M(Publisher):
    """Incremental maintenance of a k-anonymous table [1]_.

    The first snapshot is clustered by :class:`~ppdp_lab.anonymize.kmember.KMember`. From then on records that went leave
    their clusters, and a cluster left with fewer than k is dispersed over the others (I3M-, Figure 2 of [1]_); then each
    new record joins the cluster whose information loss it raises least, and a cluster that reaches 2 k is split in two
    (I3M+, Figure 1). A record of which any value changed is deleted with its old values and inserted with its new ones.

    Parameters
    ----------
    k : int
        Least number of records in a cluster.
    optimize : bool
        Whether IL_Optimization (Figure 3) runs after every release, as in the paper's experiments; see
        :func:`~ppdp_lab.republish.il_optimization`. What it makes can exceed 2 k records until I3M+
        touches it.
    seed : int, optional
        For the static run, and for the order in which the records of one snapshot are inserted: the system's entropy unless
        given. A seeded series is reproducible and not private.

    Notes
    -----
    Every release is k-anonymous by itself. That says nothing about the series: who compares two releases can still learn
    what neither tells alone, because clusters change by single records.

    Departures from the paper. Split2kCluster is repeated until no part holds 2 k records: once is not enough for a cluster
    that the optimization made large. If fewer than k of the old records remain there is no clustering to maintain, and
    the static algorithm starts over. Lengths are shares of the domain's span and not of the current table's, or else
    every insert could change the loss of every cluster.

    References
    ----------
    .. [1] T. M. Truta, A. Campan, "K-anonymization incremental maintenance and optimization techniques", SAC 2007.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 25, 57, 60, 22, 24], "illness": ["flu", "HIV"] * 3})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> publisher = I3M(2)
    >>> publisher.publish(table.select([0, 1, 2, 3])).to_frame()["age"].unique().tolist()
    ['[21, 25]', '[57, 60]']
    >>> publisher.publish(table).to_frame()["age"].unique().tolist()
    ['[21, 22]', '[24, 25]', '[57, 60]']
    >>> publisher.changes["split"]
    1
    >>> print(publisher.drift(table))
    information loss 0.26, a fresh static run 0.26 (+0.0%)
    """

    layout: ClassVar[Mapping[str, Stored]] = {
        "turn": Stored(np.int64, "person", empty=-1, low=-1),  # order of insertion
        "cluster_of": Stored(np.int32, "person", empty=-1, low=-1, high="cluster"),
        "low": Stored(np.uint32, "cluster", rows="qi", codes="qi"),
        "high": Stored(np.uint32, "cluster", rows="qi", codes="qi"),
        "extents": Stored(np.int32, "cluster", rows="qi", low=0),
        "extent": Stored(np.int32, "cluster", low=0),
        "size": Stored(np.int32, "cluster", low=1),
        "scale": Stored(np.int64, length=1, low=0),
        "changes": Stored(np.int64, length=len(_CHANGES), low=0),
    }

    def __init__(self, k: Annotated[int, Within(at_least=1)], *, optimize: bool = False, seed: Seed = None) -> None:
        super().__init__(seed=seed)
        self.rule = KAnonymity(k)
        if not isinstance(optimize, bool):
            raise ParameterError(f"optimize must be True or False, not {optimize!r}")
        self.optimize = optimize

    @property
    def k(self) -> int:
        """Least number of records in a cluster."""
        return self.rule.k

    # ------------------------------------------------------------------ what it can be asked
    @property
    def loss(self) -> float:
        """Total information loss (Definition 5) of the last release, as kept up to date; 0 before the first."""
        if not self.number:
            return 0.0
        return self._clusters().loss() / int(self.memory["scale"][0])

    @property
    def changes(self) -> dict[str, int]:
        """Of the last release: records inserted, deleted and updated, clusters split, dispersed and broken."""
        counts = self.memory["changes"].tolist() if self.number else [0] * len(_CHANGES)
        return dict(zip(_CHANGES, counts))

    def drift(self, table: Snapshot | Microdata) -> Drift:
        """How far the loss has drifted from a fresh static run on the same records, given once more as ``table``.

        The static run is KMember's with this publisher's seed, followed by the optimization if this publisher uses it.
        """
        table = table.table if isinstance(table, Snapshot) else table
        if not isinstance(table, Microdata):
            raise ParameterError(f"drift needs the Snapshot or Microdata last published, not {type(table).__name__}")
        self._require_current(table)
        fresh = I3M(self.k, optimize=self.optimize, seed=self.seed)
        fresh.publish(table)
        return Drift(self.loss, fresh.loss)

    def _require_current(self, table: Microdata) -> None:
        if not self.number:
            raise ParameterError("nothing was published yet, so nothing can have drifted; publish a snapshot first")
        assert self._vocabulary is not None
        known, new = self._vocabulary.with_values_of(table)
        persons = self.person_numbers(table.ids)
        same = new is None and len(persons) == int((self.memory["cluster_of"] >= 0).sum()) and (persons >= 0).all()
        if not same or not np.array_equal(self.codes[:, persons], _all_codes(table.recode(known.domains))):
            raise IdError(
                "this table does not hold the records that were published last; give the last snapshot's table"
            )

    # ------------------------------------------------------------------ publishing
    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        table = snapshot.table
        if len(table) < self.k:
            self.rule.require_feasible(whole_counts(table))
        space = Space.of(table)
        memory = self.memory
        known = memory["cluster_of"][persons] >= 0
        updated = known & table.ids.isin(snapshot.updated)
        leaves = memory["cluster_of"] >= 0
        leaves[persons] = updated
        coming = self._in_turn(table, persons, ~known | updated)
        tally = [np.sum(~known), np.sum(leaves) - np.sum(updated), np.sum(updated)]
        if np.sum(known & ~updated) < self.k:
            memory["cluster_of"][:] = -1
            seed = self.seed if self.seed is not None else int(self.rng.integers(2**63))
            memory["cluster_of"][persons] = KMember(self.k, seed=seed).clusters(table)
            n = len(table) // self.k
            clusters = Clusters.around(space, self.codes[: len(table.qi_codes)], memory["cluster_of"], n)
            records = self._records(len(table.qi_codes), n)
            link(records)
            tally += [0, 0]
        else:
            clusters, records, steps = self._maintain(space, persons, np.flatnonzero(leaves), coming)
            tally += steps
        tally.append(optimize_clusters(space, records, clusters) if self.optimize else 0)
        self._remember(clusters, space, tally)
        return self._make(table, persons, memory["cluster_of"][persons]).checked(self.rule), persons

    def _maintain(
        self, space: Space, persons: np.ndarray, leaving: np.ndarray, coming: np.ndarray
    ) -> tuple[Clusters, Records, list[int]]:
        """I3M-, then I3M+; also how many clusters were split and dispersed."""
        old = self._clusters()
        before = len(old.size)
        # every new cluster starts with k records and none of them is dissolved before the end
        clusters = Clusters.empty(len(old.low), before + len(persons) // self.k)
        for array, room in zip(old, clusters):
            room[..., :before] = array
        records = self._records(*clusters.low.shape)
        n, dispersed = delete(space, records, clusters, before, leaving, self.k)
        n = insert(space, records, clusters, n, coming, self.k)
        return clusters, records, [n - before, dispersed]

    def _in_turn(self, table: Microdata, persons: np.ndarray, comes: np.ndarray) -> np.ndarray:
        """The coming persons in the order of their insertion, which is chance."""
        coming = persons[table.shuffled_order(self.rng, np.flatnonzero(comes))]
        turn = self.memory["turn"]
        turn[coming] = turn.max(initial=-1) + 1 + np.arange(len(coming))
        return coming

    # ------------------------------------------------------------------ memory
    def _limits(self) -> dict[str, int]:
        return super()._limits() | {"cluster": len(self.memory["size"]) - 1}

    def _check_memory(self) -> None:
        members = np.bincount(self.memory["cluster_of"][self.memory["cluster_of"] >= 0], minlength=0)
        unknown = (self.codes < 0).any()
        if unknown or not np.array_equal(members, self.memory["size"]):
            raise DataFileError("its clusters do not hold as many persons as they say, or persons of unknown values")

    def _domains_grew(self, new: Renumbering, table: Microdata) -> None:
        """Lengths are shares of a domain's span: measure the clusters anew."""
        space = Space.of(table)
        codes = self.codes[: len(table.qi_codes)]
        clusters = Clusters.around(space, codes, self.memory["cluster_of"], len(self.memory["size"]))
        self._keep(clusters, space)

    def _clusters(self) -> Clusters:
        return Clusters(*(self.memory[name] for name in Clusters._fields))

    def _records(self, q: int, room: int) -> Records:
        """The persons as kernels see them: q quasi-identifiers, and room for so many lists."""
        memory = self.memory
        after = np.full(self.n_persons, -1, dtype=np.int32)
        return Records(
            self.codes.view(np.uint32)[:q],
            memory["turn"],
            memory["cluster_of"],
            np.full(room, -1, np.int32),
            after,
        )

    def _remember(self, clusters: Clusters, space: Space, tally: list[int]) -> None:
        """Keep the clusters that are left, renumbered without gaps and in their order."""
        alive = np.flatnonzero(clusters.size)
        number = np.full(len(clusters.size) + 1, -1, dtype=np.int32)  # the last entry is for who is in no cluster
        number[alive] = np.arange(len(alive))
        self.memory["cluster_of"] = number[self.memory["cluster_of"]]
        self._keep(Clusters(*(array.take(alive, axis=-1) for array in clusters)), space)
        self.memory["changes"] = np.array(tally, dtype=np.int64)

    def _keep(self, clusters: Clusters, space: Space) -> None:
        self.memory |= dict(zip(Clusters._fields, clusters))
        self.memory["scale"] = np.array([space.scale], dtype=np.int64)


def _all_codes(table: Microdata) -> np.ndarray:
    return np.concatenate([table.qi_codes, table.sensitive_codes])
