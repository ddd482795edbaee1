"""Snapshots: the table as it stands at one release, and what changed since the one before."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import IdError, ParameterError, SchemaError, check_integer, listed
from ppdp_lab.table import Microdata, common_domains, mixed, plain_index
from ppdp_lab.table.keys.hashing import text_hashes

_NONE = pd.Index([])


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The table as it stands at one release, and what changed since the one before.

    Attributes
    ----------
    table : Microdata
        All records to be published now; ids are stable over the stream.
    number : int
        0 for the first release.
    inserted, deleted, updated : pandas.Index
        Ids that came, went, or changed a value; any list of ids is made into an index.

    Notes
    -----
    The first snapshot of a stream or folder has no snapshot before it, so it lists all of its records as inserted. A
    publisher that has published before takes such a snapshot (see :attr:`stands_alone`) as a table whose changes it finds
    itself, and compares it with what it published last.
    """

    table: Microdata
    number: int = 0
    inserted: pd.Index = field(default_factory=lambda: _NONE)
    deleted: pd.Index = field(default_factory=lambda: _NONE)
    updated: pd.Index = field(default_factory=lambda: _NONE)

    def __post_init__(self) -> None:
        _check_table(self.table)
        check_integer("number", self.number, at_least=0)
        for what in ("inserted", "deleted", "updated"):
            ids = _index(what, getattr(self, what))
            object.__setattr__(self, what, ids)
            if not len(ids):
                continue
            try:
                present = self.table.ids.get_indexer(ids) >= 0
            except TypeError:  # what cannot be hashed cannot be looked up
                raise IdError(f"{what} must hold ids such as numbers or texts, not {reprlib.repr(ids[0])}") from None
            if what == "deleted" and present.any():
                raise IdError(f"deleted id(s) {listed(ids[present])} are still in the table; list those that left")
            if what != "deleted" and not present.all():
                raise IdError(f"{what} id(s) {listed(ids[~present])} are not in the table; list ids of its records")

    @property
    def stands_alone(self) -> bool:
        """Whether nothing is known of a snapshot before: it is the first one, and all of its records are new."""
        return not (self.number or len(self.deleted) or len(self.updated)) and len(self.inserted) == len(self.table) > 0

    @staticmethod
    def after(previous: Microdata | None, table: Microdata, number: int) -> Snapshot:
        """The snapshot that follows ``previous``, with the changes found by comparing ids and values.

        >>> import ppdp_lab as pl
        >>> frame = pd.DataFrame({"age": [30, 40, 50], "illness": ["flu", "flu", "HIV"]}, index=["a", "b", "c"])
        >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
        >>> snapshot = Snapshot.after(table.select([0, 1]), table.select([1, 2]), 1)
        >>> list(snapshot.inserted), list(snapshot.deleted), list(snapshot.updated)
        (['c'], ['a'], [])
        """
        _check_table(table)
        if previous is None:
            return Snapshot(table, number, inserted=table.ids)
        _check_table(previous)
        before, now = _aligned(previous, table)
        where = previous.ids.get_indexer(table.ids)
        stayed = where >= 0
        changed = np.zeros(len(table), dtype=bool)
        for new, old in ((now.qi_codes, before.qi_codes), (now.sensitive_codes, before.sensitive_codes)):
            changed[stayed] |= (new[:, stayed] != old[:, where[stayed]]).any(axis=0)
        gone = np.ones(len(previous), dtype=bool)
        gone[where[stayed]] = False
        return Snapshot(table, number, table.ids[~stayed], previous.ids[gone], table.ids[changed])

    def __repr__(self) -> str:
        changes = f"+{len(self.inserted)} -{len(self.deleted)} ~{len(self.updated)}"
        return f"<Snapshot {self.number} of {len(self.table)} records, {changes}>"


def records_digest(table: Microdata, persons: np.ndarray) -> str:
    """A hash of who is in a table with which values: the order of the records and the codes of the values do not matter.

    ``persons`` holds a number per record that stays the same over a series.
    """
    rows = mixed(persons)
    for name, domain in table.domains.items():
        rows = mixed(rows ^ text_hashes(domain.labels)[table.codes(name)])
    return f"{int(rows.sum(dtype=np.uint64)):016x}"


def _check_table(table: object) -> None:
    if not isinstance(table, Microdata):
        raise ParameterError(f"a snapshot holds a ppdp_lab.Microdata, not {type(table).__name__}")


def _index(what: str, ids: Any) -> pd.Index:
    if isinstance(ids, pd.Index):
        return plain_index(ids)
    try:
        return pd.Index(ids, tupleize_cols=False)
    except (TypeError, ValueError):
        raise IdError(f"{what} must be a list of ids, not {reprlib.repr(ids)}") from None


def _aligned(previous: Microdata, table: Microdata) -> tuple[Microdata, Microdata]:
    """Two tables over common domains; refuses other roles."""
    if previous.domains is table.domains:
        return previous, table
    for role in ("quasi_identifiers", "sensitive"):
        before, now = getattr(previous.schema, role), getattr(table.schema, role)
        if before != now:
            raise SchemaError(
                f"{role} were {listed(before)} and are now {listed(now)}; all snapshots need the same columns"
            )
    tables = [("the table before", list(previous.domains.values())), ("this table", list(table.domains.values()))]
    common = dict(zip(table.domains, common_domains(tables)))
    return previous.over(common), table.over(common)
