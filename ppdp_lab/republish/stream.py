"""Streams of snapshots: what a publisher is fed, one release after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, IdError, ParameterError, SchemaError, check_integer, listed
from ppdp_lab.table import Hierarchy, Microdata, Schema

_NONE = pd.Index([])


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The table as it stands at one release, and what changed since the one before.

    Attributes
    ----------
    table : Microdata
        All records to be published now; ids are stable over the stream and codes share their domains.
    number : int
        0 for the first release.
    inserted, deleted, updated : pandas.Index
        Ids that came, went, or changed a value.
    """

    table: Microdata
    number: int = 0
    inserted: pd.Index = field(default_factory=lambda: _NONE)
    deleted: pd.Index = field(default_factory=lambda: _NONE)
    updated: pd.Index = field(default_factory=lambda: _NONE)

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
        if previous is None:
            return Snapshot(table, number, inserted=table.ids)
        where = previous.ids.get_indexer(table.ids)
        stayed = where >= 0
        changed = np.zeros(len(table), dtype=bool)
        for now, before in ((table.qi_codes, previous.qi_codes), (table.sensitive_codes, previous.sensitive_codes)):
            changed[stayed] |= (now[:, stayed] != before[:, where[stayed]]).any(axis=0)
        gone = np.ones(len(previous), dtype=bool)
        gone[where[stayed]] = False
        return Snapshot(table, number, table.ids[~stayed], previous.ids[gone], table.ids[changed])

    def __repr__(self) -> str:
        changes = f"+{len(self.inserted)} -{len(self.deleted)} ~{len(self.updated)}"
        return f"<Snapshot {self.number} of {len(self.table)} records, {changes}>"


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
        steps = self.skew * np.arange(n_values)
        rest = self.inserts - int(steps.sum())
        if rest < 0:
            most = self.inserts * 2 // (n_values * (n_values - 1)) if n_values > 1 else 0
            raise ParameterError(
                f"skew {self.skew} needs {int(steps.sum())} records a batch for {n_values} values, more than inserts = "
                f"{self.inserts}; the largest skew that fits is {most}"
            )
        counts = steps + rest // n_values
        counts[n_values - rest % n_values :] += 1
        return counts

    def _skewed_values(self, chance: np.random.Generator) -> np.ndarray:
        counts = self._batch_counts()
        return chance.permutation(np.repeat(chance.permutation(len(counts)), counts)).astype(np.int32)


def snapshots_from_folder(
    folder: str | Path,
    schema: Schema,
    *,
    id: str,
    hierarchies: dict[str, Hierarchy] | None = None,
    pattern: str = "*",
) -> list[Snapshot]:
    """Snapshots from a folder of monthly files, in the order of their names.

    Parameters
    ----------
    folder : path
        Holds CSV or parquet files, one per release, all with the same columns.
    schema : Schema
    id : str
        The column that identifies a person over the months; it is dropped, like every column the schema does not name.
    hierarchies : dict of str to Hierarchy, optional
    pattern : str
        Which files to take, such as ``"2026-*.csv"``.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise DataFileError(f"no folder {str(folder)!r} with monthly files")
    paths = sorted(p for p in folder.glob(pattern) if p.suffix in (".csv", ".parquet"))
    if not paths:
        raise DataFileError(f"no CSV or parquet file matches {pattern!r} in {str(folder)!r}")
    frames = [_read_month(path, schema, id) for path in paths]
    rows = pd.concat([frame[[*schema.columns]] for frame in frames], ignore_index=True)
    everything = Microdata(rows, schema, hierarchies)  # one coding for all months
    return _cut(everything, [frame[id] for frame in frames], [path.name for path in paths])


def _read_month(path: Path, schema: Schema, id: str) -> pd.DataFrame:
    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    missing = [name for name in (id, *schema.columns) if name not in frame.columns]
    if missing:
        raise SchemaError(f"file {path.name!r} lacks column(s) {listed(missing)}")
    doubled = frame.loc[frame[id].duplicated(), id].unique()
    if len(doubled):
        raise IdError(f"file {path.name!r}: id(s) {listed(doubled)} stand more than once; one row per person and month")
    return frame


def _cut(everything: Microdata, ids: Sequence[pd.Series], names: Sequence[str]) -> list[Snapshot]:
    snapshots: list[Snapshot] = []
    start = 0
    previous: Microdata | None = None
    for number, column in enumerate(ids):
        table = everything.select(np.arange(start, start + len(column)))
        table = with_ids(table, column, f"file {names[number]!r}")
        snapshots.append(Snapshot.after(previous, table, number))
        previous = table
        start += len(column)
    return snapshots


def with_ids(table: Microdata, ids: Any, where: str) -> Microdata:
    """The same records under other ids."""
    index = pd.Index(ids).rename(None)
    if index.hasnans:
        raise IdError(f"{where}: some ids are missing; every person needs one")
    renamed = table.with_codes()
    renamed.ids = index
    renamed.identifiers = table.identifiers.set_axis(index)
    return renamed
