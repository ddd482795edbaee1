"""What a search needs: valid settings, and a table with a hierarchy for every quasi-identifier."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from ppdp_lab.errors import HierarchyError, InfeasibleError, ParameterError, listed
from ppdp_lab.table import Domain, Hierarchy, Microdata


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


def searchable(table: Microdata) -> Microdata:
    """The table with a hierarchy for every quasi-identifier: an ordered one that has none gets default intervals.

    An empty table and text without a hierarchy raise an error.
    """
    if not isinstance(table, Microdata):
        raise ParameterError(f"a search needs a ppdp_lab.Microdata, not {type(table).__name__}; wrap the frame first")
    if not len(table):
        raise InfeasibleError("the table has no records; there is nothing to anonymize")
    bare = [domain for domain in table.qi_domains if domain.hierarchy is None and domain.kind != "ordered"]
    if bare:
        name = bare[0].name
        raise HierarchyError(
            f"full-domain generalization needs a hierarchy for text: {listed(domain.name for domain in bare)} "
            f"{'has' if len(bare) == 1 else 'have'} none; pass one to Microdata, for example hierarchies={{{name!r}: "
            f"Hierarchy.from_levels({{value: ['*'] for value in frame[{name!r}].unique()}})}}"
        )
    grown = {d.name: replace(d, kind="hierarchy", hierarchy=default_hierarchy(d)) for d in without_hierarchy(table)}
    return table.over(table.domains | grown)


def without_hierarchy(table: Microdata) -> list[Domain]:
    """The ordered quasi-identifiers that a search generalizes to default intervals."""
    return [domain for domain in table.qi_domains if domain.hierarchy is None and domain.kind == "ordered"]


def default_hierarchy(domain: Domain) -> Hierarchy:
    """Intervals of an ordered domain, counted from its smallest value, with the widths of :func:`default_widths`.

    >>> import pandas as pd
    >>> default_hierarchy(Domain.of(pd.Series(range(17, 91), name="age"))[0]).levels(39)
    ['39', '[37, 41]', '[37, 46]', '[37, 56]', '[17, 56]', '*']
    """
    names, levels = domain.labels[: domain.known], []
    for interval in _intervals(domain).values():
        low, high = np.searchsorted(interval, interval), np.searchsorted(interval, interval, side="right") - 1
        levels.append([names[a] if a == b else f"[{names[a]}, {names[b]}]" for a, b in zip(low, high)])
    tree = Hierarchy(list(zip(names, *levels, ["*"] * len(names))))
    return tree.with_missing() if domain.missing else tree


def default_widths(domain: Domain) -> list[float]:
    """A sixteenth, an eighth, a quarter and half of the range of an ordered domain, rounded.

    The first width is rounded to a whole number, or to one digit if the values are fractions; each of the others is twice
    the one before. Widths that merge no values, or all of them, are left out. Dates and ordered categories are counted.

    >>> import pandas as pd
    >>> [default_widths(Domain.of(pd.Series(values, name="x"))[0]) for values in (range(17, 91), [0.5, 0.9, 1.7], [4, 4])]
    [[5, 10, 20, 40], [0.56], []]
    """
    return list(_intervals(domain))


def _intervals(domain: Domain) -> dict[float, np.ndarray]:
    """For each default width the number of the interval that each value lies in."""
    values = domain.values[: domain.known]
    places = np.arange(len(values), dtype=float)  # by rank, unless they are numbers whose differences are finite
    if values.dtype.kind in "iuf" and values[-1] / 2 - values[0] / 2 < 2.0**1022:
        places = values.astype(float)
    first = float(places[-1] - places[0]) / 16 or 1.0
    first = float(f"{first:.0e}") if values.dtype.kind == "f" else max(1, round(first))
    narrow = np.floor((places - places[0]) / first + 1e-9)  # 0.3 / 0.1 must not fall below 3
    found: dict[float, np.ndarray] = {}
    groups = len(places)
    for times in (1, 2, 4, 8):
        interval = narrow // times  # so that wide intervals hold narrow ones whole
        fewer = len(np.unique(interval))
        if 1 < fewer < groups:
            found[times * first], groups = interval, fewer
    return found
