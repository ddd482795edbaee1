"""The command line: ``ppdp-lab``.

Everything heavy is imported inside the commands, so that ``--help`` answers at once. Whatever the package refuses ends in
one line on stderr and exit code 2.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ppdp_lab import __version__
from ppdp_lab.errors import PPDPError

ROOT, DATA = "PPDP_LAB_ROOT", "PPDP_LAB_DATA"

if TYPE_CHECKING:
    from ppdp_lab.lab.experiment.model import Experiment


class _Group(TyperGroup):
    """Turns a refusal into one line and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader of our output went away, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except (PPDPError, OSError) as error:
            typer.echo(f"ppdp-lab: {_one_line(error)}", err=True)
            raise typer.Exit(2) from None


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


app = typer.Typer(
    cls=_Group,
    name="ppdp-lab",
    help="A research workbench for privacy-preserving data publishing.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_Scale = Annotated[str, typer.Option("--scale", help="A scale of the experiment file: quick, paper, ...")]
_Given = Annotated[
    list[str] | None, typer.Option("-p", "--parameter", help="key=value, in place of the scale's value.")
]
_Force = Annotated[bool, typer.Option("--force", help="Run even if this very run is there already.")]
_Data = Annotated[Path | None, typer.Option("--data-dir", help="Folder with real data; sets PPDP_LAB_DATA.")]


def _version(show: bool) -> None:
    if show:
        typer.echo(f"ppdp-lab {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    root: Annotated[
        Path | None,
        typer.Option("--root", help="Folder with experiments/ and results/ (or PPDP_LAB_ROOT); found by itself."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if root is not None:
        os.environ[ROOT] = str(root.resolve())


def _root() -> Path:
    from ppdp_lab.lab.experiment.catalogue import find_root

    return find_root()


def _results() -> Path:
    return _root() / "results"


def _experiment(name: str) -> Experiment:
    from ppdp_lab.lab.experiment.catalogue import experiment

    return experiment(name, _root())


def _check_scale(scale: str, experiments: list[Experiment]) -> None:
    """Refuse a scale that no experiment has."""
    from ppdp_lab.errors import unknown
    from ppdp_lab.lab.experiment.model import SCALES

    known = {name for experiment in experiments for name in experiment.scales} or set(SCALES)
    if scale not in known:
        raise unknown("scale", scale, known)


def _use_data(folder: Path | None) -> None:
    if folder is not None:
        if not folder.is_dir():
            raise NotADirectoryError(20, "no such folder", str(folder))
        os.environ[DATA] = str(folder.resolve())


def _say(line: str) -> None:
    typer.echo(line)
    sys.stdout.flush()


@app.command("list")
def list_() -> None:
    """List the experiments and what has been run of them."""
    from ppdp_lab.lab.experiment.catalogue import experiments
    from ppdp_lab.lab.report.text import table
    from ppdp_lab.lab.run.record import finished_scales

    rows, complaints = [], []
    for experiment in experiments(_root()):
        finished, broken = finished_scales(experiment.name, _results())
        done = [scale for scale in experiment.scales if scale in finished]
        complaints += broken
        rows.append(
            (experiment.name, experiment.title, experiment.paper, ", ".join(experiment.scales), ", ".join(done))
        )
    if not rows:
        _say(f"There are no experiments in {_root() / 'experiments'} yet.")
        return
    _say(table(("name", "title", "paper", "scales", "finished"), rows, widths=(None, 56)))
    for complaint in complaints:
        typer.echo(f"ppdp-lab: {complaint}", err=True)


@app.command()
def data(
    name: Annotated[str | None, typer.Argument(help="A data set's name or TOML file.")] = None, data_dir: _Data = None
) -> None:
    """List the data sets, or describe one."""
    from ppdp_lab import datasets
    from ppdp_lab.lab.report.text import table

    _use_data(data_dir)
    if name is not None:
        _say(datasets.describe(name))
        return
    found = datasets.catalogue()
    _say(table(list(found.columns), found.astype(str).to_numpy().tolist(), widths=(None, None, 48, 60)))


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")],
    scale: _Scale = "quick",
    parameter: _Given = None,
    force: _Force = False,
    data_dir: _Data = None,
) -> None:
    """Run one experiment and print its verdicts."""
    from ppdp_lab.lab.report import scorecard
    from ppdp_lab.lab.run import parameters
    from ppdp_lab.lab.runner import run as run_experiment

    _use_data(data_dir)
    experiment, given = _experiment(name), parameters.parse_all(parameter or [])
    done = run_experiment(experiment, results=_results(), scale=scale, given=given, force=force, say=_say)
    _say("\n" + scorecard.plain([scorecard.Scored(experiment, done)]))
    _say(f"\n{done.folder}")


@app.command()
def reproduce(scale: _Scale = "quick", force: _Force = False, data_dir: _Data = None) -> None:
    """Run all experiments and print the scorecard."""
    from ppdp_lab.lab.experiment.catalogue import experiments
    from ppdp_lab.lab.report import scorecard
    from ppdp_lab.lab.reproduce import reproduce as run_all
    from ppdp_lab.table.files import write_whole

    _use_data(data_dir)
    everything = experiments(_root())
    if not everything:
        _say(f"There is nothing to reproduce yet: no experiments in {_root() / 'experiments'}.")
        return
    _check_scale(scale, everything)
    runs, failures = run_all(everything, results=_results(), scale=scale, force=force, say=_say)
    scored = scorecard.collect([e for e in everything if e.name in runs], _results(), scale)
    scored += [scorecard.Scored(e, None) for e in everything if e.name not in runs]
    path = _results() / "SCORECARD.md"
    write_whole(path, scorecard.markdown(scored))
    _say(f"\n{scorecard.plain(scored)}\n\n{path}")
    if failures:
        raise PPDPError(f"{len(failures)} of {len(everything)} experiments failed: {', '.join(failures)}; see above")


@app.command()
def report(
    to: Annotated[Path, typer.Option("--to", help="Folder for figures and SCORECARD.md.")] = Path("figures"),
    scale: _Scale = "paper",
) -> None:
    """Collect figures and scorecard of finished runs in a folder, without running anything."""
    from ppdp_lab.lab.experiment.catalogue import experiments
    from ppdp_lab.lab.report import scorecard
    from ppdp_lab.lab.report.gallery import gallery

    everything = experiments(_root())
    _check_scale(scale, everything)
    scored = scorecard.collect(everything, _results(), scale)
    if all(entry.run is None for entry in scored):
        raise PPDPError(f"no experiment was run at scale {scale!r} yet; use: ppdp-lab reproduce --scale {scale}")
    _say(f"{scorecard.summary(scored)}\n{gallery(scored, to, _results())}")


@app.command()
def sweep(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")],
    parameter: Annotated[
        list[str], typer.Option("-p", "--parameter", help="key=1,2,3; several make all combinations.")
    ],
    scale: _Scale = "quick",
    force: _Force = False,
    data_dir: _Data = None,
) -> None:
    """Run one experiment at several parameter values and put the results of all runs together."""
    from ppdp_lab.lab.run import parameters
    from ppdp_lab.lab.sweep import sweep as run_sweep

    _use_data(data_dir)
    values = dict(parameters.parse_sweep(text) for text in parameter)
    tables, folder = run_sweep(_experiment(name), values, results=_results(), scale=scale, force=force, say=_say)
    for which, table in tables.items():
        _say(f"\n{table.to_string(index=False, max_rows=40)}\n\n{len(table)} rows in {folder / f'{which}.parquet'}")


@app.command()
def redraw(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")],
    scale: Annotated[str | None, typer.Option("--scale", help="Of the newest run at this scale.")] = None,
) -> None:
    """Draw the figures and judge the claims of the newest run again, without running it; at a scale, of both columns."""
    from ppdp_lab.lab.report import scorecard
    from ppdp_lab.lab.report.presentation import present
    from ppdp_lab.lab.run.record import by_data, latest

    experiment = _experiment(name)
    if scale is None:
        found, real = latest(experiment.name, _results()), None
    else:
        _check_scale(scale, [experiment])
        found, real = by_data(experiment.name, _results(), scale)
    if found is None:
        raise PPDPError(f"{experiment.name} has no finished run to draw from; use: ppdp-lab run {name}")
    scored = scorecard.Scored(experiment, found, real)
    for run in scored.columns.values():
        present(experiment, run)
    _say(f"{scorecard.plain([scored])}\n\n{found.folder / 'figures'}")


@app.command()
def bench(suite: Annotated[str | None, typer.Argument(help="A suite; all of them unless named.")] = None) -> None:
    """Measure speed beside reference operations."""
    from ppdp_lab.errors import unknown
    from ppdp_lab.lab.bench import suites
    from ppdp_lab.lab.report.text import seconds, table

    found = suites()
    if suite is not None and suite not in found:
        raise unknown("suite", suite, found)
    rows = []
    for name in [suite] if suite is not None else found:
        _say(f"{name} ...")
        for m in found[name]():
            target = "" if m.target is None else f"{m.target:g}"
            rows.append((m.name, seconds(m.seconds), f"{m.ratio:.2f} x {m.unit}", target, m.verdict))
    _say(table(("name", "best", "in units", "at most", ""), rows))


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
    seed: Annotated[int | None, typer.Option("--seed", help="Where the algorithm draws lots.")] = None,
    separator: Annotated[
        str | None, typer.Option("--separator", help="Between the file's columns, \\t for a tab; found unless given.")
    ] = None,
    decimal: Annotated[str | None, typer.Option("--decimal", help="The decimal sign; found unless given.")] = None,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Such as cp1252; found unless given.")] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            "--missing", help="Missing cells: refuse (the default), value (a category of its own), drop (the row)."
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
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The CSV file to write.")] = None,
) -> None:
    """Anonymize a CSV or parquet file; print how it was read, and risk and loss before and after."""
    from ppdp_lab import holder
    from ppdp_lab.errors import ParameterError
    from ppdp_lab.lab.report.text import table as aligned
    from ppdp_lab.lab.run import parameters
    from ppdp_lab.table import Schema

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
        holder.check_output(output, maker, [file, *hierarchies.values()])
    roles = Schema(holder.split_names("--qi", qi), holder.split_names("--sensitive", sensitive) if sensitive else ())
    own = holder.read_own_file(file, roles, hierarchies, reading)
    release = maker.anonymize(own.table)
    shown = aligned(["", "before", "after"], holder.risk_and_loss(release))
    written = []
    if output is not None:
        written = holder.write_release(release, output, separator=own.report.separator or ",", guard=guard)
    _say(f"{own.report}\n{release.method}\n{shown}")
    if release.seeded:
        _say("seeded: whoever knows the seed can replay who shares a class; leave --seed out of what you publish")
    if release.form.exact:
        _say("Quasi-identifiers are published as they are; the risk is that of linking a person to a sensitive row.")
    if own.left_out:
        rest = f" and {len(own.left_out) - 20} more" if len(own.left_out) > 20 else ""
        _say(f"left out, since no role names them: {', '.join(own.left_out[:20])}{rest}")
    _say(f"written: {', '.join(map(str, written))}" if written else "nothing written; name a file with -o")


def main() -> None:
    """The console script."""
    app()


if __name__ == "__main__":
    main()
