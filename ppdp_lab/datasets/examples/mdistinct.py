"""Worked examples of the m-Distinct paper [1]_: Tables I to VI, Figure 1 and Example 4.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import pandas as pd

from ppdp_lab.datasets.examples.forms import ExampleRelease, over_common_domains, publish
from ppdp_lab.table import Microdata, Schema
from ppdp_lab.text import OneLine

__all__ = [
    "candidate_update_sets",
    "distinct_series",
    "diverse_series",
    "example_4",
    "figure_1",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
    "table_6",
]

Node = int | str

_ROWS = {
    "first": [
        ("Ken", 14_000, 20, "Dyspepsia"),
        ("Julia", 16_000, 23, "Pneumonia"),
        ("Tom", 24_000, 32, "Pneumonia"),
        ("Harry", 26_000, 35, "Gastritis"),
        ("Lily", 29_000, 17, "Glaucoma"),
        ("Ben", 31_000, 19, "Flu"),
    ],
    "second": [
        ("Ken", 14_000, 20, "Dyspepsia"),
        ("Julia", 18_000, 31, "Lung Cancer"),
        ("Tom", 15_000, 27, "Pneumonia"),
        ("Harry", 23_000, 32, "Dyspepsia"),
        ("Lily", 12_000, 17, "Glaucoma"),
        ("Ben", 26_000, 35, "Pneumonia"),
    ],
    # Not printed: if the boxes of their groups are tight, they hold the corners opposite Lily and Ben.
    "counterfeits": [("c1", 10_000, 16, "Pneumonia"), ("c2", 27_000, 37, "Cataract")],
}


@dataclass(frozen=True)
class UpdateGraph(OneLine):
    """A sensitive attribute update graph (SUG, Definition 10 of the paper), level by level.

    Attributes
    ----------
    levels : tuple of tuples
        Candidate sensitive values of each release, the nodes. All nodes of a level weigh the same.
    edges : tuple of tuples of pairs
        Feasible updates from each level to the next. All edges out of a node weigh the same.
    truth : tuple
        The record's true values.
    path_weights : dict of path to Fraction
        Weights of the feasible paths (equation 1), where the paper prints them.
    risks : tuple of Fraction
        Disclosure risk of each version (equation 2).
    """

    levels: tuple[tuple[Node, ...], ...]
    edges: tuple[tuple[tuple[Node, Node], ...], ...]
    truth: tuple[Node, ...]
    risks: tuple[Fraction, ...]
    path_weights: dict[tuple[Node, ...], Fraction] = field(default_factory=dict)


@cache
def _tables() -> dict[str, Microdata]:
    frames = {
        label: pd.DataFrame(rows, columns=["name", "zipcode", "hours", "disease"]).set_index("name")
        for label, rows in _ROWS.items()
    }
    schema = Schema(["zipcode", "hours"], sensitive="disease")
    return over_common_domains(frames, schema, provenance="worked example, Tables I and II of the m-Distinct paper")


def table_1() -> Microdata:
    """Table I of [1]_: six patients at the first release.

    >>> print(*table_1().frame.loc["Ben"])
    31000 19 Flu
    """
    return _tables()["first"]


def table_2() -> Microdata:
    """Table II of [1]_: the same patients at the second release, most of them changed.

    >>> print(*table_2().frame.loc["Ben"])
    26000 35 Pneumonia
    """
    return _tables()["second"]


def table_3() -> ExampleRelease:
    """Table III of [1]_: the first release, 2-diverse (and 2-unique).

    >>> table_3().groups()
    [('Ken', 'Julia'), ('Tom', 'Harry'), ('Lily', 'Ben')]
    """
    labels = [("[14000, 16000]", "[20, 23]"), ("[24000, 26000]", "[32, 35]"), ("[29000, 31000]", "[17, 19]")]
    return publish(table_1(), ["Ken Julia", "Tom Harry", "Lily Ben"], labels=labels)


def table_4() -> ExampleRelease:
    """Table IV of [1]_: the second release, 2-diverse again, which the update sets break.

    >>> table_4().values()[2]
    ('Dyspepsia', 'Pneumonia')
    """
    labels = [("[12000, 14000]", "[17, 20]"), ("[15000, 18000]", "[27, 31]"), ("[23000, 26000]", "[32, 35]")]
    return publish(table_2(), ["Ken Lily", "Julia Tom", "Harry Ben"], labels=labels)


def table_5() -> ExampleRelease:
    """Table V of [1]_: the second release as m-Distinct makes it, with counterfeits c1 and c2.

    Group 1 is printed with 19 to 27 hours, though nobody in it works fewer than 20.

    >>> table_5().groups()
    [('Ken', 'Tom'), ('Julia', 'Harry'), ('Lily', 'c1'), ('Ben', 'c2')]
    """
    labels = [
        ("[14000, 15000]", "[19, 27]"),
        ("[18000, 23000]", "[31, 32]"),
        ("[10000, 12000]", "[16, 17]"),
        ("[26000, 27000]", "[35, 37]"),
    ]
    groups = ["Ken Tom", "Julia Harry", "Lily c1", "Ben c2"]
    return publish(table_2(), groups, labels=labels, invented=_tables()["counterfeits"])


def table_6() -> pd.DataFrame:
    """Table VI of [1]_: the counterfeit statistics published beside Table V.

    >>> table_6().to_dict("list")
    {'group': [3, 4], 'counterfeits': [1, 1]}
    """
    return pd.DataFrame({"group": [3, 4], "counterfeits": [1, 1]})


def candidate_update_sets() -> tuple[frozenset[str], ...]:
    """What may become of a disease: each stays within its set, itself included.

    Example 5 of [1]_ adds unnamed other diseases to the first two sets; the third follows from the discussion of Ben.

    >>> [sorted(diseases) for diseases in candidate_update_sets()][2]
    ['Cataract', 'Glaucoma']
    """
    return (
        frozenset({"Dyspepsia", "Gastritis"}),
        frozenset({"Pneumonia", "Flu", "Lung Cancer"}),
        frozenset({"Glaucoma", "Cataract"}),
    )


def diverse_series() -> tuple[ExampleRelease, ExampleRelease]:
    """Tables III and IV of [1]_: each release is 2-diverse, together they disclose.

    >>> [len(release.groups()) for release in diverse_series()]
    [3, 3]
    """
    return table_3(), table_4()


def distinct_series() -> tuple[ExampleRelease, ExampleRelease]:
    """Tables III and V of [1]_: 2-Distinct.

    >>> [len(release.groups()) for release in distinct_series()]
    [3, 4]
    """
    return table_3(), table_5()


def figure_1() -> UpdateGraph:
    """Figure 1 of [1]_, as Example 3 tells it: Julia's graph after Tables III and IV.

    >>> [str(risk) for risk in figure_1().risks]
    ['1', '1/2']
    """
    return UpdateGraph(
        levels=(("Dyspepsia", "Pneumonia"), ("Lung Cancer", "Pneumonia")),
        edges=((("Pneumonia", "Lung Cancer"), ("Pneumonia", "Pneumonia")),),
        truth=("Pneumonia", "Lung Cancer"),
        risks=(Fraction(1), Fraction(1, 2)),
    )


def example_4() -> UpdateGraph:
    """Example 4 of [1]_: the feasible graph of Figure 2(b), its five paths and its three risks.

    The last true value is 3 or 4, whose risks are equal; 3 is taken.

    >>> sum(example_4().path_weights.values())
    Fraction(1, 6)
    """
    weights = {(1, 3, 2): 18, (2, 3, 2): 36, (2, 4, 3): 72, (2, 4, 4): 72, (3, 3, 2): 18}
    return UpdateGraph(
        levels=((1, 2, 3), (3, 4), (2, 3, 4)),
        edges=(((1, 3), (2, 3), (2, 4), (3, 3)), ((3, 2), (4, 3), (4, 4))),
        truth=(2, 4, 3),
        risks=(Fraction(1, 3), Fraction(1, 6), Fraction(1, 12)),
        path_weights={path: Fraction(1, weight) for path, weight in weights.items()},
    )
