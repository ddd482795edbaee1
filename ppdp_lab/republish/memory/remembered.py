"""What a publisher remembers from one release to the next, and how it is saved and loaded."""

from __future__ import annotations

import copy
import hashlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, IdError, PPDPError, SchemaError, check_integer
from ppdp_lab.registry import Plain, revive
from ppdp_lab.republish.memory.file import damaged, read_memory, vocabulary_from, write_memory
from ppdp_lab.republish.memory.layout import Stored, arrays_of, check_arrays
from ppdp_lab.republish.memory.vocabulary import Vocabulary
from ppdp_lab.table import Microdata, Schema

MOST_RELEASES = 2**31 - 2  # releases are counted in 32 bits, the next one included


class Remembered(Plain):
    """The memory of a publisher: persons, their pseudonyms and last codes, the values met, and the arrays of :attr:`layout`.

    It is one half of :class:`~ppdp_lab.republish.publisher.Publisher`; the other half publishes.
    """

    layout: ClassVar[Mapping[str, Stored]] = {}
    """The arrays of :attr:`memory`."""

    def __init__(self, chance: np.random.Generator) -> None:
        self.number = 0
        self.memory: dict[str, np.ndarray] = arrays_of(self.layout)
        self.chance = chance
        self._ids = pd.Index([])
        self._present = np.zeros(0, dtype=bool)
        self._pseudonyms = np.zeros(0, dtype=np.int64)
        self._codes = np.zeros((0, 0), dtype=np.int32)
        self._vocabulary: Vocabulary | None = None
        self._awaiting = ""
        self._digests: tuple[
            str, ...
        ] = ()  # of the records of each release, by which one that comes again is recognized
        self._saved: dict[
            str, str
        ] = {}  # where this memory was last read from or written to, and what stood there then

    @property
    def n_persons(self) -> int:
        """Persons ever seen."""
        return len(self._ids)

    # ------------------------------------------------------------------ what a subclass says of its arrays
    def _limits(self) -> dict[str, int]:
        """Numbers that :attr:`layout` names as largest values."""
        return {"person": self.n_persons - 1, "release": self.number}

    def _check_memory(self) -> None:
        """Refuse, by DataFileError, a loaded memory whose arrays do not fit each other in a way that no layout can say."""

    def _convert(self, table: Microdata) -> None:
        """Bring a memory of format 2 up to date, now that the domains it was coded over are known."""

    # ------------------------------------------------------------------ undoing
    def _state(self) -> dict[str, Any]:
        kept = ("number", "_present", "_pseudonyms", "_codes", "_ids", "_vocabulary", "_awaiting", "_digests")
        return {name: copy.deepcopy(getattr(self, name)) for name in ("memory", "chance")} | {
            name: getattr(self, name) for name in kept
        }

    def _restore(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    # ------------------------------------------------------------------ saving and loading
    def save(self, path: str | Path) -> None:
        """Write everything that the next release depends on to one file, which is as secret as the table itself.

        It holds everybody's last values, and who has which pseudonym. Whoever comes later gets a new one, which no file tells
        beforehand. Only its owner may read it; it is replaced as a whole or not at all, and not if somebody else has written
        it since it was loaded or saved here: the releases in between would be forgotten.
        """
        path = Path(path)
        if path.is_dir() or not path.parent.is_dir():
            raise DataFileError(f"cannot write {str(path)!r}: name a file in a folder that exists")
        ids = np.asarray(self._ids)
        if ids.dtype.kind not in "iu":
            if not all(isinstance(value, str) for value in ids.tolist()):
                raise IdError("only whole numbers and text can be saved as ids; give the Microdata such ids")
            ids = np.array(ids.tolist(), dtype=np.str_)
        known = self._vocabulary
        header = {
            "publisher": self.to_plain(),
            "private": getattr(self, "seed", None) is None,
            "number": self.number,
            "vocabulary": None if known is None else known.header(),
            "awaiting": self._awaiting,
            "digests": self._digests,
            "chance": self.chance.bit_generator.state,
        }
        arrays = {
            "ids": ids,
            "present": self._present,
            "pseudonyms": self._pseudonyms,
            "codes": self._codes,
            **({} if known is None else known.arrays()),
            **{f"memory.{name}": array for name, array in self.memory.items()},
        }
        place = str(path.resolve())
        self._saved[place] = write_memory(path, header, arrays, self._saved.get(place))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The publisher that :meth:`save` wrote; it goes on exactly where that one stopped.

        ``Publisher.load`` reads any publisher's file. One of format 2 goes on with a table over the same domains.
        """
        path = Path(path)
        header, arrays, checksum = read_memory(path)
        old = header["format"] == 2
        try:
            plain = header["publisher"]
            if old:
                plain = {"name": plain, "version": 1, "parameters": header["parameters"]}
            name, whoever = str(plain["name"]), cls.__name__ == "Publisher"
            if name != cls.__name__ and not whoever:
                raise DataFileError(f"{str(path)!r} holds a {name}; load it with {name}.load")
            publisher = revive(plain, None if whoever else cls)
            if not isinstance(publisher, cls):
                raise DataFileError(f"{str(path)!r} holds a {name}, which is no publisher")
            publisher._take(header, arrays, old)
            if checksum is not None:
                publisher._saved[str(path.resolve())] = checksum
        except DataFileError as error:
            raise error if str(path) in str(error) else damaged(path, str(error)) from None
        except (
            PPDPError,
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            IndexError,
            OverflowError,
            RecursionError,
        ) as error:
            raise damaged(path, " ".join(str(error).split()) or type(error).__name__) from None
        return publisher

    def _take(self, header: Mapping[str, Any], arrays: dict[str, np.ndarray], old: bool) -> None:
        """Take over what a file holds, after checking all of it."""
        self.number = check_integer("number", header["number"], at_least=0, at_most=MOST_RELEASES)
        self.chance.bit_generator.state = header["chance"]
        self._digests = tuple(map(str, header.get("digests", ())))  # files of older versions have none
        if len(self._digests) > self.number:
            raise DataFileError(f"it has digests of {len(self._digests)} releases, but counts {self.number}")
        ids = arrays.pop("ids")
        if ids.ndim != 1 or ids.dtype.kind not in "iuU":
            raise DataFileError("its ids are neither whole numbers nor text")
        self._ids = pd.Index(ids) if ids.dtype.kind in "iu" else pd.Index(ids.tolist())
        if not self._ids.is_unique:
            raise DataFileError("some ids stand more than once")
        for name, kind in (("present", np.bool_), ("pseudonyms", np.int64)):
            array = arrays.pop(name)
            if array.shape != (len(ids),) or array.dtype != kind:
                raise DataFileError(f"array {name!r} does not fit {len(ids)} ids")
            setattr(self, f"_{name}", array)
        qi_sizes: list[int] = []
        sensitive_sizes: list[int] = []
        if old:
            self._awaiting = str(header["domains"])
        else:
            self._awaiting = str(header["awaiting"])
            self._codes = arrays.pop("codes")
            if header["vocabulary"] is not None:
                self._vocabulary = known = vocabulary_from(header["vocabulary"], arrays)
                Schema(known.quasi_identifiers, known.sensitive)  # refuses roles that make no sense
                qi_sizes = [len(known.domains[name]) for name in known.quasi_identifiers]
                sensitive_sizes = [len(known.domains[name]) for name in known.sensitive]
        self.memory = {name.removeprefix("memory."): array for name, array in arrays.items()}
        if old:
            self._from_format_2()
            return
        sizes = np.array(qi_sizes + sensitive_sizes, dtype=np.int64)
        if self._vocabulary is not None and (
            self._codes.dtype != np.int32
            or self._codes.shape != (len(sizes), len(ids))
            or (self._codes >= sizes[:, None]).any()
            or (self._codes < -1).any()
        ):
            raise DataFileError("array 'codes' does not fit its ids and columns")
        if self._vocabulary is not None:
            check_arrays(
                self.memory,
                self.layout,
                n_persons=self.n_persons,
                qi_sizes=qi_sizes,
                sensitive_sizes=sensitive_sizes,
                limits=self._limits(),
            )
            self._check_memory()

    def _from_format_2(self) -> None:
        """Rename and reshape what format 2 kept otherwise; what needs domains waits for :meth:`_convert`."""

    def _resume(self, table: Microdata) -> None:
        """Go on from a file of format 2, which kept a digest of its domains only."""
        if _old_digest(table) != self._awaiting:
            raise SchemaError(
                "this memory was saved by an older version, which did not keep the values of its columns: the first snapshot "
                "after it must have the same columns and values; take it from the Microdata of the releases before (select), "
                "publish it, save again, and from then on new values are welcome"
            )
        self._vocabulary = Vocabulary.of(table, whole=True)
        if not len(self._codes):
            self._codes = np.full((len(table.domains), self.n_persons), -1, dtype=np.int32)
        self._awaiting = ""
        self._convert(table)


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


def _old_digest(table: Microdata) -> str:
    """What format 2 kept of a table's domains."""
    digest = hashlib.sha256()
    for name, domain in table.domains.items():
        digest.update(f"{name}\0{domain.kind}\0".encode() + "\0".join(map(str, domain.labels)).encode() + b"\1")
    return digest.hexdigest()
