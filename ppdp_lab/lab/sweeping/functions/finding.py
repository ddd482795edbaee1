"""From what a user names to what is swept: a function, a built-in one, ``module:function``, or an experiment."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ppdp_lab.errors import ParameterError, unknown
from ppdp_lab.lab.experiment import catalogue
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.sweeping.functions.base import Swept
from ppdp_lab.lab.sweeping.functions.plain import PlainFunction
from ppdp_lab.registry import key_of


def what_is_swept(function: Any, *, results: Path, scale: str = "quick", force: bool = False) -> Swept:
    """What ``function`` names: see :func:`ppdp_lab.lab.sweep`.

    >>> what_is_swept("anonymize", results=Path("results")).name
    'anonymize'
    >>> what_is_swept("statistics:mean", results=Path("results")).name
    'mean'
    """
    if isinstance(function, os.PathLike):
        function = os.fspath(function)
    if callable(function):
        return PlainFunction(function)
    if isinstance(function, str) and ":" in function:
        return PlainFunction(imported(function))
    # Not before they are asked for: one takes all algorithms along, the other all that runs and judges notebooks.
    from ppdp_lab.lab.sweeping.functions.built_in import built_in
    from ppdp_lab.lab.sweeping.functions.notebooks import Notebook

    if isinstance(function, Experiment):
        return Notebook(function, results, scale, force=force)
    named = {key_of(name): one for name, one in built_in().items()}
    if not isinstance(function, str):
        raise ParameterError(
            f"a sweep calls a function, or what a text names: {', '.join(named)}, 'module:function', or an experiment; "
            f"not {type(function).__name__}"
        )
    if key_of(function) in named:
        return named[key_of(function)]
    root = catalogue.find_root()
    experiments = catalogue.files(root)
    if not function.endswith(".toml") and function not in experiments:
        raise unknown("function or experiment", function, [*built_in(), *experiments])
    return Notebook(catalogue.experiment(function, root), results, scale, force=force)


def imported(name: str) -> Callable[..., Any]:
    """The function that ``package.module:function`` or ``file.py:function`` names."""
    module, _, function = name.rpartition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # a console script does not look in the working folder by itself
    try:
        found = runpy.run_path(module) if module.endswith(".py") else vars(importlib.import_module(module))
    except Exception as error:  # importing runs anybody's code
        raise ParameterError(f"cannot import {module!r}: {type(error).__name__}: {error}") from None
    if not callable(found.get(function)):
        known = [key for key, value in found.items() if callable(value) and not key.startswith("_")]
        raise ParameterError(str(unknown(f"function of {module}:", function, known)))
    wanted: Callable[..., Any] = found[function]
    return wanted
