"""e-equivalence: m-invariance whose releases cannot be composed into small sets of persons with the same values.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np

from ppdp_lab.attacks.bucket_graphs import smallest_cuts
from ppdp_lab.errors import BrokenRuleError, DataFileError, InfeasibleError
from ppdp_lab.registry import OneOf, Seed, Within
from ppdp_lab.release import Release
from ppdp_lab.release.forms import FORMS
from ppdp_lab.republish.buckets import flows_to_present
from ppdp_lab.republish.buckets.auditor import audit_cuts
from ppdp_lab.republish.buckets.signatures import Signatures, bucket_matrix, keep
from ppdp_lab.republish.m_invariance import MERGED, MInvariance
from ppdp_lab.republish.memory import Stored
from ppdp_lab.republish.publisher import PUBLISHERS
from ppdp_lab.table import Microdata

MOST = 2**31 - 1  # weights of cuts are counted in machine numbers
Edges = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Bucket, node where records came, node where they were gone (0: still there), and how many."""


@PUBLISHERS.add(
    accepts="as MInvariance; persons must not come back after they left",
    promises="m-invariance, and nobody learns that fewer than e persons share their values with as many others",
    paper="He et al., ICDE 2011",
)
class EEquivalence(MInvariance):
    """m-invariance in merged buckets that also withstands the value equivalence attack (Algorithms 2 and 3 of [1]_).

    Whoever subtracts releases from each other may learn that some persons have, as a multiset, the same values as some
    others; the fewer they are, the worse. No such sets of fewer than e persons can be found.

    The history of a bucket is a graph: a node for each of its snapshots, node 0 for the present, and for every record an
    edge from the snapshot it came with to the one it was gone in, or to node 0 (Algorithm 1). An attack with e' persons
    needs a cut of weight 2 e' at most (Theorem 2), so every cut must weigh more than 2 (e - 1). A bucket that loses
    records also loses its counterfeits; it is then balanced, and whole signatures are added until the cut is large
    enough, from new records where m-eligibility allows, else counterfeits.

    Parameters
    ----------
    m : int
        Values per signature, at least.
    e : int
        Smallest number of persons on either side of an equivalence that an adversary may learn. Every bucket needs more
        than 2 (e - 1) records; a release that would need more than 100 counterfeits per record raises an InfeasibleError.
    style : {"anatomized", "generalized"}
    seed : int, optional
    on_invalid : {"raise", "suppress"}
        What to do with a record that changed to a value outside its signature, or whose person left and comes back.
    audit : bool
        Show every release to an adversary who draws the bucket graphs of the whole series anew from what is published,
        and refuse one that falls to the attack.

    Notes
    -----
    Cuts that leave the new node on the side of node 0 weigh what they weighed before, so only the flow between these two
    can be too small, and a round adds its size to it: their number is known at once where Algorithm 3 tries one after the
    other. Algorithm 2 as printed never looks at buckets that the last bucketization fills, after which no number of
    rounds may help (m = 10, e = 8); here they are topped up like the others. A bucket that nothing happened to keeps its
    counterfeits, as bucket 1 does at T3 in Example 10. A person who returns would be two edges of one person, to which
    the theorem does not apply: such a record cannot be placed.

    Examples
    --------
    Example 10 of [1]_: Ellen and Frank get company, although two records of two values would be 2-invariant.

    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [35, 49, 42, 49, 43, 41], "illness": ["cancer", "flu"] * 2 + ["measles", "cancer"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> EEquivalence(2, e=2).publish(table)
    <Release of 6 records in 2 classes, 2 counterfeits, by EEquivalence(2, e=2)>
    """

    layout: ClassVar[Mapping[str, Stored]] = {
        **MInvariance.layout,
        "entered": Stored(
            np.int32, "person", low=0, high="release"
        ),  # release of the first publication; 0: not there now
        "edge_bucket": Stored(np.int32, "edge", low=0, high="signature"),
        "edge_from": Stored(np.int32, "edge", low=0, high="release"),
        "edge_to": Stored(np.int32, "edge", low=0, high="release"),
        "edge_weight": Stored(np.int64, "edge", low=1),
    }
    _reuses = False  # a counterfeit that is withdrawn is gone: it must not tie snapshots together

    def __init__(
        self,
        m: Annotated[int, Within(at_least=2)],
        *,
        e: Annotated[int, Within(at_least=1, at_most=MOST)],
        style: Annotated[str, OneOf(FORMS)] = "anatomized",
        seed: Seed = None,
        on_invalid: Annotated[str, OneOf("raise", "suppress")] = "raise",
        audit: bool = False,
    ) -> None:
        super().__init__(m, partition=MERGED, style=style, seed=seed, on_invalid=on_invalid, audit=audit)
        self.e = e

    @property
    def limit(self) -> int:
        """2 (e - 1): every cut must weigh more."""
        return 2 * (self.e - 1)

    # ------------------------------------------------------------------ what differs from m-invariance
    def _left_out(
        self, table: Microdata, persons: np.ndarray, bucket: np.ndarray, values: np.ndarray, signatures: Signatures
    ) -> np.ndarray:
        strange = super()._left_out(table, persons, bucket, values, signatures)
        returned = (bucket >= 0) & (self.memory["entered"][persons] == 0)
        if returned.any() and self.on_invalid == "raise":
            raise InfeasibleError(
                f"{int(returned.sum())} record(s) come back after they had left, which {self.specification} cannot protect; "
                f"publish them under new ids, or use on_invalid='suppress' to leave them out (this error's ids says which)",
                ids=table.ids[returned],
            )
        return strange | returned

    def _needs(self, counts: np.ndarray, signatures: Signatures, placed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        touched = self._withdraw(counts, signatures, placed)
        memory = self.memory
        counts = counts + bucket_matrix(memory["fake_bucket"], memory["fake_value"], counts.shape)
        needs, _ = super()._needs(counts, signatures, placed)
        bucket = np.flatnonzero(touched & (counts.max(axis=1, initial=0) > 0))
        coming = (bucket, np.full(len(bucket), self.number + 1), np.zeros_like(bucket), needs[bucket].sum(axis=1))
        bound = np.zeros(len(counts), dtype=np.int64)
        begins, tail, head, weight = _by_bucket(bucket, len(counts), self._edges(), coming)
        bound[bucket] = flows_to_present(begins, tail, head, weight, self.number + 2, self.number + 1, self.limit)
        rounds = self._rounds(bound, signatures)
        sizes = signatures.holds.sum(axis=1)
        return needs + rounds[:, None] * signatures.holds, bound + rounds * sizes

    def _rounds(self, bound: np.ndarray, signatures: Signatures) -> np.ndarray:
        # A flow of 0 is no cut at all: the snapshot and the present are different components.
        sizes = np.maximum(signatures.holds.sum(axis=1), 1)
        return np.where(bound > 0, np.maximum(0, -((bound - self.limit - 1) // sizes)), 0)

    def _entered(self, persons: np.ndarray) -> None:
        self.memory["entered"][persons] = self.number + 1

    # ------------------------------------------------------------------ the graphs
    def _withdraw(self, counts: np.ndarray, signatures: Signatures, placed: np.ndarray) -> np.ndarray:
        """Close the edges of whoever left and, in the buckets that this touches, of all counterfeits; say which."""
        memory, node = self.memory, self.number + 1
        gone = np.flatnonzero((memory["entered"] > 0) & ~placed)
        bucket, entered = memory["signature"][gone], memory["entered"][gone]
        memory["entered"][gone] = 0
        whole = counts + bucket_matrix(memory["fake_bucket"], memory["fake_value"], counts.shape)
        touched = np.bincount(bucket, minlength=len(counts)) > 0
        touched |= signatures.holds.sum(axis=1) * whole.max(axis=1, initial=0) != whole.sum(axis=1)
        withdrawn = touched[memory["fake_bucket"]]
        bucket = np.concatenate([bucket, memory["fake_bucket"][withdrawn]])
        entered = np.concatenate([entered, memory["fake_entered"][withdrawn]])
        keep(memory, ~withdrawn)
        cells, weight = np.unique(bucket.astype(np.int64) * node + entered, return_counts=True)
        for name, more in (
            ("edge_bucket", cells // node),
            ("edge_from", cells % node),
            ("edge_to", np.full(len(cells), node)),
            ("edge_weight", weight),
        ):
            memory[name] = np.concatenate([memory[name], more.astype(memory[name].dtype)])
        return touched

    def _edges(self) -> Edges:
        """All edges: those of records that are gone, and those of the present ones to node 0."""
        memory, n_nodes = self.memory, self.number + 2
        here = np.flatnonzero(memory["entered"] > 0)
        bucket = np.concatenate([memory["signature"][here], memory["fake_bucket"]]).astype(np.int64)
        entered = np.concatenate([memory["entered"][here], memory["fake_entered"]])
        tally = np.bincount(bucket * n_nodes + entered)
        cells = np.flatnonzero(tally)
        return (
            np.concatenate([memory["edge_bucket"], cells // n_nodes]),
            np.concatenate([memory["edge_from"], cells % n_nodes]),
            np.concatenate([memory["edge_to"], np.zeros_like(cells)]),
            np.concatenate([memory["edge_weight"], tally[cells]]),
        )

    def _check(self, release: Release, persons: np.ndarray) -> None:
        """As of m-invariance, and the smallest cut of every graph that got a new node, by another algorithm."""
        super()._check(release, persons)
        edges = self._edges()
        newest = (edges[1] == self.number + 1) | (edges[2] == self.number + 1)
        touched = np.unique(edges[0][newest])
        begins, tail, head, weight = _by_bucket(touched, int(edges[0].max(initial=0)) + 1, edges)
        cuts = smallest_cuts(begins, tail, head, weight, self.number + 2)
        small = np.flatnonzero(cuts <= self.limit)
        if len(small):
            raise BrokenRuleError(
                f"the release is withheld: {len(small)} bucket graph(s) have a cut of {self.limit} or less, such as "
                f"{cuts[small[0]]} in bucket {touched[small[0]]}"
            )

    def _check_memory(self) -> None:
        super()._check_memory()
        if (self.memory["signature"][self.memory["entered"] > 0] < 0).any():
            raise DataFileError("somebody was published, but in no bucket")

    def _audit(self, release: Release, persons: np.ndarray) -> None:
        super()._audit(release, persons)
        sizes = self.n_persons, int(self.memory["fakes_made"][0])
        audit_cuts(self.memory, release, persons, sizes, self.number, self.limit)


def _by_bucket(wanted: np.ndarray, n_buckets: int, *edges: Edges) -> tuple[np.ndarray, ...]:
    """Edges of the wanted buckets, bucket after bucket: where each begins, and both ends and the weight of each."""
    bucket, tail, head, weight = (np.concatenate(column) for column in zip(*edges))
    position = np.full(n_buckets, -1, dtype=np.int64)
    position[wanted] = np.arange(len(wanted))
    chosen = np.flatnonzero(position[bucket] >= 0)
    chosen = chosen[np.argsort(position[bucket[chosen]], kind="stable")]
    begins = np.searchsorted(position[bucket[chosen]], np.arange(len(wanted) + 1))
    return begins, tail[chosen].astype(np.int64), head[chosen].astype(np.int64), weight[chosen].astype(np.int64)
