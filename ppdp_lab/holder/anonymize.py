"""Anonymize a data holder's file: the table, the rule and the algorithm that the command line names."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import numpy as np

from ppdp_lab.anonymize import ANONYMIZERS, Anonymizer
from ppdp_lab.errors import DataFileError, ParameterError, SchemaError, listed, unknown
from ppdp_lab.io import FileReport, Reading, ReadingWarning, format_of, formula_cells, open_table, write_tables
from ppdp_lab.io.reading import frames_for, read_hierarchy
from ppdp_lab.metrics.classes import discernibility
from ppdp_lab.metrics.loss import gcp, non_uniform_entropy
from ppdp_lab.principles import DistinctLDiversity, KAnonymity, Principle, TCloseness
from ppdp_lab.registry import make, parse
from ppdp_lab.release import Release
from ppdp_lab.release.forms import FORMS
from ppdp_lab.table import Microdata, Schema
from ppdp_lab.text import OneLine

_PLAIN = {"bool", "int", "float", "str", "None"}


def make_anonymizer(
    name: str,
    *,
    rule: str | None = None,
    k: int | None = None,
    l: int | None = None,  # noqa: E741 (the paper's symbol)
    t: float | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Anonymizer:
    """An algorithm by name, with a rule given as text and the one that k, l and t make; what it cannot use is refused.

    >>> make_anonymizer("mondrian", k=5, l=2)
    Mondrian(KAnonymity(5) & DistinctLDiversity(2))
    >>> make_anonymizer("flash", rule="KAnonymity(5) & EntropyLDiversity(2.5)", options={"metric": "ncp"})
    Flash(KAnonymity(5) & EntropyLDiversity(2.5), metric=ncp)
    """
    if name not in ANONYMIZERS:
        raise unknown("algorithm", name, [known.lower() for known in ANONYMIZERS])
    entry = ANONYMIZERS.entry(name)
    measure, *others = entry.parameters
    params = {key: value for key, value in {"rule": rule, "k": k, "l": l, "t": t}.items() if value is not None}
    if measure.name == "rule":
        if not params:
            raise ParameterError(
                "say how safe the release must be: --k, --l or --t, or several of them, or --rule 'KAnonymity(5) & ...'"
            )
        first: Any = make_rule(rule, k, l, t)
    else:
        first = params.pop(measure.name, None)
        if params:
            raise ParameterError(
                f"{name} cannot promise --{' and --'.join(params)}: its only measure is --{measure.name}"
            )
        if first is None:
            raise ParameterError(f"{name} needs --{measure.name}")
    keywords = dict(options or {})
    if seed is not None:
        keywords["seed"] = seed
    types = {p.name: p.type for p in others}
    known = [key for key in types if key not in entry.member.not_serialized]
    for key, value in keywords.items():
        if key not in known:
            raise ParameterError(str(unknown(f"option of {name}:", key, known)))
        if not set(types[key].split(" | ")) <= _PLAIN and isinstance(value, str):
            keywords[key] = parse(value)  # a metric's name, say
    made: Anonymizer = make(entry.member, keywords, (first,))
    return made


def check_attributes(maker: Anonymizer, sensitive: Sequence[str]) -> None:
    """Raise an error, in the words of the command line, unless every part of the rule knows its sensitive column.

    >>> check_attributes(make_anonymizer("mondrian", k=5, l=2), ["disease", "income"])
    Traceback (most recent call last):
    ppdp_lab.errors.ParameterError: with several sensitive columns, 'disease', 'income', name the one that each part of the rule \
protects, for example: --rule "KAnonymity(5) & DistinctLDiversity(2, attribute='disease')"
    """
    parts = maker.rule.parts()
    if not sensitive and any(hasattr(part, "attribute") for part in parts):
        raise ParameterError(f"{maker.rule} protects a sensitive column; name it with --sensitive")
    if len(sensitive) < 2:
        return
    named = [
        make(type(part), part.get_params() | {"attribute": sensitive[0]})
        if getattr(part, "attribute", "") is None
        else part
        for part in parts
    ]
    if named == list(parts):
        return
    if "rule" not in maker.get_params():
        raise ParameterError(
            f"{type(maker).__name__} protects one sensitive column; give --sensitive one of {listed(sensitive)}"
        )
    rule = " & ".join(map(repr, named))
    raise ParameterError(
        f"with several sensitive columns, {listed(sensitive)}, name the one that each part of the rule protects, for example: "
        f'--rule "{rule}"'
    )


def make_rule(
    text: str | None = None,
    k: int | None = None,
    l: int | None = None,  # noqa: E741 (the paper's symbol)
    t: float | None = None,
) -> Principle:
    """The rule that a text, k, l and t make together; at least one of them is given.

    >>> make_rule("KAnonymity(5)", t=0.2)
    KAnonymity(5) & TCloseness(0.2)
    """
    parts: list[Principle] = [Principle.from_text(text)] if text is not None else []
    parts += [KAnonymity(k)] if k is not None else []
    parts += [DistinctLDiversity(l)] if l is not None else []
    parts += [TCloseness(t)] if t is not None else []
    return reduce(and_, parts)


# --------------------------------------------------------------------
# What a holder says on the command line, and the table that comes of it.


@dataclass(frozen=True)
class OwnTable(OneLine):
    """A table from a file, how the file was read, and the columns that no role names."""

    table: Microdata
    report: FileReport
    left_out: list[str]


def read_own_file(
    path: str | Path, schema: Schema, hierarchies: Mapping[str, str | Path], options: Reading | None = None
) -> OwnTable:
    """A CSV or parquet file as a table; ``hierarchies`` names a file per column.

    It is read as TOML tables and monthly folders are: see :class:`ppdp_lab.io.Reading`.
    """
    file = open_table(path, options)
    lacking = [name for name in schema.columns if name not in file.names]
    if lacking:
        raise SchemaError(f"{file.label} lacks column(s) {listed(lacking)}; its columns are {listed(file.names, 20)}")
    left_out = schema.check_columns(file.names)
    with warnings.catch_warnings(record=True) as doubts:  # of the hierarchies' encodings; the report says them
        warnings.simplefilter("always", ReadingWarning)
        trees = {name: read_hierarchy(tree) for name, tree in hierarchies.items()}
    (read,) = frames_for(schema, [file], trees)
    read.report.notes += [str(doubt.message) for doubt in doubts]
    table = Microdata(read.frame, schema, trees, provenance=Path(path).name, missing=file.options.missing)
    return OwnTable(table, read.report, left_out)


def reading_options(**given: Any) -> Reading:
    """The reader's options from those of a command line: None is left to the reader, names stand between commas.

    >>> reading_options(separator=None, missing="drop", missing_values="NA,?").missing_values
    ('NA', '?')
    """
    said = {name: value for name, value in given.items() if value is not None}
    if said.get("separator") == "\\t":  # a shell has no other word for it
        said["separator"] = "\t"
    for name in ("missing_values", "text", "numbers"):
        said[name] = split_names(f"--{name.replace('_', '-')}", said[name]) if said.get(name) else ()
    both = [name for name in said["text"] if name in said["numbers"]]
    if both:
        raise ParameterError(f"--text and --numbers both name {listed(both)}; choose one")
    return Reading.of(said, "--")


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


# --------------------------------------------------------------------
# What anonymizing did to risk and loss, and the files that may leave the house.


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
