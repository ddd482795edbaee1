"""Where experiments are found and results are kept."""

from __future__ import annotations

import importlib
import os
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from ppdp_lab.errors import DataFileError, PPDPError, unknown
from ppdp_lab.lab.experiment import Experiment, read
from ppdp_lab.lab.identity import PACKAGE

EXPERIMENTS = "experiments"
# Where the experiments are that come with the package: within it if it was installed, beside it in a source tree.
SHIPPED = (PACKAGE / "shipped", PACKAGE.parent)


def find_root() -> Path:
    """The folder that holds ``results/``, and ``experiments/`` if they are somebody's own.

    The one that the environment variable ``PPDP_LAB_ROOT`` names; else the working folder or the nearest one above it with
    experiment files; else the working folder. It is never the folder of an installed package.
    """
    said = os.environ.get("PPDP_LAB_ROOT")
    if said:
        if not Path(said).is_dir():
            raise DataFileError(
                f"no folder {said!r} to hold experiments and results; create it, or name another with --root or PPDP_LAB_ROOT"
            )
        return Path(said).resolve()
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if _in(folder)), here)


def files(root: Path) -> dict[str, Path]:
    """Experiment files by the name of the file: those of the root, or if it has none those that come with the package."""
    return next(filter(None, map(_in, (root, *SHIPPED))), {})


def _in(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted((folder / EXPERIMENTS).glob("*.toml"))}


def notebooks(folder: str, *roots: Path) -> Path:
    """A folder of notebooks: that of the first root which has it, or the one that comes with the package."""
    places = [place / "notebooks" / folder for place in (*roots, *SHIPPED)]
    return next((place for place in places if place.is_dir()), places[0])


def experiments(root: Path) -> list[Experiment]:
    """All experiments, read and checked; a file's name must be its experiment's."""
    return [_named(path) for path in files(root).values()]


def experiment(name: str, root: Path) -> Experiment:
    """An experiment by its name, or by the path of its file."""
    if name.endswith(".toml"):
        return read(name)
    known = files(root)
    if name not in known:
        if not known:
            raise DataFileError(f"no experiment {name!r}: there is no experiments/*.toml in {root}; name a .toml file")
        raise unknown("experiment", name, known)
    return _named(known[name])


def _named(path: Path) -> Experiment:
    found = read(path)
    if found.name != path.stem:
        raise DataFileError(f"{path.name}: its name is {found.name!r}; it must be that of the file, {path.stem!r}")
    return found


# --------------------------------------------------------------------
# Functions that an experiment file names: of a module, or of a Python file beside it.


class FunctionError(PPDPError, RuntimeError):
    """A function that an experiment file names is not to be had."""


def function_of(said: str, experiment: Experiment, what: str) -> Callable[..., Any]:
    """The function ``module:function`` or ``file.py:function``; ``what`` it is for stands before every complaint."""
    module, _, name = said.rpartition(":")
    path = experiment.path.parent / module
    if module.endswith(".py") and not path.is_file():
        raise DataFileError(f"{what}: no file {str(path)!r}")
    try:
        found = runpy.run_path(str(path)) if module.endswith(".py") else vars(importlib.import_module(module))
    except Exception as error:  # importing runs anybody's code
        raise FunctionError(f"{what}: cannot import {module}: {type(error).__name__}: {error}") from None
    function: Any = found.get(name)
    if not callable(function):
        known = [key for key, value in found.items() if callable(value) and not key.startswith("_")]
        raise FunctionError(f"{what}: {unknown(f'function of {module}:', name, known)}")
    return cast("Callable[..., Any]", function)
