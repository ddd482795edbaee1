"""What every publisher has: it is fed snapshots, remembers what it must, and can be saved between releases."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from ppdp_lab.anonymize.base import without_value
from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import (
    DataFileError,
    FewStayedWarning,
    IdError,
    ParameterError,
    RepeatedSnapshotError,
    RepeatedSnapshotWarning,
    listed,
)
from ppdp_lab.registry import OneOf, Plain, Registry, Seed
from ppdp_lab.release import Release
from ppdp_lab.republish.memory import (
    Remembered,
    Renumbering,
    Vocabulary,
    fresh_pseudonyms,
    lengthen,
    renumber,
    stored_ids,
)
from ppdp_lab.republish.stream import Snapshot, records_digest
from ppdp_lab.table import Microdata, id_order


class Publisher(Remembered, ABC):
    """Publishes a changing table again and again.

    A subclass gives :meth:`_publish`. All it remembers from one release to the next stands in ``memory``, a dictionary of
    plain arrays that ``layout`` declares; arrays with one entry per person are indexed by *person number*: the position of
    the person's id in the order in which ids were first seen. A publication that fails changes nothing.

    The base remembers, of everybody ever seen, the id, the codes of their last snapshot and a pseudonym; and the domains of
    all columns. A value that first occurs in a later snapshot joins its domain, unless the domain was declared; a new column,
    role, type or hierarchy is refused.

    Every person gets a pseudonym, for good. Pseudonyms are the one thing that no seed decides: whoever could draw them
    again would know who came first, second and so on, and with that whose row is whose.

    Two publishers are equal if they are made with the same parameters; what they remember plays no part.

    Parameters
    ----------
    seed : int, optional
        For whatever is left to chance, save pseudonyms: the system's entropy unless given. With a seed the series is
        reproducible, for whoever knows the seed and the quasi-identifiers as well: its releases are not private, and say so.
    on_invalid : {"raise", "suppress"}
        What to do with a record that cannot be placed: refuse the snapshot, or leave the record out and count it.
    audit : bool
        Whether every release is shown to an auditor before it is returned; see :meth:`_audit`.
    """

    def __init__(
        self,
        *,
        seed: Seed = None,
        on_invalid: Annotated[str, OneOf("raise", "suppress")] = "raise",
        audit: bool = False,
    ) -> None:
        self.seed = seed
        self.on_invalid = on_invalid
        if not isinstance(audit, bool):
            raise ParameterError(f"audit must be True or False, not {audit!r}")
        self.audit = audit
        super().__init__(np.random.default_rng(self.seed))

    # ------------------------------------------------------------------ what a subclass says
    model: UpdateModel | None = None
    """How sensitive values may change between releases; None for publishers that take them to stay the same."""
    _answers_queries: ClassVar[bool] = (
        False  # then two snapshots may well have nobody in common, if all were seen before
    )

    @abstractmethod
    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        """The next release, and the person number of each of its records.

        ``persons`` gives the person number of each record of ``snapshot.table``. A release may hold records of other persons:
        :meth:`records_of` gives them as they were last seen. Use :meth:`_make` to build the release.
        """

    def _audit(self, release: Release, persons: np.ndarray) -> None:
        """Refuse a release that an auditor breaks, by raising BrokenRuleError. Called only with ``audit=True``."""
        raise ParameterError(f"{type(self).__name__} has no auditor; use audit=False")

    def _domains_grew(self, new: Renumbering, table: Microdata) -> None:
        """Told after a domain has grown and all codes in memory have their new numbers; ``table`` is the next snapshot's."""

    # ------------------------------------------------------------------ publishing
    @property
    def ids(self) -> pd.Index:
        """Ids of the persons ever seen, in the order of their person numbers. Holder's side only."""
        return self._ids

    @property
    def codes(self) -> np.ndarray:
        """Codes of everybody's last snapshot, quasi-identifiers first: one column per person. Holder's side only."""
        return self._codes

    def publish(self, snapshot: Snapshot | Microdata) -> Release:
        """The next release of the series.

        For a Microdata, and for a snapshot that stands alone (the first one of a stream or folder), what was inserted,
        deleted and updated is found by comparing ids and values with what is remembered.

        A month that is published twice by mistake cannot be taken back. So a snapshot that stands alone raises a
        RepeatedSnapshotError if it has the persons and values of one of the last 64 releases, and a Microdata gives a
        RepeatedSnapshotWarning if nothing has changed since the release before. To publish an unchanged table on purpose, pass
        ``Snapshot(table)``, which lists no changes.
        """
        table = snapshot.table if isinstance(snapshot, Snapshot) else snapshot
        if not isinstance(table, Microdata):
            raise ParameterError(f"publish needs a Snapshot or a Microdata, not {type(snapshot).__name__}")
        self._check_ids(table)
        before = self._state()
        try:
            table = self._meet_values(table)
            known = self._ids.get_indexer(table.ids)
            snapshot = self._check_changes(snapshot if isinstance(snapshot, Snapshot) else None, table, known)
            present = self._register(table, known)
            digest = records_digest(table, present)
            release, persons = self._publish(snapshot, present)
            if len(persons) != len(release.table):
                raise ParameterError(
                    f"{type(self).__name__} made a release of {len(release.table)} records and named {len(persons)} persons"
                )
            if self.audit:
                self._audit(release, persons)
        except BaseException:
            self._restore(before)
            raise
        self._digests = (*self._digests, digest)[-RECOGNIZED:]
        self.number += 1
        return release

    def person_numbers(self, ids: pd.Index) -> np.ndarray:
        """Person numbers of ids; -1 for one that was never seen."""
        return self._ids.get_indexer(ids)

    def records_of(self, persons: np.ndarray, like: Microdata) -> Microdata:
        """The records of persons as they were last seen, over the domains and with the schema of ``like``."""
        n_qi = len(like.qi_codes)
        codes = self._codes[:, persons]
        if codes.size and codes.min() < 0:
            raise DataFileError("it does not remember the values of some of these persons")
        return like.with_records(self._ids[persons], codes[:n_qi], codes[n_qi:])

    def _make(self, table: Microdata, persons: np.ndarray, class_of: np.ndarray, **params: Any) -> Release:
        """A release that is complete: with pseudonyms, tie numbers and the method's name."""
        fakes = params.get("counterfeits")
        last = int(max(class_of.max(initial=-1), -1 if fakes is None else fakes.class_of.max(initial=-1)))
        # A generator of its own, so that numbering groups does not change what the seed decides elsewhere.
        tie_rng = np.random.default_rng(self.rng.bit_generator.state["state"]["state"])
        return Release(
            table,
            class_of,
            pseudonyms=self._pseudonyms[persons],
            ties=tie_rng.permutation(last + 1),
            method=self.specification,
            seeded=self.seed is not None,
            **params,
        )

    @property
    def specification(self) -> str:
        """The call that makes such a publisher."""
        return Plain.__repr__(self)

    def _without_value(self, table: Microdata) -> np.ndarray:
        """Mask of the records whose sensitive value is missing; refuses them unless they are to be suppressed."""
        error = without_value(table, self.specification)
        if error is not None and self.on_invalid == "raise":
            raise error
        return table.without_value(table.schema.sensitive[0])

    # ------------------------------------------------------------------ what is checked at the door
    def _check_ids(self, table: Microdata) -> None:
        """Raise an IdError for ids that cannot be saved, or of another kind than before: nobody would be recognized."""
        stored_ids(table.ids)
        if not len(self._ids) or not len(table):
            return
        kinds = [_kind(index) for index in (self._ids, table.ids)]
        if kinds[0] != kinds[1]:
            raise IdError(
                f"ids were {kinds[0]} so far and are {kinds[1]} now, so nobody would be found again; give the Microdata ids "
                f"of the same kind"
            )

    def _meet_values(self, table: Microdata) -> Microdata:
        """The table over this publisher's own domains, which grow if they must."""
        if self._vocabulary is None:
            self._vocabulary = Vocabulary.of(table)
            self._vocabulary.arrays()  # raises a SchemaError now rather than when the memory is saved
            self._codes = np.zeros((len(table.domains), self.n_persons), dtype=np.int32)
            return table.recode(self._vocabulary.domains)
        self._vocabulary, new = self._vocabulary.with_values_of(table)
        self._vocabulary.arrays()
        table = table.recode(self._vocabulary.domains)
        if new is not None:
            self._codes = new.of_all(self._codes)
            renumber(self.memory, self.layout, new)
            self._domains_grew(new, table)
        return table

    def _check_changes(self, given: Snapshot | None, table: Microdata, known: np.ndarray) -> Snapshot:
        """What came, went and changed, by the person number of each record (-1: new); refuses a snapshot that says otherwise."""
        alone = given is not None and given.stands_alone and self.number > 0
        stayed = (known >= 0) & self._present[known] if len(self._ids) else np.zeros(len(table), dtype=bool)
        now = np.zeros(len(self._ids), dtype=bool)
        now[known[known >= 0]] = True
        changed = np.zeros(len(table), dtype=bool)
        rows = np.flatnonzero(stayed)
        who = known[rows]
        for now_codes, then_codes in zip((*table.qi_codes, *table.sensitive_codes), self._codes):
            changed[rows[now_codes[rows] != then_codes[who]]] = True
        before = int(self._present.sum())
        again = int((known >= 0).sum()) if self._answers_queries else int(stayed.sum())
        if before >= _MANY and again * 50 < before:
            warnings.warn(
                f"only {again} of {before} persons of the release before are found again; if that is a surprise, "
                f"their ids are written otherwise this time, and nobody is protected by what was published of them",
                FewStayedWarning,
                stacklevel=3,
            )
        found = Snapshot(
            table,
            self.number,
            inserted=table.ids[~stayed],
            deleted=self._ids[self._present & ~now],
            updated=table.ids[changed],
        )
        if given is None or alone:
            self._check_repeated(found, known, alone=alone)
            return found
        for what, said, is_so in (
            ("deleted", given.deleted, found.deleted),
            ("inserted", given.inserted, found.inserted),
        ):
            strange = said.difference(is_so)
            if len(strange) and what == "deleted":
                raise IdError(
                    f"deleted id(s) {listed(strange)} were not in the release before, or are still in the table"
                )
            if len(strange):
                raise IdError(f"inserted id(s) {listed(strange)} are not new in this table")
            unsaid = is_so.difference(said)
            if len(unsaid):
                raise IdError(f"id(s) {listed(unsaid)} were {what} without the snapshot saying so; list them in {what}")
        return found

    def _check_repeated(self, found: Snapshot, known: np.ndarray, *, alone: bool) -> None:
        """Raise an error for a snapshot that stands alone and was published before; warn of a table that has not changed."""
        if not self.number:
            return
        again = None if len(found.inserted) or len(found.deleted) or len(found.updated) else self.number - 1
        if again is None and alone and (not len(known) or known.min() >= 0):
            digest = records_digest(found.table, known)
            if digest in self._digests:
                again = self.number - len(self._digests) + self._digests.index(digest)
        if again is None:
            return
        same = f"the persons and values are those of release {again} (counted from 0)"
        hint = "if the table has not changed since the release before, pass Snapshot(table), which lists no changes"
        if again < self.number - 1:
            hint = "read only the months that have not been published yet; to publish this one again, pass its table"
        if alone:
            raise RepeatedSnapshotError(f"{same}, so they would be published twice; {hint}")
        warnings.warn(
            f"{same}; check that it is not the same month again; {hint}", RepeatedSnapshotWarning, stacklevel=4
        )

    def _register(self, table: Microdata, known: np.ndarray) -> np.ndarray:
        """Note who is present, with which codes; arrays are replaced, not changed, so that a failure can be undone."""
        persons = known.copy()
        new = persons < 0
        n_new = int(new.sum())
        if n_new:
            rows = np.flatnonzero(new)
            rows = rows[id_order(table.ids[rows])]  # numbers must not follow the order of the input
            self._ids = table.ids[rows] if not len(self._ids) else self._ids.append(table.ids[rows])
            persons[rows] = np.arange(len(self._ids) - n_new, len(self._ids))
            self._pseudonyms = np.concatenate([self._pseudonyms, fresh_pseudonyms(n_new, self._pseudonyms)])
        self._present = np.zeros(len(self._ids), dtype=bool)
        self._present[persons] = True
        codes = np.empty((len(table.domains), len(self._ids)), dtype=np.int32)
        codes[:, : self._codes.shape[1]] = self._codes
        for row, now in zip(codes, (*table.qi_codes, *table.sensitive_codes)):
            row[persons] = now
        self._codes = codes
        lengthen(self.memory, self.layout, self.n_persons, len(table.qi_codes))
        return persons

    def __repr__(self) -> str:
        return f"<{self.specification}, {self.number} releases so far>"


def _kind(ids: pd.Index) -> str:
    """What ids are, in words."""
    found = pd.api.types.infer_dtype(ids)
    return {"integer": "numbers", "floating": "numbers", "string": "text"}.get(found, found)


RECOGNIZED = 64  # releases whose snapshots are recognized if they come again
_MANY = 50  # fewer persons than this may well all leave at once
PUBLISHERS: Registry[type[Publisher]] = Registry("publisher")
