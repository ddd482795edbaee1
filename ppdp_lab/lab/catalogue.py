"""Where experiments are found, their code is loaded from, and results are kept."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import ppdp_lab
from ppdp_lab.errors import DataFileError, PPDPError, unknown
from ppdp_lab.lab.experiment import FILE, Experiment, read, short_name

PACKAGE = Path(ppdp_lab.__file__).parent
EXPERIMENTS = "experiments"
RUNNING = "PPDP_LAB_EXPERIMENT"  # environment variable: the folder of the experiment whose notebook is being run
# Where the experiments are that come with the package: within it if it was installed, beside it in a source tree.
SHIPPED = (PACKAGE / "shipped", PACKAGE.parent)


def find_root() -> Path:
    """The folder that holds ``results/``, and ``experiments/`` if they are somebody's own.

    The one that the environment variable ``PPDP_LAB_ROOT`` names; else the working folder or the nearest one above it with
    experiments; else the working folder. It is never the folder of an installed package.
    """
    root = os.environ.get("PPDP_LAB_ROOT")
    if root:
        if not Path(root).is_dir():
            raise DataFileError(
                f"no folder {root!r} to hold experiments and results; create it, or name another with --root or PPDP_LAB_ROOT"
            )
        return Path(root).resolve()
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if _in(folder)), here)


def files(root: Path) -> dict[str, Path]:
    """Experiment files by the name of their folder: those of the root, or if it has none those that come with the package."""
    return next(filter(None, map(_in, (root, *SHIPPED))), {})


def _in(folder: Path) -> dict[str, Path]:
    return {path.parent.name: path for path in sorted((folder / EXPERIMENTS).glob(f"*/{FILE}"))}


def notebooks(folder: str, *roots: Path) -> Path:
    """A folder of notebooks: that of the first root which has it, or the one that comes with the package."""
    places = [place / "notebooks" / folder for place in (*roots, *SHIPPED)]
    return next((place for place in places if place.is_dir()), places[0])


def experiments(root: Path) -> list[Experiment]:
    """All experiments, read and checked."""
    return [_named(path) for path in files(root).values()]


def experiment(name: str, root: Path) -> Experiment:
    """An experiment by its name, or by the path of its folder or of its TOML file."""
    if is_path(name):
        return read(name)
    known = files(root)
    if name not in known:
        if not known:
            raise DataFileError(
                f"no experiment {name!r}: there is no {EXPERIMENTS}/*/{FILE} in {root}; name an experiment's folder"
            )
        raise unknown("experiment", name, known)
    return _named(known[name])


def is_path(name: str) -> bool:
    """Whether an experiment is named by the path of its folder or file.

    >>> is_path("tour"), is_path("mine/experiment.toml"), is_path("./tour")
    (False, True, True)
    """
    return name.endswith(".toml") or Path(name).name != name


def _named(path: Path) -> Experiment:
    found = read(path)
    if found.name != path.parent.name:
        raise DataFileError(
            f"{short_name(path)}: name is {found.name!r}, but the folder is {path.parent.name!r}; make them the same"
        )
    return found


# --------------------------------------------------------------------
# The code of an experiment: Python files beside its TOML file.


class FunctionError(PPDPError, RuntimeError):
    """A function that an experiment names does not exist or cannot be imported."""


def code(name: str) -> tuple[ModuleType, ModuleType]:
    """The modules ``measure`` and ``figures`` of an experiment, for the first cell of its notebook.

    They are loaded from the experiment's folder: the one that is being run (``ppdp-lab run``); else the one that
    ``ppdp-lab show`` finds under this name, from the working folder upwards or among those that come with the package.
    An edited copy of an experiment therefore runs its own code.

    Parameters
    ----------
    name : str
        An experiment's name, or the path of its folder or TOML file.

    Examples
    --------
    >>> measure, figures = code("tour")
    >>> measure.__name__, figures.__name__
    ('experiments.tour.measure', 'experiments.tour.figures')
    """
    running = os.environ.get(RUNNING)
    if not is_path(name) and running and Path(running).name == name:
        name = str(Path(running) / FILE)
    folder = experiment(name, find_root()).path.parent
    return load(folder / "measure.py"), load(folder / "figures.py")


def load(path: Path) -> ModuleType:
    """A Python file in an experiment's folder, as the module ``experiments.<folder>.<file>``.

    Files of one folder may import each other relatively. A module that was loaded from another file of the same name is
    replaced; one that was loaded from this file is used again.
    """
    path = path.resolve()
    if not path.is_file():
        raise DataFileError(f"no file {str(path)!r}")
    folder = f"{EXPERIMENTS}.{path.parent.name}"
    try:
        importlib.import_module(EXPERIMENTS)
    except ImportError:
        sys.modules[EXPERIMENTS] = _package(EXPERIMENTS, path.parent.parent)
    if list(getattr(sys.modules.get(folder), "__path__", ())) != [str(path.parent)]:
        sys.modules[folder] = _package(folder, path.parent)
    name = f"{folder}.{path.stem}"
    found = sys.modules.get(name)
    if found is not None and Path(found.__file__ or "").resolve() == path:
        return found
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _package(name: str, folder: Path) -> ModuleType:
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    return package


def function_of(name: str, experiment: Experiment, what: str) -> Callable[..., Any]:
    """The function ``file.py:function`` of an experiment's folder, or ``module:function``; errors begin with ``what``."""
    module, _, function = name.rpartition(":")
    path = experiment.path.parent / module
    if module.endswith(".py") and not path.is_file():
        raise DataFileError(f"{what}: no file {str(path)!r}")
    try:
        found = vars(load(path) if module.endswith(".py") else importlib.import_module(module))
    except Exception as error:  # importing runs anybody's code
        raise FunctionError(f"{what}: cannot import {module}: {type(error).__name__}: {error}") from None
    if not callable(found.get(function)):
        known = [key for key, value in found.items() if callable(value) and not key.startswith("_")]
        raise FunctionError(f"{what}: {unknown(f'function of {module}:', function, known)}")
    return cast("Callable[..., Any]", found[function])


def plan_of(experiment: Experiment) -> Callable[..., Any] | None:
    """The function that plans a run: the one that the file names, else ``plan`` in measure.py, if there is one."""
    measure = experiment.path.parent / "measure.py"
    if not experiment.plan and not (measure.is_file() and hasattr(load(measure), "plan")):
        return None
    return function_of(experiment.plan or "measure.py:plan", experiment, "plan")
