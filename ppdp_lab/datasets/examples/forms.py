"""The forms in which worked examples are given, and how the tables of a series get common domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.text import OneLine

GROUP, PSEUDONYM = "group", "pseudonym"


@dataclass(frozen=True, eq=False)
class ExampleRelease(OneLine):
    """One published table of a paper, with what its holder knows.

    Attributes
    ----------
    table : Microdata
        The persons that were to be published; their names are the ids. All tables of a series share their domains.
    class_of : numpy.ndarray
        Group of each person, 0, 1, ... in the order of the printed table.
    counterfeits : Microdata
        The invented records, ``c1`` and so on, over the same domains; often empty.
    counterfeit_class : numpy.ndarray
        Group of each counterfeit.
    printed : pandas.DataFrame
        The published rows in printed order: ``group`` (counted from 1, as the papers do), quasi-identifiers, sensitive
        value, and ``pseudonym`` where the paper prints one. The index names each row's owner, which the papers print for
        the reader's sake only. ``Published.from_frame(printed, table)`` reads generalized ones.
    anatomized : bool
        Whether the quasi-identifiers are published as they are. Then a sensitive value belongs to its row's group, not to
        its row.
    pseudonyms : numpy.ndarray or None
        Tracking number of each person, stable over the series.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> from ppdp_lab.datasets import examples
    >>> from ppdp_lab.release import Counterfeits
    >>> example = examples.equivalence.table_3()
    >>> fake = example.counterfeits
    >>> invented = Counterfeits(example.counterfeit_class, fake.sensitive_codes, fake.qi_codes)
    >>> pl.Release(example.table, example.class_of, counterfeits=invented, grouped=True)
    <Release of 7 records in 4 classes, 1 counterfeit>
    """

    table: Microdata
    class_of: np.ndarray
    counterfeits: Microdata
    counterfeit_class: np.ndarray
    printed: pd.DataFrame
    anatomized: bool = False
    pseudonyms: np.ndarray | None = None

    def groups(self) -> list[tuple[str, ...]]:
        """Owners of each group, counterfeits among them."""
        return [tuple(rows.index) for _, rows in self.printed.groupby(GROUP)]

    def values(self) -> list[tuple[str, ...]]:
        """Sensitive values of each group, sorted, each as often as it occurs."""
        column = self.table.schema.sensitive[0]
        return [tuple(sorted(rows[column])) for _, rows in self.printed.groupby(GROUP)]


@dataclass(frozen=True)
class Transactions(OneLine):
    """Transactions as sets of items, and which of the items are sensitive.

    >>> Transactions.of(["bread beer", "bread test"], sensitive="test").sensitive
    frozenset({'test'})
    """

    rows: tuple[frozenset[str], ...]
    sensitive: frozenset[str]

    @classmethod
    def of(cls, rows: Sequence[str], *, sensitive: str) -> Transactions:
        """From items separated by blanks."""
        return cls(tuple(frozenset(row.split()) for row in rows), frozenset(sensitive.split()))


def over_common_domains(
    frames: Mapping[str, pd.DataFrame],
    schema: Schema,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    provenance: str,
) -> dict[str, Microdata]:
    """Microdata of several frames, each indexed by names, in which a code means the same everywhere.

    A person may stand in several frames with different values.

    >>> frames = {"may": pd.DataFrame({"age": [30]}, ["Ann"]), "june": pd.DataFrame({"age": [31, 30]}, ["Ann", "Bob"])}
    >>> tables = over_common_domains(frames, Schema("age"), provenance="worked example")
    >>> tables["june"].codes("age").tolist(), tables["june"].ids.tolist()
    ([1, 0], ['Ann', 'Bob'])
    """
    whole_frame = pd.concat(list(frames.values()))
    names = whole_frame.index.tolist()
    first = {name: names.index(name) for name in names}
    ids = [name if first[name] == row else f"{name}, row {row}" for row, name in enumerate(names)]
    whole = Microdata(whole_frame, schema, hierarchies, ids=ids, provenance=provenance)
    tables: dict[str, Microdata] = {}
    start = 0
    for label, frame in frames.items():
        rows = slice(start, start + len(frame))
        start += len(frame)
        persons = whole.select(np.array([first[name] for name in frame.index]))
        tables[label] = persons.with_codes(
            qi_codes=whole.qi_codes[:, rows], sensitive_codes=whole.sensitive_codes[:, rows]
        )
    return tables


def publish(
    table: Microdata,
    groups: Sequence[str],
    *,
    labels: Sequence[Sequence[str]] | None = None,
    invented: Microdata | None = None,
    shown: str | None = None,
    pseudonyms: np.ndarray | None = None,
) -> ExampleRelease:
    """A printed table from its groups.

    Parameters
    ----------
    table : Microdata
    groups : list of str
        The owners of each group, in printed order, separated by blanks.
    labels : list of lists of str, optional
        Generalized quasi-identifiers of each group; without them the table is anatomized.
    invented : Microdata, optional
        Where to find the counterfeits among the owners.
    shown : str, optional
        Sensitive values in printed order, separated by blanks, where they are not those of the owners beside them.
    pseudonyms : numpy.ndarray, optional
        One per record of the table.
    """
    members = [owners.split() for owners in groups]
    place = {name: number for number, owners in enumerate(members) for name in owners}
    fakes = [name for name in place if name not in table.ids]
    pool = table if invented is None else invented
    counterfeits = pool.select(np.array([pool.ids.get_loc(name) for name in fakes], dtype=np.int64))
    everyone = pd.concat([table.frame, counterfeits.frame]) if fakes else table.frame
    printed = everyone.loc[list(place)]
    if labels is not None:
        for i, column in enumerate(table.schema.quasi_identifiers):
            printed[column] = pd.array([labels[number][i] for number in place.values()], dtype="str")
    if shown is not None:
        printed[table.schema.sensitive[0]] = pd.array(shown.split(), dtype="str")
    printed.insert(0, GROUP, [number + 1 for number in place.values()])
    return ExampleRelease(
        table=table,
        class_of=np.array([place[name] for name in table.ids], dtype=np.int32),
        counterfeits=counterfeits,
        counterfeit_class=np.array([place[name] for name in fakes], dtype=np.int32),
        printed=printed,
        anatomized=labels is None,
        pseudonyms=pseudonyms,
    )
