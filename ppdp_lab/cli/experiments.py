"""Commands that run experiments and show what came out."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppdp_lab.cli.base import (
    DataFolder,
    Force,
    Given,
    Scale,
    app,
    check_scale,
    experiment_named,
    results_folder,
    root_folder,
    say,
    use_data,
)
from ppdp_lab.errors import PPDPError

if TYPE_CHECKING:
    from ppdp_lab.lab.experiment import Experiment
    from ppdp_lab.lab.runs import Run
    from ppdp_lab.lab.scorecard import Scored


@app.command("list")
def list_() -> None:
    """List the experiments and what has been run of them."""
    from ppdp_lab.lab.catalogue import experiments
    from ppdp_lab.lab.runs import finished_scales
    from ppdp_lab.text import table

    rows, complaints = [], []
    for experiment in experiments(root_folder()):
        finished, changed, broken = finished_scales(experiment.name, results_folder())
        done = [scale for scale in experiment.scales if scale in finished]
        done += [f"{changed} with changed parameters"] if changed else []
        complaints += broken
        rows.append(
            (experiment.name, experiment.title, experiment.paper, ", ".join(experiment.scales), ", ".join(done))
        )
    if not rows:
        say(f"There are no experiments in {root_folder() / 'experiments'} yet.")
        return
    say(table(("name", "title", "paper", "scales", "finished"), rows, widths=(None, 56, None, None, 24)))
    for complaint in complaints:
        typer.echo(f"ppdp-lab: {complaint}", err=True)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")],
    scale: Scale = "quick",
    parameter: Given = None,
    force: Force = False,
    data_dir: DataFolder = None,
) -> None:
    """Run one experiment and print its verdicts."""
    from ppdp_lab.lab import parameters, scorecard
    from ppdp_lab.lab import report as overview
    from ppdp_lab.lab.runner import run as run_experiment

    use_data(data_dir)
    experiment, given = experiment_named(name), parameters.parse_all(parameter or [])
    speak = _saying_where(results_folder())
    done = run_experiment(experiment, results=results_folder(), scale=scale, given=given, force=force, say=speak)
    say("\n" + scorecard.plain([scorecard.Scored(experiment, done)]))
    say(f"\n{overview.places([(experiment, done)])}\n\n{done.folder}")
    say(f"All of it on one page: ppdp-lab report {shlex.quote(str(done.folder))} --html {experiment.name}.html")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")],
    claims: Annotated[
        bool, typer.Option("--claims", help="Also what the paper claims, and where it is tested.")
    ] = False,
) -> None:
    """Show an experiment: parameters, scales, figures and where they are."""
    from ppdp_lab.lab import parameters
    from ppdp_lab.lab import report as overview
    from ppdp_lab.lab.runs import latest

    experiment = experiment_named(name)
    newest = latest(experiment.name, results_folder())
    say(overview.overview(experiment, parameters.defined(experiment.notebook), newest, claims=claims))


@app.command()
def reproduce(scale: Scale = "quick", force: Force = False, data_dir: DataFolder = None) -> None:
    """Run all experiments and print the scorecard."""
    from ppdp_lab.io import atomic_write
    from ppdp_lab.lab import report as overview
    from ppdp_lab.lab import scorecard
    from ppdp_lab.lab.catalogue import experiments
    from ppdp_lab.lab.runner import reproduce as run_all

    use_data(data_dir)
    everything = experiments(root_folder())
    if not everything:
        say(f"There is nothing to reproduce yet: no experiments in {root_folder() / 'experiments'}.")
        return
    check_scale(scale, everything)
    say(f"Results go to {results_folder()}")
    runs, failures = run_all(everything, results=results_folder(), scale=scale, force=force, say=say)
    scored = scorecard.collect([e for e in everything if e.name in runs], results_folder(), scale)
    scored += [scorecard.Scored(e, None) for e in everything if e.name not in runs]
    path = results_folder() / "SCORECARD.md"
    atomic_write(path, scorecard.markdown(scored))
    finished = [(e, runs[e.name]) for e in everything if e.name in runs]
    say(f"\n{scorecard.plain(scored)}\n\n{overview.places(finished)}\n\n{path}")
    if failures:
        raise PPDPError(f"{len(failures)} of {len(everything)} experiments failed: {', '.join(failures)}; see above")


@app.command()
def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Experiments, by name or TOML file, or folders of single runs; all experiments unless named."
        ),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder for figures and SCORECARD.md; figures unless said.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="One self-contained page in place of a folder: the file to write.")
    ] = None,
    scale: Scale = "paper",
) -> None:
    """Collect figures and scorecard of finished runs in a folder or on one page, without running anything."""
    from ppdp_lab.lab import scorecard
    from ppdp_lab.lab.catalogue import experiments
    from ppdp_lab.lab.report import check_target, gallery, write_page

    if html is not None:
        check_target(html)
    single = [name for name in names or [] if _is_run(name)]
    if single and html is None and to is None:
        raise PPDPError(f"say where the report of {single[0]} shall go: --html page.html, or --to a folder")
    scored = [scorecard.Scored(*_run_in(name)) for name in single]
    others = [name for name in names or [] if name not in single]
    if others or not single:
        chosen = [experiment_named(name) for name in others] if others else experiments(root_folder())
        check_scale(scale, chosen)
        scored += scorecard.collect(chosen, results_folder(), scale)
    if all(entry.run is None for entry in scored):
        what = f"ppdp-lab run {others[0]}" if others else "ppdp-lab reproduce"
        who = f"{', '.join(others)} was not" if others else "no experiment was"
        raise PPDPError(f"{who} run at scale {scale!r} yet; use: {what} --scale {scale}{_changed(scored)}")
    written = gallery(scored, to or Path("figures"), results_folder()) if html is None else write_page(scored, html)
    say(f"{scorecard.summary(scored)}\n{written}")


@app.command()
def redraw(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file, or the folder of a run.")],
    scale: Annotated[str | None, typer.Option("--scale", help="Of the newest run at this scale.")] = None,
) -> None:
    """Draw the figures and judge the claims of the newest run again, without running it; at a scale, of both columns."""
    from ppdp_lab.lab import scorecard
    from ppdp_lab.lab.figures import present
    from ppdp_lab.lab.runs import by_data, latest

    found: Run | None
    real = None
    if _is_run(name):
        experiment, found = _run_in(name)
    elif scale is None:
        experiment = experiment_named(name)
        found = latest(experiment.name, results_folder())
    else:
        experiment = experiment_named(name)
        check_scale(scale, [experiment])
        found, real = by_data(experiment.name, results_folder(), scale)
    if found is None:
        raise PPDPError(f"{experiment.name} has no finished run to draw from; use: ppdp-lab run {name}")
    scored = scorecard.Scored(experiment, found, real)
    for run in scored.columns.values():
        present(experiment, run)
    say(f"{scorecard.plain([scored])}\n\n{found.folder / 'figures'}")


def _saying_where(results: Path) -> Callable[[str], None]:
    """Says lines, and before the first one where results go: what is refused before it says anything leaves none."""
    lines = itertools.count()

    def speak(line: str) -> None:
        if next(lines) == 0:
            say(f"Results go to {results}")
        say(line)

    return speak


def _is_run(name: str) -> bool:
    """Whether a name is the folder of a finished run."""
    from ppdp_lab.lab.runs import finished

    return finished(Path(name).resolve())


def _run_in(folder: str) -> tuple[Experiment, Run]:
    """The run in a folder, and its experiment."""
    from ppdp_lab.lab.runs import Run

    found = Run(Path(folder).resolve(), executed=False)
    return experiment_named(found.environment["experiment"]), found


def _changed(scored: Sequence[Scored]) -> str:
    """Runs with changed parameters are no runs at a scale, but can be reported by their folder."""
    from ppdp_lab.lab.runs import latest

    runs = [latest(entry.experiment.name, results_folder()) for entry in scored]
    found = next((run for run in runs if run is not None and run.environment["given"]), None)
    return "" if found is None else f"; or name the folder of a run with changed parameters, such as {found.folder}"
