"""Anonymizing a user's own CSV file: read, anonymize, say what it did to risk and loss, write."""

from __future__ import annotations

import contextlib
import csv
import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.anonymize import ALGORITHMS, Anatomy, Anonymizer
from ppdp_lab.errors import DataFileError, ParameterError, SchemaError, check_separator, listed, unknown
from ppdp_lab.lab.report.text import number, table
from ppdp_lab.metrics.classes import discernibility
from ppdp_lab.metrics.loss import gcp
from ppdp_lab.principles import DistinctLDiversity, KAnonymity, Principle, TCloseness
from ppdp_lab.release import Release
from ppdp_lab.table import Hierarchy, Microdata, Schema


# ---------------------------------------------------------------------- reading
def read_csv(
    path: str | Path, schema: Schema, hierarchies: Mapping[str, str | Path], *, separator: str = ","
) -> tuple[Microdata, list[str]]:
    """A CSV file as a table, and the columns that no role names.

    An empty cell is a missing value; ``NA`` or ``None`` are values like any other. A quasi-identifier of numbers is ordered,
    unless it has a hierarchy, or the numbers are codes: they begin with a needless 0, as zip codes do, or have more than
    15 digits. Sensitive values are kept to the letter.
    """
    frame = _texts(Path(path), check_separator(separator, "--separator"))
    left_out = schema.check_columns(frame.columns)
    trees = {}
    for name, file in hierarchies.items():
        try:
            trees[name] = Hierarchy.from_csv(file)
        except csv.Error as error:
            raise DataFileError(f"hierarchy file {str(file)!r} cannot be read as CSV: {error}") from None
    columns = {name: frame[name] for name in schema.columns}
    columns |= {name: _numbers(frame[name]) for name in schema.quasi_identifiers if name not in trees}
    return Microdata(pd.DataFrame(columns), schema, trees, provenance=Path(path).name), left_out


def _texts(path: Path, separator: str) -> pd.DataFrame:
    """The cells of a CSV file as they stand.

    The header is read as a row: pandas would take a surplus column for an index and rename doubled names, unasked.
    """
    if not path.is_file():
        raise DataFileError(f"no file {str(path)!r}")
    how: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "encoding": "utf-8-sig"}
    try:
        rows = pd.read_csv(path, sep=separator, dtype="str", header=None, **how)
    except ValueError as error:  # undecodable, ragged, or empty
        raise DataFileError(f"{path.name} cannot be read as CSV: {' '.join(str(error).split())}") from None
    names = [f"(column {i})" if pd.isna(name) else name for i, name in enumerate(rows.iloc[0], start=1)]
    return rows.iloc[1:].reset_index(drop=True).set_axis(names, axis=1)


def _numbers(column: pd.Series) -> pd.Series:
    """A column of texts as numbers, if all of them are and none is a code that a number would change."""
    if column.str.match(r"\s*[-+]?0\d").any() or (column.str.count(r"\d") > 15).any():
        return column
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


def parse_hierarchies(texts: Iterable[str]) -> dict[str, str]:
    """``column=file.csv`` from the command line.

    >>> parse_hierarchies(["zip=zip.csv"])
    {'zip': 'zip.csv'}
    """
    out: dict[str, str] = {}
    for text in texts:
        column, equals, file = text.partition("=")
        if not equals or not column or not file:
            raise ParameterError(f"--hierarchy needs column=file.csv, not {text!r}")
        if column in out:
            raise ParameterError(f"--hierarchy gives {column!r} two files; give it one")
        out[column] = file
    return out


