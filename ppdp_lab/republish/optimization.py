"""IL_Optimization: clusters that other clusters cover are broken up where that lowers information loss.

References
----------
.. [1] T. M. Truta, A. Campan, "K-anonymization incremental maintenance and optimization techniques", SAC 2007.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from ppdp_lab.anonymize.kmember import Clusters, Space
from ppdp_lab.errors import ParameterError, check_integer
from ppdp_lab.release import Release
from ppdp_lab.republish._i3m import Records, link
from ppdp_lab.republish._il_optimization import Cover, is_covered, optimize, reach
from ppdp_lab.text import OneLine


def il_optimization(release: Release) -> Release:
    """The release with every class broken up whose optimal break is interesting (Figure 3 of [1]_).

    A class is totally covered if each of its records lies within the box of some other class (Definition 7). Breaking it
    moves each record to such a class, the optimal break to the one with the least loss per record; boxes stay as they
    are. The totally covered classes are tried in descending order of their information loss; one is broken if that
    lowers the total loss. So the loss never rises and no class gets smaller, except those that vanish: k-anonymity and
    any other superset-closed rule stay true.

    Parameters
    ----------
    release : Release
        Any generalized release without counterfeits, whoever made it; its boxes are taken as the smallest that hold
        their records.

    Returns
    -------
    Release
        Over the same table, with the remaining classes renumbered in their order. Suppressed records stay suppressed.

    References
    ----------
    .. [1] T. M. Truta, A. Campan, "K-anonymization incremental maintenance and optimization techniques", SAC 2007.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [30, 32, 40, 42, 31, 41]}), pl.Schema("age"))
    >>> release = pl.Release(table, [0, 0, 1, 1, 2, 2])
    >>> il_optimization(release).class_of.tolist()
    [0, 0, 1, 1, 0, 1]
    """
    space, clusters, records = clustering_of(release)
    optimize_clusters(space, records, clusters)
    return _rearranged(release, records.cluster_of)


def totally_covered(release: Release) -> np.ndarray:
    """The totally covered classes (Definition 7 of the paper), in descending order of their information loss.

    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [30, 32, 40, 42, 31, 41]}), pl.Schema("age"))
    >>> totally_covered(pl.Release(table, [0, 0, 1, 1, 2, 2])).tolist()
    [2]
    """
    space, clusters, records = clustering_of(release)
    covered = is_covered(Cover.of(space, clusters, records.codes), clusters, records)
    shown = release.class_of >= 0
    uncovered = np.bincount(release.class_of[shown], weights=~covered[shown], minlength=release.n_classes)
    by_loss = _by_loss(clusters)
    return by_loss[uncovered[by_loss] == 0]


def covering_classes(release: Release, cls: int) -> dict[Hashable, list[int]]:
    """For each record of a class, by id, the other classes that cover it (Definition 6 of the paper)."""
    space, clusters, _ = clustering_of(release)
    cls = check_integer("cls", cls, at_least=0, at_most=release.n_classes - 1)
    every = np.arange(release.n_classes)
    limits = reach(space, clusters, every).astype(np.int64)
    found: dict[Hashable, list[int]] = {}
    for row in np.flatnonzero(release.class_of == cls):
        codes = release.table.qi_codes[:, row]
        covers = ((limits[:, :, 0] <= codes) & (codes <= limits[:, :, 1])).all(axis=1) & (every != cls)
        found[release.table.ids[row]] = np.flatnonzero(covers).tolist()
    return found


@dataclass(frozen=True)
class Break(OneLine):
    """One way to break up a class: the triplet (cl, S, S') of Definition 8 of the paper.

    ``goes_to`` names the class of S to which each record of ``cls`` moves; losses are total information losses.
    """

    cls: int
    goes_to: dict[Hashable, int]
    loss_before: float
    loss_after: float
    before: Release = field(repr=False)

    @property
    def interesting(self) -> bool:
        """Whether the loss falls (Definition 9)."""
        return self.loss_after < self.loss_before

    def release(self) -> Release:
        """S': the release after the break, its classes renumbered in their order."""
        class_of = self.before.class_of.copy()
        class_of[self.before.table.ids.get_indexer(list(self.goes_to))] = list(self.goes_to.values())
        return _rearranged(self.before, class_of)


def breaks(release: Release, cls: int) -> Iterator[Break]:
    """All breaks of a class (Definition 8 of the paper), an optimal one (Definition 10) first; none if it is not covered.

    Boxes stay as they are, so a break is optimal if every record goes where the loss per record is least. There are as
    many breaks as the product of the numbers of classes that cover each record: of a large release take the first few.

    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [30, 38, 36, 46, 31, 37, 45]}), pl.Schema("age"))
    >>> for one in breaks(pl.Release(table, [0, 0, 1, 1, 2, 2, 2]), 2):
    ...     print(one.goes_to, f"{one.loss_before:.3f} to {one.loss_after:.3f}", one.interesting)
    {4: 0, 5: 0, 6: 1} 4.875 to 3.875 True
    {4: 0, 5: 1, 6: 1} 4.875 to 4.000 True
    """
    space, clusters, _ = clustering_of(release)
    found = covering_classes(release, cls)
    before = clusters.loss()
    own = int(clusters.size[cls]) * int(clusters.extent[cls])
    cheapest_first = [sorted(classes, key=lambda c: int(clusters.extent[c])) for classes in found.values()]
    for targets in product(*cheapest_first):
        after = before - own + sum(int(clusters.extent[c]) for c in targets)
        yield Break(cls, dict(zip(found, targets)), before / space.scale, after / space.scale, release)


def optimize_clusters(space: Space, records: Records, clusters: Clusters) -> int:
    """Break clusters in place; return how many were broken."""
    return int(optimize(Cover.of(space, clusters, records.codes), records, clusters, _by_loss(clusters)))


def _by_loss(clusters: Clusters) -> np.ndarray:
    """The clusters in descending order of information loss."""
    alive = np.flatnonzero(clusters.size)
    loss = clusters.size.astype(np.int64) * clusters.extent
    return alive[np.argsort(-loss[alive], kind="stable")]


def clustering_of(release: Release) -> tuple[Space, Clusters, Records]:
    """A release as the kernels see it, for `optimize_clusters`: the space, its clusters, and the records in lists."""
    _require_clustering(release)
    space = Space.of(release.table)
    cluster_of = release.class_of.copy()
    clusters = Clusters.around(space, release.table.qi_codes, cluster_of, release.n_classes)
    n = len(cluster_of)
    records = Records(
        codes=release.table.qi_codes.view(np.uint32),
        turn=np.arange(n),
        cluster_of=cluster_of,
        head=np.full(release.n_classes, -1, dtype=np.int32),
        after=np.full(n, -1, dtype=np.int32),
    )
    link(records)
    return space, clusters, records


def _require_clustering(release: Release) -> None:
    if not isinstance(release, Release):
        raise ParameterError(f"a clustering is given as a ppdp_lab.Release, not as {type(release).__name__}")
    if release.form.exact or release.n_counterfeits:
        what = "counterfeits" if release.n_counterfeits else "exact quasi-identifiers"
        raise ParameterError(f"this release publishes {what}; only a generalized one of real records can be optimized")


def _rearranged(release: Release, class_of: np.ndarray) -> Release:
    """The same table in other classes, which may have gaps in their numbers."""
    used = np.bincount(class_of[class_of >= 0], minlength=release.n_classes) > 0
    number = np.append(np.cumsum(used) - 1, -1)  # the last entry is for suppressed records
    return Release(
        release.table,
        number[class_of],
        grouped=release.grouped,
        dirty=release.dirty,
        pseudonyms=release.pseudonyms,
        method=f"il_optimization of {release.method or 'a release'}",
    )
