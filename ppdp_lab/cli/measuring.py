"""Commands that list data sets and measure speed."""

from __future__ import annotations

from typing import Annotated

import typer

from ppdp_lab.cli.base import DataFolder, app, say, use_data


@app.command()
def data(
    name: Annotated[str | None, typer.Argument(help="A data set's name or TOML file.")] = None,
    data_dir: DataFolder = None,
) -> None:
    """List the data sets, or describe one."""
    from ppdp_lab import datasets
    from ppdp_lab.text import table

    use_data(data_dir)
    if name is not None:
        say(datasets.describe(name))
        return
    found = datasets.catalogue()
    say(table(list(found.columns), found.astype(str).to_numpy().tolist(), widths=(None, None, 48, 60)))


@app.command()
def bench(suite: Annotated[str | None, typer.Argument(help="A suite; all of them unless named.")] = None) -> None:
    """Measure speed beside reference operations."""
    from ppdp_lab.errors import unknown
    from ppdp_lab.lab.bench import suites
    from ppdp_lab.text import seconds, table

    found = suites()
    if suite is not None and suite not in found:
        raise unknown("suite", suite, found)
    rows = []
    for name in [suite] if suite is not None else found:
        say(f"{name} ...")
        for m in found[name]():
            target = "" if m.target is None else f"{m.target:g}"
            rows.append((m.name, seconds(m.seconds), f"{m.ratio:.2f} x {m.unit}", target, m.verdict))
    say(table(("name", "best", "in units", "at most", ""), rows))
