"""What a publisher remembers between releases: persons, the values met, and the file that keeps both."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, IdError, PPDPError, SchemaError, check_integer, listed
from ppdp_lab.io import atomic_write, locked
from ppdp_lab.registry import Plain, from_plain
from ppdp_lab.table import Domain, Hierarchy, Microdata, Schema
from ppdp_lab.table.schema import MISSING
from ppdp_lab.text import OneLine, text_of


@dataclass(frozen=True)
class Renumbering(OneLine):
    """New codes of old ones, per column; None where nothing changed. ``sizes`` are the sensitive domains' new sizes."""

    qi: tuple[np.ndarray | None, ...]
    sensitive: tuple[np.ndarray | None, ...]
    sizes: tuple[int, ...]

    def of_qi(self, i: int, codes: np.ndarray) -> np.ndarray:
        """New codes of column i's; -1, which is no value, stays."""
        return _moved(self.qi[i], codes)

    def of_sensitive(self, i: int, codes: np.ndarray) -> np.ndarray:
        """New codes of sensitive column i's; -1 stays."""
        return _moved(self.sensitive[i], codes)

    def of_all(self, codes: np.ndarray) -> np.ndarray:
        """New codes of all columns, quasi-identifiers first."""
        return np.stack([_moved(new, row) for new, row in zip(self.qi + self.sensitive, codes)]).astype(codes.dtype)


def _moved(new: np.ndarray | None, codes: np.ndarray) -> np.ndarray:
    return codes if new is None else np.append(new, -1)[codes]  # the last entry is where -1 points


@dataclass(frozen=True)
class Vocabulary(OneLine):
    """Roles and domains of a series.

    A domain that was declared (in the schema, by categories, by a hierarchy) is taken whole. One that is found in the data
    holds the values met so far, whatever else the table's own domain knows: so a series is the same whether its tables are
    cut from one that knew all values, or arrive month by month. Codes follow the order of the values, because boxes and cuts
    are read off them; when a value comes between old ones, what is remembered is renumbered (:class:`Renumbering`).
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    domains: dict[str, Domain] = field(repr=False)

    @staticmethod
    def of(table: Microdata) -> Vocabulary:
        """The values of a first table."""
        schema = table.schema
        domains = {name: _met(table, name) for name in table.domains}
        return Vocabulary(schema.quasi_identifiers, schema.sensitive, domains)

    def with_values_of(self, table: Microdata) -> tuple[Vocabulary, Renumbering | None]:
        """This vocabulary and what a further table brings; how codes change, or None if they do not.

        Refuses a table with other roles, types or hierarchies.
        """
        for role in ("quasi_identifiers", "sensitive"):
            before, now = getattr(self, role), getattr(table.schema, role)
            if before != now:
                raise SchemaError(
                    f"{role} were {listed(before) or 'none'} and are now {listed(now) or 'none'}; all releases of a series "
                    f"need the same columns in the same roles"
                )
        domains: dict[str, Domain] = {}
        new: dict[str, np.ndarray | None] = {}
        for name, known in self.domains.items():
            domains[name], new[name] = known, None
            if known.hierarchy is not None:
                known.require_like(table.domains[name])
                domains[name] = table.domains[name]  # the same tree; a file keeps no more than its digest
                if known.missing:
                    domains[name] = domains[name].with_missing(counts=known.missing_counts)
                elif domains[name].missing:
                    new[name] = known.map_to(domains[name])
            elif table.domains[name] is not known:
                domains[name] = known.grown(_met(table, name))
                new[name] = None if domains[name] is known else known.map_to(domains[name])
        grown = Vocabulary(self.quasi_identifiers, self.sensitive, domains)
        if all(codes is None for codes in new.values()):
            return grown, None
        return grown, Renumbering(
            tuple(new[name] for name in self.quasi_identifiers),
            tuple(new[name] for name in self.sensitive),
            tuple(len(domains[name]) for name in self.sensitive),
        )

    # ------------------------------------------------------------------ in a file
    def header(self) -> dict[str, Any]:
        """What JSON can hold of it."""
        columns = {}
        for name, domain in self.domains.items():
            columns[name] = {
                "kind": domain.kind,
                "declared": domain.declared,
                "dtype": _dtype_text(domain.dtype),
                "hierarchy": None if domain.hierarchy is None else domain.hierarchy.given.digest,
                "missing": domain.missing,
                "missing_counts": domain.missing_counts,
            }
        return {"quasi_identifiers": self.quasi_identifiers, "sensitive": self.sensitive, "columns": columns}

    def arrays(self) -> dict[str, np.ndarray]:
        """The values of each column, and where they lie on a line; a SchemaError for values that no file can hold."""
        out = {}
        for i, domain in enumerate(self.domains.values()):
            out[f"values.{i}"] = _storable(domain)
            if domain.positions is not None:
                out[f"positions.{i}"] = domain.positions
        return out


def _met(table: Microdata, name: str) -> Domain:
    """A column's declared domain, or the part of it that occurs."""
    domain = table.domains[name]
    if domain.declared:
        return domain
    return domain.only(np.flatnonzero(np.bincount(table.codes(name), minlength=len(domain))))


