"""Bucket graphs of an m-invariant series: who came when and was gone when, and what can be cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdp_lab.attacks._min_cut import edge_cuts, smallest_cuts, stoer_wagner
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.memberships import Memberships, Named
from ppdp_lab.errors import ParameterError, check_integer, listed
from ppdp_lab.release.forms import Published
from ppdp_lab.text import OneLine


@dataclass(frozen=True, eq=False)
class BucketGraphs(OneLine):
    """The histories of all buckets of a series as graphs (Algorithm 1 of [1]_).

    Node i stands for release i, counted from 1, node 0 for the present. Whoever came with release i and was gone in
    release j is an edge (i, j); (i, 0), whoever is still there.

    Attributes
    ----------
    bucket, came, gone : arrays of int
        Bucket and edge of each tuple; bucket -1 for those who left and came back, who are no single edge.
    labels : list of str
        Names of the tuples, persons first.
    signatures : list of tuple of str
        Values of each bucket.
    releases : int
    merged : bool
        Whether every bucket is one group in every release. Only then are all attacks cuts.
    fewest_values : int
        Values in the smallest signature: m.

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.

    Examples
    --------
    >>> from ppdp_lab.datasets.examples import equivalence
    >>> import ppdp_lab as pl
    >>> releases = [pl.Release(t.table, t.class_of, grouped=True) for t in (equivalence.table_4(), equivalence.table_4())]
    >>> graphs = BucketGraphs.of([r.published() for r in releases], Background.worst_case(releases))
    >>> sorted((signature, int(cut)) for signature, cut in zip(graphs.signatures, graphs.smallest_cuts()))
    [(('cancer', 'flu'), 4), (('cancer', 'measles'), 2)]
    """

    bucket: np.ndarray
    came: np.ndarray
    gone: np.ndarray
    labels: list[str]
    signatures: list[tuple[str, ...]]
    releases: int
    merged: bool
    fewest_values: int

    @classmethod
    def of(
        cls, series: Sequence[Published], background: Background, *, counterfeits: Named | None = None
    ) -> BucketGraphs:
        """The graphs of an m-invariant series; refuses one in which a person's bucket changes."""
        tuples = Memberships.of(series, background, counterfeits)
        of_group, n_buckets, fewest = tuples.buckets()
        bucket = np.full(tuples.n, -1, dtype=np.int64)
        first = np.full(tuples.n, -1, dtype=np.int64)
        last = np.full(tuples.n, -1, dtype=np.int64)
        stays = np.zeros(tuples.n, dtype=np.int64)
        signatures: list[tuple[str, ...]] = [()] * n_buckets
        merged = True
        for number, ((who, groups), numbers, counted) in enumerate(zip(tuples.present, of_group, tuples.histograms())):
            here = numbers[groups]
            new = bucket[who] < 0
            moved = who[~new & (bucket[who] != here)]
            if len(moved):
                names = tuples.labels()
                raise ParameterError(
                    f"the series is not m-invariant: in release {number}, {listed(names[i] for i in moved[:10])} stand among "
                    f"other values than before; bucket graphs need one signature for life (see minimum_equivalence)"
                )
            bucket[who[new]], first[who[new]] = here[new], number
            last[who] = number
            stays[who] += 1
            shown, one_group = np.unique(numbers, return_index=True)
            merged &= len(shown) == len(numbers)
            for b, group in zip(shown, one_group):
                cells = slice(counted.offsets[group], counted.offsets[group + 1])
                signatures[b] = tuple(counted.domain.labels[counted.values[cells]])
        bucket[stays != last - first + 1] = -1
        gone = np.where(last + 1 < len(tuples.series), last + 2, 0)
        return cls(bucket, first + 1, gone, tuples.labels(), signatures, len(tuples.series), merged, fewest)

    def after(self, releases: int) -> BucketGraphs:
        """The graphs as they stood after the first so many releases."""
        releases = check_integer("releases", releases, at_least=0, at_most=self.releases)
        bucket = np.where(self.came <= releases, self.bucket, -1)
        gone = np.where(self.gone <= releases, self.gone, 0)
        return BucketGraphs(
            bucket, self.came, gone, self.labels, self.signatures, releases, self.merged, self.fewest_values
        )

    # ------------------------------------------------------------------ edges
    @property
    def _size(self) -> int:
        return self.releases + 1

    def _cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Edge of each tuple that has one, as one number, and which tuples these are."""
        known = np.flatnonzero(self.bucket >= 0)
        return (self.bucket[known] * self._size + self.came[known]) * self._size + self.gone[known], known

    def _edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Edges sorted by bucket: number, begins of the buckets, both ends, weights."""
        tally = np.bincount(self._cells()[0], minlength=1)
        cells = np.flatnonzero(tally)
        owner, ends = np.divmod(cells, self._size**2)
        begins = np.searchsorted(owner, np.arange(len(self.signatures) + 1))
        return cells, begins, ends // self._size, ends % self._size, tally[cells]

    def edges(self, bucket: int) -> dict[tuple[int, int], tuple[str, ...]]:
        """Edges of one bucket and the tuples on each."""
        mine = np.flatnonzero(self.bucket == bucket)
        found: dict[tuple[int, int], list[str]] = {}
        for i in mine:
            found.setdefault((int(self.came[i]), int(self.gone[i])), []).append(self.labels[i])
        return {edge: tuple(found[edge]) for edge in sorted(found)}

    def weights(self, bucket: int) -> np.ndarray:
        """Symmetric matrix of edge weights of one bucket, nodes 0 to the number of releases."""
        matrix = np.zeros((self._size, self._size), dtype=np.int64)
        mine = self.bucket == bucket
        np.add.at(matrix, (self.came[mine], self.gone[mine]), 1)
        return matrix + matrix.T

    def graph(self, bucket: int) -> Any:
        """One bucket as a networkx graph: edges carry ``weight`` and ``tuples``."""
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(range(self._size))
        for (came, gone), tuples in self.edges(bucket).items():
            graph.add_edge(came, gone, weight=len(tuples), tuples=tuples)
        return graph

    # ------------------------------------------------------------------ cuts
    def smallest_cuts(self) -> np.ndarray:
        """Smallest cut of each bucket: the least over its connected components; -1 for a bucket without edges."""
        _, begins, tail, head, weight = self._edges()
        return smallest_cuts(begins, tail, head, weight, self._size)

    def cut(self, bucket: int) -> tuple[int, list[int]]:
        """Smallest cut of one bucket and the nodes on the side away from the present."""
        from scipy.sparse.csgraph import connected_components

        weights = self.weights(bucket)
        best: tuple[int, list[int]] | None = None
        count, label = connected_components(weights, directed=False)
        for c in range(count):
            members = np.flatnonzero(label == c)
            if len(members) < 2:
                continue
            value, side = stoer_wagner(weights[np.ix_(members, members)])
            if best is None or value < best[0]:
                chosen = members[~side] if 0 in members[side] else members[side]
                best = int(value), chosen.tolist()
        if best is None:
            raise ParameterError(f"bucket {bucket} has no edge, so it has no cut")
        return best

    def least_equivalence(self) -> float:
        """Theorem 2 of [1]_: no attack has fewer persons on a side than half the smallest cut; infinite without edges."""
        if not self.merged:
            raise ParameterError(
                "classes of fine partitions allow attacks that are no cuts; the bound is for merged buckets"
            )
        cuts = self.smallest_cuts()
        return float(cuts[cuts >= 0].min()) / 2 if (cuts >= 0).any() else float("inf")

    def cut_of_tuples(self) -> np.ndarray:
        """Smallest cut that each tuple crosses; -1 for those without an edge."""
        numbers, begins, tail, head, weight = self._edges()
        cuts = edge_cuts(begins, tail, head, weight, self._size)
        cells, known = self._cells()
        out = np.full(len(self.bucket), -1, dtype=np.int64)
        out[known] = cuts[np.searchsorted(numbers, cells)]
        return out
