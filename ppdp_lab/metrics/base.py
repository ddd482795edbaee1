"""What a metric is: a number that a release gets, and all that a table or a plot has to say about that number.

A metric is one function of a release, made callable, named and bounded by the decorator :func:`metric`::

    @metric("GCP", unit="share", better="lower", bounds=(0, 1), reference="Ghinita et al., VLDB 2007")
    def gcp(release: Release) -> float: ...

Every metric stands in :data:`METRICS` under its name, so that a test, a command line or a sweep can go over all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec

from ppdp_lab.errors import ParameterError, check_choice, listed
from ppdp_lab.registry import Registry, enforce
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Feature, readable_by

P = ParamSpec("P")
Bounds = tuple[float | None, float | None]

METRICS: Registry[Metric[Any]] = Registry("metric")


class Metric(Generic[P]):
    """A number that every release gets.

    Attributes
    ----------
    name : str
        How it is called in code and on the command line.
    label : str
        How it is called in a plot or table.
    unit : str
        What it is counted in; empty for a pure number.
    better : {"lower", "higher"}
        Which way is better.
    reference : str
        Who defined it.
    reads : tuple of Feature
        What it must see of a release; a release in a form that does not show it is refused.

    Examples
    --------
    >>> import numpy as np, pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    >>> release = pl.Release(table, np.array([0, 0, 1, 1]))
    >>> gcp = pl.metrics.gcp
    >>> gcp(release), gcp.bounds(release), gcp.better
    (0.375, (0, 1), 'lower')
    >>> pl.metrics.fem.axis
    'FEM (nats)'
    >>> pl.metrics.c_avg.needs
    ('k',)
    """

    def __init__(
        self,
        function: Callable[Concatenate[Release, P], float],
        label: str,
        *,
        unit: str = "",
        better: str,
        bounds: Bounds | Callable[..., Bounds],
        reference: str,
        reads: tuple[Feature, ...] = (),
    ) -> None:
        update_wrapper(self, function)  # type: ignore[arg-type]
        self._function = enforce(function)
        self._bounds = enforce(bounds) if callable(bounds) else bounds
        self.name = function.__name__
        self.label = label
        self.unit = unit
        self.better = check_choice("better", better, ("lower", "higher"))
        self.reference = reference
        self.reads = reads

    def __call__(self, release: Release, *args: P.args, **parameters: P.kwargs) -> float:
        """The metric of a release."""
        self._check(release)
        return float(self._function(release, *args, **parameters))

    def bounds(self, release: Release, *args: P.args, **parameters: P.kwargs) -> Bounds:
        """Least and largest value that any release of the same table and kind can get; None where there is no limit."""
        self._check(release)
        return self._bounds(release, *args, **parameters) if callable(self._bounds) else self._bounds

    @property
    def axis(self) -> str:
        """Label with unit, for the axis of a plot."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def forms(self) -> list[str]:
        """Names of the forms that it reads."""
        return readable_by(self.reads)

    @property
    def needs(self) -> tuple[str, ...]:
        """Parameters beside the release that have no default."""
        parameters = list(inspect.signature(self._function).parameters.values())[1:]
        return tuple(p.name for p in parameters if p.default is p.empty)

    def _check(self, release: object) -> None:
        if not isinstance(release, Release):
            raise ParameterError(
                f"{self.name} needs a ppdp_lab.Release, not {type(release).__name__}; pass what an anonymizer returns"
            )
        if len(release.table) == 0:
            raise ParameterError(f"{self.name} needs a release of at least one record; this table is empty")
        release.form.require(self.name, self.reads)

    def __repr__(self) -> str:
        return f"<Metric {self.name}: {self.axis}, {self.better} is better>"


def metric(
    label: str, *, reference: str, **params: Any
) -> Callable[[Callable[Concatenate[Release, P], float]], Metric[P]]:
    """Make a metric of a function of a release, and enter it in :data:`METRICS`.

    Parameters
    ----------
    label, unit, better, reference : str
        See :class:`Metric`.
    bounds : pair of float or None, or a function
        Least and largest value; a function if they depend on the release, with the same parameters as the metric.
    reads : tuple of Feature, optional
        What the metric must see of a release beyond its classes and their regions, which every form has.

    Examples
    --------
    The metrics of this package are all made like this one:

    >>> from ppdp_lab.metrics import gcp
    >>> gcp
    <Metric gcp: GCP (share), lower is better>
    >>> gcp.forms
    ['anatomized', 'generalized']
    """

    def make(function: Callable[Concatenate[Release, P], float]) -> Metric[P]:
        made: Metric[P] = Metric(function, label, reference=reference, **params)
        shown = listed([feature.value for feature in made.reads]).replace("'", "") or "classes and their regions"
        promises = f"{made.axis}, {made.better} is better"
        METRICS.add(made.name, accepts=f"releases that show {shown}", promises=promises, paper=reference)(made)
        return made

    return make


def get(name: str) -> Metric[Any]:
    """The metric of a name; near misses are named for an unknown one.

    >>> get("ncp").label
    'NCP'
    >>> get("nvp")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ppdp_lab.errors.UnknownNameError: unknown metric 'nvp'; did you mean 'ncp'? Known: ...
    """
    return METRICS[name]
