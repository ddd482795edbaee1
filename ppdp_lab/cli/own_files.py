"""Commands for a data holder's own files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ppdp_lab.cli.base import app, say


@app.command()
def anonymize(
    file: Annotated[Path, typer.Argument(help="A CSV file with a header, or a parquet file; one row per person.")],
    qi: Annotated[str, typer.Option("--qi", help="Quasi-identifiers: column names between commas.")] = "",
    sensitive: Annotated[str, typer.Option("--sensitive", help="Sensitive columns, between commas.")] = "",
    rule: Annotated[
        str | None, typer.Option("--rule", help="Any rule, such as 'KAnonymity(5) & EntropyLDiversity(2.5)'.")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="k-anonymity: records per class.")] = None,
    l: Annotated[int | None, typer.Option("--l", help="Distinct l-diversity.")] = None,  # noqa: E741
    t: Annotated[float | None, typer.Option("--t", help="t-closeness, with equal distances.")] = None,
    hierarchy: Annotated[
        list[str] | None, typer.Option("--hierarchy", help="column=file.csv, as ARX writes it.")
    ] = None,
    algorithm: Annotated[str, typer.Option("--algorithm", help="mondrian, anatomy, ...")] = "mondrian",
    option: Annotated[
        list[str] | None, typer.Option("-p", "--parameter", help="key=value: an algorithm's option.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Random seed (reproducible, but not private).")] = None,
    separator: Annotated[
        str | None, typer.Option("--separator", help="Between the file's columns, \\t for a tab; found unless given.")
    ] = None,
    decimal: Annotated[str | None, typer.Option("--decimal", help="The decimal sign; found unless given.")] = None,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Such as cp1252; found unless given.")] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            "--missing",
            help="Missing cells: refuse (the default); value: publish as (missing), which protects nobody; category: which "
            "counts as any other value; drop (the row).",
        ),
    ] = None,
    missing_values: Annotated[
        str, typer.Option("--missing-values", help="What means missing besides an empty cell, between commas: NA,?")
    ] = "",
    text: Annotated[str, typer.Option("--text", help="Columns that are text, between commas.")] = "",
    numbers: Annotated[str, typer.Option("--numbers", help="Columns that are numbers, between commas.")] = "",
    guarded: Annotated[bool, typer.Option("--guarded", help="The file was written with --guard.")] = False,
    guard: Annotated[
        bool, typer.Option("--guard", help="Put a single quote before cells that a spreadsheet takes for formulas.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The file to write: .csv, .tsv, .txt, .parquet, .arrow or .feather."),
    ] = None,
) -> None:
    """Anonymize a CSV or parquet file; print how it was read, and risk and loss before and after."""
    from ppdp_lab import holder
    from ppdp_lab.errors import ParameterError
    from ppdp_lab.io import format_of
    from ppdp_lab.io.reading import doubtful_columns
    from ppdp_lab.lab import parameters
    from ppdp_lab.table import Schema
    from ppdp_lab.text import table as aligned

    if not qi:
        raise ParameterError("say which columns an adversary may know: --qi age,zip")
    hierarchies = holder.parse_hierarchies(hierarchy or [])
    options = parameters.parse_all(option or [])
    reading = holder.reading_options(
        separator=separator, decimal=decimal, encoding=encoding, missing=missing, missing_values=missing_values, text=text,
        numbers=numbers, guarded=guarded,
    )  # fmt: skip
    maker = holder.make_anonymizer(algorithm, rule=rule, k=k, l=l, t=t, seed=seed, options=options)
    if output is not None:
        holder.check_output(output, maker, [file, *hierarchies.values()], guard=guard)
    known = holder.split_names("--qi", qi)
    secret = holder.split_names("--sensitive", sensitive) if sensitive else []
    both = [name for name in known if name in secret]
    if both:
        raise ParameterError(f"--qi and --sensitive both name {', '.join(map(repr, both))}; choose one")
    roles = Schema(known, secret)
    holder.check_attributes(maker, roles.sensitive)
    own = holder.read_own_file(file, roles, hierarchies, reading)
    release = maker.anonymize(own.table)
    shown = aligned(["", "before", "after"], holder.risk_and_loss(release))
    written = []
    if output is not None:
        written = holder.write_release(release, output, separator=own.report.separator or ",", guard=guard)
    say(f"{own.report}\n{release.method}\n{shown}")
    if release.seeded:
        say("seeded: whoever knows the seed can replay who shares a class; leave --seed out of what you publish")
    if release.form.exact:
        say("Quasi-identifiers are published as they are; the risk is that of linking a person to a sensitive row.")
    for sentence in doubtful_columns(own.table):
        say(f"warning: {sentence}")
    if own.left_out:
        rest = f" and {len(own.left_out) - 20} more" if len(own.left_out) > 20 else ""
        say(f"left out, since no role names them: {', '.join(own.left_out[:20])}{rest}")
    formulas = holder.count_formulas(release) if written and not guard and format_of(written[0]) == "CSV" else 0
    if formulas:
        say(
            f"warning: {formulas:,} cell(s) begin with =, +, -, @, a tab or a carriage return, so that a spreadsheet may run "
            f"them as formulas; use --guard to put a single quote before them"
        )
    say(f"written: {', '.join(map(str, written))}" if written else "nothing written; name a file with -o")
