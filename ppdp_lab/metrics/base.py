"""What a metric is: a number that a release gets, and all that a table or a plot has to say about that number.

A metric is one function of a release, made callable, named and bounded by the decorator :func:`metric`::

    @metric("GCP", unit="share", better="lower", bounds=(0, 1), reference="Ghinita et al., VLDB 2007")
    def gcp(release: Release) -> float: ...

Every metric stands in :data:`ALL` under its name, so that a test, a command line or a sweep can go over all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec

from ppdp_lab.errors import ParameterError, check_choice, unknown
from ppdp_lab.release import Release

P = ParamSpec("P")
Bounds = tuple[float | None, float | None]

ALL: dict[str, Metric[Any]] = {}


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

    Examples
    --------
    >>> import numpy as np, pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    >>> release = pl.Release(table, np.array([0, 0, 1, 1]))
    >>> gcp = pl.metrics.gcp
    >>> gcp(release), gcp.bounds(release), gcp.better
    (0.375, (0, 1), 'lower')
    >>> pl.metrics.fem.axis
    'FEM [nats]'
    >>> pl.metrics.c_avg.needs
    ('k',)
    """

    def __init__(
        self,
        function: Callable[Concatenate[Release, P], float],
        label: str,
        *,
        unit: str,
        better: str,
        bounds: Bounds | Callable[..., Bounds],
        reference: str,
    ) -> None:
        update_wrapper(self, function)  # type: ignore[arg-type]
        self._function = function
        self._bounds = bounds
        self.name = function.__name__
        self.label = label
        self.unit = unit
        self.better = check_choice("better", better, ("lower", "higher"))
        self.reference = reference

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
        return f"{self.label} [{self.unit}]" if self.unit else self.label

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

    def __repr__(self) -> str:
        return f"<Metric {self.name}: {self.axis}, {self.better} is better>"


def metric(
    label: str,
    *,
    unit: str = "",
    better: str,
    bounds: Bounds | Callable[..., Bounds],
    reference: str,
) -> Callable[[Callable[Concatenate[Release, P], float]], Metric[P]]:
    """Make a metric of a function of a release, and enter it in :data:`ALL`.

    Parameters
    ----------
    label, unit, better, reference : str
        See :class:`Metric`.
    bounds : pair of float or None, or a function
        Least and largest value; a function if they depend on the release, with the same parameters as the metric.

    Examples
    --------
    >>> from ppdp_lab.metrics.base import metric
    >>> @metric("classes", better="higher", bounds=lambda release: (0, len(release.table)), reference="an example")
    ... def number_of_classes(release):
    ...     return release.n_classes
    >>> number_of_classes
    <Metric number_of_classes: classes, higher is better>
    >>> del ALL["number_of_classes"]
    """

    def make(function: Callable[Concatenate[Release, P], float]) -> Metric[P]:
        made: Metric[P] = Metric(function, label, unit=unit, better=better, bounds=bounds, reference=reference)
        ALL[made.name] = made
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
    if name not in ALL:
        raise unknown("metric", name, ALL)
    return ALL[name]
