"""Commands that run experiments and show what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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


@app.command("list")
def list_() -> None:
    """List the experiments and what has been run of them."""
    from ppdp_lab.lab.experiment.catalogue import experiments
    from ppdp_lab.lab.report.text import table
    from ppdp_lab.lab.run.record import finished_scales

    rows, complaints = [], []
    for experiment in experiments(root_folder()):
        finished, broken = finished_scales(experiment.name, results_folder())
        done = [scale for scale in experiment.scales if scale in finished]
        complaints += broken
        rows.append(
            (experiment.name, experiment.title, experiment.paper, ", ".join(experiment.scales), ", ".join(done))
        )
    if not rows:
        say(f"There are no experiments in {root_folder() / 'experiments'} yet.")
        return
    say(table(("name", "title", "paper", "scales", "finished"), rows, widths=(None, 56)))
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
    from ppdp_lab.lab.report import overview, scorecard
    from ppdp_lab.lab.run import parameters
    from ppdp_lab.lab.runner import run as run_experiment

    use_data(data_dir)
    experiment, given = experiment_named(name), parameters.parse_all(parameter or [])
    done = run_experiment(experiment, results=results_folder(), scale=scale, given=given, force=force, say=say)
    say("\n" + scorecard.plain([scorecard.Scored(experiment, done)]))
    say(f"\n{overview.places([(experiment, done)])}\n\n{done.folder}")


@app.command()
def show(name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")]) -> None:
    """Show an experiment: parameters, scales, figures and where they are, claims."""
    from ppdp_lab.lab.report import overview
    from ppdp_lab.lab.run import parameters
    from ppdp_lab.lab.run.record import latest

    experiment = experiment_named(name)
    newest = latest(experiment.name, results_folder())
    say(overview.overview(experiment, parameters.defined(experiment.notebook), newest))


@app.command()
def reproduce(scale: Scale = "quick", force: Force = False, data_dir: DataFolder = None) -> None:
    """Run all experiments and print the scorecard."""
    from ppdp_lab.lab.experiment.catalogue import experiments
    from ppdp_lab.lab.report import overview, scorecard
    from ppdp_lab.lab.reproduce import reproduce as run_all
    from ppdp_lab.table.files import write_whole

    use_data(data_dir)
    everything = experiments(root_folder())
    if not everything:
        say(f"There is nothing to reproduce yet: no experiments in {root_folder() / 'experiments'}.")
        return
    check_scale(scale, everything)
    runs, failures = run_all(everything, results=results_folder(), scale=scale, force=force, say=say)
    scored = scorecard.collect([e for e in everything if e.name in runs], results_folder(), scale)
    scored += [scorecard.Scored(e, None) for e in everything if e.name not in runs]
    path = results_folder() / "SCORECARD.md"
    write_whole(path, scorecard.markdown(scored))
    finished = [(e, runs[e.name]) for e in everything if e.name in runs]
    say(f"\n{scorecard.plain(scored)}\n\n{overview.places(finished)}\n\n{path}")
    if failures:
        raise PPDPError(f"{len(failures)} of {len(everything)} experiments failed: {', '.join(failures)}; see above")


@app.command()
def report(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments, by name or TOML file; all unless named.")
    ] = None,
    to: Annotated[Path, typer.Option("--to", help="Folder for figures and SCORECARD.md.")] = Path("figures"),
    html: Annotated[
        Path | None, typer.Option("--html", help="One self-contained page in place of a folder: the file to write.")
    ] = None,
    scale: Scale = "paper",
) -> None:
    """Collect figures and scorecard of finished runs in a folder or on one page, without running anything."""
    from ppdp_lab.lab.experiment.catalogue import experiments
    from ppdp_lab.lab.report import scorecard
    from ppdp_lab.lab.report.collecting.gallery import gallery
    from ppdp_lab.lab.report.collecting.page import check_target, write_page

    if html is not None:
        check_target(html)
    chosen = [experiment_named(name) for name in names] if names else experiments(root_folder())
    check_scale(scale, chosen)
    scored = scorecard.collect(chosen, results_folder(), scale)
    if all(entry.run is None for entry in scored):
        what = f"ppdp-lab run {names[0]}" if names else "ppdp-lab reproduce"
        who = f"{', '.join(names)} was not" if names else "no experiment was"
        raise PPDPError(f"{who} run at scale {scale!r} yet; use: {what} --scale {scale}")
    written = gallery(scored, to, results_folder()) if html is None else write_page(scored, html)
    say(f"{scorecard.summary(scored)}\n{written}")


@app.command()
def redraw(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")],
    scale: Annotated[str | None, typer.Option("--scale", help="Of the newest run at this scale.")] = None,
) -> None:
    """Draw the figures and judge the claims of the newest run again, without running it; at a scale, of both columns."""
    from ppdp_lab.lab.report import scorecard
    from ppdp_lab.lab.report.presentation import present
    from ppdp_lab.lab.run.record import by_data, latest

    experiment = experiment_named(name)
    if scale is None:
        found, real = latest(experiment.name, results_folder()), None
    else:
        check_scale(scale, [experiment])
        found, real = by_data(experiment.name, results_folder(), scale)
    if found is None:
        raise PPDPError(f"{experiment.name} has no finished run to draw from; use: ppdp-lab run {name}")
    scored = scorecard.Scored(experiment, found, real)
    for run in scored.columns.values():
        present(experiment, run)
    say(f"{scorecard.plain([scored])}\n\n{found.folder / 'figures'}")