def _dtype_text(dtype: Any) -> str | None:
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordered category" if dtype.ordered else "category"
    return None if dtype is None else str(dtype)


def _storable(domain: Domain) -> np.ndarray:
    values = domain.values
    if values.dtype.kind in "iufbMm":
        return values
    listed_values = values.tolist()
    if all(isinstance(value, str) for value in listed_values):
        return np.array(listed_values, dtype=np.str_)
    if domain.hierarchy is not None:  # leaves of mixed types: the next table brings them along
        return np.array(domain.labels[: domain.known].tolist(), dtype=np.str_)
    raise SchemaError(
        f"column {domain.name!r} has values that a publisher's memory cannot hold: neither numbers, nor dates without a time "
        f"zone (datetime64), nor text; convert the column before the first release, for example with astype(str)"
    )


# --------------------------------------------------------------------
# The arrays of a publisher's memory: what each holds, how it grows, what may stand in it.
#
# A publisher declares its arrays once. From that follow: the empty arrays of a new publisher, the entries of persons who come
# later, new code numbers after a domain has grown, and what a file must hold before anything in it is used.


PERSON, QI, SENSITIVE = "person", "qi", "sensitive"
ALL_ONES = ~np.uint64(0)


@dataclass(frozen=True)
class Stored:
    """One array of a memory.

    Attributes
    ----------
    dtype : numpy dtype
    per : str
        What one entry stands for: "person" for arrays that hold one per person ever seen, any other word for arrays that
        belong together and are equally long; "" for an array of :attr:`length` entries.
    rows : str or int
        "" for a plain list; "qi" for one row per quasi-identifier; a number for so many rows. Entries lie along the last axis,
        except with "words": then the array has one row per entry, of 64-bit words.
    codes : str
        "qi" or "sensitive": it holds codes of these columns, which change their number when a domain grows. With rows "words"
        it holds one bit per code.
    empty : int
        What stands for a person of whom nothing is known yet.
    low, high : int, str or None
        Least and largest number that may stand in it; a name stands for a number that the publisher knows.
    more : int
        Entries beyond one per :attr:`per`, such as 1 for a list of ends.
    optional : bool
        Whether it may be missing.
    """

    dtype: Any
    per: str = ""
    rows: str | int = ""
    codes: str = ""
    empty: int = 0
    low: int | None = None
    high: int | str | None = None
    more: int = 0
    length: int = 0
    optional: bool = False

    def shape(self, n: int, n_qi: int, words: int = 1) -> tuple[int, ...]:
        """Shape for n entries."""
        n = n + self.more if self.per else self.length
        if self.rows == "words":
            return (n, words)
        if self.rows == "":
            return (n,)
        return (n_qi if self.rows == QI else int(self.rows), n)


Layout = Mapping[str, Stored]


def arrays_of(layout: Layout, n_qi: int = 0) -> dict[str, np.ndarray]:
    """The arrays of a publisher that has not published yet."""
    return {
        name: np.zeros(stored.shape(0, n_qi), dtype=stored.dtype)
        for name, stored in layout.items()
        if not stored.optional
    }


def lengthen(memory: dict[str, np.ndarray], layout: Layout, n_persons: int, n_qi: int) -> None:
    """Give persons who were never seen before their entries."""
    for name, stored in layout.items():
        array = memory.get(name)
        if array is None:
            continue
        if stored.rows == QI and len(array) != n_qi:  # nothing was published yet, and now the columns are known
            array = np.zeros((n_qi, array.shape[-1]), dtype=array.dtype)
        if stored.per == PERSON:
            axis = 0 if stored.rows == "words" else array.ndim - 1
            more = list(array.shape)
            more[axis] = n_persons - array.shape[axis]
            fill = ALL_ONES if stored.rows == "words" else stored.empty
            array = np.concatenate([array, np.full(more, fill, dtype=array.dtype)], axis=axis)
        memory[name] = array


