"""Worked examples of the equivalence paper [1]_: Tables I to VII, Examples 5 to 10, Figures 1 to 4.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from functools import cache

import pandas as pd

from ppdp_lab.datasets.examples.equivalence_graphs import (
    example_5,
    example_6,
    example_7,
    example_8,
    figure_2,
    figure_3,
    figure_4,
)
from ppdp_lab.datasets.examples.forms import ExampleRelease, over_common_domains, publish
from ppdp_lab.table import Hierarchy, Microdata, Schema

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
