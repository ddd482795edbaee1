"""Own files read for a schema: every door of the package reads through here, so that a file gives one table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ppdp_lab.errors import ParameterError, PPDPError, SchemaError, listed
from ppdp_lab.table.files import FileFrame, FileReport, ReadingWarning, read_frames
from ppdp_lab.table.files.opening import TableFile
from ppdp_lab.table.hierarchies import Hierarchy
from ppdp_lab.table.schema import Schema


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
            f"column(s) {listed(declared)} are said to be numbers, but have a hierarchy whose leaves are texts; "
            f"leave them out of numbers"
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


def warn_of(reports: Iterable[FileReport]) -> None:
    """Point out, once, what the reader was not sure of."""
    notes = [f"{report.file}: {note}" for report in reports for note in report.notes]
    if notes:
        warnings.warn("; ".join(notes), ReadingWarning, stacklevel=3)
