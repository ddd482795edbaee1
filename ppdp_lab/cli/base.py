"""What all commands share: the application, options that several of them have, and where things are."""

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
    from ppdp_lab.lab.experiment import Experiment


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

Scale = Annotated[str, typer.Option("--scale", help="A scale of the experiment file: quick, paper, ...")]
Given = Annotated[list[str] | None, typer.Option("-p", "--parameter", help="key=value, in place of the scale's value.")]
Force = Annotated[bool, typer.Option("--force", help="Run even if this very run is there already.")]
DataFolder = Annotated[Path | None, typer.Option("--data-dir", help="Folder with real data; sets PPDP_LAB_DATA.")]


def _version(show: bool) -> None:
    if show:
        typer.echo(f"ppdp-lab {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    root: Annotated[
        Path | None,
        typer.Option("--root", help="Folder for results/ (or PPDP_LAB_ROOT); else that of experiments/, or this one."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if root is not None:
        os.environ[ROOT] = str(root.resolve())


def root_folder() -> Path:
    from ppdp_lab.lab.catalogue import find_root

    return find_root()


def results_folder() -> Path:
    return root_folder() / "results"


def experiment_named(name: str) -> Experiment:
    from ppdp_lab.lab.catalogue import experiment

    return experiment(name, root_folder())


def check_scale(scale: str, experiments: list[Experiment]) -> None:
    """Refuse a scale that no experiment has."""
    from ppdp_lab.errors import unknown
    from ppdp_lab.lab.experiment import SCALES

    known = {name for experiment in experiments for name in experiment.scales} or set(SCALES)
    if scale not in known:
        raise unknown("scale", scale, known)


def use_data(folder: Path | None) -> None:
    if folder is not None:
        if not folder.is_dir():
            raise NotADirectoryError(20, "no such folder", str(folder))
        os.environ[DATA] = str(folder.resolve())


def say(line: str) -> None:
    typer.echo(line)
    sys.stdout.flush()


def main() -> None:
    """The console script."""
    app()
