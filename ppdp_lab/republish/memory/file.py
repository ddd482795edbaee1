"""The file that holds a publisher's memory: a header, arrays, and a checksum over both.

Format 3: a compressed .npz without pickles. ``header`` is JSON: format, the publisher's plain form, number of releases,
vocabulary, state of chance. Arrays: ids, present, pseudonyms, codes, ``values.i`` and ``positions.i`` of the i-th column,
``memory.name``. ``checksum`` is the SHA-256 of the header's text and of names, types, shapes and bytes of all other arrays.

Format 2 (no vocabulary, no checksum, code of persons not kept) is read and converted; format 1, whose pseudonyms follow from
the seed, is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, listed
from ppdp_lab.republish.memory.vocabulary import Vocabulary
from ppdp_lab.table import Domain, Hierarchy
from ppdp_lab.table.files import locked, write_whole
from ppdp_lab.table.files.kinds import text_of
from ppdp_lab.table.schema import MISSING

FORMAT = 3
_HEADER = {
    2: ("publisher", "parameters", "number", "domains", "chance"),
    3: ("publisher", "number", "vocabulary", "awaiting", "chance"),
}
_ARRAYS = {2: ("ids", "present", "pseudonyms"), 3: ("ids", "present", "pseudonyms", "codes", "checksum")}


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
        write_whole(path, lambda file: np.savez_compressed(file, allow_pickle=False, **content), mode=0o600)
    return checksum


def _checksum_in(path: Path) -> str:
    """The checksum that a file carries; empty for one that has none, or is no memory."""
    with contextlib.suppress(Exception), np.load(path, allow_pickle=False) as file:
        return str(file["checksum"])
    return ""


def read_memory(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray], str | None]:
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
    if not isinstance(version, int) or version not in _HEADER:
        how = (
            "its pseudonyms follow from the seed, so it must not be used; begin a new series"
            if version == 1
            else "it was written by another version of ppdp_lab; use that one"
        )
        raise DataFileError(f"{str(path)!r} has format {version!r}; this version reads 2 and {FORMAT}: {how}")
    missing = [key for key in _HEADER[version] if key not in header]
    missing += [key for key in _ARRAYS[version] if key not in arrays]
    if missing:
        raise damaged(path, f"it lacks {listed(missing)}")
    if version != FORMAT:
        return header, arrays, None
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