def renumber(memory: dict[str, np.ndarray], layout: Layout, new: Renumbering) -> None:
    """Give every code its number in the domains as they are now."""
    for name, stored in layout.items():
        array = memory.get(name)
        if array is None or not stored.codes:
            continue
        if stored.rows == "words":
            memory[name] = _renumber_bits(array, new.sensitive[0], new.sizes[0])
        elif stored.codes == SENSITIVE:
            memory[name] = new.of_sensitive(0, array).astype(array.dtype)
        else:
            memory[name] = np.stack([new.of_qi(i, row) for i, row in enumerate(array)]).astype(array.dtype)


def _renumber_bits(words: np.ndarray, new: np.ndarray | None, size: int) -> np.ndarray:
    """Move bit v to bit ``new[v]``; whoever has no value ruled out yet keeps all bits, beyond the domain, too."""
    wide = max((size + 63) // 64, 1)
    if new is None:
        return words
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    moved = np.zeros((len(words), wide * 64), dtype=np.uint8)
    moved[:, new] = bits[:, : len(new)]
    out = np.packbits(moved, axis=1, bitorder="little").view(np.uint64)
    out[(words == ALL_ONES).all(axis=1)] = ALL_ONES
    return out


def check_arrays(
    memory: Mapping[str, np.ndarray],
    layout: Layout,
    *,
    n_persons: int,
    qi_sizes: list[int],
    sensitive_sizes: list[int],
    limits: Mapping[str, int],
) -> None:
    """Refuse arrays that a kernel must not see: of another shape or type, or with numbers out of range."""
    lengths: dict[str, int] = {PERSON: n_persons}
    stray = [name for name in memory if name not in layout]
    missing = [name for name, stored in layout.items() if name not in memory and not stored.optional]
    if stray or missing:
        raise DataFileError(f"its arrays are not those of its publisher: {', '.join(map(repr, stray or missing))}")
    for name, stored in layout.items():
        if name not in memory:
            continue
        array = memory[name]
        if array.dtype != np.dtype(stored.dtype):
            raise DataFileError(f"array {name!r} holds {array.dtype}, not {np.dtype(stored.dtype)}")
        entries = array.shape[0 if stored.rows == "words" else -1] - stored.more if array.ndim else -1
        n = lengths.setdefault(stored.per, entries) if stored.per else stored.length
        words = array.shape[1] if stored.rows == "words" and array.ndim == 2 else 1
        shape = stored.shape(n, len(qi_sizes), words)
        if array.shape != shape or n < 0:
            raise DataFileError(f"array {name!r} has shape {array.shape}, not {shape}")
        if not array.size or stored.rows == "words":
            continue
        if stored.codes == QI:
            ranges = [(row, 0, size - 1) for row, size in zip(array, qi_sizes)]
        else:
            high: int | None = sensitive_sizes[0] - 1 if stored.codes == SENSITIVE else None
            if isinstance(stored.high, str):
                high = limits[stored.high]
            elif stored.high is not None:
                high = stored.high
            low = 0 if stored.codes else stored.low
            ranges = [(array, low, high)]  # type: ignore[list-item]
        for part, low, high in ranges:
            if (low is not None and part.min() < low) or (high is not None and part.max() > high):
                raise DataFileError(f"array {name!r} holds numbers outside {low} to {high}")


# --------------------------------------------------------------------
# The file that holds a publisher's memory: a header, arrays, and a checksum over both.
#
# Format 3: a compressed .npz without pickles. ``header`` is JSON: format, the publisher's plain form, number of releases,
# vocabulary, state of chance. Arrays: ids, present, pseudonyms, codes, ``values.i`` and ``positions.i`` of the i-th column,
# ``memory.name``. ``checksum`` is the SHA-256 of the header's text and of names, types, shapes and bytes of all other arrays.


FORMAT = 3
_HEADER = ("publisher", "number", "vocabulary", "chance")
_ARRAYS = ("ids", "present", "pseudonyms", "codes", "checksum")


def write_memory(
    path: Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], last: str | None = None
) -> str:
    """Write a memory file, whole or not at all, for its owner's eyes only; returns its checksum.

    ``last`` is the checksum of the file that stands there, as far as the caller knows: if somebody else has written it since,
    their releases would be forgotten, so that is refused.
    """
    text = json.dumps({"format": FORMAT, **header})
    checksum = _checksum(text, arrays)
    content = {"header": np.array(text), **arrays, "checksum": np.array(checksum)}
    with locked(path):
        if last is not None and path.is_file() and _checksum_in(path) != last:
            raise DataFileError(
                f"{str(path)!r} was written by somebody else since it was loaded or saved here, so their releases would be "
                f"forgotten; load it anew and publish again, or save under another name"
            )
        atomic_write(path, lambda file: np.savez_compressed(file, allow_pickle=False, **content), mode=0o600)
    return checksum


