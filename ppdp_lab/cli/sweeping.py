"""The command that runs a grid of parameters."""

from __future__ import annotations

from typing import Annotated

import typer

from ppdp_lab.cli.base import DataFolder, Force, Scale, app, experiment_named, results_folder, say, use_data


@app.command()
def sweep(
    name: Annotated[str, typer.Argument(help="An experiment's name or TOML file.")],
    parameter: Annotated[
        list[str], typer.Option("-p", "--parameter", help="key=1,2,3; several make all combinations.")
    ],
    scale: Scale = "quick",
    force: Force = False,
    data_dir: DataFolder = None,
) -> None:
    """Run one experiment at several parameter values and put the results of all runs together."""
    from ppdp_lab.lab.run import parameters
    from ppdp_lab.lab.sweep import sweep as run_sweep

    use_data(data_dir)
    values = dict(parameters.parse_sweep(text) for text in parameter)
    tables, folder = run_sweep(
        experiment_named(name), values, results=results_folder(), scale=scale, force=force, say=say
    )
    for which, table in tables.items():
        say(f"\n{table.to_string(index=False, max_rows=40)}\n\n{len(table)} rows in {folder / f'{which}.parquet'}")
