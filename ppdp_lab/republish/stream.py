"""Snapshots, and UpdateStream, which draws a series of them from a table."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import IdError, ParameterError, SchemaError, check_integer, listed
from ppdp_lab.republish.value_changes import Changes
from ppdp_lab.table import Microdata, common_domains, mixed, plain_index
from ppdp_lab.table.grouping import text_hashes

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
    return previous.recode(common), table.recode(common)


# --------------------------------------------------------------------
# UpdateStream: random snapshots of a table, drawn from a pool of records.


class UpdateStream:
    """Snapshots of a table under random deletions, insertions and changes of values.

    The first snapshot holds ``initial`` random rows. At each update ``deletes`` random records leave and ``inserts``
    records that were never there come in, until ``updates`` updates have been made. Going through the stream again
    gives the same snapshots. With an update model the values of the records that stay change, too.

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
    model : UpdateModel or dict of them by column, optional
        How values change from one snapshot to the next [2]_. A single model is the sensitive column's. Quasi-identifiers of
        everybody who stays follow theirs: :func:`~ppdp_lab.republish.value_changes.census_updates` gives the models of
        the paper's experiment (age + 1 up to the top of its domain, marital status and education by their meaning, sensitive
        values within blocks of d).
    changes : int, optional
        How many of those who stay have their sensitive value drawn anew at each update, by its model and so perhaps the same
        again; everybody unless given.
    seed : int

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011,
       section VII-A.
    .. [2] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
       section VI-A.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
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
        model: UpdateModel | Mapping[str, UpdateModel] | None = None,
        changes: int | None = None,
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
        before = (self.initial + number * (self.inserts - self.deletes) for number in range(self.updates))
        for number, records in enumerate(before, start=1):
            if self.deletes >= records:
                raise ParameterError(
                    f"update {number} of {updates} would delete {deletes} of {records} records and leave none of them; "
                    f"lower deletes or updates"
                )
        if self.skew is not None:
            self._batch_counts()
        self.model = model
        self.changes = None if changes is None else check_integer("changes", changes, at_least=0)
        self._internal = None if model is None else Changes(table, self._models(), self.changes)
        if model is None and changes is not None:
            raise ParameterError(
                "changes without a model: say which value may become which, such as model=UpdateModel.in_blocks(...)"
            )

    def _models(self) -> Mapping[str, UpdateModel]:
        """The update model of each column that has one."""
        if isinstance(self.model, UpdateModel):
            if len(self.table.schema.sensitive) != 1:
                raise SchemaError("a single update model needs one sensitive column; give a dict of models by column")
            return {self.table.schema.sensitive[0]: self.model}
        if not isinstance(self.model, Mapping):
            raise ParameterError(
                f"model must be an UpdateModel or a dict of them by column, not {type(self.model).__name__}"
            )
        return self.model

    def __len__(self) -> int:
        return 1 + self.updates

    def __repr__(self) -> str:
        return (
            f"<UpdateStream of 1 + {self.updates} snapshots: {self.initial} records, each time -{self.deletes} "
            f"+{self.inserts}{'' if self.skew is None else f', skew {self.skew}'}"
            f"{'' if self.model is None else ', values change'}, seed {self.seed}>"
        )

    def __iter__(self) -> Iterator[Snapshot]:
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(len(self.table))
        pool = self.table
        if self.skew is not None or self._internal is not None:
            pool = pool.with_codes(qi_codes=pool.qi_codes.copy(), sensitive_codes=pool.sensitive_codes.copy())
        moves = np.random.default_rng([self.seed, 1])  # of their own: who comes and goes does not depend on the model
        present = np.sort(order[: self.initial])
        used = self.initial
        yield Snapshot(pool.select(present), 0, inserted=pool.ids[present])
        for number in range(1, self.updates + 1):
            leaves = np.zeros(len(present), dtype=bool)
            leaves[rng.choice(len(present), self.deletes, replace=False)] = True
            comes = np.sort(order[used : used + self.inserts])
            used += self.inserts
            if self.skew is not None:
                pool.sensitive_codes[0, comes] = self._skewed_values(rng)
            gone, stayed = present[leaves], present[~leaves]
            updated = pool.ids[:0]
            if self._internal is not None:
                updated = pool.ids[stayed[self._internal.happen(pool, stayed, moves)]]
            present = np.sort(np.concatenate([stayed, comes]))
            yield Snapshot(pool.select(present), number, pool.ids[comes], pool.ids[gone], updated)

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

    def _skewed_values(self, rng: np.random.Generator) -> np.ndarray:
        counts = self._batch_counts()
        return rng.permutation(np.repeat(rng.permutation(len(counts)), counts)).astype(np.int32)