def _checksum_in(path: Path) -> str:
    """The checksum that a file carries; empty for one that has none, or is no memory."""
    with contextlib.suppress(Exception), np.load(path, allow_pickle=False) as file:
        return str(file["checksum"])
    return ""


def read_memory(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray], str]:
    """Header, arrays and checksum of a memory file, after checking the latter; whatever is wrong is said in words."""
    if not path.is_file():
        raise DataFileError(f"no saved publisher {str(path)!r}")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        text = str(arrays.pop("header"))
        header = dict(json.loads(text))
        version = header["format"]
    except (
        ValueError,
        KeyError,
        OSError,
        EOFError,
        AttributeError,
        TypeError,
        MemoryError,
        OverflowError,
        RecursionError,
        NotImplementedError,
        BadZipFile,
        zlib.error,
    ) as error:
        raise damaged(path, str(error) or type(error).__name__) from None
    if type(version) is not int or version != FORMAT:
        raise DataFileError(
            f"{str(path)!r} has format {version!r}, but this version of ppdp_lab reads format {FORMAT} only; load it with the "
            f"version that wrote it, or begin a new series"
        )
    missing = [key for key in _HEADER if key not in header]
    missing += [key for key in _ARRAYS if key not in arrays]
    if missing:
        raise damaged(path, f"it lacks {listed(missing)}")
    checksum = str(arrays.pop("checksum"))
    if checksum != _checksum(text, arrays):
        raise damaged(path, "its checksum does not fit its contents; restore it from a backup")
    return header, arrays, checksum


def damaged(path: Path, why: str) -> DataFileError:
    """The error for a file that is no memory, or no longer."""
    return DataFileError(f"{str(path)!r} is not a saved publisher, or damaged: {why}")


