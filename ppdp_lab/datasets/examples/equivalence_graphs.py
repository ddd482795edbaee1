"""The matrices, attacks and bucket graphs of the equivalence paper [1]_: Examples 5 to 9 and Figures 2 to 4.

All are about Tables IVb, Vb and VI (``equivalence.merged_series``) except Figure 4, which is about Table VII.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ppdp_lab.registry import OneLine

_PERSONS = ["Alice", "Bob", "Chris", "Dan", "Ellen", "Frank", "Greg", "Harry", "Ian", "Jane", "c1"]
_VALUES = ["cancer", "flu", "measles"]
_BUCKETS = {
    "cancer, flu": (["S1", "S3", "S5"], ["Alice", "Bob", "Chris", "Dan", "Greg", "c1"]),
    "cancer, measles": (["S2", "S4", "S6"], ["Ellen", "Frank", "Harry", "Ian", "Jane"]),
}


@dataclass(frozen=True)
class Attack(OneLine):
    """An equivalence attack (Definition 10): the persons on both sides have the same values, as multisets."""

    weights: tuple[int, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True)
class Matrices(OneLine):
    """Person and value matrix, one row per published group, and attacks on them."""

    persons: pd.DataFrame
    values: pd.DataFrame
    attacks: tuple[Attack, ...] = ()


@dataclass(frozen=True)
class BucketGraph(OneLine):
    """A bucket's history as a directed graph (Algorithm 1).

    Node i is the bucket's snapshot i, node 0 stands for what comes later. An edge (i, j) holds the records that came with
    snapshot i and were gone in snapshot j, (i, 0) those that are still there; its weight is their number.
    """

    nodes: tuple[int, ...]
    edges: dict[tuple[int, int], tuple[str, ...]]


def _matrix(rows: list[str], columns: list[str], index: list[str]) -> pd.DataFrame:
    return pd.DataFrame([[int(cell) for cell in row.split()] for row in rows], columns=columns, index=index)


def example_5() -> Matrices:
    """Person matrix S and value matrix U of Example 5 of [1]_: six groups, two each of Tables IVb, Vb and VI.

    >>> example_5().values.loc["U4"].to_dict()
    {'cancer': 2, 'flu': 0, 'measles': 2}
    """
    persons = [
        "1 1 1 1 0 0 0 0 0 0 0",
        "0 0 0 0 1 1 0 0 0 0 0",
        "1 0 1 0 0 0 1 0 0 0 1",
        "0 0 0 0 1 0 0 1 1 1 0",
        "1 0 1 0 0 0 1 0 0 0 1",
        "0 0 0 0 0 0 0 0 1 1 0",
    ]
    values = ["2 2 0", "1 0 1", "2 2 0", "2 0 2", "2 2 0", "1 0 1"]
    numbers = range(1, 7)
    return Matrices(
        _matrix(persons, _PERSONS, [f"S{i}" for i in numbers]), _matrix(values, _VALUES, [f"U{i}" for i in numbers])
    )


def example_6() -> Matrices:
    """Example 6 of [1]_: the matrices of Example 5 with the attacks W3 (of 2) and W4 (of 1, Frank = Harry).

    >>> [len(attack.left) for attack in example_6().attacks]
    [2, 1]
    """
    both = example_5()
    attacks = (
        Attack((0, 1, 0, 0, 0, -1), ("Ellen", "Frank"), ("Ian", "Jane")),
        Attack((0, 1, 0, -1, 0, 1), ("Frank",), ("Harry",)),
    )
    return Matrices(both.persons, both.values, attacks)


def example_7() -> dict[str, Matrices]:
    """Example 7 of [1]_: the matrices by bucket, P1 and Q1, P2 and Q2, with the attacks W1' to W4'.

    >>> list(example_7())
    ['cancer, flu', 'cancer, measles']
    """
    both = example_5()
    attacks = {
        "cancer, flu": (
            Attack((1, -1, 0), ("Bob", "Dan"), ("Greg", "c1")),
            Attack((1, 0, -1), ("Bob", "Dan"), ("Greg", "c1")),
        ),
        "cancer, measles": (
            Attack((1, 0, -1), ("Ellen", "Frank"), ("Ian", "Jane")),
            Attack((1, -1, 1), ("Frank",), ("Harry",)),
        ),
    }
    return {
        bucket: Matrices(
            both.persons.loc[rows, members],
            both.values.loc[[row.replace("S", "U") for row in rows]],
            attacks[bucket],
        )
        for bucket, (rows, members) in _BUCKETS.items()
    }


def example_8() -> dict[str, Matrices]:
    """Example 8 of [1]_: P1', Q1', P2', Q2', each row less the one before it, with the attacks W1'' = W2'', W3'', W4''.

    From weights w here the weights of Example 7 are w_i - w_(i+1), with 0 after the last (up to the sign of the whole);
    the running sums that the paper gives for Lemma 4 are wrong.

    >>> example_8()["cancer, measles"].persons.loc["S6"].tolist()
    [-1, 0, -1, 0, 0]
    """
    persons = {
        "cancer, flu": ["1 1 1 1 0 0", "0 -1 0 -1 1 1", "0 0 0 0 0 0"],
        "cancer, measles": ["1 1 0 0 0", "0 -1 1 1 1", "-1 0 -1 0 0"],
    }
    values = {
        "cancer, flu": ["2 2 0", "0 0 0", "0 0 0"],
        "cancer, measles": ["1 0 1", "1 0 1", "-1 0 -1"],
    }
    attacks = {
        "cancer, flu": (Attack((0, 1, 0), ("Greg", "c1"), ("Bob", "Dan")),),
        "cancer, measles": (
            Attack((0, 1, 1), ("Ian", "Jane"), ("Ellen", "Frank")),
            Attack((1, 0, 1), ("Frank",), ("Harry",)),
        ),
    }
    return {
        bucket: Matrices(
            _matrix(persons[bucket], members, rows),
            _matrix(values[bucket], _VALUES, [row.replace("S", "U") for row in rows]),
            attacks[bucket],
        )
        for bucket, (rows, members) in _BUCKETS.items()
    }


def figure_2() -> tuple[BucketGraph, ...]:
    """Figure 2 of [1]_, as Example 9 tells it: bucket {cancer, flu} of the merged series after T1, T2, T3.

    Example 9 says that Bob and Ellen leave at T2; it is Bob and Dan.

    >>> figure_2()[1].edges[1, 2]
    ('Bob', 'Dan')
    """
    return _graphs(
        {"1-0": "Alice Bob Chris Dan"},
        {"1-0": "Alice Chris", "1-2": "Bob Dan", "2-0": "Greg c1"},
        {"1-0": "Alice Chris", "1-2": "Bob Dan", "2-0": "Greg c1"},
    )


def figure_3() -> tuple[BucketGraph, ...]:
    """Figure 3 of [1]_: bucket {cancer, measles} of the merged series after T1, T2, T3.

    The picture is lost; the edges follow from P2' of Example 8, and hold the two cuts that Example 9 describes.

    >>> {edge: len(records) for edge, records in figure_3()[2].edges.items()}
    {(1, 2): 1, (1, 3): 1, (2, 3): 1, (2, 0): 2}
    """
    return _graphs(
        {"1-0": "Ellen Frank"},
        {"1-0": "Ellen", "1-2": "Frank", "2-0": "Harry Ian Jane"},
        {"1-2": "Frank", "1-3": "Ellen", "2-3": "Harry", "2-0": "Ian Jane"},
    )


def figure_4() -> tuple[BucketGraph, ...]:
    """Figure 4 of [1]_: bucket {cancer, measles} of Table VII after T1, T2, T3.

    The picture is lost; the edges follow from the records that Example 10 inserts and deletes.

    >>> {edge: len(records) for edge, records in figure_4()[1].edges.items()}
    {(1, 0): 1, (1, 2): 3, (2, 0): 3}
    """
    return _graphs(
        {"1-0": "Ellen Frank c2 c3"},
        {"1-0": "Ellen", "1-2": "Frank c2 c3", "2-0": "Harry Ian Jane"},
        {"1-2": "Frank c2 c3", "1-3": "Ellen", "2-3": "Harry", "2-0": "Ian Jane", "3-0": "c4 c5"},
    )


def _graphs(*snapshots: dict[str, str]) -> tuple[BucketGraph, ...]:
    graphs = []
    for number, written in enumerate(snapshots, 1):
        edges = {(int(edge[0]), int(edge[2])): tuple(records.split()) for edge, records in written.items()}
        graphs.append(BucketGraph(tuple(range(number + 1)), edges))
    return tuple(graphs)
