"""Worked example of the I3M paper [1]_: Table 1.

References
----------
.. [1] T. M. Truta, A. Campan, "K-anonymization incremental maintenance and optimization techniques", SAC 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.text import OneLine

__all__ = ["table_1"]

Clusters = dict[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Clustering(OneLine):
    """A clustered table, and what becomes of it when a totally covered cluster is broken.

    Attributes
    ----------
    table : Microdata
        Records r1, r2, ... under hierarchies for zip code (height 5) and gender (height 1).
    clusters : dict of str to tuple of str
        The solution S: members of each cluster.
    covered_by : dict of str to tuple of str
        For each record of the covered cluster, the other clusters that cover it (Definition 6).
    breaks : dict of str to dict
        The solutions S1 and S2 that breaking the covered cluster can give (Definition 8).
    printed_loss : dict of str to float
        Information loss of S, S1 and S2 as the paper prints it.
    """

    table: Microdata
    clusters: Clusters
    covered_by: Clusters
    breaks: dict[str, Clusters]
    printed_loss: dict[str, float]


def table_1() -> Clustering:
    """Table 1 of [1]_: seven records in three clusters, the third totally covered by the other two.

    The paper cuts the loss of S2, 389/30, to 12.96 (it rounds to 12.97), and calls break S2 both interesting and not: the
    second time S1 is meant.

    >>> example = table_1()
    >>> example.clusters["cl3"], example.covered_by["r7"]
    (('r5', 'r6', 'r7'), ('cl1', 'cl2'))
    """
    rows = [
        ("r1", 25, "41076", "Male"),
        ("r2", 40, "41935", "Female"),
        ("r3", 35, "12345", "Male"),
        ("r4", 55, "33333", "Male"),
        ("r5", 33, "41733", "Female"),
        ("r6", 42, "41076", "Male"),
        ("r7", 38, "41933", "Male"),
    ]
    frame = pd.DataFrame(rows, columns=["record", "age", "zipcode", "gender"]).set_index("record")
    trees = {
        "zipcode": Hierarchy.mask_suffix(frame["zipcode"], height=5),
        "gender": Hierarchy.from_levels({"Male": ["*"], "Female": ["*"]}),
    }
    return Clustering(
        table=Microdata(
            frame, Schema(["age", "zipcode", "gender"]), trees, provenance="worked example, Table 1 of the I3M paper"
        ),
        clusters={"cl1": ("r1", "r2"), "cl2": ("r3", "r4"), "cl3": ("r5", "r6", "r7")},
        covered_by={"r5": ("cl1",), "r6": ("cl2",), "r7": ("cl1", "cl2")},
        breaks={
            "S1": {"cl1": ("r1", "r2", "r5", "r7"), "cl2": ("r3", "r4", "r6")},
            "S2": {"cl1": ("r1", "r2", "r5"), "cl2": ("r3", "r4", "r6", "r7")},
        },
        printed_loss={"S": 13.23, "S1": 13.4, "S2": 12.96},
    )
