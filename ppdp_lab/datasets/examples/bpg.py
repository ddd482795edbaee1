"""Worked examples of the BPG paper [1]_: Tables 1 to 3.

References
----------
.. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
   CIKM 2012.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from ppdp_lab.datasets.examples.forms import PSEUDONYM, ExampleRelease, over_common_domains, publish
from ppdp_lab.table import Microdata, Schema

__all__ = ["table_1", "table_2", "table_3"]

_PATIENTS = ["Alice", "Charlotte", "Bob", "Dave", "Fran", "George", "Ellis", "Helen"]
_RELEASES = {
    "release 1": {"Alice": "Flu", "Charlotte": "Migraine", "Bob": "Pneumonia", "Dave": "HIV"},
    "release 2": {"Alice": "Flu", "Dave": "HIV", "Fran": "Flu", "George": "Cancer"},
    "release 3": {"Fran": "Flu", "George": "Cancer", "Ellis": "HIV", "Helen": "HIV"},
}
_AGES = pd.CategoricalDtype(list(range(25, 43)), ordered=True)
_TRACKED = {
    "1": (25, "F"),
    "2": (35, "F"),
    "3": (30, "F"),
    "4": (40, "F"),
    "5": (35, "F"),
    "6": (33, "M"),
    "7": (38, "M"),
}
_ILLNESSES = {
    "release 1": {"3": "Flu", "4": "HIV", "5": "Cancer", "6": "Flu"},
    "release 2": {
        "1": "Cancer",
        "2": "Flu",
        "3": "Tuberculosis",
        "4": "Flu",
        "5": "HIV",
        "6": "Cancer",
        "7": "HIV",
    },
}


@cache
def _hospital() -> dict[str, Microdata]:
    frames = {
        label: pd.DataFrame({"age": "30-40", "gender": "M-F", "illness": list(patients.values())}, index=list(patients))
        for label, patients in _RELEASES.items()
    }
    schema = Schema(["age", "gender"], sensitive="illness")
    return over_common_domains(frames, schema, provenance="worked example, Table 1 of the BPG paper")


@cache
def _tracked() -> dict[str, Microdata]:
    frames = {}
    for label, illnesses in _ILLNESSES.items():
        ages = pd.Categorical([_TRACKED[uid][0] for uid in illnesses], dtype=_AGES)
        genders = [_TRACKED[uid][1] for uid in illnesses]
        columns = {"age": ages, "gender": genders, "illness": list(illnesses.values())}
        frames[label] = pd.DataFrame(columns, index=list(illnesses))
    schema = Schema(["age", "gender"], sensitive="illness")
    return over_common_domains(frames, schema, provenance="worked example, Table 3 of the BPG paper")


def table_1() -> tuple[ExampleRelease, ...]:
    """Table 1 of [1]_: three releases with deletions and insertions, each one single class.

    The paper prints generalized quasi-identifiers only, the same for everybody; they stand in the microdata as they are.
    Tracking numbers are not printed: patients are numbered by first appearance.

    >>> [release.table.ids.tolist() for release in table_1()][1]
    ['Alice', 'Dave', 'Fran', 'George']
    """
    return tuple(
        publish(
            table,
            [" ".join(table.ids)],
            labels=[("30-40", "M-F")],
            pseudonyms=np.array([_PATIENTS.index(name) + 1 for name in table.ids]),
        )
        for table in _hospital().values()
    )


def table_2() -> pd.DataFrame:
    """Table 2 of [1]_: all that releases 2 and 3 of Table 1 leave possible, each cell a sorted pair of illnesses.

    >>> table_2().iloc[1].tolist()
    [('Cancer', 'Flu'), ('Flu', 'HIV'), ('HIV', 'HIV')]
    """
    columns = ["Fran & George", "Alice & Dave", "Ellis & Helen"]
    rows = [
        ["Flu HIV", "Flu Cancer", "Cancer HIV"],
        ["Flu Cancer", "HIV Flu", "HIV HIV"],
        ["HIV Cancer", "Flu Flu", "Flu HIV"],
    ]
    return pd.DataFrame([[tuple(sorted(cell.split())) for cell in row] for row in rows], columns=columns)


def table_3() -> tuple[ExampleRelease, ExampleRelease]:
    """Table 3 of [1]_: a class of a first release and the three classes of a second one that overlap it.

    Records are known by their UID, here both id and published pseudonym; illnesses change between the releases. The
    quasi-identifiers of single records are not printed: the ones given fit all printed boxes. No choice makes the box of
    class 2 of the second release tight, since its records 4 and 5 also lie between 30 and 40.

    >>> first, second = table_3()
    >>> first.groups(), second.groups()
    ([('3', '4', '5', '6')], [('1', '2', '3'), ('4', '5'), ('6', '7')])
    """
    releases = []
    for table, groups, labels in zip(
        _tracked().values(),
        (["3 4 5 6"], ["1 2 3", "4 5", "6 7"]),
        ([("[30, 40]", "{F, M}")], [("[25, 35]", "F"), ("[35, 42]", "F"), ("[33, 38]", "M")]),
    ):
        release = publish(table, groups, labels=labels, pseudonyms=table.ids.to_numpy().astype(np.int64))
        release.printed[PSEUDONYM] = release.printed.index.astype("int64")
        releases.append(release)
    return releases[0], releases[1]
