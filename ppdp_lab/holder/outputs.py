"""What anonymizing did to risk and loss, and the files that may leave the house."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ppdp_lab.anonymize import Anonymizer
from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.forms import FORMS
from ppdp_lab.metrics.classes import discernibility
from ppdp_lab.metrics.loss import gcp, non_uniform_entropy
from ppdp_lab.release import Release
from ppdp_lab.table import Microdata
from ppdp_lab.table.files import format_of, formula_cells, write_tables


def untouched(original: Microdata) -> Release:
    """The table as it would be published untouched: records with equal quasi-identifiers are a class."""
    return Release(original, original.group_rows().class_of)


def risk_and_loss(release: Release) -> list[tuple[str, str, str]]:
    """Measures of risk and loss: name, before, after."""
    before, after = _measures(untouched(release.table)), _measures(release)
    return [(name, before[name], after[name]) for name in before]


def _measures(release: Release) -> dict[str, str]:
    """Prosecutor risk: whoever knows a person's quasi-identifiers picks one of the rows of the person's group."""
    published = release.published()
    sizes = published.sizes
    out = {
        "records": f"{len(published):,}",
        "suppressed": f"{len(release.suppressed):,}",
        "groups": f"{published.n_groups:,}",
        "smallest group": f"{sizes.min():,}" if len(sizes) else "-",
        "prosecutor risk, largest": f"{1 / sizes.min():.1%}" if len(sizes) else "-",
        "prosecutor risk, mean": f"{published.n_groups / len(published):.1%}" if len(sizes) else "-",
    }
    counts = published.counts()
    for name in release.table.schema.sensitive:
        histogram = counts.histogram(name)
        out[f"groups with one {name}"] = f"{(histogram.distinct == 1).sum():,}"
        out[f"surest guess of {name}"] = f"{np.max(histogram.shares, initial=0):.1%}"
    for loss in (gcp, non_uniform_entropy):
        out[f"loss, {loss.label}"] = f"{loss(release):.1%}"
    out[discernibility.label] = f"{discernibility(release):,.0f}"
    return out


def write_release(release: Release, path: Path, *, separator: str = ",", guard: bool = False) -> list[Path]:
    """Write what may leave the house: one file per published table; all of it or nothing.

    The extension decides the format: ``.csv`` or ``.txt`` with the given separator, ``.tsv``, ``.parquet``, ``.arrow`` or
    ``.feather``. With ``guard``, texts that a spreadsheet would take for formulas get a single quote in front.
    """
    frames = release.published().frames()
    targets = _targets(path, release.style)
    write_tables(dict(zip(targets, frames.values())), separator=separator, guard=guard)
    return targets


def count_formulas(release: Release) -> int:
    """How many published cells a spreadsheet would take for formulas if they were written to a CSV file unguarded."""
    return sum(map(formula_cells, release.published().frames().values()))


def _targets(path: Path, style: str) -> list[Path]:
    """The files that :func:`write_release` makes of a name: one per table of the form."""
    return [path.with_stem(f"{path.stem}-{part}") if part else path for part in FORMS[style].tables]


def check_output(output: Path, maker: Anonymizer, inputs: Iterable[str | Path], *, guard: bool = False) -> None:
    """Raise an error if an output cannot be written, or would overwrite what was read."""
    if format_of(output) != "CSV" and guard:
        raise ParameterError(f"--guard is for CSV files, which spreadsheets open; omit it for {output.name!r}")
    if not output.parent.is_dir():
        raise DataFileError(f"no folder {str(output.parent)!r} to write {output.name!r} into")
    if output.is_dir():
        raise DataFileError(f"{str(output)!r} is a folder; name a file")
    there = [Path(file) for file in inputs if Path(file).exists()]
    for target in _targets(output, maker.style):
        if target.is_dir():
            raise DataFileError(
                f"{str(target)!r} is a folder, so it cannot be written; choose another name for {output.name!r}"
            )
        if target.exists() and any(target.samefile(file) for file in there):
            raise DataFileError(f"{str(target)!r} is read, so it cannot be written; choose another name for -o")
