"""The command that runs a grid of parameters."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ppdp_lab.cli.base import DataFolder, Force, Scale, app, say, use_data
from ppdp_lab.errors import PPDPError

if TYPE_CHECKING:
    from ppdp_lab.sweep.result import Sweep

STOPPED = 130  # what shells expect of a command that Ctrl-C has ended


@app.command()
def sweep(
    name: Annotated[
        str, typer.Argument(help="anonymize, publish, package.module:function, or an experiment's name or TOML file.")
    ],
    parameter: Annotated[
        list[str], typer.Option("-p", "--parameter", help="key=1,2,3; several make all combinations.")
    ],
    scale: Scale = "quick",
    store: Annotated[
        Path | None, typer.Option("--store", help="Folder for points and results; results/sweeps unless given.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option("--processes", help="How many run side by side; as many as there are cores.")
    ] = None,
    cluster: Annotated[str | None, typer.Option("--cluster", help="Address of a dask cluster, tcp://...")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run only the points that failed.")] = False,
    force: Force = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Run all points even if the first ones all fail with the same error.")
    ] = False,
    data_dir: DataFolder = None,
) -> None:
    """Run a function or an experiment at all combinations of values; a killed sweep goes on where it stopped.

    ppdp-lab sweep anonymize -p dataset=adult -p rows=5000 -p algorithm=mondrian,kmember -p k=2,5,10

    ppdp-lab sweep publish -p dataset=occ -p publisher=m_invariance,e_equivalence -p m=2,4 -p e=2 -p releases=3
    """
    from ppdp_lab.lab.parameters import parse_grid
    from ppdp_lab.sweep import sweep as run_sweep

    use_data(data_dir)
    going = {"stop_after": None} if keep_going else {}
    try:
        done = run_sweep(
            name,
            parse_grid(parameter),
            store=store,
            processes=processes,
            cluster=cluster,
            retry=retry,
            force=force,
            scale=scale,
            say=say,
            **going,
        )
    except KeyboardInterrupt:
        raise typer.Exit(STOPPED) from None
    _show(done)
    if done.failed:
        left = f", {done.not_run} were not run" if done.not_run else ""
        raise PPDPError(
            f"{done.failed} of {done.points} points failed{left}; see the errors above. To run the failed ones again: --retry"
        )


def _show(done: Sweep) -> None:
    """Print the tables, where they lie, and what failed."""
    from ppdp_lab.text import table

    assert done.folder is not None
    width = shutil.get_terminal_size((120, 24)).columns
    for name, frame in done.tables.items():
        values = {column: list(dict.fromkeys(frame[column])) for column in frame.attrs["sweep"]["parameters"]}
        alike = {column: found[0] for column, found in values.items() if len(found) == 1 and len(frame) > 1}
        say("\n" + ("at " + ", ".join(f"{column}={value}" for column, value in alike.items()) if alike else ""))
        shown = frame.drop(columns=list(alike))
        say(shown.to_string(index=False, max_rows=40, line_width=width, float_format="{:.4g}".format, na_rep="-"))
        say(f"\n{len(frame)} rows in {done.folder / f'{name}.parquet'}")
    for picture in sorted(done.folder.glob("picture*.png")):
        say(f"first picture: {picture} and {picture.with_suffix('.svg').name}")
    if done.failed:
        rows = [tuple(map(str, row)) for row in done.errors.itertuples(index=False)]
        say(f"\n{table(('failed', 'first at', 'error'), rows, widths=(None, 50, max(30, width - 60)))}")
    say(f"\n{repr(done)[1:-1]}")
