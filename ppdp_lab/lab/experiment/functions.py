"""Functions that an experiment file names: of a module, or of a Python file beside it."""

from __future__ import annotations

import importlib
import runpy
from collections.abc import Callable
from typing import Any, cast

from ppdp_lab.errors import DataFileError, PPDPError, unknown
from ppdp_lab.lab.experiment.model import Experiment


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
