"""Bucket graphs of a series: what the equivalence attack sees, bucket by bucket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ppdp_lab.attacks import Background
from ppdp_lab.attacks.equivalence import BucketGraphs, named_counterfeits
from ppdp_lab.errors import ParameterError
from ppdp_lab.release import Release
from ppdp_lab.republish import EEquivalence, MInvariance, Publisher


def merged_publisher(m: int, e: int) -> Publisher:
    """m-invariance in merged buckets: with e-equivalence, or, for e = 1, without.

    >>> merged_publisher(3, 2).specification, merged_publisher(3, 1).specification
    ('EEquivalence(3, e=2, seed=0)', "MInvariance(3, partition='merged', style='anatomized', seed=0)")
    """
    if e > 1:
        return EEquivalence(m, e=e, seed=0)
    return MInvariance(m, partition="merged", style="anatomized", seed=0)


def graphs_seen(releases: Sequence[Release]) -> BucketGraphs:
    """The bucket graphs of a series from its published side, seen by an adversary who knows everybody's group."""
    known = named_counterfeits(releases)
    return BucketGraphs.of([r.published() for r in releases], Background.worst_case(releases), counterfeits=known)


def bucket_list(graphs: BucketGraphs) -> pd.DataFrame:
    """Buckets that have edges, the weakest first: number, signature, tuples and smallest cut."""
    cuts = graphs.smallest_cuts()
    filled = graphs.bucket[graphs.bucket >= 0]
    tuples = np.bincount(filled, minlength=len(cuts)) if len(cuts) else np.zeros(0, dtype=np.int64)
    frame = pd.DataFrame(
        {
            "bucket": np.arange(len(cuts)),
            "signature": [", ".join(map(str, signature)) for signature in graphs.signatures],
            "tuples": tuples,
            "cut": cuts,
        }
    )
    found = frame[frame["cut"] >= 0].sort_values(["cut", "tuples"], kind="stable", ignore_index=True)
    if not len(found):
        raise ParameterError("no bucket of this series holds anybody; publish more people")
    return found


def bucket_edges(graphs: BucketGraphs, bucket: int) -> pd.DataFrame:
    """One row per edge: ``came``, ``gone`` (0: still there), ``weight``, ``who``, and whether the smallest cut cuts it."""
    _, away = graphs.cut(bucket)
    rows = [
        {
            "came": came,
            "gone": gone,
            "weight": len(who),
            "who": ", ".join(who[:6]) + (" ..." if len(who) > 6 else ""),
            "cut": (came in away) != (gone in away),
        }
        for (came, gone), who in graphs.edges(bucket).items()
    ]
    return pd.DataFrame(rows, columns=["came", "gone", "weight", "who", "cut"])
