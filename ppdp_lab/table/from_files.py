"""Own files read for a schema: every door of the package reads through here, so that a file gives one table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab.errors import ParameterError, PPDPError, RoleWarning, SchemaError, listed
from ppdp_lab.table.domain import MANY_VALUES, ORDERED, TREE
from ppdp_lab.table.files import FileFrame, FileReport, ReadingWarning, read_frames
from ppdp_lab.table.files.opening import TableFile
from ppdp_lab.table.hierarchies import Hierarchy
from ppdp_lab.table.schema import Schema

if TYPE_CHECKING:
    from ppdp_lab.table.microdata import Microdata

NEARLY = 0.8  # different values per record from which a column names people rather than describes them
FEW = 5  # of fewer different texts nothing can be said
MANY_NUMBERS = 100  # of fewer different numbers or dates neither: all ages of a small table may well differ
FREE_TEXT = 5  # words in a text, on average
EXACT_SETS = "sets of exact values are published"


def frames_for(
    schema: Schema,
    files: Sequence[TableFile],
    hierarchies: Mapping[str, Hierarchy],
    *,
    id: str | None = None,
    texts: Iterable[str] = (),
) -> list[FileFrame]:
    """The columns that a schema names, and the column of ids, of one or several files, read alike.

    A column whose hierarchy has texts for leaves is read to the letter, since the leaves were; so are those of ``texts``.
    In identifiers and ids a missing cell is not dealt with: they are never published.
    """
    names = list(dict.fromkeys([*schema.columns, *([id] if id is not None else [])]))
    worded = [name for name, tree in hierarchies.items() if all(isinstance(leaf, str) for leaf in tree.leaves)]
    coded = {*schema.quasi_identifiers, *schema.sensitive}
    declared = [name for name in worded if any(name in file.options.numbers for file in files)]
    if declared:
        raise ParameterError(
            f"{files[0].options.spelled('numbers')} names {listed(declared)}, whose hierarchy has texts for leaves; leave them "
            f"out of it"
        )
    return read_frames(files, names, coded=coded, texts=[*worded, *texts])


def made_hierarchy(column: str, spec: Mapping[str, object], frame: FileFrame, where: str) -> Hierarchy:
    """A hierarchy made of a column's own values: ``{"widths": [5, 10]}`` or ``{"mask": 4}``."""
    values = np.asarray(frame.frame[column].dropna().unique())
    if "widths" in spec and values.dtype.kind not in "iuf":
        raise SchemaError(f"{where}: column {column!r} is {frame.report.columns[column]}; widths need numbers")
    try:
        if "widths" in spec:
            return Hierarchy.intervals(values, spec["widths"])  # type: ignore[arg-type]
        return Hierarchy.mask_suffix(values, spec["mask"])  # type: ignore[arg-type]
    except PPDPError as error:
        ((how, much),) = spec.items()
        raise type(error)(f"{where}: the hierarchy {{ {how} = {much} }} of column {column!r}: {error}") from None


def doubtful_columns(table: Microdata) -> list[str]:
    """One sentence per column whose published values may identify people; no sentence quotes a value.

    Doubtful are quasi-identifiers in which nearly every record has a value of its own; texts without a hierarchy that are
    long or have many different values, since sets of exact values are published of them; and sensitive columns in which
    nearly every record has a value of its own. The command line prints these sentences, the own-table explorer shows them,
    and monthly folders and TOML tables warn of them. :meth:`Anonymizer.anonymize` does not: call this function first.

    >>> import pandas as pd
    >>> from ppdp_lab import Microdata
    >>> frame = pd.DataFrame({"name": [f"Person {i}" for i in range(9)], "sex": list("mffmmffmf")})
    >>> (sentence,) = doubtful_columns(Microdata(frame, Schema(["name", "sex"])))
    >>> print(sentence.partition(",")[0])
    quasi-identifier 'name': nearly every record has a value of its own (9 different texts in 9 records)
    """
    return [sentence for name in table.domains if (sentence := _doubt(table, name))]


def _doubt(table: Microdata, name: str) -> str:
    domain, codes = table.domains[name], table.codes(name)
    occurring = np.unique(codes)
    quasi, ordered = name in table.schema.quasi_identifiers, domain.positions is not None
    column = f"{'quasi-identifier' if quasi else 'sensitive column'} {name!r}"
    unique = len(occurring) >= max(NEARLY * len(table), MANY_NUMBERS if ordered else FEW)
    own = (
        f"nearly every record has a value of its own ({len(occurring):,} different {'values' if ordered else 'texts'} in "
        f"{len(table):,} records)"
    )
    if not quasi:
        return f"{column}: {own}, and it is published as it is; leave it out, or round it" if unique else ""
    if domain.kind == TREE:
        return ""
    if domain.kind == ORDERED:
        return (
            f"{column}: {own}, and the ends of published ranges are exact values; if it identifies people, leave it out, else "
            f"round it"
            if unique
            else ""
        )
    words = np.char.count(domain.labels[occurring].astype(str), " ") + 1
    if unique:
        return f"{column}: {own}, and {EXACT_SETS}; if it identifies people, leave it out, else give it a hierarchy"
    if len(occurring) and words.mean() >= FREE_TEXT:
        return f"{column} looks like free text, and {EXACT_SETS}; leave it out, or give it a hierarchy"
    if len(occurring) > MANY_VALUES:
        return f"{column} has {len(occurring):,} different texts and no hierarchy, so {EXACT_SETS}; give it a hierarchy"
    return ""


def warn_of_roles(table: Microdata) -> None:
    """Warn, once, of columns that may identify people."""
    doubts = doubtful_columns(table)
    if doubts:
        warnings.warn("; ".join(doubts), RoleWarning, stacklevel=3)


def warn_of(reports: Iterable[FileReport]) -> None:
    """Point out, once, what the reader was not sure of."""
    notes = [f"{report.file}: {note}" for report in reports for note in report.notes]
    if notes:
        warnings.warn("; ".join(notes), ReadingWarning, stacklevel=3)