def _checksum(text: str, arrays: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def vocabulary_from(header: Any, arrays: dict[str, np.ndarray]) -> Vocabulary:
    """The vocabulary that :meth:`Vocabulary.header` and :meth:`Vocabulary.arrays` describe; takes its arrays out.

    Of a hierarchy only its digest is kept: :class:`KnownTree` stands for it until the next table brings the tree itself.
    """
    domains = {}
    for i, (name, said) in enumerate(header["columns"].items()):
        values = arrays.pop(f"values.{i}")
        positions = arrays.pop(f"positions.{i}", None)
        if values.ndim != 1 or values.dtype.kind not in "iufbMmU":
            raise DataFileError(f"the values of column {name!r} are no list of numbers, dates or text")
        if values.dtype.kind == "U":
            values = np.array(values.tolist(), dtype=object)
        missing, counts = (bool(said.get(key, False)) for key in ("missing", "missing_counts"))  # older files lack both
        leaves = np.array([*values.tolist(), *[MISSING] * missing], dtype=object)
        tree = None if said["hierarchy"] is None else KnownTree(said["hierarchy"], leaves)
        dtype, declared = _dtype(said["dtype"], values), bool(said["declared"])
        domains[name] = Domain(name, values, str(said["kind"]), tree, positions, dtype, declared, missing, counts)
        _check_domain(domains[name])
    return Vocabulary(tuple(header["quasi_identifiers"]), tuple(header["sensitive"]), domains)


def _check_domain(domain: Domain) -> None:
    """Refuse values that are not all different, or places that are not in their order."""
    places = domain.positions
    if domain.kind not in ("ordered", "hierarchy", "set") or (domain.hierarchy is not None) != (
        domain.kind == "hierarchy"
    ):
        raise DataFileError(f"column {domain.name!r} is of no known kind")
    if places is not None and not (
        places.shape == domain.values.shape
        and places.dtype.kind == "f"
        and np.isfinite(places).all()
        and (np.diff(places) > 0).all()
    ):
        raise DataFileError(f"the places of column {domain.name!r} do not fit its values")
    if len(set(domain.labels.tolist())) < len(domain):
        raise DataFileError(f"column {domain.name!r} has a value twice")


def _dtype(text: str | None, values: np.ndarray) -> Any:
    if text in ("category", "ordered category"):
        return pd.CategoricalDtype(values, ordered=text == "ordered category")
    return None if text is None else pd.api.types.pandas_dtype(text)


class KnownTree(Hierarchy):
    """A hierarchy of which a file keeps the digest and the leaves only: enough to tell whether another one is the same."""

    def __init__(self, digest: str, leaves: np.ndarray) -> None:
        self.digest = digest  # type: ignore[misc]
        self.leaves = leaves
        self.labels = [text_of(leaf) for leaf in leaves.tolist()]


# --------------------------------------------------------------------
# What a publisher remembers from one release to the next, and how it is saved and loaded.


MOST_RELEASES = 2**31 - 2  # releases are counted in 32 bits, the next one included


class Remembered(Plain):
    """The memory of a publisher: persons, their pseudonyms and last codes, the values met, and the arrays of :attr:`layout`.

    It is one half of :class:`~ppdp_lab.republish.publisher.Publisher`; the other half publishes.
    """

    layout: ClassVar[Mapping[str, Stored]] = {}
    """The arrays of :attr:`memory`."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.number = 0
        self.memory: dict[str, np.ndarray] = arrays_of(self.layout)
        self.rng = rng
        self._ids = pd.Index([])
        self._present = np.zeros(0, dtype=bool)
        self._pseudonyms = np.zeros(0, dtype=np.int64)
        self._codes = np.zeros((0, 0), dtype=np.int32)
        self._vocabulary: Vocabulary | None = None
        self._digests: tuple[str, ...] = ()  # of the records of each release, to recognize one that comes again
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

    # ------------------------------------------------------------------ undoing
    def _state(self) -> dict[str, Any]:
        kept = ("number", "_present", "_pseudonyms", "_codes", "_ids", "_vocabulary", "_digests")
        return {name: copy.deepcopy(getattr(self, name)) for name in ("memory", "rng")} | {
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
        known = self._vocabulary
        header = {
            "publisher": self.to_plain(),
            "private": getattr(self, "seed", None) is None,
            "number": self.number,
            "vocabulary": None if known is None else known.header(),
            "digests": self._digests,
            "chance": self.rng.bit_generator.state,
        }
        arrays = {
            "ids": stored_ids(self._ids),
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

        ``Publisher.load`` reads any publisher's file.
        """
        path = Path(path)
        header, arrays, checksum = read_memory(path)
        try:
            plain = header["publisher"]
            name, whoever = str(plain["name"]), cls.__name__ == "Publisher"
            if name != cls.__name__ and not whoever:
                raise DataFileError(f"{str(path)!r} holds a {name}; load it with {name}.load")
            publisher = from_plain(plain, None if whoever else cls)
            if not isinstance(publisher, cls):
                raise DataFileError(f"{str(path)!r} holds a {name}, which is no publisher")
            publisher._take(header, arrays)
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

    def _take(self, header: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Take over what a file holds, after checking all of it."""
        self.number = check_integer("number", header["number"], at_least=0, at_most=MOST_RELEASES)
        self.rng.bit_generator.state = header["chance"]
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
        self._codes = arrays.pop("codes")
        if header["vocabulary"] is not None:
            self._vocabulary = known = vocabulary_from(header["vocabulary"], arrays)
            Schema(known.quasi_identifiers, known.sensitive)  # refuses roles that make no sense
            qi_sizes = [len(known.domains[name]) for name in known.quasi_identifiers]
            sensitive_sizes = [len(known.domains[name]) for name in known.sensitive]
        elif self.number or len(ids):
            raise DataFileError("it remembers releases or persons, but not the values of their columns")
        self.memory = {name.removeprefix("memory."): array for name, array in arrays.items()}
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


def stored_ids(ids: pd.Index) -> np.ndarray:
    """Ids as a memory file holds them, whole numbers or text; an IdError for ids of any other kind.

    >>> stored_ids(pd.Index(["a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    if pd.api.types.is_integer_dtype(ids.dtype):
        return ids.to_numpy(dtype=np.uint64 if pd.api.types.is_unsigned_integer_dtype(ids.dtype) else np.int64)
    values = ids.tolist()
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=np.str_)
    if all(isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    kinds = sorted({type(value).__name__ for value in values})
    raise IdError(
        f"a publisher recognizes people by ids that it can save, which are 64-bit whole numbers or text, not {', '.join(kinds)}; "
        f"convert the ids before the first release, for example with ids=frame.index.map(str)"
    )


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
