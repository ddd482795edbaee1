"""Compiled walk over the bytes of a CSV file: where records begin, and which quotes are wrong."""

from __future__ import annotations

from numba import njit

FINE, UNCLOSED, AFTER_QUOTE = 0, 1, 2
QUOTE, RETURN, NEWLINE = 34, 13, 10


@njit(nogil=True, cache=True)
def walk(data, separator, starts, lines, counts):
    """Fill in where each record starts, its line (from 1) and its number of fields, until the arrays are full.

    A quote opens a quoted field only where a field begins; inside, two quotes are one and line ends are text. Lines with
    nothing on them are no records. Returns the number of records, the first problem with a quote, its line and its field
    (from 0).
    """
    n = data.shape[0]
    room = starts.shape[0]
    records = 0
    line = 1
    i = 0
    while i < n and records < room:
        if data[i] == NEWLINE or data[i] == RETURN:  # an empty line
            i += 2 if data[i] == RETURN and i + 1 < n and data[i + 1] == NEWLINE else 1
            line += 1
            continue
        starts[records] = i
        lines[records] = line
        field = 0
        while True:  # one field a round
            if i < n and data[i] == QUOTE:
                opened = line
                i += 1
                while i < n:
                    if data[i] == QUOTE:
                        if i + 1 < n and data[i + 1] == QUOTE:
                            i += 2
                            continue
                        break
                    if data[i] == NEWLINE or (data[i] == RETURN and not (i + 1 < n and data[i + 1] == NEWLINE)):
                        line += 1
                    i += 1
                if i >= n:
                    counts[records] = field + 1
                    return records + 1, UNCLOSED, opened, field
                i += 1
                if i < n and data[i] != separator and data[i] != NEWLINE and data[i] != RETURN:
                    counts[records] = field + 1
                    return records + 1, AFTER_QUOTE, line, field
            else:
                while i < n and data[i] != separator and data[i] != NEWLINE and data[i] != RETURN:
                    i += 1
            field += 1
            if i < n and data[i] == separator:
                i += 1
                continue
            break
        counts[records] = field
        records += 1
        if i < n:  # the line end
            i += 2 if data[i] == RETURN and i + 1 < n and data[i + 1] == NEWLINE else 1
            line += 1
    return records, FINE, 0, 0
