"""The matrices, attacks and bucket graphs of the equivalence paper [1]_: Examples 5 to 9 and Figures 2 to 4.

All are about Tables IVb, Vb and VI (``equivalence.merged_series``) except Figure 4, which is about Table VII.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pandas as pd

from ppdp_lab.datasets.examples.forms import ExampleRelease, over_common_domains, publish
from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.text import OneLine

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


# --------------------------------------------------------------------
# Worked examples of the equivalence paper [1]_: Tables I to VII, Examples 5 to 10, Figures 1 to 4.
#
# References
# ----------
# .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.


__all__ = [
    "example_5",
    "example_6",
    "example_7",
    "example_8",
    "figure_1",
    "figure_2",
    "figure_3",
    "figure_4",
    "invariant_series",
    "merged_series",
    "naive_series",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
    "table_6",
    "table_7",
]

_DISEASES = {
    "Alice": "cancer",
    "Bob": "flu",
    "Chris": "cancer",
    "Dan": "flu",
    "Ellen": "measles",
    "Frank": "cancer",
    "Greg": "flu",
    "Harry": "cancer",
    "Ian": "measles",
    "Jane": "cancer",
    "c1": "flu",
    "c2": "measles",
    "c3": "cancer",
    "c4": "measles",
    "c5": "cancer",
}
_QUASI_IDENTIFIERS = {
    "Alice": (35, 53_000),
    "Bob": (49, 55_000),
    "Chris": (42, 65_000),
    "Dan": (49, 55_000),
    "Ellen": (43, 62_000),
    "Frank": (41, 67_000),
    "Greg": (45, 60_000),
    "Harry": (42, 65_000),
    "Ian": (45, 60_000),
    "Jane": (42, 65_000),
    "c1": (49, 51_000),
}
_SNAPSHOTS = {
    "T1": "Alice Bob Chris Dan Ellen Frank",
    "T2": "Alice Chris Ellen Greg Harry Ian Jane",
    "T3": "Alice Chris Greg Ian Jane",
}


@cache
def _tables() -> dict[str, Microdata]:
    frames = {label: _rows(names) for label, names in (_SNAPSHOTS | {"counterfeits": "c1"}).items()}
    frames["T2 printed"] = frames["T2"].copy()
    frames["T2 printed"].loc["Ellen", ["age", "zip"]] = [49, 55_000]
    # The printed ranges nest: decades and ten thousands under one range that holds them all.
    trees = {
        "age": Hierarchy.from_levels({a: [f"[{a // 10 * 10}-{a // 10 * 10 + 9}]", "[30-49]"] for a in range(30, 50)}),
        "zip": Hierarchy.from_levels(
            {z: [f"[{z // 10_000}0k-{z // 10_000}9k]", "[50k-69k]"] for z in range(50_000, 70_000, 1_000)}
        ),
    }
    schema = Schema(["age", "zip"], sensitive="disease")
    return over_common_domains(frames, schema, trees, provenance="worked example of the equivalence paper")


def _rows(names: str) -> pd.DataFrame:
    owners = names.split()
    frame = pd.DataFrame([_QUASI_IDENTIFIERS[name] for name in owners], columns=["age", "zip"], index=owners)
    return frame.assign(disease=[_DISEASES[name] for name in owners])


def table_1() -> ExampleRelease:
    """Tables Ia and Ib of [1]_: microdata and a 2-diverse generalization at T1.

    Ellen and Frank's group is printed with zip codes 50k-69k, though theirs are all in 60k-69k; it thus shows the same
    quasi-identifiers as Chris and Dan's, and only group ids tell the two apart.

    >>> table_1().values()
    [('cancer', 'flu'), ('cancer', 'flu'), ('cancer', 'measles')]
    """
    labels = [("[30-49]", "[50k-59k]"), ("[40-49]", "[50k-69k]"), ("[40-49]", "[50k-69k]")]
    return publish(_tables()["T1"], ["Alice Bob", "Chris Dan", "Ellen Frank"], labels=labels)


def table_2() -> ExampleRelease:
    """Tables IIa and IIb of [1]_: microdata at T2 and a generalization that betrays Alice by intersection.

    Ellen is 49 and lives in 55000 here and in Table III, but 43 and in 62000 in Tables I, IV and V. The rule lines between
    groups are lost, so the five rows that show equal quasi-identifiers are taken as one group.

    >>> table_2().groups()[0], table_2().values()[0]
    (('Alice', 'Ellen'), ('cancer', 'measles'))
    """
    labels = [("[30-49]", "[50k-59k]"), ("[40-49]", "[50k-69k]")]
    return publish(_tables()["T2 printed"], ["Alice Ellen", "Chris Greg Harry Ian Jane"], labels=labels)


def table_3() -> ExampleRelease:
    """Tables IIIa and IIIb of [1]_: microdata at T2 and a generalization that is 2-invariant after Table Ib.

    Counterfeit c1 gets the quasi-identifiers that Table Vb prints for it; Example 1 places it in Table Ib by mistake.

    >>> table_3().groups()
    [('Alice', 'Greg'), ('Chris', 'c1'), ('Ellen', 'Harry'), ('Ian', 'Jane')]
    """
    labels = [("[30-49]", "[50k-69k]"), *[("[40-49]", "[50k-69k]")] * 3]
    groups = ["Alice Greg", "Chris c1", "Ellen Harry", "Ian Jane"]
    return publish(_tables()["T2 printed"], groups, labels=labels, invented=_tables()["counterfeits"])


def table_4(*, anatomized: bool = True) -> ExampleRelease:
    """Tables IVa (generalized) and IVb (anatomized) of [1]_: merged buckets at T1.

    >>> print(*table_4().printed.loc["Alice"], *table_4(anatomized=False).printed.loc["Alice"])
    1 35 53000 flu 1 [30-49] [50k-69k] cancer
    """
    groups = ["Alice Bob Chris Dan", "Ellen Frank"]
    if anatomized:
        return publish(_tables()["T1"], groups, shown="flu flu cancer cancer measles cancer")
    return publish(_tables()["T1"], groups, labels=[("[30-49]", "[50k-69k]"), ("[40-49]", "[60k-69k]")])


def table_5(*, anatomized: bool = True) -> ExampleRelease:
    """Tables Va (generalized) and Vb (anatomized) of [1]_: merged buckets at T2.

    The second bucket is printed with zip codes 50k-69k in Va, though Vb shows them all in 60k-69k.

    >>> table_5().groups()
    [('Alice', 'Greg', 'Chris', 'c1'), ('Ellen', 'Harry', 'Ian', 'Jane')]
    """
    groups = ["Alice Greg Chris c1", "Ellen Harry Ian Jane"]
    tables = _tables()
    if anatomized:
        shown = "flu flu cancer cancer measles measles cancer cancer"
        return publish(tables["T2"], groups, invented=tables["counterfeits"], shown=shown)
    labels = [("[30-49]", "[50k-69k]"), ("[40-49]", "[50k-69k]")]
    return publish(tables["T2"], groups, labels=labels, invented=tables["counterfeits"])


def table_6() -> ExampleRelease:
    """Table VI of [1]_: merged buckets at T3, anatomized, after Ellen and Harry left.

    >>> table_6().groups()
    [('Alice', 'Greg', 'Chris', 'c1'), ('Ian', 'Jane')]
    """
    groups = ["Alice Greg Chris c1", "Ian Jane"]
    shown = "flu flu cancer cancer measles cancer"
    return publish(_tables()["T3"], groups, invented=_tables()["counterfeits"], shown=shown)


def table_7() -> tuple[ExampleRelease, ...]:
    """Table VII of [1]_: the 2-value equivalence series of Example 10, anatomized, at T1, T2 and T3.

    Quasi-identifiers are printed as symbols only, qi1 of Alice to qi10 of Jane and qi'1 to qi'5 of the counterfeits.
    Example 10 speaks of a {cancer, flu} pair where it adds Ian and Jane, who have measles and cancer.

    >>> [release.counterfeits.ids.tolist() for release in table_7()]
    [['c2', 'c3'], ['c1'], ['c1', 'c4', 'c5']]
    """
    groups = {
        "T1": ["Alice Bob Chris Dan", "Ellen Frank c2 c3"],
        "T2": ["Alice Greg Chris c1", "Ellen Harry Ian Jane"],
        "T3": ["Alice Greg Chris c1", "Ian Jane c4 c5"],
    }
    tables = _symbols()
    return tuple(publish(tables[time], groups[time], invented=tables["counterfeits"]) for time in groups)


@cache
def _symbols() -> dict[str, Microdata]:
    persons = [name for name in _DISEASES if not name.startswith("c")]
    symbols = {name: f"qi{i}" for i, name in enumerate(persons, 1)} | {f"c{i}": f"qi'{i}" for i in range(1, 6)}
    frames = {}
    for label, names in (_SNAPSHOTS | {"counterfeits": "c1 c2 c3 c4 c5"}).items():
        owners = names.split()
        columns = {"qis": [symbols[name] for name in owners], "disease": [_DISEASES[name] for name in owners]}
        frames[label] = pd.DataFrame(columns, index=owners)
    schema = Schema("qis", sensitive="disease")
    return over_common_domains(frames, schema, provenance="worked example, Table VII of the equivalence paper")


def naive_series() -> tuple[ExampleRelease, ExampleRelease]:
    """Tables Ib and IIb of [1]_: each is 2-diverse, together they tell that Alice has cancer.

    >>> [release.values()[0] for release in naive_series()]
    [('cancer', 'flu'), ('cancer', 'measles')]
    """
    return table_1(), table_2()


def invariant_series() -> tuple[ExampleRelease, ExampleRelease]:
    """Tables Ib and IIIb of [1]_ (Examples 1 and 3): 2-invariant, with minimum equivalence 1.

    >>> [release.values()[0] for release in invariant_series()]
    [('cancer', 'flu'), ('cancer', 'flu')]
    """
    return table_1(), table_3()


def merged_series() -> tuple[ExampleRelease, ...]:
    """Tables IVb, Vb and VI of [1]_ (Examples 4 to 9): merged buckets, with minimum equivalence 1 after T3.

    >>> [len(release.printed) for release in merged_series()]
    [6, 8, 6]
    """
    return table_4(), table_5(), table_6()


def figure_1() -> dict[str, dict[tuple[str, str], tuple[str, ...]]]:
    """Figure 1 of [1]_, as Example 2 tells it: members of each bucket, by signature, in the four steps of m-invariance.

    >>> figure_1()["balancing"]["cancer", "flu"]
    ('Alice', 'Chris', 'Greg', 'c1')
    """
    steps = {
        "before": ("Alice Bob Chris Dan", "Ellen Frank"),
        "division": ("Alice Chris", "Ellen"),
        "balancing": ("Alice Chris Greg c1", "Ellen Harry"),
        "assignment": ("Alice Chris Greg c1", "Ellen Harry Ian Jane"),
    }
    signatures = (("cancer", "flu"), ("cancer", "measles"))
    return {
        step: {signature: tuple(names.split()) for signature, names in zip(signatures, buckets)}
        for step, buckets in steps.items()
    }
