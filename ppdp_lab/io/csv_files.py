"""From the bytes of a file to UTF-8: compression, encoding, and what no text file holds."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from ppdp_lab.errors import DataFileError, SchemaError, listed
from ppdp_lab.io._walk import AFTER_QUOTE, FINE, UNCLOSED, walk
from ppdp_lab.text import OneLine

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


# --------------------------------------------------------------------
# The shape of a CSV file: its separator, its header, and the first record that does not fit.


SEPARATORS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 1 << 16
_SAMPLE_RECORDS = 200


@dataclass(frozen=True)
class Records(OneLine):
    """Where every record of a file starts, on which line (from 1), and how many fields it has; the header is record 0."""

    starts: np.ndarray
    lines: np.ndarray
    counts: np.ndarray
    problem: int
    problem_line: int
    problem_field: int


def records_of(data: bytes, separator: str, limit: int | None = None) -> Records:
    """Walk over a file, or over its first ``limit`` records."""
    room = data.count(b"\n") + data.count(b"\r") + 1 if limit is None else limit
    starts, lines, counts = (np.zeros(room, dtype=np.int64) for _ in range(3))
    n, *problem = walk(np.frombuffer(data, dtype=np.uint8), ord(separator), starts, lines, counts)
    return Records(starts[:n], lines[:n], counts[:n], *problem)


def find_separator(data: bytes) -> str:
    """The sign that parts the fields: it splits the header, and all of the first records into as many fields.

    Where several do, the one with the most fields; where none does, the one that splits the header most; where nothing
    splits the header, a comma.

    >>> find_separator(b"weight;height\\n71,5;1,80\\n"), find_separator(b"name\\nAnn\\n")
    (';', ',')
    """
    end = _SAMPLE_BYTES
    third = -1
    for _ in range(3):  # a wide table has long lines, and fewer than two say nothing
        third = data.find(b"\n", third + 1)
        if third < 0:
            break
    end = len(data) if third < 0 and len(data) < 16 * end else max(end, third + 1)
    sample = data[:end]
    best, most = ",", (False, 1)
    for sign in SEPARATORS:
        counts = records_of(sample, sign, _SAMPLE_RECORDS).counts
        if len(counts) > 1 and len(sample) < len(data):
            counts = counts[:-1]  # it may be cut off
        if len(counts) == 0 or counts[0] == 1:
            continue
        rank = (bool((counts == counts[0]).all()), int(counts[0]))
        if rank > most:
            best, most = sign, rank
    return best


def header_of(data: bytes, separator: str) -> tuple[list[str], int]:
    """The names of the columns, and where the rows start."""
    found = records_of(data, separator, 2)
    start = int(found.starts[0])
    stop = int(found.starts[1]) if len(found.starts) > 1 else len(data)
    return fields_of(data[start:stop], separator), stop


def fields_of(record: bytes, separator: str) -> list[str]:
    """The fields of one record, quotes taken off.

    >>> fields_of(b'1,"a ""b"", c",\\n', ",")
    ['1', 'a "b", c', '']
    """
    text = record.decode("utf-8", errors="replace").rstrip("\r\n")
    if '"' not in text:
        return text.split(separator)
    fields, start = [], 0
    while start <= len(text):
        stop = start
        if text.startswith('"', start):  # the end is a quote that is followed by no other
            stop = text.find('"', start + 1)
            while stop >= 0 and text.startswith('"', stop + 1):
                stop = text.find('"', stop + 2)
            stop = len(text) if stop < 0 else stop
        end = text.find(separator, stop)
        end = len(text) if end < 0 else end
        field = text[start:end]
        if stop > start:
            field = text[start + 1 : stop].replace('""', '"') + text[stop + 1 : end]
        fields.append(field)
        start = end + 1
    return fields


def rows_of(data: bytes, separator: str, label: str) -> list[list[str]]:
    """The fields of every record of a small file without a header; the first quote that is wrong is refused."""
    records = records_of(data, separator)
    _refuse_quotes(records, label, [])
    bounds = [*records.starts.tolist(), len(data)]
    if b'"' not in data:
        texts = [data[start:stop].decode("utf-8", errors="replace") for start, stop in pairwise(bounds)]
        return [text.rstrip("\r\n").split(separator) for text in texts]
    return [fields_of(data[start:stop], separator) for start, stop in pairwise(bounds)]


def check_header(names: list[str], label: str, line: int) -> list[str]:
    """Refuse doubled names and columns without one; the first may lack it, since tools write row numbers so."""
    nameless = [i for i, name in enumerate(names, start=1) if not name.strip()]
    if [i for i in nameless if i > 1] or (nameless and len(names) == 1):
        raise SchemaError(
            f"{label}, line {line}: column(s) {listed(nameless)} of the header have no name; name or delete them"
        )
    named = ["(column 1)" if i == 0 and nameless else name for i, name in enumerate(names)]
    doubled = [name for name, times in Counter(named).items() if times > 1]
    if doubled:
        places = [i for i, name in enumerate(named, start=1) if name == doubled[0]]
        raise SchemaError(
            f"{label} has more than one column named {listed(doubled)} (line {line}, columns {listed(places)}); "
            f"rename or drop them"
        )
    return named


def check_records(data: bytes, separator: str, names: list[str], label: str, found: str) -> None:
    """Refuse the first record whose quotes or number of fields are wrong; ``found`` says how the separator was."""
    records = records_of(data, separator)
    hint = f"; is {separator!r}, which was {found}, the separator?"
    wrong = np.flatnonzero(records.counts[: len(records.counts) - (records.problem != FINE)] != len(names))
    if len(wrong) and (records.problem == FINE or records.lines[wrong[0]] < records.problem_line):
        row = int(wrong[0])
        line, count = int(records.lines[row]), int(records.counts[row])
        if count > len(names) and (records.counts[1:] == count).all():
            words = (
                f"the rows have more fields than the header has names; name every column ({count}, not {len(names)})"
            )
        elif count > len(names):
            words = f"{count} fields, but the header names {len(names)} column(s), the last of them {names[-1]!r}"
        else:
            words = f"{count} field(s), but the header names {len(names)} column(s); there is none for {names[count]!r}"
        raise DataFileError(f"{label} cannot be read as CSV: line {line}: {words}{hint}")
    _refuse_quotes(records, label, names)


def _refuse_quotes(records: Records, label: str, names: list[str]) -> None:
    if records.problem == FINE:
        return
    field = records.problem_field
    name = repr(names[field]) if field < len(names) else str(field + 1)
    words = {
        UNCLOSED: "a quote is opened here and never closed",
        AFTER_QUOTE: "text follows a closing quote; inside quotes write a quote twice",
    }[records.problem]
    raise DataFileError(f"{label} cannot be read as CSV: line {records.problem_line}, column {name}: {words}")
