"""What every publisher has: it is fed snapshots, remembers what it must, and can be saved between releases."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import secrets
import zlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, IdError, ParameterError, SchemaError, check_choice, check_integer, listed
from ppdp_lab.release import Release
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Microdata

_FORMAT = 2
_HEADER = ("format", "publisher", "parameters", "number", "domains", "chance")
_ARRAYS = ("ids", "present", "pseudonyms")


class Publisher(ABC):
    """Publishes a changing table again and again.

    A subclass gives :meth:`parameters` and :meth:`_publish`. All it remembers from one release to the next stands in
    :attr:`memory`, a dictionary of plain arrays; arrays with one entry per person are indexed by *person number*: the
    position of the person's id in the order in which ids were first seen. A publication that fails changes nothing.

    Every person gets a pseudonym, for good. Pseudonyms are the one thing that no seed decides: whoever could draw them
    again would know who came first, second and so on, and with that whose row is whose.

    Parameters
    ----------
    seed : int
        For whatever is left to chance, save pseudonyms.
    on_invalid : {"raise", "suppress"}
        What to do with a record that cannot be placed: refuse the snapshot, or leave the record out and count it.
    audit : bool
        Whether every release is shown to an auditor before it is returned; see :meth:`_audit`.
    """

    def __init__(self, *, seed: int = 0, on_invalid: str = "raise", audit: bool = False) -> None:
        self.seed = check_integer("seed", seed, at_least=0)
        self.on_invalid = check_choice("on_invalid", on_invalid, ("raise", "suppress"))
        if not isinstance(audit, bool):
            raise ParameterError(f"audit must be True or False, not {audit!r}")
        self.audit = audit
        self.number = 0
        self.memory: dict[str, np.ndarray] = {}
        self.chance = np.random.default_rng(self.seed)
        self._ids = pd.Index([])
        self._present = np.zeros(0, dtype=bool)
        self._pseudonyms = np.zeros(0, dtype=np.int64)
        self._domains = ""

    # ------------------------------------------------------------------ what a subclass says
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments, in a form that JSON can hold."""

    @abstractmethod
    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> Release:
        """The next release; ``persons`` gives the person number of each record of ``snapshot.table``."""

    def _audit(self, release: Release, persons: np.ndarray) -> None:
        """Refuse a release that an auditor breaks, by raising BrokenRuleError. Called only with ``audit=True``."""
        raise ParameterError(f"{type(self).__name__} has no auditor; use audit=False")

    # ------------------------------------------------------------------ publishing
    @property
    def n_persons(self) -> int:
        """Persons ever seen."""
        return len(self._ids)

    @property
    def ids(self) -> pd.Index:
        """Ids of the persons ever seen, in the order of their person numbers. Holder's side only."""
        return self._ids

    def publish(self, snapshot: Snapshot | Microdata) -> Release:
        """The next release of the series.

        A bare Microdata will do: what came and went is then found by comparing ids with the release before.
        """
        table = snapshot.table if isinstance(snapshot, Snapshot) else snapshot
        if not isinstance(table, Microdata):
            raise ParameterError(f"publish needs a Snapshot or a Microdata, not {type(snapshot).__name__}")
        self._check_domains(table)
        snapshot = self._check_changes(snapshot if isinstance(snapshot, Snapshot) else None, table)
        before = self._state()
        try:
            persons = self._register(table)
            release = self._publish(snapshot, persons)
            release.pseudonyms = self._pseudonyms[persons]
            if self.audit:
                self._audit(release, persons)
        except BaseException:
            self._restore(before)
            raise
        self.number += 1
        return release

    def person_numbers(self, ids: pd.Index) -> np.ndarray:
        """Person numbers of ids; -1 for one that was never seen."""
        return self._ids.get_indexer(ids)

    def _check_domains(self, table: Microdata) -> None:
        digest = hashlib.sha256()
        for name, domain in table.domains.items():
            digest.update(f"{name}\0{domain.kind}\0".encode() + "\0".join(map(str, domain.labels)).encode() + b"\1")
        signature = digest.hexdigest()
        if self.number and signature != self._domains:
            raise SchemaError(
                "this snapshot's columns or domains differ from those of the releases before, so its codes mean something "
                "else; take all snapshots from one Microdata (select) or from snapshots_from_folder"
            )
        self._domains = signature

    def _check_changes(self, given: Snapshot | None, table: Microdata) -> Snapshot:
        known = self._ids.get_indexer(table.ids)
        stayed = (known >= 0) & self._present[known] if len(self._ids) else np.zeros(len(table), dtype=bool)
        now = np.zeros(len(self._ids), dtype=bool)
        now[known[known >= 0]] = True
        found = Snapshot(
            table,
            self.number,
            inserted=table.ids[~stayed],
            deleted=self._ids[self._present & ~now],
            updated=table.ids[:0] if given is None else given.updated,
        )
        if given is None:
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
        absent = given.updated.difference(table.ids)
        if len(absent):
            raise IdError(f"updated id(s) {listed(absent)} are not in the table")
        return found

    def _register(self, table: Microdata) -> np.ndarray:
        persons = self._ids.get_indexer(table.ids)
        new = persons < 0
        if new.any():
            self._ids = table.ids[new] if not len(self._ids) else self._ids.append(table.ids[new])
            persons[new] = np.arange(len(self._ids) - int(new.sum()), len(self._ids))
            names = fresh_pseudonyms(int(new.sum()), self._pseudonyms)
            self._pseudonyms = np.concatenate([self._pseudonyms, names])
        self._present = np.zeros(len(self._ids), dtype=bool)
        self._present[persons] = True
        return persons

    # ------------------------------------------------------------------ memory
    def _state(self) -> dict[str, Any]:
        names = ("number", "memory", "chance", "_present", "_pseudonyms")
        return {name: copy.deepcopy(getattr(self, name)) for name in names} | {
            "_ids": self._ids,
            "_domains": self._domains if self.number else "",
        }

    def _restore(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def save(self, path: str | Path) -> None:
        """Write everything that the next release depends on to one file, which is as secret as the table itself.

        It holds who has which pseudonym. Whoever comes later gets a new one, which no file tells beforehand.
        """
        path = Path(path)
        if path.is_dir() or not path.parent.is_dir():
            raise DataFileError(f"cannot write {str(path)!r}: name a file in a folder that exists")
        ids = np.asarray(self._ids)
        if ids.dtype.kind not in "iu":
            if not all(isinstance(value, str) for value in ids.tolist()):
                raise IdError("only whole numbers and text can be saved as ids; give the Microdata such ids")
            ids = np.array(ids.tolist(), dtype=np.str_)
        header = {
            "format": _FORMAT,
            "publisher": type(self).__name__,
            "parameters": self.parameters(),
            "number": self.number,
            "domains": self._domains,
            "chance": self.chance.bit_generator.state,
        }
        arrays = {f"memory.{name}": array for name, array in self.memory.items()}
        beside = path.with_name(path.name + ".partial")
        with beside.open("wb") as file:
            np.savez_compressed(
                file,
                header=np.array(json.dumps(header)),
                ids=ids,
                present=self._present,
                pseudonyms=self._pseudonyms,
                allow_pickle=False,
                **arrays,
            )
        os.replace(beside, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The publisher that :meth:`save` wrote; it goes on exactly where that one stopped."""
        path = Path(path)
        if not path.is_file():
            raise DataFileError(f"no saved publisher {str(path)!r}")
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            header = json.loads(str(arrays.pop("header")))
        except (ValueError, KeyError, OSError, EOFError, AttributeError, TypeError, BadZipFile, zlib.error) as error:
            raise DataFileError(f"{str(path)!r} is not a saved publisher, or damaged: {error}") from None
        missing = [key for key in _HEADER if key not in header] + [key for key in _ARRAYS if key not in arrays]
        if missing:
            raise DataFileError(f"{str(path)!r} is not a saved publisher, or damaged: it lacks {listed(missing)}")
        if header["publisher"] != cls.__name__:
            raise DataFileError(f"{str(path)!r} holds a {header['publisher']}; load it with {header['publisher']}.load")
        if header["format"] != _FORMAT:
            raise DataFileError(f"{str(path)!r} has format {header['format']}; this version reads format {_FORMAT}")
        publisher = cls(**header["parameters"])
        publisher.number = header["number"]
        publisher._domains = header["domains"]
        publisher.chance.bit_generator.state = header["chance"]
        ids = arrays.pop("ids")
        publisher._ids = pd.Index(ids) if ids.dtype.kind in "iu" else pd.Index(ids.tolist())
        publisher._present = arrays.pop("present")
        publisher._pseudonyms = arrays.pop("pseudonyms")
        publisher.memory = {name.removeprefix("memory."): array for name, array in arrays.items()}
        return publisher

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"<{type(self).__name__}({shown}), {self.number} releases so far>"


def fresh_pseudonyms(n: int, taken: np.ndarray) -> np.ndarray:
    """Numbers for n persons, from the operating system's entropy: all different, and none of those that are taken."""
    low = 2**20 - 1  # only a name with the same low bits can be the same, so that few of the taken ones need sorting
    while True:
        drawn = np.frombuffer(secrets.token_bytes(8 * n), dtype=np.uint64)
        names = (drawn >> np.uint64(2)).astype(np.int64)
        ending = np.zeros(low + 1, dtype=bool)
        ending[names & low] = True
        alike = np.sort(np.concatenate([names, taken[ending[taken & low]]]))
        if (alike[1:] != alike[:-1]).all():
            return names
