"""From the bytes of a file to UTF-8: compression, encoding, and what no text file holds."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from dataclasses import dataclass
from pathlib import Path

from ppdp_lab.errors import DataFileError
from ppdp_lab.registry import OneLine
from ppdp_lab.table.files.scanning import find_separator, header_of, records_of

PARQUET, ARROW = b"PAR1", b"ARROW1"
_UNPACK = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
_MARKS = [
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "a spreadsheet",
    b"%PDF": "a PDF",
}
WESTERN = "cp1252"


@dataclass(frozen=True)
class Decoded(OneLine):
    """The text of a file as UTF-8 without a byte order mark, and how it was found."""

    data: bytes
    encoding: str
    note: str | None = None


def read_bytes(path: Path, label: str) -> bytes:
    """The content of a file, unpacked if its name says that it is packed."""
    if path.is_dir():
        raise DataFileError(f"{label} is a folder, not a file; name a CSV or parquet file")
    if not path.is_file():
        raise DataFileError(f"no {label}")
    try:
        data = path.read_bytes()
        unpack = _UNPACK.get(path.suffix.lower())
        return data if unpack is None else unpack(data)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        reason = getattr(error, "strerror", None) or f"it is not a whole {path.suffix} file ({error})"
        raise DataFileError(f"{label} cannot be read: {reason}") from None


def decode(data: bytes, encoding: str | None, label: str) -> Decoded:
    """The text of a file; ``encoding`` is found unless given."""
    for mark, what in _OTHER_FORMATS.items():
        if data.startswith(mark):
            raise DataFileError(f"{label} cannot be read as CSV: it is {what}; export it as CSV first")
    found = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is not None:
        name = codecs.lookup(encoding).name
        marked = found is not None and name.replace("-", "_").startswith(found[1].replace("-", "_"))
        return _strict(data[len(found[0]) :] if found and marked and name == "utf-8" else data, name, name, label)
    if found is not None:
        mark, name = found
        title = f"{name.upper()} with byte order mark"
        return _strict(data[len(mark) :] if name == "utf-8" else data, name, title, label)
    _refuse_nul(data, label)
    try:
        return _strict(data, "utf-8", "UTF-8", label)
    except DataFileError as error:
        try:
            decoded = _strict(data, WESTERN, WESTERN, label)
        except DataFileError:
            raise error from None
    first = next(position for position, byte in enumerate(data) if byte > 127)
    note = (
        f"not UTF-8 ({place(data[:first])} holds the byte 0x{data[first]:02x}), so it was read as {WESTERN} (Western European); "
        f"if accents look wrong, give the encoding or save the file as UTF-8"
    )
    return Decoded(decoded.data, WESTERN, note)


def _strict(data: bytes, codec: str, title: str, label: str) -> Decoded:
    try:
        if codec in ("utf-8", "ascii"):
            if not data.isascii():
                data.decode(codec)
            text = data
        else:
            text = data.decode(codec).encode()
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        before = data[:start].decode(codec, errors="replace").encode()
        where = place(before.removeprefix(codecs.BOM_UTF8))
        raise DataFileError(
            f"{label} cannot be read as CSV: {where}: the byte 0x{data[start]:02x} is not {title} text; save the file as "
            f"UTF-8, or give its encoding"
        ) from None
    text = text.removeprefix(codecs.BOM_UTF8)
    _refuse_nul(text, label)
    return Decoded(text, title)


def _refuse_nul(data: bytes, label: str) -> None:
    position = data.find(b"\0")
    if position >= 0:
        hint = "; is it UTF-16 without a byte order mark? then give the encoding" if position < 4 else ""
        raise DataFileError(
            f"{label} cannot be read as CSV: {place(data[:position])} holds a NUL byte, which no text has{hint}; mend it"
        )


def place(before: bytes) -> str:
    """Line and column in words of what follows the bytes ``before``; the column's name if the header can be read."""
    line = line_of(before)
    head = before.decode("utf-8", errors="replace").encode()
    if not head:
        return "line 1"
    separator = find_separator(head)
    counts = records_of(head, separator).counts
    fresh = head.endswith((b"\n", b"\r"))  # at the start of a line
    if len(counts) < 2 and not (fresh and len(counts)):  # still in the header
        return f"line {line}, column {counts[0] if len(counts) else 1}"
    field = 0 if fresh else int(counts[-1]) - 1
    names, _ = header_of(head, separator)
    return f"line {line}, column {names[field]!r}" if field < len(names) else f"line {line}, column {field + 1}"


def line_of(before: bytes) -> int:
    """The line, counted from 1, on which the byte after ``before`` stands.

    >>> line_of(b"age\\r\\n34\\r\\n5")
    3
    """
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
