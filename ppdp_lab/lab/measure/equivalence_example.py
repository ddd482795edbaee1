"""The equivalence paper's own example: its tables as an adversary sees them, and the graphs of its buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.attacks import Background
from ppdp_lab.attacks.equivalence import BucketGraphs, Correspondence, named_counterfeits
from ppdp_lab.datasets.examples.forms import ExampleRelease
from ppdp_lab.release import Counterfeits, Release


def printed(tables: Sequence[ExampleRelease]) -> dict[str, Any]:
    """The paper's tables as they were published, with what the strongest adversary knows: everybody's group.

    The keys are the arguments of ``Correspondence.of`` and ``BucketGraphs.of``.
    """
    releases = []
    for table in tables:
        fake = table.counterfeits
        numbers = np.array([int(name[1:]) for name in fake.ids], dtype=np.int64)
        invented = Counterfeits(table.counterfeit_class, fake.sensitive_codes, fake.qi_codes, numbers)
        releases.append(Release(table.table, table.class_of, style="anatomized", counterfeits=invented))
    return {
        "series": [release.published() for release in releases],
        "background": Background.worst_case(releases),
        "counterfeits": named_counterfeits(releases),
    }


def matrices(tables: Sequence[ExampleRelease]) -> Correspondence:
    """Person and value matrices of the tables (Examples 5 to 8)."""
    return Correspondence.of(**printed(tables))


def bucket_graphs(tables: Sequence[ExampleRelease], name: str) -> pd.DataFrame:
    """The graphs of the buckets after each of the tables (Figures 2 to 4), one row per edge.

    ``came`` and ``gone`` are its nodes, ``who`` the people on it; ``min_cut`` and ``away`` are the same for all edges of a
    graph: the weight of its smallest cut, and the nodes on the side of it that the present, node 0, is not on.
    """
    rows = []
    for after in range(1, len(tables) + 1):
        graphs = BucketGraphs.of(**printed(tables[:after]))
        for bucket, signature in enumerate(graphs.signatures):
            value, away = graphs.cut(bucket)
            graph = {
                "figure": name,
                "signature": ", ".join(signature),
                "after": after,
                "min_cut": value,
                "away": ",".join(map(str, away)),
            }
            for (came, gone), who in graphs.edges(bucket).items():
                names = ", ".join(person.replace("counterfeit ", "c") for person in who)
                rows.append(graph | {"came": came, "gone": gone, "who": names, "weight": len(who)})
    return pd.DataFrame(rows)