# ---------------------------------------------------------------------- the algorithm
def make_anonymizer(
    name: str,
    *,
    k: int | None = None,
    l: int | None = None,  # noqa: E741 (the paper's symbol)
    t: float | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Anonymizer:
    """An algorithm by name, with the rule that k, l and t make; what it cannot use is refused, never ignored.

    >>> make_anonymizer("mondrian", k=5, l=2)
    Mondrian(KAnonymity(5) & DistinctLDiversity(2), strict=True, cut='median-or-below', choose='widest')
    """
    if name not in ALGORITHMS:
        raise unknown("algorithm", name, ALGORITHMS)
    kind: Any = ALGORITHMS[name]
    accepted = _parameters(kind)
    measure, *names = accepted
    known = [key for key in names if set(accepted[key].split(" | ")) <= _PLAIN]
    bounds = {"k": k, "l": l, "t": t}
    said = {key: value for key, value in bounds.items() if value is not None}
    if measure == "rule":
        if not said:
            raise ParameterError("say how safe the release must be: --k, --l or --t, or several of them")
        first: Any = _rule(k, l, t)
    else:
        first = said.pop(measure, None)
        if said:
            raise ParameterError(f"{name} cannot promise --{' and --'.join(said)}: its only measure is --{measure}")
        if first is None:
            raise ParameterError(f"{name} needs --{measure}")
    keywords = dict(options or {})
    if seed is not None:
        keywords["seed"] = seed
    for key in keywords:
        if key not in names:
            raise ParameterError(str(unknown(f"option of {name}:", key, known)))
        if key not in known:
            raise ParameterError(
                f"option {key!r} of {name} takes a {accepted[key]}, which a command line cannot give; leave it out, or call "
                f"{kind.__name__} from Python"
            )
    made: Anonymizer = kind(first, **keywords)
    return made


_PLAIN = {"bool", "int", "float", "str", "None"}


def _parameters(kind: type) -> dict[str, str]:
    """Names and types of what a class is made with; what it passes on as ``**keywords`` are its parent's."""
    out: dict[str, str] = {}
    for parent in kind.__mro__:
        if "__init__" in vars(parent):
            said = list(inspect.signature(parent).parameters.values())
            out |= {p.name: str(p.annotation) for p in said if p.kind is not p.VAR_KEYWORD and p.name not in out}
            if all(p.kind is not p.VAR_KEYWORD for p in said):
                break
    return out


def _rule(k: int | None, l: int | None, t: float | None) -> Principle:  # noqa: E741
    parts: list[Principle] = [KAnonymity(k)] if k is not None else []
    parts += [DistinctLDiversity(l)] if l is not None else []
    parts += [TCloseness(t)] if t is not None else []
    return reduce(and_, parts)


# ---------------------------------------------------------------------- what it did
def before(original: Microdata) -> Release:
    """The table as it would be published untouched: records with equal quasi-identifiers are a class."""
    return Release(original, original.group_rows().class_of)


def summary(release: Release) -> str:
    """Risk and loss before and after, in a small table."""
    columns = [_measures(before(release.table)), _measures(release)]
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
    lines = [table(["", "before", "after"], rows)]
    if release.form.exact:
        lines.append(
            "Quasi-identifiers are published as they are; the risk is that of linking a person to a sensitive row."
        )
    return "\n".join(lines)


def _measures(release: Release) -> dict[str, str]:
    """Prosecutor risk: whoever knows a person's quasi-identifiers picks one of the rows of the person's group."""
    published = release.published()
    sizes = published.sizes
    out = {
        "records": number(len(published)),
        "suppressed": number(len(release.suppressed)),
        "groups": number(published.n_groups),
        "smallest group": number(sizes.min()) if len(sizes) else "-",
        "prosecutor risk, largest": f"{1 / sizes.min():.1%}" if len(sizes) else "-",
        "prosecutor risk, mean": f"{published.n_groups / len(published):.1%}" if len(sizes) else "-",
    }
    counts = published.counts()
    for name in release.table.schema.sensitive:
        histogram = counts.histogram(name)
        out[f"groups with one {name}"] = number(int((histogram.distinct == 1).sum()))
        out[f"surest guess of {name}"] = f"{np.max(histogram.shares, initial=0):.1%}"
    out[f"loss, {gcp.label}"] = f"{gcp(release):.1%}"
    out[discernibility.label] = number(discernibility(release))
    return out


# ---------------------------------------------------------------------- writing
def write(release: Release, path: Path, *, separator: str = ",") -> list[Path]:
    """Write what may leave the house: one file, or two for anatomized tables; all of it or nothing."""
    frames: Sequence[pd.DataFrame] = list(release.published().frames().values())
    targets = _targets(path, len(frames) > 1)
    fresh = [target.with_name(f".{target.name}-{os.getpid()}") for target in targets]
    try:
        for part, frame in zip(fresh, frames):
            frame.to_csv(part, index=False, sep=separator)
        for part, target in zip(fresh, targets):
            part.replace(target)
    finally:
        for part in fresh:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    return targets


def _targets(path: Path, anatomized: bool) -> list[Path]:
    """The files that :func:`write` makes of a name."""
    return [path.with_stem(f"{path.stem}-{part}") for part in ("quasi", "sensitive")] if anatomized else [path]


def check_output(output: Path, maker: Anonymizer, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that cannot be written, or that would overwrite what was read."""
    if not output.parent.is_dir():
        raise DataFileError(f"no folder {str(output.parent)!r} to write {output.name!r} into")
    if output.is_dir():
        raise DataFileError(f"{str(output)!r} is a folder; name a file")
    there = [Path(file) for file in inputs if Path(file).exists()]
    for target in _targets(output, isinstance(maker, Anatomy)):
        if target.is_dir():
            raise DataFileError(
                f"{str(target)!r} is a folder, so it cannot be written; choose another name for {output.name!r}"
            )
        if target.exists() and any(target.samefile(file) for file in there):
            raise DataFileError(f"{str(target)!r} is read, so it cannot be written; choose another name for -o")


def split_names(option: str, text: str) -> list[str]:
    """``a,b`` from the command line.

    >>> split_names("--qi", "age, zip")
    ['age', 'zip']
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise SchemaError(
            f"{option} {text!r} has an empty name; write column names between commas, found {listed(names)}"
        )
    return names
