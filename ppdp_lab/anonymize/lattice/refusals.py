"""What no search can work with, refused in words."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ppdp_lab.errors import HierarchyError, InfeasibleError, ParameterError, listed
from ppdp_lab.table import Microdata


def switch(name: str, value: Any) -> bool:
    """A switch, which must be on or off."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def check_metric(metric: object) -> None:
    """Refuse a metric that cannot be called with a Release alone."""
    if not callable(metric):
        raise ParameterError(f"metric must be a function of a Release, such as ppdp_lab.metrics.ncp, not {metric!r}")
    try:
        inspect.signature(metric).bind(None)
    except ValueError:  # a built-in that does not tell what it takes
        pass
    except TypeError as problem:
        raise ParameterError(
            f"the metric must take a Release alone, but {metric!r} does not ({problem}); give it what else it needs "
            f"beforehand, such as functools.partial(ppdp_lab.metrics.c_avg, k=5)"
        ) from None


def require_searchable(table: Microdata) -> None:
    """Refuse a table that has no lattice: empty, or with a quasi-identifier that lacks a hierarchy."""
    if not isinstance(table, Microdata):
        raise ParameterError(f"a search needs a ppdp_lab.Microdata, not {type(table).__name__}; wrap the frame first")
    if not len(table):
        raise InfeasibleError("the table has no records; there is nothing to anonymize")
    bare = [domain.name for domain in table.qi_domains if domain.hierarchy is None]
    if bare:
        raise HierarchyError(
            f"full-domain generalization needs a hierarchy for every quasi-identifier; there is none for {listed(bare)}; give "
            f"the Microdata one, such as Hierarchy.intervals for numbers or Hierarchy.from_levels({{value: ['*'], ...}}) for text"
        )
