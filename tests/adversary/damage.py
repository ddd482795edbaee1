"""Memory files taken apart and put together again by hand: numpy, zipfile, json and hashlib only."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

Parts = dict[str, np.ndarray]


def take_apart(path: Path) -> Parts:
    """All arrays of a file, ``header`` and ``checksum`` among them."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def checksum(parts: Parts) -> str:
    """As the file's format says: the header's text, then names, types, shapes and bytes of all other arrays, by name."""
    digest = hashlib.sha256(str(parts["header"]).encode())
    for name in sorted(set(parts) - {"header", "checksum"}):
        array = np.ascontiguousarray(parts[name])
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def put_together(path: Path, parts: Parts, *, mended: bool) -> None:
    """Write the arrays; with ``mended`` the checksum fits them."""
    parts = dict(parts)
    if mended:
        parts["checksum"] = np.array(checksum(parts))
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in parts.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=True)
            archive.writestr(f"{name}.npy", content.getvalue())


def damaged_bytes(data: bytes, chance: np.random.Generator) -> bytes:
    """The file cut short, with flipped bits, with a hole, with something behind it, or empty."""
    how = int(chance.integers(6))
    where = int(chance.integers(len(data)))
    if how == 0:
        return data[:where]
    if how == 1:
        return b"".join([data[:where], bytes([data[where] ^ (1 << int(chance.integers(8)))]), data[where + 1 :]])
    if how == 2:
        return data[:where] + chance.bytes(int(chance.integers(1, 40))) + data[where + int(chance.integers(1, 40)) :]
    if how == 3:
        return data[:where] + bytes(min(64, len(data) - where)) + data[where + 64 :]
    if how == 4:
        return data + chance.bytes(int(chance.integers(1, 200)))
    return chance.bytes(int(chance.integers(0, 300)))


def edited(parts: Parts, chance: np.random.Generator) -> tuple[Parts, str]:
    """One thing about the arrays or the header made wrong, and what that was."""
    parts = dict(parts)
    names = sorted(set(parts) - {"header", "checksum"})
    name = str(chance.choice(names))
    array = parts[name]
    how = str(chance.choice(["header", "drop", "extra", "shape", "dtype", "values", "values", "values", "length"]))
    if how == "header":
        parts["header"], what = _header(str(parts["header"]), chance)
        return parts, f"header {what}"
    if how == "drop":
        del parts[name]
    elif how == "extra":
        parts[str(chance.choice(["memory.more", "values.99", "positions.0", "stray", "memory."]))] = array
    elif how == "shape":
        shapes = [array[None], array.reshape(-1, 1), array.ravel()[:0], np.array(0), array.ravel()]
        parts[name] = shapes[int(chance.integers(len(shapes)))]
    elif how == "dtype":
        kinds = [np.float64, np.int8, np.uint8, np.int64, np.uint64, np.complex128, "U5", "M8[s]", bool, object, "S3"]
        kind = kinds[int(chance.integers(len(kinds)))]
        parts[name] = np.zeros(array.shape, dtype=kind) if chance.random() < 0.5 else _cast(array, kind)
    elif how == "length":
        cut = int(chance.integers(0, array.shape[-1] + 1)) if array.ndim else 0
        longer = np.concatenate([array, array[..., :1]], axis=-1) if array.ndim and array.shape[-1] else array
        parts[name] = longer if chance.random() < 0.5 else array[..., :cut] if array.ndim else array
    elif array.size and array.dtype.kind in "iub":
        limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
        wild = [0, 1] if limits is None else [limits.min, limits.max, -1, -2, 0, 1, 5, 1000, 2**20]
        new = array.copy()
        value = wild[int(chance.integers(len(wild)))]
        flat = new.reshape(-1)
        which = slice(None) if chance.random() < 0.2 else int(chance.integers(new.size))
        flat[which] = value if limits is None or limits.min <= value <= limits.max else limits.max
        parts[name] = new
        return parts, f"{name}[{which}] = {value}"
    elif array.size and array.dtype.kind == "f":
        new = array.copy()
        new[int(chance.integers(new.size))] = chance.choice([np.nan, np.inf, -1e300])
        parts[name] = new
    elif array.size:
        parts[name] = np.repeat(array[:1], len(array))
    return parts, f"{how} of {name}"


def _cast(array: np.ndarray, kind: Any) -> np.ndarray:
    try:
        return array.astype(kind)
    except (TypeError, ValueError):
        return np.zeros(array.shape, dtype=kind)


def _header(text: str, chance: np.random.Generator) -> tuple[np.ndarray, str]:
    """One entry of the header replaced, dropped or doubled; or text that is no header at all."""
    header = json.loads(text)
    where: Any = header
    path: list[Any] = []
    while isinstance(where, (dict, list)) and where and (not path or chance.random() < 0.7):
        keys = list(where) if isinstance(where, dict) else list(range(len(where)))
        path.append(keys[int(chance.integers(len(keys)))])
        where = where[path[-1]]
    inside: Any = header
    for key in path[:-1]:
        inside = inside[key]
    wild = [
        None,
        -1,
        0,
        1,
        10**30,
        1.5,
        "x",
        "",
        [],
        {},
        [[]],
        {"name": "KAnonymity"},
        True,
        "MInvariance",
        "999",
        "float64",
    ]
    if chance.random() < 0.2:
        del inside[path[-1]]
        return np.array(json.dumps(header)), f"without {path}"
    value = wild[int(chance.integers(len(wild)))]
    if chance.random() < 0.05:
        return np.array(chance.choice(["", "{", "[]", "null", "{}", '{"format": 3}', "[" * 5000])), "replaced"
    inside[path[-1]] = value
    return np.array(json.dumps(header)), f"{path} = {value!r}"
