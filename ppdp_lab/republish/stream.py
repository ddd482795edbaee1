"""Streams of snapshots: what a publisher is fed, one release after the other."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import IdError, ParameterError, SchemaError, check_integer, listed
from ppdp_lab.table import Microdata, common_domains

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


def _check_table(table: object) -> None:
    if not isinstance(table, Microdata):
        raise ParameterError(f"a snapshot holds a ppdp_lab.Microdata, not {type(table).__name__}")


def _index(what: str, ids: Any) -> pd.Index:
    if isinstance(ids, pd.Index):
        return ids.to_flat_index() if isinstance(ids, pd.MultiIndex) else ids
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


class UpdateStream:
    """Snapshots of a table under random deletions and insertions.

    The first snapshot holds ``initial`` random rows. At each update ``deletes`` random records leave and ``inserts``
    records that were never there come in, until ``updates`` updates have been made. Going through the stream again
    gives the same snapshots.

    Parameters
    ----------
    table : Microdata
        The pool of all records.
    initial, deletes, inserts, updates : int
        Sizes, as above. Unequal deletes and inserts make the table grow or shrink.
    skew : int, optional
        Slope s of the equivalence paper's skewed inserts [1]_: in every batch the sensitive values, in a random order
        drawn anew, get min, min + s, min + 2 s, ... records. Such batches are synthetic, as in the paper: the inserted
        persons keep their quasi-identifiers and are given the sensitive values of the batch.
    seed : int

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011,
       section VII-A.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": range(20, 30), "illness": ["flu", "HIV"] * 5})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> [snapshot for snapshot in UpdateStream(table, initial=4, deletes=1, inserts=2, updates=2, seed=1)]
    [<Snapshot 0 of 4 records, +4 -0 ~0>, <Snapshot 1 of 5 records, +2 -1 ~0>, <Snapshot 2 of 6 records, +2 -1 ~0>]
    """

    def __init__(
        self,
        table: Microdata,
        *,
        initial: int,
        deletes: int,
        inserts: int,
        updates: int,
        skew: int | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(table, Microdata):
            raise ParameterError(f"a stream is drawn from a ppdp_lab.Microdata, not from {type(table).__name__}")
        self.table = table
        self.initial = check_integer("initial", initial, at_least=1)
        self.deletes = check_integer("deletes", deletes, at_least=0)
        self.inserts = check_integer("inserts", inserts, at_least=0)
        self.updates = check_integer("updates", updates, at_least=0)
        self.seed = check_integer("seed", seed, at_least=0)
        self.skew = None if skew is None else check_integer("skew", skew, at_least=0)
        needed = self.initial + self.updates * self.inserts
        if needed > len(table):
            raise ParameterError(
                f"the stream needs {needed} records ({initial} at first, {updates} times {inserts}), but the table has "
                f"{len(table)}; lower initial, inserts or updates"
            )
        least = self.initial + (self.updates - 1) * min(self.inserts - self.deletes, 0)
        if self.updates and self.deletes >= least:
            raise ParameterError(
                f"deleting {deletes} of {least} records would leave none before update {updates}; lower deletes or updates"
            )
        if self.skew is not None:
            self._batch_counts()

    def __len__(self) -> int:
        return 1 + self.updates

    def __repr__(self) -> str:
        return (
            f"<UpdateStream of 1 + {self.updates} snapshots: {self.initial} records, each time -{self.deletes} "
            f"+{self.inserts}{'' if self.skew is None else f', skew {self.skew}'}, seed {self.seed}>"
        )

    def __iter__(self) -> Iterator[Snapshot]:
        chance = np.random.default_rng(self.seed)
        order = chance.permutation(len(self.table))
        pool = self.table
        if self.skew is not None:
            pool = pool.with_codes(sensitive_codes=pool.sensitive_codes.copy())
        present = np.sort(order[: self.initial])
        used = self.initial
        yield Snapshot(pool.select(present), 0, inserted=pool.ids[present])
        for number in range(1, self.updates + 1):
            leaves = np.zeros(len(present), dtype=bool)
            leaves[chance.choice(len(present), self.deletes, replace=False)] = True
            comes = np.sort(order[used : used + self.inserts])
            used += self.inserts
            if self.skew is not None:
                pool.sensitive_codes[0, comes] = self._skewed_values(chance)
            gone = present[leaves]
            present = np.sort(np.concatenate([present[~leaves], comes]))
            yield Snapshot(pool.select(present), number, pool.ids[comes], pool.ids[gone])

    def _batch_counts(self) -> np.ndarray:
        """Records per rank in a skewed batch: min, min + s, ...; what does not divide goes to the last ranks."""
        if len(self.table.schema.sensitive) != 1:
            raise SchemaError("skewed inserts need exactly one sensitive column")
        assert self.skew is not None
        n_values = len(self.table.sensitive_domains[0])
        needed = self.skew * (n_values * (n_values - 1) // 2)
        rest = self.inserts - needed
        if rest < 0:
            most = self.inserts * 2 // (n_values * (n_values - 1)) if n_values > 1 else 0
            raise ParameterError(
                f"skew {self.skew} needs {needed} records a batch for {n_values} values, more than inserts = "
                f"{self.inserts}; the largest skew that fits is {most}"
            )
        counts = np.array([self.skew * rank + rest // n_values for rank in range(n_values)])
        counts[n_values - rest % n_values :] += 1
        return counts

    def _skewed_values(self, chance: np.random.Generator) -> np.ndarray:
        counts = self._batch_counts()
        return chance.permutation(np.repeat(chance.permutation(len(counts)), counts)).astype(np.int32)
