"""Worked examples of the thesis on Speedy [1]_: Tables 1 to 9 and 16, Figure 4, and the skewed table of section 3.2.

References
----------
.. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded algorithm
   preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ppdp_lab.datasets.examples.forms import Transactions
from ppdp_lab.table import Hierarchy, Microdata, Schema

__all__ = [
    "figure_4",
    "similarity",
    "skewness",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
    "table_6",
    "table_7",
    "table_8",
    "table_9",
    "table_16",
]

QUASI_IDENTIFIERS = ["birthplace", "birth year", "zipcode"]

_PATIENTS = [
    ("Paulo Dybala", "457-58-9658", "Argentina", 1975, "4370", "HIV"),
    ("Jeison Murillo", "452-45-7895", "Colombia", 1972, "4378", "HIV"),
    ("Lucas Romero", "785-96-7845", "Argentina", 1962, "4379", "Fever"),
    ("Adrien Rabiot", "457-89-6325", "France", 1955, "4352", "Cancer"),
    ("Eric Dier", "787-85-9658", "England", 1986, "4350", "Flu"),
    ("Alessio Cerci", "789-89-8547", "Italy", 1972, "4397", "HIV"),
    ("Henri Lansbury", "789-25-5896", "England", 1984, "4398", "Fever"),
    ("Simone Zaza", "980-02-8767", "Italy", 1973, "4398", "Flu"),
    ("Florent Thauvin", "786-89-1782", "France", 1987, "4393", "Fever"),
]
_CONTINENTS = {"South America": ("Argentina", "Brazil", "Colombia"), "Europe": ("England", "France", "Italy")}


def _patients() -> pd.DataFrame:
    columns = ["name", "ssn", *QUASI_IDENTIFIERS, "disease"]
    return pd.DataFrame(_PATIENTS, columns=columns, index=range(1, len(_PATIENTS) + 1))


def _places(countries: Iterable[str]) -> Hierarchy:
    occurring = set(countries)
    return Hierarchy.from_dict(
        {continent: [c for c in members if c in occurring] for continent, members in _CONTINENTS.items()}
    )


def _years(top: str) -> Hierarchy:
    halves = {year: "[1955, 1974]" if year < 1975 else "[1975, 1995]" for year in range(1955, 1996)}
    return Hierarchy.from_levels({year: [half, top] for year, half in halves.items()})


def _hierarchies(frame: pd.DataFrame, top_year: str) -> dict[str, Hierarchy]:
    return {
        "birthplace": _places(frame["birthplace"]),
        "birth year": _years(top_year),
        "zipcode": Hierarchy.mask_suffix(frame["zipcode"], height=3),
    }


def _boxes(ids: Sequence[int], boxes: Sequence[tuple[str, str, str]], diseases: str) -> pd.DataFrame:
    """A printed table: one box per row, and the diseases separated by blanks."""
    frame = pd.DataFrame(list(boxes), columns=QUASI_IDENTIFIERS, index=list(ids))
    return frame.assign(disease=diseases.split())


def table_1() -> Microdata:
    """Table 1 of [1]_: nine patients with identifiers, three quasi-identifiers and a disease.

    The hierarchies are those that Table 2 was made with; the top of the birth years is labelled as it is printed there.

    >>> table = table_1()
    >>> table.hierarchies["zipcode"].levels("4397"), table.hierarchies["birth year"].levels(1972)
    (['4397', '439*', '43**', '4***'], ['1972', '[1955, 1974]', '[1955, 1995]'])
    """
    frame = _patients()
    schema = Schema(QUASI_IDENTIFIERS, sensitive="disease", identifiers=["name", "ssn"])
    return Microdata(
        frame, schema, _hierarchies(frame, "[1955, 1995]"), provenance="worked example, Table 1 of Chatzopoulos, 2015"
    )


def table_2() -> pd.DataFrame:
    """Table 2 of [1]_ as printed: a 3-anonymous version of Table 1.

    It puts patient 6, whose zip code is 4397, under 435*; generalizing Table 1 gives 439* and classes of 3, 2 and 4.

    >>> table_2()["zipcode"].value_counts().to_dict()
    {'437*': 3, '435*': 3, '439*': 3}
    """
    return _boxes(range(1, 10), _THREE_BOXES, "HIV HIV Fever Cancer Flu HIV Fever Flu Fever")


def table_3() -> pd.DataFrame:
    """Table 3 of [1]_ as printed: the boxes of Table 2 with other diseases, open to attribute linkage.

    It keeps Table 2's slip about patient 6, and the text attacks Henri but concludes about a Bob.

    >>> table_3().loc[7:, "disease"].unique().tolist()
    ['Fever']
    """
    return _boxes(range(1, 10), _THREE_BOXES, "Flu HIV Flu Cancer Flu HIV Fever Fever Fever")


def table_4() -> pd.DataFrame:
    """Table 4 of [1]_ as printed: Table 3 generalized to one class, with patients 2 and 8 in each other's place.

    The caption claims 2-diversity; the class holds 4 distinct diseases.

    >>> table_4()["disease"].nunique()
    4
    """
    boxes = [("*", "[1955, 1995]", "43**")] * 9
    return _boxes([1, 8, 3, 4, 5, 6, 7, 2, 9], boxes, "Flu Fever Flu Cancer Flu HIV Fever HIV Fever")


def table_5() -> Microdata:
    """Table 5 of [1]_: one class with two sensitive attributes.

    No quasi-identifiers are printed; the name of the class stands for them.

    >>> table_5().schema.sensitive
    ('hospital', 'disease')
    """
    hospitals = ["Peter Smith Hospital"] * 2 + ["NorthWest Hospital", "Forest Park Hospital"]
    frame = pd.DataFrame(
        {"class": "EC1", "hospital": hospitals, "disease": ["HIV", "Cancer", "Flu", "Flu"]}, index=range(1, 5)
    )
    schema = Schema("class", sensitive=["hospital", "disease"])
    return Microdata(frame, schema, provenance="worked example, Table 5 of Chatzopoulos, 2015")


def table_6() -> Microdata:
    """Table 6 of [1]_: six patients. Birth years are plain numbers, because Table 7 generalizes them to a range.

    >>> print(*table_6().frame.loc[2])
    Brazil 1987 4373 Cancer
    """
    rows = [
        ("Colombia", 1972, "4378", "HIV"),
        ("Brazil", 1987, "4373", "Cancer"),
        ("Italy", 1972, "4397", "HIV"),
        ("England", 1984, "4398", "Fever"),
        ("Italy", 1973, "4398", "Flu"),
        ("Argentina", 1962, "4379", "Fever"),
    ]
    frame = pd.DataFrame(rows, columns=[*QUASI_IDENTIFIERS, "disease"], index=range(1, 7))
    trees = {
        "birthplace": _places(frame["birthplace"]),
        "zipcode": Hierarchy.mask_suffix(frame["zipcode"], height=3),
    }
    schema = Schema(QUASI_IDENTIFIERS, sensitive="disease")
    return Microdata(frame, schema, trees, provenance="worked example, Table 6 of Chatzopoulos, 2015")


def table_7() -> pd.DataFrame:
    """Table 7 of [1]_ as printed: a (1/3, 3)-anonymous version of Table 6; the text calls it (1/3, 2)-anonymous.

    >>> table_7()["zipcode"].value_counts().to_dict()
    {'437*': 3, '439*': 3}
    """
    boxes = [("South America", "[1962, 1987]", "437*")] * 3 + [("Europe", "[1962, 1987]", "439*")] * 3
    return _boxes([1, 2, 6, 3, 4, 5], boxes, "HIV Cancer Fever HIV Fever Flu")


def table_8() -> Transactions:
    """Table 8 of [1]_: five transactions, of whose items s1 and s2 are sensitive.

    >>> sorted(table_8().rows[0])
    ['a1', 'a2', 'a3', 's1', 's2']
    """
    return Transactions.of(["a1 a2 a3 s1 s2", "a1 a4 a3", "a4 a3", "a4 s2", "a1 a3 s1 s2"], sensitive="s1 s2")


def table_9() -> Transactions:
    """Table 9 of [1]_: Table 8 without a2 and s1, which makes it 0.7-uncertain.

    >>> sorted(table_9().rows[0])
    ['a1', 'a3', 's2']
    """
    return Transactions.of(["a1 a3 s2", "a1 a4 a3", "a4 a3", "a4 s2", "a1 a3 s2"], sensitive="s1 s2")


def table_16() -> Microdata:
    """Table 16 of [1]_, on which Incognito and Flash are shown: the rows of Table 1 without names, under Figure 4.

    >>> [hierarchy.height for hierarchy in table_16().hierarchies.values()]
    [2, 2, 3]
    """
    frame = _patients()[[*QUASI_IDENTIFIERS, "disease"]]
    schema = Schema(QUASI_IDENTIFIERS, sensitive="disease")
    return Microdata(frame, schema, figure_4(), provenance="worked example, Table 16 of Chatzopoulos, 2015")


def figure_4() -> dict[str, Hierarchy]:
    """Figure 4 of [1]_: the hierarchies of Table 16. Leaves are the places and zip codes that occur, and all years.

    >>> figure_4()["birth year"].levels(1975)
    ['1975', '[1975, 1995]', '*']
    """
    return _hierarchies(_patients(), "*")


def skewness() -> tuple[Microdata, np.ndarray]:
    """The skewed table of sections 3.2.2.5 and 3.2.3 of [1]_: 10,000 test results, 1 % of them positive.

    Returns the table, whose quasi-identifier only tells persons apart, and the class of each person: 0 holds 1 positive
    and 49 negative results, 1 holds 49 and 1, 2 holds 25 of either kind, 3 everybody else. The text says that class 2 meets
    *any* recursive (c, 2)-diversity; it does for c > 1 only.

    >>> table, class_of = skewness()
    >>> table.totals()[0].tolist(), np.bincount(class_of).tolist()
    ([9900, 100], [50, 50, 50, 9850])
    """
    classes = [(1, 49), (49, 1), (25, 25), (25, 9825)]
    results = [word for pair in classes for word, count in zip(("positive", "negative"), pair) for _ in range(count)]
    frame = pd.DataFrame({"person": range(len(results)), "result": results})
    table = Microdata(
        frame, Schema("person", sensitive="result"), provenance="worked example, section 3.2 of Chatzopoulos, 2015"
    )
    return table, np.repeat(np.arange(len(classes), dtype=np.int32), [sum(pair) for pair in classes])


def similarity() -> tuple[str, ...]:
    """The diseases of section 3.2.3 of [1]_ that differ, yet all tell of the stomach: a similarity attack.

    >>> len(set(similarity()))
    3
    """
    return ("gastric ulcer", "gastritis", "stomach cancer")


_THREE_BOXES = [
    *[("South America", "[1955, 1995]", "437*")] * 3,
    *[("Europe", "[1955, 1995]", "435*")] * 3,
    *[("Europe", "[1955, 1995]", "439*")] * 3,
]
